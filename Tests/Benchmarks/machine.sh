#!/bin/sh
# Prints what the figures were measured with, as a list in Markdown.
set -eu
cd "$(dirname "$0")"

say() { printf -- '- %s: %s\n' "$1" "$2"; }
first() { "$@" 2>/dev/null | head -n 1; }

if [ -r /proc/cpuinfo ]; then
    processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
    memory=$(awk '/^MemTotal/ { printf "%.1f GiB", $2 / 1048576 }' /proc/meminfo)
else
    processor=$(sysctl -n machdep.cpu.brand_string)
    memory=$(sysctl -n hw.memsize | awk '{ printf "%.1f GiB", $1 / 1073741824 }')
fi
commit=$(first git rev-parse --short HEAD || true)
[ -z "$(git status --porcelain -- :/ :!RESULTS.md 2>/dev/null)" ] || commit="$commit, with changes that are not committed"

say Date "$(date -u +%Y-%m-%d)"
say Commit "${commit:-unknown}"
say Machine "${processor:-$(uname -m)}, $(getconf _NPROCESSORS_ONLN) cores, $memory"
say System "$(uname -sr)"
say Load "$(uptime | sed 's/.*load average[s]*: *//') (1, 5 and 15 minutes before; above the number of cores nothing means much)"
say Swift "$(first swift --version)"
say SQLite "$(first sqlite3 --version | cut -d ' ' -f 1,2) (shell), $(first pkg-config --modversion sqlite3) (library)"
say yajl "$(first pkg-config --modversion yajl)"
python=../../.build/benchmarks/bin/python
if [ -x $python ]; then
    modules=$($python -c 'import duckdb, orjson; print(f"orjson {orjson.__version__}, DuckDB {duckdb.__version__}")')
    say Python "$(first $python --version | cut -d ' ' -f 2), $modules"
fi
