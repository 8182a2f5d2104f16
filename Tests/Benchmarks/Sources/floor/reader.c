#include "reader.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

enum { ID, NAME, IMAGE, FIELD_COUNT, NONE = FIELD_COUNT, TEXT_LIMIT = 4096 };

// Where yajl is in a document, and the artist that is being read.
typedef struct {
  Reader *reader;
  uint32_t track;
  int depth, is_artists_next, is_in_artists, field;
  char texts[FIELD_COUNT][TEXT_LIMIT];
  size_t lengths[FIELD_COUNT];
} Document;

static int is(const unsigned char *text, size_t length, const char *word) {
  return length == strlen(word) && !memcmp(text, word, length);
}

static int start_map(void *context) {
  Document *document = context;
  if (++document->depth == 3 && document->is_in_artists) {
    memset(document->lengths, 0, sizeof document->lengths);
    document->field = NONE;
  }
  return 1;
}

static int map_key(void *context, const unsigned char *key, size_t length) {
  Document *document = context;
  if (document->depth == 1) {
    document->is_artists_next = is(key, length, "artists");
  } else if (document->is_in_artists && document->depth == 3) {
    document->field = is(key, length, "id")         ? ID
                      : is(key, length, "name")     ? NAME
                      : is(key, length, "imageURL") ? IMAGE
                                                    : NONE;
  }
  return 1;
}

static int end_map(void *context) {
  Document *document = context;
  if (document->depth-- == 3 && document->is_in_artists) {
    Bytes texts[FIELD_COUNT];
    for (int i = 0; i < FIELD_COUNT; i++) texts[i] = (Bytes){document->texts[i], document->lengths[i]};
    uint32_t artist = artist_number(&document->reader->artists, texts[NAME], texts[ID], texts[IMAGE]);
    add_link(&document->reader->links, artist, document->track);
  }
  return 1;
}

static int start_array(void *context) {
  Document *document = context;
  if (++document->depth == 2) document->is_in_artists = document->is_artists_next;
  return 1;
}

static int end_array(void *context) {
  Document *document = context;
  if (document->depth-- == 2) document->is_in_artists = 0;
  return 1;
}

static int string(void *context, const unsigned char *text, size_t length) {
  Document *document = context;
  if (!document->is_in_artists || document->depth != 3 || document->field == NONE) return 1;
  if (length > TEXT_LIMIT) length = TEXT_LIMIT;
  memcpy(document->texts[document->field], text, length);
  document->lengths[document->field] = length;
  return 1;
}

static int null(void *context) { return 1; }
static int boolean(void *context, int value) { return 1; }
static int number(void *context, const char *text, size_t length) { return 1; }

static yajl_callbacks callbacks = {null,      boolean, NULL,    NULL,        number,   string,
                                   start_map, map_key, end_map, start_array, end_array};

void *read_tracks(void *argument) {
  Document document = {.reader = argument};
  Reader *reader = argument;
  sqlite3 *database;
  sqlite3_stmt *statement;
  if (sqlite3_open_v2(reader->source, &database, SQLITE_OPEN_READONLY, NULL) ||
      sqlite3_exec(database, "PRAGMA mmap_size = 17179869184", NULL, NULL, NULL) ||
      sqlite3_prepare_v2(
          database, "SELECT Z_PK, ZJSON FROM ZTRACK WHERE Z_PK >= ? AND Z_PK < ?", -1, &statement, NULL)) {
    fprintf(stderr, "floor: %s\n", sqlite3_errmsg(database));
    exit(1);
  }
  sqlite3_bind_int64(statement, 1, reader->first);
  sqlite3_bind_int64(statement, 2, reader->end);
  yajl_handle parser = yajl_alloc(&callbacks, NULL, &document);
  yajl_config(parser, yajl_allow_multiple_values, 1);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    document.track = (uint32_t)sqlite3_column_int64(statement, 0);
    const unsigned char *text = sqlite3_column_text(statement, 1);
    if (yajl_parse(parser, text, sqlite3_column_bytes(statement, 1)) != yajl_status_ok) {
      fprintf(stderr, "floor: the JSON of track %u is broken\n", document.track);
      exit(1);
    }
  }
  yajl_free(parser);
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return NULL;
}

void add_link(Links *links, uint32_t artist, uint32_t track) {
  if (links->count == links->capacity) {
    links->capacity = links->capacity ? links->capacity * 2 : 1 << 20;
    links->all = grown(links->all, links->capacity * sizeof(Link));
  }
  links->all[links->count++] = (Link)artist << 32 | track;
}

void sort_links(Links *links) {
  static size_t places[1 << 16];
  Link *sorted = grown(NULL, (links->count + 1) * sizeof(Link));
  for (int shift = 0; shift < 64; shift += 16) {
    memset(places, 0, sizeof places);
    for (size_t i = 0; i < links->count; i++) places[links->all[i] >> shift & 0xffff]++;
    size_t place = 0;
    for (int digit = 0; digit < 1 << 16; digit++) {
      size_t count = places[digit];
      places[digit] = place;
      place += count;
    }
    for (size_t i = 0; i < links->count; i++) sorted[places[links->all[i] >> shift & 0xffff]++] = links->all[i];
    Link *other = links->all;
    links->all = sorted;
    sorted = other;
  }
  free(sorted);
}
