/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For whom a glance is enough (decide/borrow/cycle/heads.h), and who is felt by others though refused:
 * each world by a step that looks at everything and by one that need not.
 */
#include "decide/borrow/borrow.h"
#include "decide/borrow/cycle/heads.h"
#include "lib/unit.h"
#include "lib/world.h"

#define NO FL_NO_LIMIT
static const struct fl_policy_ops *const ops = &fl_borrow_policy;

enum { MOST = 8 };

struct row {
	const char *name;
	struct world_node nodes[MOST];
	struct world_job jobs[MOST];
	enum fl_preempt_policy reclaim, within;
	const char *admitted;
	uint32_t n_entries; /* of the heads: the others were refused at a glance */
};

static const struct row rows[] = {
	/* x1 stands for left until it is refused: left would borrow 8 with it, right 6 */
	{ "who is refused hides a sibling from another cohort",
	  { { "root", NULL, FL_COHORT, 1, { { 10, NO, NO } } },
	    { "left", "root", FL_COHORT, 1, { { 0, NO, NO } } },
	    { "right", "root", FL_COHORT, 1, { { 0, NO, NO } } },
	    { "x1", "left", FL_CLUSTER_QUEUE, 10, { { 0, NO, NO } } },
	    { "x2", "left", FL_CLUSTER_QUEUE, 1, { { 0, NO, NO } } },
	    { "y1", "right", FL_CLUSTER_QUEUE, 1, { { 0, NO, NO } } },
	    { "z", "root", FL_CLUSTER_QUEUE, 1, { { 0, NO, NO } } } },
	  { { "held", "z", 0, 1, { 4 }, true },
	    { "big", "x1", 0, 2, { 8 }, false },
	    { "hidden", "x2", 0, 3, { 5 }, false },
	    { "other", "y1", 0, 4, { 6 }, false } },
	  FIELDS(FL_PREEMPT_ANY, FL_PREEMPT_NEVER, "other ", 3) },
	/* the same below one cohort: nobody is hidden, the lower share goes first */
	{ "of siblings none hides another",
	  { { "root", NULL, FL_COHORT, 1, { { 10, NO, NO } } },
	    { "x1", "root", FL_CLUSTER_QUEUE, 10, { { 0, NO, NO } } },
	    { "x2", "root", FL_CLUSTER_QUEUE, 1, { { 0, NO, NO } } },
	    { "y1", "root", FL_CLUSTER_QUEUE, 1, { { 0, NO, NO } } },
	    { "z", "root", FL_CLUSTER_QUEUE, 0.1, { { 0, NO, NO } } } },
	  { { "held", "z", 0, 1, { 4 }, true },
	    { "big", "x1", 0, 2, { 8 }, false },
	    { "one", "x2", 0, 3, { 5 }, false },
	    { "other", "y1", 0, 4, { 6 }, false } },
	  FIELDS(FL_PREEMPT_NEVER, FL_PREEMPT_NEVER, "one ", 2) },
	/* owner may not take back what z borrows, and keeps the rest from z */
	{ "who is refused keeps what it could still get",
	  { { "root", NULL, FL_COHORT, 1, { { 0, NO, NO } } },
	    { "owner", "root", FL_CLUSTER_QUEUE, 1, { { 8, NO, NO } } },
	    { "z", "root", FL_CLUSTER_QUEUE, 1, { { 2, NO, NO } } } },
	  { { "held", "z", 0, 1, { 4 }, true },
	    { "big", "owner", 0, 2, { 8 }, false },
	    { "small", "z", 0, 3, { 1 }, false } },
	  FIELDS(FL_PREEMPT_NEVER, FL_PREEMPT_NEVER, "", 2) },
	/* who has no claim of its own keeps nothing */
	{ "who borrows is refused and not felt",
	  { { "root", NULL, FL_COHORT, 1, { { 8, NO, NO } } },
	    { "a", "root", FL_CLUSTER_QUEUE, 1, { { 0, NO, NO } } },
	    { "z", "root", FL_CLUSTER_QUEUE, 1, { { 2, NO, NO } } } },
	  { { "held", "z", 0, 1, { 4 }, true },
	    { "big", "a", 0, 2, { 8 }, false },
	    { "small", "z", 0, 3, { 1 }, false } },
	  FIELDS(FL_PREEMPT_NEVER, FL_PREEMPT_NEVER, "small ", 1) },
	/* whoever may be preempted is looked for */
	{ "a victim of its own queue",
	  { { "root", NULL, FL_COHORT, 1, { { 0, NO, NO } } },
	    { "a", "root", FL_CLUSTER_QUEUE, 1, { { 4, NO, NO } } } },
	  { { "low", "a", 0, 1, { 4 }, true }, { "high", "a", 5, 2, { 4 }, false } },
	  FIELDS(FL_PREEMPT_NEVER, FL_PREEMPT_LOWER_PRIORITY, "", 1) },
	{ "nobody of its own queue is lower",
	  { { "root", NULL, FL_COHORT, 1, { { 0, NO, NO } } },
	    { "a", "root", FL_CLUSTER_QUEUE, 1, { { 4, NO, NO } } } },
	  { { "low", "a", 0, 1, { 4 }, true }, { "equal", "a", 0, 2, { 4 }, false } },
	  FIELDS(FL_PREEMPT_NEVER, FL_PREEMPT_LOWER_PRIORITY, "", 0) },
	{ "its own quota comes back from who borrows it",
	  { { "root", NULL, FL_COHORT, 1, { { 0, NO, NO } } },
	    { "a", "root", FL_CLUSTER_QUEUE, 1, { { 4, NO, NO } } },
	    { "z", "root", FL_CLUSTER_QUEUE, 1, { { 0, NO, NO } } } },
	  { { "held", "z", 0, 1, { 4 }, true }, { "mine", "a", 0, 2, { 4 }, false } },
	  FIELDS(FL_PREEMPT_ANY, FL_PREEMPT_NEVER, "", 1) },
	{ "a share that is the largest takes from nobody",
	  { { "root", NULL, FL_COHORT, 1, { { 8, NO, NO } } },
	    { "a", "root", FL_CLUSTER_QUEUE, 1, { { 0, NO, NO } } },
	    { "z", "root", FL_CLUSTER_QUEUE, 1, { { 0, NO, NO } } } },
	  { { "mine", "a", 0, 1, { 4 }, true },
	    { "held", "z", 0, 1, { 4 }, true },
	    { "more", "a", 0, 2, { 1 }, false } },
	  FIELDS(FL_PREEMPT_ANY, FL_PREEMPT_NEVER, "", 0) },
};

