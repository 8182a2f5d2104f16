#!/bin/sh
# Opens reports and pictures in a real browser, with the command that was built last; screenshots lie in .build/browser.
# usage: browser-test.sh [options of pytest]
set -eu
cd "$(dirname "$0")/.."
Scripts/install-dependencies.sh chromium chromium-driver fonts-noto-core fonts-wqy-microhei graphviz python3-venv

folder=.build/browser
python=$folder/venv/bin/python
if ! cat Tests/Browser/requirements*.txt | cmp -s - $folder/requirements.txt; then
    echo "Installing Selenium, axe-core and Mermaid into $folder"
    rm -rf $folder
    python3 -m venv $folder/venv
    $python -m pip install --quiet --disable-pip-version-check --requirement Tests/Browser/requirements.txt
    $python -m pip install --quiet --disable-pip-version-check --no-deps --requirement Tests/Browser/requirements-alone.txt
    cat Tests/Browser/requirements*.txt > $folder/requirements.txt
fi

if [ -z "${TRACKS_MIGRATE:-}" ]; then
    TRACKS_MIGRATE=$PWD/.build/release/tracks-migrate
    if [ ! -x "$TRACKS_MIGRATE" ]; then
        swift build --product tracks-migrate
        TRACKS_MIGRATE=$PWD/.build/debug/tracks-migrate
    fi
fi
export TRACKS_MIGRATE
PATH=$PWD/$folder/venv/bin:$PATH
cd Tests/Browser
scripts="../../Scripts/recording.py ../../Packaging"
ruff check --quiet --config pyproject.toml . $scripts
ruff format --check --quiet --config pyproject.toml . $scripts
exec python -m pytest -p no:cacheprovider --durations=5 --durations-min=1 "$@"
