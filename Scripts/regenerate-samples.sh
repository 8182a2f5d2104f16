#!/bin/sh
# Makes the sample libraries and the mapping models in SampleData again, byte for byte. The model bundles are written by
# hand, as in Xcode.
#
# usage: Scripts/regenerate-samples.sh [TRACKS-MIGRATE]
#
# TRACKS-MIGRATE is the built command; without it, the release build of this checkout.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
command=${1:-$root/.build/release/tracks-migrate}
if ! [ -x "$command" ]; then
  echo "regenerate-samples.sh: there is no command '$command'; build it first, with: make build" >&2
  exit 66
fi

# Everything is made in a folder of its own, so that a failure leaves the samples as they are.
work=$(mktemp -d "$root/SampleData/.regenerate.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$work/Books" "$work/Notes" "$work/Tracks"

"$command" sample 100 "$work/Books/library-v1.sqlite" --example books --odd
"$command" sample 0 "$work/Books" --example books --mapping-models

"$command" sample 60 "$work/Notes/library-v1.sqlite" --example notes --odd
"$command" sample 60 "$work/Notes/library-v2.sqlite" --example notes-v2 --odd
"$command" sample 0 "$work/Notes" --example notes --mapping-models

"$command" sample 300 "$work/Tracks/library-v1.sqlite" --odd
"$command" sample 120 "$work/Tracks/library-v1-wal.sqlite" --wal --seed 43
"$command" sample 0 "$work/Tracks" --example tracks --mapping-models

for name in Books Notes Tracks; do
  here=$root/SampleData/$name
  # A log that another program left beside a sample would be taken for the new file's.
  rm -f "$here"/library-v*.sqlite-wal "$here"/library-v*.sqlite-shm "$here"/library-v*.sqlite-journal
  mv "$work/$name"/library-v* "$here"
  rm -rf "$here"/*.xcmappingmodel
  mv "$work/$name"/*.xcmappingmodel "$here"
done
