#pragma once
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <unistd.h>

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

// SQLite calls a database damaged whose disk cannot read it (SQLITE_IOERR_CORRUPTFS), and busy if the lock service fails
// for its shared memory; where it cannot write, it has made other calls by the time that it is asked for the number. The
// number of the error is lost on the way. So the calls are watched, on each thread.
static inline int *csqlite_failure(void) {
  static __thread int number;
  return &number;
}

// What fails first is the reason for the rest, such as the use of a file that was closed since.
static inline void csqlite_note_failure(void) {
  if (*csqlite_failure() == 0 && errno != EBADF && errno != EINTR) *csqlite_failure() = errno;
}

// The number of the first error of a read, a write or a lock on this thread, or 0; it is forgotten.
static inline int csqlite_take_failure(void) {
  int number = *csqlite_failure();
  *csqlite_failure() = 0;
  return number;
}

static inline ssize_t csqlite_watched(ssize_t count) {
  if (count < 0) csqlite_note_failure();
  return count;
}

static inline ssize_t csqlite_read(int file, void *bytes, size_t count) {
  return csqlite_watched(read(file, bytes, count));
}

static inline ssize_t csqlite_pread(int file, void *bytes, size_t count, off_t offset) {
  return csqlite_watched(pread(file, bytes, count, offset));
}

static inline ssize_t csqlite_write(int file, const void *bytes, size_t count) {
  return csqlite_watched(write(file, bytes, count));
}

static inline ssize_t csqlite_pwrite(int file, const void *bytes, size_t count, off_t offset) {
  return csqlite_watched(pwrite(file, bytes, count, offset));
}

static inline int csqlite_fcntl(int file, int command, ...) {
  va_list list;
  va_start(list, command);
  void *argument = va_arg(list, void *);
  va_end(list);
  int result = fcntl(file, command, argument);
  // Those that say that another program has the lock are not failures.
  if (result < 0 && command == F_SETLK && errno != EAGAIN && errno != EACCES) csqlite_note_failure();
  return result;
}

static inline void csqlite_watch_calls(sqlite3_vfs *system) {
  system->xSetSystemCall(system, "read", (sqlite3_syscall_ptr)csqlite_read);
  system->xSetSystemCall(system, "write", (sqlite3_syscall_ptr)csqlite_write);
  system->xSetSystemCall(system, "fcntl", (sqlite3_syscall_ptr)csqlite_fcntl);
  // Only with offsets of 64 bits are these the same call.
  if (sizeof(off_t) != sizeof(sqlite3_int64)) return;
  system->xSetSystemCall(system, "pread", (sqlite3_syscall_ptr)csqlite_pread);
  system->xSetSystemCall(system, "pread64", (sqlite3_syscall_ptr)csqlite_pread);
  system->xSetSystemCall(system, "pwrite", (sqlite3_syscall_ptr)csqlite_pwrite);
  system->xSetSystemCall(system, "pwrite64", (sqlite3_syscall_ptr)csqlite_pwrite);
}
