/* SPDX-License-Identifier: Apache-2.0 */
#include "base/names.h"

#include <stdbool.h>
#include <string.h>

/* FNV-1a, then a finishing mix: similar names must not share upper bits. */
static uint32_t hash_text(const char *text, size_t len)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	h = (h ^ (h >> 29)) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(h >> 32);
}

uint32_t fl_pairs_hash(uint32_t a, uint32_t b)
{
	uint64_t h = (((uint64_t)a << 32) | b) * UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(h >> 32);
}

int fl_names_init(struct fl_names *names, const struct fl_mem *mem, fairlead_error *err)
{
	struct fl_sym empty;

	*names = (struct fl_names){ .mem = mem };
	return fl_names_add(names, "", 0, &empty, err);
}

void fl_names_done(struct fl_names *names)
{
	if (!names->mem)
		return;
	fl_mem_free(names->mem, names->bytes);
	fl_mem_free(names->mem, names->start);
	fl_mem_free(names->mem, names->slot);
	*names = (struct fl_names){ 0 };
}

static bool same(const struct fl_names *names, uint32_t sym, const char *text, size_t len)
{
	const char *known = names->bytes + names->start[sym];

	return strncmp(known, text, len) == 0 && known[len] == '\0';
}

static uint32_t find_slot(const struct fl_names *names, const char *text, size_t len)
{
	uint32_t i = fl_slots_first(names->slots, hash_text(text, len));

	while (names->slot[i] && !same(names, names->slot[i] - 1, text, len))
		i = fl_slots_next(names->slots, i);
	return i;
}

static int widen(struct fl_names *names, fairlead_error *err)
{
	uint32_t slots = fl_slots_more(names->slots);
	uint32_t *slot = names->mem->resize(names->mem->user, NULL, slots * sizeof *slot);

	if (!slot)
		return fl_fail_nomem(err);
	memset(slot, 0, slots * sizeof *slot);
	fl_mem_free(names->mem, names->slot);
	names->slot = slot;
	names->slots = slots;
	for (uint32_t s = 0; s < names->n; s++) {
		const char *text = names->bytes + names->start[s];

		names->slot[find_slot(names, text, strlen(text))] = s + 1;
	}
	return 0;
}

int fl_names_add(struct fl_names *names, const char *text, size_t len, struct fl_sym *ret,
		 fairlead_error *err)
{
	uint32_t at;
	int r;

	if (memchr(text, '\0', len))
		return fl_fail(err, FAIRLEAD_EINPUT, "a text contains a NUL byte");
	if (fl_slots_full(names->slots, names->n) && (r = widen(names, err)) < 0)
		return r;
	at = find_slot(names, text, len);
	if (!names->slot[at]) {
		if (len > UINT32_MAX / 2 || names->bytes_n > UINT32_MAX - 1 - (uint32_t)len)
			return fl_fail(err, FAIRLEAD_ELIMIT, "names take more than 4 GiB");
		if ((r = fl_mem_grow(names->mem, &names->start, &names->cap, names->n + 1,
				     sizeof *names->start, err)) < 0 ||
		    (r = fl_mem_grow(names->mem, &names->bytes, &names->bytes_cap,
				     names->bytes_n + (uint32_t)len + 1, 1, err)) < 0)
			return r;
		names->start[names->n] = names->bytes_n;
		memcpy(names->bytes + names->bytes_n, text, len);
		names->bytes[names->bytes_n + len] = '\0';
		names->bytes_n += (uint32_t)len + 1;
		names->slot[at] = ++names->n;
	}
	*ret = (struct fl_sym){ names->slot[at] - 1 };
	return 0;
}

struct fl_sym fl_names_find(const struct fl_names *names, const char *text, size_t len)
{
	uint32_t found = 0;

	if (names->slots && !memchr(text, '\0', len))
		found = names->slot[find_slot(names, text, len)];
	return (struct fl_sym){ found ? found - 1 : FL_NONE };
}

const char *fl_names_text(const struct fl_names *names, struct fl_sym sym)
{
	return sym.v < names->n ? names->bytes + names->start[sym.v] : "";
}

int fl_names_cmp(const struct fl_names *names, struct fl_sym a, struct fl_sym b)
{
	return a.v == b.v ? 0 : strcmp(fl_names_text(names, a), fl_names_text(names, b));
}

/* --- sorting --- */

/* How many bytes at the beginning all texts have in common. */
static size_t common_prefix(const struct fl_names *names, const struct fl_sort_row *rows,
			    uint32_t n)
{
	const char *first = fl_names_text(names, (struct fl_sym){ rows[0].sym });
	size_t common = strlen(first);

	for (uint32_t i = 1; i < n && common > 0; i++) {
		const char *text = fl_names_text(names, (struct fl_sym){ rows[i].sym });
		size_t k = 0;

		while (k < common && text[k] == first[k])
			k++;
		common = k;
	}
	return common;
}

/* Up to 8 bytes, so that the order of keys is that of strcmp as far as they reach. */
static uint64_t key_of(const char *text)
{
	uint64_t key = 0;

	for (int i = 0, shift = 56; i < 8 && text[i]; i++, shift -= 8)
		key |= (uint64_t)(unsigned char)text[i] << shift;
	return key;
}

