/* SPDX-License-Identifier: Apache-2.0 */
/*
 * divide - how long one division of a tree of queues takes, and what it costs
 *
 * For each case of each file a JSON line.  Grouping and sorting happen once, before;
 * rolling requests up is not in the figure.  README.md says how to read the figures.
 *
 * --leaves N [K]     a made-up tree of N leaves in place of files; history counts K; and a
 *                    second line: the division of which one leaf's request has changed
 * --repeat N FILE, --changes N
 *                    N divisions, N changes of a made-up tree, and no figures: what can be counted
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "../tests/conformance/kai_read.h"
#include "decide/share/divide.h"
#include "decide/share/redivide.h"
#include "measure.h"

enum { RUNS = 20, CHANGES = 10000, COUNTED_LEAVES = 1000 };

struct problem {
	char id[128];
	uint32_t n, leaves; /* made up: the last so many */
	struct fl_divide_queue *queues;
	struct fl_bundle total, *request, *usage;
	struct fl_bundle *expected; /* NULL: not known */
	double k;
};

static void problem_alloc(struct problem *p, uint32_t n)
{
	p->n = n;
	p->queues = kai_alloc(n, sizeof *p->queues);
	p->request = kai_alloc(n, sizeof *p->request);
	p->usage = kai_alloc(n, sizeof *p->usage);
}

static void problem_free(struct problem *p)
{
	free(p->queues);
	free(p->request);
	free(p->usage);
	free(p->expected);
}

/* --- cases ----------------------------------------------------------------------------------- */

static int read_expected(const struct fl_doc *d, const struct kai_queues *queues, struct problem *p,
			 fairlead_error *err)
{
	uint32_t map = fl_doc_find(d, fl_doc_find(d, 0, "expected"), "fairShare");
	int rc = 0;

	if (map == FL_NONE)
		return 0;
	p->expected = kai_alloc(p->n, sizeof *p->expected);
	for (uint32_t v = map + 1; rc == 0 && v < d->values[map].next; v = d->values[v].next) {
		const char *name = fl_doc_text(d, v);
		uint32_t q = kai_queue_find(queues, name);

		if (q == FL_NONE)
			return fl_fail(err, FAIRLEAD_EINPUT, "no queue '%s'", name);
		rc = kai_amounts(d, v + 1, &p->expected[q], err);
	}
	return rc;
}

static int read_problem(const struct fl_doc *d, struct problem *p, fairlead_error *err)
{
	struct kai_queues queues;
	int rc;

	snprintf(p->id, sizeof p->id, "%s", kai_text(d, 0, "id"));
	if ((rc = kai_bundle(d, 0, "total", &p->total, err)) < 0 ||
	    (rc = kai_number(d, 0, "k", &p->k, err)) < 0 ||
	    (rc = kai_queues_read(d, &queues, err)) < 0)
		return rc;
	problem_alloc(p, queues.n);
	for (uint32_t i = 0; i < p->n; i++) {
		p->queues[i] = kai_divide_row(&queues.rows[i]);
		p->request[i] = queues.rows[i].request;
		p->usage[i] = queues.rows[i].usage;
	}
	rc = read_expected(d, &queues, p, err);
	kai_queues_free(&queues);
	return rc;
}

/* --- made-up trees --------------------------------------------------------------------------- */

enum { LEAVES = 20, MIDDLES = 25 }; /* of a parent */

/* From 0 to @below - 1, the same on every machine. */
static uint32_t draw(uint64_t *state, uint32_t below)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((*state >> 33) % below);
}

/* @of leaves' worth of what a leaf has, of resource @r. */
static double amount_of(uint64_t *state, int r, uint32_t of)
{
	static const double unit[FL_BUNDLE] = {
		[FL_CPU] = 8, [FL_MEMORY] = 64e6, [FL_GPU] = 0.001
	};

	return floor(unit[r] * draw(state, 4000) * of);
}

