#!/bin/sh
# Builds what people install, in .build/dist: a static binary, a tarball, a Debian package, their checksums and a list of
# what is in them. The same sources give the same bytes, wherever they lie.
#
# usage: dist.sh
set -eu
cd "$(dirname "$0")/.."
Scripts/install-dependencies.sh binutils python3

version=$(sed -n 's/^package let toolVersion = "\(.*\)"$/\1/p' Sources/Engine/Migration/Running/StoreMigrationReport.swift)
debian=$(echo "$version" | sed 's/-/~/')-1
machine=$(uname -m)
architecture=$(dpkg --print-architecture)
# The moment of the commit stands for the moment of the build.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)
export SOURCE_DATE_EPOCH
dist=.build/dist
rm -rf "$dist/stage" "$dist/lib" "$dist/out"
mkdir -p "$dist/lib" "$dist/out"

# yajl's static library has a name of its own in Debian.
ln -s "$(find /usr/lib -name libyajl_s.a | head -n 1)" "$dist/lib/libyajl.a"
# Half of what Foundation brings are ICU's data of all languages. The linker takes a tenth of them instead (--wrap).
libraries=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')_static/linux
ar p "$libraries/lib_FoundationICU.a" icu_packaged_data.cpp.o > "$dist/lib/full.o"
symbol=$(nm --defined-only --format=just-symbols "$dist/lib/full.o" | grep '^icudt[0-9]*_dat$')
objcopy --output-target binary --only-section=.rodata "$dist/lib/full.o" "$dist/lib/full.dat"
python3 Scripts/Packaging/trim-icu-data.py "$dist/lib/full.dat" "$dist/lib/icu.dat"
printf '.section .rodata\n.globl __wrap_%s\n.balign 16\n__wrap_%s:\n.incbin "%s"\n%s\n' \
    "$symbol" "$symbol" "$dist/lib/icu.dat" '.section .note.GNU-stack,"",@progbits' > "$dist/lib/icu.s"
clang -c "$dist/lib/icu.s" -o "$dist/lib/icu.o"
clang -c -O2 "-ffile-prefix-map=$PWD=." Scripts/Packaging/without-proc.c -o "$dist/lib/without-proc.o"

echo "Building the command, optimised and static: about 10 minutes on two cores, less if it was built before."
# SwiftPM does not see when these have changed.
rm -f "$dist/swift/release/tracks-migrate"
swift build --configuration release --product tracks-migrate --scratch-path "$dist/swift" --static-swift-stdlib \
  -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors \
  -Xswiftc -static-executable -Xswiftc -use-ld=lld -Xswiftc -file-prefix-map -Xswiftc "$PWD=." \
  -Xcc "-ffile-prefix-map=$PWD=." -Xswiftc "-L$PWD/$dist/lib" -Xlinker -s \
  -Xlinker --no-export-dynamic -Xlinker "--wrap=$symbol" -Xlinker "$PWD/$dist/lib/icu.o" \
  -Xlinker "$PWD/$dist/lib/without-proc.o"
# The hashes of modules depend on the folder that they are compiled in.
tool=$dist/lib/tracks-migrate
objcopy --remove-section .swift_modhash --remove-section .note.gnu.build-id "$dist/swift/release/tracks-migrate" "$tool"

stage=$dist/stage/tracks-migrate-$version
share=$stage/usr/share
make --silent install DESTDIR="$stage" PREFIX=/usr TOOL="$tool"
mkdir -p "$share/zsh/vendor-completions" "$share/doc/tracks-migrate" "$stage/DEBIAN"
mv "$share/zsh/site-functions/_tracks-migrate" "$share/zsh/vendor-completions/"
rmdir "$share/zsh/site-functions"
chmod 644 "$share"/bash-completion/completions/* "$share"/fish/vendor_completions.d/* "$share"/zsh/vendor-completions/*
gzip -9n "$share/man/man1/tracks-migrate.1"
chmod 644 "$share/man/man1/tracks-migrate.1.gz"
install -m 644 Scripts/Packaging/copyright "$share/doc/tracks-migrate/copyright"
# The pages that README leads to, with links that hold there.
install -m 644 README.md "$share/doc/tracks-migrate/README.md"
mkdir -p "$share/doc/tracks-migrate/docs"
install -m 644 docs/*.md docs/preset.schema.json "$share/doc/tracks-migrate/docs/"
gzip -9nc CHANGELOG.md > "$share/doc/tracks-migrate/changelog.gz"
printf 'tracks-migrate (%s) unstable; urgency=medium\n\n  * See changelog.gz.\n\n -- %s  %s\n' "$debian" \
    "$(sed -n 's/^Maintainer: //p' Scripts/Packaging/control)" "$(date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")" \
    | gzip -9nc > "$share/doc/tracks-migrate/changelog.Debian.gz"
chmod 644 "$share/doc/tracks-migrate"/changelog*.gz
install -D -m 644 Scripts/Packaging/lintian-overrides "$share/lintian/overrides/tracks-migrate"

# What is linked into the binary, as CycloneDX.
{
    printf '{"bomFormat":"CycloneDX","specVersion":"1.5","version":1,"metadata":{"component":{"type":"application",'
    printf '"name":"tracks-migrate","version":"%s"}},"components":[' "$version"
    printf '{"type":"library","name":"swift","version":"%s"}' "$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p')"
    for package in libsqlite3-dev libyajl-dev libexpat1-dev libmd-dev zlib1g-dev libc6-dev; do
        installed=$(dpkg-query --show --showformat='${Version}' "$package")
        printf ',{"type":"library","name":"%s","version":"%s","purl":"pkg:deb/debian/%s@%s?arch=%s"}' \
            "$package" "$installed" "$package" "$installed" "$architecture"
    done
    printf ']}\n'
} > "$dist/out/tracks-migrate-$version-$machine-linux.cdx.json"

sed -e "s/@VERSION@/$debian/" -e "s/@ARCHITECTURE@/$architecture/" \
    -e "s/@SIZE@/$(du -sk --apparent-size "$stage/usr" | cut -f 1)/" Scripts/Packaging/control > "$stage/DEBIAN/control"
(cd "$stage" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum > DEBIAN/md5sums)
find "$stage" -type d -exec chmod 755 {} +
find "$stage" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group --build "$stage" "$dist/out/tracks-migrate_${debian}_$architecture.deb" >/dev/null

tarball=$dist/out/tracks-migrate-$version-$machine-linux.tar.gz
cp README.md LICENSE "$stage/"
rm -r "$stage/DEBIAN"
find "$stage" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
tar --create --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --directory "$dist/stage" \
    "tracks-migrate-$version" | gzip -9n > "$tarball"
install -m 755 "$tool" "$dist/out/tracks-migrate-$machine-linux"
(cd "$dist/out" && sha256sum -- * > SHA256SUMS)
cat "$dist/out/SHA256SUMS"
