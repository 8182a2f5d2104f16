"""The files of which ``tracks-migrate assemble`` makes a store, and the manifest that lists them."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypedDict


class RunFile(TypedDict):
    """One file of sorted rows."""

    path: str
    count: int
    sha256: str


class Run(TypedDict):
    """All rows of one kind."""

    count: int
    files: list[RunFile]


def described(path: Path, folder: Path) -> RunFile:
    """Count the lines of a file, which may be packed by gzip, and compute the digest of its bytes."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    count = 0
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as lines:
        for _ in lines:
            count += 1
    return RunFile(path=path.relative_to(folder).as_posix(), count=count, sha256=digest.hexdigest())


def run(files: Iterable[RunFile]) -> Run:
    """Return the run of files that follow each other."""
    files = list(files)
    return Run(count=sum(file["count"] for file in files), files=files)


def write_manifest(folder: Path, tracks: Run, artists: Run, links: Run, *, uuid: str | None = None) -> Path:
    """Write the manifest beside its files; it appears when it is complete."""
    content: dict[str, object] = {"format_version": 1}
    if uuid is not None:
        content["uuid"] = uuid
    content |= {"tracks": tracks, "artists": artists, "links": links}
    path = folder / "manifest.json"
    write_file(path, json.dumps(content, indent=1) + "\n")
    return path


def write_file(path: Path, text: str) -> None:
    """Write a file that is never seen in part, not even by the next run after a crash."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def write_run(folder: Path, name: str, lines: Sequence[str], file_count: int) -> Run:
    """Divide sorted lines among files."""
    files: list[RunFile] = []
    for number in range(file_count):
        part = lines[len(lines) * number // file_count : len(lines) * (number + 1) // file_count]
        path = folder / f"{name}-{number:05}.ndjson"
        path.write_text("".join(f"{line}\n" for line in part), encoding="utf-8")
        files.append(described(path, folder))
    return run(files)


def artist_line(number: int, name: str, artist_id: str | None, image_url: str | None) -> str:
    """Return the row of an artist."""
    row: dict[str, object] = {"key": number, "name": name}
    if artist_id is not None:
        row["id"] = artist_id
    if image_url is not None:
        row["imageURL"] = image_url
    return json.dumps(row, ensure_ascii=False)


def link_line(artist: int, track: int) -> str:
    """Return the row of a link."""
    return f'{{"artist":{artist},"track":{track}}}'