static void make_queue(struct problem *p, uint32_t i, uint32_t parent, uint32_t leaves,
		       uint64_t *state)
{
	static const int32_t priorities[] = { 100, 100, 100, 50, 200 };
	struct fl_divide_queue *q = &p->queues[i];

	*q = (struct fl_divide_queue){ .parent = parent,
				       .rank = i,
				       .priority = priorities[draw(state, 5)] };
	for (int r = 0; r < FL_BUNDLE; r++) {
		q->deserved.of[r] = amount_of(state, r, leaves);
		q->limit.of[r] = draw(state, 8) ? FL_UNBOUNDED : amount_of(state, r, 3 * leaves);
		q->weight.of[r] = 1 + draw(state, 4);
		if (leaves == 1)
			p->request[i].of[r] = amount_of(state, r, 3);
		p->usage[i].of[r] = draw(state, 1000) * 2e-3 * leaves / p->n;
		p->total.of[r] += leaves == 1 ? amount_of(state, r, 2) : 0;
	}
}

static void make_problem(struct problem *p, uint32_t leaves, double k)
{
	uint32_t middles = (leaves + LEAVES - 1) / LEAVES;
	uint32_t tops = (middles + MIDDLES - 1) / MIDDLES;
	uint64_t state = leaves;

	snprintf(p->id, sizeof p->id, "made-%u-k%g", leaves, k);
	p->k = k;
	p->leaves = leaves;
	problem_alloc(p, tops + middles + leaves);
	for (uint32_t i = 0; i < tops; i++)
		make_queue(p, i, FL_NONE, LEAVES * MIDDLES, &state);
	for (uint32_t i = 0; i < middles; i++)
		make_queue(p, tops + i, i / MIDDLES, LEAVES, &state);
	for (uint32_t i = 0; i < leaves; i++)
		make_queue(p, tops + middles + i, tops + i / LEAVES, 1, &state);
}

/* --- figures --------------------------------------------------------------------------------- */

/* How many amounts differ by more than 1e-6 of themselves, and the most by which one does. */
static unsigned long count_different(const struct problem *p, const struct fl_bundle *got,
				     double *ret_most)
{
	unsigned long n = 0;

	*ret_most = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		for (int r = 0; r < FL_BUNDLE; r++) {
			double a = p->expected[i].of[r], b = got[i].of[r], off = fabs(a - b);

			if (off <= 1e-6 * fmax(fabs(a), fabs(b)))
				continue;
			n++;
			*ret_most = fmax(*ret_most, off);
		}
	}
	return n;
}

/*
 * The real program's answer to a large division hangs on the order of a hash map: between
 * its own runs up to 50 amounts of 31,560 differ, each by up to 3 units (README.md).  So
 * as few and as little more than that is no answer to whether ours agrees: null.
 */
static const char *judge(const struct problem *p, unsigned long different, double most)
{
	if (!p->expected)
		return "null";
	if (different == 0)
		return "true";
	return p->k <= 0 && p->n > 1000 && different * 500 <= (unsigned long)p->n * FL_BUNDLE &&
			       most <= 3 ?
		       "null" :
		       "false";
}

/* RUNS divisions after one that warms up. */
static bool bench_problem(const struct problem *p, struct fl_divider *d,
			  const struct counter *counter)
{
	struct fl_bundle *got = kai_alloc(p->n, sizeof *got);
	double ms[RUNS], most = 0;
	unsigned long calls = 0, different;

	for (int i = -1; i < RUNS; i++) {
		calls = counter->calls;
		double start = now_ms();

		fl_divide(d, &p->total, p->k, p->request, p->usage, /* flags= */ 0,
			  /* sink= */ NULL, got);
		if (i >= 0)
			ms[i] = now_ms() - start;
	}
	calls = counter->calls - calls;
	different = p->expected ? count_different(p, got, &most) : 0;

	double middle = median(ms, RUNS);
	const char *agrees = judge(p, different, most);

	printf("{\"id\":\"%s\",\"queues\":%u,\"divideMs\":%.4f,\"divideMsMin\":%.4f,"
	       "\"allocations\":%lu,\"agrees\":%s,\"different\":%lu,\"mostDifferent\":%g}\n",
	       p->id, p->n, middle, ms[0], calls, agrees, different, most);
	fflush(stdout);
	free(got);
	return strcmp(agrees, "false") != 0;
}

