"""What the tests share: the real worker, real shards, and a real Spark with two executors."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE))

TOOL = os.environ.get("TRACKS_MIGRATE", str(HERE.parent / ".build/release/tracks-migrate"))


def run(*words: str | Path, status: int = 0) -> subprocess.CompletedProcess[str]:
    """Run a program, and require its exit status."""
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    assert result.returncode == status, f"{words}\n{result.stdout}\n{result.stderr}"
    return result


NO_SETTINGS: Mapping[str, str] = {}


class Spark:
    """Spark's own launcher, with two executors that are processes of their own."""

    def __init__(self, folder: Path) -> None:
        self.modules = folder / "tracks_cluster.zip"
        with zipfile.ZipFile(self.modules, "w") as archive:
            for path in sorted((HERE / "tracks_cluster").glob("*.py")):
                archive.write(path, f"tracks_cluster/{path.name}")
        self.environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        self.settings = {
            "spark.ui.enabled": "false",
            "spark.log.level": "WARN",
            # With Spark's default of 200, the few tracks of the tests take minutes.
            "spark.sql.shuffle.partitions": "8",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
        }

    def start(
        self, script: str, *words: str | Path, settings: Mapping[str, str] = NO_SETTINGS
    ) -> subprocess.Popen[str]:
        """Start a job."""
        named = {**self.settings, **settings}
        options = [word for name, value in named.items() for word in ("--conf", f"{name}={value}")]
        return subprocess.Popen(
            [
                *["spark-submit", "--master", "local-cluster[2,1,1024]", "--py-files", str(self.modules), *options],
                *[str(HERE / script), *map(str, words)],
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment,
            start_new_session=True,
        )

    def submit(
        self, script: str, *words: str | Path, status: int = 0, settings: Mapping[str, str] = NO_SETTINGS
    ) -> str:
        """Run a job to its end, and return what it says; spark-submit joins both streams of a driver in Python."""
        process = self.start(script, *words, settings=settings)
        output, errors = process.communicate(timeout=900)
        assert process.returncode == status, f"{output}\n{errors}"
        return output


class Workshop:
    """A folder with a library, its shards, and what is made of them."""

    def __init__(self, folder: Path, spark: Spark, track_count: int) -> None:
        self.folder, self.spark, self.track_count = folder, spark, track_count
        self.library = folder / "Library.sqlite"
        run(TOOL, "sample", str(track_count), self.library, "--odd", "--seed", "7")

    def shards(self, count: int) -> list[Path]:
        """Scatter the tracks over shards, of which some have none if there are many."""
        shards = []
        for number in range(count):
            shard = self.folder / f"shards-{count}" / f"{number}.sqlite"
            shard.parent.mkdir(exist_ok=True)
            shutil.copy(self.library, shard)
            with sqlite3.connect(shard) as store:
                store.execute("DELETE FROM ZTRACK WHERE (Z_PK * 7919) % 104729 % ? <> ?", (count, number))
            store.close()
            shards.append(shard)
        return shards

    def list(self, shards: Sequence[str | Path]) -> Path:
        """Write a list of shards, in an order of its own."""
        path = self.folder / f"list-{len(shards)}.txt"
        path.write_text("".join(f"{shard}\n" for shard in sorted(map(str, shards), key=lambda name: name[::-1])))
        return path

    def imported(
        self, shards: Sequence[str | Path], name: str, *words: str, settings: Mapping[str, str] = NO_SETTINGS
    ) -> Path:
        """Run the whole job, and return the library."""
        work = self.folder / name
        # The last of two tools counts.
        options: list[str | Path] = ["--shards", self.list(shards), "--work", work, "--tool", TOOL, *words]
        self.spark.submit("spark_import.py", *options, settings=settings)
        return self.assembled(work / "rows/manifest.json", f"{name}.sqlite")

    def assembled(self, manifest: Path, name: str) -> Path:
        """Assemble a library, and compare it with the rows."""
        library = self.folder / name
        run(TOOL, "assemble", "--manifest", manifest, "--output", library, "--quiet")
        run(TOOL, "verify", library, "--manifest", manifest, "--quiet")
        return library

    def reduced(self, name: str, *words: str) -> Path:
        """Do the same on one machine, from the whole library."""
        result = self.folder / f"{name}.out"
        run(TOOL, "extract", self.library, "--output", result, "--quiet", *words)
        run(sys.executable, HERE / "reduce.py", result, "--output", self.folder / f"{name}-rows")
        return self.assembled(self.folder / f"{name}-rows/manifest.json", f"{name}.sqlite")

    def migrated(self, *words: str) -> Path:
        """Migrate the library as one."""
        library = self.folder / "migrated.sqlite"
        run(TOOL, self.library, "--output", library, "--quiet", *words)
        return library


def rows(library: Path) -> list[str]:
    """Return all rows of a library, and its schema; only its UUID is its own."""
    store = sqlite3.connect(library)
    try:
        return [line for line in store.iterdump() if "Z_METADATA" not in line]
    finally:
        store.close()


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Spark:
    """Return Spark."""
    return Spark(tmp_path_factory.mktemp("spark"))


@pytest.fixture
def workshop(tmp_path: Path, spark: Spark) -> Workshop:
    """Return a library of the size that was asked for."""
    return Workshop(tmp_path, spark, int(os.environ.get("TRACKS", "1000")))
