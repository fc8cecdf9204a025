/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows - what the codec makes of a Workload, packed; and those rows again in another model
 *
 * In three parts, since most Workloads share the first two with many others: what its pods ask for
 * (podsets and all below them), what it holds (status.admission), and what is its own.  A part is a
 * text of bytes: numbers as few bytes as they need, each name once where it comes first.  Equal rows
 * are equal bytes, whatever else the model has.
 *
 * What it cannot do: the bytes are for this process; they are never read from a file.
 * Tested in tests/unit/mirror/test_rows.c: a model of packed rows is that of the objects.
 */
#ifndef FL_MIRROR_ROWS_H
#define FL_MIRROR_ROWS_H

#include "model/model.h"

struct fl_packed {
	uint8_t *bytes; /* heap; used again */
	uint32_t n, cap;
};

/* The only workload of @m, which is not sealed. */
int fl_rows_pack_pods(const struct fl_model *m, struct fl_packed *ret, fairlead_error *err);
int fl_rows_pack_held(const struct fl_model *m, struct fl_packed *ret, fairlead_error *err);
/* Without its namespace, name and uid. */
int fl_rows_pack_own(const struct fl_model *m, struct fl_packed *ret, fairlead_error *err);

/* In the place of what it holds, where that cannot be read: which queues it names, and why. */
int fl_rows_pack_uncertain(const struct fl_model *m, struct fl_packed *ret, fairlead_error *err);

/* Rows of that part are added to @m; *ret is where. */
int fl_rows_add_pods(struct fl_model *m, const uint8_t *bytes, struct fl_span *ret,
		     fairlead_error *err);
int fl_rows_add_held(struct fl_model *m, const uint8_t *bytes, struct fl_span *ret,
		     fairlead_error *err);
/* Without its namespace and name; the model gets the words. */
int fl_rows_read_uncertain(struct fl_model *m, const uint8_t *bytes, struct fl_uncertain_row *ret,
			   fairlead_error *err);
/* Adds the workload; @row has its namespace, name, uid and the spans of the other parts. */
int fl_rows_add_own(struct fl_model *m, const uint8_t *bytes, struct fl_workload_row *row,
		    fairlead_error *err);

/* Its own part alone, with the names of @names, which new ones are added to. */
struct fl_rows_own {
	struct fl_workload_row row;
	struct fl_requeue_row requeue; /* row.requeue is 0, or FL_NONE */
	struct fl_eviction_row eviction;
	bool has_eviction;
	struct fl_life_row life;
	bool has_life;
};
int fl_rows_read_own(const uint8_t *bytes, struct fl_names *names, struct fl_rows_own *ret,
		     fairlead_error *err);

#endif
