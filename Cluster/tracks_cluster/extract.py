"""Runs ``tracks-migrate extract`` on one shard.

A shard's result appears whole or not at all, however often and wherever the work is repeated: it is written aside and
renamed. A shard that cannot be read gets a file that says why instead, and fails nothing else.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict


class Failure(TypedDict):
    """A shard that is in quarantine."""

    shard: str
    status: int
    code: str
    message: str


class IncompleteResult(Exception):
    """The result of a shard lacks its end."""


def result_name(shard: str) -> str:
    """Return a name that says whose result it is, and that no two shards share."""
    digest = hashlib.sha256(shard.encode()).hexdigest()[:12]
    return f"{Path(shard).name}-{digest}"


class WorkerFailed(Exception):
    """The worker has failed for a reason that may not be the shard's: it is worth another try."""


# The shard is damaged, or cannot be opened; sysexits.h has the numbers.
UNUSABLE = {64, 65, 66, 69, 76}


def extract(
    tool: str, shard: str, folder: str, options: Sequence[str] = (), *, is_last_try: bool = True
) -> Failure | None:
    """Write a shard's lines to ``folder/NAME.ndjson``, or why there are none to ``folder/NAME.failed``.

    What may pass, such as a full disk or a worker that was killed, is an exception until the last try.
    """
    name = result_name(shard)
    result, failed = Path(folder, f"{name}.ndjson"), Path(folder, f"{name}.failed")
    if result.exists():
        return None
    temporary = Path(folder, f".{name}.{os.uname().nodename}.{os.getpid()}")
    try:
        with temporary.open("wb") as output:
            process = subprocess.run(
                [tool, "extract", shard, "--quiet", "--errors", "json", *options],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.PIPE,
                check=False,
            )
            output.flush()
            os.fsync(output.fileno())
        if process.returncode == 0:
            summary(temporary)
            temporary.replace(result)
            failed.unlink(missing_ok=True)
            return None
        failure = _failure(shard, process.returncode, process.stderr)
        if process.returncode not in UNUSABLE and not is_last_try:
            raise WorkerFailed(f"{shard}: {failure['message']}")
        temporary.write_text(json.dumps(failure, ensure_ascii=False) + "\n", encoding="utf-8")
        temporary.replace(failed)
        return failure
    finally:
        temporary.unlink(missing_ok=True)


def _failure(shard: str, status: int, stderr: bytes) -> Failure:
    code, message = "unknown", f"it ended with status {status}"
    for line in stderr.decode(errors="replace").splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if record.get("level") == "error":
            code, message = record.get("code") or code, record.get("message") or message
    return Failure(shard=shard, status=status, code=code, message=message)


def summary(path: Path) -> dict[str, object]:
    """Return the last line of a shard's result, which only a complete one has."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - (1 << 20)))
        lines = file.read().splitlines()
    try:
        last = json.loads(lines[-1])
    except (IndexError, ValueError):
        last = {}
    if not isinstance(last, dict) or last.get("kind") != "summary":
        raise IncompleteResult(f"'{path}' was cut: its last line is not a summary. Extract the shard again.")
    return last
