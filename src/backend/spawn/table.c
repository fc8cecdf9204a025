/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/spawn/table.h"

#include <stdlib.h>
#include <string.h>

static bool number_of(const char *text, uid_t *ret)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	*ret = (uid_t)n;
	return *text >= '0' && *text <= '9' && !*end && n < (uid_t)-1;
}

bool fl_spawn_table_read(int argc, char **argv, struct fl_spawn_table *ret)
{
	uid_t group = 0, root = 0;
	bool is = argc == 9 && number_of(argv[1], &ret->account) && number_of(argv[2], &group) &&
		  number_of(argv[3], &ret->first) && number_of(argv[4], &ret->last) &&
		  number_of(argv[5], &root) && argv[7][0] == '/';

	ret->group = (gid_t)group;
	ret->root = root == 1;
	ret->runner = is ? argv[7] : NULL;
	ret->state = is ? argv[6] : NULL;
	ret->socket = is ? argv[8] : NULL;
	return is && ret->first > 0;
}

bool fl_spawn_may(const struct fl_spawn_table *t, uid_t uid)
{
	if (uid == 0)
		return t->root;
	return uid >= t->first && uid <= t->last && uid != t->account;
}

static bool is_token(const char *token)
{
	size_t n = strnlen(token, FL_SPAWN_TOKEN);

	return n == FL_SPAWN_TOKEN - 1 && strspn(token, "0123456789abcdef") == n;
}

bool fl_spawn_is_of_user(const struct fl_spawn_request *r)
{
	return r->op == FL_SPAWN_START || r->op == FL_SPAWN_END || r->op == FL_SPAWN_WAKE ||
	       r->op == FL_SPAWN_CLEAR;
}

bool fl_spawn_is_sound(const struct fl_spawn_request *r, size_t n_bytes, int n_files)
{
	/* What needs a run; what needs a process. */
	const unsigned runs = 1U << FL_SPAWN_START | 1U << FL_SPAWN_END | 1U << FL_SPAWN_FIND |
			      1U << FL_SPAWN_CLEAR,
		       processes = 1U << FL_SPAWN_WAKE | 1U << FL_SPAWN_OPEN;

	if (n_bytes != sizeof *r || r->op >= FL_SPAWN_OPS || r->op == FL_SPAWN_MORE)
		return false;
	if (r->op != FL_SPAWN_START && n_files > 0)
		return false;
	if (runs & 1U << r->op && (r->job == 0 || r->attempt == 0 || !is_token(r->token)))
		return false;
	if (processes & 1U << r->op && r->pid <= 1)
		return false;
	if (r->op != FL_SPAWN_START)
		return true;
	return r->n_files >= 1 && r->n_files <= FL_SPAWN_MOST &&
	       (n_files == FL_SPAWN_LACKS ||
		n_files == (int)(r->n_files < FL_SPAWN_FILES ? r->n_files : FL_SPAWN_FILES)) &&
	       r->flags < 8 && r->gid < (gid_t)-1 && r->limits.cpu >= 0 && r->limits.memory >= 0 &&
	       r->limits.processes >= 0;
}
