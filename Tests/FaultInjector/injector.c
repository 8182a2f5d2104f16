// Stands between a process and the files in one folder. Loaded before all other libraries (LD_PRELOAD), it sees the calls
// of SQLite and of the program alike. It counts them, strikes at one of them, and can write down all that change anything.
//
//   STRIKE_ROOT     The folder. Calls about anything else pass.
//   STRIKE_KINDS    The kinds of calls that are counted, each a word of `kind_names`, with commas between.
//   STRIKE_CALL     The number of the call that is struck; the first is 1.
//   STRIKE_ACTION   What happens there: the number of an error, or
//                     kill    the process dies before the call
//                     tear    half of what is to be written is, then the process dies
//                     stop    the process is stopped; somebody has to continue it
//                     short   half of the bytes are read or written, which a caller has to put up with
//                     shrink, grow, vanish   what another program may do to STRIKE_VICTIM
//   STRIKE_SECOND   The number of a later call at which the process is stopped once more.
//   STRIKE_LASTING  With 1, every later call of these kinds fails as well.
//   STRIKE_RUNS     With 1, writes to one file that follow each other count as one call.
//   STRIKE_ONLY     The name of the only function whose calls are counted.
//   STRIKE_DENY     The number of an error with which every `link` fails.
//   STRIKE_LEASES   The number of an error with which every lease is refused.
//   STRIKE_PLAIN    With 1, no file can have extended attributes.
//   STRIKE_COUNTS   A file that gets the number of calls of each kind.
//   STRIKE_RECORD   A file that gets every change, in order; `FileOperation` reads it.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE, NAME, SYNC, MODE, READ, OPEN, LOOK, LOCK, MAP, FREE, MEMORY, START, KINDS };
static const char *const kind_names[KINDS] = {"write", "name", "sync", "mode", "read",
                                              "open",  "look", "lock", "map",  "free", "memory", "start"};
enum { PASS, FAIL, SHORT, TEAR };

static struct {
  const char *root, *action, *victim, *counts, *only;
  size_t root_length;
  unsigned kinds;
  long call, second, count, counted[KINDS];
  int lasting, runs, deny, leases, plain, record, last, struck;
} strike = {.record = -1, .last = -1};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
// Whether this thread has the mutex: then its calls are our own.
static __thread int inside;

