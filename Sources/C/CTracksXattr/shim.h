#pragma once
// Swift's module of the C library on Linux leaves this header out.
#include <sys/xattr.h>
