#!/bin/sh
# Runs all tests with a sanitizer in the program: first for memory, then for threads.
# usage: sanitize.sh [address|thread] [OPTIONS OF SWIFT TEST]
# Each has its own build folder, .build/address and .build/thread, so that a second run need not build again.
set -eu

case ${1:-} in
address | thread) sanitizers=$1 && shift ;;
*) sanitizers="address thread" ;;
esac

# Tests that cannot run so: they limit memory, preload a library, or measure, and a sanitizer's own needs come in between.
skipped='DiskFull|CrashPoint|Kill|Memory|MutationTests/.what was changed'
# The C libraries and Swift's own keep what they allocate once; only errors of use count here.
export ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1"
export TSAN_OPTIONS="halt_on_error=0:exitcode=66"
export SWIFT_BACKTRACE=enable=no

status=0
tests=0
reports=0
for sanitizer in $sanitizers; do
    log=.build/$sanitizer.log
    mkdir -p .build
    swift test --disable-xctest --scratch-path ".build/$sanitizer" --sanitize "$sanitizer" --no-parallel \
        --skip "$skipped" "$@" >"$log" 2>&1 || status=1
    run=$(sed -n 's/.*Test run with \([0-9]*\) test.*/\1/p' "$log" | tail -n 1)
    found=$(grep -c -E '^(==[0-9]+==)?(ERROR|WARNING|SUMMARY): (Address|Thread)Sanitizer' "$log" || true)
    failed=$(grep -c '✘ Test .* failed after' "$log" || true)
    echo "$sanitizer: ${run:-0} tests, $failed failed, $found reports, see $log"
    tests=$((tests + ${run:-0}))
    reports=$((reports + found))
done

echo "sanitize: tests run: $tests, reports = $reports"
[ "$reports" -eq 0 ] && [ "$status" -eq 0 ]
