/* SPDX-License-Identifier: Apache-2.0 */
/* borrow - what a proof needs to know of the borrow policy */
#include "ask/prove/face.h"
#include "base/amount.h"

/* --- time --- */

/* The longest that anything of @m lasts that depends on time, from @now on. */
static fl_time longest(const struct fl_model *m, fl_time now)
{
	fl_time span = m->settings.eviction_timeout, ahead = 0;

	for (uint32_t i = 0; i < m->n_protections; i++) {
		const struct fl_protection *says = &m->protections[i].says;

		for (int c = 0; c < FL_CAUSES; c++)
			span = fl_prove_later(span,
					      fl_prove_later(says->minimum_run[c], says->delay[c]));
		/* Until it is forgotten how often there was one. */
		span = fl_prove_later(
			span, fl_sat_add(says->back_off_base,
					 fl_sat_add(says->back_off_max, says->back_off_max)));
	}
	for (uint32_t i = 0; i < m->n_requeues; i++)
		if (m->requeues[i].ready_at != FL_NEVER)
			span = fl_prove_later(span, fl_sat_sub(m->requeues[i].ready_at, now));
	for (uint32_t i = 0; i < m->n_workloads; i++)
		ahead = fl_prove_later(ahead,
				       fl_sat_sub(fl_prove_later(m->workloads[i].created,
								 m->workloads[i].reserved_at),
						  now));
	return span > 0 ? fl_sat_add(span, ahead) : 0;
}

/* --- doubts --- */

static bool is_of(const struct fl_workload_row *w, struct fl_node queue)
{
	return w->cluster_queue.v == queue.v || (w->reserved && w->admitted_queue.v == queue.v);
}

/* Does usage order workloads of two local queues in @queue? */
static bool meet_in(const struct fl_model *m, struct fl_node queue)
{
	uint32_t first = FL_NONE;

	for (uint32_t w = 0; w < m->n_workloads; w++) {
		const struct fl_workload_row *row = &m->workloads[w];

		if (!is_of(row, queue) || row->queue.v == FL_NONE)
			continue;
		if (first != FL_NONE && row->queue.v != first)
			return true;
		first = row->queue.v;
	}
	return false;
}

static bool local_queues_meet(const struct fl_model *m)
{
	bool meet = false;

	for (uint32_t n = 0; n < m->n_nodes && m->settings.admission_fair_sharing && !meet; n++)
		meet = m->nodes[n].usage_based && meet_in(m, (struct fl_node){ n });
	return meet;
}

static enum fl_doubt doubt(const struct fl_model *m)
{
	return local_queues_meet(m) ? FL_DOUBT_LOCAL_USAGE : FL_DOUBT_NONE;
}

/* --- settings that could end a loop --- */

static int lay_settles(struct fl_model *m, struct fl_arena *a, fairlead_error *err)
{
	bool is = m->settings.settles;

	(void)a;
	(void)err;
	m->settings.settles = true;
	return is;
}

static int lay_strategy(struct fl_model *m, enum fl_fair_strategy strategy)
{
	struct fl_settings *s = &m->settings;

	if (!s->fair_sharing || (s->n_strategies == 1 && s->strategies[0] == strategy))
		return 1;
	s->strategies[0] = strategy;
	s->n_strategies = 1;
	return 0;
}

static int lay_final_share(struct fl_model *m, struct fl_arena *a, fairlead_error *err)
{
	(void)a;
	(void)err;
	return lay_strategy(m, FL_FINAL_SHARE);
}

static int lay_initial_share(struct fl_model *m, struct fl_arena *a, fairlead_error *err)
{
	(void)a;
	(void)err;
	return lay_strategy(m, FL_INITIAL_SHARE);
}

/* For all: rows for some stay, but do not say no; the row for all is there, or made. */
static int lay_hold(struct fl_model *m, struct fl_arena *a, fairlead_error *err)
{
	struct fl_protection_row *rows = fl_arena_alloc(a, m->n_protections + 1, sizeof(*rows),
							err);
	bool is = false, all = false, no = false;

	if (!rows)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < m->n_protections; i++) {
		rows[i] = m->protections[i];
		if (rows[i].scope == FL_PROTECT_ALL) {
			all = true;
			is = rows[i].says.hold_freed_quota == FL_SWITCH_ON;
			rows[i].says.hold_freed_quota = FL_SWITCH_ON;
		} else if (rows[i].says.hold_freed_quota == FL_SWITCH_OFF) {
			no = true;
			rows[i].says.hold_freed_quota = FL_SWITCH_UNSET;
		}
	}
	m->protections = rows;
	if (!all) {
		rows[m->n_protections] = (struct fl_protection_row){
			.scope = FL_PROTECT_ALL, .node = { FL_NONE }, .says = fl_protection_default
		};
		rows[m->n_protections].says.hold_freed_quota = FL_SWITCH_ON;
		m->n_protections++;
	}
	return is && !no;
}

static int lay_best_effort(struct fl_model *m, struct fl_arena *a, fairlead_error *err)
{
	struct fl_node_row *rows = fl_arena_alloc(a, (size_t)m->n_nodes + 1, sizeof(*rows), err);
	bool any = false;

	if (!rows)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < m->n_nodes; i++) {
		rows[i] = m->nodes[i];
		any |= rows[i].kind == FL_CLUSTER_QUEUE && rows[i].strategy == FL_STRICT_FIFO;
		rows[i].strategy = FL_BEST_EFFORT_FIFO;
	}
	m->nodes = rows;
	return !any;
}

static const struct fl_prove_remedy remedies[] = {
	{ FL_REMEDY_SETTLES, lay_settles },
	{ FL_REMEDY_FINAL_SHARE, lay_final_share },
	{ FL_REMEDY_INITIAL_SHARE, lay_initial_share },
	{ FL_REMEDY_HOLD, lay_hold },
	{ FL_REMEDY_BEST_EFFORT, lay_best_effort },
};

extern const struct fl_prove_face fl_borrow_proves;
const struct fl_prove_face fl_borrow_proves = {
	.longest = longest,
	.tick = 1,
	.doubt = doubt,
	.remedies = remedies,
	.n_remedies = sizeof remedies / sizeof *remedies,
	.theorem = { "No preemption loop, by the theorem of preemptionGuarantee: settles.",
		     "Whatever the order of decisions, preemption settles while no workload "
		     "finishes, no queue is stopped and no quota, weight or priority changes. "
		     "The promise is in doc/guide/policy.md#preemption-that-settles, its proof in "
		     "src/decide/borrow/README.md (\"Why it settles\")." },
};
