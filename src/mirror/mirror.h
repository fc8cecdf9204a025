/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mirror - what a cluster's API server says: each object's uid, version and essence
 *
 * The essence of a Workload is the rows that the codec makes of it, packed (rows.h), that of any other
 * object its fields that decide something, as a short text (document.h).  An event whose essence is that
 * of before costs a comparison and is not told.
 *
 * Guarantees: after fl_mirror_listed there is nothing of that kind that was not seen since
 * fl_mirror_begin.  Any sequence of events, then a list, gives what a new mirror has after that list
 * (fl_mirror_digest).  An essence never changes: an object with another one is another row, and the
 * old one stays while the mirror is pinned.  What cannot be read is an object without essence, but for a Workload
 * that holds quota: what it holds is its essence, or it is uncertain.
 *
 * Memory: 300 bytes a Workload, with names of 30 bytes, and each different podset once.  Of KAI's pods those
 * that may hold or ask for something: one that succeeded or failed is as one that was deleted.
 * Cannot: it knows no order between objects of different kinds.
 * Tested in tests/unit/mirror, with random events against new mirrors.
 */
#ifndef FL_MIRROR_MIRROR_H
#define FL_MIRROR_MIRROR_H

#include "codec/text/doc.h"
#include "mirror/kind.h"
#include "mirror/rows.h"
#include "mirror/shared.h"

/* What a Workload is to a scheduler. */
enum fl_fate {
	FL_FATE_NONE, /* it is not there, or cannot be read */
	FL_FATE_WAITS,
	FL_FATE_HOLDS, /* quota */
	FL_FATE_GOES,  /* holds quota, and is being evicted */
	FL_FATE_OUT,   /* deactivated: no queue takes it */
	FL_FATE_OVER,  /* finished */
	FL_FATES
} FL_BYTE;

struct fl_mirror_object {
	uint64_t version; /* metadata.resourceVersion; may change while the rest stays */
	uint64_t number;  /* the caller's; goes on with the next essence */
	struct fl_shared *pods, *held; /* held, where that is uncertain: its queues, or NULL */
	uint32_t seen, n_own;          /* n_own 0: no essence */
	uint32_t
		answered; /* it is that of an answer (fl_mirror_answer), while this list was the last one; 0 */
	uint16_t n_namespace, n_name, n_uid;
	uint8_t kind;
	enum fl_fate fate;
	bool uncertain; /* a Workload: it holds quota, or may, and how much cannot be read */
	char text[];    /* namespace, name, uid, each with a NUL; then its own part */
};
static inline const char *fl_mirror_namespace(const struct fl_mirror_object *o) { return o->text; }
static inline const char *fl_mirror_name(const struct fl_mirror_object *o)
{
	return o->text + o->n_namespace + 1;
}
static inline const char *fl_mirror_uid(const struct fl_mirror_object *o)
{
	return o->text + o->n_namespace + o->n_name + 2;
}
/* Of a Workload the packed rows; else the text of the object. */
static inline const uint8_t *fl_mirror_own(const struct fl_mirror_object *o)
{
	return (const uint8_t *)o->text + o->n_namespace + o->n_name + o->n_uid + 3;
}

/* What a change of a Workload says: bits, which are to be looked at in this order. */
enum fl_said {
	FL_SAID_GONE = 1,     /* deleted */
	FL_SAID_OVER = 2,     /* finished */
	FL_SAID_RELEASED = 4, /* its quota: QuotaReserved became False */
	FL_SAID_OUT = 8,      /* deactivated */
	FL_SAID_COMES = 16,   /* new, or active again */
	FL_SAID_CHANGED = 32, /* asks for something else, or of another queue, or at another time */
	FL_SAID_PRIORITY = 64, /* has another priority, and is as before otherwise */
	FL_SAID_HOLDS = 128,   /* quota: QuotaReserved became True */
	FL_SAID_GOES = 256,    /* Evicted became True while it holds quota */
};

/* @was is valid in the call, @now until it changes; both until the mirror's end once a change could not be told. */
struct fl_mirror_change {
	enum fl_mirror_kind kind;
	struct fl_mirror_object *now;       /* NULL: it was deleted */
	const struct fl_mirror_object *was; /* NULL: it is new */
	unsigned said;                      /* Workloads: enum fl_said; 0: nothing that decides */
};
typedef int fl_mirror_fn(void *user, const struct fl_mirror_change *change, fairlead_error *err);

