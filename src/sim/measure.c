/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/measure.h"

#include <math.h>
#include <string.h>

#include "decide/entitle/entitle.h"
#include "sim/begin.h"
#include "sim/measure_fairness.h"
#include "sim/measure_series.h"
#include "sim/measure_state.h"
#include "sim/measure_waits.h"

/* --- integrals --- */

void fl_measure_touch(struct fl_measure *m, uint32_t row, fl_time at)
{
	struct fl_measure_row *r = &m->rows[row];
	uint32_t n = 2 * m->n_resources;
	const double *now = m->now + (size_t)row * n;
	double *sum = m->sum + (size_t)row * (n + 2);
	double length = (double)(at - r->since);

	if (at <= r->since)
		return;
	for (uint32_t i = 0; i < n; i++)
		sum[i] += now[i] * length;
	sum[n] += r->waiting * length;
	sum[n + 1] += r->running * length;
	if (r->waiting || r->partial)
		r->blocked += at - r->since;
	r->since = at;
}

void fl_measure_touch_capacity(struct fl_measure *m, fl_time at)
{
	double length = (double)(at - m->capacity_since);

	if (at <= m->capacity_since)
		return; /* unlimited times 0 would be NAN */
	for (uint32_t k = 0; k < m->n_resources; k++)
		m->capacity_sum[k] += m->entitled.capacity[k] * length;
	m->capacity_since = at;
}

/* Held and wanted of a job as it is now, into `fresh`; whether it runs and wants more. */
static bool find_amounts(struct fl_measure *m, uint32_t w)
{
	const struct fl_sim *s = m->sim;
	enum fl_sim_state state = s->jobs[w].state;
	bool waits = state == FL_SIM_WAITS || state == FL_SIM_BACKS_OFF;
	bool runs = state == FL_SIM_RUNS || state == FL_SIM_LEAVES;
	bool grows = state == FL_SIM_RUNS && s->model->workloads[w].gang != FL_NONE;
	bool more = false;

	for (uint32_t k = 0; k < m->n_resources; k++) {
		struct fl_resource r = m->entitled.resources[k];
		double held = runs ? s->ops->held(s->policy, (struct fl_workload){ w }, r) : 0;
		double asks = waits || grows ?
				      fl_sim_request(s->model, (struct fl_workload){ w }, r) :
				      0;

		/* sums of parts of GPUs, in another order: the last bits may differ */
		bool short_of = grows && asks > held * (1 + 1e-9);

		m->fresh[k] = held;
		m->fresh[m->n_resources + k] = waits || short_of ? asks : held;
		more |= short_of;
	}
	return more;
}

/* The job is as the simulation has it: its queue and all above it have what has changed. */
static void enter(struct fl_measure *m, uint32_t w, fl_time at)
{
	enum fl_sim_state state = m->sim->jobs[w].state;
	struct fl_measure_job *j = &m->jobs[w];
	uint32_t n = 2 * m->n_resources;
	double *had = m->job_amounts + (size_t)w * n;
	struct fl_measure_job before = *j;
	bool differs;

	j->partial = find_amounts(m, w);
	j->waits = state == FL_SIM_WAITS || state == FL_SIM_BACKS_OFF;
	j->runs = state == FL_SIM_RUNS || state == FL_SIM_LEAVES;
	differs = j->partial != before.partial || j->waits != before.waits ||
		  j->runs != before.runs;
	for (uint32_t i = 0; i < n; i++) {
		double has = m->fresh[i];

		differs |= has != had[i];
		m->fresh[i] = has - had[i];
		had[i] = has;
	}
	if (!differs)
		return;
	for (uint32_t row = j->row; row != FL_NONE; row = m->rows[row].above) {
		struct fl_measure_row *r = &m->rows[row];
		double *now = m->now + (size_t)row * n;

		fl_measure_touch(m, row, at);
		fl_measure_touched(m, row);
		for (uint32_t i = 0; i < n; i++)
			now[i] += m->fresh[i];
		r->waiting += (uint32_t)j->waits - (uint32_t)before.waits;
		r->running += (uint32_t)j->runs - (uint32_t)before.runs;
		r->partial += (uint32_t)j->partial - (uint32_t)before.partial;
	}
}

/* --- counting --- */

static void add_work(const struct fl_measure *m, uint32_t w, fl_time work, double *to)
{
	if (work <= 0)
		return;
	for (uint32_t k = 0; k < m->n_resources; k++)
		to[k] += (double)work * fl_sim_request(m->sim->model, (struct fl_workload){ w },
						       m->entitled.resources[k]);
}

