/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/order.h"

#include <stdlib.h>
#include <string.h>

void fl_live_order_init(struct fl_live_order *o) { *o = (struct fl_live_order){ 0 }; }

void fl_live_order_done(struct fl_live_order *o)
{
	free(o->sorted);
	free(o->by_job);
	free(o->spare);
	fl_live_order_init(o);
}

/* Each of them holds @need. */
static int grow(struct fl_live_order *o, uint32_t need, fairlead_error *err)
{
	struct fl_live_pending **all[] = { &o->sorted, &o->by_job, &o->spare };
	size_t room = need + need / 4 + (size_t)64;

	if (need <= o->room)
		return 0;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct fl_live_pending *rows = realloc(*all[i], room * sizeof *rows);

		if (!rows)
			return fl_fail_nomem(err);
		*all[i] = rows;
	}
	o->room = (uint32_t)room;
	return 0;
}

static bool are_same(const struct fl_live_pending *a, const struct fl_live_pending *b)
{
	return a->node == b->node && a->priority == b->priority && a->submitted == b->submitted;
}

/* What is different: rows that are no more, then rows that are new. */
struct difference {
	struct fl_live_pending *rows;
	uint32_t n, room;
};

static int add(struct difference *d, const struct fl_live_pending *row, fairlead_error *err)
{
	int r = fl_mem_grow(&fl_mem_heap, &d->rows, &d->room, d->n + 1, sizeof *d->rows, err);

	if (r == 0)
		d->rows[d->n++] = *row;
	return r;
}

/* Without a look at the model, which costs more than all else: its queue is the same. */
static struct fl_live_pending again(const struct fl_live_pending *was, const struct fl_live *job)
{
	return (struct fl_live_pending){ was->node, job->priority, job->submitted,
					 job->id,   job->workload, job->queue };
}

/* The pending jobs by number, into `spare`, and what is different from those of before. */
static int walk(struct fl_live_order *o, const struct fl_live_view *v, bool same, uint32_t *ret_n,
		struct difference *gone, struct difference *come, fairlead_error *err)
{
	uint32_t k = 0, n = 0;
	int r = 0;

	for (uint32_t i = 0; i < v->n_jobs && r == 0; i++) {
		if (!fl_live_is_pending(&v->jobs[i]))
			continue;

		const struct fl_live *job = &v->jobs[i];

		for (; r == 0 && k < o->n && o->by_job[k].job < job->id; k++)
			r = add(gone, &o->by_job[k], err);

		const struct fl_live_pending *was =
			same && k < o->n && o->by_job[k].job == job->id ? &o->by_job[k] : NULL;
		const struct fl_live_pending own = was && was->workload.v == job->workload.v &&
								   was->queue.v == job->queue.v ?
							   again(was, job) :
							   fl_live_pending_of(v->model, job);

		o->spare[n++] = own;
		if (r == 0 && k < o->n && o->by_job[k].job == own.job) {
			if (are_same(&o->by_job[k++], &own))
				continue;
			r = add(gone, &o->by_job[k - 1], err);
		}
		if (r == 0)
			r = add(come, &own, err);
	}
	for (; r == 0 && k < o->n; k++)
		r = add(gone, &o->by_job[k], err);
	*ret_n = n;
	return r;
}

/* `sorted` without @gone and with @come, both sorted, into `by_job`, which is not needed any more. */
static void merge(struct fl_live_order *o, const struct difference *gone,
		  const struct difference *come)
{
	struct fl_live_pending *to = o->by_job;
	uint32_t g = 0, c = 0;

	for (uint32_t i = 0; i < o->n; i++) {
		const struct fl_live_pending *row = &o->sorted[i];

		if (g < gone->n && fl_live_pending_cmp(row, &gone->rows[g]) == 0) {
			g++;
			continue;
		}
		for (; c < come->n && fl_live_pending_cmp(&come->rows[c], row) < 0; c++)
			*to++ = come->rows[c];
		*to++ = *row;
	}
	for (; c < come->n; c++)
		*to++ = come->rows[c];
}

static void sort(struct fl_live_pending *rows, uint32_t n)
{
	if (n > 1)
		qsort(rows, n, sizeof *rows, fl_live_pending_cmp);
}

/* Are the numbers and symbols of its rows those of the view? */
static bool is_of(const struct fl_live_order *o, const struct fl_live_view *v)
{
	return o->generation == v->of.generation->number && o->names == v->of.jobs->names_number;
}

static int refresh(struct fl_live_order *o, const struct fl_live_view *v, fairlead_error *err)
{
	struct difference gone = { 0 }, come = { 0 };
	uint32_t n = 0;
	int r;

	bool same = is_of(o, v);

	if (!same)
		o->n = 0;
	o->generation = 0; /* until it is whole */
	r = grow(o, v->n_jobs > o->n ? v->n_jobs : o->n, err);
	if (r == 0)
		r = walk(o, v, same, &n, &gone, &come, err);
	if (r == 0) {
		struct fl_live_pending *merged = o->by_job, *by_job = o->spare;

		sort(gone.rows, gone.n);
		sort(come.rows, come.n);
		merge(o, &gone, &come);
		o->spare = o->sorted;
		o->sorted = merged;
		o->by_job = by_job;
		o->n = n;
		o->generation = v->of.generation->number;
		o->names = v->of.jobs->names_number;
	}
	fl_mem_free(&fl_mem_heap, gone.rows);
	fl_mem_free(&fl_mem_heap, come.rows);
	return r;
}

int fl_live_order_get(struct fl_live_order *o, const struct fl_live_view *v, uint64_t version,
		      const struct fl_live_pending **ret, uint32_t *ret_n, fairlead_error *err)
{
	if (!is_of(o, v) || o->version != version) {
		int r = refresh(o, v, err);

		if (r < 0)
			return r;
		o->version = version;
	}
	*ret = o->sorted;
	*ret_n = o->n;
	return 0;
}

uint32_t fl_live_order_before(const struct fl_live_pending *sorted, uint32_t n,
			      const struct fl_live_pending *own)
{
	uint32_t low = 0, high = n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (fl_live_pending_cmp(&sorted[middle], own) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
