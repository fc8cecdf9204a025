/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "report/tune/tune_report.h"

#define MINUTE (60 * FL_SECOND)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

const char *fl_tune_what(const struct fl_tune_report *t, char buffer[64])
{
	if (t->cluster <= 0)
		snprintf(buffer, 64, t->part < 1 ? "%.4g of the cluster" : "the whole cluster",
			 t->part);
	else
		snprintf(buffer, 64, "%.6g of %.6g GPUs", t->gpus, t->cluster);
	return buffer;
}

const char *fl_tune_time(fl_time time, char buffer[32])
{
	if (time == FL_NEVER)
		snprintf(buffer, 32, "never");
	else
		fl_report_age(time, buffer);
	return buffer;
}

const char *fl_tune_percent(double part, char buffer[32])
{
	double percent = 100 * part;

	if (percent != 0 && fabs(percent) < 0.001)
		snprintf(buffer, 32, "0.00 %%");
	else
		snprintf(buffer, 32, "%.3g %%", percent);
	return buffer;
}

/* At most as many ticks as fit, at times that people count in. */
static void time_ticks(struct fl_tune_axes *a)
{
	static const fl_time steps[] = { MINUTE,   5 * MINUTE, 15 * MINUTE, HOUR,     2 * HOUR,
					 3 * HOUR, 6 * HOUR,   12 * HOUR,   DAY,      2 * DAY,
					 5 * DAY,  7 * DAY,    14 * DAY,    30 * DAY, 90 * DAY };
	fl_time step = a->end / (FL_TUNE_TICKS - 4) + 1;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i] >= step) {
			step = steps[i];
			break;
		}
	for (fl_time at = 0; at <= a->end && a->n_ticks < FL_TUNE_TICKS; at += step)
		a->ticks[a->n_ticks++] = at;
}

static void choose_lines(const struct fl_tune_report *t, struct fl_tune_axes *a)
{
	for (uint32_t i = 0; i < t->n_weights; i++)
		if (t->n_weights <= FL_TUNE_LINES || i == 0 || i == t->own || i == t->n_weights - 1)
			a->lines[a->n_lines++] = i;
}

void fl_tune_axes(const struct fl_tune_report *t, struct fl_tune_axes *ret)
{
	const struct fl_tune *p = &t->tune;
	fl_time forgotten = p->window;
	double top = 1;

	*ret = (struct fl_tune_axes){ .used = t->drawn };
	/* After five half-lives 3 % are left; twice the use is enough to see where it goes. */
	if (p->half_life > 0 && p->half_life < p->window / 5)
		forgotten = 5 * p->half_life;
	if (__builtin_add_overflow(t->drawn, forgotten, &ret->end))
		ret->end = FL_NEVER / 2;
	choose_lines(t, ret);
	for (uint32_t i = 0; i < ret->n_lines; i++)
		for (int s = 0; s <= 100; s++)
			top = fmax(top, fl_tune_curve(t, ret, ret->lines[i], ret->end / 100 * s));
	ret->top = top <= 1 ? 1 : ceil(top * 2 - 1e-9) / 2;
	time_ticks(ret);
}

double fl_tune_curve(const struct fl_tune_report *t, const struct fl_tune_axes *a, uint32_t weight,
		     fl_time at)
{
	double part = t->weights[weight].part;
	fl_time used = at < a->used ? at : a->used;
	double usage = fl_tune_usage(&t->tune, t->part, used, at - used);

	return fl_tune_portion(t->tune.k, part, usage, t->others) / part;
}
