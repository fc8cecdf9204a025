/* SPDX-License-Identifier: Apache-2.0 */
/* caller - the principal of a request on TCP, and the names by which it calls the server; private to net */
#ifndef FL_NET_CALLER_H
#define FL_NET_CALLER_H

#include "net/exchange.h"

/*
 * Sets the principal of the request, by its token, which pays for the connection from then on.
 * FL_REFUSE_NOTHING: it may be asked.
 */
enum fl_refusal fl_caller_find(struct fl_exchange *x);

#endif
