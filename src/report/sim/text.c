/* SPDX-License-Identifier: Apache-2.0 */
/* The report for people: the totals, then the tables (tables.c). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "report/sim/text.h"

enum { SHOWN_CHANGES = 6 };

/* --- numbers as people read them --- */

const char *fl_sim_wait(double seconds, char buffer[32])
{
	if (!isfinite(seconds))
		strcpy(buffer, "-");
	else if (seconds > 0 && seconds < 0.0005)
		strcpy(buffer, "<1ms");
	else if (seconds > 0 && seconds < 0.9995)
		snprintf(buffer, 32, "%.0fms", seconds * 1000);
	else
		fl_report_age(seconds < 9e9 ? (fl_time)(seconds * 1e9) : FL_NEVER, buffer);
	return buffer;
}

const char *fl_sim_count(double n, char buffer[32])
{
	static const char units[] = " kMGTPE";
	bool less = n < 0;
	unsigned unit = 0;

	if (!isfinite(n)) {
		strcpy(buffer, "-");
		return buffer;
	}
	for (n = fabs(n); n >= 9999.5 && unit < sizeof units - 2; unit++)
		n /= 1000;
	snprintf(buffer, 32, "%s%.*f%.*s", less ? "-" : "", unit && n < 99.95 ? 1 : 0, n,
		 unit ? 1 : 0, units + unit);
	return buffer;
}

static bool is_bytes(const struct fl_measured_resource *r) { return strcmp(r->unit, "bytes") == 0; }

/* "core-hours", "GPU-hours" */
static const char *hours_of(const struct fl_measured_resource *r, char buffer[96])
{
	const char *one = *r->unit ? r->unit : r->name;
	int len = (int)strlen(one) - (*r->unit != '\0'); /* units are plural */

	snprintf(buffer, 96, "%.*s-hours", len < 80 ? len : 80, one);
	return buffer;
}

/* Of cores and the like, which may be parts of one; bytes as people count them. */
const char *fl_sim_amount(const struct fl_measured_resource *r, double n, char buffer[32])
{
	static const char *const units[] = { "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei" };
	unsigned unit = 0;

	if (is_bytes(r) && isfinite(n)) {
		for (; fabs(n) >= 1023.5 && unit < 6; unit++)
			n /= 1024;
		snprintf(buffer, 32, "%.*f%s", unit && fabs(n) < 99.95 ? 1 : 0, n, units[unit]);
		return buffer;
	}
	if (!isfinite(n) || n == floor(n) || fabs(n) >= 99.95)
		return fl_sim_count(n, buffer);
	snprintf(buffer, 32, "%.*f", fabs(n) < 9.995 ? 2 : 1, n);
	return buffer;
}

const char *fl_sim_percent(double part, char buffer[32])
{
	if (!isfinite(part))
		strcpy(buffer, "-");
	else
		snprintf(buffer, 32, "%.*f %%", part < 0.0995 && part > 0 ? 1 : 0, 100 * part);
	return buffer;
}

const char *fl_sim_ratio(double ratio, char buffer[32])
{
	if (isfinite(ratio))
		snprintf(buffer, 32, "%.2f", ratio);
	else
		strcpy(buffer, "-");
	return buffer;
}

uint32_t fl_sim_main_resource(const struct fl_measured *d)
{
	uint32_t best = 0;
	double most = -1;

	for (uint32_t r = 0; r < d->n_resources; r++) {
		double used = isfinite(d->utilisation[r]) ? d->utilisation[r] : 0;

		if (used > most) {
			most = used;
			best = r;
		}
	}
	return best;
}

/* --- totals --- */

static void say_how_it_ended(const struct fl_report *r, const struct fl_sim_report *s)
{
	const struct fl_measured *d = s->measured;

	switch (d->ended) {
	case FL_SIM_ALL_DONE:
	case FL_SIM_UNTIL:
		break;
	case FL_SIM_NO_PROGRESS:
		fl_report_say(r, FL_STYLE_WARN, 0,
			      "It ended because no job could start any more: %u wait for ever. "
			      "('fairlead explain' says why a job waits.)",
			      d->totals.waiting);
		break;
	case FL_SIM_GOES_ON:
	case FL_SIM_STOPPED:
		fl_report_say(r, FL_STYLE_WARN, 0,
			      "It was stopped: the report covers the time until then.");
		break;
	}
}

static void say_title(const struct fl_report *r, const struct fl_sim_report *s)
{
	const struct fl_simulation_settings *settings = &s->sim->settings;
	const struct fl_measured *d = s->measured;
	const char *name = fl_model_text(s->sim->model, settings->name);
	char span[32], start[40];

	fl_report_say(r, FL_STYLE_BOLD, 0, "%s%s%s from %s, policy %s, seed %llu", name,
		      *name ? ": " : "", fl_sim_wait(d->seconds, span),
		      fl_time_format(start, d->start), s->sim->ops->name,
		      (unsigned long long)settings->seed);
	say_how_it_ended(r, s);
}

