/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/invariants.h"

#include <string.h>

#include "decide/borrow/backlog/backlog.h"
#include "decide/borrow/state/state.h"
#include "fuzz/fuzz.h"

__extension__ typedef __int128 wide; /* sums that cannot overflow */

/* What a workload uses is what it is placed on, column by column. */
static void check_uses(const struct fl_policy *p, uint32_t w)
{
	const struct fl_job *j = &p->jobs[w];
	uint32_t n = 0;
	const struct fl_placement *placed = fl_borrow_policy.placement(p, (struct fl_workload){ w },
								       &n);

	for (uint32_t u = 0; u < j->n_use; u++) {
		const struct fl_use *use = &fl_uses(p, j)[u];
		fl_amount sum = 0;

		for (uint32_t i = 0; i < n; i++)
			if (placed[i].resource.v != FL_NONE && placed[i].flavor.v != FL_NONE &&
			    fl_tree_column(&p->tree, j->held_by, placed[i].flavor,
					   placed[i].resource)
					    .v == use->column.v)
				sum = fl_sat_add(sum, placed[i].amount);
		ENSURE(sum == use->amount && sum >= 0);
	}
}

static void check_lists(const struct fl_policy *p, const struct fl_model *m)
{
	uint32_t holders = 0, listed = 0;

	for (uint32_t w = 0; w < m->n_workloads; w++) {
		const struct fl_job *j = &p->jobs[w];
		bool holds = fl_holds_quota(j);
		bool queued = j->state == FL_STATE_WAITING;

		ENSURE(holds == (j->state == FL_STATE_ADMITTED || j->state == FL_STATE_EVICTING));
		if (holds) {
			const struct fl_backlog *line = &p->backlogs[j->held_by.v];

			ENSURE(p->holder_at[w] < line->n_holders);
			ENSURE(p->holders[line->holders.first + p->holder_at[w]] == w);
			if (p->tree.root_index[j->held_by.v] != FL_NONE)
				check_uses(p, w);
			holders++;
		}
		if (j->queue.v == FL_NONE)
			continue;
		const struct fl_backlog *line = &p->backlogs[j->queue.v];

		const struct fl_span alike = p->eq_classes[j->eq_class].members;

		ENSURE(j->eq_class_place < alike.n);
		ENSURE(fl_bitset_has(&p->with_class, alike.first + j->eq_class_place) ==
		       (queued && !j->loose));
		ENSURE(fl_bitset_has(&line->loose, j->position) == (queued && j->loose));
		ENSURE(fl_bitset_has(&line->parked, j->position) ==
		       (j->state == FL_STATE_INADMISSIBLE));
	}
	for (uint32_t n = 0; n < m->n_nodes; n++)
		listed += p->backlogs[n].n_holders;
	ENSURE(holders == listed);
}

/* Each queue's head, and whether it has one, found by looking at everybody. */
static void check_heads(const struct fl_policy *p)
{
	for (uint32_t i = 0; i < p->tree.n_order; i++) {
		struct fl_node q = { p->tree.order[i] };
		const struct fl_backlog *line = &p->backlogs[q.v];
		uint32_t head = FL_NONE, asleep = 0;

		for (uint32_t at = line->members.n; at-- > 0;) {
			uint32_t w = p->members[line->members.first + at];
			enum fl_workload_state state = fl_backlog_state(p,
									(struct fl_workload){ w });

			ENSURE(p->jobs[w].position == at);
			head = state == FL_STATE_WAITING ? w : head;
			asleep += state == FL_STATE_INADMISSIBLE;
		}
		ENSURE(fl_bitset_has(&p->ready, i) == (line->active && head != FL_NONE));
		ENSURE(!asleep || fl_bitset_has(&p->asleep, i));
		if (line->sticky != FL_NONE &&
		    fl_backlog_state(p, (struct fl_workload){ line->sticky }) == FL_STATE_WAITING)
			head = line->sticky;
		ENSURE(p->model->nodes[q.v].usage_based || fl_backlog_head(p, q).v == head);
	}
}

/* Usage of one column, of a whole tree, children before parents. */
static void check_usage(const struct fl_policy *p, const struct fl_tree_root *root, uint32_t c,
			wide *sum)
{
	const struct fl_tree *t = &p->tree;

	for (uint32_t i = root->order.n; i-- > 0;) {
		uint32_t n = t->order[root->order.first + i];
		size_t at = t->row[n] + c;
		const struct fl_backlog *line = &p->backlogs[n];

		for (uint32_t k = 0; k < line->n_holders; k++) {
			const struct fl_job *j = &p->jobs[p->holders[line->holders.first + k]];

			for (uint32_t u = 0; u < j->n_use; u++)
				if (fl_uses(p, j)[u].column.v == c)
					sum[n] += fl_uses(p, j)[u].amount;
		}
		ENSURE(sum[n] == p->usage.cell[at]);
		if (t->parent[n] != FL_NONE && sum[n] > t->local[at])
			sum[t->parent[n]] += sum[n] - t->local[at];
	}
}

static void check_borrowed(const struct fl_policy *p, const struct fl_tree_root *root)
{
	const struct fl_tree *t = &p->tree;

	for (uint32_t i = 0; i < root->order.n; i++) {
		uint32_t n = t->order[root->order.first + i], borrowing = 0;

		for (uint32_t r = 0; r < root->n_resources; r++) {
			uint64_t borrowed = 0;

			for (uint32_t c = 0; c < root->n_columns; c++) {
				size_t at = t->row[n] + c;

				if (root->columns[c].res != r || !t->known[at] ||
				    p->usage.cell[at] <= t->subtree[at])
					continue;
				borrowed += (uint64_t)fl_sat_sub(p->usage.cell[at], t->subtree[at]);
				borrowing++;
			}
			ENSURE((uint64_t)p->usage.borrowed[t->res_row[n] + r] == borrowed);
		}
		ENSURE(p->usage.borrowing[n] == borrowing);
	}
}

void invariants_hold(const struct fl_policy *p, const struct fl_model *m)
{
	wide *sum = calloc(m->n_nodes + 1, sizeof *sum);

	ENSURE(sum);
	check_lists(p, m);
	check_heads(p);
	for (uint32_t r = 0; r < p->tree.n_roots; r++) {
		const struct fl_tree_root *root = &p->tree.roots[r];

		for (uint32_t c = 0; c < root->n_columns; c++) {
			memset(sum, 0, (m->n_nodes + 1) * sizeof *sum);
			check_usage(p, root, c, sum);
		}
		check_borrowed(p, root);
	}
	free(sum);
}
