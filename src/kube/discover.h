/* SPDX-License-Identifier: Apache-2.0 */
/*
 * discover - which version of a kind does the server have?
 *
 * Asks for each version by itself (/apis/GROUP/VERSION), which costs the server little and takes no list of
 * all groups.  Where that may not be read, the first version is supposed to be there.
 */
#ifndef FL_KUBE_DISCOVER_H
#define FL_KUBE_DISCOVER_H

#include "kube/reflect.h"

struct fl_kube_discovery;

/*
 * @version: one of the source's, or NULL: it has none of them; with a @refusal: that is not known.  The
 * discovery is freed behind it.
 */
typedef void fl_kube_discovered(void *user, const char *version,
				const struct fl_kube_answer *refusal);

/* @source stays as it is until @done. ENOMEM, ELIMIT. */
int fl_kube_discover(struct fl_kube_client *k, const struct fl_kube_source *source,
		     fl_kube_discovered *done, void *user, struct fl_kube_discovery **ret,
		     fairlead_error *err);
/* Before @done, which is then not called; not from a callback. Returns NULL. */
struct fl_kube_discovery *fl_kube_discovery_free(struct fl_kube_discovery *d);

/* "/api/v1" or "/apis/GROUP/VERSION"; from malloc, NULL: no memory. */
char *fl_kube_group_path(const char *group, const char *version);

#endif
