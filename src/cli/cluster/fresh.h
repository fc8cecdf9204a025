/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fresh - a mirror of a cluster as it is now: kinds that are listed whole, or single objects that are asked for
 * again
 *
 * Only lists are sent, of one object with a selector of its name: the right to list a kind is enough for both.  What
 * the server does not have is not in the mirror, either.
 * Tested in tests/kube/test_verify.py.
 */
#ifndef FL_CLI_CLUSTER_FRESH_H
#define FL_CLI_CLUSTER_FRESH_H

#include "base/limits.h"
#include "cli/cluster/lists.h"
#include "mirror/mirror.h"

struct fl_fresh;

struct fl_fresh_kind {
	enum fl_mirror_kind kind;
	/* Which objects; "": all, and no selector. */
	char versions[96], namespace[FL_MAX_NAME + 1], fields[300];
	bool wanted;      /* by the next fl_fresh_read */
	bool forbidden;   /* it may not be listed */
	uint32_t unnamed; /* objects of the last list that have no name, or no room */
	/* inside */
	struct fl_fresh *all;
	struct fl_list list;
};

/* One object. */
struct fl_fresh_name {
	struct fl_fresh_kind *kind;
	const char *namespace, *name; /* namespace "": none */
};

struct fl_fresh {
	struct fl_lists lists;
	struct fl_mirror *mirror;
	struct fl_fresh_kind kinds[FL_MIRROR_KINDS];
	uint32_t n;
};

/* Lists the kinds that are wanted, all at once. An answer other than a list, or that it may not be read, is the error. */
int fl_fresh_read(struct fl_fresh *f, fairlead_error *err);
/* Asks for these objects again. A name that no API server takes is left as it is. */
int fl_fresh_ask(struct fl_fresh *f, const struct fl_fresh_name *names, uint32_t n,
		 fairlead_error *err);

#endif
