#pragma once
// What Swift's module of the C library on Linux leaves out.
#include <sys/xattr.h>
#ifdef __linux__
#include <malloc.h>
#include <stdint.h>
// Declared by <fcntl.h> for _GNU_SOURCE only.
int sync_file_range(int descriptor, int64_t offset, int64_t count, unsigned int flags);
enum { SYNC_FILE_RANGE_WRITE = 2 };
#endif
