/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judged - what a server would say of an object, before it is read; private to src/codec
 *
 * What a server would refuse is an error where all of them are collected (check), and reading goes
 * on.  Elsewhere an object that configures nothing is left out
 * (kube.c), and one that configures is read as it stands, with a warning, since its scheduler would
 * decide by it; with --strict the first error ends it.
 */
#ifndef FL_CODEC_OBJECT_JUDGED_H
#define FL_CODEC_OBJECT_JUDGED_H

#include "codec/object/fields.h"

/*
 * The object in k->doc, out of which is cut what a server drops.  0: it may be read, or its kind is
 * not judged; FAIRLEAD_EINPUT with the first error in k->err; negative when memory runs out.
 * @configures: it is not left out.
 */
int fl_kube_judge(struct fl_kube *k, const char *api_version, const char *kind, bool configures);

/* k->err says what a server would refuse: a warning where that ends nothing, else FAIRLEAD_EINPUT. */
int fl_kube_refuse(struct fl_kube *k, uint32_t v, bool configures);

/* An error that has been told already, or that k->err has now: to what collects them. */
int fl_kube_tell_wrong(struct fl_kube *k);

#endif