static void repeat_problem(const struct problem *p, struct fl_divider *d, long repeat)
{
	struct fl_bundle *got = kai_alloc(p->n, sizeof *got);

	while (repeat-- > 0)
		fl_divide(d, &p->total, p->k, p->request, p->usage, /* flags= */ 0,
			  /* sink= */ NULL, got);
	free(got);
}

/* One leaf requests something else, and it is divided again. */
static struct fl_redivided change_leaf(const struct problem *p, struct fl_redivider *v,
				       struct fl_bundle *own, uint64_t *state, double *ret_ms)
{
	uint32_t leaf = p->n - 1 - draw(state, p->leaves);
	struct fl_redivided again;
	double start;

	for (int r = 0; r < FL_BUNDLE; r++)
		own[leaf].of[r] = amount_of(state, r, 3);
	start = now_ms();
	fl_redivider_request(v, leaf, &own[leaf]);
	again = fl_redivide(v, &p->total, p->k, /* flags= */ 0);
	*ret_ms = now_ms() - start;
	return again;
}

/* CHANGES of what one leaf requests, each divided again; false: in the end it does not agree. */
static bool bench_again(const struct problem *p, struct fl_redivider *v, struct fl_divider *d,
			struct fl_bundle *own, const struct counter *counter)
{
	double *ms = kai_alloc(CHANGES, sizeof *ms), groups = 0;
	struct fl_bundle *got = kai_alloc(p->n, sizeof *got);
	struct fl_redivided again;
	uint64_t state = 1;
	unsigned long calls = counter->calls;

	for (uint32_t i = 0; i < CHANGES; i++) {
		again = change_leaf(p, v, own, &state, &ms[i]);
		groups += again.n_groups;
	}
	calls = counter->calls - calls;
	fl_divide_roll_up(d, own);
	fl_divide(d, &p->total, p->k, own, p->usage, /* flags= */ 0, /* sink= */ NULL, got);

	bool agrees = memcmp(got, again.fair_share, p->n * sizeof *got) == 0;
	double middle = median(ms, CHANGES);

	printf("{\"id\":\"%s-again\",\"queues\":%u,\"againUs\":%.2f,\"againUsP99\":%.2f,"
	       "\"againUsMost\":%.2f,\"groups\":%.1f,\"allocations\":%lu,\"agrees\":%s}\n",
	       p->id, p->n, middle * 1e3, ms[CHANGES / 100 * 99] * 1e3, ms[CHANGES - 1] * 1e3,
	       groups / CHANGES, calls, agrees ? "true" : "false");
	free(ms);
	free(got);
	return agrees;
}

/* @changes and no figures; 0: figures. 0, 1 when it does not agree, or negative. */
static int measure_again(const struct problem *p, long changes, fairlead_error *err)
{
	struct counter counter = { 0 };
	const struct fl_mem mem = { .resize = count_resize, .user = &counter };
	struct fl_bundle *own = kai_alloc(p->n, sizeof *own);
	struct fl_redivider *v = NULL;
	struct fl_divider *d = NULL;
	int rc = fl_divider_new(&mem, p->queues, p->n, &d, err);

	if (rc == 0)
		rc = fl_redivider_new(&mem, p->queues, p->n, &v, err);
	if (rc == 0) {
		for (uint32_t q = 0; q < p->n; q++) {
			own[q] = p->request[q];
			fl_redivider_request(v, q, &own[q]);
			fl_redivider_usage(v, q, &p->usage[q]);
		}
		fl_redivide(v, &p->total, p->k, /* flags= */ 0);
		rc = !changes && !bench_again(p, v, d, own, &counter);
		for (uint64_t state = 1; changes > 0; changes--)
			change_leaf(p, v, own, &state, &(double){ 0 });
	}
	fl_redivider_free(v);
	fl_divider_free(d);
	free(own);
	return rc;
}

/* 0, 1 when it does not agree, or negative. */
static int measure(const struct problem *p, long repeat, fairlead_error *err)
{
	struct counter counter = { 0 };
	const struct fl_mem mem = { .resize = count_resize, .user = &counter };
	struct fl_divider *d;
	int rc = fl_divider_new(&mem, p->queues, p->n, &d, err);

	if (rc < 0)
		return rc;
	fl_divide_roll_up(d, p->request);
	if (repeat)
		repeat_problem(p, d, repeat);
	else
		rc = !bench_problem(p, d, &counter);
	fl_divider_free(d);
	return rc;
}

