/* SPDX-License-Identifier: Apache-2.0 */
/*
 * few - how many random cases a test does
 *
 * valgrind runs a test some hundred times slower, and is there for one thing that sanitizers do not
 * see: memory that is read before it is written.  A few worlds show that; all of them are looked at
 * by the plain build and under sanitizers.
 */
#ifndef FL_TESTS_LIB_FEW_H
#define FL_TESTS_LIB_FEW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static inline bool under_valgrind(void) { return getenv("FAIRLEAD_UNDER_VALGRIND") != NULL; }

/* @n, and under valgrind a sixteenth of it, at least one. */
static inline uint32_t few(uint32_t n) { return !under_valgrind() ? n : n < 16 ? 1 : n / 16; }

/* Built with them, unless it is the longer run: what is alike but for its place is looked at here and there. */
static inline bool under_sanitizers(void)
{
#ifdef __SANITIZE_ADDRESS__
	return getenv("FAIRLEAD_EACH_PLACE") == NULL;
#else
	return false;
#endif
}

#endif
