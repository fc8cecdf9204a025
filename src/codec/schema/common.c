/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of several kinds, and what every object has. */
#include "codec/schema/rows.h"

const struct fl_schema fl_schema_a_string = { .form = FL_FORM_STRING };
const struct fl_schema fl_schema_a_quantity = { .form = FL_FORM_QUANTITY };

static const struct fl_schema owner_reference[] = {
	FL_STRING("apiVersion", .needed = true),
	FL_STRING("kind", .needed = true),
	FL_STRING("name", .needed = true),
	FL_STRING("uid", .needed = true),
	FL_BOOLEAN("controller"),
	FL_BOOLEAN("blockOwnerDeletion"),
	{ .name = NULL },
};

static const struct fl_schema metadata_of_object[] = {
	FL_STRING("name"),
	FL_STRING("namespace"),
	FL_MAP_OF_STRINGS("labels"),
	FL_MAP_OF_STRINGS("annotations"),
	FL_TIME("creationTimestamp"),
	FL_STRING("uid"),
	FL_STRING("resourceVersion"),
	FL_INTEGER("generation"),
	FL_STRING("generateName"),
	FL_LIST_OF_OBJECTS("ownerReferences", .fields = owner_reference),
	FL_LIST_OF_STRINGS("finalizers"),
	FL_LIST("managedFields"),
	FL_TIME("deletionTimestamp"),
	FL_INTEGER("deletionGracePeriodSeconds"),
	FL_STRING("selfLink"),
	{ .name = NULL },
};

const struct fl_schema fl_schema_head[] = {
	FL_STRING("apiVersion"),
	FL_STRING("kind"),
	FL_OBJECT("metadata", .fields = metadata_of_object),
	{ .name = NULL },
};

const struct fl_schema fl_schema_expression[] = {
	FL_STRING("key", .needed = true),
	FL_STRING("operator", .needed = true),
	FL_LIST_OF_STRINGS("values"),
	{ .name = NULL },
};

const struct fl_schema fl_schema_selector[] = {
	FL_LIST_OF_OBJECTS("matchExpressions", .fields = fl_schema_expression),
	FL_MAP_OF_STRINGS("matchLabels"),
	{ .name = NULL },
};

const struct fl_schema fl_schema_condition[] = {
	FL_TIME("lastTransitionTime", .needed = true),
	FL_STRING("message", .needed = true, .most = 32768),
	FL_INTEGER("observedGeneration", .bounded = true),
	FL_STRING("reason", .needed = true, .pattern = FL_PATTERN_REASON, .least = 1, .most = 1024),
	FL_STRING("status", .needed = true, .words = FL_WORDS("True", "False", "Unknown")),
	FL_STRING("type", .needed = true, .pattern = FL_PATTERN_KEY, .most = 316),
	{ .name = NULL },
};

const struct fl_schema fl_schema_toleration[] = {
	FL_STRING("effect"),   FL_STRING("key"),
	FL_STRING("operator"), FL_INTEGER("tolerationSeconds"),
	FL_STRING("value"),    { .name = NULL },
};

const struct fl_schema fl_schema_metadata[] = {
	FL_MAP_OF_STRINGS("annotations"), FL_LIST_OF_STRINGS("finalizers"),
	FL_MAP_OF_STRINGS("labels"),      FL_STRING("name"),
	FL_STRING("namespace"),           { .name = NULL },
};

const struct fl_schema fl_schema_os[] = {
	FL_STRING("name", .needed = true),
	{ .name = NULL },
};

const struct fl_schema fl_schema_levels[] = {
	FL_STRING("nodeLabel", .needed = true, .pattern = FL_PATTERN_KEY, .least = 1, .most = 316),
	{ .name = NULL },
};

const struct fl_schema fl_schema_topology_spec[] = {
	FL_LIST_OF_OBJECTS("levels", .needed = true, .least = 1, .most = 16,
			   .fields = fl_schema_levels),
	{ .name = NULL },
};
