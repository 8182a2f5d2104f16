#pragma once
// What Swift's module of the C library on Linux leaves out.
#include <sys/xattr.h>
#ifdef __linux__
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
// Declared by <fcntl.h> and <string.h> for _GNU_SOURCE only.
void *memmem(const void *bytes, size_t count, const void *part, size_t part_count);
int sync_file_range(int descriptor, int64_t offset, int64_t count, unsigned int flags);
enum { SYNC_FILE_RANGE_WRITE = 2 };
#endif
