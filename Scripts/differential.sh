#!/bin/sh
# Compares random migrations with those of obvious programs, what SQL and what objects answer to random questions, and what
# is salvaged of damaged stores with the healthy ones; runs all other tests of random cases with as many of them, and ends
# with one line of figures.
# usage: differential.sh [COUNT [SEED]]
#
# COUNT is the number of cases of each kind, SEED the first of their seeds. Whatever differs is told with its seed, which
# brings the case back: DIFFERENTIAL_SEED=7 swift test --filter DifferentialTests
set -eu

export DIFFERENTIAL_COUNT="${1:-1000}" DIFFERENTIAL_SEED="${2:-1}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT INT TERM
status=0
# Through a file: the status of a pipe would be that of its end.
# The suites with random cases are named as their files.
suites=$(grep -rl 'Rounds\.' Tests --include='*Tests.swift' | sed 's|.*/||; s|\.swift$||' | paste -sd '|' -)
swift test --disable-xctest --filter "^DifferentialTests\.|\.($suites)/" > "$log" 2>&1 || status=$?
grep '^differential: ' "$log" || true
if [ "$status" -ne 0 ]; then grep -v '^differential: ' "$log"; fi
sed -n 's/^differential: .*: \([0-9]*\) cases, \([0-9]*\) differences.*/\1 \2/p' "$log" |
    awk '{ cases += $1; differences += $2 } END { printf "%d cases, differences = %d\n", cases, differences }'
exit "$status"
