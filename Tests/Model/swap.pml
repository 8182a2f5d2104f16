/*
 * How a library is replaced, for spin: every interleaving of two migrations, one of which may be killed anywhere, with two
 * apps, and then the next migration. To be read beside StoreWriteLock.swift, StoreReplacement.swift,
 * UndoLog.swift and StagingFile.swift.
 * What is in one d_step happens at once: a call to the system, or a step that SQLite makes under its locks.
 *
 * `make model` checks the promises, which are those of docs/reliability.md. Then it breaks each rule of the protocol in
 * turn, and the promise that stands beside the rule must fail:
 *
 *   BREAK_FLOCK             whole      runs exclude each other by a lock on the staging file
 *   BREAK_LOOK_AGAIN        whole      a locked staging file is used only while it still has its name
 *   BREAK_LEFTOVER          finished   what a dead run has left is removed
 *   BREAK_COMPARE_INSIDE    commits    data_version is compared under the exclusive lock
 *   BREAK_HOLD              commits    that lock is kept until the log is folded
 *   BREAK_FOLD              commits    the old library's log is folded and turned off first
 *   BREAK_NOTE_UNDER_LOCK   commits    the change counter is noted before SQLite's lock ends
 *   BREAK_COUNTER           commits    it is compared again under the lease
 *   BREAK_JOURNAL           own_log    so is that there is no log and no journal
 *   BREAK_LEASE             commits    nobody else has the library open, idle ones included
 *   BREAK_LOCK_UNDER_LEASE  commits    and nobody gets SQLite's locks on it, should the kernel take the lease away
 *   BREAK_BACKUP_FIRST      kept       the backup is there before the new library
 *   BREAK_NOTE              finished   the backup is noted before it is made
 *   BREAK_UNDO              finished   a noted backup of a dead run is taken back, even if the next run fails
 *   BREAK_UNDO_OWN          kept       unless the library has been replaced: the backup is all there is of the old one
 *   BREAK_ONE_STEP          whole      the new library takes the name in one step
 *   BREAK_RETIRE            commits    the old file is made useless for those who waited to open it
 *   BREAK_COPY              kept       after the backup has become a copy of it
 *
 * Limits, where a promise does fail, for apps whose journal mode lets SQLite not look whether a file has moved:
 *   LIMIT_KILLED_THEN       commits    the run is killed between the rename and that, while somebody waits
 *   LIMIT_LOOKED_UP         commits    an opener has found the file, and the kernel has not counted it yet
 */

mtype = { nothing, half, old, new };

/* Files by number, whatever their names: 1 is the old library, 2 to 4 the new ones of three runs, 5 a copy. */
typedef File {
  mtype content = old;
  byte rows;          /* a bit for each app whose commit is in the file itself */
  bool hasLog;        /* the header says WAL */
  byte version;       /* what data_version goes by: all commits, those in the log too */
  byte counter;       /* the header's change counter: commits without a log */
  byte open;          /* bits of the processes that have it open; a bit for each, as below */
  byte shared;        /* SQLite: SHARED; with a log every connection has it */
  byte writer, exclusive;   /* SQLite: RESERVED or the log's write lock, and EXCLUSIVE */
  byte flock, lease;
  bool isAwaited      /* somebody waits for the lease in open(2) */
}
File file[6];
byte library = 1, backup, staging, copied;   /* what the names lead to; 0 for nothing */
byte undo;                                   /* the library of which a run has noted that it makes a backup */
byte log, logRows, journal;                  /* which file the -wal and the -journal belong to */
byte acknowledged;                           /* the commits that an app was told are safe */
byte killed, endedCount;                     /* the run that is killed; how many processes have ended */
bool isOver, isRefused;                      /* so has the last run; it may refuse the library, by --strict */

#define BIT(process) (1 << (process))
#define OTHERS(bits) ((bits) & ~BIT(me))
#define FREE(f) (OTHERS(file[f].shared) == 0 && file[f].writer == 0 && file[f].exclusive == 0)
#define LOG_OF(f) ((log == (f)) * logRows)

/* At every instant the path leads to the whole old library or to the whole new one. */
#define WHOLE (library != 0 && (file[library].content == old || file[library].content == new))
/* Every commit that an app was told is safe is in the library that the path leads to. */
#define COMMITS ((acknowledged & ~(file[library].rows | LOG_OF(library))) == 0)
/* No log and no journal is beside a library that it does not belong to. */
#define OWN_LOG ((log == 0 || log == library) && (journal == 0 || journal == library))
/* There is no new library without a whole backup of the old one. */
#define KEPT ((backup == 0 || file[backup].content == old) && (file[library].content == old || backup != 0))
/* The next run finishes, and leaves nothing but the library and its backup; or it refuses, and leaves no backup. */
#define FINISHED (!isOver || (staging == 0 && undo == 0 && (file[library].content == new && copied == 0 || isRefused && backup == 0)))

