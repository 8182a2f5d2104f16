#!/bin/sh
# Makes the sample libraries and the mapping models in this folder again, byte for byte. The model bundle is written by
# hand, as in Xcode.
#
# usage: SampleData/Tracks/regenerate.sh [TRACKS-MIGRATE]
#
# TRACKS-MIGRATE is the built command; without it, the release build of this checkout.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
command=${1:-$here/../../.build/release/tracks-migrate}
if ! [ -x "$command" ]; then
  echo "regenerate.sh: there is no command '$command'; build it first, with: swift build -c release" >&2
  exit 66
fi

# Everything is made in a folder of its own, so that a failure leaves the samples as they are.
work=$(mktemp -d "$here/.regenerate.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

"$command" sample 300 "$work/library-v1.sqlite" --odd
"$command" sample 120 "$work/library-v1-wal.sqlite" --wal --seed 43
"$command" sample 0 "$work" --example tracks --mapping-models

# A log that somebody's program left beside a sample would be taken for the new file's.
rm -f "$here"/library-v1*.sqlite-wal "$here"/library-v1*.sqlite-shm "$here"/library-v1*.sqlite-journal
mv "$work"/library-v1* "$here"
rm -rf "$here"/*.xcmappingmodel
mv "$work"/*.xcmappingmodel "$here"
