/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/token/run.h"

#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "codec/edit/alias.h"

int fl_token_draw(struct fl_token_key *ret, fairlead_error *err)
{
	if (getrandom(ret, sizeof *ret, 0) != (ssize_t)sizeof *ret)
		return fl_fail(err, FAIRLEAD_EIO, "the system gives no random numbers");
	return 0;
}

void fl_token_spell(const struct fl_token_key *key, char ret[FL_RUN_TOKEN])
{
	(void)snprintf(ret, FL_RUN_TOKEN, "%016" PRIx64 "%016" PRIx64, key->half[0], key->half[1]);
}

bool fl_token_read(const char *text, struct fl_token_key *ret)
{
	return strlen(text) == FL_RUN_TOKEN - 1 &&
	       strspn(text, "0123456789abcdef") == FL_RUN_TOKEN - 1 &&
	       sscanf(text, "%16" SCNx64 "%16" SCNx64, &ret->half[0], &ret->half[1]) == 2;
}

void fl_token_of(const struct fl_token_key *key, uint64_t job, uint32_t attempt, fl_time submitted,
		 char ret[FL_RUN_TOKEN])
{
	/* In a fixed order of bytes: a database may be restored on another kind of machine. */
	uint64_t words[] = { htole64(job), htole64(attempt), htole64((uint64_t)submitted), 0 };
	struct fl_token_key token;

	for (uint64_t i = 0; i < 2; i++) {
		words[3] = htole64(i);
		token.half[i] = fl_keyed_hash(key->half, words, sizeof words);
	}
	fl_token_spell(&token, ret);
}
