/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reflect - tells a listener all objects of one kind, and then each change, for as long as it lives
 *
 * Lists in pages, then watches from there; after any cut it goes on from the last resourceVersion.  Where that
 * is too old (410) it lists again: the listener keeps what it has, and what was not seen between begun and
 * listed is not there any more.
 *
 * Guarantees: after listed, and while no trouble was told, what the listener keeps is the state of the server at some
 * resourceVersion, and later ones follow.  Each object is well-formed JSON, without values of
 * metadata.managedFields.  One object of at most FL_MAX_KUBE_OBJECT bytes is in memory.
 *
 * A kind that the server does not have is a list of nothing (begun with version NULL, then listed), and is
 * looked for again each minute; so is one that may not be read, which is a trouble.
 *
 * A server that sends no bookmarks is known once a change has come and none of them: its watches may be quiet, and are
 * asked for again after options.silence of it, from where they were.  Until then, and where bookmarks come, quiet is
 * a trouble, and lists take the place of watches.
 *
 * Cannot: two changes of one object may come as one, as a list shows only the last.
 *
 * Tested in tests/kube/test_follow.py and test_watches.py.
 */
#ifndef FL_KUBE_REFLECT_H
#define FL_KUBE_REFLECT_H

#include "kube/client.h"

enum { FL_KUBE_VERSIONS = 4 };

struct fl_kube_source {
	const char *group;                      /* "": core */
	const char *versions[FL_KUBE_VERSIONS]; /* the first one that the server has is read */
	const char *plural;                     /* "workloads" */
	const char *namespace;                  /* NULL: all of them */
	const char *fields, *labels;            /* selectors; NULL: none */
	bool initial_events;                    /* instead of a list, where the server has them */
};

enum fl_kube_what {
	FL_KUBE_SEEN,  /* it is there, as it is now */
	FL_KUBE_ENDED, /* it was deleted, or is no longer selected; its last state, or NULL */
	FL_KUBE_TOO_LARGE, /* it is there, without its text: it has more than FL_MAX_KUBE_OBJECT bytes */
};

/* Texts end with a NUL, and are valid in the call. */
struct fl_kube_object {
	const char *namespace; /* "": it has none */
	const char *name, *uid, *resource_version;
	const char *json; /* of all of it; NULL: too large */
	size_t len;
};

struct fl_kube_trouble {
	const char *kind;     /* "workloads.kueue.x-k8s.io" */
	const char *verb;     /* "list", "watch", "get" */
	unsigned status;      /* of HTTP; 0: no answer */
	fairlead_error error; /* for people */
	int64_t since;        /* ms of the clock since 1970: when it began */
};

/* NULL of any: not asked for. */
struct fl_kube_listener {
	/*
	 * A list begins, of this version of the kind; NULL: the server has no such kind.  Again before listed:
	 * it begins anew.
	 */
	void (*begun)(void *user, const char *version);
	/* 0; negative: there is no memory to take it: all is listed again after a while. */
	int (*object)(void *user, enum fl_kube_what what, const struct fl_kube_object *object);
	/* So many follow in pages to come, as the server says, which it does not with selectors. */
	void (*remaining)(void *user, uint64_t objects);
	/* What was not seen since begun is not there. */
	void (*listed)(void *user, const char *resource_version);
	/* All changes up to this one were told. */
	void (*bookmark)(void *user, const char *resource_version);
	/* What was told may be old; again when another trouble takes its place; NULL: it is over. */
	void (*troubled)(void *user, const struct fl_kube_trouble *trouble);
};

struct fl_kube_reflector;

/* Begins in the next turn of the loop. Texts of the source are copied; @listener lives longer. */
int fl_kube_reflect(struct fl_kube_client *k, const struct fl_kube_source *source,
		    const struct fl_kube_listener *listener, void *user,
		    struct fl_kube_reflector **ret, fairlead_error *err);
/* Before the client is freed; not from a callback. */
struct fl_kube_reflector *fl_kube_reflector_free(struct fl_kube_reflector *r);

/* Lists anew, from the next turn of the loop on: what is listed then is at least as new as this moment. */
void fl_kube_reflector_again(struct fl_kube_reflector *r);

/* How it stands, for health and metrics. */
struct fl_kube_standing {
	bool listed;  /* once at least, and not absent */
	bool absent;  /* the server has no such kind, as of the last look */
	bool current; /* a watch is open, and no trouble is known */
	uint64_t
		heard; /* uv_now: what was told was known to be true; an end of a list, or of a watch its
			 * beginning or an event */
	uint64_t objects, lists, cuts, expired, skipped; /* counted from the beginning */
};
void fl_kube_reflector_standing(const struct fl_kube_reflector *r, struct fl_kube_standing *ret);

#endif
