"""The real daemons, on this machine: an array migrates many libraries, and is ended and run again."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import HERE, TOOL, Workshop, run

# Debian has the daemons where only root looks.
PATH = f"{os.environ['PATH']}:/usr/sbin:/sbin"

CONFIGURATION = """
ClusterName=local
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmdPort={next_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=1000 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES State=UP
"""


class Slurm:
    """A cluster of one node."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = os.environ | {"PATH": PATH, "SLURM_CONF": str(folder / "slurm.conf"), "TRACKS_MIGRATE": TOOL}

    def run(self, *words: str | Path) -> str:
        result = subprocess.run(
            list(map(str, words)), env=self.environment, cwd=self.folder, capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, f"{words}\n{result.stdout}\n{result.stderr}"
        return result.stdout.strip()

    def finish(self, job: str) -> dict[str, int]:
        """Wait for a job, and return how many of its tasks are in which state."""
        deadline = time.monotonic() + 120
        while self.run("squeue", "--noheader", "--job", job) and time.monotonic() < deadline:
            time.sleep(0.2)
        lines = self.run("scontrol", "show", "job", job).splitlines()
        states = [word.removeprefix("JobState=") for line in lines for word in line.split() if "JobState=" in word]
        return {state: states.count(state) for state in set(states)}


@pytest.fixture
def slurm(tmp_path: Path) -> Iterator[Slurm]:
    if shutil.which("slurmctld", path=PATH) is None or os.geteuid() != 0:
        pytest.skip("needs Slurm's daemons, and root to start them")
    folder = tmp_path / "slurm"
    for name in ["state", "spool"]:
        (folder / name).mkdir(parents=True)
    (folder / "munge.key").write_bytes(os.urandom(128))
    (folder / "munge.key").chmod(0o400)
    port = 20_000 + os.getpid() % 20_000
    host = socket.gethostname().split(".")[0]
    text = CONFIGURATION.format(host=host, port=port, next_port=port + 1, user="root", folder=folder)
    (folder / "slurm.conf").write_text(text)
    cluster = Slurm(folder)
    munge = [f"--{name}={folder}/munge.{end}" for name, end in [("key-file", "key"), ("socket", "socket")]]
    munge += [f"--{name}={folder}/munge.{end}" for name, end in [("pid-file", "pid"), ("log-file", "log")]]
    cluster.run("munged", "--force", f"--seed-file={folder}/munge.seed", *munge)
    cluster.run("slurmctld")
    cluster.run("slurmd")
    deadline = time.monotonic() + 60
    while "idle" not in cluster.run("sinfo", "--noheader", "--format=%t") and time.monotonic() < deadline:
        time.sleep(0.2)
    yield cluster
    for name in ["slurmd.pid", "slurmctld.pid", "munge.pid"]:
        subprocess.run(["kill", (folder / name).read_text().strip()], check=False)


def results(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for path in sorted(folder.glob("part-*")) for line in path.read_text().splitlines()]


def test_an_array_takes_each_library_once(workshop: Workshop, slurm: Slurm, tmp_path: Path) -> None:
    libraries = workshop.shards(9)
    listing = workshop.list(libraries)
    damaged = libraries[4].read_bytes()
    libraries[4].write_bytes(damaged[:3000])
    words: list[str | Path] = [
        "sbatch",
        "--parsable",
        "--array=0-2",
        "--time=5",
        HERE / "slurm_batch.sh",
        listing,
        tmp_path / "results",
    ]
    states = slurm.finish(slurm.run(*words))
    assert states == {"COMPLETED": 2, "FAILED": 1}
    lines = results(tmp_path / "results")
    assert sorted(str(line["path"]) for line in lines) == sorted(map(str, libraries))
    assert [line["path"] for line in lines if line["status"] == "failed"] == [str(libraries[4])]
    output = run(TOOL, "batch", "summarize", *sorted((tmp_path / "results").iterdir()), "--format", "json").stdout
    assert json.loads(output)["migrated_libraries_count"] == 8

    # Mended, the same array does what is left.
    libraries[4].write_bytes(damaged)
    assert slurm.finish(slurm.run(*words)) == {"COMPLETED": 3}
    assert [line["status"] for line in results(tmp_path / "results")].count("current") == 8
