#!/bin/sh
# Prints the path of the command that was built last; builds it if there is none. TRACKS_MIGRATE= names another.
set -eu
command=${TRACKS_MIGRATE:-$PWD/.build/release/tracks-migrate}
if [ ! -x "$command" ]; then
    swift build --product tracks-migrate >&2
    command=$PWD/.build/debug/tracks-migrate
fi
echo "$command"