struct texts {
	const struct fl_names *names;
	const struct fl_sort_row *rows;
};

static int by_text(const void *texts, uint32_t a, uint32_t b)
{
	const struct texts *t = texts;

	return fl_names_cmp(t->names, (struct fl_sym){ t->rows[a].sym },
			    (struct fl_sym){ t->rows[b].sym });
}

/* The slow way, of few.  Of @scratch half is for the order, half for the rows as they will be. */
static void sort_by_compares(const struct fl_names *names, struct fl_sort_row *rows, uint32_t n,
			     struct fl_sort_row *scratch)
{
	const struct texts texts = { names, rows };
	uint32_t *order = (uint32_t *)scratch, *sorted = order + 2 * (size_t)n;

	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	fl_sort(order, n, order + n, by_text, &texts);
	for (uint32_t i = 0; i < n; i++) {
		sorted[2 * (size_t)i] = rows[order[i]].id;
		sorted[2 * (size_t)i + 1] = rows[order[i]].sym;
	}
	for (uint32_t i = 0; i < n; i++) {
		rows[i].id = sorted[2 * (size_t)i];
		rows[i].sym = sorted[2 * (size_t)i + 1];
	}
}

enum { FEW = 32, LEVELS = 8 };

/* By 8 bytes behind what all have in common; then those that are still equal, in the same way. */
static void sort_texts(const struct fl_names *names, struct fl_sort_row *rows, uint32_t n,
		       struct fl_sort_row *scratch, int levels)
{
	size_t common;
	uint32_t end;

	if (n <= FEW || levels == 0) {
		sort_by_compares(names, rows, n, scratch);
		return;
	}
	common = common_prefix(names, rows, n);
	for (uint32_t i = 0; i < n; i++)
		rows[i].key = key_of(fl_names_text(names, (struct fl_sym){ rows[i].sym }) + common);
	fl_sort_rows(rows, n, scratch);
	for (uint32_t i = 0; i < n; i = end) {
		bool ended = !(rows[i].key & 0xff); /* so the texts are equal */

		for (end = i + 1; end < n && rows[end].key == rows[i].key;)
			end++;
		if (!ended && end - i > 1)
			sort_texts(names, rows + i, end - i, scratch, levels - 1);
	}
}

void fl_names_sort(const struct fl_names *names, struct fl_sort_row *rows, uint32_t n,
		   struct fl_sort_row *scratch)
{
	sort_texts(names, rows, n, scratch, LEVELS);
}

void fl_pairs_init(struct fl_pairs *pairs, const struct fl_mem *mem)
{
	*pairs = (struct fl_pairs){ .mem = mem };
}

void fl_pairs_done(struct fl_pairs *pairs)
{
	if (pairs->mem)
		fl_mem_free(pairs->mem, pairs->slot);
	*pairs = (struct fl_pairs){ 0 };
}

static struct fl_pair_slot *pair_slot(const struct fl_pairs *pairs, uint32_t a, uint32_t b)
{
	uint32_t i = fl_pairs_hash(a, b) & (pairs->slots - 1);

	while (pairs->slot[i].used && (pairs->slot[i].a != a || pairs->slot[i].b != b))
		i = (i + 1) & (pairs->slots - 1);
	return &pairs->slot[i];
}

static int widen_pairs(struct fl_pairs *pairs, fairlead_error *err)
{
	struct fl_pairs wide = { .mem = pairs->mem, .slots = pairs->slots ? pairs->slots * 2 : 64 };

	wide.slot = wide.mem->resize(wide.mem->user, NULL, wide.slots * sizeof *wide.slot);
	if (!wide.slot)
		return fl_fail_nomem(err);
	memset(wide.slot, 0, wide.slots * sizeof *wide.slot);
	for (uint32_t i = 0; i < pairs->slots; i++)
		if (pairs->slot[i].used)
			*pair_slot(&wide, pairs->slot[i].a, pairs->slot[i].b) = pairs->slot[i];
	wide.n = pairs->n;
	fl_mem_free(pairs->mem, pairs->slot);
	*pairs = wide;
	return 0;
}

int fl_pairs_add(struct fl_pairs *pairs, uint32_t a, uint32_t b, uint32_t value, uint32_t *ret_old,
		 fairlead_error *err)
{
	struct fl_pair_slot *slot;
	int r;

	if (pairs->n * 2 >= pairs->slots && (r = widen_pairs(pairs, err)) < 0)
		return r;
	slot = pair_slot(pairs, a, b);
	if (slot->used) {
		if (ret_old)
			*ret_old = slot->value;
		return 1;
	}
	*slot = (struct fl_pair_slot){ .a = a, .b = b, .value = value, .used = true };
	pairs->n++;
	return 0;
}

uint32_t fl_pairs_find(const struct fl_pairs *pairs, uint32_t a, uint32_t b)
{
	const struct fl_pair_slot *slot;

	if (!pairs->slots)
		return FL_NONE;
	slot = pair_slot(pairs, a, b);
	return slot->used ? slot->value : FL_NONE;
}

void fl_pairs_clear(struct fl_pairs *pairs)
{
	if (pairs->slots)
		memset(pairs->slot, 0, pairs->slots * sizeof *pairs->slot);
	pairs->n = 0;
}
