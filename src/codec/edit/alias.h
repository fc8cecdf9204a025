/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alias - replaces names by meaningless ones with the same order
 *
 * Ties are broken by names, so a hash alone would change decisions.  An alias is the kind of the
 * name, its place among all names of that kind, and a keyed hash: "queue-03-8f21c04d".  All places
 * have the same number of digits, so aliases sort as their names did, and none begins another.
 * With the key (or the text from which it was made) one can test whether an alias stands for a
 * given name; without it one cannot.  An alias reveals the order of names.
 *
 * Kept: resources that every cluster has or that determine units (fl_alias_keeps), the label
 * kubernetes.io/metadata.name, the words of Kueue's conditions, and KAI's own priority classes.  A
 * label's value that is an integer becomes its place among the integers, since node affinity
 * compares numbers.
 */
#ifndef FL_CODEC_EDIT_ALIAS_H
#define FL_CODEC_EDIT_ALIAS_H

#include "codec/object/kube.h"

struct fl_alias_name {
	enum fl_text_kind kind;
	struct fl_sym sym;
	uint32_t place; /* 1-based, among those of its kind */
};

struct fl_aliases {
	const struct fl_mem *mem;
	struct fl_names *names; /* the texts; aliases are added to them */
	uint64_t key[2];
	struct fl_alias_name *rows; /* by kind and text once sorted */
	uint32_t n, cap;
	struct fl_pairs by_name; /* (kind, symbol) -> row */
	uint32_t count[FL_TEXT_KINDS];
};

void fl_aliases_init(struct fl_aliases *a, const struct fl_mem *mem, struct fl_names *names,
		     const uint64_t key[2]);
void fl_aliases_done(struct fl_aliases *a);

/* Add all names; then sort, once; then look up. */
int fl_aliases_add(struct fl_aliases *a, enum fl_text_kind kind, struct fl_sym name,
		   fairlead_error *err);
int fl_aliases_sort(struct fl_aliases *a, fairlead_error *err);
/* The alias; @name itself when it is kept. */
int fl_alias(struct fl_aliases *a, enum fl_text_kind kind, struct fl_sym name, struct fl_sym *ret,
	     fairlead_error *err);

/* Is a text of this kind written as it is? */
bool fl_alias_keeps(enum fl_text_kind kind, const char *text);

/* A keyed hash of 64 bits (SipHash-2-4). */
uint64_t fl_keyed_hash(const uint64_t key[2], const void *bytes, size_t len);

#endif
