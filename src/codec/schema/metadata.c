/* SPDX-License-Identifier: Apache-2.0 */
/* Names, labels and annotations: the rules for metadata of all kinds. */
#include "codec/schema/metadata.h"

#include <string.h>

#include "codec/schema/form.h"

enum { MAX_NAME = 253, MAX_NAMESPACE = 63, MAX_ANNOTATIONS = 262144 };

void fl_schema_labels(struct fl_judge *j, uint32_t map, const char *rule)
{
	for (FL_KEYS(j->doc, key, map)) {
		const char *name = fl_doc_text(j->doc, key);
		const char *value = fl_scalar_at(j->doc, key + 1, "");

		if (!fl_form_qualified(name, j->doc->values[key].len))
			fl_refuse(j, key + 1, NULL, rule, NULL,
				  "'%.100s' is no key of a label: %s, up to 63 characters", name,
				  fl_form_words(FL_PATTERN_KEY));
		if (!fl_form_label_value(value, strlen(value)))
			fl_refuse(j, key + 1, NULL, rule, NULL,
				  "'%.100s' is no value of a label: letters, digits, '-', '_' and "
				  "'.', with a letter or digit at both ends, up to 63 characters",
				  value);
	}
}

void fl_schema_annotations(struct fl_judge *j, uint32_t map, const char *rule)
{
	uint64_t size = 0;

	for (FL_KEYS(j->doc, key, map)) {
		const char *name = fl_doc_text(j->doc, key);
		char lower[400];
		size_t len = j->doc->values[key].len;

		for (size_t i = 0; i < len && i < sizeof lower; i++)
			lower[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] | 32) :
								      name[i];
		if (len > sizeof lower || !fl_form_qualified(lower, len))
			fl_refuse(j, key + 1, NULL, rule, NULL,
				  "'%.100s' is no key of an annotation: %s", name,
				  fl_form_words(FL_PATTERN_KEY));
		size += len + j->doc->values[key + 1].len;
	}
	if (size > MAX_ANNOTATIONS)
		fl_refuse(j, map, NULL, rule, NULL, "annotations of more than %d bytes",
			  MAX_ANNOTATIONS);
}

static void check_name(struct fl_judge *j, uint32_t metadata)
{
	uint32_t name = fl_at(j->doc, metadata, "name");
	uint32_t prefix = fl_at(j->doc, metadata, "generateName");
	const char *text = fl_scalar_at(j->doc, name, "");
	size_t len = strlen(text);

	if (name == FL_NONE || !*text) {
		if (!*fl_scalar_at(j->doc, prefix, ""))
			fl_refuse(j, metadata == FL_NONE ? 0 : metadata, "name", NULL, NULL,
				  "no name");
		return;
	}
	if (len > MAX_NAME)
		fl_refuse(j, name, NULL, NULL, NULL, "a name of %zu characters, more than %d", len,
			  MAX_NAME);
	else if (!fl_form_matches(FL_PATTERN_SUBDOMAIN, text, len))
		fl_refuse(j, name, NULL, NULL, NULL, "'%.100s' is not a name: %s", text,
			  fl_form_words(FL_PATTERN_SUBDOMAIN));
}

/* It may end where a number will follow. */
static void check_prefix(struct fl_judge *j, uint32_t metadata)
{
	uint32_t prefix = fl_at(j->doc, metadata, "generateName");
	const char *text = fl_scalar_at(j->doc, prefix, "");
	size_t len = strlen(text);
	char filled[400];

	if (!len || len >= sizeof filled - 1)
		return;
	memcpy(filled, text, len);
	filled[len] = 'x';
	if (!fl_form_matches(FL_PATTERN_SUBDOMAIN, filled, len + 1))
		fl_refuse(j, prefix, NULL, NULL, NULL, "'%.100s' does not begin a name: %s", text,
			  fl_form_words(FL_PATTERN_SUBDOMAIN));
}

static void check_namespace(struct fl_judge *j, uint32_t metadata)
{
	uint32_t v = fl_at(j->doc, metadata, "namespace");
	const char *text = fl_scalar_at(j->doc, v, "");

	if (!j->call->kind->namespaced || !*text)
		return;
	if (strlen(text) > MAX_NAMESPACE)
		fl_refuse(j, v, NULL, NULL, NULL, "a namespace of more than %d characters",
			  MAX_NAMESPACE);
	else if (!fl_form_matches(FL_PATTERN_LABEL, text, strlen(text)))
		fl_refuse(j, v, NULL, NULL, NULL, "'%.100s' is no namespace: %s", text,
			  fl_form_words(FL_PATTERN_LABEL));
}

static void check_lists(struct fl_judge *j, uint32_t metadata)
{
	static const char *const needed[] = { "apiVersion", "kind", "name", "uid" };
	uint32_t owners = fl_at(j->doc, metadata, "ownerReferences"), controllers = 0;

	for (FL_ITEMS(j->doc, item, fl_at(j->doc, metadata, "finalizers"))) {
		const char *text = fl_scalar_at(j->doc, item, "");

		if (!fl_form_qualified(text, strlen(text)))
			fl_refuse(j, item, NULL, NULL, NULL, "'%.100s' is no finalizer: %s", text,
				  fl_form_words(FL_PATTERN_KEY));
	}
	for (FL_ITEMS(j->doc, item, owners)) {
		for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
			if (!*fl_scalar_at(j->doc, fl_at(j->doc, item, needed[i]), ""))
				fl_refuse(j, item, needed[i], NULL, NULL, "%s of an owner is empty",
					  needed[i]);
		controllers += fl_is_true(j->doc, fl_at(j->doc, item, "controller"));
	}
	if (controllers > 1)
		fl_refuse(j, owners, NULL, NULL, NULL, "%u owners are its controller", controllers);
}

void fl_schema_metadata_rules(struct fl_judge *j)
{
	uint32_t metadata = fl_at(j->doc, 0, "metadata");
	const struct fl_doc *was = j->call->was;

	check_name(j, metadata);
	check_prefix(j, metadata);
	check_namespace(j, metadata);
	fl_schema_labels(j, fl_at(j->doc, metadata, "labels"), NULL);
	fl_schema_annotations(j, fl_at(j->doc, metadata, "annotations"), NULL);
	check_lists(j, metadata);
	if (was && !fl_same(was, fl_at_path(was, "metadata.name"), j->doc,
			    fl_at(j->doc, metadata, "name")))
		fl_refuse(j, metadata, "name", NULL, NULL, "the name of an object does not change");
}
