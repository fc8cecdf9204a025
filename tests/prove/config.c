/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

const char *const strategies_names[STRATEGIES] = { "final", "initial", "final+initial",
						   "classical" };

static const char *const resource_names[RESOURCES] = { "gpu", "net" };
static const char *const flavor_names[FLAVORS] = { "f", "g" };
static const char *const policy_names[] = { "Never", "LowerPriority", "LowerOrNewerEqualPriority",
					    "Any" };

struct making {
	const struct config *c;
	struct fl_model *m;
	struct fl_sym resources[RESOURCES], flavors[FLAVORS], namespace, main;
};

static void must(int r, const fairlead_error *err)
{
	if (r < 0) {
		(void)fprintf(stderr, "config: %s: %s\n", err->subject, err->text);
		abort();
	}
}

static struct fl_sym sym(struct fl_model *m, const char *text)
{
	fairlead_error err;
	struct fl_sym ret;

	must(fl_model_sym(m, text, strlen(text), &ret, &err), &err);
	return ret;
}

/* "q3" */
static struct fl_sym numbered(struct fl_model *m, char letter, unsigned number)
{
	char text[3] = { letter, (char)('0' + number), '\0' };

	return sym(m, text);
}

static bool has_quota(const struct making *k, const struct config_node *n)
{
	bool any = false;

	for (unsigned f = 0; f < k->c->n_flavors; f++)
		for (unsigned r = 0; r < k->c->n_resources; r++)
			any |= n->quota[f][r].nominal != 0;
	return any;
}

static void push_quotas(struct making *k, const struct config_node *n, unsigned f)
{
	const struct config *c = k->c;
	struct fl_group_flavor flavor = { .name = k->flavors[f],
					  .quotas = { k->m->n_quotas, c->n_resources } };
	fairlead_error err;

	for (unsigned r = 0; r < c->n_resources; r++) {
		const struct config_quota *q = &n->quota[f][r];
		struct fl_quota quota = { .flavor_name = k->flavors[f],
					  .resource_name = k->resources[r],
					  .nominal = q->nominal,
					  .borrowing_limit = q->borrow,
					  .lending_limit = q->lend };

		must(fl_model_push_quotas(k->m, &quota, NULL, &err), &err);
	}
	must(fl_model_push_group_flavors(k->m, &flavor, NULL, &err), &err);
}

static struct fl_span push_group(struct making *k, const struct config_node *n)
{
	const struct config *c = k->c;
	struct fl_group group = { .resources = { k->m->n_syms, c->n_resources },
				  .flavors = { k->m->n_group_flavors, c->n_flavors } };
	fairlead_error err;
	uint32_t id;

	for (unsigned r = 0; r < c->n_resources; r++)
		must(fl_model_push_syms(k->m, &k->resources[r], NULL, &err), &err);
	for (unsigned f = 0; f < c->n_flavors; f++)
		push_quotas(k, n, f);
	must(fl_model_push_groups(k->m, &group, &id, &err), &err);
	return (struct fl_span){ id, 1 };
}

static void add_cohort(struct making *k, unsigned i)
{
	const struct config_node *n = &k->c->cohorts[i];
	struct fl_node_row row = fl_cohort_default;
	fairlead_error err;

	row.name = numbered(k->m, 'c', i);
	if (n->parent != NO_PARENT)
		row.parent_name = numbered(k->m, 'c', n->parent);
	row.weight = n->weight;
	if (has_quota(k, n))
		row.groups = push_group(k, n);
	must(fl_model_add_node(k->m, &row, &err), &err);
}

