/* SPDX-License-Identifier: Apache-2.0 */
/* failure - why a request has failed, for people; private to src/kube */
#ifndef FL_KUBE_FAILURE_H
#define FL_KUBE_FAILURE_H

#include "kube/client_state.h"

/* No answer has come, or not all of it. Returns err's code, FAIRLEAD_EIO for most. */
int fl_kube_failed(const struct fl_kube_call *call, CURLcode code, fairlead_error *err);
/* The server has refused: what it said, and what to do. FAIRLEAD_EIO, ENOENT (404). */
int fl_kube_refused(const struct fl_kube_call *call, fairlead_error *err);

#endif
