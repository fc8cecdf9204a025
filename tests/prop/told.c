/* SPDX-License-Identifier: Apache-2.0 */
#include "prop/told.h"

#include "decide/borrow/quota/tree.h"

enum { MOST_ROWS = 64 };

static struct fl_placement rows[MOST_ROWS];

/* --- out of the model --- */

/* Is the usage of its local queue the same however it is told? */
static bool may_count(const struct fl_model *m, const struct fl_workload_row *row)
{
	bool alone = m->settings.exact_usage;

	for (uint32_t w = 0; w < m->n_workloads; w++)
		alone &= &m->workloads[w] == row || m->workloads[w].queue.v != row->queue.v ||
			 m->workloads[w].admitted_queue.v == FL_NONE;
	return alone || !m->settings.admission_fair_sharing;
}

static const struct fl_gang *gang_of(const struct fl_model *m, uint32_t w)
{
	uint32_t gang = m->workloads[w].gang;

	return gang == FL_NONE ? NULL : &m->gangs[gang];
}

static bool is_in(const struct fl_model *m, uint32_t t, enum fl_task_phase phase)
{
	return m->tasks[t].phase == phase && m->tasks[t].machine.v != FL_NONE;
}

static bool is_placed(const struct fl_model *m, uint32_t t)
{
	return is_in(m, t, FL_TASK_ALLOCATED) || is_in(m, t, FL_TASK_RELEASING);
}

static void take_gang(struct fl_model *m, uint32_t w)
{
	struct fl_gang *gang = &m->gangs[m->workloads[w].gang];
	bool all = gang->started != FL_TIME_NONE && gang->stale_since == FL_TIME_NONE &&
		   !m->workloads[w].finished;

	for (uint32_t t = gang->tasks.first; t < gang->tasks.first + gang->tasks.n; t++)
		all &= is_placed(m, t) || m->tasks[t].phase == FL_TASK_PENDING ||
		       m->tasks[t].phase == FL_TASK_DONE;
	for (uint32_t t = gang->tasks.first; all && t < gang->tasks.first + gang->tasks.n; t++)
		if (is_placed(m, t))
			m->tasks[t].phase = FL_TASK_PENDING;
}

/* As the model has them: an assignment is a row. */
static uint32_t admission_rows(const struct fl_model *m, const struct fl_workload_row *row)
{
	uint32_t n = 0;

	for (uint32_t s = row->admission.first; s < row->admission.first + row->admission.n; s++) {
		const struct fl_podset_assignment *a = &m->podset_assignments[s];
		uint32_t podset = 0;

		while (podset < row->podsets.n &&
		       m->podsets[row->podsets.first + podset].name.v != a->podset.v)
			podset++;
		for (uint32_t i = 0; i < a->assignments.n; i++) {
			const struct fl_assignment *got = &m->assignments[a->assignments.first + i];

			ENSURE(n < MOST_ROWS);
			rows[n++] = (struct fl_placement){ .podset = podset < row->podsets.n ?
									     podset :
									     FL_NONE,
							   .count = a->count,
							   .resource = got->resource,
							   .flavor = got->flavor,
							   .amount = got->amount };
		}
	}
	return n;
}

/* A workload in no queue, or in another one, would not be pending there. */
static bool may_be_told(const struct fl_model *m, const struct fl_workload_row *row)
{
	return !row->finished && row->admitted_queue.v != FL_NONE &&
	       row->cluster_queue.v == row->admitted_queue.v && row->excluded == FL_INCLUDED &&
	       row->reserved_at != FL_TIME_NONE && may_count(m, row);
}

/* Has a tree that knows nothing of what is held all that @row holds? */
static bool has_columns(const struct fl_model *m, const struct fl_tree *t,
			const struct fl_workload_row *row)
{
	uint32_t n = admission_rows(m, row);

	for (uint32_t i = 0; t->root_index[row->cluster_queue.v] != FL_NONE && i < n; i++)
		if (fl_tree_column(t, row->cluster_queue, rows[i].flavor, rows[i].resource).v ==
		    FL_NONE)
			return false;
	return true;
}

static void take_admissions(struct fl_model *m)
{
	struct fl_workload_row *was = calloc(m->n_workloads + 1, sizeof *was);
	bool taken[LOCKSTEP_JOBS];
	struct fl_tree t;

	ENSURE(was && m->n_workloads <= LOCKSTEP_JOBS);
	for (uint32_t w = 0; w < m->n_workloads; w++) {
		taken[w] = may_be_told(m, &m->workloads[w]);
		was[w] = m->workloads[w];
	}
	for (uint32_t w = 0; w < m->n_workloads; w++) {
		if (!taken[w])
			continue;
		m->workloads[w].admitted_queue.v = FL_NONE;
		m->workloads[w].evicting = FL_EVICTING_NOT;
	}
	ENSURE(fl_tree_init(&t, m, &fl_mem_heap, NULL) == 0);
	for (uint32_t w = 0; w < m->n_workloads; w++)
		if (taken[w] && !has_columns(m, &t, &was[w]))
			m->workloads[w] = was[w];
	fl_tree_done(&t);
	free(was);
}

void told_take(struct fl_model *m)
{
	if (!m->n_machines)
		take_admissions(m);
	for (uint32_t w = 0; w < m->n_workloads; w++)
		if (m->workloads[w].gang != FL_NONE)
			take_gang(m, w);
}

