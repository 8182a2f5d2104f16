"""The export of a whole library as an analyst would write it with DuckDB.

usage: export_duckdb.py LIBRARY OUTPUT [THREADS]
"""

import sys
from pathlib import Path

import duckdb
import duckdb_extension_sqlite_scanner


def run(library, output, threads="2"):
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": int(threads)})
    folder = Path(duckdb_extension_sqlite_scanner.__file__).parent
    connection.execute(f"LOAD '{next(folder.rglob('*.duckdb_extension'))}'")
    # Otherwise all dates come out as NULL: Core Data declares them as timestamps and stores numbers.
    connection.execute("SET sqlite_all_varchar = true")
    connection.execute(f"ATTACH '{library}' AS library (TYPE sqlite, READ_ONLY)")
    connection.execute(f"""
        COPY (
          SELECT track.Z_PK::BIGINT AS key, ZTITLE AS title, track.ZIMAGEURL AS imageURL,
            TIMESTAMP '2001-01-01' + to_seconds(ZLASTPLAYEDAT::DOUBLE) AS lastPlayedAt, artists
          FROM library.ZTRACK track LEFT JOIN (
            SELECT Z_2TRACKS AS key, list({{key: Z_PK::BIGINT, name: ZNAME, id: ZID, imageURL: ZIMAGEURL}}) AS artists
            FROM library.Z_1TRACKS JOIN library.ZARTIST ON Z_PK = Z_1ARTISTS GROUP BY 1) links ON links.key = track.Z_PK
          ORDER BY 1
        ) TO '{output}' (FORMAT json)""")


if __name__ == "__main__":
    run(*sys.argv[1:])
