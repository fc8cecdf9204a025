/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loaded - functions of libraries that are loaded when they are needed; private to net and kube
 *
 * A library stays loaded: its state in the process cannot be removed safely.
 */
#ifndef FL_NET_LOADED_LOADED_H
#define FL_NET_LOADED_LOADED_H

#include <stddef.h>

#include "base/error.h"

struct fl_loaded_function {
	const char *name;
	size_t at; /* of its pointer in the table, in bytes */
};

struct fl_loaded {
	const char *const *names; /* of its file; the first that is there; ended by NULL */
	const char *package;      /* that has it */
	const struct fl_loaded_function *functions;
	size_t n;
};

/* Fills in the table. FAIRLEAD_EIO: the library, or a function of it, is not there. */
int fl_load(const struct fl_loaded *l, void *table, fairlead_error *err);

#endif
