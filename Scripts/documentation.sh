#!/bin/sh
# Makes the documentation of the products as one archive, and fails for every broken link in it.
# usage: documentation.sh MODULES ARCHIVE
#
# MODULES is the folder of compiled modules, such as .build/debug/Modules. The toolchain's own docc does the work, so that
# no plugin has to be fetched. Serve the result with any web server: python3 -m http.server --directory ARCHIVE
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
modules=$1
archive=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

target=$(swift -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)".*/\1/p')
sdk=/
if [ "$(uname)" = Darwin ]; then
    sdk=$(xcrun --show-sdk-path)
    target=$(swift -print-target-info | sed -n 's/.*"triple": "\(.*\)".*/\1/p' | head -n 1)
fi

for module in Migration CoreData TrackLibrary; do
    [ -e "$modules/$module.swiftmodule" ] || continue
    mkdir "$work/$module"
    swift symbolgraph-extract -module-name "$module" -target "$target" -sdk "$sdk" -I "$modules" \
        -I "$root/Sources/C/CTracksSQLite" -I "$root/Sources/C/CTracksYajl" -I "$root/Sources/C/CTracksLibMD" -I "$root/Sources/C/CTracksZlib" \
        -I "$root/Sources/C/CTracksExpat" -I "$root/Sources/C/CTracksXattr" \
        -experimental-allowed-reexported-modules=MappingModels -minimum-access-level public -output-dir "$work/$module"
    # What Foundation and the standard library say of themselves is not ours to correct.
    rm -f "$work/$module/$module@Foundation"*.json "$work/$module/$module@Swift"*.json
    docc convert "$root/Sources/$module/$module.docc" --additional-symbol-graph-dir "$work/$module" \
        --fallback-display-name "$module" --fallback-bundle-identifier "tracks-migrate.$module" \
        --warnings-as-errors --output-path "$work/$module.doccarchive"
done
rm -rf "$archive"
docc merge "$work"/*.doccarchive --synthesized-landing-page-name tracks-migrate --output-path "$archive"
