#!/bin/sh
# Runs all tests with a sanitizer in the program: first for memory, then for threads.
# usage: sanitize.sh [address|thread] [OPTIONS OF SWIFT TEST]
# Each has its own build folder, .build/address and .build/thread, so that a second run need not build again.
set -eu

case ${1:-} in
address | thread) sanitizers=$1 && shift ;;
*) sanitizers="address thread" ;;
esac

# Tests that cannot run so: they preload a library in front of the sanitizer's, limit the process, or end it.
skipped='DiskFull|CrashPoint|Kill'
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
    passed=$(grep -c '✔ Test .* passed after' "$log" || true)
    failed=$(grep -c '✘ Test .* failed after' "$log" || true)
    # Each report ends with one such line.
    found=$(grep -c 'SUMMARY: [A-Za-z]*Sanitizer' "$log" || true)
    echo "$sanitizer: $passed tests passed, $failed failed, $found reports, see $log"
    tests=$((tests + passed + failed))
    reports=$((reports + found))
done

echo "sanitize: tests run: $tests, reports = $reports"
[ "$reports" -eq 0 ] && [ "$status" -eq 0 ]
