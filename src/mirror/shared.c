/* SPDX-License-Identifier: Apache-2.0 */
#include "mirror/shared.h"

#include <stdlib.h>
#include <string.h>

#include "base/mix.h"
#include "base/names.h"

uint64_t fl_shared_hash(const uint8_t *bytes, uint32_t n)
{
	uint64_t h[2] = { n, ~(uint64_t)n }, word;

	for (; n >= 8; n -= 8, bytes += 8) {
		memcpy(&word, bytes, 8);
		fl_mix(h, word);
	}
	word = 0;
	if (n)
		memcpy(&word, bytes, n);
	fl_mix(h, word);
	fl_mix(h, h[1]);
	return h[0];
}

void fl_shared_done(struct fl_shared_set *s)
{
	for (uint32_t i = 0; i < s->slots; i++)
		free(s->slot[i]);
	free(s->slot);
	*s = (struct fl_shared_set){ 0 };
}

static uint32_t first_of(const struct fl_shared_set *s, uint64_t hash)
{
	return fl_slots_first(s->slots, (uint32_t)(hash >> 32));
}

static int grow(struct fl_shared_set *s, fairlead_error *err)
{
	struct fl_shared_set more = { .slots = fl_slots_more(s->slots) };

	if (s->slots && !fl_slots_full(s->slots, s->used + 1))
		return 0;
	more.slot = calloc(more.slots, sizeof(struct fl_shared *));
	if (!more.slot)
		return fl_fail_nomem(err);
	for (uint32_t i = 0; i < s->slots; i++) {
		uint32_t at;

		if (!s->slot[i])
			continue;
		at = first_of(&more, s->slot[i]->hash);
		while (more.slot[at])
			at = fl_slots_next(more.slots, at);
		more.slot[at] = s->slot[i];
	}
	free(s->slot);
	s->slot = more.slot;
	s->slots = more.slots;
	return 0;
}

int fl_shared_enter(struct fl_shared_set *s, const uint8_t *bytes, uint32_t n,
		    struct fl_shared **ret, fairlead_error *err)
{
	const uint64_t hash = fl_shared_hash(bytes, n);
	struct fl_shared *text;
	uint32_t at;

	if (grow(s, err) < 0)
		return FAIRLEAD_ENOMEM;
	for (at = first_of(s, hash); (text = s->slot[at]); at = fl_slots_next(s->slots, at))
		if (text->hash == hash && text->n == n && memcmp(text->bytes, bytes, n) == 0) {
			text->uses++;
			*ret = text;
			return 0;
		}
	text = malloc(sizeof *text + n);
	if (!text)
		return fl_fail_nomem(err);
	*text = (struct fl_shared){ .hash = hash, .uses = 1, .n = n };
	memcpy(text->bytes, bytes, n);
	s->slot[at] = text;
	s->used++;
	s->bytes += sizeof *text + n;
	*ret = text;
	return 0;
}

/* The hole at @at is filled with what would not be found behind it. */
static void close_hole(struct fl_shared_set *s, uint32_t at)
{
	for (uint32_t i = fl_slots_next(s->slots, at); s->slot[i]; i = fl_slots_next(s->slots, i)) {
		const uint32_t home = first_of(s, s->slot[i]->hash);
		const bool between = at <= i ? at < home && home <= i : at < home || home <= i;

		if (between)
			continue;
		s->slot[at] = s->slot[i];
		at = i;
	}
	s->slot[at] = NULL;
}

bool fl_shared_leave(struct fl_shared_set *s, struct fl_shared *text)
{
	uint32_t at;

	if (!text || --text->uses)
		return false;
	for (at = first_of(s, text->hash); s->slot[at] != text; at = fl_slots_next(s->slots, at))
		;
	close_hole(s, at);
	s->used--;
	s->bytes -= sizeof *text + text->n;
	return true;
}
