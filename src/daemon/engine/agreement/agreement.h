/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agreement - ask/agree in a daemon: with the states just before windows that differ, as files
 *
 * A daemon that follows another scheduler tells it each event when it applies it, calls pass each
 * second, and renew with each generation.  Of windows that differ the state just before is kept as an
 * image, which `plan -f` reads: the newest, at most one a minute, and no more than fit.
 *
 * In a daemon it takes a tenth of the time at most, and 0.2 s at once, and a cycle more: what is not judged by then
 * is not, and counts as such.
 *
 * Cannot: go on across a restart.  What was counted begins again, and the images are removed.
 *
 * Tested in tests/unit/daemon/test_agreement.c.
 */
#ifndef FL_DAEMON_ENGINE_AGREEMENT_AGREEMENT_H
#define FL_DAEMON_ENGINE_AGREEMENT_AGREEMENT_H

#include "ask/agree/agree.h"

enum {
	FL_AGREEMENT_STATES = 32,       /* images that are kept */
	FL_AGREEMENT_BYTES = 256 << 20, /* of all of them */
	FL_AGREEMENT_APART = 60,        /* seconds from one to the next */
	FL_AGREEMENT_WINDOW = 5,        /* seconds */
	FL_AGREEMENT_LATE = 2,          /* seconds: fl_agree_options */
	FL_AGREEMENT_FLUSH = 1,         /* seconds: fl_agree_options.flush_after */
	FL_AGREEMENT_PATH = 4096,
	FL_AGREEMENT_SHARE = 10,    /* it may use one in so many of the time that goes by */
	FL_AGREEMENT_ONCE_MS = 200, /* and so much at once; `busy` of the options */
};

struct fl_agreement;

struct fl_agreement_options {
	const char *folder; /* for the images alone, which is made; NULL: none are kept */
	const struct fl_policy_ops *ops;
	bool moving_usage; /* as the policy has it */
	bool busy; /* others wait for this thread: there are limits to the time that it takes */
	/* fl_agree_options; NULL: nothing is said */
	const char *(*said)(void *user, struct fl_workload w);
	void *user;
};

int fl_agreement_new(const struct fl_agreement_options *options, struct fl_model *m, fl_time now,
		     const struct fl_policy *from, struct fl_agreement **ret, fairlead_error *err);
struct fl_agreement *fl_agreement_free(struct fl_agreement *a); /* NULL is fine; returns NULL */

/* fl_agree_hear, fl_agree_pass, fl_agree_renew, fl_agree_join, fl_agree_leave */
int fl_agreement_hear(struct fl_agreement *a, fl_time now, const struct fl_event *event,
		      fairlead_error *err);
int fl_agreement_pass(struct fl_agreement *a, fl_time now, fairlead_error *err);
int fl_agreement_renew(struct fl_agreement *a, struct fl_model *m, fl_time now,
		       const struct fl_policy *from, fairlead_error *err);

int fl_agreement_join(struct fl_agreement *a, fl_time now, struct fl_workload w,
		      struct fl_workload was, bool holds, fairlead_error *err);
int fl_agreement_leave(struct fl_agreement *a, fl_time now, struct fl_workload w,
		       fairlead_error *err);

const struct fl_agree *fl_agreement_of(const struct fl_agreement *a);
/* The image of the state just before that window; false: it is not kept any more. */
bool fl_agreement_state(const struct fl_agreement *a, uint64_t window,
			char path[FL_AGREEMENT_PATH]);

#endif
