/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kube - Kubernetes objects to model rows
 *
 * Reads ResourceFlavor, ClusterQueue, Cohort, LocalQueue, Workload,
 * WorkloadPriorityClass (kueue.x-k8s.io v1beta1 and v1beta2), PriorityClass,
 * Namespace, LimitRange, RuntimeClass, Configuration (config.kueue.x-k8s.io, also
 * inside the ConfigMap kueue-manager-config), KAI's Queue, PodGroup, BindRequest and SchedulingShard, Pod
 * and Node, our own Policy, UsageHistory, Simulation, Moves and Daemon, and List; each field is supported,
 * refused, or ignored with a notice (doc/guide/fields.md).  Jobs of all kinds that Kueue knows become
 * Workloads when the model is completed (codec/jobs), or pods and PodGroups of KAI (codec/grouper).  Other kinds are a notice.  Inputs of
 * KAI's simulators, which have no kind, are read as well.
 */
#ifndef FL_CODEC_OBJECT_KUBE_H
#define FL_CODEC_OBJECT_KUBE_H

#include "codec/text/reader.h"
#include "model/model.h"

/*
 * Reads one whole input into the model.  @name is its name in messages.  Malformed: FAIRLEAD_EINPUT
 * or ELIMIT with file, line, column, subject, text, hint; the model can then only be freed.
 */
int fl_kube_read(struct fl_model *m, const char *name, const char *text, size_t len,
		 fairlead_error *err);

/*
 * One object (or List) whose document or list item starts at the reader's next token.
 * 1 when the list or the input ended there instead.
 */
int fl_kube_read_value(struct fl_model *m, uint32_t input, struct fl_reader *r,
		       fairlead_error *err);

struct fl_kube;
struct fl_kind;
/* Private to src/codec: fills in the name and namespace of @k; before the fields. */
int fl_kube_read_names(struct fl_kube *k, const struct fl_kind *kind);

/*
 * Called with each object and its name, before rows are made from it; @kind NULL: an unknown kind.
 * Returns 0: go on; 1: leave it out; negative: an error.
 */
struct fl_kube_tap {
	int (*object)(void *user, struct fl_kube *k, const struct fl_kind *kind);
	void *user;
	const char *stem; /* what stands before the number of a generated name; NULL: nothing */
};

/*
 * As fl_kube_read, as a stream; @tap NULL: none.  Memory: that of the reader, of the largest object
 * (some ten times its text), and of the rows.  An error of @source is passed on; if it names a
 * file, that stays.
 */
int fl_kube_read_from(struct fl_model *m, const char *name, const struct fl_source *source,
		      const struct fl_kube_tap *tap, fairlead_error *err);

/* The same where lines are no places for people: messages have the names of objects only. */
int fl_kube_read_kept(struct fl_model *m, const char *name, const struct fl_source *source,
		      const struct fl_kube_tap *tap, fairlead_error *err);

/*
 * Between reading and fl_model_complete: @tap sees the objects that are made of jobs then.  @tap must
 * outlive that.
 */
void fl_kube_tap_made(struct fl_model *m, const struct fl_kube_tap *tap);

/* What a field's text is: a value that reading checks, or the name of an object. */
enum fl_text_kind {
	FL_TEXT_VALUE, /* a number, quantity, time, or one of a few words */
	FL_TEXT_SHAPE, /* of a map: two that differ must not become equal */
	FL_TEXT_WORD,  /* a word of Kueue or another one: types and reasons of conditions */
	FL_TEXT_NAMESPACE,
	FL_TEXT_WORKLOAD,
	FL_TEXT_FULL_NAME, /* "namespace/name" of a workload */
	FL_TEXT_UID,
	FL_TEXT_JOB,
	FL_TEXT_PODSET,
	FL_TEXT_LOCAL_QUEUE,
	FL_TEXT_CLUSTER_QUEUE,
	FL_TEXT_COHORT,
	FL_TEXT_FLAVOR,
	FL_TEXT_CLASS,
	FL_TEXT_RESOURCE,
	FL_TEXT_RESOURCE_PREFIX, /* a prefix of names of resources */
	FL_TEXT_GATE,            /* a feature gate */
	FL_TEXT_LABEL_KEY,
	FL_TEXT_LABEL_VALUE,
	FL_TEXT_MACHINE,
	FL_TEXT_NAME, /* the name of anything else */
	FL_TEXT_KINDS
};

/* What is done with a field. */
enum fl_support {
	FL_FIELD_SUPPORTED,
	FL_FIELD_IGNORED, /* changes no decision: ignored */
	FL_FIELD_NOTED,   /* could change decisions, but is not used: a notice */
	FL_FIELD_REFUSED, /* an error */
};

#endif
