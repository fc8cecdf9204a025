/* SPDX-License-Identifier: Apache-2.0 */
/* Admission Fair Sharing: settings that leave it off, or make one resource decide alone. */
#include "ask/lint/usage.h"

#include <stdio.h>
#include <string.h>

#include "ask/lint/lint.h"
#include "ask/lint/lint_run.h"

static const char configuration[] = "Configuration .admissionFairSharing";

/* The mode of a queue and the part of the Configuration need each other. */
static int lint_modes(struct fl_lint *l, fairlead_error *err)
{
	struct fl_model *m = l->m;
	bool on = m->settings.admission_fair_sharing;
	char subject[FL_SUBJECT];
	uint32_t queues = 0, by_usage = 0;
	int r = 0;

	for (uint32_t i = 0; i < m->n_nodes && r == 0; i++) {
		const struct fl_node_row *row = &m->nodes[i];

		queues += row->kind == FL_CLUSTER_QUEUE;
		by_usage += row->usage_based;
		if (row->usage_based && m->settings.present && !on)
			r = fl_model_notice(m, FL_NOTICE_ADMISSION_MODE, row->place,
					    fl_lint_node(l, (struct fl_node){ i }, subject),
					    /* hint= */ NULL, err,
					    "admissionMode has no effect: the Configuration has no "
					    "admissionFairSharing");
	}
	if (r == 0 && on && queues && !by_usage)
		r = fl_model_notice(m, FL_NOTICE_AFS_UNUSED, m->settings.place, configuration,
				    /* hint= */ NULL, err,
				    "has no effect: no ClusterQueue has the admissionMode "
				    "'UsageBasedAdmissionFairSharing'");
	return r;
}

static int lint_weights_of_queues(struct fl_lint *l, fairlead_error *err)
{
	struct fl_model *m = l->m;
	char subject[FL_SUBJECT];
	int r = 0;

	for (uint32_t i = 0; i < m->n_queues && r == 0; i++) {
		const struct fl_queue_row *q = &m->queues[i];
		const struct fl_node_row *cq;

		if (q->weight == 1 || q->cluster_queue.v == FL_NONE)
			continue;
		cq = &m->nodes[q->cluster_queue.v];
		fl_table_subject(m, FL_TABLE_QUEUE, q->namespace, q->name, subject);
		if (!cq->usage_based)
			r = fl_model_notice(
				m, FL_NOTICE_WEIGHT_UNUSED, q->place, subject, /* hint= */ NULL,
				err,
				"the weight %g has no effect: cluster queue '%s' does not order local "
				"queues by usage",
				q->weight, fl_model_text(m, cq->name));
		else if (q->weight == 0)
			r = fl_model_notice(
				m, FL_NOTICE_WEIGHT_ZERO, q->place, subject,
				/* hint= */ NULL, err,
				"weight 0: its usage counts as infinite, so it comes last");
	}
	return r;
}

/* Sampled usage alone: the exact integral needs neither. */
static int lint_times(struct fl_lint *l, fairlead_error *err)
{
	struct fl_model *m = l->m;
	const struct fl_settings *s = &m->settings;

	if (s->exact_usage)
		return 0;
	if (s->usage_half_life == 0)
		return fl_model_notice(
			m, FL_NOTICE_HALF_LIFE_ZERO, s->place, configuration,
			/* hint= */ NULL, err,
			"usageHalfLifeTime is 0: what local queues used does not count");
	if (s->usage_sampling > s->usage_half_life)
		return fl_model_notice(
			m, FL_NOTICE_SAMPLING_ABOVE_HALF_LIFE, s->place, configuration,
			/* hint= */ NULL, err,
			"usageSamplingInterval is longer than usageHalfLifeTime: what ran between "
			"two samples hardly counts");
	return 0;
}

/* --- weights of resources --- */

enum { OUTWEIGHS = 1000 }; /* times: a hundred nodes of cores against one of GPUs is less */

static double weight_of(const struct fl_model *m, uint32_t resource)
{
	const struct fl_span *weights = &m->settings.resource_weights;

	for (uint32_t i = 0; i < weights->n; i++) {
		const struct fl_resource_weight *w = &m->resource_weights[weights->first + i];

		if (w->resource.v == resource)
			return w->weight;
	}
	return 1;
}

