/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields - tables of known fields; values are read with their place in every message
 *
 * A kind is a table of fields; a field has a handler, or a table of its own.
 * Private to src/codec, but for the iteration (kube.h), from which the guide's
 * table of fields is checked.
 */
#ifndef FL_CODEC_OBJECT_FIELDS_H
#define FL_CODEC_OBJECT_FIELDS_H

#include "codec/object/kube.h"
#include "codec/text/doc.h"

/* Times of the object that is read now, from its annotations and status: life.h. */
struct fl_noted_life {
	bool noted;
	bool from_start; /* `arrives` is relative to the start */
	fl_time arrives, runs, stays;
	fl_time asked, waited; /* FL_TIME_NONE: not given */
	struct fl_sym class_name, user;
};
extern const struct fl_noted_life fl_no_life;

struct fl_kube {
	struct fl_model *m;
	uint32_t input;
	struct fl_doc doc;
	struct fl_place
		fixed;     /* line > 0: every place is this one (a text inside another object) */
	char subject[640]; /* "ClusterQueue/team-a"; "" until it is known */
	struct fl_sym namespace, name;
	struct fl_noted_life life;
	bool own;                      /* an object of ours: unknown fields are errors */
	bool made;                     /* by fl_kube_read_made, of others: as a server has it */
	bool quiet;                    /* what could be told of it was told of another one */
	bool told;                     /* what is wrong with it was collected */
	bool held;                     /* what it holds is all that could be read of it */
	bool placeless;                /* messages have no lines: fl_kube_read_kept */
	bool over;                     /* laid over one that was read: a Simulation only */
	uint32_t seen;                 /* objects and lists */
	const struct fl_kube_tap *tap; /* NULL: none */
	fairlead_error *err;
};

/* @v is never null. 0 or negative. */
typedef int fl_field_read(struct fl_kube *k, uint32_t v, void *row);

struct fl_type; /* types.h */

/*
 * One field of a map.  Its value is read by `type` into the member at `offset`, or by `read`, which
 * may use all of the row, or by `fields` into the part of the row at `offset`.
 */
struct fl_field {
	const char *name; /* NULL ends the table */
	enum fl_support support;
	bool list;
	/*
	 * Ignored, and recorded all the same, since a server needs it; or an empty text in its place.
	 */
	bool recorded, blank;
	bool unrecorded; /* read, and not recorded: of metadata that decides nothing */
	bool needed;     /* fl_kube_whole requires it */
	bool one;        /* of the fields so marked in a table exactly one must be given */
	uint16_t said;   /* with FL_SAID: where a bool of the row is, plus 1 */
	uint32_t offset;
	const struct fl_type *type;
	fl_field_read *read;
	const struct fl_field *fields; /* of the map, or of each item of the list */
	/* Parameters of `type`. */
	union {
		const char *const *words;
		const char *resource;
		fl_field_read *item;
	};
	size_t pool;
	int64_t least, most; /* equal: no bounds */
	const char *fail;    /* the error for a value out of bounds, or for an empty list */
	const char *note;    /* what is not done, or why; required with FL_FIELD_NOTED */
	const char *doc; /* what it is, in a sentence, with its unit: for schemas and the guide */
	const char *schema; /* members of a JSON schema instead of those from type and bounds */
	/*
	 * `keys` other than VALUE beside `fields`: a map of any names, whose values have `fields`
	 */
	enum fl_text_kind text, keys;
};

/*
 * Rows of such a table.  FL_PASSED says why a field is ignored that might be expected to have an
 * effect.
 */
#define FL_PASSED(field, why)                                                                      \
	{                                                                                          \
		.name = field, .support = FL_FIELD_IGNORED, .note = why                            \
	}
#define FL_IGNORED(field)                                                                          \
	{                                                                                          \
		.name = field, .support = FL_FIELD_IGNORED                                         \
	}
#define FL_NOTED(field, why)                                                                       \
	{                                                                                          \
		.name = field, .support = FL_FIELD_NOTED, .note = why                              \
	}