void fl_sim_say_line(const struct fl_report *r, const char *label, const char *words)
{
	enum { LABEL = 12 };
	struct fl_report right = *r;
	char *text = NULL;
	size_t len = 0;

	right.out = open_memstream(&text, &len);
	if (!right.out) { /* no memory: not so well laid out */
		fl_report_say(r, FL_STYLE_PLAIN, 0, "%s %s", label, words);
		return;
	}
	fl_report_paragraph(&right, FL_STYLE_PLAIN, LABEL, words);
	if (fclose(right.out) == 0 && text && len > LABEL)
		fprintf(r->out, "%s%-*s%s%s", fl_style_start(r, FL_STYLE_DIM), LABEL, label,
			fl_style_end(r, FL_STYLE_DIM), text + LABEL);
	free(text);
}

static void say_jobs(const struct fl_report *r, const struct fl_measured *d)
{
	const struct fl_measured_counts *t = &d->totals;
	char words[256], part[64] = "";
	int n = snprintf(words, sizeof words, "%u arrived, %u finished", t->jobs, t->finished);

	if (t->running)
		n += snprintf(words + n, sizeof words - (size_t)n, ", %u run", t->running);
	if (t->waiting)
		n += snprintf(words + n, sizeof words - (size_t)n, ", %u wait", t->waiting);
	if (t->gave_up)
		n += snprintf(words + n, sizeof words - (size_t)n, ", %u gave up", t->gave_up);
	if (d->excluded)
		snprintf(part, sizeof part, "; %u take no part", d->excluded);
	snprintf(words + n, sizeof words - (size_t)n, "%s", part);
	fl_sim_say_line(r, "jobs", words);
}

static void say_waits(const struct fl_report *r, const struct fl_measured *d)
{
	const struct fl_spread *w = &d->totals.wait;
	char words[320], text[6][32];
	int n;

	if (!w->n) {
		fl_sim_say_line(r, "waiting", "no job started");
		return;
	}
	n = snprintf(words, sizeof words, "p50 %s, p90 %s, p99 %s, longest %s, mean %s",
		     fl_sim_wait(w->p50, text[0]), fl_sim_wait(w->p90, text[1]),
		     fl_sim_wait(w->p99, text[2]), fl_sim_wait(w->max, text[3]),
		     fl_sim_wait(w->mean, text[4]));
	if (isfinite(d->totals.longest_waiting))
		snprintf(words + n, sizeof words - (size_t)n,
			 "; the longest of a job that never started %s",
			 fl_sim_wait(d->totals.longest_waiting, text[5]));
	fl_sim_say_line(r, "waiting", words);
	if (d->recorded_wait.n) {
		snprintf(words, sizeof words, "in the source: p50 %s, p90 %s, longest %s, mean %s",
			 fl_sim_wait(d->recorded_wait.p50, text[0]),
			 fl_sim_wait(d->recorded_wait.p90, text[1]),
			 fl_sim_wait(d->recorded_wait.max, text[2]),
			 fl_sim_wait(d->recorded_wait.mean, text[3]));
		fl_sim_say_line(r, "", words);
	}
}

static void say_use(const struct fl_report *r, const struct fl_measured *d)
{
	char words[1024], unit[96], text[2][32];
	size_t n = 0;

	for (uint32_t i = 0; i < d->n_resources && n < sizeof words - 256; i++) {
		const struct fl_measured_resource *row = &d->resources[i];

		if (!(d->totals.hours[i] > 0))
			continue;
		n += (size_t)snprintf(words + n, sizeof words - n, "%s%.64s ", n ? "; " : "",
				      row->name);
		if (isfinite(d->utilisation[i]))
			n += (size_t)snprintf(words + n, sizeof words - n, "%s of %s%s%s",
					      fl_sim_percent(d->utilisation[i], text[0]),
					      fl_sim_amount(row, row->capacity, text[1]),
					      *row->unit && !is_bytes(row) ? " " : "",
					      is_bytes(row) ? "" : row->unit);
		else
			n += (size_t)snprintf(words + n, sizeof words - n, "%s %s",
					      fl_sim_amount(row, d->totals.hours[i], text[0]),
					      hours_of(row, unit));
		if (isfinite(d->arrival_utilisation[i]))
			n += (size_t)snprintf(words + n, sizeof words - n,
					      ", %s until the last arrival",
					      fl_sim_percent(d->arrival_utilisation[i], text[0]));
	}
	fl_sim_say_line(r, "use", n ? words : "nothing was held");
}

