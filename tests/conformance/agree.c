/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agree - what the real scheduler decided in recorded cases, told as events: does the engine agree?
 *
 *   agree [--window SECONDS] [--allowed N] [--list] FILE.jsonl[.gz]...
 *
 * Of each case each admission and eviction is told to ask/agree/agree.h at the time of its cycle, and
 * that evicted workloads have ended at that of the next.  One line says how many decisions there
 * were on both sides, and how many on both; --list has each difference.  A window is as long as a
 * case unless --window says otherwise: then what the scheduler remembers across windows is missing.
 * Cases that hung on chance where they were recorded are left out.
 *
 * Exit: 0, 1 when more than --allowed decisions differ (0), 2 usage, 3 a file cannot be read.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/agree/agree.h"
#include "base/amount.h"
#include "case.h"
#include "decide/borrow/borrow.h"
#include "fuzz/fuzz.h"

enum { MOST_ROWS = 256 };

static const struct fl_policy_ops *const ops = &fl_borrow_policy;

static struct {
	unsigned long window; /* seconds; 0: as long as a case */
	unsigned long allowed;
	bool list;
	unsigned long cases, differences;
	struct fl_agree_count admits, evicts;
} run;

struct told {
	const struct case_row *c;
	struct fl_model *m;
	struct fl_policy *p; /* follows what really happened */
	struct fl_agree *a;
};

/* --- one event --- */

static void tell(struct told *t, fl_time now, const struct fl_event *e)
{
	fairlead_error err = { 0 };

	if (ops->apply(t->p, now, e, &err) < 0 || fl_agree_hear(t->a, now, e, &err) < 0) {
		(void)fprintf(stderr, "agree: %s: %s: %s\n", t->c->id, err.subject, err.text);
		exit(1);
	}
}

static struct fl_workload workload(const struct told *t, const json_t *row)
{
	char name[600], *slash;
	struct fl_workload w;

	(void)snprintf(name, sizeof name, "%s",
		       json_string_value(json_object_get(row, "workload")));
	slash = strchr(name, '/');
	ENSURE(slash);
	*slash = '\0';
	w = fl_model_find_workload(t->m, name, slash + 1);
	ENSURE(w.v != FL_NONE);
	return w;
}

static struct fl_flavor flavor(const struct fl_model *m, const char *name)
{
	uint32_t f = 0;

	while (f < m->n_flavors && strcmp(fl_model_text(m, m->flavors[f].name), name) != 0)
		f++;
	ENSURE(f < m->n_flavors);
	return (struct fl_flavor){ f };
}

/* What @count pods of the podset ask for; `pods` is the number of pods. */
static fl_amount amount(const struct fl_model *m, const struct fl_podset *set, struct fl_resource r,
			int32_t count)
{
	for (uint32_t i = 0; i < set->requests.n; i++) {
		const struct fl_request *row = &m->requests[set->requests.first + i];

		if (row->resource.v == r.v)
			return fl_sat_mul(row->amount, count);
	}
	return count;
}

static uint32_t placement(const struct told *t, struct fl_workload w, const json_t *row,
			  struct fl_placement rows[MOST_ROWS])
{
	struct fl_span podsets = t->m->workloads[w.v].podsets;
	const json_t *set, *value;
	const char *key;
	uint32_t n = 0;
	size_t i;

	json_array_foreach(json_object_get(row, "podSets"), i, set)
	{
		int32_t count = (int32_t)json_integer_value(json_object_get(set, "count"));
		json_t *flavors = json_object_get(set, "flavors");

		ENSURE(i < podsets.n);
		json_object_foreach(flavors, key, value)
		{
			struct fl_resource r = fl_model_find_resource(t->m, key);

			ENSURE(n < MOST_ROWS);
			rows[n++] = (struct fl_placement){
				.podset = (uint32_t)i,
				.count = count,
				.resource = r,
				.flavor = flavor(t->m, json_string_value(value)),
				.amount = amount(t->m, &t->m->podsets[podsets.first + i], r, count)
			};
		}
	}
	return n;
}

/* --- cycles --- */

static enum fl_reason reason(const char *name)
{
	int r = 0;

	while (r < FL_REASONS && strcmp(fl_reason_name((enum fl_reason)r), name) != 0)
		r++;
	ENSURE(r < FL_REASONS);
	return (enum fl_reason)r;
}

static void tell_cycle(struct told *t, fl_time now, const json_t *cycle)
{
	struct fl_placement rows[MOST_ROWS];
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(cycle, "admitted"), i, row)
	{
		struct fl_workload w = workload(t, row);
		struct fl_event e = { .kind = FL_EV_HOLDS,
				      .workload = w,
				      .machine = { FL_NONE },
				      .holding = { t->m->workloads[w.v].cluster_queue, rows,
						   placement(t, w, row, rows) },
				      .since = now };

		tell(t, now, &e);
	}
	json_array_foreach(json_object_get(cycle, "preempted"), i, row)
	{
		const char *why = json_string_value(json_object_get(row, "reason"));
		struct fl_event e = { .kind = FL_EV_GOES,
				      .workload = workload(t, row),
				      .machine = { FL_NONE },
				      .since = now,
				      .reason = reason(why) };

		tell(t, now, &e);
	}
}

static void complete(struct told *t, fl_time now)
{
	for (uint32_t w = 0; w < t->m->n_workloads; w++) {
		struct fl_event e = { .kind = FL_EV_EVICTED,
				      .workload = { w },
				      .machine = { FL_NONE } };

		if (ops->state(t->p, e.workload) == FL_STATE_EVICTING)
			tell(t, now, &e);
	}
}

