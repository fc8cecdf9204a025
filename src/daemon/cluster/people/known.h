/* SPDX-License-Identifier: Apache-2.0 */
/*
 * known - what is believed for a while of tokens and of rights; private to this folder
 *
 * Both tables are direct-mapped and of a fixed size: another one of the same slot takes its place.  A
 * token is known by its SHA-256, and a person by a number that is never given twice, so that an answer
 * for one is not taken for that of another.
 * Tested in tests/kube/test_people.py.
 */
#ifndef FL_DAEMON_CLUSTER_PEOPLE_KNOWN_H
#define FL_DAEMON_CLUSTER_PEOPLE_KNOWN_H

#include <stdint.h>

#include "base/principal.h"

enum {
	FL_KNOWN_PEOPLE = 1024,
	FL_KNOWN_RIGHTS = 8192,
	FL_KNOWN_HASH = 32,
	FL_KNOWN_BELIEVED = 60000, /* ms: a valid token, a right, or none */
	FL_KNOWN_REFUSED = 10000,  /* ms: a token that is not valid */
};

enum fl_standing { FL_STANDS_UNKNOWN, FL_STANDS_ASKING, FL_STANDS_VALID, FL_STANDS_REFUSED };

struct fl_person {
	uint8_t hash[FL_KNOWN_HASH]; /* of the token */
	enum fl_standing standing;
	uint64_t until; /* uv_now; VALID, REFUSED */
	uint64_t number;
	char name[FL_PRINCIPAL_NAME];
	char *spec; /* of a SubjectAccessReview, without its attributes: JSON */
	void *user; /* of the one that asks about it */
};

/* What a person may `get`, or not. */
struct fl_right {
	const char *group, *resource;
	const char *namespace, *name; /* "": of all */
};

struct fl_known_right {
	uint64_t key[2]; /* 0: none */
	uint64_t until;
	bool allowed;
};

struct fl_known {
	struct fl_person *people[FL_KNOWN_PEOPLE]; /* by slot of the hash */
	struct fl_known_right rights[FL_KNOWN_RIGHTS];
	uint64_t last; /* number of a person */
};

/* Frees what is in it. */
void fl_known_done(struct fl_known *k);

/* The row of a token, with what is believed of it at @now; NULL: there is none, or not any more. */
struct fl_person *fl_known_token(const struct fl_known *k, const char *secret, uint64_t now);
/* A row for it, with nothing in it but its number; NULL: there is no room now. */
struct fl_person *fl_known_make_room(struct fl_known *k, const char *secret);
/* By the lower 32 bits of its number; NULL. */
struct fl_person *fl_known_number(const struct fl_known *k, uint32_t number);
/* Is its token valid at @now? */
bool fl_person_is_valid(const struct fl_person *one, uint64_t now);

/* false: it is not known at @now. */
bool fl_known_may(const struct fl_known *k, uint64_t person, const struct fl_right *right,
		  uint64_t now, bool *ret);
void fl_known_keep(struct fl_known *k, uint64_t person, const struct fl_right *right, uint64_t now,
		   bool allowed);

#endif
