/* SPDX-License-Identifier: Apache-2.0 */
/* enumerate_parts - how many values a queue's parts may have.  Private to enumerate*.c. */
#ifndef FL_TESTS_PROVE_ENUMERATE_PARTS_H
#define FL_TESTS_PROVE_ENUMERATE_PARTS_H

#include "enumerate.h"

/* Requests of a workload, with its priority. */
static inline unsigned asks(const struct family *f)
{
	unsigned n = f->gangs          ? f->size * (f->size + 1) / 2 :
		     f->resources == 1 ? f->size :
					 (f->size + 1) * (f->size + 1) - 1;

	return n * f->priorities;
}

static inline unsigned nominals(const struct family *f)
{
	return f->resources == 1 ? f->nominal + 1 : (f->nominal + 1) * (f->nominal + 1);
}

static inline unsigned weights(const struct family *f)
{
	return f->weight == 1 ? 1 : f->weight + 1;
}

#endif
