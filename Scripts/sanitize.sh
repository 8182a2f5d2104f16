#!/bin/sh
# Runs all tests with a sanitizer in the tests and in the command: first for memory, then for threads.
# usage: sanitize.sh [address|thread] [OPTIONS OF SWIFT TEST]
#
# Each has its own build folder, .build/address and .build/thread, so that a run with options need not build again, and
# its own log and reports beside it. The targets run one after the other: one that ends at a report does not hide the rest.
#
# The tests find SANITIZER in their environment. With it time limits are wider, and these are skipped: those that load
# a library below the command to make calls fail, or to stop it there ("A disturbed migration", "A migration stopped
# by a signal", "A command waits for another migration and names it", "A store changed without locks while it is
# read", "A file system without locks", "The simulation follows a migration to the real files"), since a sanitizer
# stands in front of it; those that limit the size or the number of files or the addresses ("A file size limit is
# reported, and nothing is changed or left behind", "A limit on open files is handled", "A hostile store in a
# resource-limited process"); and the one that measures memory ("A document of 30 MB takes no more memory than a small
# one").
set -eu

case ${1:-} in
address | thread) sanitizers=$1 && shift ;;
*) sanitizers="address thread" ;;
esac

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"
export SWIFT_BACKTRACE=enable=no

# One target, or what the options of the caller say.
run() {
    swift test --disable-xctest --skip-build --scratch-path ".build/$SANITIZER" --sanitize "$SANITIZER" "$@"
}

status=0
tests=0
reports=0
for SANITIZER in $sanitizers; do
    export SANITIZER
    log=.build/$SANITIZER.log
    folder=$root/.build/$SANITIZER-reports
    rm -rf "$folder"
    mkdir -p "$folder"
    # Every process writes what is found to a file of its own, so that nothing is lost with the output of the command,
    # which the tests read. What is found ends the process with a status that no test expects.
    common="log_path=$folder/report:exitcode=99"
    export ASAN_OPTIONS="$common:detect_leaks=1:allocator_may_return_null=1:detect_stack_use_after_return=1"
    export LSAN_OPTIONS="suppressions=$root/Scripts/sanitize-leak.txt:print_suppressions=0"
    export TSAN_OPTIONS="$common:halt_on_error=0:suppressions=$root/Scripts/sanitize-thread.txt"

    # A build that goes on from an older one can leave files that know old layouts of types, which the address sanitizer
    # then reports.
    [ $# -gt 0 ] || rm -rf ".build/$SANITIZER"
    swift build --build-tests --scratch-path ".build/$SANITIZER" --sanitize "$SANITIZER" >"$log" 2>&1 || {
        tail -n 20 "$log"
        exit 1
    }
    if [ $# -gt 0 ]; then
        run "$@" >>"$log" 2>&1 || status=1
    else
        for target in Tests/*Tests MyAppMigrationTests; do
            target=${target##*/}
            part=.build/$SANITIZER-part.log
            run --filter "^$target\\." >"$part" 2>&1 || status=1
            cat "$part" >>"$log"
            figures=$(grep ' Test run with ' "$part" | cut -d ' ' -f 2-)
            echo "$SANITIZER: $target: ${figures:-ended before its last test}"
        done
    fi
    passed=$(grep '✔ Test .* passed after' "$log" | grep -vc '✔ Test run ' || true)
    failed=$(grep '✘ Test .* failed after' "$log" | grep -vc '✘ Test run ' || true)
    # Each report begins with one such line.
    found=$(cat "$folder"/* "$log" 2>/dev/null | grep -cE '(ERROR|WARNING|FATAL): [A-Za-z]*Sanitizer' || true)
    echo "$SANITIZER: $passed tests passed, $failed failed, $found reports, see $log and $folder"
    tests=$((tests + passed + failed))
    reports=$((reports + found))
done

echo "sanitize: tests run: $tests, reports = $reports"
[ "$reports" -eq 0 ] && [ "$status" -eq 0 ]
