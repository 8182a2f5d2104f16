"""What an analyst would write with DuckDB, which attaches SQLite files: no second index, no metadata, no sync.

usage: peer_duckdb.py migrate SOURCE OUTPUT [THREADS]
       peer_duckdb.py import FEED OUTPUT [THREADS]
"""

import os
import sys
from pathlib import Path

import duckdb
import duckdb_extension_sqlite_scanner

# A track's key, its document, and the columns that it keeps.
SOURCES = {
    "migrate": "SELECT Z_PK::BIGINT AS pk, Z_OPT::BIGINT AS opt, ZJSON AS json, ZLASTPLAYEDAT AS played,"
    " ZIMAGEURL AS image, ZTITLE AS title FROM source.ZTRACK",
    "import": "SELECT key AS pk, 1 AS opt, json, epoch_us(lastPlayedAt) / 1e6 - 978307200 AS played,"
    " imageURL AS image, title FROM feed",
}
ARTISTS = '[{"id": "VARCHAR", "name": "VARCHAR", "imageURL": "VARCHAR"}]'


def run(work, source, output, threads="2"):
    if os.path.exists(output):
        os.remove(output)
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": int(threads)})
    folder = Path(duckdb_extension_sqlite_scanner.__file__).parent
    connection.execute(f"LOAD '{next(folder.rglob('*.duckdb_extension'))}'")
    connection.execute(f"ATTACH '{output}' AS output (TYPE sqlite)")
    if work == "migrate":
        # Otherwise all dates come out as NULL: Core Data declares them as timestamps and stores numbers.
        connection.execute("SET sqlite_all_varchar = true")
        connection.execute(f"ATTACH '{source}' AS source (TYPE sqlite, READ_ONLY)")
        artists = f"from_json(json, '{{\"artists\": {ARTISTS}}}').artists"
    else:
        connection.execute(f"""
            CREATE TEMP TABLE feed AS SELECT * FROM read_json('{source}', format = 'newline_delimited', columns = {{
              key: 'BIGINT', title: 'VARCHAR', imageURL: 'VARCHAR', lastPlayedAt: 'TIMESTAMP',
              json: 'STRUCT(artists STRUCT(id VARCHAR, name VARCHAR, imageURL VARCHAR)[])'}})""")
        artists = "json.artists"
    connection.execute(f"""
        CREATE TEMP TABLE mention AS
          SELECT track.pk, place, entry.id, entry.name, entry.imageURL AS image
          FROM (SELECT pk, {artists} AS list FROM ({SOURCES[work]})) track,
            LATERAL (SELECT unnest(list) AS entry, generate_subscripts(list, 1) AS place);
        CREATE TEMP TABLE artist AS
          SELECT row_number() OVER (ORDER BY first) AS pk, name, id, image FROM (
            SELECT name, min(pk * 100 + place) AS first, arg_min(id, pk * 100 + place) AS id,
              arg_min(image, pk * 100 + place) AS image
            FROM mention GROUP BY name);
        CREATE TABLE output.ZTRACK (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLASTPLAYEDAT DOUBLE,
          ZIMAGEURL VARCHAR, ZTITLE VARCHAR);
        CREATE TABLE output.ZARTIST (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZID VARCHAR,
          ZIMAGEURL VARCHAR, ZNAME VARCHAR);
        CREATE TABLE output.Z_1TRACKS (Z_1ARTISTS INTEGER, Z_2TRACKS INTEGER, PRIMARY KEY (Z_1ARTISTS, Z_2TRACKS));
        INSERT INTO output.ZTRACK SELECT pk, 2, opt, try_cast(played AS DOUBLE), image, title FROM ({SOURCES[work]});
        INSERT INTO output.ZARTIST SELECT pk, 1, 1, id, image, name FROM artist;
        INSERT INTO output.Z_1TRACKS
          SELECT DISTINCT artist.pk, mention.pk FROM mention JOIN artist USING (name) ORDER BY 1, 2;
    """)


if __name__ == "__main__":
    run(*sys.argv[1:])
