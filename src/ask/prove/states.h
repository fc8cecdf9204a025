/* SPDX-License-Identifier: Apache-2.0 */
/*
 * states - states that were seen, word by word, and which moves lead from one to the next
 *
 * Guarantees: two states have one number if and only if all their words are equal.  States are
 * numbered as they are found, each from a state before it, so the first edge that leads to one is
 * on a shortest way there.  Whatever fails, or would pass the limit, leaves all as it was.
 *
 * A word is stored as its number among all words seen, a state by its words' numbers, 7 bits a
 * byte; they begin at 1, so that no text ends in a zero byte, and zeros can fill it up.
 *
 * Memory: a state takes 16 bytes, 5 to 8 of the table by hash, its text (one to two bytes a word, and
 * a workload has one word at least), 8 for each edge, and those of the search for loops, which are
 * counted from the beginning.
 */
#ifndef FL_ASK_PROVE_STATES_H
#define FL_ASK_PROVE_STATES_H

#include "ask/prove/prove.h"

struct fl_seen {
	uint32_t text;   /* where it begins in `texts` */
	uint32_t hash;   /* of its text */
	uint32_t parent; /* the state it was found from; FL_NONE: the first one */
	uint32_t edges;  /* the first that leads from it */
};

struct fl_edge {
	uint32_t to;
	uint32_t move; /* its number among the words: see fl_states_move */
};

struct fl_states {
	const struct fl_mem *mem;
	size_t bytes, limit; /* held, and at most to hold */

	struct fl_seen *seen;
	uint32_t n, cap;
	uint32_t explored; /* states below it have their edges */
	struct fl_edge *edges;
	uint32_t n_edges, cap_edges;
	uint32_t *texts;
	uint32_t n_texts, cap_texts;
	uint64_t *words;
	uint32_t n_words, cap_words;
	uint32_t *word_slots, *slots; /* number + 1 by hash, or 0 */
	uint32_t n_word_slots, n_slots;

	/* the state that is being spelled */
	unsigned char *text;
	uint32_t n_text, cap_text;
	uint64_t hash;
};

/* Outcome of what needs room: the limit is reached. */
enum { FL_STATES_FULL = 1 };

void fl_states_init(struct fl_states *s, const struct fl_mem *mem);
void fl_states_done(struct fl_states *s);
/* None was seen; the memory stays. */
void fl_states_clear(struct fl_states *s);

/* Spell one: begin, each word, then its number. *ret_new: it was not seen before. */
void fl_states_begin(struct fl_states *s);
int fl_states_word(struct fl_states *s, uint64_t word, fairlead_error *err);
int fl_states_add(struct fl_states *s, uint32_t parent, uint32_t *ret, fairlead_error *err);

/* The same of a text that was saved with its words, @units of 4 bytes. */
int fl_states_take(struct fl_states *s, const uint32_t *text, uint32_t units, uint32_t parent,
		   uint32_t *ret, fairlead_error *err);
/* The number of @word, from 1, new or not. */
int fl_states_number(struct fl_states *s, uint64_t word, uint32_t *ret, fairlead_error *err);

/* A move leads from the last state that is being explored to @to and evicts so many. */
int fl_states_lead(struct fl_states *s, uint32_t to, struct fl_move move, uint32_t evicted,
		   fairlead_error *err);
/* The move by which @state, not the first one, was found. */
struct fl_move fl_states_way(const struct fl_states *s, uint32_t state);
/* What an edge stands for. */
struct fl_move fl_states_move(const struct fl_states *s, const struct fl_edge *e);
uint32_t fl_states_evicted(const struct fl_states *s, const struct fl_edge *e);

/* All edges of the next state are there; or it was not to be: back to @n states. */
void fl_states_explored(struct fl_states *s);
void fl_states_undo(struct fl_states *s, uint32_t n);

/* Edges that lead from @state: none while it is not explored. */
static inline uint32_t fl_states_edges(const struct fl_states *s, uint32_t state)
{
	return state < s->explored ? s->seen[state].edges : s->n_edges;
}

#endif
