#!/bin/sh
# Makes the site: a landing page, a report of the sample library, and the documentation of the products. Fails for every
# broken link in the documentation.
# usage: documentation.sh MODULES TOOL SITE      BASE= is the path that the site is served under, such as /tracks-migrate
#
# MODULES is the folder of compiled modules, such as .build/debug/Modules. The toolchain's own docc does the work, so that
# no plugin has to be fetched.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
modules=$1
tool=$2
site=$3
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
        -I "$root/Sources/Engine/C/CTracksSQLite" -I "$root/Sources/Tracks/CTracksYajl" -I "$root/Sources/Engine/C/CTracksLibMD" -I "$root/Sources/Engine/C/CTracksZlib" \
        -I "$root/Sources/Engine/C/CTracksExpat" -I "$root/Sources/Engine/C/CTracksLibC" \
        -experimental-allowed-reexported-modules=MappingModels -minimum-access-level public -output-dir "$work/$module"
    # What Foundation and the standard library say of themselves is not ours to correct.
    rm -f "$work/$module/$module@Foundation"*.json "$work/$module/$module@Swift"*.json
    docc convert "$root"/Sources/*/"$module/$module.docc" --additional-symbol-graph-dir "$work/$module" \
        --fallback-display-name "$module" --fallback-bundle-identifier "tracks-migrate.$module" \
        --warnings-as-errors --output-path "$work/$module.doccarchive"
done
docc merge "$work"/*.doccarchive --synthesized-landing-page-name tracks-migrate --output-path "$work/merged.doccarchive"
rm -rf "$site"
docc process-archive transform-for-static-hosting "$work/merged.doccarchive" --output-path "$site" \
    ${BASE:+--hosting-base-path "$BASE"}

for page in migration/tutorial migration/limits coredata; do test -e "$site/data/documentation/$page.json"; done

# DocC's pages ask for it.
echo '{}' > "$site/theme-settings.json"
cp "$root/docs/site/index.html" "$root"/docs/pictures/* "$site/"
cp "$root/SampleData/Tracks/library-v1.sqlite" "$work/Library.sqlite"
"$tool" "$work/Library.sqlite" --quiet
"$tool" report "$work/Library.sqlite" --output "$site/report.html" --quiet
echo "The site is in $site. To look at it: python3 -m http.server --directory $site"