/* What it held while it started again. Before what it held is forgotten. */
static void add_restart(struct fl_measure *m, uint32_t w, fl_time at)
{
	const struct fl_sim_job *job = &m->sim->jobs[w];
	struct fl_measure_job *j = &m->jobs[w];
	double *to = m->nodes[j->row].counts.restarted;
	fl_time until = j->works_at < at ? j->works_at : at;

	for (uint32_t k = 0; k < m->n_resources && until > job->started; k++)
		to[k] += (double)(until - job->started) *
			 m->job_amounts[(size_t)w * 2 * m->n_resources + k];
	j->works_at = FL_TIME_NONE;
}

/* Its number, or negative. */
static int find_flow(struct fl_measure *m, const struct fl_measured_flow *flow, uint32_t *ret,
		     fairlead_error *err)
{
	uint32_t reason = flow->killed ? FL_REASONS : (uint32_t)flow->reason;
	uint32_t b = flow->to * (FL_REASONS + 1) + reason;
	uint32_t found = fl_pairs_find(&m->flow_of, flow->from, b), n = m->n_flows;
	int r;

	if (found == FL_NONE) {
		r = fl_mem_grow(m->mem, &m->flows, &m->cap_flows, n + 1, sizeof *m->flows, err);
		if (r >= 0)
			r = fl_mem_grow(m->mem, &m->flow_lost, &m->cap_flow_lost,
					(n + 1) * m->n_resources, sizeof *m->flow_lost, err);
		if (r >= 0)
			r = fl_pairs_add(&m->flow_of, flow->from, b, n, NULL, err);
		if (r < 0)
			return r;
		m->flows[n] = *flow;
		for (uint32_t k = 0; k < m->n_resources; k++)
			fl_measure_of(m, m->flow_lost, n)[k] = 0;
		found = m->n_flows++;
	}
	m->flows[found].count++;
	*ret = found;
	return 0;
}

static int evicted(struct fl_measure *m, const struct fl_sim_event *e, fairlead_error *err)
{
	uint32_t w = e->workload.v;
	struct fl_measured_flow flow = { .from = FL_NONE,
					 .to = m->jobs[w].row,
					 .killed = e->kind == FL_SIM_KILLED,
					 .reason = e->reason };
	uint32_t number;
	int r;

	if (e->kind == FL_SIM_EVICTED && e->preemptor.v != FL_NONE)
		flow.from = m->jobs[e->preemptor.v].row;
	r = find_flow(m, &flow, &number, err);
	if (r < 0)
		return r;
	m->jobs[w].flow = number + 1;
	m->nodes[flow.to].counts.evictions++;
	if (flow.from != FL_NONE)
		m->nodes[flow.from].counts.preemptions++;
	return 0;
}

static void stopped(struct fl_measure *m, const struct fl_sim_event *e)
{
	uint32_t w = e->workload.v;
	enum fl_sim_state state = m->sim->jobs[w].state;
	struct fl_measure_job *j = &m->jobs[w];

	if (state != FL_SIM_RUNS && state != FL_SIM_LEAVES)
		add_restart(m, w, e->at);
	add_work(m, w, e->lost, m->nodes[j->row].counts.lost);
	if (j->flow)
		add_work(m, w, e->lost, fl_measure_of(m, m->flow_lost, j->flow - 1));
	if (state != FL_SIM_LEAVES) /* else some of its pods are still being evicted */
		j->flow = 0;
}

static void started(struct fl_measure *m, const struct fl_sim_event *e)
{
	uint32_t w = e->workload.v;

	if (m->jobs[w].runs)
		return;
	m->nodes[m->jobs[w].row].counts.starts++;
	m->jobs[w].works_at = m->sim->jobs[w].since;
}

/* What the cluster held and what there was, up to @at. */
static void note_use(struct fl_measure *m, fl_time at, struct fl_measure_use *to)
{
	uint32_t cluster = m->n_rows - 1;

	fl_measure_touch(m, cluster, at);
	fl_measure_touch_capacity(m, at);
	for (uint32_t k = 0; k < m->n_resources; k++) {
		size_t i = (size_t)cluster * (2 * m->n_resources + 2) + k;

		to->held[k] = m->sum[i] + m->total[i];
		to->capacity[k] = m->capacity_sum[k] + m->capacity_total[k];
	}
}

static void ended(struct fl_measure *m, const struct fl_sim_event *e)
{
	uint32_t w = e->workload.v;
	struct fl_measured_counts *counts = &m->nodes[m->jobs[w].row].counts;
	const struct fl_life_row *life = m->sim->jobs[w].life;

	counts->finished++;
	add_restart(m, w, e->at);
	if (life && life->runs != FL_NEVER)
		add_work(m, w, life->runs, counts->useful);
	m->jobs[w].flow = 0;
	note_use(m, e->at, &m->to_end);
}

static void arrived(struct fl_measure *m, const struct fl_sim_event *e)
{
	m->jobs[e->workload.v].came = true;
	note_use(m, e->at, &m->to_arrival);
}

