/* SPDX-License-Identifier: Apache-2.0 */
/* tell - what a listener gets of lists and watches alike; private to src/kube */
#ifndef FL_KUBE_REFLECT_TELL_H
#define FL_KUBE_REFLECT_TELL_H

#include "kube/reflect/state.h"

void fl_reflect_trouble(struct fl_kube_reflector *r, const char *verb, unsigned status,
			const fairlead_error *error);
/* It works: trouble is over. */
void fl_reflect_fine(struct fl_kube_reflector *r);

/* A list begins anew. */
void fl_reflect_begin(struct fl_kube_reflector *r);
/* Hands on an object of a list or an event: 0, or negative with r->end. */
int fl_reflect_hand_on(struct fl_kube_reflector *r, enum fl_kube_what what,
		       const struct fl_kube_frame *frame);
/* The list is whole, up to @version. */
void fl_reflect_listed(struct fl_kube_reflector *r, const char *version);
/* Bytes of an answer: false when it is to end. */
bool fl_reflect_piece(void *user, const char *bytes, size_t len);

/*
 * "/apis/GROUP/VERSION/namespaces/NAMESPACE/PLURAL?...", selectors added; NULL: no memory.  @query is
 * printed with what follows.
 */
FL_PRINTF(2, 3)
char *fl_reflect_path(const struct fl_kube_reflector *r, const char *query, ...);

#endif
