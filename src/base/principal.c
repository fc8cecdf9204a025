/* SPDX-License-Identifier: Apache-2.0 */
#include "base/principal.h"

#include <stdio.h>
#include <string.h>

static const struct kind {
	bool has_account;   /* its jobs run as a user of this machine */
	bool acts_for_user; /* for the one of its account */
	bool tells_name;    /* in the audit log */
	enum fl_rank most;
} kinds[] = {
	[FL_PRINCIPAL_PROBE] = { false, false, false, FL_RANK_PROBE },
	[FL_PRINCIPAL_USER] = { true, false, false, FL_RANK_ROOT },
	[FL_PRINCIPAL_TOKEN] = { true, true, true, FL_RANK_ADMIN },
	[FL_PRINCIPAL_KUBE] = { false, false, true, FL_RANK_ADMIN },
};

struct fl_principal fl_principal_user(uid_t uid, gid_t gid)
{
	return (struct fl_principal){
		.kind = FL_PRINCIPAL_USER,
		.role = uid == FL_NO_ACCOUNT ? FL_RANK_STRANGER : FL_RANK_ROOT,
		.uid = uid,
		.gid = gid,
	};
}

bool fl_principal_same(const struct fl_principal *a, const struct fl_principal *b)
{
	return a->kind == b->kind && fl_principal_account(a) == fl_principal_account(b) &&
	       strcmp(a->name, b->name) == 0;
}

struct fl_principal fl_principal_behind(const struct fl_principal *p)
{
	return kinds[p->kind].acts_for_user ? fl_principal_user(p->uid, p->gid) : *p;
}

uid_t fl_principal_account(const struct fl_principal *p)
{
	return kinds[p->kind].has_account ? p->uid : FL_NO_ACCOUNT;
}

enum fl_rank fl_principal_most(const struct fl_principal *p)
{
	enum fl_rank most = kinds[p->kind].most;

	return p->role < most ? p->role : most;
}

bool fl_principal_is_root(const struct fl_principal *p)
{
	return p->kind == FL_PRINCIPAL_USER && p->uid == 0;
}

const char *fl_principal_text(const struct fl_principal *p, const char *account,
			      char ret[FL_PRINCIPAL_TEXT])
{
	const struct kind *k = &kinds[p->kind];
	const char *none = k->has_account ? "" : "-";

	(void)snprintf(ret, FL_PRINCIPAL_TEXT, "%s%s%s", k->has_account ? account : "",
		       k->has_account && k->tells_name ? "/" : "", k->tells_name ? p->name : none);
	return ret;
}
