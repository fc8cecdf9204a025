/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/lint/unsuited.h"

#include <stdio.h>

#include "decide/match.h"

/* Do pods ask for what the group covers?  Another group does not matter to them. */
static bool needs(const struct fl_model *m, const struct fl_group *g, const struct fl_podset *pods)
{
	for (uint32_t i = 0; i < pods->requests.n; i++)
		for (uint32_t k = 0; k < g->resources.n; k++)
			if (m->requests[pods->requests.first + i].resource_name.v ==
			    m->syms[g->resources.first + k].v)
				return true;
	return false;
}

static bool takes_one(const struct fl_model *m, const struct fl_group *g,
		      const struct fl_podset *pods)
{
	for (uint32_t f = 0; f < g->flavors.n; f++)
		if (fl_match_flavor(m, pods, m->group_flavors[g->flavors.first + f].id))
			return true;
	return g->flavors.n == 0;
}

/* The only taint that may keep a pod out; NULL: there are several. */
static const struct fl_taint *only_taint(const struct fl_model *m, const struct fl_flavor_row *row)
{
	const struct fl_taint *only = NULL;

	for (uint32_t i = 0; i < row->taints.n; i++) {
		const struct fl_taint *taint = &m->taints[row->taints.first + i];

		if (taint->effect == FL_PREFER_NO_SCHEDULE)
			continue;
		if (only)
			return NULL;
		only = taint;
	}
	return only;
}

static void say_taint(const struct fl_model *m, const struct fl_flavor_row *row, char *buffer,
		      size_t size)
{
	const struct fl_taint *only = only_taint(m, row);

	if (only) {
		const char *value = fl_model_text(m, only->value);

		(void)snprintf(
			buffer, size,
			": its pods do not tolerate the taint %.60s%s%.60s of flavor '%.60s'",
			fl_model_text(m, only->key), *value ? "=" : "", value,
			fl_model_text(m, row->name));
	} else {
		(void)snprintf(buffer, size,
			       ": its pods do not tolerate all of the taints of flavor '%.60s'",
			       fl_model_text(m, row->name));
	}
}

/* The first label of the flavor that is another one than the pods select. */
static void say_label(const struct fl_model *m, const struct fl_flavor_row *row,
		      struct fl_span selector, char *buffer, size_t size)
{
	for (uint32_t i = 0; i < selector.n; i++) {
		const struct fl_label *want = &m->labels[selector.first + i];

		for (uint32_t k = 0; k < row->labels.n; k++) {
			const struct fl_label *has = &m->labels[row->labels.first + k];

			if (has->key.v != want->key.v || has->value.v == want->value.v)
				continue;
			(void)snprintf(
				buffer, size,
				": the label %.60s of flavor '%.60s' is '%.60s', its pods ask "
				"for '%.60s'",
				fl_model_text(m, has->key), fl_model_text(m, row->name),
				fl_model_text(m, has->value), fl_model_text(m, want->value));
			return;
		}
	}
}

static void say_why(const struct fl_model *m, const struct fl_podset *pods, struct fl_flavor flavor,
		    char *buffer, size_t size)
{
	const struct fl_flavor_row *row = &m->flavors[flavor.v];
	struct fl_podset less = *pods;

	less.affinity.n = 0;
	if (fl_match_flavor(m, &less, flavor)) {
		(void)snprintf(
			buffer, size,
			": the labels of flavor '%.60s' are not those that the node affinity "
			"of its pods requires",
			fl_model_text(m, row->name));
		return;
	}
	less.node_selector.n = 0;
	if (fl_match_flavor(m, &less, flavor))
		say_label(m, row, pods->node_selector, buffer, size);
	else
		say_taint(m, row, buffer, size);
}

const char *fl_lint_unsuited(const struct fl_model *m, const struct fl_workload_row *w,
			     char *buffer, size_t size)
{
	const struct fl_span groups = m->nodes[w->cluster_queue.v].groups;

	buffer[0] = '\0';
	for (uint32_t p = 0; p < w->podsets.n; p++) {
		const struct fl_podset *pods = &m->podsets[w->podsets.first + p];

		for (uint32_t g = 0; g < groups.n; g++) {
			const struct fl_group *group = &m->groups[groups.first + g];

			if (!needs(m, group, pods) || takes_one(m, group, pods))
				continue;
			say_why(m, pods, m->group_flavors[group->flavors.first].id, buffer, size);
			return buffer;
		}
	}
	return buffer;
}
