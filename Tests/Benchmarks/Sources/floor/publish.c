#include "publish.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void must(int is_done, const char *step) {
  if (is_done) return;
  perror(step);
  exit(1);
}

static void sync_path(const char *path, int flags) {
  int file = open(path, flags);
  must(file >= 0, "open");
  must(!fsync(file), "fsync");
  close(file);
}

static int64_t number(sqlite3 *database, const char *sql) {
  sqlite3_stmt *statement;
  must(!sqlite3_prepare_v2(database, sql, -1, &statement, NULL) && sqlite3_step(statement) == SQLITE_ROW, sql);
  int64_t value = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return value;
}

sqlite3 *lock_source(const char *path) {
  sqlite3 *lock;
  must(!sqlite3_open(path, &lock) && !sqlite3_exec(lock, "BEGIN IMMEDIATE", NULL, NULL, NULL), "lock");
  return lock;
}

void check(sqlite3 *source, sqlite3 *output, int64_t link_count) {
  must(number(source, "SELECT count(*) FROM ZTRACK") == number(output, "SELECT count(*) FROM main.ZTRACK"), "tracks");
  must(number(output, "SELECT count(*) FROM Z_1TRACKS") == link_count, "links");
}

void publish(const char *staging, const char *path) {
  char folder[4096], statistics[4120], hidden[4140];
  snprintf(folder, sizeof folder, "%s", path);
  char *slash = strrchr(folder, '/');
  if (slash) *slash = 0; else strcpy(folder, ".");
  snprintf(statistics, sizeof statistics, "%s.migration.json", path);
  snprintf(hidden, sizeof hidden, "%s.hidden", statistics);
  sync_path(staging, O_RDWR);
  FILE *file = fopen(hidden, "w");
  must(file && fprintf(file, "{}\n") > 0 && !fflush(file) && !fsync(fileno(file)) && !fclose(file), "statistics");
  sync_path(staging, O_RDWR);
  sync_path(hidden, O_RDWR);
  must(!rename(hidden, statistics), "rename");
  sync_path(folder, O_RDONLY | O_DIRECTORY);
  must(!rename(staging, path), "rename");
  sync_path(folder, O_RDONLY | O_DIRECTORY);
}