static void add_queue(struct making *k, unsigned i)
{
	const struct config_node *n = &k->c->queues[i];
	struct fl_node_row row = fl_cluster_queue_default;
	struct fl_queue_row queue = fl_queue_default;
	fairlead_error err;

	row.name = numbered(k->m, 'q', i);
	row.parent_name = numbered(k->m, 'c', n->parent);
	row.weight = n->weight;
	row.groups = push_group(k, n);
	row.strategy = k->c->strict ? FL_STRICT_FIFO : FL_BEST_EFFORT_FIFO;
	row.within_queue = (enum fl_preempt_policy)n->within;
	row.reclaim = (enum fl_preempt_policy)n->reclaim;
	row.namespaces.present = true; /* all */
	must(fl_model_add_node(k->m, &row, &err), &err);
	queue.namespace = k->namespace;
	queue.name = queue.cluster_queue_name = row.name;
	must(fl_model_add_queue(k->m, &queue, &err), &err);
}

static void add_job(struct making *k, unsigned i)
{
	const struct config_job *j = &k->c->jobs[i];
	struct fl_workload_row row = fl_workload_default;
	struct fl_podset podset = fl_podset_default;
	fairlead_error err;

	podset.name = k->main;
	podset.count = j->count;
	podset.min_count = j->least;
	podset.requests.first = k->m->n_requests;
	podset.spec_hash = 1;
	for (unsigned r = 0; r < k->c->n_resources; r++) {
		struct fl_request request = { .resource_name = k->resources[r],
					      .amount = j->ask[r] };

		if (!j->ask[r])
			continue;
		must(fl_model_push_requests(k->m, &request, NULL, &err), &err);
		podset.requests.n++;
	}
	row.podsets = (struct fl_span){ k->m->n_podsets, 1 };
	must(fl_model_push_podsets(k->m, &podset, NULL, &err), &err);
	row.namespace = k->namespace;
	row.name = row.uid = numbered(k->m, 'w', i);
	row.queue_name = numbered(k->m, 'q', j->queue);
	row.has_priority = true;
	row.priority = j->priority;
	row.created = 0;
	must(fl_model_add_workload(k->m, &row, &err), &err);
}

void config_set_rules(const struct config *c, struct fl_model *m)
{
	m->settings.present = true;
	m->settings.fair_sharing = c->strategies != CLASSICAL;
	m->settings.strategies[0] = c->strategies == INITIAL ? FL_INITIAL_SHARE : FL_FINAL_SHARE;
	m->settings.strategies[1] = FL_INITIAL_SHARE;
	m->settings.n_strategies = c->strategies == BOTH ? 2 : 1;
	m->settings.settles = c->settles;
}

static void add_hold(struct fl_model *m)
{
	struct fl_protection_row row = { .scope = FL_PROTECT_ALL, .says = fl_protection_default };
	fairlead_error err;

	row.says.hold_freed_quota = FL_SWITCH_ON;
	must(fl_model_add_protection(m, &row, &err), &err);
}

struct fl_model *config_model(const struct config *c, const struct fl_mem *mem)
{
	struct making k = { .c = c };
	fairlead_error err;

	must(fl_model_new(mem, &k.m, &err), &err);
	k.namespace = sym(k.m, "ns");
	k.main = sym(k.m, "main");
	for (unsigned r = 0; r < c->n_resources; r++)
		k.resources[r] = sym(k.m, resource_names[r]);
	for (unsigned f = 0; f < c->n_flavors; f++) {
		struct fl_flavor_row row = { .name = sym(k.m, flavor_names[f]), .declared = true };

		k.flavors[f] = row.name;
		must(fl_model_add_flavor(k.m, &row, &err), &err);
	}
	for (unsigned i = 0; i < c->n_cohorts; i++)
		add_cohort(&k, i);
	for (unsigned i = 0; i < c->n_queues; i++)
		add_queue(&k, i);
	for (unsigned i = 0; i < c->n_jobs; i++)
		add_job(&k, i);
	if (c->hold)
		add_hold(k.m);
	config_set_rules(c, k.m);
	must(fl_model_seal(k.m, &err), &err);
	return k.m;
}

/* --- as text --- */

