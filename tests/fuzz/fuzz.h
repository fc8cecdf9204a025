/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz - what every fuzzer has: its one entry, and assertions that hold in any build
 *
 * A fuzzer is one file with LLVMFuzzerTestOneInput.  With clang it is linked to
 * libFuzzer, which looks for new inputs (tools/fuzz); with any compiler to
 * replay.c, which feeds it those that were found (README.md).
 */
#ifndef FL_TESTS_FUZZ_FUZZ_H
#define FL_TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Always 0: libFuzzer wants it so. @data is not NUL-terminated; it may be NULL when @size is 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ENSURE(condition)                                                                          \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			(void)fprintf(stderr, "%s:%d: %s: not so: %s\n", __FILE__, __LINE__,       \
				      __func__, #condition);                                       \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* A number that an input always has, for choices that it does not spell out (FNV-1a). */
static inline uint64_t fuzz_hash(const uint8_t *data, size_t size)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ data[i]) * UINT64_C(0x100000001b3);
	return hash;
}

#endif
