// Reads a range of tracks: their artists, and the links to them.
#pragma once
#include "artists.h"

// An artist's number in the high half, a track's primary key in the low one.
typedef uint64_t Link;

typedef struct {
  Link *all;
  size_t count, capacity;
} Links;

typedef struct {
  const char *source;
  int64_t first, end;
  Artists artists;
  Links links;
} Reader;

// The body of a thread; the argument is a Reader.
void *read_tracks(void *reader);

void add_link(Links *links, uint32_t artist, uint32_t track);

// Sorts by the digits, 16 bits at a time.
void sort_links(Links *links);
