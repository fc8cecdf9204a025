/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reload - policies that are saved and loaded, or adopted, all the time
 *
 * Before every other step, unless a mark is open, the model and the policy become an image and are
 * made again from it; the image of that must be the same bytes, and its digest that of before.
 * Before the others a new policy on the same model adopts what this one knows, with that digest,
 * too.  Aborts when they are not.
 */
#ifndef TESTS_LIB_RELOAD_H
#define TESTS_LIB_RELOAD_H

#include "decide/policy.h"

extern const struct fl_policy_ops reload_borrow, reload_entitle;

/* The policy inside, until the next step. */
struct fl_policy *reload_inner(struct fl_policy *p);

/* Image bytes in memory. */
struct reload_bytes {
	char *bytes;
	size_t n, cap, at;
};
int reload_write(void *bytes, const void *from, size_t n, fairlead_error *err);
int reload_read(void *bytes, char *to, size_t size, size_t *ret, fairlead_error *err);

#endif
