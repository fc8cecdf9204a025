/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words - changes of a manifest that a blind change of bytes seldom finds
 *
 * Words become other words of the same input (so that names meet), of the domain,
 * or odd numbers; stretches stand twice; lines are gone.
 */
#ifndef FL_TESTS_FUZZ_WORDS_H
#define FL_TESTS_FUZZ_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_INPUT = 1 << 16 };

/* A sequence of numbers; equal states go on equally. */
struct random {
	uint64_t state;
};
uint32_t pick(struct random *r, size_t below); /* 0 when @below is 0 */

struct input {
	char bytes[MAX_INPUT + 1];
	size_t len;
};

/* Put @text in at @at, when there is room. */
void input_insert(struct input *in, size_t at, const char *text, size_t len);

/* One change. @gently: of words only, so that more of it is read and decided. */
void words_change(struct input *in, struct random *r, bool gently);

#endif
