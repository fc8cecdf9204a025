/* SPDX-License-Identifier: Apache-2.0 */
/* Rules between fields of a ResourceFlavor (RF), and of tolerations elsewhere. */
#include "codec/schema/rules_flavor.h"

#include <string.h>

#include "codec/schema/form.h"
#include "codec/schema/metadata.h"

static bool is_effect(const char *text)
{
	return strcmp(text, "NoSchedule") == 0 || strcmp(text, "PreferNoSchedule") == 0 ||
	       strcmp(text, "NoExecute") == 0;
}

static const char *text_of(const struct fl_judge *j, uint32_t map, const char *key)
{
	return fl_scalar_at(j->doc, fl_at(j->doc, map, key), "");
}

/* RF1 */
static void topology(struct fl_judge *j)
{
	uint32_t spec = fl_at(j->doc, 0, "spec");

	if (fl_at(j->doc, spec, "topologyName") != FL_NONE &&
	    fl_count_at(j->doc, fl_at(j->doc, spec, "nodeLabels")) == 0)
		fl_refuse(j, spec, NULL, "RF1", "add a label that the nodes of the topology have",
			  "topologyName without nodeLabels in spec");
}

/* RF2, RF9, RF10 */
static void taints(struct fl_judge *j)
{
	uint32_t list = fl_at_path(j->doc, "spec.nodeTaints");

	for (FL_ITEMS(j->doc, taint, list)) {
		const char *key = text_of(j, taint, "key"), *value = text_of(j, taint, "value");
		const char *effect = text_of(j, taint, "effect");

		if (!is_effect(effect))
			fl_refuse(j, taint, NULL, "RF2", NULL,
				  "the effect '%.60s' is not NoSchedule, PreferNoSchedule or "
				  "NoExecute",
				  effect);
		if (!fl_form_qualified(key, strlen(key)))
			fl_refuse(j, taint, "key", "RF9", NULL, "key '%.100s' is no key of a taint",
				  key);
		if (!fl_form_label_value(value, strlen(value)))
			fl_refuse(j, taint, "value", "RF9", NULL,
				  "value '%.100s' is no value of a taint", value);
		for (uint32_t other = list + 1; other < taint; other = j->doc->values[other].next)
			if (strcmp(text_of(j, other, "key"), key) == 0 &&
			    strcmp(text_of(j, other, "effect"), effect) == 0) {
				fl_refuse(j, taint, NULL, "RF10", NULL,
					  "taint '%.60s' with effect %.60s is there twice", key,
					  effect);
				break;
			}
	}
}

static void toleration(struct fl_judge *j, uint32_t t, const char *const rules[6])
{
	uint32_t key = fl_at(j->doc, t, "key"), op = fl_at(j->doc, t, "operator");
	uint32_t effect = fl_at(j->doc, t, "effect");
	const char *word = fl_scalar_at(j->doc, op, "Equal"), *text = fl_scalar_at(j->doc, key, "");

	if (strcmp(word, "Exists") != 0 && strcmp(word, "Equal") != 0)
		fl_refuse(j, t, NULL, rules[2], NULL, "operator '%.60s' is not Equal or Exists",
			  word);
	else if (key == FL_NONE && strcmp(word, "Exists") != 0)
		fl_refuse(j, t, NULL, rules[0], "add a key, or operator: Exists",
			  "a toleration without key needs operator Exists");
	if (fl_at(j->doc, t, "tolerationSeconds") != FL_NONE &&
	    strcmp(text_of(j, t, "effect"), "NoExecute") != 0)
		fl_refuse(j, t, NULL, rules[1], NULL, "tolerationSeconds is for effect NoExecute");
	if (strcmp(word, "Exists") == 0 && fl_at(j->doc, t, "value") != FL_NONE)
		fl_refuse(j, t, NULL, rules[3], "leave value out", "operator Exists with a value");
	if (effect != FL_NONE && !is_effect(fl_scalar_at(j->doc, effect, "")))
		fl_refuse(j, t, NULL, rules[4], NULL,
			  "effect '%.60s' is not NoSchedule, PreferNoSchedule or NoExecute",
			  fl_scalar_at(j->doc, effect, ""));
	if (*text && !fl_form_qualified(text, strlen(text)))
		fl_refuse(j, t, "key", rules[5], NULL, "key '%.100s' is no key of a taint", text);
}

/* RF3 to RF7 and RF11; elsewhere by the numbers of the kind. */
void fl_schema_tolerations(struct fl_judge *j, uint32_t list, const char *const rules[6])
{
	for (FL_ITEMS(j->doc, t, list))
		toleration(j, t, rules);
}

static void tolerations(struct fl_judge *j)
{
	static const char *const rules[] = { "RF3", "RF4", "RF5", "RF6", "RF7", "RF11" };

	fl_schema_tolerations(j, fl_at_path(j->doc, "spec.tolerations"), rules);
}

/* RF8 */
static void node_labels(struct fl_judge *j)
{
	fl_schema_labels(j, fl_at_path(j->doc, "spec.nodeLabels"), "RF8");
}

fl_schema_rule *const fl_rules_flavor[] = { topology, taints, tolerations, node_labels, NULL };

/* UP2 */
static void same_topology(struct fl_judge *j)
{
	static const char path[] = "spec.topologyName";
	uint32_t was = fl_at_path(j->call->was, path);

	if (was != FL_NONE && !fl_same(j->call->was, was, j->doc, fl_at_path(j->doc, path)))
		fl_refuse(j, fl_at(j->doc, 0, "spec"), "topologyName", "UP2", NULL,
			  "topologyName does not change once it is set");
}

fl_schema_rule *const fl_updates_flavor[] = { same_topology, NULL };
