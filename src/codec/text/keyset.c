/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/text/keyset.h"

#include <string.h>

enum { FEW = 16 }; /* up to so many keys a scan of hashes is faster than an index */

void fl_keyset_init(struct fl_keyset *set, const struct fl_mem *mem)
{
	*set = (struct fl_keyset){ .mem = mem };
}

void fl_keyset_done(struct fl_keyset *set)
{
	if (!set->mem)
		return;
	for (size_t i = 0; i < sizeof set->map / sizeof *set->map; i++)
		fl_mem_free(set->mem, set->map[i].slot);
	fl_mem_free(set->mem, set->bytes);
	fl_mem_free(set->mem, set->keys);
	*set = (struct fl_keyset){ 0 };
}

void fl_keyset_open(struct fl_keyset *set)
{
	struct fl_keyset_map *map = &set->map[set->depth++];

	map->first_key = set->n;
	map->first_byte = set->n_bytes;
	map->used = 0;
}

void fl_keyset_close(struct fl_keyset *set)
{
	struct fl_keyset_map *map = &set->map[--set->depth];

	set->n = map->first_key;
	set->n_bytes = map->first_byte;
}

/* Eight bytes at a time: keys are short, and this runs for each of them. */
static uint32_t hash_key(const char *text, size_t len)
{
	uint64_t h = len * UINT64_C(0x9e3779b97f4a7c15), chunk = 0;

	for (; len >= 8; text += 8, len -= 8) {
		memcpy(&chunk, text, 8);
		h = (h ^ chunk) * UINT64_C(0xff51afd7ed558ccd);
		h ^= h >> 32;
	}
	chunk = 0;
	memcpy(&chunk, text, len);
	h = (h ^ chunk) * UINT64_C(0xff51afd7ed558ccd);
	return (uint32_t)(h ^ (h >> 32));
}

static bool same(const struct fl_keyset *set, uint32_t key, uint32_t hash, const char *text,
		 size_t len)
{
	const struct fl_keyset_key *k = &set->keys[key];

	return k->hash == hash && k->len == len && memcmp(set->bytes + k->start, text, len) == 0;
}

static uint32_t find_slot(const struct fl_keyset *set, const struct fl_keyset_map *map,
			  uint32_t hash, const char *text, size_t len)
{
	uint32_t i = hash & (map->used - 1);

	while (map->slot[i] && !same(set, map->first_key + map->slot[i] - 1, hash, text, len))
		i = (i + 1) & (map->used - 1);
	return i;
}

static int index_keys(struct fl_keyset *set, struct fl_keyset_map *map, fairlead_error *err)
{
	uint32_t n = set->n - map->first_key, want = 4 * FEW;
	int r;

	while (want < 4 * n)
		want *= 2;
	r = fl_mem_grow(set->mem, &map->slot, &map->slots, want, sizeof *map->slot, err);
	if (r < 0)
		return r;
	map->used = want;
	memset(map->slot, 0, want * sizeof *map->slot);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = set->keys[map->first_key + i].hash & (want - 1);

		while (map->slot[at])
			at = (at + 1) & (want - 1);
		map->slot[at] = i + 1;
	}
	return 0;
}

static bool find(const struct fl_keyset *set, uint32_t hash, const char *text, size_t len)
{
	const struct fl_keyset_map *map = &set->map[set->depth - 1];

	if (map->used)
		return map->slot[find_slot(set, map, hash, text, len)] != 0;
	for (uint32_t i = map->first_key; i < set->n; i++)
		if (same(set, i, hash, text, len))
			return true;
	return false;
}

bool fl_keyset_has(const struct fl_keyset *set, const char *text, size_t len)
{
	return find(set, hash_key(text, len), text, len);
}

int fl_keyset_add(struct fl_keyset *set, const char *text, size_t len, fairlead_error *err)
{
	struct fl_keyset_map *map = &set->map[set->depth - 1];
	uint32_t hash = hash_key(text, len), n;
	int r;

	if (find(set, hash, text, len))
		return 1;
	if (len > UINT32_MAX / 2 - set->n_bytes)
		return fl_fail(err, FAIRLEAD_ELIMIT, "the keys of one object take more than 2 GiB");
	if ((r = fl_mem_grow(set->mem, &set->keys, &set->cap, set->n + 1, sizeof *set->keys, err)) <
		    0 ||
	    (r = fl_mem_grow(set->mem, &set->bytes, &set->cap_bytes,
			     set->n_bytes + (uint32_t)len + 1, 1, err)) < 0)
		return r;
	memcpy(set->bytes + set->n_bytes, text, len);
	set->keys[set->n++] =
		(struct fl_keyset_key){ .hash = hash, .start = set->n_bytes, .len = (uint32_t)len };
	set->n_bytes += (uint32_t)len;
	n = set->n - map->first_key;
	if (n <= FEW)
		return 0;
	if (map->used < 2 * n)
		return index_keys(set, map, err);
	map->slot[find_slot(set, map, hash, text, len)] = n;
	return 0;
}
