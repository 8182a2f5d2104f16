// The limit with the same libraries: a thread per core that reads and parses, one that writes, and neither safety nor
// generality. What goes wrong ends the program. With a fourth word, it locks, checks and syncs as we do.
// usage: floor SOURCE OUTPUT THREADS [safe]
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "publish.h"
#include "reader.h"

enum { THREAD_LIMIT = 64 };

static sqlite3 *database;

static void must(int code) {
  if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
  fprintf(stderr, "floor: %s\n", sqlite3_errmsg(database));
  exit(1);
}

static void run(const char *sql) { must(sqlite3_exec(database, sql, NULL, NULL, NULL)); }

static sqlite3_stmt *prepare(const char *sql) {
  sqlite3_stmt *statement;
  must(sqlite3_prepare_v2(database, sql, -1, &statement, NULL));
  return statement;
}

static void open_output(const char *path, const char *source) {
  remove(path);
  must(sqlite3_open(path, &database));
  run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
      "PRAGMA cache_size = -262144; PRAGMA threads = 2;"
      "CREATE TABLE ZTRACK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLASTPLAYEDAT TIMESTAMP, ZIMAGEURL VARCHAR, ZTITLE VARCHAR );"
      "CREATE TABLE ZARTIST ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZID VARCHAR, ZIMAGEURL VARCHAR, ZNAME VARCHAR );"
      "CREATE TABLE Z_1TRACKS ( Z_1ARTISTS INTEGER, Z_2TRACKS INTEGER, PRIMARY KEY (Z_1ARTISTS, Z_2TRACKS) );");
  sqlite3_stmt *attach = prepare("ATTACH ? AS source");
  sqlite3_bind_text(attach, 1, source, -1, SQLITE_STATIC);
  must(sqlite3_step(attach));
  sqlite3_finalize(attach);
  run("BEGIN");
}

static int64_t greatest_key(void) {
  sqlite3_stmt *statement = prepare("SELECT max(Z_PK) FROM source.ZTRACK");
  must(sqlite3_step(statement));
  int64_t key = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return key;
}

// Gives the artists of a later range the numbers that they have, or get, in the first.
static void merge(Reader *into, Reader *from) {
  uint32_t *numbers = grown(NULL, (from->artists.count + 1) * sizeof *numbers);
  for (uint32_t i = 0; i < from->artists.count; i++) {
    Artist *artist = &from->artists.all[i];
    numbers[i + 1] = artist_number(
        &into->artists, artist_text(&from->artists, artist->name), artist_text(&from->artists, artist->id),
        artist_text(&from->artists, artist->image));
  }
  for (size_t i = 0; i < from->links.count; i++) {
    Link link = from->links.all[i];
    add_link(&into->links, numbers[link >> 32], (uint32_t)link);
  }
  free(numbers);
}

static void bind(sqlite3_stmt *statement, int place, Bytes text) {
  sqlite3_bind_text(statement, place, text.bytes, (int)text.length, SQLITE_STATIC);
}

static void write_artists(const Artists *artists) {
  sqlite3_stmt *statement = prepare("INSERT INTO ZARTIST VALUES (?, 1, 1, ?, ?, ?)");
  for (uint32_t i = 0; i < artists->count; i++) {
    sqlite3_bind_int64(statement, 1, i + 1);
    bind(statement, 2, artist_text(artists, artists->all[i].id));
    bind(statement, 3, artist_text(artists, artists->all[i].image));
    bind(statement, 4, artist_text(artists, artists->all[i].name));
    must(sqlite3_step(statement));
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
}

static int64_t write_links(const Links *links) {
  sqlite3_stmt *statement = prepare("INSERT INTO Z_1TRACKS VALUES (?, ?)");
  Link previous = 0;
  int64_t count = 0;
  for (size_t i = 0; i < links->count; i++) {
    Link link = links->all[i];
    if (link == previous) continue;
    previous = link;
    count++;
    sqlite3_bind_int64(statement, 1, link >> 32);
    sqlite3_bind_int64(statement, 2, (uint32_t)link);
    must(sqlite3_step(statement));
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  run("CREATE INDEX Z_1TRACKS_Z_2TRACKS_INDEX ON Z_1TRACKS (Z_2TRACKS, Z_1ARTISTS)");
  return count;
}

int main(int argc, char **argv) {
  int count = argc >= 4 ? atoi(argv[3]) : 0, is_safe = argc == 5;
  if (count < 1 || count > THREAD_LIMIT) {
    fputs("usage: floor SOURCE OUTPUT THREADS [safe]\n", stderr);
    return 64;
  }
  char staging[4096];
  snprintf(staging, sizeof staging, is_safe ? "%s.staging" : "%s", argv[2]);
  sqlite3 *lock = is_safe ? lock_source(argv[1]) : NULL;
  open_output(staging, argv[1]);
  int64_t end = greatest_key() + 1;
  Reader *readers = calloc(count, sizeof(Reader));
  pthread_t threads[THREAD_LIMIT];
  for (int i = 0; i < count; i++) {
    readers[i].source = argv[1];
    readers[i].first = end * i / count;
    readers[i].end = end * (i + 1) / count;
    if (pthread_create(&threads[i], NULL, read_tracks, &readers[i])) return 1;
  }
  run("INSERT INTO ZTRACK SELECT Z_PK, 2, Z_OPT, ZLASTPLAYEDAT, ZIMAGEURL, ZTITLE FROM source.ZTRACK");
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
  for (int i = 1; i < count; i++) merge(&readers[0], &readers[i]);
  sort_links(&readers[0].links);
  write_artists(&readers[0].artists);
  int64_t link_count = write_links(&readers[0].links);
  run("COMMIT");
  if (lock) check(lock, database, link_count);
  sqlite3_close(database);
  if (is_safe) publish(staging, argv[2]);
  sqlite3_close(lock);
  return 0;
}