#define REAL(type, name, parameters) \
  static type(*real) parameters;     \
  if (!real) real = (type(*) parameters)dlsym(RTLD_NEXT, #name)

static long number(const char *name) {
  const char *text = getenv(name);
  return text ? atol(text) : 0;
}

static void prepare(void) {
  inside = 1;
  strike.root = getenv("STRIKE_ROOT");
  strike.root_length = strike.root ? strlen(strike.root) : 0;
  strike.action = getenv("STRIKE_ACTION");
  strike.victim = getenv("STRIKE_VICTIM");
  strike.counts = getenv("STRIKE_COUNTS");
  strike.call = number("STRIKE_CALL");
  strike.second = number("STRIKE_SECOND");
  strike.lasting = number("STRIKE_LASTING") == 1;
  strike.runs = number("STRIKE_RUNS") == 1;
  strike.deny = number("STRIKE_DENY");
  strike.leases = number("STRIKE_LEASES");
  strike.plain = number("STRIKE_PLAIN") == 1;
  strike.only = getenv("STRIKE_ONLY");
  const char *kinds = getenv("STRIKE_KINDS");
  for (int kind = 0; kinds && kind < KINDS; kind++)
    if (strstr(kinds, kind_names[kind])) strike.kinds |= 1u << kind;
  const char *record = getenv("STRIKE_RECORD");
  if (record) {
    REAL(int, open64, (const char *, int, ...));
    int descriptor = real(record, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    // A number that no program relies on.
    strike.record = fcntl(descriptor, F_DUPFD_CLOEXEC, 900);
    close(descriptor);
  }
  inside = 0;
}

__attribute__((destructor)) static void finish(void) {
  if (!strike.counts) return;
  FILE *file = fopen(strike.counts, "w");
  if (!file) return;
  for (int kind = 0; kind < KINDS; kind++) fprintf(file, "%s %ld\n", kind_names[kind], strike.counted[kind]);
  fclose(file);
}

static void enter(void) {
  pthread_mutex_lock(&mutex);
  inside = 1;
}

static void leave(void) {
  int number = errno;
  inside = 0;
  pthread_mutex_unlock(&mutex);
  errno = number;
}

static int is_path_ours(const char *path) {
  if (inside) return 0;
  pthread_once(&once, prepare);
  if (!strike.root || !path) return 0;
  char whole[PATH_MAX];
  if (path[0] != '/' && getcwd(whole, sizeof whole)) {
    size_t length = strlen(whole);
    snprintf(whole + length, sizeof whole - length, "/%s", path);
    path = whole;
  }
  return !strncmp(path, strike.root, strike.root_length) &&
         (path[strike.root_length] == '/' || path[strike.root_length] == 0);
}

static int is_ours(int descriptor) {
  if (inside) return 0;
  pthread_once(&once, prepare);
  if (!strike.root || descriptor < 0 || descriptor == strike.record) return 0;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  // A pipe is named "pipe:[7]", which is no file in the folder that the process is in.
  return path[0] == '/' && is_path_ours(path);
}

// Not by a descriptor: closing it would end the locks of this process on the file, which no other program can do.
static void change_victim(const char *action) {
  struct stat status;
  if (!strike.victim || stat(strike.victim, &status)) return;
  if (!strcmp(action, "vanish")) {
    unlink(strike.victim);
  } else if (truncate(strike.victim, !strcmp(action, "grow") ? status.st_size + 8192 : status.st_size / 2)) {
    abort();
  }
}

// Counts a call. To be called with the mutex held.
static int hit(int kind, const char *name, int descriptor) {
  strike.counted[kind]++;
  if (!(strike.kinds & 1u << kind) || (strike.only && strcmp(strike.only, name))) return PASS;
  int is_same = strike.runs && kind == WRITE && descriptor >= 0 && descriptor == strike.last;
  strike.last = kind == WRITE ? descriptor : -1;
  if (is_same || !strike.call || !strike.action) return PASS;
  strike.count++;
  // A signal to this thread: another one could be stopped too late, and the call be made.
  if (strike.count == strike.second) raise(SIGSTOP);
  if (strike.count < strike.call || (strike.count > strike.call && !strike.lasting)) return PASS;
  int is_stop = !strcmp(strike.action, "stop");
  if (strike.count == strike.call && !is_stop) dprintf(2, "struck %s\n", name);
  if (!strcmp(strike.action, "kill")) kill(getpid(), SIGKILL);
  if (!strcmp(strike.action, "tear")) {
    if (strstr(name, "write")) return TEAR;
    kill(getpid(), SIGKILL);
  }
  if (is_stop) {
    raise(SIGSTOP);
    return PASS;
  }
  if (!strcmp(strike.action, "short")) return SHORT;
  if (strike.action[0] < '0' || strike.action[0] > '9') {
    change_victim(strike.action);
    return PASS;
  }
  errno = atoi(strike.action);
  return FAIL;
}

// Counts a call that changes nothing.
static int strikes(int kind, const char *name, int descriptor) {
  enter();
  int result = hit(kind, name, descriptor);
  leave();
  return result;
}

// --- The record ---

// The name of an operation, its numbers and the lengths of what follows: a path, and another path or bytes.
struct entry {
  char operation;
  char unused[7];
  uint64_t file, offset;
  uint32_t path_length, rest_length;
};

static void record(char operation, uint64_t file, uint64_t offset, const char *path, const void *rest, size_t length) {
  if (strike.record < 0) return;
  int number = errno;
  struct entry entry = {operation, {0}, file, offset, path ? strlen(path) : 0, length};
  struct iovec parts[3] = {{&entry, sizeof entry}, {(void *)path, entry.path_length}, {(void *)rest, length}};
  REAL(ssize_t, writev, (int, const struct iovec *, int));
  if (real(strike.record, parts, 3) != (ssize_t)(sizeof entry + entry.path_length + length)) abort();
  errno = number;
}

static uint64_t number_of(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) ? 0 : status.st_ino;
}

// The path with every link in its folder resolved, but not the last name.
static const char *resolve(const char *path, char *out) {
  if (strike.record < 0) return path;
  int number = errno;
  char folder[PATH_MAX];
  snprintf(folder, sizeof folder, "%s", path);
  char *slash = strrchr(folder, '/');
  const char *name = slash ? path + (slash - folder) + 1 : path;
  if (slash) *slash = 0;
  REAL(char *, realpath, (const char *, char *));
  if (!real(slash ? slash == folder ? "/" : folder : ".", out)) snprintf(out, PATH_MAX, "%s", slash ? folder : ".");
  size_t length = strlen(out);
  snprintf(out + length, PATH_MAX - length, "/%s", name);
  errno = number;
  return out;
}

// --- Writing ---

#define WRITING(name, parameters, call, position)                          \
  ssize_t name parameters {                                                      \
    REAL(ssize_t, name, parameters);                                             \
    if (!is_ours(d)) return real call;                                           \
    enter();                                                  \
    int result = hit(WRITE, #name, d);                                           \
    ssize_t written = -1;                                                        \
    if (result != FAIL) {                                                        \
      off_t place = position;                                                    \
      if ((result == SHORT || result == TEAR) && n > 1) n /= 2;                  \
      written = real call;                                                       \
      if (result == TEAR) kill(getpid(), SIGKILL);                               \
      if (written > 0) record('w', number_of(d), place, NULL, b, written);       \
    }                                                                            \
    leave();                                                \
    return written;                                                              \
  }

WRITING(pwrite, (int d, const void *b, size_t n, off_t o), (d, b, n, o), o)
WRITING(pwrite64, (int d, const void *b, size_t n, off_t o), (d, b, n, o), o)

static off_t end_or_place(int d) {
  struct stat status;
  if (fcntl(d, F_GETFL) & O_APPEND) return fstat(d, &status) ? 0 : status.st_size;
  return lseek(d, 0, SEEK_CUR);
}
WRITING(write, (int d, const void *b, size_t n), (d, b, n), end_or_place(d))

#define TRUNCATING(name)                                                         \
  int name(int d, off_t n) {                                                     \
    REAL(int, name, (int, off_t));                                               \
    if (!is_ours(d)) return real(d, n);                                          \
    enter();                                                  \
    int result = hit(WRITE, #name, d) == FAIL ? -1 : real(d, n);                 \
    if (result == 0) record('t', number_of(d), n, NULL, NULL, 0);                \
    leave();                                                \
    return result;                                                               \
  }
TRUNCATING(ftruncate)
TRUNCATING(ftruncate64)

// Changes that nobody makes today. The record would be wrong without them, so whoever makes one finds out at once.
#define UNKNOWN(type, name, parameters, call)                                    \
  type name parameters {                                                         \
    REAL(type, name, parameters);                                                \
    if (is_ours(d)) record('?', 0, 0, #name, NULL, 0);                           \
    return real call;                                                            \
  }
UNKNOWN(ssize_t, writev, (int d, const struct iovec *v, int n), (d, v, n))
UNKNOWN(ssize_t, pwritev, (int d, const struct iovec *v, int n, off_t o), (d, v, n, o))
UNKNOWN(ssize_t, pwritev64, (int d, const struct iovec *v, int n, off_t o), (d, v, n, o))
UNKNOWN(int, fallocate, (int d, int m, off_t o, off_t n), (d, m, o, n))
UNKNOWN(int, fallocate64, (int d, int m, off_t o, off_t n), (d, m, o, n))
UNKNOWN(int, posix_fallocate, (int d, off_t o, off_t n), (d, o, n))
UNKNOWN(int, posix_fallocate64, (int d, off_t o, off_t n), (d, o, n))
UNKNOWN(ssize_t, sendfile, (int d, int s, off_t *o, size_t n), (d, s, o, n))
UNKNOWN(ssize_t, sendfile64, (int d, int s, off_t *o, size_t n), (d, s, o, n))
UNKNOWN(ssize_t, copy_file_range, (int s, off_t *p, int d, off_t *o, size_t n, unsigned f), (s, p, d, o, n, f))

// --- Syncing and modes ---

#define ON_FILE(kind, letter, name, parameters, call, detail)                    \
  int name parameters {                                                          \
    REAL(int, name, parameters);                                                 \
    if (!is_ours(d)) return real call;                                           \
    enter();                                                  \
    int result = hit(kind, #name, d) == FAIL ? -1 : real call;                   \
    if (result == 0) record(letter, number_of(d), detail, NULL, NULL, 0);        \
    leave();                                                \
    return result;                                                               \
  }
ON_FILE(SYNC, 's', fsync, (int d), (d), 0)
ON_FILE(SYNC, 's', fdatasync, (int d), (d), 0)
ON_FILE(MODE, 'm', fchmod, (int d, mode_t m), (d, m), m)
ON_FILE(MODE, 'o', fchown, (int d, uid_t u, gid_t g), (d, u, g), 0)

#define ON_PATH(kind, letter, name, parameters, call, detail)                    \
  int name parameters {                                                          \
    REAL(int, name, parameters);                                                 \
    if (!is_path_ours(a)) return real call;                                      \
    char path[PATH_MAX];                                                         \
    enter();                                                  \
    const char *resolved = resolve(a, path);                                     \
    int result = hit(kind, #name, -1) == FAIL ? -1 : real call;                  \
    if (result == 0) {                                                           \
      struct stat status = {0};                                                  \
      if (strike.record >= 0) lstat(a, &status);                                 \
      record(letter, status.st_ino, detail, resolved, NULL, 0);                  \
    }                                                                            \
    leave();                                                \
    return result;                                                               \
  }
ON_PATH(MODE, 'm', chmod, (const char *a, mode_t m), (a, m), m)
ON_PATH(MODE, 'o', chown, (const char *a, uid_t u, gid_t g), (a, u, g), 0)
ON_PATH(NAME, 'u', unlink, (const char *a), (a), 0)
ON_PATH(NAME, 'u', rmdir, (const char *a), (a), 0)
ON_PATH(NAME, 'd', mkdir, (const char *a, mode_t m), (a, m), status.st_mode & 07777)

// --- Names ---

#define ON_TWO_PATHS(letter, name)                                               \
  int name(const char *a, const char *b) {                                       \
    REAL(int, name, (const char *, const char *));                               \
    if (!is_path_ours(a) && !is_path_ours(b)) return real(a, b);                 \
    char first[PATH_MAX], second[PATH_MAX];                                      \
    enter();                                                  \
    int result = -1;                                                             \
    if (letter == 'l' && strike.deny) {                                          \
      errno = strike.deny;                                                       \
    } else {                                                                     \
      const char *from = resolve(a, first), *to = resolve(b, second);            \
      if (hit(NAME, #name, -1) != FAIL) result = real(a, b);                     \
      if (result == 0) record(letter, 0, 0, from, to, strlen(to));               \
    }                                                                            \
    leave();                                                \
    return result;                                                               \
  }
ON_TWO_PATHS('r', rename)
ON_TWO_PATHS('l', link)

static int opening(int (*real)(const char *, int, ...), const char *name, const char *path, int flags, mode_t mode) {
  if (!is_path_ours(path)) return real(path, flags, mode);
  char buffer[PATH_MAX];
  struct stat status = {0};
  enter();
  int existed = lstat(path, &status) == 0;
  const char *resolved = resolve(path, buffer);
  int kind = flags & O_CREAT ? NAME : flags & O_TRUNC ? WRITE : OPEN;
  int descriptor = hit(kind, name, -1) == FAIL ? -1 : real(path, flags, mode);
  if (descriptor >= 0 && !existed && fstat(descriptor, &status) == 0)
    record('c', status.st_ino, status.st_mode & 07777, resolved, NULL, 0);
  else if (descriptor >= 0 && flags & O_TRUNC)
    record('t', number_of(descriptor), 0, NULL, NULL, 0);
  leave();
  return descriptor;
}

#define OPENING(name)                                                            \
  int name(const char *path, int flags, ...) {                                   \
    REAL(int, name, (const char *, int, ...));                                   \
    va_list list;                                                                \
    va_start(list, flags);                                                       \
    mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;                    \
    va_end(list);                                                                \
    return opening(real, #name, path, flags, mode);                              \
  }
OPENING(open)
OPENING(open64)

// --- What changes nothing ---

#define READING(name, parameters, call)                                          \
  ssize_t name parameters {                                                      \
    REAL(ssize_t, name, parameters);                                             \
    if (!is_ours(d)) return real call;                                           \
    int result = strikes(READ, #name, d);                                        \
    if (result == SHORT && n > 1) n /= 2;                                        \
    return result == FAIL ? -1 : real call;                                      \
  }
READING(read, (int d, void *b, size_t n), (d, b, n))
READING(pread, (int d, void *b, size_t n, off_t o), (d, b, n, o))
READING(pread64, (int d, void *b, size_t n, off_t o), (d, b, n, o))

#define LOOKING(type, failure, name, parameters, call, test)                     \
  type name parameters {                                                         \
    REAL(type, name, parameters);                                                \
    if (!(test) || strikes(LOOK, #name, -1) != FAIL) return real call;           \
    return failure;                                                              \
  }
LOOKING(int, -1, stat, (const char *restrict a, struct stat *restrict s), (a, s), is_path_ours(a))
LOOKING(int, -1, lstat, (const char *restrict a, struct stat *restrict s), (a, s), is_path_ours(a))
LOOKING(int, -1, fstat, (int d, struct stat *s), (d, s), is_ours(d))
LOOKING(int, -1, stat64, (const char *restrict a, struct stat64 *restrict s), (a, s), is_path_ours(a))
LOOKING(int, -1, lstat64, (const char *restrict a, struct stat64 *restrict s), (a, s), is_path_ours(a))
LOOKING(int, -1, fstat64, (int d, struct stat64 *s), (d, s), is_ours(d))
LOOKING(int, -1, access, (const char *a, int m), (a, m), is_path_ours(a))
LOOKING(char *, NULL, realpath, (const char *restrict a, char *restrict b), (a, b), is_path_ours(a))
LOOKING(DIR *, NULL, opendir, (const char *a), (a), is_path_ours(a))
LOOKING(struct dirent *, NULL, readdir, (DIR *d), (d), is_ours(dirfd(d)))
LOOKING(struct dirent64 *, NULL, readdir64, (DIR *d), (d), is_ours(dirfd(d)))

// The question for the size alone is not counted.
LOOKING(ssize_t, -1, llistxattr, (const char *a, char *l, size_t n), (a, l, n), n && is_path_ours(a))
LOOKING(ssize_t, -1, lgetxattr, (const char *a, const char *k, void *v, size_t n), (a, k, v, n), n && is_path_ours(a))

int fsetxattr(int d, const char *name, const void *value, size_t size, int flags) {
  REAL(int, fsetxattr, (int, const char *, const void *, size_t, int));
  if (!is_ours(d) || !strike.plain) return real(d, name, value, size, flags);
  errno = ENOTSUP;
  return -1;
}

int flock(int d, int operation) {
  REAL(int, flock, (int, int));
  return is_ours(d) && strikes(LOCK, "flock", -1) == FAIL ? -1 : real(d, operation);
}

// The kind of a call of `fcntl`; 0 for one that has nothing to do with locks. Letting go does not fail on anything that
// SQLite knows of.
static int locking(int command, void *argument) {
  int is_lock = command == F_SETLK || command == F_SETLKW;
#ifdef F_OFD_SETLK
  is_lock |= command == F_OFD_SETLK || command == F_OFD_SETLKW;
#endif
  if (is_lock) return ((struct flock *)argument)->l_type == F_UNLCK ? FREE : LOCK;
#ifdef F_SETLEASE
  if (command == F_SETLEASE) return (int)(intptr_t)argument == F_UNLCK ? FREE : LOCK;
  if (command == F_GETLEASE) return LOOK;
#endif
  return 0;
}

static int refuses(int command) {
#ifdef F_SETLEASE
  return strike.leases && command == F_SETLEASE;
#else
  (void)command;
  return 0;
#endif
}

#define LOCKING(name)                                                            \
  int name(int d, int command, ...) {                                            \
    REAL(int, name, (int, int, ...));                                            \
    va_list list;                                                                \
    va_start(list, command);                                                     \
    void *argument = va_arg(list, void *);                                       \
    va_end(list);                                                                \
    int kind = locking(command, argument);                                       \
    if (refuses(command) && is_ours(d)) {                                        \
      errno = strike.leases;                                                     \
      return -1;                                                                 \
    }                                                                            \
    return kind && is_ours(d) && strikes(kind, #name, -1) == FAIL ? -1 : real(d, command, argument); \
  }
LOCKING(fcntl)
LOCKING(fcntl64)

// It ends every lock that the process has on the file.
int close(int d) {
  REAL(int, close, (int));
  if (is_ours(d)) strikes(FREE, "close", -1);
  return real(d);
}

#define MAPPING(name)                                                            \
  void *name(void *a, size_t n, int p, int f, int d, off_t o) {                  \
    REAL(void *, name, (void *, size_t, int, int, int, off_t));                  \
    int is_file = d >= 0 && !(f & MAP_ANONYMOUS) && is_ours(d);                  \
    return is_file && strikes(MAP, #name, -1) == FAIL ? MAP_FAILED : real(a, n, p, f, d, o); \
  }
MAPPING(mmap)
MAPPING(mmap64)

// --- Threads and programs, which the system may refuse ---

#define STARTING(name, parameters, call)                                         \
  int name parameters {                                                          \
    REAL(int, name, parameters);                                                 \
    if (inside) return real call;                                                \
    pthread_once(&once, prepare);                                                \
    return strike.root && strikes(START, #name, -1) == FAIL ? errno : real call; \
  }
STARTING(pthread_create, (pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *x), (t, a, f, x))
STARTING(posix_spawn,
         (pid_t *p, const char *n, const posix_spawn_file_actions_t *f, const posix_spawnattr_t *a, char *const v[],
          char *const e[]),
         (p, n, f, a, v, e))
STARTING(posix_spawnp,
         (pid_t *p, const char *n, const posix_spawn_file_actions_t *f, const posix_spawnattr_t *a, char *const v[],
          char *const e[]),
         (p, n, f, a, v, e))

// --- SQLite's memory ---

// As sqlite3.h has them; the library itself comes with the process.
struct memory_methods {
  void *(*allocate)(int);
  void (*release)(void *);
  void *(*resize)(void *, int);
  int (*size)(void *);
  int (*round_up)(int);
  int (*begin)(void *);
  void (*end)(void *);
  void *context;
};
static struct memory_methods memory;

static void *allocate(int size) { return strikes(MEMORY, "malloc", -1) == FAIL ? NULL : memory.allocate(size); }
static void *resize(void *block, int size) {
  return strikes(MEMORY, "realloc", -1) == FAIL ? NULL : memory.resize(block, size);
}

// Swift ends a process that gets no memory; only SQLite says so. It may be told of another allocator until it is first
// used, and this is before `main`.
__attribute__((constructor)) static void hook_memory(void) {
  pthread_once(&once, prepare);
  int (*configure)(int, ...) = (int (*)(int, ...))dlsym(RTLD_DEFAULT, "sqlite3_config");
  if (!configure || !strike.root || configure(5, &memory)) return;
  struct memory_methods ours = memory;
  ours.allocate = allocate;
  ours.resize = resize;
  configure(4, &ours);
}