static void print_node(const struct config *c, const struct config_node *n, bool queue, FILE *to)
{
	(void)fprintf(to, "{\"parent\":%d,\"weight\":%d,\"quota\":[",
		      n->parent == NO_PARENT ? -1 : n->parent, n->weight);
	for (unsigned f = 0; f < c->n_flavors; f++)
		for (unsigned r = 0; r < c->n_resources; r++)
			(void)fprintf(to, "%s[%d,%d,%d]", f + r ? "," : "", n->quota[f][r].nominal,
				      n->quota[f][r].borrow, n->quota[f][r].lend);
	(void)fputc(']', to);
	if (queue)
		(void)fprintf(to, ",\"within\":\"%s\",\"reclaim\":\"%s\"", policy_names[n->within],
			      policy_names[n->reclaim]);
	(void)fputc('}', to);
}

void config_print(const struct config *c, FILE *to)
{
	(void)fprintf(to, "{\"resources\":%d,\"flavors\":%d,\"strategies\":\"%s\",", c->n_resources,
		      c->n_flavors, strategies_names[c->strategies]);
	(void)fprintf(to, "\"strict\":%s,\"hold\":%s,\"full\":%s,\"cohorts\":[",
		      c->strict ? "true" : "false", c->hold ? "true" : "false",
		      c->full ? "true" : "false");
	for (unsigned i = 0; i < c->n_cohorts; i++) {
		(void)fputs(i ? "," : "", to);
		print_node(c, &c->cohorts[i], /* queue= */ false, to);
	}
	(void)fputs("],\"queues\":[", to);
	for (unsigned i = 0; i < c->n_queues; i++) {
		(void)fputs(i ? "," : "", to);
		print_node(c, &c->queues[i], /* queue= */ true, to);
	}
	(void)fputs("],\"jobs\":[", to);
	for (unsigned i = 0; i < c->n_jobs; i++) {
		const struct config_job *j = &c->jobs[i];

		(void)fprintf(to, "%s{\"queue\":%d,\"priority\":%d,\"count\":%d,\"least\":%d,",
			      i ? "," : "", j->queue, j->priority, j->count, j->least);
		(void)fprintf(to, "\"ask\":[%d", j->ask[0]);
		for (unsigned r = 1; r < c->n_resources; r++)
			(void)fprintf(to, ",%d", j->ask[r]);
		(void)fputs("]}", to);
	}
	(void)fputs("]}", to);
}

/* --- how small --- */

static void add_node(const struct config *c, const struct config_node *n, struct config_size *size)
{
	for (unsigned f = 0; f < c->n_flavors; f++)
		for (unsigned r = 0; r < c->n_resources; r++) {
			const struct config_quota *q = &n->quota[f][r];

			size->parts[2] += (uint8_t)q->nominal;
			size->parts[4] += (unsigned)((q->borrow >= 0) + (q->lend >= 0));
		}
	size->parts[4] += n->weight != 1;
}

struct config_size config_size(const struct config *c)
{
	struct config_size size = { { c->n_jobs, c->n_queues } };

	for (unsigned i = 0; i < c->n_cohorts; i++)
		add_node(c, &c->cohorts[i], &size);
	for (unsigned i = 0; i < c->n_queues; i++)
		add_node(c, &c->queues[i], &size);
	for (unsigned i = 0; i < c->n_jobs; i++) {
		const struct config_job *j = &c->jobs[i];

		for (unsigned r = 0; r < c->n_resources; r++)
			size.parts[3] += (uint32_t)j->ask[r] * j->count;
		size.parts[4] += (unsigned)((j->priority != 0) + (j->count > 1) + (j->least >= 0));
	}
	return size;
}

int config_cmp_size(const struct config_size *a, const struct config_size *b)
{
	for (unsigned i = 0; i < sizeof a->parts / sizeof *a->parts; i++)
		if (a->parts[i] != b->parts[i])
			return a->parts[i] < b->parts[i] ? -1 : 1;
	return 0;
}
