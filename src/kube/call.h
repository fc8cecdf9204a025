/* SPDX-License-Identifier: Apache-2.0 */
/* call - one request as a transfer of libcurl, and what comes back; private to src/kube */
#ifndef FL_KUBE_CALL_H
#define FL_KUBE_CALL_H

#include "kube/client_state.h"

int fl_kube_call_new(struct fl_kube_client *k, const struct fl_kube_request *request,
		     struct fl_kube_call **ret, fairlead_error *err);
struct fl_kube_call *fl_kube_call_free(struct fl_kube_call *call);

/* Makes its transfer: what the last attempt left is forgotten. ENOMEM. */
int fl_kube_call_open(struct fl_kube_call *call, const struct fl_kube_credentials *as,
		      fairlead_error *err);
/* Its transfer has ended. */
void fl_kube_call_close(struct fl_kube_call *call);

#endif
