#!/bin/sh
# Builds the command as it is installed: optimised and, on Linux, with Swift's runtime and Foundation in it. So it starts
# in half the time, and runs where there is no toolchain. These flags are not in Package.swift, because SwiftPM refuses
# unsafe flags in a package that another one depends on by version.
#
# usage: build-release.sh [further arguments of swift build]
set -eu

if [ ! -x .build/release/tracks-migrate ]; then
  echo "Building the command, optimised: about 6 minutes on two cores. Later builds take what is there."
fi
if [ "$(uname)" != Linux ]; then
  exec swift build --configuration release --product tracks-migrate "$@"
fi
# No other program looks for the command's symbols.
set -- --static-swift-stdlib -Xswiftc -use-ld=lld -Xlinker -s -Xlinker --no-export-dynamic "$@"
# Generic types are made from the conformances that the compiler knows. Otherwise the runtime looks for those by name,
# among all those of Foundation: an eighth of the instructions of a small migration.
set -- -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors "$@"
# The loader knows packed relocations from glibc 2.36 on.
version=$(getconf GNU_LIBC_VERSION 2>/dev/null | cut -d ' ' -f 2)
if [ "$(printf '2.36\n%s\n' "${version:-0}" | sort -V | head -n 1)" = 2.36 ]; then
  set -- -Xlinker -z -Xlinker pack-relative-relocs "$@"
fi
exec swift build --configuration release --product tracks-migrate "$@"
