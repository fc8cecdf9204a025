/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/prove/states.h"

#include <string.h>

#include "ask/prove/loop.h"
#include "base/names.h"

enum { FIRST = 64 };
#define MOST_STATES INT32_MAX /* the search for loops has a bit beside a state's number */

/* Bits of a move's word. */
enum { EVICTED_BIT = 32, KIND_BIT = 62 };
#define EVICTED_MOST UINT32_C(0x3fffffff)

void fl_states_init(struct fl_states *s, const struct fl_mem *mem)
{
	*s = (struct fl_states){ .mem = mem };
}

void fl_states_done(struct fl_states *s)
{
	fl_mem_free(s->mem, s->seen);
	fl_mem_free(s->mem, s->edges);
	fl_mem_free(s->mem, s->texts);
	fl_mem_free(s->mem, s->words);
	fl_mem_free(s->mem, s->word_slots);
	fl_mem_free(s->mem, s->slots);
	fl_mem_free(s->mem, s->text);
}

/*
 * Room for @need items of @item bytes, each of which costs @more besides, later.  Doubled while
 * the limit allows it, so that what is allowed is used to the last item.
 */
static int grow(struct fl_states *s, void *items, uint32_t *cap, size_t need, size_t item,
		size_t more, fairlead_error *err)
{
	size_t want = *cap ? 2 * (size_t)*cap : FIRST, left = SIZE_MAX, each = item + more;
	void *old, *new;

	if (need <= *cap)
		return 0;
	while (want < need)
		want *= 2;
	if (want >= FL_NONE)
		want = FL_NONE - 1;
	if (s->limit)
		left = s->limit > s->bytes ? (s->limit - s->bytes) / each : 0;
	if (want - *cap > left)
		want = *cap + left;
	if (want < need)
		return FL_STATES_FULL;
	memcpy(&old, items, sizeof old);
	new = s->mem->resize(s->mem->user, old, want * item);
	if (!new)
		return fl_fail_nomem(err);
	memcpy(items, &new, sizeof new);
	s->bytes += (want - *cap) * each;
	*cap = (uint32_t)want;
	return 0;
}

/* --- tables by hash: number + 1, or 0 --- */

