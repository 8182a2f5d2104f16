"""The export of a whole library as most people would write it: Python, sqlite3, orjson.

usage: export_python.py LIBRARY OUTPUT
"""

import sqlite3
import sys
from datetime import datetime, timedelta

import orjson


def run(library, output):
    connection = sqlite3.connect(f"file:{library}?mode=ro", uri=True)
    artists = {
        key: {"key": key, "name": name, "id": identifier, "imageURL": image}
        for key, name, identifier, image in connection.execute("SELECT Z_PK, ZNAME, ZID, ZIMAGEURL FROM ZARTIST")
    }
    links = {}
    for track, artist in connection.execute("SELECT Z_2TRACKS, Z_1ARTISTS FROM Z_1TRACKS ORDER BY 1, 2"):
        links.setdefault(track, []).append(artists[artist])
    start = datetime(2001, 1, 1)
    with open(output, "wb") as file:
        rows = connection.execute("SELECT Z_PK, ZTITLE, ZIMAGEURL, ZLASTPLAYEDAT FROM ZTRACK ORDER BY 1")
        for key, title, image, played in rows:
            track = {"key": key, "title": title, "imageURL": image}
            if played is not None:
                track["lastPlayedAt"] = (start + timedelta(seconds=played)).isoformat() + "Z"
            track["artists"] = links.get(key, [])
            file.write(orjson.dumps(track) + b"\n")


if __name__ == "__main__":
    run(*sys.argv[1:])
