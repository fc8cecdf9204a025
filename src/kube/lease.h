/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lease - of several processes one leads: the holder of a Lease of the API server
 *
 * Guarantees: fl_kube_lease_leads() is true only within `most` of the moment at which a request was made that the
 * server answered with "held", on CLOCK_BOOTTIME, which goes on while a machine sleeps; a caller that asks it before each
 * decision decides nothing later. A Lease that is another's is taken only when it has not changed for its duration since
 * this process saw it so, on the own clock: clocks of two machines may differ, and must run about as fast; also when
 * it was deleted meanwhile, and one that finds none at its first look waits as long. Each write
 * carries the resourceVersion that it is based on, so of two that take it one does. What else the Lease has stays.
 *
 * Cannot: a write that the holder has sent before its end may arrive after it; only the server can refuse that. Two
 * processes of the same identity both lead.
 *
 * Tested in tests/kube/test_lease.py and tests/e2e/test_lease.py.
 */
#ifndef FL_KUBE_LEASE_H
#define FL_KUBE_LEASE_H

#include "kube/client.h"

struct fl_kube_lease;

/* Times in milliseconds; 0: as said here. */
struct fl_kube_lease_spec {
	const char *namespace, *name;
	const char *identity; /* of this process alone: the name of its pod */
	uint32_t lasts;       /* unless it is renewed; whole seconds: 15 s */
	uint32_t every;       /* it is renewed: 5 s */
	uint32_t most;        /* it leads after the last renewal that was answered: 10 s */
	uint32_t look;        /* at a Lease that is another's, and again after a failure: 1 s */
};

/* None may free the lease. */
struct fl_kube_lease_listener {
	/* Only now; decide when all that is kept is at least as new as @version, a resourceVersion. */
	void (*leads)(void *user, const char *version);
	void (*lost)(void *user, const fairlead_error *why);
	/*
	 * After fl_kube_lease_release; @why: NULL, or it could not be given back, and ends by itself. Only what leads is
	 * given back: what was asked for or lost just before may be its own still, and ends by itself without a word.
	 */
	void (*released)(void *user, const fairlead_error *why);
};

/* The texts are copied, @listener is not. It begins to look in the next turn of the loop of @k. ENOMEM. */
int fl_kube_lease_new(struct fl_kube_client *k, const struct fl_kube_lease_spec *spec,
		      const struct fl_kube_lease_listener *listener, void *user,
		      struct fl_kube_lease **ret, fairlead_error *err);
/* What is held stays so until its end; nothing is told. Returns NULL. */
struct fl_kube_lease *fl_kube_lease_free(struct fl_kube_lease *l);

/* It may have changed: unless this process leads, it is looked at now, and not when `look` is over. */
void fl_kube_lease_look(struct fl_kube_lease *l);
/* It leads no more from here on, which is not told as lost; the next one need not wait. Asked once. */
void fl_kube_lease_release(struct fl_kube_lease *l);

/* It was this identity's before: of this process, which lost it, or of one before it, whose last writes may be under way. */
bool fl_kube_lease_was_mine(const struct fl_kube_lease *l);
bool fl_kube_lease_leads(const struct fl_kube_lease *l);
/* Its holder, as last seen; "": it has none. Valid until the loop turns. */
const char *fl_kube_lease_holder(const struct fl_kube_lease *l);
/* Why the last request failed; NULL: it did not. */
const fairlead_error *fl_kube_lease_problem(const struct fl_kube_lease *l);

#endif