static struct fl_model *open_row(const struct row *row)
{
	uint32_t nodes = 0, jobs = 0;
	struct fl_model *m;
	fairlead_error err;

	while (nodes < MOST && row->nodes[nodes].name)
		nodes++;
	while (jobs < MOST && row->jobs[jobs].name)
		jobs++;
	m = world_open(&fl_mem_heap, row->nodes, nodes, 1);
	for (uint32_t n = 0; n < nodes; n++) {
		m->nodes[n].reclaim = row->reclaim;
		m->nodes[n].within_queue = row->within;
	}
	m->settings = (struct fl_settings){ .present = true,
					    .fair_sharing = true,
					    .strategies = { FL_FINAL_SHARE, FL_INITIAL_SHARE },
					    .n_strategies = 2 };
	for (uint32_t i = 0; i < jobs; i++)
		world_add_job(m, &row->jobs[i], 1);
	assert_int_equal(fl_model_seal(m, &err), 0);
	return m;
}

TEST(as_a_full_step)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		const unsigned flags[] = { FL_STEP_FULL, 0 };
		struct fl_model *m = open_row(&rows[i]);
		uint64_t digest[2][2];

		for (int k = 0; k < 2; k++) {
			struct fl_policy *p = world_policy(&fl_mem_heap, m, 100 * FL_SECOND);
			struct fl_decisions d;
			char admitted[64] = "";

			assert_int_equal(ops->step(p, 100 * FL_SECOND, flags[k], NULL, &d, NULL),
					 0);
			for (uint32_t n = 0; n < d.n; n++)
				if (d.rows[n].kind == FL_ADMIT)
					(void)snprintf(
						admitted + strlen(admitted),
						sizeof admitted - strlen(admitted), "%s ",
						fl_model_text(
							m,
							m->workloads[d.rows[n].workload.v].name));
			if (strcmp(admitted, rows[i].admitted) != 0)
				fail_msg("'%s': admitted %s, not %s", rows[i].name, admitted,
					 rows[i].admitted);
			if (k == 1 && p->scratch->n_entries != rows[i].n_entries)
				fail_msg("'%s': %u entries, not %u", rows[i].name,
					 (unsigned)p->scratch->n_entries,
					 (unsigned)rows[i].n_entries);
			assert_true(k == 1 || p->scratch->n_entries == d.n_heads);
			ops->digest(p, 100 * FL_SECOND, digest[k]);
			ops->free(p);
		}
		assert_memory_equal(digest[0], digest[1], sizeof digest[0]);
		fl_model_free(m);
	}
}

UNIT_GROUP("heads")
