#!/bin/sh
# Migrates a copy of the sample library and shows what came of it. usage: demo.sh TOOL
set -eu

tool=$1
sample=$(dirname "$0")/../SampleData/Tracks/library-v1.sqlite
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM
cp "$sample" "$folder/Library.sqlite"

show() {
    echo
    echo "\$ $*" | sed "s|$tool|tracks-migrate|; s|$folder/||"
    # Through a file: the status of a pipe would be that of its end.
    "$@" > "$folder/output" 2>&1 || { cat "$folder/output"; exit 1; }
    sed "s|$folder/||g" "$folder/output"
}

show "$tool" info "$folder/Library.sqlite"
show "$tool" "$folder/Library.sqlite"
show "$tool" artists "$folder/Library.sqlite" --sort tracks --limit 12
