/* SPDX-License-Identifier: Apache-2.0 */
/* client_failure - why a request failed, for people; private to net */
#ifndef FL_NET_CLIENT_FAILURE_H
#define FL_NET_CLIENT_FAILURE_H

#include "net/client_state.h"

/* @writes: it may have changed something.  Sets c->distrusts. */
int fl_client_failed(struct fl_client *c, CURLcode code, bool writes, fairlead_error *err);

#endif
