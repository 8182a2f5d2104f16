"""The real engine, with two executors: the same bytes whatever happens to tasks, nodes and shards."""

from __future__ import annotations

import gzip
import json
import os
import signal
import sqlite3
import time
from pathlib import Path

import pytest
from conftest import TOOL, Spark, Workshop, rows, run


@pytest.mark.parametrize("count", [1, 7, 64])
def test_shards_become_what_the_migration_makes(workshop: Workshop, count: int) -> None:
    library = workshop.imported(workshop.shards(count), "job", "--partitions", str(min(count, 8)))
    assert library.read_bytes() == workshop.reduced("one").read_bytes()
    assert rows(library) == rows(workshop.migrated())


def test_artists_may_be_identified_by_their_ids(workshop: Workshop) -> None:
    words = ["--identity", "id"]
    library = workshop.imported(workshop.shards(4), "job", "--options", " ".join(words), "--parquet")
    assert library.read_bytes() == workshop.reduced("one", *words).read_bytes()
    assert rows(library) == rows(workshop.migrated(*words))
    assert list((workshop.folder / "job/parquet/links").glob("*.parquet"))


def test_feeds_of_several_services_and_a_damaged_shard(workshop: Workshop) -> None:
    """Presets are found, a cut shard is named and left out, and goes in once it is whole."""
    answers = sorted((Path(__file__).parents[2] / "SampleData/Services").glob("*.json"))
    feeds = []
    for number, answer in enumerate(answers):
        line = {"key": number + 1, "title": answer.stem, "json": json.loads(answer.read_text())}
        feeds.append(workshop.folder / f"{number % 5}.ndjson")
        with feeds[-1].open("a") as file:
            file.write(json.dumps(line) + "\n")
    feeds = sorted(set(feeds))
    whole = workshop.folder / "whole.ndjson"
    lines = [line for feed in feeds for line in feed.read_text().splitlines()]
    # An import numbers artists by the order of the lines, a cluster by that of the keys.
    whole.write_text("".join(f"{line}\n" for line in sorted(lines, key=lambda line: int(json.loads(line)["key"]))))
    run(TOOL, "import", whole, workshop.folder / "imported.sqlite", "--quiet")

    packed = workshop.folder / "packed.ndjson.gz"
    content = gzip.compress(feeds[0].read_bytes())
    packed.write_bytes(content[:-20])
    shards = [packed, *feeds[1:]]
    listing, work = workshop.list(shards), workshop.folder / "job"
    words: list[str | Path] = ["--shards", listing, "--work", work, "--tool", TOOL]
    output = workshop.spark.submit("spark_import.py", *words, status=65)
    assert f"in quarantine: {packed}" in output and "cannot be read" in output
    (failure,) = (work / "quarantine.ndjson").read_text().splitlines()
    assert json.loads(failure)["shard"] == str(packed)

    workshop.spark.submit("spark_import.py", *words, "--max-quarantine", "1")
    partial = workshop.assembled(work / "rows/manifest.json", "partial.sqlite")
    packed.write_bytes(content)
    workshop.spark.submit("spark_import.py", *words)
    assert (work / "quarantine.ndjson").read_text() == ""
    library = workshop.assembled(work / "rows/manifest.json", "library.sqlite")
    assert sorted(rows(library)) == sorted(rows(workshop.folder / "imported.sqlite"))
    assert rows(partial) != rows(library)


def test_an_executor_dies(workshop: Workshop) -> None:
    """The worker kills the executor that has started it, once; its task and those beside it run again."""
    marker = workshop.folder / "killed"
    tool = workshop.folder / "tool"
    tool.write_text(
        f"""#!/bin/sh
echo "$2" >> '{workshop.folder}/runs'
case $2 in
*/3.sqlite)
    if mkdir '{marker}' 2>/dev/null; then
        pid=$$
        while [ "$pid" -gt 1 ]; do
            if tr '\\0' ' ' < "/proc/$pid/cmdline" | grep -q CoarseGrainedExecutorBackend; then
                kill -9 "$pid"
                break
            fi
            pid=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$pid/status")
        done
        sleep 5
    fi ;;
esac
exec '{TOOL}' "$@"
"""
    )
    tool.chmod(0o755)
    library = workshop.imported(workshop.shards(8), "job", "--tool", str(tool))
    assert marker.exists()
    runs = (workshop.folder / "runs").read_text().splitlines()
    assert len(runs) > len(set(runs)) == 8, "no task ran twice"
    assert library.read_bytes() == workshop.reduced("one").read_bytes()
    assert not list((workshop.folder / "job/extract").glob("*.failed"))


def test_a_job_that_was_ended_goes_on(workshop: Workshop) -> None:
    shards = workshop.shards(6)
    listing, work = workshop.list(shards), workshop.folder / "job"
    process = workshop.spark.start("spark_import.py", "--shards", listing, "--work", work, "--tool", TOOL)
    deadline = time.monotonic() + 120
    while not list((work / "extract").glob("*.ndjson")) and time.monotonic() < deadline:
        time.sleep(0.05)
    # The driver and its executors: what a power cut does.
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    done = {path: path.stat().st_mtime_ns for path in (work / "extract").glob("*.ndjson")}
    assert done
    library = workshop.imported(shards, "job")
    assert all(path.stat().st_mtime_ns == changed for path, changed in done.items())
    assert library.read_bytes() == workshop.reduced("one").read_bytes()


def test_tracks_of_one_key_and_a_manifest_that_was_cut(workshop: Workshop) -> None:
    copy = workshop.folder / "Copy.sqlite"
    copy.write_bytes(workshop.library.read_bytes())
    work = workshop.folder / "job"
    words: list[str | Path] = ["--shards", workshop.list([workshop.library, copy]), "--work", work, "--tool", TOOL]
    output = workshop.spark.submit("spark_import.py", *words, status=65)
    assert "have the same key: 1, 2, 3, 4, 5" in output
    manifest = work / "rows/manifest.json"
    workshop.imported([workshop.library], "job")
    manifest.write_text(manifest.read_text()[:-50])
    result = run(TOOL, "assemble", "--manifest", manifest, "--output", workshop.folder / "no.sqlite", status=65)
    assert "it is not JSON, or was cut" in result.stderr


def test_many_libraries_one_of_them_damaged(workshop: Workshop, spark: Spark) -> None:
    libraries = workshop.shards(6)
    libraries[2].write_bytes(libraries[2].read_bytes()[:5000])
    results = workshop.folder / "results"
    words: list[str | Path] = ["--libraries", workshop.list(libraries), "--results", results, "--tool", TOOL]
    output = spark.submit("spark_batch.py", *words, status=1)
    assert output.splitlines()[-1] == "1 failed, 5 migrated"
    lines = [json.loads(line) for path in results.glob("part-*") for line in path.read_text().splitlines()]
    assert {line["path"] for line in lines if line["status"] == "failed"} == {str(libraries[2])}
    for library in set(libraries) - {libraries[2]}:
        single = library.with_name("single.sqlite")
        run(TOOL, f"{library}.v1-backup", "--output", single, "--quiet")
        assert library.read_bytes() == single.read_bytes()
        assert sqlite3.connect(single).execute("PRAGMA integrity_check").fetchone() == ("ok",)
        single.unlink()
        for companion in single.parent.glob("single.sqlite.*"):
            companion.unlink()
    again = spark.submit("spark_batch.py", *words[:3], workshop.folder / "again", *words[4:], status=1)
    assert again.splitlines()[-1] == "5 current, 1 failed"
