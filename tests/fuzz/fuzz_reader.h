/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_reader - what is true of the tokens of any input, whatever its format
 *
 * Reads @text to its end or first mistake and checks that maps, lists, keys and
 * documents are nested as codec/text/reader.h says, that texts are UTF-8 within the
 * limits, that places lie inside the input and mistakes have one, that reading
 * in pieces, whole documents and skipping come to the same end, and that a
 * failing allocation is reported and leaves nothing behind.
 */
#ifndef FL_TESTS_FUZZ_FUZZ_READER_H
#define FL_TESTS_FUZZ_FUZZ_READER_H

#include "codec/text/reader.h"
#include "fuzz/fuzz.h"

struct fuzz_outcome {
	int code; /* 0, or the error */
	uint32_t line, column;
	uint32_t documents;
	uint64_t tokens, hash; /* of kinds, types, places and texts */
};

/* @forward: places never go back, as where nothing is an alias. */
struct fuzz_outcome fuzz_reader(const char *text, size_t size, bool forward);

#endif
