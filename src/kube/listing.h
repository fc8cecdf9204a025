/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listing - all objects of one kind, once: for a command that looks at a cluster and ends
 *
 * In pages, of one state of the server.  Where the server has forgotten that state between two pages (410), the list
 * begins again.  A version that the server does not have is not asked for first: the list is, and 404
 * answers.
 *
 * Cannot: what has failed is not tried again, but for what the client itself does (client.h).
 *
 * Tested by the command: tests/cli/test_cluster.py, and with faults tests/kube/test_command.py.
 */
#ifndef FL_KUBE_LISTING_H
#define FL_KUBE_LISTING_H

#include "kube/reflect.h"

struct fl_kube_lister {
	/* A list begins, or begins again: what was told of it before does not count. */
	void (*begun)(void *user, const char *version);
	/* After the first page: so many objects follow. */
	void (*remaining)(void *user, uint64_t n);
	/* @json NULL: too large.  Negative: the list has failed, and @err says why. */
	int (*object)(void *user, const struct fl_kube_object *object, fairlead_error *err);
	/*
	 * Once.  0: all of it was told; FAIRLEAD_ENOENT: the server has no such kind; else it failed, by the @status
	 * of an answer (0: there was none).
	 */
	void (*ended)(void *user, int rc, unsigned status, const fairlead_error *err);
};

struct fl_kube_listing;

/* @source and @lister stay as they are until `ended`; the listing ends with that. ENOMEM, ELIMIT. */
int fl_kube_list_all(struct fl_kube_client *k, const struct fl_kube_source *source, uint32_t page,
		     const struct fl_kube_lister *lister, void *user, struct fl_kube_listing **ret,
		     fairlead_error *err);
/* Before `ended`, which is then not called; not from a call of the lister. Returns NULL. */
struct fl_kube_listing *fl_kube_listing_free(struct fl_kube_listing *l);

#endif
