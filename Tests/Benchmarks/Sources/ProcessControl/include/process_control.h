// What Swift cannot see of the C library, or must not do: calls that are GNU's, and work in a signal handler.
#pragma once

// How many processors this process may use at its start; 0 where that cannot be known, or not be limited.
int core_count(void);

// Keeps this process, and those that it starts, to the first so many of them.
void limit_cores(int count);

// Notes from now on when this process is asked to end, instead of ending. Programs that it starts do end.
void note_interruptions(void);

// Whether it has been asked to end.
int is_interrupted(void);
