// What a careful program adds: the source is locked, rows are counted, and the result appears when it is on the disk.
#pragma once
#include <sqlite3.h>
#include <stdint.h>

// Keeps others from writing to the source until the connection is closed.
sqlite3 *lock_source(const char *path);

// Ends the program if rows are missing.
void check(sqlite3 *source, sqlite3 *output, int64_t link_count);

// Gives the result its name, with a file of statistics: six syncs, as ours.
void publish(const char *staging, const char *path);
