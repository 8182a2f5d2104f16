// The artists of a run of tracks, found by name.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint32_t start, length;
} Text;

typedef struct {
  Text id, name, image;
} Artist;

typedef struct {
  uint64_t hash;
  uint32_t artist;  // its number; 0 is free
} Slot;

typedef struct {
  char *bytes;
  size_t byte_count, byte_capacity;
  Artist *all;
  uint32_t count, capacity;
  Slot *slots;
  uint32_t slot_count;
} Artists;

typedef struct {
  const char *bytes;
  size_t length;
} Bytes;

// The number of the artist of a name, from 1 on; the first mention gives it its id and image.
uint32_t artist_number(Artists *artists, Bytes name, Bytes id, Bytes image);

// Where a text stands, until the next artist is added.
Bytes artist_text(const Artists *artists, Text text);

// Memory that is there, or the end of the program.
void *grown(void *memory, size_t size);
