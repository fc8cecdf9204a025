/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shelf - objects as they were read, kept so that they can be read again with changes over them
 *
 * A sealed model cannot take more.  Whoever wants one with more in it reads all objects again:
 * those on the shelf, with what changes laid over them (change.h), into a new model, and has a
 * new shelf then.  The two share what stays until it is said which one counts.
 *
 * Kept is each object that some kind reads, whole, so that places, notices and the outcome are
 * those of the first time.  What nobody reads is not kept, nor is what has no kind.
 *
 * Memory: the caller's mem; 40 bytes a value and its text, exactly.
 */
#ifndef FL_CODEC_EDIT_SHELF_H
#define FL_CODEC_EDIT_SHELF_H

#include "codec/edit/change.h"

struct fl_shelf_row {
	struct fl_doc *doc;
	struct fl_sym input; /* of the shelf's names: what messages call its input */
	bool shared;         /* it is another shelf's still */
	bool stays;          /* the shelf made last has it, too */
};

struct fl_shelf {
	const struct fl_mem *mem;
	struct fl_names inputs;
	struct fl_shelf_row *rows;
	uint32_t n, cap;
	uint64_t seen;          /* objects that came by, also those that are not kept */
	struct fl_kube_tap tap; /* puts a copy of each object here: for fl_kube_read_from */
};

int fl_shelf_init(struct fl_shelf *s, const struct fl_mem *mem, fairlead_error *err);
/* What is shared stays with whose it is. */
void fl_shelf_done(struct fl_shelf *s);

/*
 * All that stands on @s into @m with @c over it, then what is new; whatever was read is on *ret,
 * empty before, which shares what stayed.  @edit is the model of the changes.  FAIRLEAD_ENOENT:
 * something that is to be deleted is not there.  After an error *ret and @m can only be freed, and
 * @s is as it was.
 */
int fl_shelf_lay(struct fl_shelf *s, struct fl_changes *c, const struct fl_model *edit,
		 struct fl_model *m, struct fl_shelf *ret, fairlead_error *err);

/* @s goes, and what @next shares of it becomes its own. */
void fl_shelf_give(struct fl_shelf *s, struct fl_shelf *next);

#endif
