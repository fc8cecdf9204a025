/* SPDX-License-Identifier: Apache-2.0 */
/* .spec.access of a Daemon: the permissions of users and groups. */
#include "base/limits.h"
#include "codec/own/daemon.h"

enum { ACCOUNT = 63 }; /* bytes of the name of a user or group, at most */

/* --- a list of users or groups, by name or number --- */

static int read_account(struct fl_kube *k, uint32_t v, void *unused)
{
	struct fl_sym sym;
	int r = fl_own_name(k, v, &sym);

	(void)unused;
	if (r == 0 && (k->doc.values[v].len == 0 || k->doc.values[v].len > ACCOUNT))
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected a name of 1 to %d bytes",
				    ACCOUNT);
	return r < 0 ? r : fl_model_push_syms(k->m, &sym, /* ret_id= */ NULL, k->err);
}

#define ACCOUNT_SCHEMA                                                                             \
	"\"type\": [\"string\", \"integer\"], \"minLength\": 1, \"maxLength\": 63, \"minimum\": 0"

/* An empty list could mean no user as well as all users. */
#define ACCOUNTS(field, member, what)                                                              \
	{                                                                                          \
		FL_IS_LIST(field, struct fl_daemon_access_row, member, syms, read_account),        \
			.fail = "an empty list names no user", .text = FL_TEXT_NAME,               \
			.schema = ACCOUNT_SCHEMA, .doc = what                                      \
	}
#define ACCOUNT_FIELDS                                                                             \
	ACCOUNTS("users", users, "Users, by name or number."),                                     \
		ACCOUNTS("groups", groups, "Groups, by name or number.")

/* --- of admins and queues --- */

static const struct fl_field admins[] = {
	ACCOUNT_FIELDS,
	{ .name = NULL },
};

static int read_admins(struct fl_kube *k, uint32_t v, void *unused)
{
	struct fl_daemon_access_row row = { .queue_name = { FL_NONE },
					    .place = fl_kube_place_of(k, v) };
	int r = fl_kube_map(k, v, admins, &row);

	(void)unused;
	if (r == 0 && row.users.n + row.groups.n == 0)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "names neither users nor groups");
	return r < 0 ? r : fl_model_push_daemon_access(k->m, &row, /* ret_id= */ NULL, k->err);
}

static const struct fl_field queue[] = {
	{ FL_IS("queue", word, struct fl_daemon_access_row, queue_name),
	  .most = 2 * FL_MAX_NAME + 1, .needed = true, .text = FL_TEXT_LOCAL_QUEUE },
	ACCOUNT_FIELDS,
	{ .name = NULL },
};

static int read_entry(struct fl_kube *k, uint32_t v, void *unused)
{
	struct fl_daemon_access_row row = { .place = fl_kube_place_of(k, v) };
	int r = fl_kube_whole(k, v, queue, &row);

	(void)unused;
	for (uint32_t i = 0; r == 0 && i < k->m->n_daemon_access; i++)
		if (k->m->daemon_access[i].queue_name.v == row.queue_name.v)
			return fl_kube_fail(k, fl_doc_find(&k->doc, v, "queue"), FAIRLEAD_EINPUT,
					    "queue '%.200s' has two entries",
					    fl_model_text(k->m, row.queue_name));
	return r < 0 ? r : fl_model_push_daemon_access(k->m, &row, /* ret_id= */ NULL, k->err);
}

const struct fl_field fl_fields_daemon_access[] = {
	{ .name = "admins",
	  .read = read_admins,
	  .fields = admins,
	  .schema = "\"minProperties\": 1, @",
	  .doc = "Admins besides root and the user of the daemon." },
	{ FL_IS_EACH("queues", read_entry), .fields = queue, .list = true,
	  .doc = "Users and groups that may use a queue; an entry without them is for all users." },
	{ FL_IS_EITHER("others", struct fl_daemon_settings, open, "deny", "allow"),
	  .doc = "For queues without an entry; default allow." },
	{ FL_IS_EITHER("withoutAccount", struct fl_daemon_settings, without_account, "deny",
		       "allow"),
	  .doc = "For users without an account on this machine; default deny." },
	{ .name = NULL },
};
