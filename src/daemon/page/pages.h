/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pages - browsers that were given the rights of a caller: a code, and then a token
 *
 * A code is asked for by the caller, stands in the fragment of the address that its browser opens, and
 * is exchanged for a token by the page there.  It can be used once, for a minute.  The token has the
 * rights of the caller, but those that only root has, for FL_PAGE_LASTS at most, and ends before that with the caller's own token, with
 * the request that holds it open, or when the page says so.
 *
 * Both are of 256 random bits, of which only the SHA-256 is kept, in memory alone: they end with the
 * daemon, too.  The rights themselves are looked up anew with each request (api/page.c).
 *
 * Limits: FL_PAGES in all, FL_PAGES_OF_ONE of one user or caller of a cluster.
 */
#ifndef FL_DAEMON_PAGE_PAGES_H
#define FL_DAEMON_PAGE_PAGES_H

#include "base/principal.h"
#include "daemon/token/secret.h"
#include "model/model.h"

enum { FL_PAGES = 512, FL_PAGES_OF_ONE = 16 };
#define FL_PAGE_CODE_LASTS (60 * (fl_time)FL_SECOND)
#define FL_PAGE_LASTS (12 * 3600 * (fl_time)FL_SECOND)

struct fl_page {
	uint32_t number;          /* never used again; 0: a free place */
	struct fl_principal who;  /* with this number as its page */
	char parent[FL_TOKEN_ID]; /* of a caller with a token of this daemon: its id; else "" */
	char *bearer;             /* of a caller of a cluster: what it has shown; else NULL */
	fl_time until;            /* of the code, or of the token */
	fl_time ends;             /* of the token, once there is one */
	bool opened;              /* its code was exchanged */
	char id[FL_TOKEN_ID], hash[FL_TOKEN_HASH];
};

struct fl_pages {
	uint32_t last; /* number that was given */
	struct fl_page rows[FL_PAGES];
};

/* NULL: no memory. */
struct fl_pages *fl_pages_new(void);
struct fl_pages *fl_pages_free(struct fl_pages *p);

/* The caller that opens one; its texts are copied. */
struct fl_page_wish {
	const struct fl_principal *who;
	const char *parent; /* NULL: no token of this daemon */
	const char *bearer; /* NULL: not of a cluster */
	fl_time expires;    /* of its token; FL_TIME_NONE: never */
};
/*
 * A new code.  FAIRLEAD_ELIMIT: the caller has too many pages, or there are too many; EIO: no random
 * numbers; ENOMEM.
 */
int fl_pages_open(struct fl_pages *p, const struct fl_page_wish *wish, fl_time now,
		  char ret[FL_TOKEN_TEXT], const struct fl_page **ret_page, fairlead_error *err);
/*
 * Exchanges a code for a token.  FAIRLEAD_ENOENT: it is none, was used, or is too old: one of these,
 * whichever it is.
 */
int fl_pages_exchange(struct fl_pages *p, const char *code, fl_time now, char ret[FL_TOKEN_TEXT],
		      const struct fl_page **ret_page, fairlead_error *err);

/* The page whose token that is; NULL: none. */
const struct fl_page *fl_pages_find(const struct fl_pages *p, const char *token, fl_time now);
/* The page of that number, also while there is but a code; NULL: it has ended. */
const struct fl_page *fl_pages_at(const struct fl_pages *p, uint32_t number, fl_time now);
/* Ends it, if it has not ended. */
void fl_pages_end(struct fl_pages *p, uint32_t number);

#endif
