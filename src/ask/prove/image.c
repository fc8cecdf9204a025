/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image - what was explored as tables of an image, and back
 *
 * It is built up again as it was found, state by state, so that what the states promise of
 * themselves holds of any image.  Whether its moves are true is not looked at again; that it is of
 * this state and model tells a sum of their own images.
 */
#include <string.h>

#include "ask/prove/prover.h"
#include "base/mix.h"
#include "model/image.h"

struct saved {
	uint64_t origin[2]; /* of the model and the first state */
	uint64_t tried;
	fl_time now;
	uint32_t explored, moves;
	uint64_t timed;
};

/* What counts as a move. */
enum { NO_CYCLES = 1, PROMPT = 2, APART = 4 };

static const struct fl_image_kind saved_kind = { "prove", sizeof(struct saved), 0 };
static const struct fl_image_kind seen_kind = { "prove.states", sizeof(struct fl_seen), 0 };
static const struct fl_image_kind edge_kind = { "prove.moves", sizeof(struct fl_edge), 0 };
static const struct fl_image_kind text_kind = { "prove.texts", sizeof(uint32_t), 0 };
static const struct fl_image_kind word_kind = { "prove.words", sizeof(uint64_t), 0 };

/* --- where it began --- */

static int mix_bytes(void *user, const void *bytes, size_t n, fairlead_error *err)
{
	const unsigned char *at = bytes;
	uint64_t word = 0;

	(void)err;
	for (; n > 0; n -= n < sizeof word ? n : sizeof word, at += sizeof word, word = 0) {
		memcpy(&word, at, n < sizeof word ? n : sizeof word);
		fl_mix(user, word);
	}
	return 0;
}

static int find_origin(const struct fl_policy_ops *ops, const struct fl_policy *p,
		       const struct fl_model *m, uint64_t ret[2], fairlead_error *err)
{
	struct fl_image_output sink = { .write = mix_bytes, .user = ret };
	struct fl_image_writer w;
	int rc;

	ret[0] = 1;
	ret[1] = 2;
	rc = fl_image_begin(&w, &sink, "", err);
	if (rc == 0)
		rc = fl_model_save(m, &w, err);
	if (rc == 0)
		rc = ops->save(p, &w, err);
	return rc < 0 ? rc : fl_image_end(&w, err);
}

/* --- to save --- */

static uint32_t moves_of(bool no_cycles, bool prompt, bool apart)
{
	return (no_cycles ? NO_CYCLES : 0) | (prompt ? PROMPT : 0) | (apart ? APART : 0);
}

int fl_prover_save(const struct fl_prover *x, const struct fl_policy_ops *ops,
		   const struct fl_policy *p, const struct fl_model *m, struct fl_image_writer *w,
		   fairlead_error *err)
{
	const struct fl_states *s = &x->states;
	struct saved head = {
		.tried = x->tried,
		.now = x->now,
		.explored = s->explored,
		.timed = x->timed,
		.moves = moves_of(x->no_cycles, x->prompt, x->apart),
	};
	int rc = find_origin(ops, p, m, head.origin, err);

	if (rc == 0)
		rc = fl_image_put(w, &saved_kind, &head, 1, err);
	if (rc == 0)
		rc = fl_image_put(w, &seen_kind, s->seen, s->n, err);
	if (rc == 0)
		rc = fl_image_put(w, &edge_kind, s->edges, s->n_edges, err);
	if (rc == 0)
		rc = fl_image_put(w, &text_kind, s->texts, s->n_texts, err);
	return rc < 0 ? rc : fl_image_put(w, &word_kind, s->words, s->n_words, err);
}

/* --- and back --- */

/* The tables of an image. */
struct found {
	const struct saved *head;
	const struct fl_seen *seen;
	const struct fl_edge *edges;
	const uint32_t *texts;
	const uint64_t *words;
	uint32_t n_seen, n_edges, n_texts, n_words;
};

static int find_tables(const struct fl_image *i, struct found *ret, fairlead_error *err)
{
	const void *head, *seen, *edges, *texts, *words;
	int rc = fl_image_exactly(i, &saved_kind, 1, &head, err);

	if (rc == 0)
		rc = fl_image_rows(i, &seen_kind, &seen, &ret->n_seen, err);
	if (rc == 0)
		rc = fl_image_rows(i, &edge_kind, &edges, &ret->n_edges, err);
	if (rc == 0)
		rc = fl_image_rows(i, &text_kind, &texts, &ret->n_texts, err);
	if (rc == 0)
		rc = fl_image_rows(i, &word_kind, &words, &ret->n_words, err);
	if (rc < 0)
		return rc;
	ret->head = head;
	ret->seen = seen;
	ret->edges = edges;
	ret->texts = texts;
	ret->words = words;
	return 0;
}

