/* SPDX-License-Identifier: Apache-2.0 */
/* watch - changes of a kind, for as long as the server sends them; private to src/kube */
#ifndef FL_KUBE_REFLECT_WATCH_H
#define FL_KUBE_REFLECT_WATCH_H

#include "kube/reflect/state.h"

/* From r->at on; without that with initial events. */
int fl_reflect_watch(struct fl_kube_reflector *r, fairlead_error *err);
/* It is open for a while, and no error has come. */
void fl_reflect_watch_steady(struct fl_kube_reflector *r);

enum { FL_REFLECT_STEADY_MS = 1000 };

#endif
