#!/bin/sh
# Runs all tests. Where nobody watches, the failures are told once more at the end: they are lost in the output.
set -eu
cd "$(dirname "$0")/.."
if [ -t 1 ]; then exec swift test --disable-xctest "$@"; fi

mkdir -p .build
# The status of a pipe would be that of its end.
{ swift test --disable-xctest "$@" 2>&1 && echo passed > .build/test-result || echo failed > .build/test-result; } |
    tee .build/test-log.txt
[ "$(cat .build/test-result)" = failed ] || exit 0
echo 'What failed:'
# The names of tests, which tell of errors too, stand behind other signs.
grep -v -e '^◇' -e '^✔' .build/test-log.txt | grep -E '✘|error:|Fatal error|unexpected signal' | cut -c 1-1000
exit 1