struct fl_mirror;

int fl_mirror_new(fl_mirror_fn *changed, void *user, struct fl_mirror **ret, fairlead_error *err);
struct fl_mirror *fl_mirror_free(struct fl_mirror *m); /* NULL is fine; returns NULL */
/* Objects of one kind, at most: FL_MAX_KUBE_LIST before.  One more is FAIRLEAD_ELIMIT, however it comes. */
void fl_mirror_limit(struct fl_mirror *m, uint32_t objects);

/* --- what a listener of the API hears --- */

/* A list of a kind begins; @version: of the API, "v1beta2"; NULL: the best one. */
void fl_mirror_begin(struct fl_mirror *m, enum fl_mirror_kind kind, const char *version);
/*
 * One object of it, or of a watch, as it is now.  1: it is wrong, and *err says why; it is kept without essence, or
 * as what it holds.  FAIRLEAD_EINPUT, ELIMIT: it is no object, and nothing changed.
 */
int fl_mirror_see(struct fl_mirror *m, enum fl_mirror_kind kind, const char *json, size_t len,
		  fairlead_error *err);
/*
 * The same of the answer to a write, which neither a watch that is behind nor a list that began before undoes: what they
 * say that is older is passed over.  So is an answer, where the mirror has this version already, or a later one of that name.
 */
int fl_mirror_answer(struct fl_mirror *m, enum fl_mirror_kind kind, const char *json, size_t len,
		     fairlead_error *err);
/*
 * What the mirror has of that name, once it has returned 0 or 1: as it came, or, where that was passed over, as it was.
 * Until the next change.
 */
const struct fl_mirror_object *fl_mirror_latest(const struct fl_mirror *m);
/* An object is there, and was too large to be read. */
int fl_mirror_too_large(struct fl_mirror *m, enum fl_mirror_kind kind, const char *namespace,
			const char *name, const char *uid, fairlead_error *err);
int fl_mirror_remove(struct fl_mirror *m, enum fl_mirror_kind kind, const char *namespace,
		     const char *name, fairlead_error *err);
/* The list is whole: what was not seen in it is removed. */
int fl_mirror_listed(struct fl_mirror *m, enum fl_mirror_kind kind, fairlead_error *err);

/* --- what is there --- */

struct fl_mirror_object *fl_mirror_find(const struct fl_mirror *m, enum fl_mirror_kind kind,
					const char *namespace, const char *name);
/* The text of an object that has an essence, and is no Workload, into @doc, whose memory is used again. */
int fl_mirror_read(const struct fl_mirror_object *o, struct fl_doc *doc, fairlead_error *err);
/* All of a kind, in no order. Ends at a negative result, which it returns. */
int fl_mirror_each(const struct fl_mirror *m, enum fl_mirror_kind kind,
		   int (*fn)(void *user, struct fl_mirror_object *o, fairlead_error *err),
		   void *user, fairlead_error *err);
/* One that is; NULL: none. */
const struct fl_mirror_object *fl_mirror_uncertain(const struct fl_mirror *m);
uint32_t fl_mirror_count(const struct fl_mirror *m, enum fl_mirror_kind kind);
size_t fl_mirror_bytes(const struct fl_mirror *m);
/* Of all objects, in whatever order they came; and of one. */
void fl_mirror_digest(const struct fl_mirror *m, uint64_t ret[2]);
void fl_mirror_digest_of(const struct fl_mirror_object *o, uint64_t ret[2]);

/* The version of the API of a kind, as its list began; "": the server has no such kind. */
const char *fl_mirror_version(const struct fl_mirror *m, enum fl_mirror_kind kind);
/*
 * Objects of all kinds by and by, whatever changes meanwhile: those in the next @slots slots of the table behind
 * @from, at first 0, and *ret_next is that of the next call; FL_MIRROR_PAST: that was the last.  What is there from the
 * first call to the last is told once.
 */
int fl_mirror_page(const struct fl_mirror *m, uint64_t from, uint32_t slots,
		   int (*fn)(void *user, const struct fl_mirror_object *o, fairlead_error *err),
		   void *user, uint64_t *ret_next, fairlead_error *err);
#define FL_MIRROR_PAST (UINT64_C(1) << 32)

/* --- rows of a model --- */

/* Until it is unpinned nothing is freed, so that another thread may read what is there now. */
void fl_mirror_pin(struct fl_mirror *m);
void fl_mirror_unpin(struct fl_mirror *m);

#endif
