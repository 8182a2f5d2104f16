"""The same migration as the script that most people would write, with every safety of SQLite switched off.

usage: peer_python.py SOURCE OUTPUT
"""
import os
import sqlite3
import sys

try:
    from orjson import loads
except ImportError:
    from json import loads


def migrate(source_path, output_path):
    if os.path.exists(output_path):
        os.remove(output_path)
    source, output = sqlite3.connect(source_path), sqlite3.connect(output_path)
    output.executescript("""
        PRAGMA journal_mode = OFF;
        PRAGMA synchronous = OFF;
        CREATE TABLE ZTRACK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLASTPLAYEDAT TIMESTAMP, ZIMAGEURL VARCHAR, ZTITLE VARCHAR );
        CREATE TABLE ZARTIST ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZID VARCHAR, ZIMAGEURL VARCHAR, ZNAME VARCHAR );
        CREATE TABLE Z_1TRACKS ( Z_1ARTISTS INTEGER, Z_2TRACKS INTEGER, PRIMARY KEY (Z_1ARTISTS, Z_2TRACKS) );
        CREATE INDEX Z_1TRACKS_Z_2TRACKS_INDEX ON Z_1TRACKS (Z_2TRACKS, Z_1ARTISTS);
    """)
    artists, links = {}, []

    def tracks():
        query = "SELECT Z_PK, Z_OPT, ZLASTPLAYEDAT, ZIMAGEURL, ZJSON, ZTITLE FROM ZTRACK"
        for track, version, played, image, json, title in source.execute(query):
            for artist in loads(json)["artists"]:
                key = artists.get(artist["name"])
                if key is None:
                    key = artists[artist["name"]] = len(artists) + 1
                    row = (key, artist["id"], artist["imageURL"], artist["name"])
                    output.execute("INSERT INTO ZARTIST VALUES (?, 1, 1, ?, ?, ?)", row)
                links.append((key, track))
            yield track, 2, version, played, image, title

    output.executemany("INSERT INTO ZTRACK VALUES (?, ?, ?, ?, ?, ?)", tracks())
    links.sort()
    output.executemany("INSERT OR IGNORE INTO Z_1TRACKS VALUES (?, ?)", links)
    output.commit()


if __name__ == "__main__":
    migrate(*sys.argv[1:3])