static void changed(struct fl_measure *m, const struct fl_sim_event *e)
{
	fl_measure_touch_capacity(m, e->at);
	fl_entitled_changed(&m->entitled);
	for (uint32_t row = 0; row + 1 < m->n_rows; row++)
		fl_measure_touched(m, row);
	if (m->n_notes == FL_MEASURE_NOTES) {
		m->notes_dropped++;
		return;
	}
	m->notes[m->n_notes] = (struct fl_measured_note){ .at = e->at, .event = *e };
	if (e->cell) {
		m->notes[m->n_notes].cell = *e->cell;
		m->notes[m->n_notes].event.cell = &m->notes[m->n_notes].cell;
	}
	m->n_notes++;
}

static int on_event(void *user, const struct fl_sim *sim, const struct fl_sim_event *e,
		    fairlead_error *err)
{
	struct fl_measure *m = user;
	uint32_t w = e->workload.v;
	int r = 0;

	(void)sim;
	if (e->cell)
		changed(m, e);
	if (w == FL_NONE) /* CHANGED, FAILED, BACK, LOOP */
		return 0;
	if (m->jobs[w].row == FL_NONE)
		return 0;
	/* a workload that is killed while it leaves was counted as evicted already */
	if (e->kind == FL_SIM_EVICTED || (e->kind == FL_SIM_KILLED && !m->jobs[w].flow))
		r = evicted(m, e, err);
	if (r < 0)
		return r;
	if (e->kind == FL_SIM_ARRIVED)
		arrived(m, e);
	else if (e->kind == FL_SIM_STARTED)
		started(m, e);
	else if (e->kind == FL_SIM_LET_GO || e->kind == FL_SIM_KILLED)
		stopped(m, e);
	else if (e->kind == FL_SIM_ENDED)
		ended(m, e);
	else if (e->kind == FL_SIM_GAVE_UP)
		m->nodes[m->jobs[w].row].counts.gave_up++;
	enter(m, w, e->at);
	return 0;
}

/* All is as it is until @to: what is fair counts for so long, and ends of buckets see it. */
static int on_passes(void *user, const struct fl_sim *sim, fl_time to, fairlead_error *err)
{
	struct fl_measure *m = user;

	/* cycles find new fair shares though nothing happened */
	if (m->n_touched ||
	    (fl_entitled_by_cycle(&m->entitled) && sim->driver.cycles != m->cycles)) {
		int r = fl_measure_look(m, sim->now, err);

		if (r < 0)
			return r;
		m->cycles = sim->driver.cycles;
	}
	for (fl_time at = sim->now, next; at < to; at = next) {
		fl_time bucket_ends = m->bucket_begins + m->step;

		next = to < bucket_ends ? to : bucket_ends;
		fl_measure_pass(m, next - at);
		if (next == bucket_ends)
			fl_measure_close(m, bucket_ends, /* last= */ false);
	}
	return 0;
}

/* --- life --- */

