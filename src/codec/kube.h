/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kube - Kubernetes objects to model rows
 *
 * Reads ResourceFlavor, ClusterQueue, Cohort, LocalQueue, Workload,
 * WorkloadPriorityClass (kueue.x-k8s.io v1beta1 and v1beta2), PriorityClass,
 * Namespace, Configuration (config.kueue.x-k8s.io, also inside the ConfigMap
 * kueue-manager-config) and List; each field is supported, refused, or ignored
 * with a notice (doc/guide/fields.md).  Other kinds are a notice.
 */
#ifndef FL_CODEC_KUBE_H
#define FL_CODEC_KUBE_H

#include "codec/reader.h"
#include "model/model.h"

/*
 * Read one whole input into the model.  @name is what messages call it.
 * Malformed: FAIRLEAD_EINPUT or ELIMIT with file, line, column, subject, text, hint;
 * the model can then only be freed.
 */
int fl_kube_read(struct fl_model *m, const char *name, const char *text, size_t len,
		 fairlead_error *err);

/*
 * One object (or List) whose document or list item starts at the reader's next token.
 * 1 when the list or the input ended there instead.
 */
int fl_kube_read_value(struct fl_model *m, uint32_t input, struct fl_reader *r,
		       fairlead_error *err);

/* What is done with a field. */
enum fl_support {
	FL_FIELD_SUPPORTED,
	FL_FIELD_IGNORED, /* changes no decision: passed over */
	FL_FIELD_NOTED,   /* could change decisions, but is not acted on: a notice */
	FL_FIELD_REFUSED, /* an error */
};

struct fl_kube_field {
	char path[160]; /* ".spec.resourceGroups[].flavors[].name" */
	enum fl_support support;
	const char *note; /* NULL: none */
};

/* The known kinds, then the known fields of one, in the order of the tables. NULL or false at the end. */
const char *fl_kube_kind(uint32_t kind);
bool fl_kube_field(uint32_t kind, uint32_t field, struct fl_kube_field *ret);

#endif
