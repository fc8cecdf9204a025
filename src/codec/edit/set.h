/* SPDX-License-Identifier: Apache-2.0 */
/*
 * set - one field of an object set from a text: "PATH=VALUE", "PATH+=VALUE", "PATH-=VALUE"
 *
 * PATH is names of fields with dots between them; an item of a list is [name=NAME] or [NUMBER], a
 * key of a map with any keys, or one with dots, is [KEY].  "spec." at the beginning may be left out.  Of a ClusterQueue
 * or Cohort nominalQuota[RESOURCE,FLAVOR], borrowingLimit[...] and lendingLimit[...] are short for
 * the quota of a resource in a flavor.  VALUE is read as YAML; null removes the field or item.
 *
 * Maps on the way that the object lacks are made, items of lists are not.  The field must be one
 * that is read.  += and -= need a number or quantity that is there.
 */
#ifndef FL_CODEC_EDIT_SET_H
#define FL_CODEC_EDIT_SET_H

#include "codec/object/fields.h"

enum { FL_SET_STEPS = 24 };

struct fl_set_step {
	enum { FL_STEP_FIELD, FL_STEP_NUMBER, FL_STEP_NAMED, FL_STEP_KEY } kind;
	const char *name;  /* of a field; of NAMED the field that has `value`; a key */
	const char *value; /* NAMED */
	uint32_t number;   /* NUMBER */
};

struct fl_set {
	const struct fl_mem *mem;
	char *text;  /* as given */
	char *parts; /* the same, cut */
	struct fl_set_step steps[FL_SET_STEPS];
	unsigned n;
	int sign; /* of += and -=; 0: = */
	struct fl_doc value;
};

/* FAIRLEAD_EINPUT: not of this form, whatever object it is for. */
int fl_set_parse(struct fl_set *s, const struct fl_mem *mem, const char *text, fairlead_error *err);
void fl_set_done(struct fl_set *s);

/*
 * @object with the field set, into @ret, which is empty.  FAIRLEAD_EINPUT, without subject: what is
 * wrong with it for this object.
 */
int fl_set_apply(const struct fl_set *s, const struct fl_kind *kind, const struct fl_doc *object,
		 struct fl_doc *ret, fairlead_error *err);

#endif
