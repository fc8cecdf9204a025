/* SPDX-License-Identifier: Apache-2.0 */
/* Who may not be taken yet. */
#include "decide/entitle/rules/minruntime.h"
#include "entitle_rows.h"

/* A > (AX > (LEFT, RIGHT), LOW), and B > FAR. */
enum { A, B, AX, LEFT, RIGHT, LOW, FAR, QUEUES };

static void tree(struct fl_standing q[QUEUES])
{
	static const uint32_t parents[QUEUES] = { FL_NONE, FL_NONE, A, AX, AX, A, B };

	for (uint32_t i = 0; i < QUEUES; i++)
		q[i] = gpu_queue(parents[i], 0, 0, 0);
	set_depths(q, QUEUES);
}

TEST(who_sets_it)
{
	enum { PREEMPT, RECLAIM_QUEUE, RECLAIM_LCA };
	enum { NOBODY = -1 };
	static const struct {
		const char *name;
		int how;
		uint32_t reclaimer, victim;
		unsigned set; /* which queues set it */
		int want;
	} rows[] = {
		{ "preempt: nobody says", PREEMPT, 0, LEFT, 0, NOBODY },
		{ "preempt: its own", PREEMPT, 0, LEFT, 1 << LEFT | 1 << AX | 1 << A, LEFT },
		{ "preempt: its parent's", PREEMPT, 0, LEFT, 1 << RIGHT | 1 << AX | 1 << A, AX },
		{ "preempt: its root's", PREEMPT, 0, LEFT, 1 << A | 1 << B, A },
		{ "queue: its own", RECLAIM_QUEUE, FAR, LEFT, 1 << LEFT | 1 << A, LEFT },
		{ "queue: its root's", RECLAIM_QUEUE, RIGHT, LEFT, 1 << A | 1 << RIGHT, A },
		{ "lca: another tree, the top only", RECLAIM_LCA, FAR, LEFT,
		  1 << LEFT | 1 << AX | 1 << A, A },
		{ "lca: another tree, the top is silent", RECLAIM_LCA, FAR, LEFT,
		  1 << LEFT | 1 << AX | 1 << B, NOBODY },
		{ "lca: a sibling, its own", RECLAIM_LCA, RIGHT, LEFT, 1 << LEFT | 1 << A, LEFT },
		{ "lca: a sibling, on from there", RECLAIM_LCA, RIGHT, LEFT, 1 << RIGHT | 1 << A,
		  A },
		{ "lca: a cousin, not what is below its side", RECLAIM_LCA, LOW, LEFT,
		  1 << LEFT | 1 << A, A },
		{ "lca: a cousin, its side", RECLAIM_LCA, LOW, LEFT, 1 << LEFT | 1 << AX | 1 << A,
		  AX },
		{ "lca: a cousin, the other way", RECLAIM_LCA, LEFT, LOW, 1 << LOW | 1 << AX, LOW },
		{ "lca: the same leaf", RECLAIM_LCA, LEFT, LEFT, 1 << LEFT | 1 << AX, LEFT },
		{ "lca: the same leaf, on from there", RECLAIM_LCA, LEFT, LEFT, 1 << AX, AX },
		{ "lca: above the reclaimer", RECLAIM_LCA, LEFT, AX, 1 << AX | 1 << LEFT, AX },
		{ "lca: below the reclaimer", RECLAIM_LCA, A, LEFT, 1 << LEFT | 1 << AX, AX },
	};
	struct fl_entitle_settings settings = fl_entitle_settings_default;

	settings.default_preempt_min_run = 100;
	settings.default_reclaim_min_run = 200;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_standing q[QUEUES];
		struct fl_min_run got;
		fl_time want = rows[i].how == PREEMPT ? 100 : 200;

		tree(q);
		for (uint32_t n = 0; n < QUEUES; n++) {
			/* 0 is a value, and the other kind does not matter. */
			q[n].preempt_min_run = rows[i].how == PREEMPT ? FL_TIME_NONE : 50;
			q[n].reclaim_min_run = rows[i].how == PREEMPT ? 50 : FL_TIME_NONE;
			if (rows[i].set >> n & 1)
				*(rows[i].how == PREEMPT ? &q[n].preempt_min_run :
							   &q[n].reclaim_min_run) = n;
		}
		settings.min_run_method = rows[i].how == RECLAIM_QUEUE ? FL_MIN_RUN_QUEUE :
									 FL_MIN_RUN_LCA;
		got = rows[i].how == PREEMPT ?
			      fl_min_run_preempt(q, &settings, NODE(rows[i].victim)) :
			      fl_min_run_reclaim(q, &settings, NODE(rows[i].reclaimer),
						 NODE(rows[i].victim));
		CHECK(got.set_by.v == (uint32_t)rows[i].want, rows[i].name);
		CHECK(got.length == (rows[i].want == NOBODY ? want : rows[i].want), rows[i].name);
	}
}

TEST(protects)
{
	static const struct {
		const char *name;
		fl_time now, started, length;
		bool want;
	} rows[] = {
		{ "no start", 10, FL_TIME_NONE, 100, false },
		{ "just started", 10, 10, 5, true },
		{ "a moment before the end", 14, 10, 5, true },
		{ "at the end", 15, 10, 5, false },
		{ "long after", 1000, 10, 5, false },
		{ "no length", 10, 10, 0, false },
		{ "starts in the future", 9, 10, 1, true },
		{ "in the future, no length", 9, 10, 0, false },
		{ "for ever", 1000, 10, FL_NEVER, true },
		{ "as far apart as can be", FL_NEVER, FL_TIME_NONE + 1, FL_NEVER, false },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK(fl_min_run_protects(rows[i].now, rows[i].started, rows[i].length) ==
			      rows[i].want,
		      rows[i].name);
}

TEST(spares)
{
	static const struct {
		const char *name;
		uint32_t holds;
		int32_t min_tasks;
		uint32_t taken;
		bool want;
	} rows[] = {
		{ "what is above the minimum", 5, 2, 3, true },
		{ "one of the gang", 5, 2, 4, false },
		{ "all", 5, 2, 5, false },
		{ "all, without a minimum", 5, 0, 5, true },
		{ "more than it holds", 1, 0, 2, false },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK(fl_min_run_spares(rows[i].holds, rows[i].min_tasks, rows[i].taken) ==
			      rows[i].want,
		      rows[i].name);
}

UNIT_GROUP("entitle-minruntime")
