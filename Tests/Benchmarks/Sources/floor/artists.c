#include "artists.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *grown(void *memory, size_t size) {
  memory = realloc(memory, size);
  if (memory) return memory;
  fputs("floor: out of memory\n", stderr);
  exit(1);
}

static uint64_t hash(Bytes text) {
  // FNV-1a.
  uint64_t hash = 0xcbf29ce484222325;
  for (size_t i = 0; i < text.length; i++) hash = (hash ^ (unsigned char)text.bytes[i]) * 0x100000001b3;
  return hash;
}

static Text keep(Artists *artists, Bytes text) {
  if (artists->byte_count + text.length > artists->byte_capacity) {
    artists->byte_capacity = (artists->byte_capacity + text.length) * 2;
    artists->bytes = grown(artists->bytes, artists->byte_capacity);
  }
  memcpy(artists->bytes + artists->byte_count, text.bytes, text.length);
  Text kept = {(uint32_t)artists->byte_count, (uint32_t)text.length};
  artists->byte_count += text.length;
  return kept;
}

static void grow_slots(Artists *artists) {
  uint32_t count = artists->slot_count ? artists->slot_count * 2 : 1 << 16;
  Slot *slots = grown(NULL, count * sizeof(Slot));
  memset(slots, 0, count * sizeof(Slot));
  for (uint32_t i = 0; i < artists->slot_count; i++) {
    if (!artists->slots[i].artist) continue;
    uint32_t place = artists->slots[i].hash & (count - 1);
    while (slots[place].artist) place = (place + 1) & (count - 1);
    slots[place] = artists->slots[i];
  }
  free(artists->slots);
  artists->slots = slots;
  artists->slot_count = count;
}

Bytes artist_text(const Artists *artists, Text text) {
  return (Bytes){artists->bytes + text.start, text.length};
}

uint32_t artist_number(Artists *artists, Bytes name, Bytes id, Bytes image) {
  if (artists->count * 2 >= artists->slot_count) grow_slots(artists);
  uint64_t wanted = hash(name);
  Slot *slot = &artists->slots[wanted & (artists->slot_count - 1)];
  while (slot->artist) {
    if (slot->hash == wanted) {
      Bytes found = artist_text(artists, artists->all[slot->artist - 1].name);
      if (found.length == name.length && !memcmp(found.bytes, name.bytes, name.length)) return slot->artist;
    }
    if (++slot == artists->slots + artists->slot_count) slot = artists->slots;
  }
  if (artists->count == artists->capacity) {
    artists->capacity = artists->capacity ? artists->capacity * 2 : 1 << 16;
    artists->all = grown(artists->all, artists->capacity * sizeof(Artist));
  }
  artists->all[artists->count++] =
      (Artist){.id = keep(artists, id), .name = keep(artists, name), .image = keep(artists, image)};
  *slot = (Slot){wanted, artists->count};
  return artists->count;
}