/*
 * What all of a queue's quota would weigh, each resource in its natural unit (cores,
 * bytes), summed over the queues ordered by usage.
 */
static void weigh(const struct fl_lint *l, double *by_resource)
{
	const struct fl_tree *t = l->tree;

	for (uint32_t i = 0; i < t->n_order; i++) {
		struct fl_node n = { t->order[i] };
		const struct fl_tree_root *root = fl_tree_root_of(t, n);

		for (uint32_t c = 0; c < root->n_columns && l->m->nodes[n.v].usage_based; c++) {
			size_t cell = fl_tree_cell(t, n, (struct fl_column){ c });
			uint32_t r = root->columns[c].resource.v;
			bool cpu = strcmp(fl_lint_resource(l, root->columns[c].resource), "cpu") ==
				   0;

			if (t->known[cell] && t->potential[cell] > 0 &&
			    t->potential[cell] != FL_UNLIMITED)
				by_resource[r] += (double)t->potential[cell] * (cpu ? 1e-3 : 1) *
						  weight_of(l->m, r);
		}
	}
}

/* The heaviest resource outweighs all others together with it by far. */
static int lint_heaviest(struct fl_lint *l, const double *by_resource, fairlead_error *err)
{
	struct fl_model *m = l->m;
	uint32_t first = FL_NONE, second = FL_NONE;
	char hint[400];

	for (uint32_t r = 0; r < m->n_resources; r++) {
		if (by_resource[r] <= 0)
			continue;
		if (first == FL_NONE || by_resource[r] > by_resource[first]) {
			second = first;
			first = r;
		} else if (second == FL_NONE || by_resource[r] > by_resource[second]) {
			second = r;
		}
	}
	if (second == FL_NONE || by_resource[first] < OUTWEIGHS * by_resource[second])
		return 0;
	(void)snprintf(hint, sizeof hint,
		       "a resourceWeights of %.2e for '%.200s' makes both count alike",
		       weight_of(m, first) * by_resource[second] / by_resource[first],
		       fl_model_text(m, m->resources[first]));
	return fl_model_notice(
		m, FL_NOTICE_RESOURCE_WEIGHT, m->settings.place, configuration, hint, err,
		"'%s' outweighs '%s' by far (%.1e to 1 of their quota): it decides the "
		"order of local queues alone",
		fl_model_text(m, m->resources[first]), fl_model_text(m, m->resources[second]),
		by_resource[first] / by_resource[second]);
}

static int lint_resource_weights(struct fl_lint *l, fairlead_error *err)
{
	struct fl_model *m = l->m;
	const struct fl_span *weights = &m->settings.resource_weights;
	struct fl_arena scratch;
	double *by_resource;
	int r = 0;

	for (uint32_t i = 0; i < weights->n && m->n_quotas && r == 0; i++) {
		const struct fl_resource_weight *w = &m->resource_weights[weights->first + i];

		if (w->resource.v == FL_NONE)
			r = fl_model_notice(
				m, FL_NOTICE_RESOURCE_WEIGHT_UNKNOWN, m->settings.place,
				configuration, /* hint= */ NULL, err,
				"resourceWeights names '%s', which no queue has quota for",
				fl_model_text(m, w->resource_name));
	}
	if (r < 0)
		return r;
	fl_arena_init(&scratch, m->mem);
	by_resource = fl_arena_alloc(&scratch, m->n_resources, sizeof *by_resource, err);
	if (!by_resource) {
		r = FAIRLEAD_ENOMEM;
	} else {
		weigh(l, by_resource);
		r = lint_heaviest(l, by_resource, err);
	}
	fl_arena_done(&scratch);
	return r;
}

int fl_lint_usage(struct fl_lint *l, fairlead_error *err)
{
	int r = lint_modes(l, err);

	if (r == 0)
		r = lint_weights_of_queues(l, err);
	if (r == 0 && l->m->settings.admission_fair_sharing)
		r = lint_times(l, err);
	if (r == 0 && l->m->settings.admission_fair_sharing)
		r = lint_resource_weights(l, err);
	return r;
}
