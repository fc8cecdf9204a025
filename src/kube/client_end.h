/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_end - how requests end: answered, failed, asked again, or with the connections of their lane;
 * private to src/kube
 */
#ifndef FL_KUBE_CLIENT_END_H
#define FL_KUBE_CLIENT_END_H

#include "kube/client_state.h"

/* Takes a call out of its list. Returns it. */
struct fl_kube_call *fl_kube_leave(struct fl_kube_call *call);
/* Of one that is in no list: its done is called, and it is freed. */
void fl_kube_finish(struct fl_kube_call *call, const struct fl_kube_answer *answer);
void fl_kube_finish_failed(struct fl_kube_call *call, const fairlead_error *problem);
/* Puts one that is in no list among those that wait, in order; @due: ms of the loop's clock. */
void fl_kube_call_wait(struct fl_kube_call *call, uint64_t due);

/* With jitter: from half of @ms to all of it. */
uint64_t fl_kube_jitter(struct fl_kube_client *k, uint64_t ms);

/* Closes the connections of a lane, and ends its calls, unless a byte has come after @since. */
void fl_kube_renew(struct fl_kube_client *k, enum fl_kube_lane lane, uint64_t since,
		   const char *why);

/* For fl_lane_new, and a timer whose data is the client. */
void fl_kube_ended(void *user, CURL *easy, CURLcode code);
void fl_kube_guard(uv_timer_t *timer);

#endif
