/* SPDX-License-Identifier: Apache-2.0 */
/*
 * principal - the caller: a value that the door makes, and by which rates, permissions, the audit
 * log and owners of jobs go
 *
 * kind    made by                   name in the audit log              account of its jobs
 * probe   -                         -                                  none
 * user    a Unix socket, by what    alice                              the user's
 *         the kernel says
 * token   a secret in the request   alice/ci-runner                    of the user it was made for
 * kube    a cluster's word          system:serviceaccount:ns:name      none
 *
 * Only users are made so far.  A value of zeros is a probe that may do nothing.
 */
#ifndef FL_BASE_PRINCIPAL_H
#define FL_BASE_PRINCIPAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What a caller may do; each rank may also do what those before it may. */
enum fl_rank {
	FL_RANK_STRANGER, /* nothing */
	FL_RANK_PROBE,    /* ask for the daemon's health */
	FL_RANK_READER,   /* read */
	FL_RANK_USER,     /* submit jobs, and change their own */
	FL_RANK_ADMIN,
	FL_RANK_ROOT, /* root, and the user that the daemon runs as */
};

enum fl_principal_kind {
	FL_PRINCIPAL_PROBE,
	FL_PRINCIPAL_USER,
	FL_PRINCIPAL_TOKEN,
	FL_PRINCIPAL_KUBE,
	FL_PRINCIPAL_KINDS
};

#define FL_NO_ACCOUNT ((uid_t)-1)
#define FL_NO_GROUP ((gid_t)-1)

enum {
	/* "system:serviceaccount:", 63 bytes of a namespace, ':', 253 of a name, NUL */
	FL_PRINCIPAL_NAME = 22 + 63 + 1 + 253 + 1,
	FL_ACCOUNT_NAME = 256,
	FL_PRINCIPAL_TEXT = FL_ACCOUNT_NAME + FL_PRINCIPAL_NAME,
};

struct fl_principal {
	enum fl_principal_kind kind;
	enum fl_rank role; /* it may do no more than this */
	uid_t uid;         /* user, token: the user's number and group; others: unused */
	gid_t gid;
	/*
	 * It acts through a page of a browser (daemon/page/pages.h): the number of that one, else 0.
	 * A page has the rights of the principal that opened it, but makes nothing that outlives it.
	 */
	uint32_t page;
	/* token: its own, of those of its user; kube: the whole; probe: from where; user: "" */
	char name[FL_PRINCIPAL_NAME];
};

/* @uid FL_NO_ACCOUNT: the user is not known, and may do nothing. */
struct fl_principal fl_principal_user(uid_t uid, gid_t gid);

/*
 * The same kind, user and name.  Group, role and page do not count: a user in another group is the same.
 */
bool fl_principal_same(const struct fl_principal *a, const struct fl_principal *b);
/*
 * The principal that it acts for: a token acts for its user, all others for themselves.  That one
 * owns the jobs that it submits, and pays for its connections and requests, so that a user does not
 * get more by having many tokens.
 */
struct fl_principal fl_principal_behind(const struct fl_principal *p);

/* The user whose account its jobs have; FL_NO_ACCOUNT. */
uid_t fl_principal_account(const struct fl_principal *p);
/* The most that it may do, whatever the rights of its account: its role, but no more than its kind. */
enum fl_rank fl_principal_most(const struct fl_principal *p);
/* Root itself, which has no limit of connections and rates; not a token of root. */
bool fl_principal_is_root(const struct fl_principal *p);

/* Its name in the audit log; @account: the name of the user fl_principal_account. Returns @ret. */
const char *fl_principal_text(const struct fl_principal *p, const char *account,
			      char ret[FL_PRINCIPAL_TEXT]);

#endif
