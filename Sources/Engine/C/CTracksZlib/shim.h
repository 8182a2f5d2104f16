#pragma once
#include <zlib.h>

// Swift cannot call function-like macros: these wrap the ones that are needed. Negative bits mean a stream without header.
static inline int czlib_inflate_init_raw(z_stream *stream) {
  return inflateInit2(stream, -MAX_WBITS);
}

static inline int czlib_inflate_init_gzip(z_stream *stream) {
  return inflateInit2(stream, 16 + MAX_WBITS);
}

static inline int czlib_deflate_init_raw(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
}
