#!/bin/sh
# Builds and tests the package of the tutorial as an app's team has it, on a machine without yajl.
# usage: app-team-test.sh     Where yajl is installed it is hidden meanwhile, which takes root and util-linux.
set -eu
cd "$(dirname "$0")/.."
Scripts/install-dependencies.sh --engine
root=$PWD
# `make` leaves out the plugins of the package that others depend on.
unset BUILD_FOR_TESTS

if [ "${1:-}" != --hidden ] && [ -e /usr/include/yajl ]; then
    exec unshare --mount --propagation private "$root/Scripts/app-team-test.sh" --hidden
fi
folder=$root/.build/app-team
mkdir -p "$folder/empty"
if [ "${1:-}" = --hidden ]; then
    mount --bind "$folder/empty" /usr/include/yajl
    for file in $(find /usr/lib /usr/local/lib -name 'yajl.pc' -o -name 'libyajl*' 2>/dev/null); do
        [ -d "$file" ] || mount --bind /dev/null "$file"
    done
fi
if printf '#include <yajl/yajl_parse.h>\n' | clang -E - > "$folder/hidden" 2>&1; then
    echo "yajl is still there" >&2
    exit 1
fi

# No other check compiles these: with the command, which they start, they would take yajl.
plugins=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')/pm/PluginAPI
tools=$(sed -n '1s/.*swift-tools-version: *//p' Package.swift)
for plugin in Guard Rehearse; do
    swiftc -typecheck -parse-as-library -package-description-version "$tools" -I "$plugins" "Plugins/$plugin"/*.swift
done

# The tutorial's folders: the app's, and a clone beside it.
rm -rf "$folder/MyApp"
cp -R Examples/AppTeam "$folder/MyApp"
ln -sfn "$root" "$folder/tracks-migrate"
exec swift test --disable-xctest --package-path "$folder/MyApp/Migration" --scratch-path "$folder/build"
