/* SPDX-License-Identifier: Apache-2.0 */
/* names_image - interned texts and pairs as they stand, with their tables for finding them */
#include "base/names.h"

#include <string.h>

static const struct fl_image_kind bytes = { .name = "names.bytes", .row = 1 };
static const struct fl_image_kind starts = { .name = "names.start", .row = sizeof(uint32_t) };
static const struct fl_image_kind slots = { .name = "names.slot", .row = sizeof(uint32_t) };
static const struct fl_image_kind pair_slots = { .name = "pairs",
						 .row = sizeof(struct fl_pair_slot) };

int fl_names_save(const struct fl_names *names, struct fl_image_writer *w, fairlead_error *err)
{
	int r = fl_image_put(w, &bytes, names->bytes, names->bytes_n, err);

	if (r == 0)
		r = fl_image_put(w, &starts, names->start, names->n, err);
	return r < 0 ? r : fl_image_put(w, &slots, names->slot, names->slots, err);
}

static bool is_power_of_2(uint32_t n) { return n > 0 && (n & (n - 1)) == 0; }

/* Every text ends, symbol 0 is "", and a search that finds nothing ends. */
static bool are_sound(const struct fl_names *names)
{
	uint32_t used = 0, bad = 0;

	if (names->n == 0 || names->bytes_n == 0 || names->bytes[names->bytes_n - 1] != '\0' ||
	    names->start[0] >= names->bytes_n || names->bytes[names->start[0]] != '\0')
		return false;
	for (uint32_t s = 0; s < names->n; s++)
		bad |= names->start[s] >= names->bytes_n;
	for (uint32_t i = 0; i < names->slots; i++) {
		used += names->slot[i] > 0;
		bad |= names->slot[i] > names->n;
	}
	return !bad && fl_slots_sound(names->slots, used);
}

int fl_names_load(struct fl_names *names, struct fl_image *i, fairlead_error *err)
{
	struct fl_names in = { .mem = i->mem };
	void *text = NULL, *start = NULL, *slot = NULL;
	int r = fl_image_take(i, &bytes, &text, &in.bytes_n, err);

	if (r == 0)
		r = fl_image_take(i, &starts, &start, &in.n, err);
	if (r == 0)
		r = fl_image_take(i, &slots, &slot, &in.slots, err);
	in.bytes = text;
	in.start = start;
	in.slot = slot;
	in.bytes_cap = in.bytes_n;
	in.cap = in.n;
	if (r == 0 && !are_sound(&in))
		r = fl_image_damaged("names", err);
	if (r < 0) {
		fl_names_done(&in);
		return r;
	}
	fl_names_done(names);
	*names = in;
	return 0;
}

int fl_pairs_save(const struct fl_pairs *pairs, struct fl_image_writer *w, fairlead_error *err)
{
	return fl_image_put(w, &pair_slots, pairs->slot, pairs->slots, err);
}

int fl_pairs_load(struct fl_pairs *pairs, struct fl_image *i, fairlead_error *err)
{
	struct fl_pairs in = { .mem = i->mem };
	void *slot = NULL;
	bool bad = false;
	int r = fl_image_take(i, &pair_slots, &slot, &in.slots, err);

	if (r < 0)
		return r;
	in.slot = slot;
	for (uint32_t s = 0; s < in.slots; s++) {
		unsigned char used;

		memcpy(&used, &in.slot[s].used, 1);
		bad |= used > 1;
		in.n += used > 0;
	}
	if (bad || (in.slots && (!is_power_of_2(in.slots) || in.n >= in.slots))) {
		fl_pairs_done(&in);
		return fl_image_damaged("pairs", err);
	}
	fl_pairs_done(pairs);
	*pairs = in;
	return 0;
}
