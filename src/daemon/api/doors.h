/* SPDX-License-Identifier: Apache-2.0 */
/* doors - which requests are served on each address of .spec.listen */
#ifndef FL_DAEMON_API_DOORS_H
#define FL_DAEMON_API_DOORS_H

#include <jansson.h>

#include "daemon/api/api.h"
#include "net/server.h"

struct fl_doors;

/*
 * Its listeners are those of a server, with their sockets.  @state: the folder where a certificate is kept
 * that the daemon makes itself.
 */
int fl_doors_new(const struct fl_daemon *daemon, const struct fl_config *config, const char *state,
		 const struct fl_listening *listening, struct fl_doors **ret, fairlead_error *err);
struct fl_doors *fl_doors_free(struct fl_doors *d);

const struct fl_listener *fl_doors_listeners(const struct fl_doors *d, uint32_t *ret_n);
enum fl_needs fl_doors_needs(const struct fl_doors *d, uint32_t listener,
			     const struct fl_http_request *r);
/* The addresses as they are now, also of a port that was left open: a list of texts. */
json_t *fl_doors_json(const struct fl_doors *d);
/* A line about each in the log. */
void fl_doors_tell(const struct fl_doors *d);

#endif
