#!/bin/sh
# Tries what `make dist` has built where nothing else is: in an empty folder as root, in Debian 11 and 12 and Ubuntu 24.04
# where they can be had, and as a package that is installed, run and removed.
#
# usage: dist-test.sh      MIRROR= is a mirror of Debian, UBUNTU= one of Ubuntu; as root
set -eu
cd "$(dirname "$0")/.."
Scripts/install-dependencies.sh debootstrap file lintian
[ "$(id -u)" -eq 0 ] || { echo "make: run this as root: it changes roots" >&2; exit 1; }

out=$PWD/.build/dist/out
tool=$out/tracks-migrate-$(uname -m)-linux
roots=$PWD/.build/dist/roots
mirror=${MIRROR:-$(grep -hE '^(URIs:|deb )' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null \
    | grep -oE 'https?://[^ ]*/debian/?( |$)' | head -n 1)}
package=$(find "$out" -name '*.deb')
mkdir -p "$roots"

echo "The binary: $(du -h "$tool" | cut -f 1), $(file -b "$tool" | cut -d , -f 4)"
file -b "$tool" | grep -q 'statically linked'
[ "$(stat -c %s "$tool")" -lt 45000000 ] || { echo "It is larger than 45 MB." >&2; exit 1; }
(cd "$out" && sha256sum --quiet --check SHA256SUMS)
python3 -c "import json, sys; json.load(open(sys.argv[1]))" "$out"/*.cdx.json

# What a new user does first. Nothing is mounted, not even /proc.
try() { # ROOT COMMAND
    cp SampleData/Tracks/library-v1.sqlite "$1/Library.sqlite"
    chroot "$1" "$2" /Library.sqlite --quiet
    [ "$(chroot "$1" "$2" artists /Library.sqlite --format ndjson | wc -l)" -eq 67 ]
    chroot "$1" "$2" report /Library.sqlite --quiet
    chroot "$1" "$2" verify /Library.sqlite
    rm "$1"/Library.sqlite*
}
rm -rf "$roots/empty"
mkdir "$roots/empty"
cp "$tool" "$roots/empty/tracks-migrate"
try "$roots/empty" /tracks-migrate
echo "An empty root: works"

# Swift source is compiled by the toolchain that has built the command; where there is none, that is said.
mkdir -p "$roots/source"
printf 'import SwiftData\n@Model final class Note {\n  var text = ""\n  init() {}\n}\n' > "$roots/source/Note.swift"
cache=$(mktemp -d)
XDG_CACHE_HOME=$cache "$tool" models show "$roots/source" | grep -q 'text *attribute *String'
rm -r "$cache"
cp "$roots/source/Note.swift" "$roots/empty/Note.swift"
chroot "$roots/empty" /tracks-migrate models show /Note.swift 2>&1 | grep -q "there is no 'swiftc' in PATH"
echo "Swift source: works"

lintian --fail-on error,warning "$package"
echo "lintian: clean"

for suite in bullseye bookworm noble; do
    case $suite in noble) from=${UBUNTU:-${mirror%/debian*}/ubuntu} ;; *) from=$mirror ;; esac
    if [ ! -x "$roots/$suite/usr/bin/dpkg" ]; then
        rm -rf "${roots:?}/$suite"
        if ! debootstrap --variant=minbase "$suite" "$roots/$suite" "$from" >"$roots/$suite.log" 2>&1; then
            echo "$suite: cannot be had here"
            continue
        fi
    fi
    root=$roots/$suite
    cp "$package" "$root/package.deb"
    chroot "$root" dpkg --install /package.deb >/dev/null
    try "$root" tracks-migrate
    chroot "$root" test -s /usr/share/man/man1/tracks-migrate.1.gz || [ "$suite" != bookworm ]
    chroot "$root" dpkg --purge tracks-migrate >/dev/null
    left=$(find "$root/usr" "$root/etc" -name '*tracks-migrate*')
    [ -z "$left" ] || { echo "$suite: left behind: $left" >&2; exit 1; }
    echo "$suite: installed, migrated, removed"
done
