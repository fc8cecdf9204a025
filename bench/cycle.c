/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cycle - how long one full scheduling cycle takes, and what it costs
 *
 * For each case of each file a JSON line.  The state is fresh for every cycle:
 * marked, stepped with everything looked at, rolled back.  The first cycle warms
 * the arenas up and is not counted.  README.md says how to read the figures.
 *
 * --cycles N FILE   N cycles and no figures: what `instructions` runs under
 *                   cachegrind
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/conformance/case.h"
#include "codec/object/kube.h"
#include "codec/text/reader.h"
#include "decide/policy.h"
#include "facts.h"
#include "measure.h"

enum { RUNS = 20 };

static const struct fl_policy_ops *const ops = &fl_borrow_policy;

struct state {
	struct counter counter;
	struct fl_mem mem;
	struct fl_model *m;
	struct fl_policy *p;
	double parse_ms, seal_ms;
};

static void close_state(struct state *s)
{
	if (s->p)
		ops->free(s->p);
	fl_model_free(s->m);
}

/* From the text of the objects to a policy ready to step. */
static int open_state(struct state *s, const struct case_row *c, const char *list, size_t len,
		      fairlead_error *err)
{
	*s = (struct state){ .mem = { .resize = count_resize } };
	s->mem.user = &s->counter;
	struct fl_policy_options options = { .mem = &s->mem, .now = c->now };
	double start = now_ms();
	int rc = case_model(c, &s->mem, list, len, &s->m, err);

	if (rc < 0)
		return rc;
	double parsed = now_ms();
	rc = fl_model_seal(s->m, err);
	if (rc == 0)
		rc = ops->new (s->m, &options, &s->p, err);
	s->parse_ms = parsed - start;
	s->seal_ms = now_ms() - parsed;
	return rc;
}

/* One cycle from the fresh state; @facts NULL: not wanted. */
static int one_cycle(struct state *s, fl_time now, struct facts *facts, double *ret_ms,
		     fairlead_error *err)
{
	struct fl_decisions d;
	fl_mark mark;
	int rc = ops->mark(s->p, &mark, err);

	if (rc < 0)
		return rc;
	double start = now_ms();

	rc = ops->step(s->p, now, FL_STEP_FULL, NULL, &d, err);
	*ret_ms = now_ms() - start;
	if (rc == 0 && facts)
		facts_of_decisions(facts, s->m, &d);
	ops->rollback(s->p, mark);
	return rc;
}

struct figures {
	double median_ms, least_ms;
	unsigned long allocations;
	size_t admitted, preempted;
	const char *agrees; /* a JSON value; null when the case expects nothing */
};

/* RUNS warm cycles, the last of which is looked at for allocations. */
static int time_cycles(struct state *s, fl_time now, struct figures *f, fairlead_error *err)
{
	double ms[RUNS];

	for (int i = 0; i < RUNS; i++) {
		unsigned long calls = s->counter.calls;
		int rc = one_cycle(s, now, /* facts= */ NULL, &ms[i], err);

		if (rc < 0)
			return rc;
		f->allocations = s->counter.calls - calls;
	}
	f->median_ms = median(ms, RUNS);
	f->least_ms = ms[0];
	return 0;
}

/* The outcome of the first cycle against the recorded one. */
static int judge(struct state *s, const struct case_row *c, struct figures *f, fairlead_error *err)
{
	struct facts got = { .text = NULL }, expected = { .text = NULL };
	double ms;
	int rc = one_cycle(s, c->now, &got, &ms, err);

	for (size_t i = 0; rc == 0 && i < got.n; i++) {
		/* "admitted NAME" alone is the admission; with more words, a flavor of it */
		if (strncmp(got.text[i], "preempted ", 10) == 0)
			f->preempted++;
		else if (!strchr(got.text[i] + strlen("admitted "), ' '))
			f->admitted++;
	}
	f->agrees = "null";
	if (rc == 0 && c->expected.text) {
		rc = facts_of_expected(&expected, c->expected.text, c->expected.len, err);
		f->agrees = facts_equal(&got, &expected) ? "true" : "false";
	}
	facts_free(&got);
	facts_free(&expected);
	return rc;
}

/* Where the value that starts at the reader's next token ends; its first column in *ret_start. */
static int pass_value(struct fl_reader *r, struct fl_token *t, uint32_t *ret_start,
		      fairlead_error *err)
{
	unsigned depth = 0;
	uint32_t start = 0;

	do {
		int rc = fl_reader_next(r, t, err);

		if (rc < 0)
			return rc;
		start = start ? start : t->column;
		depth += t->kind == FL_TOKEN_MAP || t->kind == FL_TOKEN_LIST;
		depth -= t->kind == FL_TOKEN_MAP_END || t->kind == FL_TOKEN_LIST_END;
	} while (depth && depth != UINT32_MAX);
	*ret_start = start;
	return 0;
}

/*
 * Copy of the case's objects without its Workloads, so that what nodes and what
 * workloads take can be told apart.  NULL when the text cannot be read.
 */
