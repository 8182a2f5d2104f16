#pragma once
#include <sqlite3.h>

// Swift cannot call variadic functions: these wrap the few that are needed.

static inline int csqlite_db_config(sqlite3 *db, int operation, int on) {
  return sqlite3_db_config(db, operation, on, (int *)0);
}

// Destructors that are casts of integers are not imported either.
static inline int csqlite_bind_text_copy(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int csqlite_bind_blob_copy(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// For text that outlives the step: nothing is copied.
static inline int csqlite_bind_text_static(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, text, count, SQLITE_STATIC, SQLITE_UTF8);
}

static inline void csqlite_result_text_copy(sqlite3_context *context, const char *text, sqlite3_uint64 count) {
  sqlite3_result_text64(context, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}
