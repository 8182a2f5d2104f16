#!/usr/bin/env python3
"""The second step of a cluster import, on one machine: numbers the artists that shards mention.

    tracks-migrate extract Part-1.ndjson --output 1.out
    tracks-migrate extract Part-2.ndjson --output 2.out
    Cluster/reduce.py 1.out 2.out --output rows
    tracks-migrate assemble --manifest rows/manifest.json --output Library.sqlite

It keeps everything in memory, and is there to try the steps and to compare them with what Spark does. On one machine,
'tracks-migrate import' is the direct way.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from tracks_cluster import manifest, rules
from tracks_cluster.extract import IncompleteResult, summary


class Unusable(Exception):
    """What shards say together makes no library."""


def mention(line: dict[str, object]) -> rules.Mention:
    """Return the mention that a line holds."""
    place = rules.Place(int(str(line["track"])), int(str(line["position"])))

    def text(name: str) -> str | None:
        value = line.get(name)
        return None if value is None else str(value)

    return rules.Mention(
        place,
        str(line["artist"]),
        text("name") or "",
        text("id"),
        text("imageURL"),
        line.get("fallback") is True,
    )


def lines_of(path: Path) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the lines of a shard's result, and what each holds; complain if there are not as many as it says."""
    expected = summary(path)
    counts = {"track": 0, "mention": 0, "reject": 0}
    with path.open(encoding="utf-8") as file:
        for line in file:
            content = json.loads(line)
            if content["kind"] in counts:
                counts[content["kind"]] += 1
                yield line.rstrip("\n"), content
    for kind, count in counts.items():
        if expected[f"{kind}s_count"] != count:
            raise IncompleteResult(f"'{path}' has {count} lines of kind {kind}, and says {expected[f'{kind}s_count']}.")


def reduce(paths: list[Path], folder: Path, file_count: int = 1, uuid: str | None = None) -> Path:
    """Write the rows of a library, and the manifest that lists them."""
    tracks: dict[int, str] = {}
    mentions: list[rules.Mention] = []
    rejects: list[str] = []
    for path in paths:
        for line, content in lines_of(path):
            if content["kind"] == "track":
                key = int(str(content["key"]))
                if key in tracks:
                    raise Unusable(
                        f"Track {key} is there twice, in '{path}' for the second time. Give each its own key."
                    )
                tracks[key] = line
            elif content["kind"] == "mention":
                mentions.append(mention(content))
            else:
                rejects.append(json.dumps({"shard": path.name} | content, ensure_ascii=False))
    numbers: dict[str, int] = {}
    artists: list[str] = []
    for number, artist_key, artist in rules.numbered(rules.artists_by_key(mentions)):
        numbers[artist_key] = number
        artist_id = artist.id.value if artist.id else None
        image_url = artist.image_url.value if artist.image_url else None
        artists.append(manifest.artist_line(number, artist.name, artist_id, image_url))
    links = sorted({(numbers[mention.artist], mention.place.track) for mention in mentions})
    folder.mkdir(parents=True, exist_ok=True)
    manifest.write_file(folder / "rejects.ndjson", "".join(f"{line}\n" for line in rejects))
    return manifest.write_manifest(
        folder,
        manifest.write_run(folder, "tracks", [tracks[key] for key in sorted(tracks)], file_count),
        manifest.write_run(folder, "artists", artists, file_count),
        manifest.write_run(folder, "links", [manifest.link_line(*link) for link in links], file_count),
        uuid=uuid,
    )


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Number the artists that the results of 'extract' mention.")
    parser.add_argument("results", nargs="+", type=Path, help="what 'tracks-migrate extract' has written")
    parser.add_argument("--output", required=True, type=Path, help="a folder for the rows and their manifest")
    parser.add_argument("--files", type=int, default=1, help="the number of files for rows of one kind (default: 1)")
    parser.add_argument("--uuid", help="the UUID of the library (default: it follows from the rows)")
    arguments = parser.parse_args()
    try:
        print(reduce(arguments.results, arguments.output, arguments.files, arguments.uuid))
    except (Unusable, IncompleteResult, OSError) as error:
        print(f"reduce.py: {error}", file=sys.stderr)
        return 65
    return 0


if __name__ == "__main__":
    sys.exit(main())
