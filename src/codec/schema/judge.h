/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge - one object while it is judged; private to codec/schema
 */
#ifndef FL_CODEC_SCHEMA_JUDGE_H
#define FL_CODEC_SCHEMA_JUDGE_H

#include "base/ids.h"
#include "codec/schema/rows.h"

struct fl_judge {
	const struct fl_schema_call *call;
	struct fl_doc *doc;
	unsigned version; /* FL_V1BETA1 or FL_V1BETA2; of a kind with one version any */
	uint32_t n_errors;
	bool cuts; /* something was cut out of the object */
	bool in_status;
	int code; /* negative: memory ran out */
	fairlead_error *err;
};

/* What a rule of a kind asks; called in the order of the kind's list. */
typedef void fl_schema_rule(struct fl_judge *j);

struct fl_schema_kind {
	const char *group, *name, *versions; /* "v1beta1 v1beta2" */
	const struct fl_schema *fields;
	bool namespaced;
	/*
	 * A webhook decodes the object and writes it back before the definition is held against it, at
	 * creation: what is missing or odd may be mended.
	 */
	bool mends;
	bool decodes; /* a webhook or a conversion decodes quantities, in any version */
	fl_schema_rule *const *rules;   /* NULL ends the list; NULL: none */
	fl_schema_rule *const *status;  /* the same, of its status */
	fl_schema_rule *const *updates; /* the same, where the former object is there */
};

extern fl_schema_rule *const fl_rules_cluster_queue[], *const fl_rules_cohort[];
extern fl_schema_rule *const fl_rules_flavor[], *const fl_rules_workload[];
extern fl_schema_rule *const fl_rules_topology[], *const fl_rules_multikueue_cluster[];
extern fl_schema_rule *const fl_rules_multikueue_config[];
extern fl_schema_rule *const fl_rules_queue[], *const fl_rules_pod_group[];
extern fl_schema_rule *const fl_rules_workload_status[];
extern fl_schema_rule *const fl_updates_cluster_queue[], *const fl_updates_local_queue[];
extern fl_schema_rule *const fl_updates_flavor[], *const fl_updates_workload[];
extern fl_schema_rule *const fl_updates_topology[];
extern fl_schema_rule *const fl_updates_admission_check[];

/* An error at value @v; of a map its missing @field, or NULL. @hint may be NULL. */
void fl_refuse(struct fl_judge *j, uint32_t v, const char *field, const char *rule,
	       const char *hint, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* --- looking at an object; each takes FL_NONE and passes it on --- */

/* The value of a key; FL_NONE when it is missing or null. */
uint32_t fl_at(const struct fl_doc *doc, uint32_t map, const char *key);
/* The same for the first @len bytes of @key. */
uint32_t fl_at_part(const struct fl_doc *doc, uint32_t map, const char *key, size_t len);
/* The same by a path of keys from the object: "spec.preemption". */
uint32_t fl_at_path(const struct fl_doc *doc, const char *path);
/* The text of a scalar; @otherwise for FL_NONE. */
const char *fl_scalar_at(const struct fl_doc *doc, uint32_t v, const char *otherwise);
bool fl_is_true(const struct fl_doc *doc, uint32_t v);
/* How many entries a list or map has; 0 for FL_NONE. */
uint32_t fl_count_at(const struct fl_doc *doc, uint32_t v);
/* A whole number that was judged to be one. */
int64_t fl_int_at(const struct fl_doc *doc, uint32_t v, int64_t otherwise);
/* Two values are equal; FL_NONE equals FL_NONE. */
bool fl_same(const struct fl_doc *a, uint32_t v, const struct fl_doc *b, uint32_t w);

/* for (FL_ITEMS(doc, item, list)): the items; for (FL_KEYS(...)): the keys, each value behind it. */
#define FL_ITEMS(doc, item, list)                                                                  \
	uint32_t item = (list) == FL_NONE ? 0 : (list) + 1,                                        \
		 item##_end = (list) == FL_NONE ? 0 : (doc)->values[list].next;                    \
	item < item##_end;                                                                         \
	item = (doc)->values[item].next
#define FL_KEYS FL_ITEMS

#endif
