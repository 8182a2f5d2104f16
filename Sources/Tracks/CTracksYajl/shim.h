#pragma once
#include <yajl/yajl_parse.h>

// Swift cannot call variadic functions: this wraps the one that is needed.
static inline int cyajl_enable(yajl_handle handle, yajl_option option) {
  return yajl_config(handle, option, 1);
}
