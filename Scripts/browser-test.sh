#!/bin/sh
# Opens reports and pictures in a real browser, with the command that was built last; screenshots lie in .build/browser.
# usage: browser-test.sh [options of pytest]
set -eu
cd "$(dirname "$0")/.."
Scripts/install-dependencies.sh chromium chromium-driver fonts-noto-core fonts-wqy-microhei graphviz

folder=.build/browser
Scripts/python-packages.sh $folder/venv Tests/Browser/requirements.txt Tests/Browser/requirements-alone.txt
TRACKS_MIGRATE=$(Scripts/built-command.sh)
export TRACKS_MIGRATE
PATH=$PWD/$folder/venv/bin:$PATH
cd Tests/Browser
scripts="../../Scripts/recording.py ../../Scripts/Packaging"
ruff check --quiet --config pyproject.toml . $scripts
ruff format --check --quiet --config pyproject.toml . $scripts
exec python -m pytest -p no:cacheprovider --durations=5 --durations-min=1 "$@"
