#!/bin/sh
# Migrates many libraries as a Slurm array: each task takes its part of the list.
#
#   sbatch --array=0-15 slurm_batch.sh /shared/libraries.txt /shared/results [options of 'tracks-migrate batch']
#   tracks-migrate batch summarize /shared/results/part-*.ndjson
#
# A task that is ended or requeued can run again: libraries that were migrated are current then. Slurm calls a task FAILED
# if one of its libraries failed (exit status 1); its results say which, and `batch --retry-failed` runs those again.
#SBATCH --job-name=tracks-batch
#SBATCH --array=0-3
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=512M
#SBATCH --time=04:00:00
#SBATCH --requeue
#SBATCH --signal=TERM@60
set -eu

if [ $# -lt 2 ]; then
    echo "usage: sbatch --array=0-N slurm_batch.sh LIST RESULTS [options of 'tracks-migrate batch']" >&2
    exit 64
fi
list=$1
results=$2
shift 2
mkdir -p "$results"
# So that Slurm's signals reach the command itself.
exec "${TRACKS_MIGRATE:-tracks-migrate}" batch --files-from "$list" --quiet \
    --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --jobs "${SLURM_CPUS_PER_TASK:-1}" \
    --results "$results/part-$SLURM_ARRAY_TASK_ID.ndjson" "$@"
