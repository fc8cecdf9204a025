/* SPDX-License-Identifier: Apache-2.0 */
/*
 * former - objects as they were before a change, by kind and name
 *
 * So that each object of the input can be judged as an update of its former self.
 */
#ifndef FL_CODEC_EDIT_FORMER_H
#define FL_CODEC_EDIT_FORMER_H

#include "codec/object/kube.h"
#include "codec/text/doc.h"

struct fl_former {
	const struct fl_mem *mem;
	struct fl_names names; /* "Workload/ns/name", in the order of the objects */
	struct fl_doc *docs;   /* by name, less 1 */
	uint32_t n, cap;
	struct fl_kube_tap tap; /* takes each object, for fl_kube_read_from */
};

int fl_former_init(struct fl_former *f, const struct fl_mem *mem, fairlead_error *err);
void fl_former_done(struct fl_former *f);

/* The former object of that subject and apiVersion; NULL: there is none to compare with. */
const struct fl_doc *fl_former_find(const struct fl_former *f, const char *subject,
				    const char *api_version);

#endif
