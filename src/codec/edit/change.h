/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change - objects laid over a state: added, replaced, deleted
 *
 * An object of the same kind and name is replaced, in its place; fields of `status`, and of
 * `metadata` except labels and annotations, that the new one lacks stay as they were.  With
 * `merges` it is merged instead, as kubectl apply does (apply.h), and single fields can be set
 * (set.h).  A new object comes after all others, a workload without creationTimestamp as if
 * created a second after the clock.  The objects in a deleted namespace are deleted with it.  A
 * Configuration and the ConfigMap that holds one are the same object.  There is one Simulation, and
 * a new one is laid over it field by field.
 *
 * Order of calls: deletions and fields to set are named, the changes are read (tap `collect`, then
 * fl_changes_collected; into a model of their own, so that mistakes are reported with their places),
 * the state is read (`compare`; with `merges` then fl_changes_read_merged), and, unless only cells
 * change, read once more with the changes laid over it (`lay`, then fl_changes_add).
 *
 * Memory: the caller's mem; each changed object is kept whole.
 */
#ifndef FL_CODEC_EDIT_CHANGE_H
#define FL_CODEC_EDIT_CHANGE_H

#include "codec/edit/set.h"
#include "codec/object/kube.h"
#include "codec/text/doc.h"
#include "record/record.h"

struct fl_change {
	const char *kind;
	struct fl_doc doc;    /* empty: the object is left out, or only fields are set */
	struct fl_doc merged; /* with `merges`, after it was met: what it becomes */
	struct fl_set *sets;  /* in order, after `doc` */
	const char **texts;   /* of them */
	uint32_t n_sets, cap_sets, cap_texts;
	uint32_t input; /* of the model of the changes */
	bool implied;   /* `doc` is an empty Configuration for fields to be set in */
	bool deleted;
	bool met; /* it is in the state, or an object of the namespace is */
};

struct fl_changes {
	const struct fl_mem *mem;
	struct fl_names names; /* "Workload/ns/name"; row i is symbol i + 1 */
	struct fl_change *rows;
	uint32_t n, cap;
	bool merges;  /* set by the caller before anything is named or read */
	bool general; /* more than cells change */
	fl_time now;  /* creation time of new workloads */
	struct fl_kube_tap collect, compare, lay;
	/* NULL, or called with each changed object, laid over the old one. */
	int (*keep)(void *user, uint32_t input, const struct fl_doc *doc, fairlead_error *err);
	void *keep_user;
};

int fl_changes_init(struct fl_changes *c, const struct fl_mem *mem, fairlead_error *err);
void fl_changes_done(struct fl_changes *c);

/* "KIND/NAME" or "KIND/NAMESPACE/NAME", the kind in any case. FAIRLEAD_EINPUT. */
int fl_changes_delete(struct fl_changes *c, const char *object, fairlead_error *err);

/*
 * "KIND/NAME: PATH=VALUE", the object as above, the rest as set.h says; with `merges` only.
 * FAIRLEAD_EINPUT; FAIRLEAD_ENOENT: no such kind.
 */
int fl_changes_set(struct fl_changes *c, const char *text, fairlead_error *err);

/* After the changes were read into @edit. */
int fl_changes_collected(struct fl_changes *c, struct fl_model *edit, fairlead_error *err);

/*
 * With `merges`, after the state was read: each changed object as it becomes, into @edit, the model
 * of the changes.
 */
int fl_changes_read_merged(struct fl_changes *c, struct fl_model *edit, fairlead_error *err);

/* Before another state is compared: as if nothing was met. */
void fl_changes_forget(struct fl_changes *c);

/* Are only single fields of an object set? */
static inline bool fl_change_is_set(const struct fl_change *row)
{
	return row->n_sets && (row->doc.n == 0 || row->implied);
}

/* "ClusterQueue/team-a" */
const char *fl_change_name(const struct fl_changes *c, uint32_t row);

/* After the state was read: new and deleted objects are more than cells. */
void fl_changes_compared(struct fl_changes *c);

/*
 * The same for a state without objects to read (an image): @changes is the model of the changes.
 * With `merges` the changed objects come to @changes here.  FAIRLEAD_EINPUT when a change is more
 * than cells of the objects in @m.
 */
int fl_changes_compare_sealed(struct fl_changes *c, const struct fl_model *m,
			      struct fl_model *changes, fairlead_error *err);

/*
 * Unless `general`: the cells that differ, as events for a policy on @m, the sealed state; @changes
 * is the model of the changes. 1 when a policy could not take one.
 */
int fl_changes_cells(struct fl_changes *c, const struct fl_model *m, const struct fl_model *changes,
		     struct fl_event **events, uint32_t *n, fairlead_error *err);

/* Row number @row is met in the state as @old, with `merges`; private to change. */
int fl_change_merge_met(struct fl_changes *c, uint32_t row, const struct fl_doc *old,
			fairlead_error *err);

/* Adds the inputs of the changes to @m, first, so that places are right. */
int fl_changes_begin(const struct fl_changes *c, const struct fl_model *changes, struct fl_model *m,
		     fairlead_error *err);
/* Lays the Simulation of the changes, if there is one, over the one that was read. */
int fl_changes_lay_simulation(struct fl_changes *c, struct fl_model *m, fairlead_error *err);
/* Adds the new objects, which neither `compare` nor `lay` has met. */
int fl_changes_add(struct fl_changes *c, struct fl_model *m, fairlead_error *err);

#endif
