#!/bin/bash
# Runs tracks-migrate and pure SQL side by side on the same library, alternating, and prints the medians.
# usage: run.sh TOOL [TRACKS] [RUNS]
set -euo pipefail

tool=$1
tracks=${2:-100000}
runs=${3:-5}
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

command -v sqlite3 >/dev/null || { echo "bench: the sqlite3 shell is missing; 'make bench' installs it" >&2; exit 1; }

echo "Making a library of $tracks tracks …"
"$tool" sample "$tracks" "$folder/v1.sqlite" 2>/dev/null

seconds() {
    local start end
    start=$(date +%s.%N)
    "$@" >/dev/null 2>&1
    end=$(date +%s.%N)
    awk "BEGIN { print $end - $start }"
}

median() { sort -n | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'; }

for ((run = 0; run < runs; run++)); do
    rm -f "$folder"/v2.sqlite* "$folder/peer.sqlite"
    seconds "$tool" migrate "$folder/v1.sqlite" --output "$folder/v2.sqlite" >> "$folder/ours"
    seconds "$here/peer_sql.sh" "$folder/v1.sqlite" "$folder/peer.sqlite" >> "$folder/sql"
done

for table in ZTRACK ZARTIST Z_1TRACKS; do
    for file in v2 peer; do
        sqlite3 "$folder/$file.sqlite" "SELECT count(*) FROM $table"
    done | uniq | wc -l | grep -qx 1 || { echo "bench: the results differ in $table" >&2; exit 1; }
done

ours=$(median < "$folder/ours")
sql=$(median < "$folder/sql")
printf 'tracks-migrate  %6.2f s   (durable, checked)\n' "$ours"
printf 'pure SQL        %6.2f s   (no safety at all)\n' "$sql"
printf 'ratio           %6.2f     median of %d alternating runs\n' "$(awk "BEGIN { print $ours / $sql }")" "$runs"
