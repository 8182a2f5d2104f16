#!/bin/sh
# Checks the model of the swap: all its promises, and then that each of its rules is needed.
# usage: model.sh
set -eu
model=$(cd "$(dirname "$0")/.." && pwd)/Tests/Model/swap.pml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work"
status=0

# check RULE PROMISE EXPECTED: looks whether a promise holds with a rule broken.
check() {
    spin -a "-D$1" "$model" > spin.txt 2>&1 || { cat spin.txt >&2; exit 1; }
    gcc -O1 -w -DSAFETY -DNOFAIR -o pan pan.c
    # It warns of a part of the claims that none of these has.
    ./pan -m100000 -N "$2" > pan.txt 2>/dev/null
    # A search that was cut off has shown nothing.
    if grep -q 'errors: 0' pan.txt && ! grep -q 'max search depth too small' pan.txt; then found=holds
    elif grep -q 'assertion violated' pan.txt; then found=fails
    else cat pan.txt >&2; exit 1; fi
    states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.txt)
    mark=''
    [ "$found" = "$3" ] || { mark='  <- wrong'; status=1; }
    printf '%-24s %-14s %-9s %-6s %9s%s\n' "$1" "$2" "$3" "$found" "$states" "$mark"
}

printf '%-24s %-14s %-9s %-6s %9s\n' RULE PROMISE EXPECTED FOUND STATES
check NOTHING_BROKEN all_promises holds
sed -n 's/^ \*   \([A-Z_]*\)  *\([a-z_]*\)  .*/\1 \2/p' "$model" > rules.txt
while read -r rule promise; do check "$rule" "$promise" fails; done < rules.txt
exit $status
