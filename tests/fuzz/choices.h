/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choices - an input's bytes as choices, and a world they choose as one JSON text
 */
#ifndef FL_TESTS_FUZZ_CHOICES_H
#define FL_TESTS_FUZZ_CHOICES_H

#include <stdarg.h>

#include "fuzz/fuzz.h"

struct choices {
	const uint8_t *at, *end;
};

/*
 * Below @below (up to 256); 0 once the input is used up.  One call a statement: compilers evaluate
 * arguments in orders of their own, and an input has to mean the same to each of them.
 */
static inline unsigned choose(struct choices *c, unsigned below)
{
	return c->at < c->end ? *c->at++ % below : 0;
}

static inline const char *one_of(struct choices *c, const char *const *words)
{
	unsigned n = 0;

	while (words[n])
		n++;
	return words[choose(c, n)];
}
#define ONE_OF(c, ...) one_of(c, (const char *const[]){ __VA_ARGS__, NULL })

struct text {
	char bytes[1 << 17];
	size_t n;
};

__attribute__((format(printf, 2, 3))) static inline void say(struct text *t, const char *format,
							     ...)
{
	va_list args;

	va_start(args, format);
	t->n += (size_t)vsnprintf(t->bytes + t->n, sizeof t->bytes - t->n, format, args);
	va_end(args);
	ENSURE(t->n < sizeof t->bytes);
}

/* Of a list: what follows goes on in it, up to its last brace. */
static inline void say_object(struct text *t, const char *version, const char *kind,
			      const char *metadata)
{
	say(t, "%s{\"apiVersion\":\"%s\",\"kind\":\"%s\",\"metadata\":{%s}",
	    t->bytes[t->n - 1] == '[' ? "" : ",", version, kind, metadata);
}

#endif