/* What changes no decision, but has to be there. */
#define FL_RECORDED(field, ...)                                                                    \
	{                                                                                          \
		.name = field, .support = FL_FIELD_IGNORED, .recorded = true, __VA_ARGS__          \
	}
/* The rows that every kind begins with. */
#define FL_HEAD                                                                                    \
	FL_IGNORED("apiVersion"), FL_IGNORED("kind"),                                              \
	{                                                                                          \
		.name = "metadata", .fields = fl_fields_metadata                                   \
	}

/* Metadata that changes no decision, for all kinds. */
#define FL_METADATA_REST                                                                           \
	FL_IGNORED("clusterName"), FL_IGNORED("deletionGracePeriodSeconds"),                       \
		FL_IGNORED("finalizers"), FL_IGNORED("generateName"), FL_IGNORED("generation"),    \
		FL_IGNORED("managedFields"), FL_IGNORED("resourceVersion"), FL_IGNORED("selfLink")
/* What no decision depends on, and has names. */
#define FL_METADATA_NAMES                                                                          \
	{ .name = "name", .type = &fl_type_any, .text = FL_TEXT_NAME, .unrecorded = true },        \
		{ .name = "namespace",                                                             \
		  .type = &fl_type_any,                                                            \
		  .text = FL_TEXT_NAMESPACE,                                                       \
		  .unrecorded = true },                                                            \
		{ .name = "creationTimestamp", .type = &fl_type_any_time },                        \
		{ .name = "labels",                                                                \
		  .type = &fl_type_any,                                                            \
		  .text = FL_TEXT_LABEL_VALUE,                                                     \
		  .keys = FL_TEXT_LABEL_KEY,                                                       \
		  .unrecorded = true },                                                            \
		{ .name = "uid", .type = &fl_type_any, .text = FL_TEXT_UID, .unrecorded = true },  \
	{                                                                                          \
		.name = "ownerReferences", .type = &fl_type_any, .text = FL_TEXT_NAME,             \
		.keys = FL_TEXT_NAME, .unrecorded = true                                           \
	}
#define FL_METADATA_IGNORED                                                                        \
	FL_IGNORED("annotations"), FL_IGNORED("deletionTimestamp"), FL_METADATA_REST

struct fl_kind {
	const char *group, *name;
	bool namespaced;
	const struct fl_field *fields;
	int (*read)(struct fl_kube *k); /* values[0] is the object */
	enum fl_text_kind names;        /* what kind of name metadata.name is */
	const char *versions;           /* "v1beta1 v1beta2" */
};

extern const struct fl_kind fl_kind_flavor, fl_kind_cluster_queue, fl_kind_cohort, fl_kind_queue;
extern const struct fl_kind fl_kind_workload, fl_kind_workload_priority_class,
	fl_kind_priority_class;
extern const struct fl_kind fl_kind_namespace, fl_kind_configuration, fl_kind_config_map;
extern const struct fl_kind fl_kind_limit_range, fl_kind_runtime_class, fl_kind_policy;
extern const struct fl_kind fl_kind_entitled, fl_kind_pod_group, fl_kind_pod, fl_kind_machine;
extern const struct fl_kind fl_kind_bind_request;
extern const struct fl_kind fl_kind_shard, fl_kind_usage_history, fl_kind_simulation, fl_kind_moves,
	fl_kind_daemon;
/*
 * codec/jobs/collect.c: the kinds of jobs by number, NULL after the last; a Pod that is Kueue's; one
 * of KAI's that has no PodGroup yet; and what is kept for jobs, once it was read.
 */
const struct fl_kind *fl_job_kind(uint32_t i);
bool fl_kind_is_job(const struct fl_kind *kind);
bool fl_job_is_pod(const struct fl_doc *doc);
bool fl_job_waits(const struct fl_doc *pod);
extern const struct fl_kind fl_kind_job_pod, fl_kind_waiting_pod;
/* The job that owns the Pod or PodGroup in k->doc has pods in the input. */
int fl_kube_note_owners(struct fl_kube *k);
int fl_kube_keep_context(struct fl_kube *k);
int fl_kube_keep_configuration(struct fl_kube *k);
/* Reads an object that is no part of a text; @doc is of the input @input. */
int fl_kube_read_made(struct fl_model *m, uint32_t input, const struct fl_doc *doc,
		      const struct fl_kube_tap *tap, fairlead_error *err);

