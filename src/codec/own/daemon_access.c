/* SPDX-License-Identifier: Apache-2.0 */
/* What a Daemon says of who may do what. */
#include "base/limits.h"
#include "codec/own/daemon_parts.h"
#include "codec/own/simulation_parts.h"

enum { ACCOUNT = 63 }; /* bytes of a name of a user or group */

/* --- a list of users or groups, by name or number --- */

static int read_account(struct fl_kube *k, uint32_t v)
{
	struct fl_sym sym;
	int r = fl_simulation_word(k, v, &sym);

	if (r == 0 && (k->doc.values[v].len == 0 || k->doc.values[v].len > ACCOUNT))
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected a name of 1 to %d bytes",
				    ACCOUNT);
	return r < 0 ? r : fl_model_push_syms(k->m, &sym, /* ret_id= */ NULL, k->err);
}

/* An empty list could mean nobody as well as everybody. */
static int read_accounts(struct fl_kube *k, uint32_t v, struct fl_span *ret)
{
	int r;

	ret->first = k->m->n_syms;
	r = fl_simulation_each(k, v, read_account);
	ret->n = k->m->n_syms - ret->first;
	if (r == 0 && ret->n == 0)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "an empty list names nobody");
	return r;
}

static int read_users(struct fl_kube *k, uint32_t v, void *row)
{
	return read_accounts(k, v, &((struct fl_daemon_access_row *)row)->users);
}

static int read_groups(struct fl_kube *k, uint32_t v, void *row)
{
	return read_accounts(k, v, &((struct fl_daemon_access_row *)row)->groups);
}

#define ACCOUNTS                                                                                   \
	{ .name = "users", .read = read_users, .text = FL_TEXT_NAME },                             \
	{                                                                                          \
		.name = "groups", .read = read_groups, .text = FL_TEXT_NAME                        \
	}

/* --- of whom --- */

static const struct fl_field admins[] = {
	ACCOUNTS,
	{ .name = NULL },
};

static int read_admins(struct fl_kube *k, uint32_t v, void *unused)
{
	struct fl_daemon_access_row row = { .queue_name = { FL_NONE },
					    .place = fl_kube_place(k, v) };
	int r = fl_kube_map(k, v, admins, &row);

	(void)unused;
	if (r == 0 && row.users.n + row.groups.n == 0)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "names neither users nor groups");
	return r < 0 ? r : fl_model_push_daemon_access(k->m, &row, /* ret_id= */ NULL, k->err);
}

static int read_queue(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_daemon_word(k, v, 2 * FL_MAX_NAME + 1,
			      &((struct fl_daemon_access_row *)row)->queue_name);
}

static const struct fl_field queue[] = {
	{ .name = "queue", .read = read_queue, .text = FL_TEXT_LOCAL_QUEUE },
	ACCOUNTS,
	{ .name = NULL },
};

static int read_entry(struct fl_kube *k, uint32_t v)
{
	struct fl_daemon_access_row row = { .place = fl_kube_place(k, v) };
	uint32_t name;
	int r = fl_kube_need(k, v, "queue", &name);

	if (r == 0)
		r = fl_kube_map(k, v, queue, &row);
	for (uint32_t i = 0; r == 0 && i < k->m->n_daemon_access; i++)
		if (k->m->daemon_access[i].queue_name.v == row.queue_name.v)
			return fl_kube_fail(k, name, FAIRLEAD_EINPUT,
					    "queue '%.200s' has an entry already",
					    fl_model_text(k->m, row.queue_name));
	return r < 0 ? r : fl_model_push_daemon_access(k->m, &row, /* ret_id= */ NULL, k->err);
}

static int read_queues(struct fl_kube *k, uint32_t v, void *row)
{
	(void)row;
	return fl_simulation_each(k, v, read_entry);
}

static int read_others(struct fl_kube *k, uint32_t v, void *row)
{
	static const char *const names[] = { "deny", "allow", NULL };
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, names, &i);

	((struct fl_daemon_settings *)row)->open = i == 1;
	return r;
}

static int read_without_account(struct fl_kube *k, uint32_t v, void *row)
{
	static const char *const names[] = { "deny", "allow", NULL };
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, names, &i);

	((struct fl_daemon_settings *)row)->without_account = i == 1;
	return r;
}

const struct fl_field fl_fields_daemon_access[] = {
	{ .name = "admins", .read = read_admins, .fields = admins },
	{ .name = "queues", .read = read_queues, .fields = queue, .list = true },
	{ .name = "others", .read = read_others },
	{ .name = "withoutAccount", .read = read_without_account },
	{ .name = NULL },
};
