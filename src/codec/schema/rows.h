/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows - a field of a definition is a row of a table; private to codec/schema
 *
 * Names, bounds, patterns and defaults are those of the definitions of Kueue and KAI.
 */
#ifndef FL_CODEC_SCHEMA_ROWS_H
#define FL_CODEC_SCHEMA_ROWS_H

#include "codec/schema/schema.h"

enum fl_form {
	FL_FORM_ANY, /* whatever it is, it stays */
	FL_FORM_OBJECT,
	FL_FORM_MAP,
	FL_FORM_LIST,
	FL_FORM_STRING,
	FL_FORM_BOOLEAN,
	FL_FORM_INTEGER, /* of 64 bits */
	FL_FORM_INT32,
	FL_FORM_NUMBER,
	FL_FORM_QUANTITY,
	FL_FORM_INT_OR_STRING,
	FL_FORM_TIME, /* a string: RFC 3339 */
};

enum fl_pattern {
	FL_PATTERN_NONE,
	FL_PATTERN_LABEL,     /* a part of a DNS name */
	FL_PATTERN_SUBDOMAIN, /* such parts with dots between them */
	FL_PATTERN_KEY,       /* a key of a label: prefix/name */
	FL_PATTERN_REASON,    /* of a condition */
	FL_PATTERN_KIND,      /* a kind of an object, in any letter case */
};

/* In which versions of a kind that has two a field exists; 0: in both. */
enum { FL_V1BETA1 = 1, FL_V1BETA2 = 2, FL_IN_NONE = 4 /* documents name it, servers do not */ };

struct fl_schema {
	const char *name; /* NULL ends a table, and is that of an item */
	uint8_t len;      /* of the name */
	uint8_t versions;
	uint8_t form;    /* enum fl_form */
	uint8_t pattern; /* enum fl_pattern, of a string */
	bool needed;
	bool set;        /* a list without a value twice */
	bool bounded;    /* a number: not below `minimum` */
	uint8_t minimum; /* of a number */
	uint32_t least,
		most;       /* characters of a string, entries of a list or map; most 0: no bound */
	const char *unique; /* keys of a list of objects, "name" or "reason+underlyingCause" */
	const char *const *words;       /* the only values of a string */
	const char *given;              /* what it is when it is left out; NULL: nothing */
	const char *now;                /* its name in the other version; NULL: none */
	const struct fl_schema *fields; /* of the object, or of each object in the list or map */
	const struct fl_schema *item;   /* what else the entries of a list or map are */
};

#define FL_ROW(field, is, ...)                                                                     \
	{                                                                                          \
		.name = field, .len = sizeof(field) - 1, .form = FL_FORM_##is, __VA_ARGS__         \
	}
#define FL_ITEM(...)                                                                               \
	&(const struct fl_schema) { __VA_ARGS__ }
#define FL_WORDS(...)                                                                              \
	(const char *const[]) { __VA_ARGS__, NULL }

#define FL_ANY(...) FL_ROW_OF(ANY, __VA_ARGS__, )
#define FL_ROW_OF(is, field, ...) FL_ROW(field, is, __VA_ARGS__)
#define FL_OBJECT(...) FL_ROW_OF(OBJECT, __VA_ARGS__, )
#define FL_STRING(...) FL_ROW_OF(STRING, __VA_ARGS__, )
#define FL_BOOLEAN(...) FL_ROW_OF(BOOLEAN, __VA_ARGS__, )
#define FL_INTEGER(...) FL_ROW_OF(INTEGER, __VA_ARGS__, )
#define FL_INT32(...) FL_ROW_OF(INT32, __VA_ARGS__, )
#define FL_NUMBER(...) FL_ROW_OF(NUMBER, __VA_ARGS__, )
#define FL_QUANTITY(...) FL_ROW_OF(QUANTITY, __VA_ARGS__, )
#define FL_INT_OR_STRING(...) FL_ROW_OF(INT_OR_STRING, __VA_ARGS__, )
#define FL_TIME(...) FL_ROW_OF(TIME, __VA_ARGS__, )
#define FL_LIST(...) FL_ROW_OF(LIST, __VA_ARGS__, )
#define FL_MAP(...) FL_ROW_OF(MAP, __VA_ARGS__, )
#define FL_LIST_OF_OBJECTS(...) FL_ROW_OF(LIST, __VA_ARGS__, )
#define FL_MAP_OF_OBJECTS(...) FL_ROW_OF(MAP, __VA_ARGS__, )

extern const struct fl_schema fl_schema_a_string, fl_schema_a_quantity;
#define FL_LIST_OF_STRINGS(...) FL_ROW_OF(LIST, __VA_ARGS__, .item = &fl_schema_a_string)
#define FL_MAP_OF_STRINGS(...) FL_ROW_OF(MAP, __VA_ARGS__, .item = &fl_schema_a_string)
#define FL_MAP_OF_QUANTITIES(...) FL_ROW_OF(MAP, __VA_ARGS__, .item = &fl_schema_a_quantity)

/* common.c: parts of several kinds */
extern const struct fl_schema fl_schema_head[], fl_schema_expression[], fl_schema_selector[],
	fl_schema_condition[], fl_schema_toleration[], fl_schema_metadata[], fl_schema_os[],
	fl_schema_levels[], fl_schema_topology_spec[];
/* pod.c, pod_container.c, pod_volume.c: parts of a pod template */
extern const struct fl_schema fl_schema_app_armor_profile[], fl_schema_container[],
	fl_schema_container_resource_quota[], fl_schema_ephemeral_container[],
	fl_schema_field_ref[], fl_schema_http_headers[], fl_schema_image_pull_secrets[],
	fl_schema_resource_field_ref[], fl_schema_se_linux_options[], fl_schema_volume[],
	fl_schema_windows_options[];
extern const struct fl_schema fl_schema_template_spec[];
/* definitions_*.c: one a kind */
extern const struct fl_schema fl_schema_cluster_queue[], fl_schema_cohort[],
	fl_schema_local_queue[], fl_schema_flavor[], fl_schema_priority_class[],
	fl_schema_workload[], fl_schema_topology[], fl_schema_admission_check[],
	fl_schema_multikueue_cluster[], fl_schema_multikueue_config[], fl_schema_provisioning[],
	fl_schema_queue[], fl_schema_pod_group[], fl_schema_shard[], fl_schema_kai_topology[],
	fl_schema_bind_request[];

#endif