/* The same for one more like the last one: what could be told of it was told. */
int fl_kube_read_alike(struct fl_model *m, uint32_t input, const struct fl_doc *doc,
		       const struct fl_kube_tap *tap, fairlead_error *err);

extern const struct fl_field
	fl_fields_metadata[]; /* row: none; name and namespace are read before */

/* Read the map @v by a table. */
int fl_kube_map(struct fl_kube *k, uint32_t v, const struct fl_field *fields, void *row);
/* The same; required fields must be given. */
int fl_kube_whole(struct fl_kube *k, uint32_t v, const struct fl_field *fields, void *row);
/* The same for a map that may have other keys as well: labels, annotations. */
int fl_kube_some(struct fl_kube *k, uint32_t v, const struct fl_field *fields, void *row);

/* An error at value @v: subject "Kind/name .path", place, text. Returns @code. */
int fl_kube_fail(struct fl_kube *k, uint32_t v, int code, const char *format, ...) FL_PRINTF(4, 5);
/* Adds subject and place of @v to an error of a lower level. Returns its code. */
int fl_kube_blame(struct fl_kube *k, uint32_t v);
/* A notice at value @v. */
int fl_kube_notice(struct fl_kube *k, uint32_t v, enum fl_notice_kind kind, const char *hint,
		   const char *format, ...) FL_PRINTF(5, 6);

struct fl_place fl_kube_place_of(const struct fl_kube *k, uint32_t v);

/* Each refuses values of other types, with place and path. */
int fl_kube_text(struct fl_kube *k, uint32_t v, struct fl_sym *ret); /* a string */
/* A text of 1 to @longest bytes. */
int fl_kube_word(struct fl_kube *k, uint32_t v, size_t longest, struct fl_sym *ret);
/* A name that may be missing; "" counts as missing: FL_NONE. */
int fl_kube_name(struct fl_kube *k, uint32_t v, struct fl_sym *ret);
int fl_kube_bool(struct fl_kube *k, uint32_t v, bool *ret);
int fl_kube_int32(struct fl_kube *k, uint32_t v, int32_t *ret);
int fl_kube_count(struct fl_kube *k, uint32_t v, int32_t *ret); /* not negative */
int fl_kube_quantity(struct fl_kube *k, uint32_t v, const char *resource, fl_amount *ret);
int fl_kube_nanos(struct fl_kube *k, uint32_t v, fl_nanos *ret);
int fl_kube_number(struct fl_kube *k, uint32_t v, double *ret);      /* not negative */
int fl_kube_finite(struct fl_kube *k, uint32_t v, double *ret);      /* may be negative */
int fl_kube_finite_text(struct fl_kube *k, uint32_t v, double *ret); /* also a text with a number */
int fl_kube_duration(struct fl_kube *k, uint32_t v, fl_time *ret);
int fl_kube_weight(struct fl_kube *k, uint32_t v, double *ret);
int fl_kube_time(struct fl_kube *k, uint32_t v,
		 fl_time *ret); /* also updates the model's newest time */
/* Index in @names, which NULL ends. */
int fl_kube_enum(struct fl_kube *k, uint32_t v, const char *const *names, uint32_t *ret);
/* A list within the limits; *ret_end is after its last item, the first is v + 1. */
int fl_kube_list(struct fl_kube *k, uint32_t v, uint32_t *ret_end);
/* Each item of the list @v. */
int fl_kube_each(struct fl_kube *k, uint32_t v, fl_field_read *item, void *row);
/* The same for a map: keys k = v + 1, values[k].next, ...; the value of key k is k + 1. */
int fl_kube_pairs(struct fl_kube *k, uint32_t v, uint32_t *ret_end);
/* A key as a symbol. */
int fl_kube_key(struct fl_kube *k, uint32_t key, struct fl_sym *ret);
/* The value of a required key, or an error at @map. */
int fl_kube_need(struct fl_kube *k, uint32_t map, const char *key, uint32_t *ret);

