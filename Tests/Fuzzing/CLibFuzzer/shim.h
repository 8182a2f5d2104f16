#pragma once
#include <stddef.h>
#include <stdint.h>

// libFuzzer's own changes, for what has no pages.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
