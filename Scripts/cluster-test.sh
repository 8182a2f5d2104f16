#!/bin/sh
# Runs the cluster's parts for real: Spark with two executors, around the worker that was built last.
# usage: cluster-test.sh [options of pytest]     TRACKS= is the number of tracks (default: 1000)
set -eu
cd "$(dirname "$0")/.."
Scripts/install-dependencies.sh default-jre-headless munge slurm-wlm

folder=.build/cluster
Scripts/python-packages.sh $folder Cluster/requirements.txt
TRACKS_MIGRATE=$(Scripts/built-command.sh)
export TRACKS_MIGRATE
PATH=$PWD/$folder/bin:$PATH
cd Cluster
ruff check --quiet .
ruff format --check --quiet .
mypy --no-error-summary .
exec python -m pytest -p no:cacheprovider --durations=0 --durations-min=1 "$@"
