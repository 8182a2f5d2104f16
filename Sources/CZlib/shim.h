#pragma once
#include <zlib.h>

// Swift cannot call function-like macros: this wraps the one that is needed. Negative bits mean a stream without header.
static inline int czlib_inflate_init_raw(z_stream *stream) {
  return inflateInit2(stream, -MAX_WBITS);
}
