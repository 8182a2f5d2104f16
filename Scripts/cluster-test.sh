#!/bin/sh
# Runs the cluster's parts for real: Spark with two executors, around the worker that was built last.
# usage: cluster-test.sh [options of pytest]     TRACKS= is the number of tracks (default: 1000)
set -eu
cd "$(dirname "$0")/.."
Scripts/install-dependencies.sh default-jre-headless munge python3-venv slurm-wlm

folder=.build/cluster
python=$folder/bin/python
if ! cmp -s Cluster/requirements.txt $folder/requirements.txt; then
    echo "Installing PySpark and what its tests need into $folder"
    rm -rf $folder
    python3 -m venv $folder
    $python -m pip install --quiet --disable-pip-version-check --requirement Cluster/requirements.txt
    cp Cluster/requirements.txt $folder/requirements.txt
fi

if [ -z "${TRACKS_MIGRATE:-}" ]; then
    TRACKS_MIGRATE=$PWD/.build/release/tracks-migrate
    if [ ! -x "$TRACKS_MIGRATE" ]; then
        swift build --product tracks-migrate
        TRACKS_MIGRATE=$PWD/.build/debug/tracks-migrate
    fi
fi
export TRACKS_MIGRATE
PATH=$PWD/$folder/bin:$PATH
cd Cluster
ruff check --quiet .
ruff format --check --quiet .
mypy --no-error-summary .
exec python -m pytest -p no:cacheprovider --durations=0 --durations-min=1 "$@"
