/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/tune_notes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "cli/verbs/tune_question.h"

static void FL_PRINTF(3, 4)
	note(struct fl_tune_question *q, const char *code, const char *format, ...)
{
	struct fl_tune_report *r = &q->report;
	va_list args;

	if (r->n_notes == FL_TUNE_MAX_NOTES)
		return;
	va_start(args, format);
	vsnprintf(q->texts[r->n_notes], FL_TUNE_NOTE, format, args);
	va_end(args);
	q->notes[r->n_notes] = (struct fl_tune_note){ code, q->texts[r->n_notes] };
	r->n_notes++;
}

/* What has no effect, and why. */
static void note_inert(struct fl_tune_question *q)
{
	const struct fl_tune_report *r = &q->report;
	const struct fl_tune *t = &r->tune;
	char window[32], other[32];

	if (q->given_k < 0)
		note(q, "k-below-zero", "k %.4g is taken as 0, as in the real program", q->given_k);
	if (t->k <= 0)
		note(q, "k-zero",
		     "with k 0 usage has no effect: half-life and window are inert, and shares are "
		     "those of plain division");
	if (r->n_weights == 1 && r->weights[0].count == 1)
		note(q, "one-queue", "one queue alone gets everything: all of this is inert");
	fl_tune_time(t->window, window);
	if (t->half_life > 0 && t->half_life / 10 > t->window)
		note(q, "half-life-inert",
		     "the half-life of %s is nearly inert: in a window of %s the oldest usage still "
		     "counts %.0f %%",
		     fl_tune_time(t->half_life, other), window,
		     100 * exp2(-(double)t->window / (double)t->half_life));
	if (t->half_life > 0 && t->half_life < t->window / 20)
		note(q, "window-inert",
		     "the window of %s is inert: after 20 half-lives a millionth is left", window);
	if (t->window < q->fetch_interval)
		note(q, "window-below-fetch",
		     "the window of %s is shorter than the %s between two looks at usage: most of "
		     "it is never seen",
		     window, fl_tune_time(q->fetch_interval, other));
	if (q->multiplier > 1 && q->deepest <= 1)
		note(q, "multiplier-inert",
		     "the reclaimer's multiplier of %.4g is inert: it only matters below a parent "
		     "that is over its fair share, and all queues are at the top",
		     q->multiplier);
}

void fl_tune_notes(struct fl_tune_question *q)
{
	const struct fl_tune_report *r = &q->report;
	uint32_t queues = 0, keeps = FL_NONE;

	note_inert(q);
	if (q->window_kind != FL_WINDOW_SLIDING)
		note(q, "window-kind",
		     "%s windows do not work in the real program: its query fails and all usage is "
		     "0; what is said here is for a sliding window of that length",
		     q->window_kind == FL_WINDOW_CRON ? "cron" : "tumbling");
	if (q->nested)
		note(q, "part-of-cluster",
		     "usage is a part of the whole cluster, also for queues below a parent, whose "
		     "weights are parts of what the parent has: they are not penalised before they "
		     "use more than that of the cluster");
	for (uint32_t i = 0; i < r->n_weights; i++) {
		queues += r->weights[i].count;
		if (r->tune.k > 0 && r->tune.k < fl_tune_least_k(&r->tune, r->weights[i].part) &&
		    r->weights[i].part < 1 && keeps == FL_NONE)
			keeps = i;
	}
	if (keeps != FL_NONE)
		note(q, "never-yields",
		     "a queue of weight %.4g%s that holds everything keeps some portion whatever it "
		     "used: a queue that needs the whole cluster never gets it, below k %.4g",
		     r->weights[keeps].weight, keeps + 1 < r->n_weights ? " or more" : "",
		     fl_tune_least_k(&r->tune, r->weights[keeps].part));
	if (queues > 2 && r->tune.k > 0)
		note(q, "three-queues",
		     "of three or more queues with jobs that need the whole cluster none yields in "
		     "the real program before its job ends, whatever k is: those that wait share "
		     "what is free");
}
