#!/bin/sh
# Builds and tests the example with SwiftData as an app's team does on Linux: its package depends on this one.
# usage: swiftdata-app-test.sh     One test opens a store that the command TRACKS_MIGRATE has migrated; it is built if unset.
set -eu
cd "$(dirname "$0")/.."
Scripts/install-dependencies.sh
root=$PWD
if [ -z "${TRACKS_MIGRATE:-}" ]; then
    BUILD_FOR_TESTS=1 swift build --product tracks-migrate
    TRACKS_MIGRATE=$root/.build/debug/tracks-migrate
fi
# `make` leaves out the plugins of the package that others depend on.
unset BUILD_FOR_TESTS
folder=$root/.build/swiftdata-app
rm -rf "$folder/store"
mkdir -p "$folder/store"

model=$root/Examples/SwiftDataApp/Sources/Models
MIGRATED_STORE=$folder/store/Old.store
"$TRACKS_MIGRATE" fixture new --model "$model:LibrarySchemaV1" "$MIGRATED_STORE"
"$TRACKS_MIGRATE" "$MIGRATED_STORE" --model "$model" --quiet

export MIGRATED_STORE TRACKS_MIGRATE_SWIFTDATA=toolchain
exec swift test --disable-xctest --package-path Examples/SwiftDataApp --scratch-path "$folder/build"
