#define _GNU_SOURCE
#include "process_control.h"

#include <signal.h>
#include <string.h>

#ifdef __linux__
#include <sched.h>

static cpu_set_t available;

int core_count(void) {
  if (!CPU_COUNT(&available) && sched_getaffinity(0, sizeof available, &available)) return 0;
  return CPU_COUNT(&available);
}

void limit_cores(int count) {
  if (!core_count()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&set) < count; core++) {
    if (CPU_ISSET(core, &available)) CPU_SET(core, &set);
  }
  sched_setaffinity(0, sizeof set, &set);
}
#else
int core_count(void) { return 0; }
void limit_cores(int count) {}
#endif

static volatile sig_atomic_t interrupted;

static void note(int number) { interrupted = 1; }

void note_interruptions(void) {
  // Without SA_RESTART, so that waiting for a program ends. A handler, unlike ignoring, is not inherited.
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = note;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
}

int is_interrupted(void) { return interrupted; }
