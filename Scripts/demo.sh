#!/bin/sh
# Migrates copies of the samples and shows what came of it: the track library with its artists, and another app's store
# over all versions of its model. usage: demo.sh TOOL
set -eu

tool=$1
samples=$(dirname "$0")/../SampleData
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM
cp "$samples/Tracks/library-v1.sqlite" "$folder/Library.sqlite"
cp "$samples/Notes/library-v2.sqlite" "$folder/Notes.sqlite"

show() {
    echo
    echo "\$ $*" | sed "s|$tool|tracks-migrate|; s|$folder/||; s|$samples|SampleData|"
    # Through a file: the status of a pipe would be that of its end.
    "$@" > "$folder/output" 2>&1 || { cat "$folder/output"; exit 1; }
    sed "s|$folder/||g" "$folder/output"
}

show "$tool" info "$folder/Library.sqlite"
show "$tool" "$folder/Library.sqlite"
show "$tool" artists "$folder/Library.sqlite" --sort tracks --limit 12
show "$tool" "$folder/Notes.sqlite" --model "$samples/Notes/Notes.xcdatamodeld"
