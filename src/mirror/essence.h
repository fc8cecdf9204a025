/* SPDX-License-Identifier: Apache-2.0 */
/*
 * essence - the digest by which two programs find out whether they have the same object
 *
 * Equal for equal objects in all programs of the same form, whatever they heard before; without the
 * resourceVersion, which goes up with changes that decide nothing.  An object of which nothing could be made is
 * the same as another such one of its name and uid; one that holds quota, if what is wrong and its queues are the same.
 *
 * Cannot: tell apart two objects that were made to have the same digest (base/mix.h).
 * Tested in tests/unit/mirror/test_essence.c.
 */
#ifndef FL_MIRROR_ESSENCE_H
#define FL_MIRROR_ESSENCE_H

#include "mirror/mirror.h"

/* Goes up with each change of what is made of an object (rows.h, document.h, the codec); the test says when. */
enum { FL_MIRROR_FORM = 3 };

/* Of namespace, name, uid and essence. */
void fl_mirror_essence_of(const struct fl_mirror_object *o, uint64_t ret[2]);
/* Stands for the version of fairlead, FL_MIRROR_FORM and the table of kinds. */
uint64_t fl_mirror_form(void);

enum { FL_MIRROR_DIGEST = 33 /* bytes, with a NUL */ };
/* The digest in hexadecimal. */
const char *fl_mirror_essence_text(const struct fl_mirror_object *o, char ret[FL_MIRROR_DIGEST]);
const char *fl_mirror_form_text(char ret[FL_MIRROR_DIGEST]);

#endif
