/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slice - parts of a JSON text as they stand in it, by their keys
 *
 * For a text that was read whole before: nothing is held against the rules of JSON here, nothing is copied, and a
 * key is found only as an API server writes it, without escapes.  A text that is cut ends early, as if there were no more.
 *
 * Tested in tests/unit/daemon/test_slice.c.
 */
#ifndef FL_DAEMON_CLUSTER_SCHEDULER_SLICE_H
#define FL_DAEMON_CLUSTER_SCHEDULER_SLICE_H

#include <stdbool.h>
#include <stddef.h>

struct fl_slice {
	const char
		*at; /* a value begins here, a text with its quotation mark; NULL: there is none */
	size_t n;
};

/* Members of a map, or items of a list, one after another. */
struct fl_slices {
	const char *at, *end; /* what is left */
	bool is_map;
};
/* Of what is neither a map nor a list: none. */
struct fl_slices fl_slices_in(struct fl_slice value);
/* @ret_key: of an item none. False: there are no more. */
bool fl_slices_next(struct fl_slices *s, struct fl_slice *ret_key, struct fl_slice *ret);

/* The value of @key in a map; none where it is not there, or @map is none. */
struct fl_slice fl_slice_of(struct fl_slice map, const char *key);
/* Is it this text? */
bool fl_slice_is(struct fl_slice s, const char *text);

#endif
