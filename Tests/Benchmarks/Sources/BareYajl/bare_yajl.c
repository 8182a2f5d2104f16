#include "bare_yajl.h"

#include <yajl/yajl_parse.h>

static int null(void *count) { return ++*(long *)count, 1; }
static int boolean(void *count, int value) { return ++*(long *)count, 1; }
static int text(void *count, const unsigned char *bytes, size_t length) { return ++*(long *)count, 1; }
static int number(void *count, const char *bytes, size_t length) { return ++*(long *)count, 1; }

static yajl_callbacks callbacks = {null, boolean, NULL, NULL, number, text, null, text, null, null, null};

long bare_yajl_parse(const char *bytes, const size_t *ends, size_t count) {
  long events = 0;
  yajl_handle parser = yajl_alloc(&callbacks, NULL, &events);
  yajl_config(parser, yajl_allow_multiple_values, 1);
  size_t start = 0;
  for (size_t i = 0; i < count && events >= 0; i++) {
    const unsigned char *document = (const unsigned char *)bytes + start;
    if (yajl_parse(parser, document, ends[i] - start) != yajl_status_ok) events = -1;
    start = ends[i];
  }
  yajl_free(parser);
  return events;
}