static char *without_workloads(const struct case_row *c, fairlead_error *err)
{
	static const char mark[] = "\"kind\":\"Workload\"", spaced[] = "\"kind\": \"Workload\"";
	char *out = malloc(c->objects.len + 3);
	struct fl_reader *r;
	struct fl_token t;
	size_t n = 0;
	uint32_t start;

	if (!out || fl_reader_new(&fl_mem_heap, c->objects.text, c->objects.len, &r, err) < 0) {
		free(out);
		return NULL;
	}
	int rc = fl_reader_next(r, &t, err); /* DOCUMENT */

	if (rc == 0)
		rc = fl_reader_next(r, &t, err); /* LIST */
	out[n++] = '[';
	while (rc == 0 && (rc = pass_value(r, &t, &start, err)) == 0 &&
	       t.kind == FL_TOKEN_MAP_END) {
		const char *object = c->objects.text + start - 1;
		size_t len = t.column - start + 1;

		if (memmem(object, len, mark, sizeof mark - 1) ||
		    memmem(object, len, spaced, sizeof spaced - 1))
			continue;
		if (n > 1)
			out[n++] = ',';
		memcpy(out + n, object, len);
		n += len;
	}
	out[n++] = ']';
	out[n] = '\0';
	fl_reader_free(r);
	if (rc < 0) {
		free(out);
		return NULL;
	}
	return out;
}

/* Bytes that model and policy hold for this case without its workloads. */
static int node_bytes(const struct case_row *c, size_t *ret, fairlead_error *err)
{
	struct case_row bare = *c;
	struct state s = { .m = NULL };
	char *objects = without_workloads(c, err), *list;
	size_t len;
	double ms;

	if (!objects)
		return FAIRLEAD_EINPUT;
	bare.objects = (struct case_text){ objects, strlen(objects) };
	list = case_list(&bare, &bare.objects, &len);
	int rc = open_state(&s, &bare, list, len, err);

	if (rc == 0)
		rc = one_cycle(&s, c->now, /* facts= */ NULL, &ms, err);
	*ret = s.counter.live;
	close_state(&s);
	free(list);
	free(objects);
	return rc;
}

static void print_figures(const struct case_row *c, const struct state *s, const struct figures *f,
			  size_t len, size_t bare)
{
	uint32_t workloads = s->m->n_workloads, nodes = s->m->n_nodes;

	printf("{\"id\":\"%s\",\"parseMs\":%.3f,\"mbPerS\":%.1f,\"sealMs\":%.3f,\"cycleMs\":%.3f,"
	       "\"cycleMsMin\":%.3f,\"allocations\":%lu,\"bytesPerWorkload\":%.0f,\"bytesPerNode\":%.0f,"
	       "\"admitted\":%zu,\"preempted\":%zu,\"agrees\":%s}\n",
	       c->id, s->parse_ms, (double)len / 1e3 / s->parse_ms, s->seal_ms, f->median_ms,
	       f->least_ms, f->allocations,
	       workloads ? (double)(s->counter.live - bare) / workloads : 0.0,
	       nodes ? (double)bare / nodes : 0.0, f->admitted, f->preempted, f->agrees);
	fflush(stdout);
}

/* Figures of one case; agreement is printed, not judged: see the exit status of main. */
static int bench_case(const struct case_row *c, const char *list, size_t len, bool *agrees,
		      fairlead_error *err)
{
	struct state s = { .m = NULL };
	struct figures f = { .agrees = "null" };
	size_t bare = 0;
	int rc = node_bytes(c, &bare, err);

	if (rc == 0)
		rc = open_state(&s, c, list, len, err);
	if (rc == 0)
		rc = judge(&s, c, &f, err); /* the cold cycle */
	if (rc == 0)
		rc = time_cycles(&s, c->now, &f, err);
	if (rc == 0) {
		print_figures(c, &s, &f, len, bare);
		*agrees = strcmp(f.agrees, "false") != 0;
	}
	close_state(&s);
	return rc;
}

static int plain_cycles(const struct case_row *c, const char *list, size_t len, long cycles,
			fairlead_error *err)
{
	struct state s = { .m = NULL };
	double ms;
	int rc = open_state(&s, c, list, len, err);

	while (rc == 0 && cycles-- > 0)
		rc = one_cycle(&s, c->now, /* facts= */ NULL, &ms, err);
	close_state(&s);
	return rc;
}

/* 0, 1 when a case could not be decided or does not agree, 3 when the file cannot be read. */
static int bench_file(const char *name, long cycles)
{
	struct case_file file;
	struct case_row c;
	fairlead_error err = { .code = 0 };
	int more = case_open(&file, name, &err), status = 0;

	while (more >= 0 && (more = case_next(&file, &err)) > 0) {
		bool agrees = true;
		int rc = case_parse(file.line, file.len, &c, &err);

		if (rc == 0) {
			size_t len;
			char *list = case_list(&c, &c.objects, &len);

			rc = cycles ? plain_cycles(&c, list, len, cycles, &err) :
				      bench_case(&c, list, len, &agrees, &err);
			free(list);
		}
		if (rc < 0)
			case_complain(&file, &err);
		if (rc < 0 || !agrees)
			status = 1;
	}
	if (more < 0) {
		fprintf(stderr, "cycle: %s\n", err.text);
		status = 3;
	}
	case_close(&file);
	return status;
}

int main(int argc, char **argv)
{
	long cycles = 0;
	int first = 1, status = 0;

	if (argc > 2 && strcmp(argv[1], "--cycles") == 0) {
		cycles = strtol(argv[2], NULL, 10);
		first = 3;
	}
	if (first >= argc || (first == 3 && cycles < 1)) {
		fputs("usage: cycle [--cycles N] FILE.jsonl[.gz]...\n", stderr);
		return 2;
	}
	for (int i = first; i < argc; i++) {
		int one = bench_file(argv[i], cycles);

		if (one > status)
			status = one;
	}
	return status;
}
