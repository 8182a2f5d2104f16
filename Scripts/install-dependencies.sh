#!/bin/sh
# Installs the C libraries that the package is built with, if they are missing. Asks for nothing when none is.
# usage: install-dependencies.sh [--engine] [MORE PACKAGES]     --engine: without yajl, which only the tracks need
set -eu

yajl=yajl
if [ "${1:-}" = --engine ]; then
    yajl=""
    shift
fi

# SQLite, libyajl (streaming JSON), libexpat (XML), libmd (SHA-2) and zlib, with their headers; pkg-config tells SwiftPM
# where they are.
debian_packages="libsqlite3-dev ${yajl:+lib$yajl-dev} libexpat1-dev libmd-dev zlib1g-dev pkg-config $*"
brew_packages="sqlite3 $yajl expat libmd zlib pkg-config $*"

if ! command -v swift >/dev/null 2>&1; then
    echo "make: Swift 6 is not installed. Get it from https://www.swift.org/install, then run this again." >&2
    exit 1
fi

if command -v dpkg-query >/dev/null 2>&1; then
    missing=""
    for package in $debian_packages; do
        status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
        [ "$status" = installed ] || missing="$missing $package"
    done
    # pkgconf serves as pkg-config on newer systems.
    if command -v pkg-config >/dev/null 2>&1; then missing=$(echo "$missing" | sed 's/ pkg-config//'); fi
    [ -n "$missing" ] || exit 0
    as_root=""
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null 2>&1; then
            echo "make: these packages are missing:$missing. Install them as root: apt-get install$missing" >&2
            exit 1
        fi
        as_root=sudo
    fi
    echo "Installing with apt:$missing"
    export DEBIAN_FRONTEND=noninteractive
    # An old package list can name versions that are gone: then it is fetched anew.
    # shellcheck disable=SC2086
    $as_root apt-get install --yes --no-install-recommends $missing >/dev/null 2>&1 \
        || { $as_root apt-get update >/dev/null && $as_root apt-get install --yes --no-install-recommends $missing; }
elif command -v brew >/dev/null 2>&1; then
    missing=""
    for package in $brew_packages; do
        brew list --versions "$package" >/dev/null 2>&1 || missing="$missing $package"
    done
    [ -n "$missing" ] || exit 0
    echo "Installing with brew:$missing"
    # shellcheck disable=SC2086
    brew install $missing
else
    echo "make: neither apt nor brew is here. Install SQLite, yajl, expat, libmd and zlib with their headers by hand," >&2
    echo "make: then run 'swift build' and 'swift test --disable-xctest'." >&2
    exit 1
fi