/* --- files ----------------------------------------------------------------------------------- */

static char *read_file(const char *name, size_t *ret_len)
{
	gzFile gz = gzopen(name, "rb"); /* reads plain files as they are */
	size_t cap = 1 << 20, len = 0;
	char *text = gz ? kai_alloc(cap, 1) : NULL;
	int n = 0;

	while (gz && (n = gzread(gz, text + len, (unsigned)(cap - len))) > 0) {
		len += (size_t)n;
		if (len == cap) {
			char *more = kai_alloc(cap *= 2, 1);

			memcpy(more, text, len);
			free(text);
			text = more;
		}
	}
	if (gz && (gzclose(gz) != Z_OK || n < 0)) {
		free(text);
		return NULL;
	}
	*ret_len = len;
	return text;
}

static int bench_document(struct fl_reader *r, long repeat, fairlead_error *err)
{
	struct problem p = { .n = 0 };
	struct fl_doc d;
	struct fl_token t;
	int rc;

	fl_doc_init(&d, &fl_mem_heap);
	if ((rc = fl_reader_next(r, &t, err)) == 0 && (rc = fl_doc_read(&d, r, &t, err)) == 0)
		rc = read_problem(&d, &p, err);
	fl_doc_done(&d);
	if (rc == 0)
		rc = measure(&p, repeat, err);
	problem_free(&p);
	return rc;
}

/* 0, 1 when a case does not agree, 3 when something cannot be read. */
static int bench_file(const char *name, long repeat)
{
	fairlead_error err = { .code = 0 };
	struct fl_reader *r;
	struct fl_token t;
	size_t len;
	char *text = read_file(name, &len);
	int rc, status = 0;

	if (!text) {
		fprintf(stderr, "divide: cannot read '%s'\n", name);
		return 3;
	}
	rc = fl_reader_new(&fl_mem_heap, text, len, &r, &err);
	if (rc == 0) {
		while ((rc = fl_reader_next(r, &t, &err)) == 0 && t.kind == FL_TOKEN_DOCUMENT &&
		       (rc = bench_document(r, repeat, &err)) >= 0)
			status |= rc;
		fl_reader_free(r);
	}
	free(text);
	if (rc < 0) {
		fprintf(stderr, "divide: %s: %s\n", name, err.text);
		status = 3;
	}
	return status;
}

static int bench_made(uint32_t leaves, double k, long changes)
{
	struct problem p = { .n = 0 };
	fairlead_error err;

	make_problem(&p, leaves, k);
	int rc = measure_again(&p, changes, &err);

	if (rc == 0 && !changes)
		rc = measure(&p, /* repeat= */ 0, &err);

	if (rc < 0)
		fprintf(stderr, "divide: %s\n", err.text);
	problem_free(&p);
	return rc < 0 ? 3 : rc;
}

int main(int argc, char **argv)
{
	const char *option = argc > 2 ? argv[1] : "";
	long number = argc > 2 ? strtol(argv[2], NULL, 10) : 0, repeat = 0;
	int first = 1, status = 0;

	if (strcmp(option, "--leaves") == 0 && number > 0 && number <= 10000000)
		return bench_made((uint32_t)number, argc > 3 ? strtod(argv[3], NULL) : 0, 0);
	if (strcmp(option, "--changes") == 0 && number > 0)
		return bench_made(COUNTED_LEAVES, 0, number);
	if (strcmp(option, "--repeat") == 0) {
		repeat = number;
		first = 3;
	}
	if (first >= argc || (first == 3 && repeat < 1)) {
		fputs("usage: divide [--repeat N] FILE.json[.gz]...\n"
		      "       divide --leaves N [K]\n"
		      "       divide --changes N\n",
		      stderr);
		return 2;
	}
	for (int i = first; i < argc; i++) {
		int one = bench_file(argv[i], repeat);

		if (one > status)
			status = one;
	}
	return status;
}
