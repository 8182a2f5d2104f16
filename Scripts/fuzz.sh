#!/bin/sh
# Runs the fuzzers of all parsers, one after the other.
# usage: fuzz.sh [TARGET...]
# SECONDS_PER_TARGET (60), SEED (1). What was found interesting stays in .build/fuzz/<target>, so
# that the next run goes on from there; with the same seed, an empty folder and the same machine, runs are alike.
set -eu

seconds=${SECONDS_PER_TARGET:-60}
seed=${SEED:-1}
folder=$PWD/.build/fuzz
export TRACKS_MIGRATE_FUZZING=1

swift build --scratch-path "$folder/build" --configuration release --product fuzzer \
    --sanitize address --sanitize fuzzer
fuzzer=$folder/build/release/fuzzer
targets=${*:-$("$fuzzer" || true)}

# A limit in bytes for what one input may allocate at once and in all, and in seconds for how long it may take.
limits="-rss_limit_mb=2048 -malloc_limit_mb=512 -timeout=20"
# What C libraries keep for their own use is no leak of ours, and a crash is told by the exit status.
export ASAN_OPTIONS=detect_leaks=0
export SWIFT_BACKTRACE=enable=no
# Files that Apple's tools wrote are seeds too, where there are any. They are others' work: what is found in a variation
# of one is tested by a file of our own, never by that.
corpus=$PWD/../shared/corpus

inputs=0
crashes=0
for target in $targets; do
    export FUZZ_TARGET="$target"
    mkdir -p "$folder/$target" "$folder/$target-seeds" "$folder/$target-crashes"
    FUZZ_SEEDS="$folder/$target-seeds" "$fuzzer"
    pattern=
    length=20000
    words="-dict=$PWD/Tests/Fuzzing/words.dict"
    case $target in
    store | salvage) pattern='*.sqlite' length=1000000 ;;
    model-xml) pattern=contents ;;
    model-archive) pattern='*.mom' length=60000 ;;
    mapping-xml) pattern='xcmapping.xml' length=60000 ;;
    mapping-archive) pattern='*.cdm' ;;
    esac
    if [ -n "$pattern" ] && [ -d "$corpus" ]; then
        find "$corpus" -name "$pattern" -size -800k | sort | while read -r file; do
            cp "$file" "$folder/$target-seeds/corpus-$(echo "$file" | cksum | cut -d ' ' -f 1)"
        done
    fi
    log=$folder/$target.log
    # shellcheck disable=SC2086
    "$fuzzer" -max_total_time="$seconds" -seed="$seed" $limits $words -max_len="$length" -print_final_stats=1 \
        -artifact_prefix="$folder/$target-crashes/" "$folder/$target" "$folder/$target-seeds" >"$log" 2>&1 || true
    tried=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)
    found=$(grep -c 'Test unit written to' "$log" || true)
    echo "$target: ${tried:-0} inputs, $found crashes"
    inputs=$((inputs + ${tried:-0}))
    crashes=$((crashes + found))
done

echo "fuzz: inputs tried: $inputs, crashes = $crashes (seed $seed, $seconds s for each target)"
[ "$crashes" -eq 0 ]
