/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shelf - objects as they were read, kept so that they can be read again with changes over them
 *
 * Nothing can be added to a sealed model.  So all objects are read again into a new model: those on
 * the shelf, with changes laid over them (change.h), which also makes a new shelf.  The two shelves
 * share the unchanged objects until fl_shelf_give or fl_shelf_done.
 *
 * Each object of a known kind is kept whole, so that places, notices and results are those of the
 * first time.  Objects of unknown kinds, or without kind, are not kept.
 *
 * Memory: the caller's mem; 40 bytes for each value, and its text.
 */
#ifndef FL_CODEC_EDIT_SHELF_H
#define FL_CODEC_EDIT_SHELF_H

#include "codec/edit/change.h"

struct fl_shelf_row {
	struct fl_doc *doc;
	struct fl_sym input; /* the name of its input in messages; of the shelf's names */
	bool shared;         /* another shelf still owns it */
	bool stays;          /* the newest shelf has it, too */
};

struct fl_shelf {
	const struct fl_mem *mem;
	struct fl_names inputs;
	struct fl_shelf_row *rows;
	uint32_t n, cap;
	uint64_t seen;          /* objects that were read, also those that are not kept */
	struct fl_kube_tap tap; /* puts a copy of each object here: for fl_kube_read_from */
};

int fl_shelf_init(struct fl_shelf *s, const struct fl_mem *mem, fairlead_error *err);
/* Shared objects stay with their owner. */
void fl_shelf_done(struct fl_shelf *s);

/*
 * Reads all objects of @s into @m with @c laid over them, then the new ones; *ret, empty before,
 * gets all objects that were read, and shares the unchanged ones.  @edit is the model of the
 * changes.  FAIRLEAD_ENOENT: an object to delete does not exist.  After an error *ret and @m can
 * only be freed, and @s is unchanged.
 */
int fl_shelf_lay(struct fl_shelf *s, struct fl_changes *c, const struct fl_model *edit,
		 struct fl_model *m, struct fl_shelf *ret, fairlead_error *err);

/*
 * The new objects of @c alone, into @m and into *ret, empty before; for those of fl_shelf_join.
 * After an error both can only be freed.
 */
int fl_shelf_add(struct fl_changes *c, const struct fl_model *edit, struct fl_model *m,
		 struct fl_shelf *ret, fairlead_error *err);

/* Room for the objects of @more; fl_shelf_join, which cannot fail then, puts them behind those of @s. */
int fl_shelf_reserve(struct fl_shelf *s, const struct fl_shelf *more, fairlead_error *err);
void fl_shelf_join(struct fl_shelf *s, struct fl_shelf *more);

/* Frees @s; @next then owns the objects that it shares with it. */
void fl_shelf_give(struct fl_shelf *s, struct fl_shelf *next);

#endif