/* --- told --- */

static bool tell(struct lockstep *l, const struct fl_event *e)
{
	fairlead_error err = { 0 };

	return l->ops[PART]->apply(l->p[PART], l->now, e, &err) == 0 ||
	       lockstep_differ(l, "told: %s: %s", err.subject, err.text);
}

static bool tell_admission(struct lockstep *l, uint32_t w)
{
	const struct fl_workload_row *row = &l->m->workloads[w];
	struct fl_event e = { .kind = FL_EV_HOLDS,
			      .workload = { w },
			      .machine = { FL_NONE },
			      .holding = { row->admitted_queue, rows, admission_rows(l->m, row) },
			      .since = row->reserved_at };

	if (!tell(l, &e) || !row->evicting)
		return l->difference[0] == '\0';
	e.kind = FL_EV_GOES;
	e.since = fl_model_requeue(l->m, row)->evicted_at;
	e.since = e.since > row->created ? e.since : row->created;
	e.reason = l->ops[FULL]->reason(l->p[FULL], e.workload);
	return tell(l, &e);
}

static bool tell_tasks(struct lockstep *l, uint32_t w, enum fl_task_phase phase)
{
	const struct fl_gang *gang = gang_of(l->m, w);
	struct fl_event e = { .kind = FL_EV_HOLDS,
			      .workload = { w },
			      .machine = { FL_NONE },
			      .holding = { { FL_NONE }, rows, 0 },
			      .since = gang->started };

	for (uint32_t i = 0; i < gang->tasks.n; i++)
		if (is_in(l->m, gang->tasks.first + i, phase))
			rows[e.holding.n++] = (struct fl_placement){
				.podset = i,
				.count = 1,
				.resource = { FL_NONE },
				.machine = l->m->tasks[gang->tasks.first + i].machine
			};
	if (!e.holding.n)
		return true;
	if (!tell(l, &e) || phase == FL_TASK_ALLOCATED)
		return l->difference[0] == '\0';
	e.kind = FL_EV_GOES;
	return tell(l, &e);
}

/* Those that leave first: who leaves leaves as a whole. */
static bool tell_gang(struct lockstep *l, uint32_t w)
{
	return tell_tasks(l, w, FL_TASK_RELEASING) && tell_tasks(l, w, FL_TASK_ALLOCATED);
}

static bool is_lost(const struct fl_model *m, const struct fl_model *lost, uint32_t w)
{
	const struct fl_gang *gang = gang_of(m, w);
	bool is = m->workloads[w].admitted_queue.v != lost->workloads[w].admitted_queue.v;

	for (uint32_t t = 0; gang && t < gang->tasks.n; t++)
		is |= m->tasks[gang->tasks.first + t].phase !=
		      lost->tasks[gang->tasks.first + t].phase;
	return is;
}

bool told_tell(struct lockstep *l, const struct fl_model *lost, bool backwards,
	       unsigned long *ret_n)
{
	uint32_t n = l->m->n_workloads;
	bool same = true;

	for (uint32_t i = 0; same && i < n; i++) {
		uint32_t w = backwards ? n - 1 - i : i;

		if (!is_lost(l->m, lost, w))
			continue;
		same = gang_of(l->m, w) ? tell_gang(l, w) : tell_admission(l, w);
		(*ret_n)++;
	}
	return same;
}

/* --- any --- */

static uint32_t any_tasks(const struct fl_model *m, const struct fl_gang *gang, struct choices *c)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < gang->tasks.n && n < MOST_ROWS; i++)
		if (choose(c, 4))
			rows[n++] =
				(struct fl_placement){ .podset = i + (choose(c, 16) == 15),
						       .count = 1,
						       .resource = { FL_NONE },
						       .machine = { choose(c, m->n_machines) } };
	return n;
}

/* A row for each request, most of them with its amount. */
static uint32_t any_rows(const struct fl_model *m, const struct fl_workload_row *row,
			 struct choices *c)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < row->podsets.n; s++) {
		const struct fl_podset *podset = &m->podsets[row->podsets.first + s];

		for (uint32_t i = 0; i < podset->requests.n && n < MOST_ROWS; i++) {
			const struct fl_request *r = &m->requests[podset->requests.first + i];
			unsigned how = choose(c, 16);

			rows[n++] = (struct fl_placement){ .podset = s,
							   .count = podset->count,
							   .resource = r->resource,
							   .flavor = { choose(c, m->n_flavors) },
							   .amount = how < 12 ?
									     r->amount :
									     (fl_amount)how - 12 };
		}
	}
	return n;
}

struct fl_holding told_any(const struct fl_model *m, struct fl_workload w, struct choices *c)
{
	const struct fl_workload_row *row = &m->workloads[w.v];
	struct fl_holding h = { .cluster_queue = row->cluster_queue, .rows = rows };

	if (choose(c, 16) == 0)
		h.cluster_queue.v = choose(c, m->n_nodes);
	h.n = row->gang == FL_NONE ? any_rows(m, row, c) : any_tasks(m, &m->gangs[row->gang], c);
	if (h.n && choose(c, 32) == 0)
		rows[0].flavor.v = m->n_flavors + m->n_machines;
	return h;
}