/* A map of texts as labels, for nodeLabels, nodeSelector and metadata.labels. */
int fl_kube_labels(struct fl_kube *k, uint32_t v, struct fl_span *ret);
/* A list of strings onto the model's syms. */
int fl_kube_texts(struct fl_kube *k, uint32_t v, struct fl_span *ret);
int fl_kube_selector(struct fl_kube *k, uint32_t v, struct fl_selector *ret);
/* A list of {key, operator, values} onto the model's requirements; *n counts them. */
int fl_kube_expressions(struct fl_kube *k, uint32_t v, uint32_t *n);
int fl_kube_tolerations(struct fl_kube *k, uint32_t v, struct fl_span *ret);
int fl_kube_taints(struct fl_kube *k, uint32_t v, struct fl_span *ret);
extern const struct fl_field fl_fields_taint[], fl_fields_toleration[], fl_fields_selector[],
	fl_fields_expression[];

static inline bool fl_kube_is_null(const struct fl_kube *k, uint32_t v)
{
	return k->doc.values[v].kind == FL_TOKEN_SCALAR && k->doc.values[v].type == FL_SCALAR_NULL;
}

static inline uint32_t fl_kube_next(const struct fl_kube *k, uint32_t v)
{
	return k->doc.values[v].next;
}

/* codec/kueue/queue.c: .spec of a ClusterQueue; row: struct fl_node_row */
extern const struct fl_field fl_fields_cluster_queue_spec[];
/* Of a LocalQueue; row: struct fl_queue_row */
extern const struct fl_field fl_fields_local_queue_spec[];
/* codec/kai/queue.c: that of a Queue; *ret is all of its row but name and place */
extern const struct fl_field fl_fields_entitled_spec[];
int fl_kube_entitled_spec(struct fl_kube *k, uint32_t v, struct fl_node_row *ret);

/* codec/kueue/afs.c: admissionFairSharing of the Configuration, status of a LocalQueue */
extern const struct fl_field fl_fields_afs[], fl_fields_queue_status[];
fl_field_read fl_kube_afs, fl_kube_queue_status;

/* resources.c: more parts of the Configuration; row: struct fl_settings */
extern const struct fl_field fl_fields_resources[], fl_fields_wait[];
fl_field_read fl_kube_gates, fl_kube_wait_for_ready;

/* codec/kai/config.c: what the Config in k->doc says that does not count here */
int fl_kai_note_config(struct fl_kube *k);

/* codec/kai/shard.c: checks a cron schedule, and reads its text */
int fl_kube_cron(struct fl_kube *k, uint32_t v, struct fl_sym *ret);

/*
 * codec/kai/simulators.c: an input of one of KAI's simulators, which have no kind. 1 when the
 * object in k->doc is not one.
 */
int fl_kai_read_simulator(struct fl_kube *k);

/* generator.c: the workloads of Kueue's scalability tests, likewise */
int fl_generator_read(struct fl_kube *k);

/* resources.c: is it a known feature gate of Kueue? */
bool fl_kube_is_gate(const char *name);

/* Reads the object in @doc, which stays the caller's; its places are in @input. */
int fl_kube_read_doc(struct fl_model *m, uint32_t input, struct fl_doc *doc, fairlead_error *err);

/* The same; @tap is called before. */
int fl_kube_read_again(struct fl_model *m, uint32_t input, struct fl_doc *doc,
		       const struct fl_kube_tap *tap, fairlead_error *err);

/* The same for a Simulation, laid over the one that was read: fields that it lacks stay. */
int fl_kube_read_over(struct fl_model *m, uint32_t input, struct fl_doc *doc, fairlead_error *err);

/* Read an object from a text inside the present one (a ConfigMap's value). */
int fl_kube_read_embedded(struct fl_kube *k, uint32_t v);

#endif
