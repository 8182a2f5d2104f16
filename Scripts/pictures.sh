#!/bin/sh
# Makes the pictures of the README and of the site, in docs/pictures: a recording of the terminal and a page of a report,
# both of the sample library.
# usage: pictures.sh TOOL
set -eu
cd "$(dirname "$0")/.."
Scripts/install-dependencies.sh chromium fonts-noto-core python3-venv
tool=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

python=.build/pictures/bin/python
if ! $python -c 'import termtosvg' 2>/dev/null; then
    python3 -m venv .build/pictures
    $python -m pip install --quiet --disable-pip-version-check termtosvg==1.1.0 setuptools==65.5.0
fi
mkdir -p docs/pictures
library=SampleData/Tracks/library-v1.sqlite
$python Scripts/recording.py "$tool" $library "$work/recording.cast"
.build/pictures/bin/termtosvg render "$work/recording.cast" docs/pictures/recording.svg \
    --template window_frame --min-frame-duration 60 --loop-delay 4000 >/dev/null 2>&1

cp $library "$work/Library.sqlite"
"$tool" "$work/Library.sqlite" --quiet
"$tool" report "$work/Library.sqlite" --quiet
chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --window-size=1200,900 --force-device-scale-factor=1 \
    --screenshot="$PWD/docs/pictures/report.png" "file://$work/Library.sqlite.report.html" >/dev/null 2>&1
ls -l docs/pictures
