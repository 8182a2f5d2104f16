#!/usr/bin/env python3
"""Imports one library of tracks with Spark: many shards in, the rows of one library out.

    spark-submit --py-files tracks_cluster.zip spark_import.py \
        --shards shards.txt --work /shared/job-1 --tool /usr/local/bin/tracks-migrate

Each stage writes its result into a folder of ``--work``, which all nodes must see, and is skipped if that is complete:
a job that was ended goes on where it stopped. docs/cluster.md explains the stages, their sizes and what can go wrong.

1. ``extract``   each shard by itself, with the native worker; a shard that cannot be read goes into quarantine
2. ``artists``   one row per artist: the first mention gives its number, and with the next ones its id and image
3. ``rows``      tracks, artists and links, sorted, and the manifest that lists their files
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from pyspark import TaskContext
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from tracks_cluster import extract, manifest

MENTION = "track long, position int, artist string, name string, id string, imageURL string, fallback boolean"
TRACK = "key long, title string, imageURL string, secondsSince2001 double"

# Spark gives a task up after four tries (spark.task.maxFailures); the last is number 3, and one is left for lost nodes.
LAST_TRY = 2

# monotonically_increasing_id() has the number of the partition above these bits, and that of the row in them.
ROW_BITS = 33


T = TypeVar("T")


class JobFailed(Exception):
    """What the job cannot go on with."""


def extract_shards(spark: SparkSession, shards: list[str], folder: Path, tool: str, options: list[str]) -> None:
    """Extract each shard in a task of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    target = str(folder)

    def work(shard: str) -> extract.Failure | None:
        context = TaskContext.get()
        is_last_try = context is None or context.attemptNumber() >= LAST_TRY
        return extract.extract(tool, shard, target, options, is_last_try=is_last_try)

    # One shard per task: tasks are retried, and run twice by speculation, without harm.
    failures = spark.sparkContext.parallelize(shards, max(len(shards), 1)).map(work).collect()
    for failure in failures:
        if failure is not None:
            print(f"in quarantine: {failure['shard']}: {failure['message']}", file=sys.stderr)


def complete_results(shards: list[str], folder: Path) -> tuple[list[Path], list[extract.Failure]]:
    """Return the results of the shards that were read, and why the others were not."""
    results: list[Path] = []
    failures: list[extract.Failure] = []
    for shard in shards:
        name = extract.result_name(shard)
        result, failed = folder / f"{name}.ndjson", folder / f"{name}.failed"
        if result.exists():
            results.append(result)
        elif failed.exists():
            failures.append(json.loads(failed.read_text(encoding="utf-8")))
        else:
            raise JobFailed(f"There is no result of '{shard}'. Run the job again with the same --work.")
    return results, failures


def read_lines(spark: SparkSession, results: list[Path]) -> DataFrame:
    """Return all lines as they are written."""
    if not results:
        return spark.createDataFrame([], "value string")
    return spark.read.option("lineSep", "\n").text([str(path) for path in results])


def of_kind(lines: DataFrame, kind: str) -> DataFrame:
    """Return the lines of a kind, which each line begins with: a reject may be too long to be parsed."""
    return lines.where(F.startswith("value", F.lit(f'{{"kind":"{kind}",')))


def parsed(lines: DataFrame, schema: str) -> DataFrame:
    """Return what lines hold, and the lines; one that cannot be read fails the job."""
    options = {"mode": "FAILFAST", "maxStringLen": str(2**31 - 1)}
    content = F.from_json("value", schema, options)
    return lines.select(F.col("value").alias("line"), content.alias("content")).select("line", "content.*")


def require_unique_keys(tracks: DataFrame) -> None:
    """Complain if two tracks have the same key: nothing says which of them is meant."""
    repeated = tracks.groupBy("key").count().where("count > 1").orderBy("key").limit(5).collect()
    if repeated:
        keys = ", ".join(str(row["key"]) for row in repeated)
        raise JobFailed(f"Tracks of different shards have the same key: {keys}. Give each track its own.")


