#!/bin/sh
# Makes a folder with Python and packages from PyPI, unless it has them already.
# usage: python-packages.sh FOLDER REQUIREMENTS [REQUIREMENTS WITHOUT WHAT THEY DEPEND ON]
set -eu
Scripts/install-dependencies.sh python3-venv

folder=$1
if ! cat "$2" ${3:+"$3"} | cmp -s - "$folder/requirements.txt"; then
    echo "Installing the packages of $2 into $folder"
    rm -rf "$folder"
    python3 -m venv "$folder"
    set -- "$2" ${3:+"$3"}
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$1"
    [ $# -eq 1 ] || "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --requirement "$2"
    cat "$@" > "$folder/requirements.txt"
fi
