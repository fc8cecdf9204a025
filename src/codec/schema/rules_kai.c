/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of KAI's Queue (KQ) and PodGroup (KP): those of its webhooks. */
#include <string.h>

#include "codec/schema/form.h"
#include "codec/schema/judge.h"

/* KQ1 */
static void resources(struct fl_judge *j)
{
	if (fl_at_path(j->doc, "spec.resources") == FL_NONE)
		fl_refuse(j, fl_at(j->doc, 0, "spec") == FL_NONE ? 0 : fl_at(j->doc, 0, "spec"),
			  "resources", "KQ1", "add resources, which may be empty: {}",
			  "no resources in spec");
}

static void runtimes(struct fl_judge *j)
{
	static const char *const fields[] = { "spec.preemptMinRuntime", "spec.reclaimMinRuntime" };

	for (size_t i = 0; i < 2; i++) {
		uint32_t v = fl_at_path(j->doc, fields[i]);
		const char *text = fl_scalar_at(j->doc, v, "0");

		if (!fl_form_duration(text, strlen(text)))
			fl_refuse(j, v, NULL, "KQ2", NULL, "'%.60s' is no duration such as 1h30m",
				  text);
	}
}

fl_schema_rule *const fl_rules_queue[] = { resources, runtimes, NULL };

static uint32_t groups_of(const struct fl_judge *j) { return fl_at_path(j->doc, "spec.subGroups"); }

static const char *text_of(const struct fl_judge *j, uint32_t map, const char *key)
{
	return fl_scalar_at(j->doc, fl_at(j->doc, map, key), "");
}

static uint32_t group_at(const struct fl_judge *j, const char *name)
{
	for (FL_ITEMS(j->doc, g, groups_of(j)))
		if (strcmp(text_of(j, g, "name"), name) == 0)
			return g;
	return FL_NONE;
}

/* Its parent, and so on, leads back to it: no walk is longer than there are groups. */
static bool in_cycle(const struct fl_judge *j, uint32_t group, uint32_t n)
{
	uint32_t at = group;

	for (uint32_t i = 0; i <= n; i++) {
		at = fl_at(j->doc, at, "parent") == FL_NONE ? FL_NONE :
							      group_at(j, text_of(j, at, "parent"));
		if (at == FL_NONE)
			return false;
		if (at == group)
			return true;
	}
	return false;
}

/* KP1.  The costs of cycles grow with the cube of the groups: of many only the names are looked at. */
static void sub_groups(struct fl_judge *j)
{
	enum { FEW = 200 };
	uint32_t list = groups_of(j), n = fl_count_at(j->doc, list);

	for (FL_ITEMS(j->doc, g, list)) {
		uint32_t parent = fl_at(j->doc, g, "parent");

		if (group_at(j, text_of(j, g, "name")) != g)
			fl_refuse(j, list, NULL, "KP1", NULL, "'%.100s' is twice in subGroups",
				  text_of(j, g, "name"));
		else if (parent != FL_NONE && group_at(j, text_of(j, g, "parent")) == FL_NONE)
			fl_refuse(j, list, NULL, "KP1", NULL,
				  "parent '%.100s' is not among subGroups",
				  text_of(j, g, "parent"));
		else if (n <= FEW && in_cycle(j, g, n))
			fl_refuse(j, list, NULL, "KP1", NULL,
				  "'%.100s' of subGroups is its own ancestor",
				  text_of(j, g, "name"));
	}
}

fl_schema_rule *const fl_rules_pod_group[] = { sub_groups, NULL };