def first_with(value: str) -> Column:
    """Return the text of the first mention that has one, or else of the first that is not a fallback.

    This is ``tracks_cluster.rules.merged`` as an aggregate: a minimum of (is empty, place, text).
    """
    is_empty = F.coalesce(F.length(value) == 0, F.lit(True))
    mention = F.struct(is_empty.alias("is_empty"), "track", "position", F.col(value).alias("text"))
    return F.min(F.when(~F.coalesce("fallback", F.lit(False)), mention))["text"]


def artists_of(mentions: DataFrame) -> DataFrame:
    """Return one row per artist; Spark combines the mentions of a heavy name before it moves them."""
    first = F.min(F.struct("track", "position", "name"))
    return (
        mentions.groupBy("artist")
        .agg(first.alias("first"), first_with("id").alias("id"), first_with("imageURL").alias("imageURL"))
        .select("artist", "first.track", "first.position", "first.name", "id", "imageURL")
    )


def write_ranked(artists: DataFrame, partitions: int, folder: Path) -> None:
    """Sort the artists by their first mention, and write down in which row of which partition each is."""
    ranked = artists.repartitionByRange(partitions, "track", "position").sortWithinPartitions("track", "position")
    place = F.monotonically_increasing_id()
    ranked.select("*", place.alias("place")).write.mode("overwrite").parquet(str(folder))


def numbered(spark: SparkSession, folder: Path) -> DataFrame:
    """Return the artists with their numbers, from 1 on.

    The places are data by now: neither a lost executor nor the order of files can change them.
    """
    ranked = spark.read.parquet(str(folder))
    partition = F.shiftrightunsigned("place", ROW_BITS)
    counts = ranked.groupBy(partition.alias("partition")).count().orderBy("partition").collect()
    starts, next_number = [], 1
    for row in counts:
        starts.append((row["partition"], next_number))
        next_number += row["count"]
    offsets = spark.createDataFrame(starts, "partition long, start long")
    row_number = F.col("place").bitwiseAND((1 << ROW_BITS) - 1)
    return (
        ranked.withColumn("partition", partition)
        .join(F.broadcast(offsets), "partition")
        .select((F.col("start") + row_number).alias("key"), "artist", "name", "id", "imageURL")
    )


def links_of(mentions: DataFrame, artists: DataFrame) -> DataFrame:
    """Return artists and their tracks; adaptive execution splits the join of a heavy name."""
    keys = artists.select("artist", F.col("key").alias("number"))
    return mentions.select("artist", "track").join(keys, "artist").select("number", "track").distinct()


def write_rows(rows: DataFrame, order: list[str], line: Column, partitions: int, folder: Path) -> None:
    """Write sorted rows as text: files in the order of their names."""
    ordered = rows.repartitionByRange(partitions, *order).sortWithinPartitions(*order)
    ordered.select(line.alias("value")).write.mode("overwrite").text(str(folder))


def described(spark: SparkSession, folder: Path, base: Path) -> manifest.Run:
    """Count and digest the files of one kind, each in a task."""
    files = sorted(str(path) for path in folder.glob("part-*"))

    def describe(path: str) -> manifest.RunFile:
        return manifest.described(Path(path), base)

    if not files:
        return manifest.run([])
    described = spark.sparkContext.parallelize(files, len(files)).map(describe).collect()
    return manifest.run(file for file in described if file["count"] > 0)


def stage(folder: Path, work: Callable[[], None]) -> None:
    """Do some work unless the marker says that it is done, which Spark writes when all files are there."""
    if not (folder / "_SUCCESS").exists():
        timed(folder.name, work)


def timed(name: str, work: Callable[[], T]) -> T:
    """Do some work, and say how long it took: what simulate.py is told."""
    start = time.monotonic()
    result = work()
    print(f"{name}: {time.monotonic() - start:.1f} s", file=sys.stderr)
    return result


def forget_other_rows(work: Path, results: list[str]) -> None:
    """Remove what an earlier run has made of other shards."""
    note = work / "shards.json"
    if note.exists() and json.loads(note.read_text(encoding="utf-8")) == results:
        return
    for folder in (work / "artists", work / "rows"):
        shutil.rmtree(folder, ignore_errors=True)
    manifest.write_file(note, json.dumps(results))


