/* SPDX-License-Identifier: Apache-2.0 */
/* list - all objects of a kind, in pages; private to src/kube */
#ifndef FL_KUBE_REFLECT_LIST_H
#define FL_KUBE_REFLECT_LIST_H

#include "kube/reflect/state.h"

/* Asks for the next page. */
int fl_reflect_list(struct fl_kube_reflector *r, fairlead_error *err);

#endif
