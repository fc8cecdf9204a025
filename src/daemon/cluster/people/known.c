/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/people/known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/jobs/object/digest.h"

static void hash_text(const char *text, uint8_t ret[FL_KNOWN_HASH])
{
	char digits[FL_DIGEST_HEX];
	struct fl_digest d;

	fl_digest_begin(&d, FL_SHA256);
	fl_digest_add(&d, text, strlen(text));
	fl_digest_hex(&d, digits);
	for (int i = 0; i < FL_KNOWN_HASH; i++) {
		const char two[3] = { digits[2 * i], digits[2 * i + 1], '\0' };

		ret[i] = (uint8_t)strtoul(two, NULL, 16);
	}
}

/* --- people --- */

static uint32_t slot_of(const uint8_t hash[FL_KNOWN_HASH])
{
	uint32_t v;

	memcpy(&v, hash, sizeof v);
	return v % FL_KNOWN_PEOPLE;
}

struct fl_person *fl_known_token(const struct fl_known *k, const char *secret, uint64_t now)
{
	uint8_t hash[FL_KNOWN_HASH];
	struct fl_person *one;

	hash_text(secret, hash);
	one = k->people[slot_of(hash)];
	if (!one || memcmp(one->hash, hash, sizeof hash) != 0)
		return NULL;
	return one->standing == FL_STANDS_ASKING || now < one->until ? one : NULL;
}

struct fl_person *fl_known_make_room(struct fl_known *k, const char *secret)
{
	uint8_t hash[FL_KNOWN_HASH];
	struct fl_person **row;

	hash_text(secret, hash);
	row = &k->people[slot_of(hash)];
	if (*row && (*row)->standing == FL_STANDS_ASKING)
		return NULL;
	if (!*row)
		*row = calloc(1, sizeof **row);
	if (*row) {
		free((*row)->spec);
		**row = (struct fl_person){ .number = ++k->last };
		memcpy((*row)->hash, hash, sizeof hash);
	}
	return *row;
}

struct fl_person *fl_known_number(const struct fl_known *k, uint32_t number)
{
	for (int i = 0; i < FL_KNOWN_PEOPLE; i++)
		if (k->people[i] && (uint32_t)k->people[i]->number == number)
			return k->people[i];
	return NULL;
}

bool fl_person_is_valid(const struct fl_person *one, uint64_t now)
{
	return one && one->standing == FL_STANDS_VALID && now < one->until;
}

void fl_known_done(struct fl_known *k)
{
	for (int i = 0; i < FL_KNOWN_PEOPLE; i++)
		if (k->people[i]) {
			free(k->people[i]->spec);
			free(k->people[i]);
		}
}

/* --- rights --- */

static void key_of(uint64_t person, const struct fl_right *right, uint64_t ret[2])
{
	char text[700];
	uint8_t hash[FL_KNOWN_HASH];

	(void)snprintf(text, sizeof text, "%llu %s/%s/%s/%s", (unsigned long long)person,
		       right->group, right->resource, right->namespace, right->name);
	hash_text(text, hash);
	memcpy(ret, hash, 2 * sizeof *ret);
	ret[0] |= 1;
}

bool fl_known_may(const struct fl_known *k, uint64_t person, const struct fl_right *right,
		  uint64_t now, bool *ret)
{
	const struct fl_known_right *row;
	uint64_t key[2];

	key_of(person, right, key);
	row = &k->rights[key[1] % FL_KNOWN_RIGHTS];
	*ret = row->allowed;
	return memcmp(row->key, key, sizeof key) == 0 && now < row->until;
}

void fl_known_keep(struct fl_known *k, uint64_t person, const struct fl_right *right, uint64_t now,
		   bool allowed)
{
	uint64_t key[2];

	key_of(person, right, key);
	k->rights[key[1] % FL_KNOWN_RIGHTS] =
		(struct fl_known_right){ { key[0], key[1] }, now + FL_KNOWN_BELIEVED, allowed };
}
