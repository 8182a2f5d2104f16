#!/bin/sh
# The same migration in pure SQL, as a person would write it, with every safety of SQLite switched off.
# usage: peer_sql.sh SOURCE OUTPUT
set -eu

rm -f "$2"
sqlite3 "$2" >/dev/null <<SQL
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -200000;
ATTACH '$1' AS source;
CREATE TABLE ZTRACK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLASTPLAYEDAT TIMESTAMP, ZIMAGEURL VARCHAR, ZTITLE VARCHAR );
CREATE TABLE ZARTIST ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZID VARCHAR, ZIMAGEURL VARCHAR, ZNAME VARCHAR );
CREATE TABLE Z_1TRACKS ( Z_1ARTISTS INTEGER, Z_2TRACKS INTEGER, PRIMARY KEY (Z_1ARTISTS, Z_2TRACKS) );
BEGIN;
INSERT INTO ZTRACK SELECT Z_PK, 2, Z_OPT, ZLASTPLAYEDAT, ZIMAGEURL, ZTITLE FROM source.ZTRACK;
CREATE TEMP TABLE mention AS
  SELECT track.Z_PK AS track, artist.value ->> '$.id' AS id, artist.value ->> '$.name' AS name,
    artist.value ->> '$.imageURL' AS image
  FROM source.ZTRACK track, json_each(track.ZJSON, '$.artists') artist;
INSERT INTO ZARTIST (Z_ENT, Z_OPT, ZID, ZIMAGEURL, ZNAME)
  SELECT 1, 1, id, image, name FROM mention GROUP BY name ORDER BY min(rowid);
CREATE INDEX artist_name ON ZARTIST (ZNAME);
INSERT OR IGNORE INTO Z_1TRACKS SELECT artist.Z_PK, mention.track FROM mention JOIN ZARTIST artist ON artist.ZNAME = mention.name;
DROP INDEX artist_name;
CREATE INDEX Z_1TRACKS_Z_2TRACKS_INDEX ON Z_1TRACKS (Z_2TRACKS, Z_1ARTISTS);
COMMIT;
SQL
