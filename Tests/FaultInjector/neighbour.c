// Another program that uses a database, as an app does: through SQLite, in a process of its own, because the locks of a
// process are no locks to itself.
//
//   neighbour DATABASE WORD...
//
//     open        opens the database, which must be there, with what `wait` said
//     close       closes it
//     wait MS     how long it asks for a lock again and again
//     sleep MS    does nothing
//     rest        stops itself; somebody has to continue it
//     die         ends without closing anything
//     SQL         everything else; it is one word
//
// For each SQL that SQLite has called done, with no transaction left open, "acknowledged SQL" is written: from then on an
// app relies on it. Whatever fails is told, and the next word comes.
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int patience;

// Asks more often than SQLite would, so that a short chance is taken.
static int ask_again(void *unused, int count) {
  (void)unused;
  usleep(500);
  return count < patience * 2;
}

int main(int count, char **words) {
  sqlite3 *database = NULL;
  // Nobody gets less than a whole line.
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int at = 2; at < count; at++) {
    const char *word = words[at];
    int code = SQLITE_OK;
    if (!strcmp(word, "rest")) {
      raise(SIGSTOP);
    } else if (!strcmp(word, "die")) {
      _exit(0);
    } else if (!strcmp(word, "sleep")) {
      usleep(1000 * atoi(words[++at]));
    } else if (!strcmp(word, "wait")) {
      patience = atoi(words[++at]);
    } else if (!strcmp(word, "open")) {
      code = sqlite3_open_v2(words[1], &database, SQLITE_OPEN_READWRITE, NULL);
      sqlite3_busy_handler(database, ask_again, NULL);
    } else if (!strcmp(word, "close")) {
      code = sqlite3_close(database);
      database = NULL;
    } else if (database) {
      code = sqlite3_exec(database, word, NULL, NULL, NULL);
      if (code == SQLITE_OK && sqlite3_get_autocommit(database)) printf("acknowledged %s\n", word);
    }
    if (code != SQLITE_OK) {
      const char *reason = database ? sqlite3_errmsg(database) : sqlite3_errstr(code);
      printf("refused %s: %s\n", word, reason);
    }
  }
  return 0;
}
