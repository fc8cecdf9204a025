/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jobs - the Workloads that Kueue makes of people's jobs
 *
 * All objects of one input are added, in any order; fl_kjobs_make then calls back once for each job
 * (once for a group of pods) with the Workloads that Kueue's webhooks and controllers make of it,
 * or the reason why there is none.  The order of the calls is that of kinds (framework.def), then
 * namespaces, then names.
 *
 * README.md beside this says what is read and which rule is in which file.
 */
#ifndef FL_CODEC_JOBS_JOBS_H
#define FL_CODEC_JOBS_JOBS_H

#include "codec/jobs/object/types.h"

const char *fl_kjob_reason_name(enum fl_kjob_reason reason);     /* "noQueueName" */
const char *fl_kjob_reason_sentence(enum fl_kjob_reason reason); /* without a full stop */

/* --- asking ----------------------------------------------------------------------------------- */

struct fl_kjobs;

int fl_kjobs_new(const struct fl_mem *mem, struct fl_kjobs **ret, fairlead_error *err);
struct fl_kjobs *fl_kjobs_free(struct fl_kjobs *j);

/* Where an object comes from. */
struct fl_kjobs_origin {
	uint32_t input;     /* of the model */
	bool context;       /* it exists, but no Workload is made of it */
	bool without_group; /* a Pod of KAI that has no PodGroup yet */
	bool added;         /* it is made of a job, and asked for by FL_KJOBS_ADDED alone */
};

/*
 * @doc is copied when it is a kind of object that matters here: a job, or what its Workload depends
 * on; all others are passed over.  A second object of the same kind, namespace and name replaces
 * the first.
 */
int fl_kjobs_add(struct fl_kjobs *j, const struct fl_doc *doc, const struct fl_kjobs_origin *origin,
		 fairlead_error *err);
/* Is there one that Workloads are made of? */
bool fl_kjobs_any(const struct fl_kjobs *j);
/* The input of an object that fl_kjobs_make tells of. */
uint32_t fl_kjobs_input(const struct fl_doc *object);

/* @a and what it points to are valid during the call only. Negative ends fl_kjobs_make with it. */
typedef int fl_kjobs_take(void *user, const struct fl_kjob_answer *a, fairlead_error *err);

int fl_kjobs_make(struct fl_kjobs *j, const struct fl_kjobs_config *config, fl_kjobs_take *take,
		  void *user, fairlead_error *err);

#endif
