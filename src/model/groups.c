/* SPDX-License-Identifier: Apache-2.0 */
#include "model/groups.h"

#include <stdio.h>

#include "base/limits.h"

/* Does the node cover the resource @name before the one at @at of @group? */
static bool covered_before(const struct fl_model *m, const struct fl_node_row *row, uint32_t group,
			   uint32_t at, struct fl_sym name, uint32_t *ret_group)
{
	for (uint32_t g = 0; g <= group; g++) {
		const struct fl_span *span = &m->groups[row->groups.first + g].resources;
		uint32_t n = g == group ? at : span->n;

		for (uint32_t i = 0; i < n; i++)
			if (m->syms[span->first + i].v == name.v) {
				*ret_group = g;
				return true;
			}
	}
	return false;
}

/* A resource is in one group only; else its flavors would not be defined. */
static int check_covered(const struct fl_model *m, const struct fl_node_row *row, uint32_t group,
			 fairlead_error *err)
{
	const struct fl_group *g = &m->groups[row->groups.first + group];
	uint32_t other = 0;

	for (uint32_t i = 0; i < g->resources.n; i++) {
		struct fl_sym name = m->syms[g->resources.first + i];

		if (!covered_before(m, row, group, i, name, &other))
			continue;
		if (other == group)
			fl_fail(err, FAIRLEAD_EINPUT, "resource '%s' is listed twice",
				fl_model_text(m, name));
		else
			fl_fail(err, FAIRLEAD_EINPUT,
				"resource '%s' is covered by resourceGroups[%u] already",
				fl_model_text(m, name), other);
		fl_fail_in(err, ".spec.resourceGroups[%u].coveredResources[%u]", group, i);
		return fl_model_fail_at(m, g->place, err);
	}
	return 0;
}

static bool has_sym(const struct fl_model *m, struct fl_span span, struct fl_sym name)
{
	for (uint32_t i = 0; i < span.n; i++)
		if (m->syms[span.first + i].v == name.v)
			return true;
	return false;
}

static bool has_quota(const struct fl_model *m, const struct fl_group_flavor *gf,
		      struct fl_sym name)
{
	for (uint32_t i = 0; i < gf->quotas.n; i++)
		if (m->quotas[gf->quotas.first + i].resource_name.v == name.v)
			return true;
	return false;
}

/* The first covered resource of which a flavor has no quota, as there is one. */
static struct fl_sym without_quota(const struct fl_model *m, const struct fl_group *g,
				   const struct fl_group_flavor *gf)
{
	uint32_t i = g->resources.first;

	while (has_quota(m, gf, m->syms[i]))
		i++;
	return m->syms[i];
}

/* A flavor gives each covered resource one quota, and no other. */
static int check_quotas(const struct fl_model *m, const struct fl_group *g, uint32_t flavor,
			struct fl_place *at, fairlead_error *err)
{
	const struct fl_group_flavor *gf = &m->group_flavors[g->flavors.first + flavor];
	const struct fl_quota *quotas = m->quotas + gf->quotas.first;

	for (uint32_t i = 0; i < gf->quotas.n; i++) {
		const char *text = fl_model_text(m, quotas[i].resource_name);

		*at = quotas[i].place;
		for (uint32_t j = 0; j < i; j++)
			if (quotas[j].resource_name.v == quotas[i].resource_name.v) {
				fl_fail(err, FAIRLEAD_EINPUT, "a second quota for resource '%s'",
					text);
				return fl_fail_in(err, ".resources[%u]", i);
			}
		if (!has_sym(m, g->resources, quotas[i].resource_name)) {
			fl_fail(err, FAIRLEAD_EINPUT, "resource '%s' is not in coveredResources",
				text);
			return fl_fail_in(err, ".resources[%u]", i);
		}
	}
	if (gf->quotas.n == g->resources.n)
		return 0;
	*at = gf->quotas.n ? quotas[0].place : g->place;
	return fl_fail(err, FAIRLEAD_EINPUT, "no quota for '%s', which is in coveredResources",
		       fl_model_text(m, without_quota(m, g, gf)));
}

static int check_flavors(const struct fl_model *m, const struct fl_node_row *row, uint32_t group,
			 fairlead_error *err)
{
	const struct fl_group *g = &m->groups[row->groups.first + group];
	const struct fl_group_flavor *flavors = m->group_flavors + g->flavors.first;

	for (uint32_t f = 0; f < g->flavors.n; f++) {
		struct fl_place at = g->place;
		int r = 0;

		for (uint32_t i = 0; i < f && r == 0; i++)
			if (flavors[i].name.v == flavors[f].name.v)
				r = fl_fail(err, FAIRLEAD_EINPUT, "flavor '%s' is listed twice",
					    fl_model_text(m, flavors[f].name));
		if (r == 0)
			r = check_quotas(m, g, f, &at, err);
		if (r < 0) {
			char inner[64] = "";

			if (err)
				(void)snprintf(inner, sizeof inner, "%.60s", err->subject);
			if (err)
				err->subject[0] = '\0';
			fl_fail_in(err, ".spec.resourceGroups[%u].flavors[%u]%s", group, f, inner);
			fl_model_fail_at(m, at, err);
			return r;
		}
	}
	return 0;
}

int fl_model_check_groups(const struct fl_model *m, const struct fl_node_row *row,
			  fairlead_error *err)
{
	int r = 0;

	if (row->groups.n > FL_MAX_RESOURCE_GROUPS) {
		fl_fail(err, FAIRLEAD_ELIMIT, "%u resource groups, more than %d", row->groups.n,
			FL_MAX_RESOURCE_GROUPS);
		fl_model_fail_at(m, row->place, err);
		return FAIRLEAD_ELIMIT;
	}
	for (uint32_t g = 0; g < row->groups.n && r == 0; g++) {
		const struct fl_group *group = &m->groups[row->groups.first + g];

		if (group->resources.n > FL_MAX_RESOURCES || group->flavors.n > FL_MAX_FLAVORS) {
			bool flavors = group->flavors.n > FL_MAX_FLAVORS;

			fl_fail(err, FAIRLEAD_ELIMIT, "more than %d %s in a resource group",
				flavors ? FL_MAX_FLAVORS : FL_MAX_RESOURCES,
				flavors ? "flavors" : "resources");
			fl_fail_in(err, ".spec.resourceGroups[%u]", g);
			fl_model_fail_at(m, group->place, err);
			return FAIRLEAD_ELIMIT;
		}
		r = check_covered(m, row, g, err);
		if (r == 0)
			r = check_flavors(m, row, g, err);
	}
	return r;
}
