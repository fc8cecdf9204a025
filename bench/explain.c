/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain - how long it takes to write down one answer of explain, as JSON and as text
 *
 * explain [--queues N] [--jobs N] [--runs N]
 * explain --json N | --text N
 *                    the answer N times in one form, and no figures: what can be counted
 * explain --show json|text
 *
 * The made-up cluster (cluster.h), twice as much asked for as there is.  Of the first workloads
 * that wait the one whose answer has most to say; what it takes to find that out is not in the
 * figures.  One JSON line; README.md says how to read it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/borrow/explain.h"
#include "cluster.h"
#include "codec/text/quantity.h"
#include "decide/borrow/borrow.h"
#include "measure.h"
#include "report/borrow/explain_report.h"

enum { NOW = 200000, CYCLES = 100, LOOKED_AT = 50, WIDTH = 100 };

struct answer {
	struct fl_model *m;
	struct fl_policy *p;
	struct fl_arena arena;
	struct fl_explain x;
	uint32_t rows; /* that it has to tell of */
};

static void must(int r, const fairlead_error *err)
{
	if (r >= 0)
		return;
	fprintf(stderr, "explain: %s\n", err->text);
	exit(3);
}

static uint32_t rows_of(const struct fl_explain *x)
{
	return x->n_needs + x->n_holders + x->n_ahead + x->n_served + x->n_refusals + x->n_rules +
	       x->n_victims + x->n_changes + x->n_proposals;
}

/* Until nothing moves, or long enough: those who wait then do so for good reasons. */
static void settle(struct fl_policy *p)
{
	struct fl_decisions d = { .moved = true };
	fairlead_error err;

	for (int cycle = 0; cycle < CYCLES && d.moved; cycle++) {
		must(fl_borrow_policy.step(p, NOW * FL_SECOND, 0, NULL, &d, &err), &err);
		for (uint32_t i = 0; i < d.n; i++) {
			struct fl_event event = { .kind = FL_EV_EVICTED,
						  .workload = d.rows[i].workload };

			if (d.rows[i].kind == FL_EVICT)
				must(fl_borrow_policy.apply(p, NOW * FL_SECOND, &event, &err),
				     &err);
		}
	}
}

/* The workload of which there is most to tell, of some that wait. */
static struct fl_workload richest(struct answer *a)
{
	struct fl_workload ret = { FL_NONE };
	uint32_t looked = 0;

	for (uint32_t w = 0; w < a->m->n_workloads && looked < LOOKED_AT; w++) {
		struct fl_workload at = { w };
		fairlead_error err;

		enum fl_workload_state state = fl_borrow_policy.state(a->p, at);

		if (state != FL_STATE_WAITING && state != FL_STATE_INADMISSIBLE)
			continue;
		looked++;
		must(fl_explain(&fl_borrow_policy, a->p, a->m, NOW * FL_SECOND, at,
				/* machine= */ NULL, &a->arena, &a->x, &err),
		     &err);
		if (ret.v == FL_NONE || rows_of(&a->x) > a->rows) {
			a->rows = rows_of(&a->x);
			ret = at;
		}
		fl_arena_reset(&a->arena);
	}
	return ret;
}

static void make_answer(struct answer *a, const struct cluster_size *size)
{
	const struct fl_policy_options options = { .mem = &fl_mem_heap, .now = NOW * FL_SECOND };
	struct cluster cluster;
	struct fl_workload w;
	fairlead_error err;

	*a = (struct answer){ 0 };
	fl_arena_init(&a->arena, &fl_mem_heap);
	must(cluster_make(size, &fl_mem_heap, &cluster, &err), &err);
	a->m = cluster.m;
	must(fl_borrow_policy.new(a->m, &options, &a->p, &err), &err);
	settle(a->p);
	w = richest(a);
	if (w.v == FL_NONE) {
		fprintf(stderr, "explain: nobody waits\n");
		exit(3);
	}
	must(fl_explain(&fl_borrow_policy, a->p, a->m, NOW * FL_SECOND, w, /* machine= */ NULL,
			&a->arena, &a->x, &err),
	     &err);
}

static void answer_done(struct answer *a)
{
	fl_arena_done(&a->arena);
	fl_borrow_policy.free(a->p);
	fl_model_free(a->m);
}

static void render(const struct answer *a, bool json, FILE *out)
{
	const struct fl_report r = { .out = out,
				     .model = a->m,
				     .mem = &fl_mem_heap,
				     .quantity = fl_quantity_format,
				     .width = WIDTH,
				     .fair = true };
	const struct fl_explain_report e = { .x = &a->x,
					     .tree = fl_borrow_tree(a->p),
					     .usage = fl_borrow_usage(a->p),
					     .now = NOW * FL_SECOND };
	fairlead_error err;

	if (json)
		fl_document_json(&r, &fl_explain_document, &e);
	else
		must(fl_explain_text(&r, &e, &err), &err);
}

/* Into memory; its bytes. */
static size_t repeat(const struct answer *a, bool json, long times)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		abort();
	while (times-- > 0) {
		rewind(out);
		render(a, json, out);
	}
	if (fclose(out) != 0)
		abort();
	free(text);
	return len;
}

/* The median of @runs in microseconds. */
static double measure(const struct answer *a, bool json, unsigned runs)
{
	double *us = calloc(runs, sizeof *us), ret;

	if (!us)
		abort();
	for (unsigned i = 0; i < runs; i++) {
		us[i] = now_ns();
		repeat(a, json, 1);
		us[i] = (now_ns() - us[i]) / 1e3;
	}
	ret = median(us, runs);
	free(us);
	return ret;
}

static int usage(void)
{
	fputs("usage: explain [--queues N] [--jobs N] [--runs N]\n"
	      "       explain --json N | --text N | --show json|text\n",
	      stderr);
	return 2;
}

int main(int argc, char **argv)
{
	struct cluster_size size = { .queues = 100, .jobs = 2000, .load = 200 };
	uint32_t runs = 50;
	const char *option = argc == 3 ? argv[1] : "";
	bool shows = strcmp(option, "--show") == 0, json = strcmp(option, "--json") == 0;
	bool counts = json || strcmp(option, "--text") == 0;
	struct answer a;

	for (int i = 1; i < argc && !shows && !counts; i += 2) {
		uint32_t *to = strcmp(argv[i], "--queues") == 0 ? &size.queues :
			       strcmp(argv[i], "--jobs") == 0   ? &size.jobs :
			       strcmp(argv[i], "--runs") == 0   ? &runs :
								  NULL;
		long n = i + 1 < argc ? strtol(argv[i + 1], NULL, 10) : 0;

		if (!to || n < 1 || n > 1000000)
			return usage();
		*to = (uint32_t)n;
	}
	if (size.queues % 10)
		return usage();
	make_answer(&a, &size);
	if (shows) {
		render(&a, strcmp(argv[2], "json") == 0, stdout);
	} else if (counts) {
		repeat(&a, json, strtol(argv[2], NULL, 10));
	} else {
		printf("{\"id\":\"made-%u-%u\",\"rows\":%u,\"jsonBytes\":%zu,\"textBytes\":%zu,"
		       "\"jsonUs\":%.1f,\"textUs\":%.1f}\n",
		       size.queues, size.jobs, a.rows, repeat(&a, true, 1), repeat(&a, false, 1),
		       measure(&a, true, runs), measure(&a, false, runs));
	}
	answer_done(&a);
	return 0;
}
