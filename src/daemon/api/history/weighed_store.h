/* SPDX-License-Identifier: Apache-2.0 */
/* weighed_store - the attempts and sums of a store, for integrals over any time (engine/history/weighed_past.h) */
#ifndef FL_DAEMON_API_WEIGHED_STORE_H
#define FL_DAEMON_API_WEIGHED_STORE_H

#include "daemon/engine/history/weighed_past.h"
#include "store/store.h"

/* It must outlive it. */
struct fl_weighed_source fl_weighed_source_of(struct fl_store *s);

#endif
