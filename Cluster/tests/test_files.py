"""Files appear whole or not at all, and what was cut is noticed."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import HERE, TOOL, Workshop, run

from tracks_cluster import extract, manifest


def test_a_run_describes_packed_and_plain_files(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_text("{}\n{}\n")
    (tmp_path / "b.ndjson.gz").write_bytes(gzip.compress(b"{}\n{}\n{}\n"))
    run_of_both = manifest.run(manifest.described(tmp_path / name, tmp_path) for name in ["a.ndjson", "b.ndjson.gz"])
    assert run_of_both["count"] == 5
    assert [file["path"] for file in run_of_both["files"]] == ["a.ndjson", "b.ndjson.gz"]


def test_a_result_without_its_end_is_refused(tmp_path: Path) -> None:
    result = tmp_path / "cut.ndjson"
    result.write_text('{"kind":"track","key":1}\n{"kind":"summ')
    with pytest.raises(extract.IncompleteResult, match="was cut"):
        extract.summary(result)


def test_a_shard_is_extracted_once_and_its_failure_kept(workshop: Workshop, tmp_path: Path) -> None:
    folder = tmp_path / "extract"
    folder.mkdir()
    assert extract.extract(TOOL, str(workshop.library), str(folder)) is None
    (result,) = folder.iterdir()
    before = result.stat().st_mtime_ns
    assert extract.extract(TOOL, str(workshop.library), str(folder)) is None
    assert result.stat().st_mtime_ns == before
    missing = extract.extract(TOOL, str(tmp_path / "no.sqlite"), str(folder))
    assert missing is not None and missing["code"] == "missing" and missing["status"] == 66
    assert sum(1 for _ in folder.glob("*.failed")) == 1
    assert not list(folder.glob(".*"))


def test_attempts_of_one_task_at_a_time_do_not_meet(workshop: Workshop, tmp_path: Path) -> None:
    """Speculation runs a task twice; Spark never does so on one machine, so these attempts are processes."""
    folder = tmp_path / "extract"
    folder.mkdir()
    words = f"{TOOL!r}, {str(workshop.library)!r}, {str(folder)!r}"
    attempt = f"from tracks_cluster import extract; assert extract.extract({words}) is None"
    attempts = [subprocess.Popen([sys.executable, "-c", attempt], cwd=HERE) for _ in range(6)]
    assert [process.wait() for process in attempts] == [0] * 6
    (result,) = folder.iterdir()
    assert result.read_bytes() == subprocess.run([TOOL, "extract", workshop.library, "-q"], capture_output=True).stdout


def test_what_may_pass_is_tried_again(workshop: Workshop, tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\nkill -9 $$\n")
    tool.chmod(0o755)
    with pytest.raises(extract.WorkerFailed):
        extract.extract(str(tool), str(workshop.library), str(tmp_path), is_last_try=False)
    failure = extract.extract(str(tool), str(workshop.library), str(tmp_path))
    assert failure is not None and failure["status"] == -9
    assert not list(tmp_path.glob(".*"))


def test_a_track_of_two_shards_is_refused(workshop: Workshop, tmp_path: Path) -> None:
    result = tmp_path / "1.out"
    run(TOOL, "extract", workshop.library, "--output", result, "--quiet")
    output = run(sys.executable, HERE / "reduce.py", result, result, "--output", tmp_path / "rows", status=65)
    assert "Track 1 is there twice" in output.stderr


def test_the_kubernetes_manifest_fits_the_published_schema() -> None:
    run("kubernetes-validate", "--strict", "-k", "1.34", HERE / "kubernetes_batch.yaml")


def test_the_slurm_script_takes_its_part(workshop: Workshop, tmp_path: Path) -> None:
    libraries = workshop.shards(5)
    listing = workshop.list(libraries)
    for task in range(3):
        environment = os.environ | {
            "TRACKS_MIGRATE": TOOL,
            "SLURM_ARRAY_TASK_ID": str(task),
            "SLURM_ARRAY_TASK_COUNT": "3",
        }
        words = ["sh", str(HERE / "slurm_batch.sh"), str(listing), str(tmp_path / "results")]
        subprocess.run(words, env=environment, check=True)
    lines = [json.loads(line) for path in (tmp_path / "results").iterdir() for line in path.read_text().splitlines()]
    assert sorted(line["path"] for line in lines) == sorted(map(str, libraries))
    assert {line["status"] for line in lines} == {"migrated"}