static uint32_t hash_word(uint64_t word)
{
	return (uint32_t)((word ^ word >> 32) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static uint32_t hash_text(const uint32_t *text, uint32_t n)
{
	uint64_t h = n;

	for (uint32_t i = 0; i < n; i++) {
		h = (h ^ text[i]) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 32;
	}
	return (uint32_t)(h * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static void put(uint32_t *slots, uint32_t n_slots, uint32_t hash, uint32_t number)
{
	uint32_t at = fl_slots_first(n_slots, hash);

	while (slots[at])
		at = fl_slots_next(n_slots, at);
	slots[at] = number + 1;
}

/* Of all in the table it came last, so none was put behind it. */
static void take(uint32_t *slots, uint32_t n_slots, uint32_t hash, uint32_t number)
{
	uint32_t at = fl_slots_first(n_slots, hash);

	while (slots[at] != number + 1)
		at = fl_slots_next(n_slots, at);
	slots[at] = 0;
}

/* Empty slots in the place of @n_slots that are full with @n; *ret NULL: they are not. */
static int more_slots(struct fl_states *s, uint32_t n, uint32_t n_slots, uint32_t **ret,
		      uint32_t *ret_n, fairlead_error *err)
{
	uint32_t more = fl_slots_more(n_slots), *slots;
	size_t size = (size_t)more * sizeof *slots;

	*ret = NULL;
	if (!fl_slots_full(n_slots, n))
		return 0;
	/* The old ones are still there while they are filled. */
	if (more < n_slots || (s->limit && (s->limit < s->bytes || size > s->limit - s->bytes)))
		return FL_STATES_FULL;
	slots = s->mem->resize(s->mem->user, NULL, size);
	if (!slots)
		return fl_fail_nomem(err);
	memset(slots, 0, size);
	s->bytes += size - (size_t)n_slots * sizeof *slots;
	*ret = slots;
	*ret_n = more;
	return 0;
}

static int word_slots(struct fl_states *s, fairlead_error *err)
{
	uint32_t *slots, n = 0;
	int rc = more_slots(s, s->n_words, s->n_word_slots, &slots, &n, err);

	if (rc != 0 || !slots)
		return rc;
	for (uint32_t i = 0; i < s->n_words; i++)
		put(slots, n, hash_word(s->words[i]), i);
	fl_mem_free(s->mem, s->word_slots);
	s->word_slots = slots;
	s->n_word_slots = n;
	return 0;
}

static int state_slots(struct fl_states *s, fairlead_error *err)
{
	uint32_t *slots, n = 0;
	int rc = more_slots(s, s->n, s->n_slots, &slots, &n, err);

	if (rc != 0 || !slots)
		return rc;
	for (uint32_t i = 0; i < s->n; i++)
		put(slots, n, s->seen[i].hash, i);
	fl_mem_free(s->mem, s->slots);
	s->slots = slots;
	s->n_slots = n;
	return 0;
}

int fl_states_number(struct fl_states *s, uint64_t word, uint32_t *ret, fairlead_error *err)
{
	uint32_t hash = hash_word(word), at = fl_slots_first(s->n_word_slots, hash);
	int rc;

	for (; s->n_words && s->word_slots[at]; at = fl_slots_next(s->n_word_slots, at))
		if (s->words[s->word_slots[at] - 1] == word) {
			*ret = s->word_slots[at];
			return 0;
		}
	rc = grow(s, &s->words, &s->cap_words, (size_t)s->n_words + 1, sizeof *s->words, 0, err);
	if (rc == 0)
		rc = word_slots(s, err);
	if (rc != 0)
		return rc;
	s->words[s->n_words] = word;
	put(s->word_slots, s->n_word_slots, hash, s->n_words);
	*ret = ++s->n_words;
	return 0;
}

/* --- states --- */

void fl_states_begin(struct fl_states *s) { s->n_text = 0; }

int fl_states_word(struct fl_states *s, uint64_t word, fairlead_error *err)
{
	uint32_t n = 0;
	int rc = fl_states_number(s, word, &n, err);

	/* 5 bytes hold a number. */
	if (rc == 0)
		rc = grow(s, &s->text, &s->cap_text, (size_t)s->n_text + 5, 1, 0, err);
	if (rc != 0)
		return rc;
	for (; n > 0x7f; n >>= 7)
		s->text[s->n_text++] = (unsigned char)(n | 0x80);
	s->text[s->n_text++] = (unsigned char)n;
	return 0;
}

/* Where the text of @state ends. */
static uint32_t text_end(const struct fl_states *s, uint32_t state)
{
	return state + 1 < s->n ? s->seen[state + 1].text : s->n_texts;
}

static bool spelled(const struct fl_states *s, uint32_t state, const uint32_t *text, uint32_t n,
		    uint32_t hash)
{
	const struct fl_seen *x = &s->seen[state];

	return x->hash == hash && text_end(s, state) - x->text == n &&
	       memcmp(&s->texts[x->text], text, n * sizeof *text) == 0;
}

/* FL_NONE: not seen yet. */
static uint32_t find(const struct fl_states *s, const uint32_t *text, uint32_t n, uint32_t hash)
{
	uint32_t at = fl_slots_first(s->n_slots, hash);

	for (; s->n && s->slots[at]; at = fl_slots_next(s->n_slots, at))
		if (spelled(s, s->slots[at] - 1, text, n, hash))
			return s->slots[at] - 1;
	return FL_NONE;
}

/* The state of which the text of @units is behind the last one, and becomes its own if it is new. */
static int add(struct fl_states *s, uint32_t units, uint32_t parent, uint32_t *ret,
	       fairlead_error *err)
{
	const uint32_t *text = &s->texts[s->n_texts];
	struct fl_seen new = { s->n_texts, hash_text(text, units), parent, 0 };
	int rc;

	*ret = find(s, text, units, new.hash);
	if (*ret != FL_NONE)
		return 0;
	if (s->n == MOST_STATES)
		return FL_STATES_FULL;
	rc = grow(s, &s->seen, &s->cap, (size_t)s->n + 1, sizeof *s->seen, FL_LOOP_BYTES, err);
	if (rc == 0)
		rc = state_slots(s, err);
	if (rc != 0)
		return rc;
	put(s->slots, s->n_slots, new.hash, s->n);
	s->seen[s->n] = new;
	s->n_texts += units;
	*ret = s->n++;
	return 0;
}

static int text_room(struct fl_states *s, uint32_t units, fairlead_error *err)
{
	return grow(s, &s->texts, &s->cap_texts, (size_t)s->n_texts + units, sizeof *s->texts, 0,
		    err);
}

int fl_states_add(struct fl_states *s, uint32_t parent, uint32_t *ret, fairlead_error *err)
{
	uint32_t units = s->n_text / 4 + 1;
	int rc = text_room(s, units, err);

	if (rc != 0)
		return rc;
	s->texts[s->n_texts + units - 1] = 0;
	if (s->n_text)
		memcpy(&s->texts[s->n_texts], s->text, s->n_text);
	return add(s, units, parent, ret, err);
}

int fl_states_take(struct fl_states *s, const uint32_t *text, uint32_t units, uint32_t parent,
		   uint32_t *ret, fairlead_error *err)
{
	int rc = text_room(s, units, err);

	if (rc != 0)
		return rc;
	memcpy(&s->texts[s->n_texts], text, units * sizeof *text);
	return add(s, units, parent, ret, err);
}

void fl_states_undo(struct fl_states *s, uint32_t n)
{
	while (s->n > n) {
		struct fl_seen *last = &s->seen[--s->n];

		take(s->slots, s->n_slots, last->hash, s->n);
		s->n_texts = last->text;
	}
}

void fl_states_clear(struct fl_states *s)
{
	fl_states_undo(s, 0);
	while (s->n_words) {
		s->n_words--;
		take(s->word_slots, s->n_word_slots, hash_word(s->words[s->n_words]), s->n_words);
	}
	s->explored = s->n_edges = 0;
}

/* --- edges --- */

int fl_states_lead(struct fl_states *s, uint32_t to, struct fl_move move, uint32_t evicted,
		   fairlead_error *err)
{
	uint64_t most = evicted < EVICTED_MOST ? evicted : EVICTED_MOST;
	struct fl_edge e = { .to = to };
	int rc = fl_states_number(
		s, (uint64_t)move.kind << KIND_BIT | most << EVICTED_BIT | move.workload.v, &e.move,
		err);

	if (rc == 0)
		rc = grow(s, &s->edges, &s->cap_edges, (size_t)s->n_edges + 1, sizeof *s->edges, 0,
			  err);
	if (rc == 0)
		s->edges[s->n_edges++] = e;
	return rc;
}

struct fl_move fl_states_way(const struct fl_states *s, uint32_t state)
{
	const struct fl_edge *e = &s->edges[s->seen[s->seen[state].parent].edges];

	while (e->to != state)
		e++;
	return fl_states_move(s, e);
}

struct fl_move fl_states_move(const struct fl_states *s, const struct fl_edge *e)
{
	uint64_t word = s->words[e->move - 1];

	return (struct fl_move){ (enum fl_move_kind)(word >> KIND_BIT), { (uint32_t)word } };
}

uint32_t fl_states_evicted(const struct fl_states *s, const struct fl_edge *e)
{
	return (uint32_t)(s->words[e->move - 1] >> EVICTED_BIT) & EVICTED_MOST;
}