ltl whole { [] WHOLE }
ltl commits { [] COMMITS }
ltl own_log { [] OWN_LOG }
ltl kept { [] KEPT }
ltl finished { [] FINISHED }
ltl all_promises { [] (WHOLE && COMMITS && OWN_LOG && KEPT && FINISHED) }

/* The kernel's part when a file is closed: POSIX locks go with the first descriptor that a process closes. */
inline unlock(f) {
  file[f].shared = OTHERS(file[f].shared);
  if :: file[f].writer == me -> file[f].writer = 0 :: else fi;
  if :: file[f].exclusive == me -> file[f].exclusive = 0 :: else fi
}
inline shut(f) {
  unlock(f);
  file[f].open = OTHERS(file[f].open);
  if :: file[f].lease == me -> file[f].lease = 0 :: else fi
}

proctype Migrator(byte me) {
  byte f, s, n, noted, counter;
  bool hasBackup, isNew;
  {
    /* StagingFile: the name follows from the library's. What a dead run has left is removed, and made anew. */
    goto again;
again:
    skip;
    d_step {
      isNew = (staging == 0);
      if :: isNew -> staging = me + 1; file[staging].content = half :: else fi;
      s = staging
    };
#ifndef BREAK_FLOCK
    if :: d_step { file[s].flock == 0 -> file[s].flock = me } :: else -> goto done fi;
#endif
#ifndef BREAK_LOOK_AGAIN
    if :: staging != s -> goto done :: else fi;
#endif
#ifdef BREAK_LEFTOVER
    if :: !isNew -> goto done :: else fi;
#endif
    if :: !isNew -> staging = 0; file[s].flock = 0; goto again :: else fi;

    /* UndoLog.recover: what a dead run has made visible and noted. */
#ifndef BREAK_UNDO
    if
    :: undo != 0 ->
#ifdef BREAK_UNDO_OWN
       backup = 0;
#else
       d_step { if :: library == undo && backup == library -> backup = 0 :: else fi };
#endif
       undo = 0
    :: else
    fi;
#endif

    /* StoreWriteLock.init: nobody else has the library open, and nobody writes to it during the work. */
    if
    :: d_step { file[library].lease == 0 && file[library].open == 0 -> f = library; file[f].open = BIT(me) }
    :: else -> goto discard
    fi;
    if :: file[f].content == new -> goto discard :: else fi;
    if
    :: d_step {
         file[f].writer == 0 && file[f].exclusive == 0 ->
         if :: journal == f -> journal = 0 :: else fi;                     /* it is rolled back */
         file[f].writer = me; file[f].shared = file[f].shared | BIT(me); noted = file[f].version
       }
    :: else -> goto discard
    fi;

    if :: me == 3 -> isRefused = true; goto discard :: skip fi;

    /* The work. SQLite opens the staging file by its name. */
    d_step { n = staging; file[n].content = half };
    d_step { file[n].rows = file[f].rows | LOG_OF(f); file[n].content = new };

    /* StoreWriteLock.takeOver: one lock is given back before the other can be had. */
    d_step { file[f].writer = 0; if :: !file[f].hasLog -> file[f].shared = OTHERS(file[f].shared) :: else fi };
#ifdef BREAK_COMPARE_INSIDE
    if :: file[f].version != noted -> goto discard :: else fi;
#endif
    if :: d_step { FREE(f) -> file[f].exclusive = me; file[f].writer = me } :: else -> goto discard fi;
#ifndef BREAK_COMPARE_INSIDE
    if :: file[f].version != noted -> goto discard :: else fi;
#endif
#ifdef BREAK_HOLD
    d_step { file[f].exclusive = 0; file[f].writer = 0 };
    if :: d_step { FREE(f) -> file[f].exclusive = me; file[f].writer = me } :: else -> goto discard fi;
#endif
#ifndef BREAK_FOLD
    file[f].rows = file[f].rows | LOG_OF(f);
    d_step { if :: log == f -> log = 0; logRows = 0 :: else fi; file[f].hasLog = false };
#endif

    /* ExclusiveFile: SQLite's locks end, for while SQLite has the file open there is no lease. */
#ifndef BREAK_NOTE_UNDER_LOCK
    counter = file[f].counter;
#endif
    d_step { unlock(f) };
#ifdef BREAK_NOTE_UNDER_LOCK
    counter = file[f].counter;
#endif
#ifndef BREAK_LEASE
    if :: d_step { file[f].open == BIT(me) -> file[f].lease = me; file[f].isAwaited = false } :: else -> goto discard fi;
#endif
#ifndef BREAK_LOCK_UNDER_LEASE
    if :: d_step { FREE(f) -> file[f].exclusive = me; file[f].writer = me } :: else -> goto discard fi;
#endif
#ifndef BREAK_COUNTER
    if :: file[f].counter != counter -> goto discard :: else fi;
#endif
#ifndef BREAK_JOURNAL
    if :: journal != 0 || log != 0 -> goto discard :: else fi;
#endif

    /* StoreReplacement */
#ifndef BREAK_NOTE
    undo = f;
#endif
#ifndef BREAK_BACKUP_FIRST
    if
    :: d_step { backup == 0 -> backup = f; hasBackup = true }
    :: backup == f
    :: else -> goto discard
    fi;
#endif
#ifdef BREAK_ONE_STEP
    library = 0;
#endif
    d_step { library = staging; staging = 0; hasBackup = false };
#ifdef BREAK_BACKUP_FIRST
    backup = f;
#endif
#ifndef BREAK_RETIRE
    /* ExclusiveFile.retire */
    if
    :: file[f].isAwaited ->
#ifndef BREAK_COPY
       d_step { copied = 5; file[5].content = half };
       d_step { file[5].content = old; file[5].rows = file[f].rows };
       d_step { backup = 5; copied = 0 };
#endif
       file[f].content = nothing
    :: else
    fi;
#endif
    undo = 0;
    goto done;

discard:
    skip;
    d_step { if :: hasBackup -> backup = 0 :: else fi };
    d_step { if :: undo == f -> undo = 0 :: else fi; staging = 0 };
done:
    skip
  }
#ifdef LIMIT_KILLED_THEN
  unless { killed == me };
#else
  unless { killed == me && !(library == n && file[f].isAwaited && file[f].content == old) };
#endif
  d_step {
    if :: f != 0 -> shut(f) :: else fi;
    if :: s != 0 && file[s].flock == me -> file[s].flock = 0 :: else fi;
    endedCount++
  }
}

