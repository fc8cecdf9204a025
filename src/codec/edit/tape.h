/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tape - the fields of every object that decisions depend on, in order, to be written again
 *
 * Fields that the tables of kinds call supported are kept as they were written; everything else
 * (images, environments, annotations, messages of conditions, objects of other kinds) is never
 * stored here.  The output of a tape, when it is read, gives the same decisions, ties included: the
 * order of objects is kept, and pod specs that differ in fields that are left out get a number
 * each.
 *
 * fl_tape_hide replaces names by aliases (alias.h); called once, when all is on the tape.
 *
 * Memory: the caller's mem; 12 bytes for each token, and each text once.
 */
#ifndef FL_CODEC_EDIT_TAPE_H
#define FL_CODEC_EDIT_TAPE_H

#include "codec/object/kube.h"

struct fl_tape_item {
	uint8_t kind; /* enum fl_token_kind */
	uint8_t type; /* enum fl_scalar_type */
	uint8_t text; /* enum fl_text_kind */
	struct fl_sym sym;
};

struct fl_tape {
	const struct fl_mem *mem;
	struct fl_names names;
	struct fl_tape_item *items;
	uint32_t n, cap;
	uint32_t objects;
	struct fl_pairs shapes;       /* hash of a pod spec -> its number */
	struct fl_sym config_created; /* metadata of the ConfigMap that holds a Configuration */
	bool no_moves;                /* a Moves is not put on it */
	struct fl_kube_tap tap;       /* for fl_kube_read_from */
};

int fl_tape_init(struct fl_tape *t, const struct fl_mem *mem, fairlead_error *err);
void fl_tape_done(struct fl_tape *t);

/* Replaces names by aliases in the same order; the same @key gives the same aliases. */
int fl_tape_hide(struct fl_tape *t, const uint64_t key[2], fairlead_error *err);

static inline const char *fl_tape_text(const struct fl_tape *t, uint32_t item)
{
	return fl_names_text(&t->names, t->items[item].sym);
}

/* A number of YAML as JSON spells it ("0x1F", "+5", ".5"); @text itself where nothing is to be done. */
const char *fl_tape_number(const char *text, char *buffer, size_t size);

#endif
