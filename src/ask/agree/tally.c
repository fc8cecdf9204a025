/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/agree/tally.h"

#include <math.h>
#include <string.h>

#define HOUR (3600 * FL_SECOND)

int fl_agree_tally_init(struct fl_agree_tally *t, const struct fl_mem *mem, fairlead_error *err)
{
	t->hours = mem->resize(mem->user, NULL, FL_AGREE_HOURS * sizeof *t->hours);
	t->differences = mem->resize(mem->user, NULL,
				     FL_AGREE_DIFFERENCES * sizeof *t->differences);
	if (!t->hours || !t->differences)
		return fl_fail_nomem(err);
	for (int i = 0; i < FL_AGREE_HOURS; i++)
		t->hours[i].begins = FL_TIME_NONE;
	return 0;
}

void fl_agree_tally_done(struct fl_agree_tally *t, const struct fl_mem *mem)
{
	fl_mem_free(mem, t->hours);
	fl_mem_free(mem, t->differences);
}

struct fl_agree_counts *fl_agree_tally_hour(struct fl_agree_tally *t, fl_time at)
{
	int64_t number = at / HOUR - (at % HOUR < 0);
	struct fl_agree_hour *h =
		&t->hours[(number % FL_AGREE_HOURS + FL_AGREE_HOURS) % FL_AGREE_HOURS];

	if (h->begins != number * HOUR)
		*h = (struct fl_agree_hour){ .begins = number * HOUR };
	return &h->counts;
}

struct fl_agree_difference *fl_agree_tally_add(struct fl_agree_tally *t)
{
	struct fl_agree_difference *d = &t->differences[t->n % FL_AGREE_DIFFERENCES];

	*d = (struct fl_agree_difference){ .number = ++t->n, .later = FL_TIME_NONE };
	return d;
}

static uint32_t kept(const struct fl_agree_tally *t)
{
	return t->n < FL_AGREE_DIFFERENCES ? (uint32_t)t->n : FL_AGREE_DIFFERENCES;
}

void fl_agree_tally_kept(struct fl_agree_tally *t, uint64_t window)
{
	for (uint32_t i = 0; i < kept(t); i++)
		if (t->differences[i].window == window)
			t->differences[i].kept = true;
}

void fl_agree_tally_later(struct fl_agree_tally *t, enum fl_agree_kind kind, const char *workload,
			  fl_time at)
{
	for (uint32_t i = 0; i < kept(t); i++) {
		struct fl_agree_difference *d = &t->differences[i];

		if (d->side == FL_AGREE_ENGINE && d->kind == kind && d->later == FL_TIME_NONE &&
		    d->at <= at && strcmp(d->workload, workload) == 0) {
			d->later = at;
			d->cause = FL_AGREE_TIME;
		}
	}
}

/* --- what is asked --- */

static void add(struct fl_agree_count *sum, const struct fl_agree_count *n)
{
	sum->real += n->real;
	sum->real_too += n->real_too;
	sum->engine += n->engine;
	sum->engine_too += n->engine_too;
}

void fl_agree_tally_sum(const struct fl_agree_tally *t, fl_time from, fl_time to,
			struct fl_agree_counts *ret)
{
	*ret = (struct fl_agree_counts){ .windows = 0 };
	for (int i = 0; i < FL_AGREE_HOURS; i++) {
		const struct fl_agree_hour *h = &t->hours[i];

		if (h->begins == FL_TIME_NONE || h->begins + HOUR <= from || h->begins >= to)
			continue;
		for (int k = 0; k < FL_AGREE_KINDS; k++)
			for (int r = 0; r < FL_REASONS; r++)
				add(&ret->of[k][r], &h->counts.of[k][r]);
		ret->windows += h->counts.windows;
		ret->unjudged += h->counts.unjudged;
	}
}

const struct fl_agree_difference *fl_agree_tally_next(const struct fl_agree_tally *t, fl_time from,
						      fl_time to, uint32_t *i)
{
	while (*i < kept(t)) {
		const struct fl_agree_difference *d =
			&t->differences[(t->n - kept(t) + (*i)++) % FL_AGREE_DIFFERENCES];

		if (d->at >= from && d->at < to)
			return d;
	}
	return NULL;
}
