#!/usr/bin/env python3
"""Migrates many libraries with Spark: each by itself, and one line of results for each.

    spark-submit spark_batch.py --libraries libraries.txt --results /shared/results --tool /usr/local/bin/tracks-migrate

All nodes must see the libraries under the same paths. Whatever comes of a library is data in its line, so a task fails
only with its node, and is then repeated: a library that has been migrated meanwhile is current.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

RESULT = "path string, status string, error_code string"


def migrate(spark: SparkSession, libraries: list[str], tool: str, options: list[str], partitions: int) -> DataFrame:
    """Return one line of results for each library."""
    command = shlex.join([tool, "batch", "--pipe", "--jobs", "1", *options])
    paths = spark.sparkContext.parallelize(libraries, max(1, min(partitions, len(libraries))))
    lines = paths.pipe(command, checkCode=True).map(lambda line: (line,))
    return spark.createDataFrame(lines, "value string")


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Migrate many libraries with Spark.")
    parser.add_argument(
        "--libraries", type=Path, required=True, help="a file with the path of one library on each line"
    )
    parser.add_argument("--results", required=True, help="a new folder for the lines of results")
    parser.add_argument("--tool", default="tracks-migrate", help="the native worker (default: %(default)s)")
    parser.add_argument("--options", default="", help="options of 'tracks-migrate batch', such as '--output-dir /new'")
    parser.add_argument("--partitions", type=int, default=1000, help="the greatest number of tasks (default: 1000)")
    arguments = parser.parse_args()
    libraries = [line for line in arguments.libraries.read_text(encoding="utf-8").splitlines() if line.strip()]
    spark = SparkSession.builder.appName("tracks-batch").getOrCreate()
    try:
        lines = migrate(spark, libraries, arguments.tool, shlex.split(arguments.options), arguments.partitions)
        # Computed once: reading the lines a second time would migrate a second time.
        lines.write.text(arguments.results)
        results = (
            spark.read.text(arguments.results).select(F.from_json("value", RESULT).alias("result")).select("result.*")
        )
        counts = {row["status"]: row["count"] for row in results.groupBy("status").count().collect()}
    finally:
        spark.stop()
    print(", ".join(f"{count} {status}" for status, count in sorted(counts.items())))
    if sum(counts.values()) != len(libraries):
        print(f"spark_batch.py: {len(libraries)} libraries, {sum(counts.values())} results", file=sys.stderr)
        return 70
    return 1 if counts.get("failed") else 0


if __name__ == "__main__":
    sys.exit(main())