static void tell_all(struct told *t)
{
	json_t *expected = json_loadb(t->c->expected.text, t->c->expected.len, 0, NULL);
	const json_t *cycle;
	size_t i;

	ENSURE(expected);
	json_array_foreach(json_object_get(expected, "cycles"), i, cycle)
	{
		fl_time now = t->c->now + (fl_time)i * t->c->interval;

		if (i > 0)
			complete(t, now);
		tell_cycle(t, now, cycle);
	}
	json_decref(expected);
}

/* --- what came out --- */

static void add(struct fl_agree_count *sum, const struct fl_agree_count *n)
{
	sum->real += n->real;
	sum->real_too += n->real_too;
	sum->engine += n->engine;
	sum->engine_too += n->engine_too;
}

static void say_difference(const struct told *t, const struct fl_agree_difference *d)
{
	printf("%s: %+.0f s: %s %s (%s): real %s, engine %s", t->c->id,
	       (double)(d->at - t->c->now) / FL_SECOND, fl_agree_kind_name(d->kind), d->workload,
	       fl_agree_side_name(d->side), fl_reason_name(d->real), fl_reason_name(d->engine));
	if (d->compared)
		printf("; %s at %s: %s", fl_check_name(d->by.check), d->by.node,
		       d->by.holds ? "holds" : "does not hold");
	if (d->later != FL_TIME_NONE)
		printf("; really %.0f s later", (double)(d->later - d->at) / FL_SECOND);
	puts("");
}

static void sum_up(const struct told *t)
{
	struct fl_agree_counts c;
	const struct fl_agree_difference *d;
	uint32_t i = 0;

	fl_agree_counted(t->a, FL_TIME_NONE, FL_NEVER, &c);
	ENSURE(c.unjudged == 0);
	for (int r = 0; r < FL_REASONS; r++) {
		add(&run.admits, &c.of[FL_AGREE_ADMIT][r]);
		add(&run.evicts, &c.of[FL_AGREE_EVICT][r]);
	}
	while ((d = fl_agree_next(t->a, FL_TIME_NONE, FL_NEVER, &i))) {
		run.differences++;
		if (run.list)
			say_difference(t, d);
	}
	run.cases++;
}

static int tell_case(const struct case_file *f)
{
	const struct fl_policy_options options = { .mem = &fl_mem_heap };
	struct case_row c;
	struct told t = { .c = &c };
	fairlead_error err = { 0 };
	char *list = NULL;
	size_t len;
	int r = case_parse(f->line, f->len, &c, &err);

	if (r == 0) {
		struct fl_agree_options o = { .mem = &fl_mem_heap,
					      .ops = ops,
					      .window = (fl_time)run.window * FL_SECOND,
					      .interval = c.interval,
					      .unsampled = true };
		struct fl_policy_options made = options;

		made.now = c.now;
		made.unsampled = true;
		if (!run.window)
			o.window = c.interval * (fl_time)c.max_cycles;
		list = case_list(&c, &c.objects, &len);
		if ((r = case_model(&c, &fl_mem_heap, list, len, &t.m, &err)) == 0 &&
		    (r = fl_model_seal(t.m, &err)) == 0 &&
		    (r = ops->new (t.m, &made, &t.p, &err)) == 0 &&
		    (r = fl_agree_new(&o, t.m, c.now, t.p, &t.a, &err)) == 0) {
			tell_all(&t);
			r = fl_agree_end(t.a, c.now + c.interval * (fl_time)(c.max_cycles - 1),
					 &err);
		}
	}
	if (r == 0)
		sum_up(&t);
	else
		case_complain(f, &err);
	fl_agree_free(t.a);
	ops->free(t.p);
	if (t.m)
		fl_model_free(t.m);
	free(list);
	return r;
}

static int tell_file(const char *name)
{
	struct case_file f;
	fairlead_error err = { 0 };
	int more, r = 0;

	if (case_open(&f, name, &err) < 0) {
		(void)fprintf(stderr, "agree: %s\n", err.text);
		return 3;
	}
	while (r == 0 && (more = case_next(&f, &err)) > 0)
		if (!strstr(f.line, "\"unexplained\""))
			r = tell_case(&f) < 0;
	case_close(&f);
	return r;
}

static void say(const char *what, const struct fl_agree_count *n)
{
	printf("%s: %llu real, %llu of them of the engine, too; %llu of the engine, %llu of them "
	       "real\n",
	       what, (unsigned long long)n->real, (unsigned long long)n->real_too,
	       (unsigned long long)n->engine, (unsigned long long)n->engine_too);
}

int main(int argc, char **argv)
{
	int i = 1, r = 0;

	for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++)
		if (strcmp(argv[i], "--list") == 0)
			run.list = true;
		else if (strcmp(argv[i], "--window") == 0 && i + 1 < argc)
			run.window = strtoul(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--allowed") == 0 && i + 1 < argc)
			run.allowed = strtoul(argv[++i], NULL, 10);
		else
			break;
	if (i >= argc) {
		(void)fputs("usage: agree [--window SECONDS] [--allowed N] [--list] FILE...\n",
			    stderr);
		return 2;
	}
	for (; i < argc && r == 0; i++)
		r = tell_file(argv[i]);
	printf("%lu cases, %lu differences\n", run.cases, run.differences);
	say("admissions", &run.admits);
	say("preemptions", &run.evicts);
	return r ? r : run.differences > run.allowed || run.admits.real == 0;
}