static void say_loss(const struct fl_report *r, const struct fl_measured *d, uint32_t main)
{
	const struct fl_measured_counts *t = &d->totals;
	const struct fl_measured_resource *row = &d->resources[main];
	char words[320], unit[96], text[3][32];
	int n;

	if (!t->evictions) {
		fl_sim_say_line(r, "evictions", "none");
		return;
	}
	n = snprintf(words, sizeof words, "%u; %s %s of work were lost", t->evictions,
		     fl_sim_amount(row, t->lost[main], text[0]), hours_of(row, unit));
	if (t->lost[main] <= t->hours[main])
		n += snprintf(words + n, sizeof words - (size_t)n, " (%s of what was held)",
			      fl_sim_percent(t->lost[main] / t->hours[main], text[1]));
	else /* of those that ran already */
		n += snprintf(words + n, sizeof words - (size_t)n,
			      ", most of it done before the beginning");
	if (t->restarted[main] > 0)
		snprintf(words + n, sizeof words - (size_t)n, ", %s were spent on restarts",
			 fl_sim_amount(row, t->restarted[main], text[2]));
	fl_sim_say_line(r, "evictions", words);
}

static void say_fairness(const struct fl_report *r, const struct fl_measured *d)
{
	const struct fl_measured_fairness *f = &d->fairness;
	char words[320], text[6][32];
	int n;

	n = snprintf(words, sizeof words, "Jain's index %s, largest envy %s",
		     fl_sim_ratio(f->jain, text[0]), fl_sim_ratio(f->largest_envy, text[1]));
	if (isfinite(f->blocked_mean))
		snprintf(words + n, sizeof words - (size_t)n,
			 "; queues with waiting jobs held %s of their entitlement, the worst %s",
			 fl_sim_ratio(f->blocked_mean, text[2]),
			 fl_sim_ratio(f->blocked_least, text[3]));
	fl_sim_say_line(r, "fairness", words);
	if (!f->corrections.n && !f->open)
		return;
	n = snprintf(words, sizeof words,
		     "a queue with waiting jobs was below its entitlement %u time%s",
		     f->corrections.n + f->open, f->corrections.n + f->open == 1 ? "" : "s");
	if (f->corrections.n)
		n += snprintf(words + n, sizeof words - (size_t)n, ": p50 %s, longest %s",
			      fl_sim_wait(f->corrections.p50, text[4]),
			      fl_sim_wait(f->corrections.max, text[5]));
	if (f->open)
		snprintf(words + n, sizeof words - (size_t)n,
			 "; %u of them not over at the end, longest %s", f->open,
			 fl_sim_wait(f->longest_open, text[0]));
	fl_sim_say_line(r, "", words);
}

static void say_changes(const struct fl_report *r, const struct fl_sim_report *s)
{
	const struct fl_measured *d = s->measured;
	uint32_t shown = r->all || d->n_notes <= SHOWN_CHANGES ? d->n_notes : SHOWN_CHANGES;
	char text[FL_SIM_CHANGE], at[32], words[FL_SIM_CHANGE + 64];

	for (uint32_t i = 0; i < shown; i++) {
		const struct fl_measured_note *n = &d->notes[i];

		snprintf(words, sizeof words, "after %s: %s%s", fl_report_age(n->at - d->start, at),
			 fl_sim_change_text(s->sim->model, n, text),
			 n->event.kind == FL_SIM_FAILED ? " (failed)" :
			 n->event.kind == FL_SIM_BACK   ? " (back)" :
							  "");
		fl_sim_say_line(r, i ? "" : "changed", words);
	}
	if (d->n_notes + d->notes_dropped > shown) {
		snprintf(words, sizeof words, "and %u more", d->n_notes + d->notes_dropped - shown);
		fl_sim_say_line(r, "", words);
	}
}

int fl_sim_text(const struct fl_report *r, const struct fl_sim_report *s, fairlead_error *err)
{
	const struct fl_measured *d = s->measured;
	uint32_t main = fl_sim_main_resource(d);
	int rc;

	say_title(r, s);
	say_jobs(r, d);
	say_waits(r, d);
	if (d->n_resources) {
		say_use(r, d);
		say_loss(r, d, main);
		fl_sim_say_loops(r, s->sim);
		say_fairness(r, d);
	}
	say_changes(r, s);
	if (!d->totals.jobs)
		return 0;
	rc = fl_sim_queue_table(r, s, main, err);
	if (rc == 0)
		rc = fl_sim_class_table(r, s, err);
	if (rc == 0 && d->n_resources)
		rc = fl_sim_flow_table(r, s, main, err);
	if (rc == 0) {
		putc('\n', r->out);
		fl_report_assumptions(r);
	}
	return rc;
}
