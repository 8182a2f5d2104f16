// What yajl costs by itself.
#pragma once
#include <stddef.h>

// Parses documents that lie one after the other, with callbacks that only count.
//
// Returns how many events there were; -1 when a document is broken.
long bare_yajl_parse(const char *bytes, const size_t *ends, size_t count);