def run(spark: SparkSession, arguments: argparse.Namespace) -> Path:
    """Run the job, and return the manifest."""
    work = arguments.work.absolute()
    shards = [line for line in arguments.shards.read_text(encoding="utf-8").splitlines() if line.strip()]
    if len(set(shards)) < len(shards):
        raise JobFailed(f"'{arguments.shards}' names a shard twice.")
    options = shlex.split(arguments.options)
    timed("extract", lambda: extract_shards(spark, shards, work / "extract", arguments.tool, options))
    results, failures = complete_results(shards, work / "extract")
    quarantine = "".join(f"{json.dumps(failure, ensure_ascii=False)}\n" for failure in failures)
    manifest.write_file(work / "quarantine.ndjson", quarantine)
    if len(failures) > arguments.max_quarantine:
        raise JobFailed(
            f"{len(failures)} of {len(shards)} shards cannot be read; '{work / 'quarantine.ndjson'}' says why. "
            "Mend them and run the job again, or allow so many with --max-quarantine."
        )

    forget_other_rows(work, [str(path) for path in results])
    partitions = arguments.partitions or spark.sparkContext.defaultParallelism
    lines = read_lines(spark, results)
    tracks, mentions = parsed(of_kind(lines, "track"), TRACK), parsed(of_kind(lines, "mention"), MENTION)
    timed("keys", lambda: require_unique_keys(tracks))
    stage(work / "artists", lambda: write_ranked(artists_of(mentions), partitions, work / "artists"))
    artists = numbered(spark, work / "artists")
    links = links_of(mentions, artists)

    rows = work / "rows"
    stage(rows / "tracks", lambda: write_rows(tracks, ["key"], F.col("line"), partitions, rows / "tracks"))
    artist = F.to_json(F.struct("key", "name", "id", "imageURL"))
    stage(rows / "artists", lambda: write_rows(artists, ["key"], artist, partitions, rows / "artists"))
    link = F.to_json(F.struct(F.col("number").alias("artist"), "track"))
    stage(rows / "links", lambda: write_rows(links, ["number", "track"], link, partitions, rows / "links"))
    of_kind(lines, "reject").write.mode("overwrite").text(str(work / "rejects"))
    if arguments.parquet:
        tracks.drop("line").write.mode("overwrite").parquet(str(work / "parquet/tracks"))
        artists.drop("artist").write.mode("overwrite").parquet(str(work / "parquet/artists"))
        links.withColumnRenamed("number", "artist").write.mode("overwrite").parquet(str(work / "parquet/links"))
    tracks_run, artists_run, links_run = timed(
        "manifest", lambda: [described(spark, rows / kind, rows) for kind in ("tracks", "artists", "links")]
    )
    return manifest.write_manifest(rows, tracks_run, artists_run, links_run, uuid=arguments.uuid)


def parse(words: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Make the rows of one library of many shards, with Spark.")
    parser.add_argument("--shards", type=Path, required=True, help="a file with the path of one shard on each line")
    parser.add_argument("--work", type=Path, required=True, help="a folder that all nodes see")
    parser.add_argument("--tool", default="tracks-migrate", help="the native worker (default: %(default)s)")
    parser.add_argument("--options", default="", help="options of 'tracks-migrate extract', such as '--identity id'")
    parser.add_argument("--partitions", type=int, help="tasks of a shuffle, and files of a kind (default: Spark's)")
    parser.add_argument("--max-quarantine", type=int, default=0, help="shards that may be left out (default: 0)")
    parser.add_argument("--parquet", action="store_true", help="also write tracks, artists and links as Parquet")
    parser.add_argument("--uuid", help="the UUID of the library (default: it follows from the rows)")
    return parser.parse_args(words)


def main() -> int:
    """Run the command."""
    arguments = parse()
    spark = SparkSession.builder.appName("tracks-import").getOrCreate()
    try:
        print(run(spark, arguments))
    except JobFailed as error:
        print(f"spark_import.py: {error}", file=sys.stderr)
        return 65
    finally:
        spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
