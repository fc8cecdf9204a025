/* SPDX-License-Identifier: Apache-2.0 */
/* Accounts as the system knows them. */
#include "daemon/config/accounts.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SMALLEST = 1 << 12, LARGEST = 1 << 20 };

/* Calls a function like getpwnam_r, with as much room as the answer needs. */
struct question {
	const char *name; /* NULL: by number */
	uid_t uid;
	struct passwd user;
	struct group group;
	bool of_group, found;
};

static int ask_once(struct question *q, char *buffer, size_t size)
{
	struct passwd *user = NULL;
	struct group *group = NULL;
	int r;

	if (q->of_group)
		r = getgrnam_r(q->name, &q->group, buffer, size, &group);
	else if (q->name)
		r = getpwnam_r(q->name, &q->user, buffer, size, &user);
	else
		r = getpwuid_r(q->uid, &q->user, buffer, size, &user);
	q->found = user || group;
	return r;
}

/* The texts of the answer are in the returned memory, to be freed; NULL: no such account. */
static char *ask(struct question *q)
{
	for (size_t size = SMALLEST; size <= LARGEST; size *= 4) {
		char *buffer = malloc(size);
		int r = buffer ? ask_once(q, buffer, size) : ENOMEM;

		if (r == 0 && q->found)
			return buffer;
		free(buffer);
		if (r != ERANGE)
			break;
	}
	return NULL;
}

static int find_user(void *unused, const char *name, uid_t *ret)
{
	struct question q = { .name = name };
	char *texts = ask(&q);

	(void)unused;
	if (!texts)
		return 1;
	*ret = q.user.pw_uid;
	free(texts);
	return 0;
}

static int find_group(void *unused, const char *name, gid_t *ret)
{
	struct question q = { .name = name, .of_group = true };
	char *texts = ask(&q);

	(void)unused;
	if (!texts)
		return 1;
	*ret = q.group.gr_gid;
	free(texts);
	return 0;
}

static int find_name(void *unused, uid_t uid, char *ret, size_t size)
{
	struct question q = { .uid = uid };
	char *texts = ask(&q);

	(void)unused;
	if (!texts)
		return 1;
	(void)snprintf(ret, size, "%s", q.user.pw_name);
	free(texts);
	return 0;
}

static int find_first_group(void *unused, uid_t uid, gid_t *ret)
{
	struct question q = { .uid = uid };
	char *texts = ask(&q);

	(void)unused;
	if (!texts)
		return 1;
	*ret = q.user.pw_gid;
	free(texts);
	return 0;
}

/* A user in more groups than there is room for: some are left out, and give no rights. */
static int find_groups(void *unused, uid_t uid, gid_t gid, gid_t *ret, uint32_t room,
		       uint32_t *ret_n)
{
	struct question q = { .uid = uid };
	char *texts = ask(&q);
	int n = (int)room;

	(void)unused;
	if (!texts)
		return 1;
	if (getgrouplist(q.user.pw_name, gid, ret, &n) < 0)
		n = (int)room;
	free(texts);
	*ret_n = (uint32_t)n;
	return 0;
}

/* "alice:100000:65536", or with a number for the name. */
static bool is_within(char *line, uid_t uid)
{
	const char *first = strchr(line, ':'), *n = first ? strchr(first + 1, ':') : NULL;
	char *end_first, *end_n;
	unsigned long long from, count;

	if (!n)
		return false;
	from = strtoull(first + 1, &end_first, 10);
	count = strtoull(n + 1, &end_n, 10);
	line[first - line] = '\0';
	return end_first == n && end_n > n + 1 && (*end_n == '\n' || !*end_n) && uid >= from &&
	       uid - from < count;
}

int fl_accounts_owner(const char *file, uid_t uid, uid_t *ret)
{
	FILE *f = fopen(file, "re");
	char line[512];
	int r = 1;

	while (r && f && fgets(line, sizeof line, f)) {
		char *end;

		if (!is_within(line, uid))
			continue;
		*ret = (uid_t)strtoul(line, &end, 10);
		r = end > line && !*end ? 0 : find_user(NULL, line, ret);
	}
	if (f)
		(void)fclose(f);
	return r;
}

static int find_owner(void *unused, uid_t uid, uid_t *ret)
{
	(void)unused;
	return fl_accounts_owner("/etc/subuid", uid, ret);
}

static fl_time now(void *unused)
{
	struct timespec t;

	(void)unused;
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (fl_time)t.tv_sec * FL_SECOND + t.tv_nsec;
}

const struct fl_accounts fl_accounts_system = {
	.user_of = find_user,
	.group_of = find_group,
	.name_of = find_name,
	.first_group_of = find_first_group,
	.groups_of = find_groups,
	.owner_of = find_owner,
	.now = now,
};