static int load_words(struct fl_states *s, const struct found *f, fairlead_error *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < f->n_words && rc == 0; i++) {
		uint32_t number = 0;

		rc = fl_states_number(s, f->words[i], &number, err);
		if (rc == 0 && number != i + 1)
			rc = fl_image_damaged(word_kind.name, err);
	}
	return rc;
}

static int load_states(struct fl_states *s, const struct found *f, fairlead_error *err)
{
	for (uint32_t i = 0; i < f->n_seen; i++) {
		uint32_t from = f->seen[i].text, number = FL_NONE;
		uint32_t to = i + 1 < f->n_seen ? f->seen[i + 1].text : f->n_texts;

		if (from != s->n_texts || to <= from || to > f->n_texts)
			return fl_image_damaged(seen_kind.name, err);
		int rc = fl_states_take(s, &f->texts[from], to - from, f->seen[i].parent, &number,
					err);
		if (rc != 0)
			return rc;
		if (number != i)
			return fl_image_damaged(text_kind.name, err);
	}
	return 0;
}

/* One that waits for something alone is made on no other policy than that which was asked. */
static bool can_move(const struct fl_model *m, struct fl_move move)
{
	return fl_move_names(move.kind) ? move.workload.v < m->n_workloads :
					  move.workload.v == FL_NONE;
}

/*
 * The moves from each state.  Each state but the first is led to, and the first move that does so
 * is from its parent: states were numbered as they were led to.
 */
static int load_edges(struct fl_states *s, const struct fl_model *m, const struct found *f,
		      fairlead_error *err)
{
	uint32_t led_to = 1;

	while (s->explored < f->head->explored) {
		uint32_t v = s->explored,
			 end = v + 1 < f->head->explored ? f->seen[v + 1].edges : f->n_edges;

		if (f->seen[v].edges != s->n_edges || end > f->n_edges || end < s->n_edges)
			return fl_image_damaged(seen_kind.name, err);
		s->seen[v].edges = s->n_edges;
		for (uint32_t e = s->n_edges; e < end; e++) {
			const struct fl_edge *edge = &f->edges[e];

			if (edge->move == 0 || edge->move > s->n_words || edge->to > led_to ||
			    edge->to >= s->n || !can_move(m, fl_states_move(s, edge)) ||
			    (edge->to == led_to && s->seen[led_to++].parent != v))
				return fl_image_damaged(edge_kind.name, err);
			int rc = fl_states_lead(s, edge->to, fl_states_move(s, edge),
						fl_states_evicted(s, edge), err);
			if (rc != 0)
				return rc;
		}
		s->explored++;
	}
	return s->n_edges == f->n_edges && led_to == s->n ? 0 :
							    fl_image_damaged(edge_kind.name, err);
}

static int load(struct fl_prover *x, const struct fl_model *m, const struct found *f,
		fairlead_error *err)
{
	int rc;

	if (f->n_seen == 0 || f->head->explored > f->n_seen || f->seen[0].parent != FL_NONE)
		return fl_image_damaged(saved_kind.name, err);
	x->now = f->head->now;
	x->no_cycles = f->head->moves & NO_CYCLES;
	x->prompt = f->head->moves & PROMPT;
	x->apart = f->head->moves & APART;
	x->timed = f->head->timed;
	x->tried = f->head->tried;
	rc = load_words(&x->states, f, err);
	if (rc == 0)
		rc = load_states(&x->states, f, err);
	if (rc == 0)
		rc = load_edges(&x->states, m, f, err);
	return rc > 0 ? fl_fail_nomem(err) : rc;
}

int fl_prover_load(const struct fl_mem *mem, const struct fl_policy_ops *ops,
		   const struct fl_policy *p, const struct fl_model *m,
		   const struct fl_prove_options *options, struct fl_image *image,
		   struct fl_prover **ret, fairlead_error *err)
{
	struct fl_prover *x = NULL;
	uint64_t origin[2];
	struct found f;
	int rc = find_tables(image, &f, err);

	if (rc == 0)
		rc = find_origin(ops, p, m, origin, err);
	if (rc < 0)
		return rc;
	if (f.head->origin[0] != origin[0] || f.head->origin[1] != origin[1])
		return fl_fail(err, FAIRLEAD_EINPUT, "it was explored from another input");
	if (f.head->now != options->now ||
	    f.head->moves != moves_of(options->no_cycles, options->prompt, options->apart))
		return fl_fail(err, FAIRLEAD_EINPUT, "it was explored with other moves");
	rc = fl_prover_new(mem, &x, err);
	if (rc == 0)
		rc = load(x, m, &f, err);
	if (rc < 0)
		x = fl_prover_free(x);
	else
		*ret = x;
	return rc;
}