static int make_rows(struct fl_measure *m, fairlead_error *err)
{
	uint32_t k = m->n_resources, n = m->n_rows;

	if (!FL_NEW(&m->arena, m->rows, n, err) ||
	    !FL_NEW(&m->arena, m->now, (size_t)n * 2 * k, err) ||
	    !FL_NEW(&m->arena, m->sum, (size_t)n * (2 * k + 2), err) ||
	    !FL_NEW(&m->arena, m->total, (size_t)n * (2 * k + 2), err) ||
	    !FL_NEW(&m->arena, m->capacity_sum, k, err) ||
	    !FL_NEW(&m->arena, m->capacity_total, k, err) ||
	    !FL_NEW(&m->arena, m->to_end.held, k, err) ||
	    !FL_NEW(&m->arena, m->to_end.capacity, k, err) ||
	    !FL_NEW(&m->arena, m->to_arrival.held, k, err) ||
	    !FL_NEW(&m->arena, m->to_arrival.capacity, k, err) ||
	    !FL_NEW(&m->arena, m->entitled_now, (size_t)n * k, err) ||
	    !FL_NEW(&m->arena, m->entitled_sum, (size_t)n * k, err) ||
	    !FL_NEW(&m->arena, m->touched, n, err) || !FL_NEW(&m->arena, m->changed, n, err) ||
	    !FL_NEW(&m->arena, m->nodes, n, err) ||
	    !FL_NEW(&m->arena, m->notes, FL_MEASURE_NOTES, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t row = 0; row < n; row++) {
		struct fl_measured_node *node = &m->nodes[row];
		struct fl_measured_counts *c = &node->counts;
		uint32_t above = row == n - 1 ? FL_NONE : m->entitled.parent[row];

		m->rows[row] = (struct fl_measure_row){
			.above = above == FL_NONE && row < n - 1 ? n - 1 : above,
			.since = m->sim->now,
			.ratio = (double)NAN,
			.ratio_least = (double)INFINITY,
			.behind_since = FL_TIME_NONE,
		};
		fl_measure_touched(m, row);
		node->node.v = row < n - 1 ? m->entitled.node[row] : FL_NONE;
		node->parent = above;
		node->leaf = row < n - 1 &&
			     (row + 1 == n - 1 || m->entitled.parent[row + 1] != row);
		if (!FL_NEW(&m->arena, c->hours, k, err) || !FL_NEW(&m->arena, c->useful, k, err) ||
		    !FL_NEW(&m->arena, c->lost, k, err) ||
		    !FL_NEW(&m->arena, c->restarted, k, err) ||
		    !FL_NEW(&m->arena, node->held, k, err) ||
		    !FL_NEW(&m->arena, node->wanted, k, err) ||
		    !FL_NEW(&m->arena, node->entitled, k, err))
			return FAIRLEAD_ENOMEM;
	}
	return 0;
}

static uint32_t row_of(const struct fl_measure *m, uint32_t w)
{
	const struct fl_workload_row *row = &m->sim->model->workloads[w];
	uint32_t node = row->cluster_queue.v;

	if (m->sim->jobs[w].state == FL_SIM_EXCLUDED)
		return FL_NONE;
	if (node == FL_NONE)
		node = row->admitted_queue.v;
	return node == FL_NONE ? FL_NONE : m->entitled.row_of[node];
}

static int make_jobs(struct fl_measure *m, fairlead_error *err)
{
	uint32_t k = m->n_resources;

	if (!FL_NEW(&m->arena, m->jobs, m->n_jobs, err) ||
	    !FL_NEW(&m->arena, m->job_amounts, (size_t)m->n_jobs * 2 * k, err) ||
	    !FL_NEW(&m->arena, m->fresh, 2 * k, err) || !FL_NEW(&m->arena, m->scale, k, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < k; i++) {
		struct fl_sym name = m->sim->model->resources[m->entitled.resources[i].v];

		m->scale[i] = fl_measure_scale(fl_model_text(m->sim->model, name));
	}
	for (uint32_t w = 0; w < m->n_jobs; w++) {
		struct fl_measure_job *j = &m->jobs[w];
		enum fl_sim_state state = m->sim->jobs[w].state;

		*j = (struct fl_measure_job){ .row = row_of(m, w), .works_at = FL_TIME_NONE };
		if (j->row == FL_NONE || state == FL_SIM_TO_COME || state == FL_SIM_FINISHED ||
		    state == FL_SIM_GONE)
			continue;
		j->came = true;
		enter(m, w, m->sim->now);
		j->ran = j->runs;
	}
	return 0;
}

static int make(struct fl_measure *m, fairlead_error *err)
{
	struct fl_sim *s = m->sim;
	int r = fl_entitled_init(&m->entitled, m->mem, s->model, s->ops, s->policy, err);

	if (r < 0)
		return r;
	m->n_resources = m->entitled.n_resources;
	m->n_rows = m->entitled.n + 1;
	m->n_jobs = s->model->n_workloads;
	m->capacity_since = m->bucket_begins = s->now;
	m->blocked_least = (double)INFINITY;
	m->cycles = s->driver.cycles;
	fl_measure_new_bucket(m);
	r = make_rows(m, err);
	if (r >= 0)
		r = fl_measure_looks_init(m, err);
	if (r >= 0)
		r = make_jobs(m, err);
	if (r >= 0)
		r = fl_measure_series_init(m, err);
	if (r < 0)
		return r;
	m->step = fl_measure_step(m);
	return 0;
}

int fl_measure_new(const struct fl_mem *mem, struct fl_sim *sim, struct fl_measure **ret,
		   fairlead_error *err)
{
	struct fl_measure *m = mem->resize(mem->user, NULL, sizeof *m);
	int r;

	if (!m)
		return fl_fail_nomem(err);
	*m = (struct fl_measure){ .mem = mem, .sim = sim };
	fl_arena_init(&m->arena, mem);
	fl_pairs_init(&m->flow_of, mem);
	r = make(m, err);
	if (r < 0) {
		fl_measure_free(m);
		return r;
	}
	sim->options.listeners[sim->options.n_listeners++] =
		(struct fl_sim_listener){ .event = on_event, .passes = on_passes, .user = m };
	*ret = m;
	return 0;
}

struct fl_measure *fl_measure_free(struct fl_measure *m)
{
	if (!m)
		return NULL;
	fl_entitled_done(&m->entitled);
	fl_pairs_done(&m->flow_of);
	fl_mem_free(m->mem, m->flows);
	fl_mem_free(m->mem, m->flow_lost);
	fl_mem_free(m->mem, m->corrections);
	fl_arena_done(&m->arena);
	return fl_mem_free(m->mem, m);
}
