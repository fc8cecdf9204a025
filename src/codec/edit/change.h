/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change - objects laid over a state: added, replaced, left out
 *
 * As kubectl apply and delete would: an object of the same kind and name is
 * replaced, where it stands; what the new one leaves out of `status`, and of
 * `metadata` but for labels and annotations, stays as it was.  An object that is
 * new comes behind all others, a workload without creationTimestamp as if created
 * a second after the clock.  A deleted namespace takes with it what is in it.
 * A Configuration and the ConfigMap that holds one are the same object.  There is one
 * Simulation, and a new one is laid over it field by field.
 *
 * In this order: deletions are named, the changes are read (tap `collect`; into a
 * model of their own, so that mistakes are found with their places), the state is
 * read (`compare`), and, unless only cells change, read once more with the changes
 * laid over it (`lay`, then fl_changes_add).
 *
 * Memory: the caller's mem; each changed object is kept whole.
 */
#ifndef FL_CODEC_EDIT_CHANGE_H
#define FL_CODEC_EDIT_CHANGE_H

#include "codec/object/kube.h"
#include "codec/text/doc.h"
#include "record/record.h"

struct fl_change {
	const char *kind;
	struct fl_doc doc; /* empty: left out */
	uint32_t input;    /* of the model of the changes */
	bool deleted;
	bool met; /* it stands in the state, or something in the namespace does */
};

struct fl_changes {
	const struct fl_mem *mem;
	struct fl_names names; /* "Workload/ns/name"; row i is symbol i + 1 */
	struct fl_change *rows;
	uint32_t n, cap;
	bool general; /* more than cells */
	fl_time now;  /* for those that are new */
	struct fl_kube_tap collect, compare, lay;
	/* NULL, or sees each object that was read for a change, laid over what it was. */
	int (*keep)(void *user, uint32_t input, const struct fl_doc *doc, fairlead_error *err);
	void *keep_user;
};

int fl_changes_init(struct fl_changes *c, const struct fl_mem *mem, fairlead_error *err);
void fl_changes_done(struct fl_changes *c);

/* "KIND/NAME" or "KIND/NAMESPACE/NAME", the kind in any case. FAIRLEAD_EINPUT. */
int fl_changes_delete(struct fl_changes *c, const char *object, fairlead_error *err);

/* "ClusterQueue/team-a" */
const char *fl_change_name(const struct fl_changes *c, uint32_t row);

/* After the state was read: what is new or deleted is more than cells. */
void fl_changes_compared(struct fl_changes *c);

/*
 * The same of a state whose objects are not there to be read (an image): @changes is the model
 * of the changes.  FAIRLEAD_EINPUT when one is more than cells of what is in @m.
 */
int fl_changes_compare_sealed(struct fl_changes *c, const struct fl_model *m,
			      const struct fl_model *changes, fairlead_error *err);

/*
 * Unless general: the cells that differ, as events for a policy on @m, the sealed
 * state; @changes is the model of the changes.  1 when a policy could not take one.
 */
int fl_changes_cells(struct fl_changes *c, const struct fl_model *m, const struct fl_model *changes,
		     struct fl_event **events, uint32_t *n, fairlead_error *err);

/* The inputs of the changes come first in @m, so that places are right. */
int fl_changes_begin(const struct fl_changes *c, const struct fl_model *changes, struct fl_model *m,
		     fairlead_error *err);
/* The Simulation of the changes, if there is one, over what was read of it so far. */
int fl_changes_lay_simulation(struct fl_changes *c, struct fl_model *m, fairlead_error *err);
/* What is new: neither `compare` nor `lay` has met it. */
int fl_changes_add(struct fl_changes *c, struct fl_model *m, fairlead_error *err);

#endif
