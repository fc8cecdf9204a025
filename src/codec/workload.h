/* SPDX-License-Identifier: Apache-2.0 */
/* workload - what the parts of a Workload's reading share; private to src/codec */
#ifndef FL_CODEC_WORKLOAD_H
#define FL_CODEC_WORKLOAD_H

#include "base/limits.h"
#include "codec/fields.h"

enum { FL_MAX_AMOUNTS = FL_MAX_RESOURCES * FL_MAX_RESOURCE_GROUPS }; /* more no queue could cover */

struct fl_reclaimable {
	struct fl_sym podset;
	int32_t count;
};

struct fl_reading { /* of one Workload */
	struct fl_workload_row row;
	bool quota_reserved, has_admission;
	bool to_deactivate;  /* condition DeactivationTarget */
	bool check_rejected; /* some admission check says no */
	struct fl_reclaimable reclaimable[FL_MAX_PODSETS];
	uint32_t n_reclaimable;
};

/* kube_pod.c: of a podset's template; row: struct fl_podset */
extern const struct fl_field fl_fields_pod_template[];
/* kube_status.c; row: struct fl_reading */
extern const struct fl_field fl_fields_workload_status[];

/* A count of pods: not negative. */
int fl_kube_count(struct fl_kube *k, uint32_t v, int32_t *ret);

/* A map of quantities, onto the model's amounts: @limits says which half of each. */
int fl_kube_amounts(struct fl_kube *k, uint32_t v, bool limits, struct fl_span *amounts);

#endif
