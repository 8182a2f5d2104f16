"""The policy with three to-many relationships as a Python script, with every safety of SQLite switched off.

usage: peer_relationships.py SOURCE OUTPUT
"""

import sqlite3
import sys
from collections.abc import Iterator

try:
    from orjson import loads
except ImportError:
    from json import loads


class Table:
    """Rows with a name that occurs once, and their links to tracks."""

    def __init__(self, output: sqlite3.Connection, insert: str) -> None:
        self.output, self.insert = output, insert
        self.keys: dict[str, int] = {}
        self.links: list[tuple[int, int]] = []

    def link(self, track: int, name: str, *values: str) -> None:
        key = self.keys.get(name)
        if key is None:
            key = self.keys[name] = len(self.keys) + 1
            self.output.execute(self.insert, (key, name, *values))
        self.links.append((key, track))


def migrate(source_path: str, output_path: str) -> None:
    source, output = sqlite3.connect(source_path), sqlite3.connect(output_path)
    output.executescript("""
        PRAGMA journal_mode = OFF;
        PRAGMA synchronous = OFF;
        CREATE TABLE ZTRACK (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLASTPLAYEDAT TIMESTAMP,
          ZIMAGEURL VARCHAR, ZTITLE VARCHAR);
        CREATE TABLE ZALBUM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZID VARCHAR, ZNAME VARCHAR);
        CREATE TABLE ZARTIST (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZID VARCHAR, ZIMAGEURL VARCHAR,
          ZNAME VARCHAR);
        CREATE TABLE ZIMAGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZURL VARCHAR);
    """)
    for number, name in enumerate(["ALBUMS", "ARTISTS", "IMAGES"], 1):
        output.executescript(f"""
            CREATE TABLE Z_{number}TRACKS (Z_{number}{name} INTEGER, Z_4TRACKS INTEGER,
              PRIMARY KEY (Z_{number}{name}, Z_4TRACKS));
            CREATE INDEX Z_{number}TRACKS_Z_4TRACKS_INDEX ON Z_{number}TRACKS (Z_4TRACKS, Z_{number}{name});
        """)
    albums = Table(output, "INSERT INTO ZALBUM (Z_PK, Z_ENT, Z_OPT, ZNAME, ZID) VALUES (?, 1, 1, ?, ?)")
    artists = Table(output, "INSERT INTO ZARTIST (Z_PK, Z_ENT, Z_OPT, ZNAME, ZID, ZIMAGEURL) VALUES (?, 2, 1, ?, ?, ?)")
    images = Table(output, "INSERT INTO ZIMAGE (Z_PK, Z_ENT, Z_OPT, ZURL) VALUES (?, 3, 1, ?)")

    def tracks() -> Iterator[tuple[object, ...]]:
        query = "SELECT Z_PK, Z_OPT, ZLASTPLAYEDAT, ZIMAGEURL, ZJSON, ZTITLE FROM ZTRACK"
        for track, version, played, image, json, title in source.execute(query):
            song = loads(json)
            album = song["album"]
            albums.link(track, album["name"], album["id"])
            for artist in song["artists"]:
                artists.link(track, artist["name"], artist["id"], artist["imageURL"])
            for picture in album["images"]:
                images.link(track, picture["url"])
            yield track, 4, version, played, image, title

    output.executemany("INSERT INTO ZTRACK VALUES (?, ?, ?, ?, ?, ?)", tracks())
    for number, table in enumerate([albums, artists, images], 1):
        output.executemany(f"INSERT OR IGNORE INTO Z_{number}TRACKS VALUES (?, ?)", sorted(table.links))
    output.commit()


if __name__ == "__main__":
    migrate(*sys.argv[1:3])
