#!/bin/sh
# Runs all tests. Without a terminal, failures and skipped tests are repeated at the end: they are lost in the output.
# With ALL_TESTS=1 a skipped test is a failure.
set -eu
cd "$(dirname "$0")/.."
if [ -t 1 ] && [ -z "${ALL_TESTS:-}" ]; then exec swift test --disable-xctest "$@"; fi

mkdir -p .build
# The status of a pipe would be that of its end.
{ swift test --disable-xctest "$@" 2>&1 && echo passed > .build/test-result || echo failed > .build/test-result; } |
    tee .build/test-log.txt
# The sweep and what takes long are skipped on purpose.
grep '^➜.* skipped' .build/test-log.txt | grep -v -e 'make crash runs it' -e 'make differential runs it' -e 'for the next test' > .build/test-skipped.txt || true
count=$(wc -l < .build/test-skipped.txt)
if [ "$count" -gt 0 ]; then
    echo "Skipped: $count suites and tests"
    cut -c 1-200 .build/test-skipped.txt
fi
if [ "$(cat .build/test-result)" = failed ]; then
    echo 'What failed:'
    # The names of tests, which tell of errors too, stand behind other signs.
    grep -v -e '^◇' -e '^✔' -e '^➜' .build/test-log.txt | grep -E '✘|error:|Fatal error|unexpected signal' | cut -c 1-1000
    exit 1
fi
[ -z "${ALL_TESTS:-}" ] || [ "$count" -eq 0 ]