/* An app that opens the library at some time and commits at another. Where it `looks`, its journal mode is DELETE, and
   SQLite looks whether the file still has its name; with MEMORY it does not. */
proctype App(byte me; bool looks) {
  byte f;
  /* open(2): the kernel finds the file, counts it as open, and waits while somebody has a lease on it, but not for ever. */
#ifdef LIMIT_LOOKED_UP
  f = library;
  d_step {
#else
  d_step {
    f = library;
#endif
    file[f].open = file[f].open | BIT(me);
    if :: file[f].lease != 0 -> file[f].isAwaited = true :: else fi
  };
  if :: file[f].lease == 0 :: d_step { file[f].lease != 0 -> file[f].lease = 0 } fi;
  if
  :: d_step { file[f].exclusive == 0 && file[f].content != nothing -> file[f].shared = file[f].shared | BIT(me) }
  :: goto closed                         /* it is no database, or the app is not that patient */
  fi;
  if :: d_step { file[f].writer == 0 -> file[f].writer = me } :: goto closed fi;
  if
  :: file[f].hasLog ->
     d_step {
       log = f; logRows = logRows | BIT(me); file[f].version++;
       acknowledged = acknowledged | BIT(me); file[f].writer = 0
     }
  :: else ->
     if
     :: looks && library != f -> goto closed
     :: looks && library == f -> journal = f
     :: !looks
     fi;
     if
     :: d_step { file[f].shared == BIT(me) -> file[f].exclusive = me }
     :: d_step { journal == f -> journal = 0 }; goto closed
     :: journal == f -> goto dead          /* it dies, and its journal stays */
     :: !looks -> goto closed
     fi;
     d_step {
       file[f].rows = file[f].rows | BIT(me); file[f].counter++; file[f].version++;
       acknowledged = acknowledged | BIT(me);
       if :: journal == f -> journal = 0 :: else fi;
       unlock(f)
     }
  fi;
closed:
  skip;
  d_step {                                 /* who closes last folds the log */
    if
    :: log == f && file[f].shared == BIT(me) -> file[f].rows = file[f].rows | logRows; log = 0; logRows = 0
    :: else
    fi
  };
dead:
  skip;
  d_step { shut(f); endedCount++ }
}

init {
  atomic {
    if :: file[1].hasLog = true :: skip fi;
    run Migrator(1);
    if
    :: run App(4, true); run App(5, true)
    :: run App(4, true); run App(5, false)
    :: run App(4, false); run App(5, false)
    :: run App(4, true); run Migrator(2)
    :: run App(4, false); run Migrator(2)
    fi
  };
  if :: killed = 1 :: endedCount == 3 fi;
  endedCount == 3;
  run Migrator(3);
  endedCount == 4;
  isOver = true
}
