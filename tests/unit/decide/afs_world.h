/* SPDX-License-Identifier: Apache-2.0 */
/*
 * afs_world - small models in which usage orders local queues
 *
 * One flavor and one resource r0 in whole units; queues are usage-based unless said
 * otherwise.  Any failure to build one fails the test.
 */
#ifndef FL_TESTS_AFS_WORLD_H
#define FL_TESTS_AFS_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "decide/borrow/afs/afs.h"
#include "decide/borrow/borrow.h"
#include "lib/world.h"

/* A local queue "lq-<name>" of ClusterQueue @queue. */
static inline void add_local_queue(struct fl_model *m, const char *name, const char *queue,
				   double weight, int consumed)
{
	struct fl_queue_row row = fl_queue_default;
	char text[64];

	(void)snprintf(text, sizeof text, "lq-%s", name);
	row.namespace = world_sym(m, "ns");
	row.name = world_sym(m, text);
	row.cluster_queue_name = world_sym(m, queue);
	row.weight = weight;
	if (consumed) {
		struct fl_consumed c = { .resource_name = world_sym(m, "r0"),
					 .amount = (fl_nanos)consumed * 1000000000 };

		assert_int_equal(fl_model_push_consumed(m, &c, &row.consumed.first, NULL), 0);
		row.consumed.n = 1;
	}
	assert_int_equal(fl_model_add_queue(m, &row, NULL), 0);
}

/* A job of local queue "lq-<local>"; @held: the ClusterQueue whose quota it holds, or NULL. */
static inline void add_job(struct fl_model *m, const char *name, const char *local,
			   const char *held, int32_t priority, int64_t age, fl_amount ask)
{
	struct world_job job = { name, local, priority, age, { ask }, held != NULL };

	world_add_job(m, &job, 1);
	if (held)
		m->workloads[m->n_workloads - 1].admitted_queue_name = world_sym(m, held);
}

enum way { SAMPLED, EXACT };

static inline void set_afs(struct fl_model *m, enum way way, fl_time half_life, fl_time sampling)
{
	m->settings.present = m->settings.admission_fair_sharing = true;
	m->settings.usage_half_life = half_life;
	m->settings.usage_sampling = sampling;
	m->settings.exact_usage = way == EXACT;
	for (uint32_t i = 0; i < m->n_nodes; i++)
		m->nodes[i].usage_based = true;
}

static inline struct fl_queue local_queue(const struct fl_model *m, const char *name)
{
	char text[64];

	(void)snprintf(text, sizeof text, "lq-%s", name);
	for (uint32_t i = 0; i < m->n_queues; i++)
		if (strcmp(fl_model_text(m, m->queues[i].name), text) == 0)
			return (struct fl_queue){ i };
	fail_msg("no local queue %s", text);
	return (struct fl_queue){ FL_NONE };
}

static inline struct fl_workload job(const struct fl_model *m, const char *name)
{
	return fl_model_find_workload(m, "ns", name);
}

/* What a local queue consumed of r0 by the last call. */
static inline double consumed(const struct fl_model *m, const struct fl_policy *p, const char *name)
{
	return fl_borrow_consumed(p, local_queue(m, name), (struct fl_resource){ 0 });
}

static inline void happens(struct fl_policy *p, fl_time now, enum fl_event_kind kind,
			   struct fl_workload w)
{
	struct fl_event event = { .kind = kind, .workload = w };
	fairlead_error err = { .code = 0 };

	if (fl_borrow_policy.apply(p, now, &event, &err) != 0)
		fail_msg("%s", err.text);
}

/* A cycle; true when it admitted somebody. */
static inline bool cycle(struct fl_policy *p, fl_time now)
{
	struct fl_decisions d;
	bool admitted = false;

	assert_int_equal(fl_borrow_policy.step(p, now, 0, NULL, &d, NULL), 0);
	for (uint32_t i = 0; i < d.n; i++)
		admitted |= d.rows[i].kind == FL_ADMIT;
	return admitted;
}

static inline bool runs(const struct fl_policy *p, struct fl_workload w)
{
	return fl_borrow_policy.state(p, w) == FL_STATE_ADMITTED;
}

#endif
