/* SPDX-License-Identifier: Apache-2.0 */
/* fetch - the objects of a cluster that decide, as files that verbs read in place of those of -f */
#ifndef FL_CLI_CLUSTER_FETCH_H
#define FL_CLI_CLUSTER_FETCH_H

#include "cli/cluster/kept.h"
#include "cli/cluster/kinds.h"
#include "cli/cluster/lists.h"

struct fl_fetch;

/* One kind. */
struct fl_fetched {
	const struct fl_cluster_kind *row;
	struct fl_list list; /* of the source of the row, perhaps of one namespace */
	struct fl_fetch *all;
	struct fl_cluster_kept kept;
	bool begun;     /* it was asked for */
	bool absent;    /* the server has no such kind */
	bool forbidden; /* it may not be listed */
	uint64_t too_large;
};

struct fl_fetch {
	struct fl_lists lists;
	const char *namespace;  /* only of this one, where that suffices; NULL: of all */
	enum fl_dialect wanted; /* FL_DIALECT_ANY: both */
	struct fl_fetched kinds[FL_CLUSTER_KINDS];
	unsigned n; /* rows */
};

/*
 * Reads all of them with lists.reach, which it does not need afterwards; kinds and n are set here.
 * FAIRLEAD_ENOENT: neither Kueue nor KAI is there; or what an answer said.
 */
int fl_fetch_all(struct fl_fetch *f, fairlead_error *err);
void fl_fetch_done(struct fl_fetch *f);

#endif
