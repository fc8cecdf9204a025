/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay - what fairlead decides on recorded cases
 *
 * For each line of each file one line {"id":...,"got":{"cycles":[...]}} in the
 * form of the case's `expected`, which is not looked at; {"id":...,"error":...}
 * for a case that cannot be read.  `run` compares the two.
 *
 * {"steps":...} or {"penalty":...} stands for the cycles in cases of arithmetic alone;
 * cases of entitlement, a function a suite (kai.h), and those of jobs (jobs_case.h) have their own forms.
 *
 * Between cycles the world does what ask/common/settle.h says: whoever is being evicted
 * lets go of its quota, the clock moves by the interval, nobody finishes.
 *
 * A case with `early` and `late` (run --joined) has a model of the early objects, and the workloads among
 * the late ones join it one by one after sealing; {"id":...,"joined":N,"got":...} says how many did.
 * One that cannot join takes a new model with all objects, as anywhere.
 *
 * With --reload the policy is saved and loaded, or adopted by another one, before each step, which
 * must change nothing.
 *
 * Exit: 0, 1 when a case could not be decided, 2 usage, 3 a file cannot be read.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/common/settle.h"
#include "base/sort.h"
#include "case.h"
#include "decay_case.h"
#include "decide/borrow/borrow.h"
#include "decide/entitle/entitle.h"
#include "jobs_case.h"
#include "kai.h"
#include "kai_read.h"
#include "lib/reload.h"
#include "model/join_from.h"

static const struct fl_policy_ops *ops = &fl_borrow_policy;
const struct fl_policy_ops *kai_ops = &fl_entitle_policy;
static bool reloading;

static struct fl_policy *inner(struct fl_policy *p) { return reloading ? reload_inner(p) : p; }

struct fl_policy *kai_policy(struct fl_policy *p) { return inner(p); }

struct run {
	const struct case_row *c;
	const struct fl_model *m;
	struct fl_policy *p;
	FILE *out;
	uint32_t *nodes; /* in name order */
	long keep;       /* length of `out` up to the last cycle that decided something */
};

static void put_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		unsigned char b = (unsigned char)*text;

		if (b == '"' || b == '\\')
			fprintf(out, "\\%c", b);
		else if (b < 0x20)
			fprintf(out, "\\u%04x", b);
		else
			fputc(b, out);
	}
	fputc('"', out);
}

static void put_sym(const struct run *r, const char *key, struct fl_sym sym)
{
	fprintf(r->out, "\"%s\":", key);
	put_text(r->out, fl_model_text(r->m, sym));
}

static void put_workload(const struct run *r, const char *key, struct fl_workload w)
{
	const struct fl_workload_row *row = &r->m->workloads[w.v];

	/* Names of objects hold nothing that JSON would escape. */
	fprintf(r->out, "\"%s\":\"%s/", key, fl_model_text(r->m, row->namespace));
	fprintf(r->out, "%s\"", fl_model_text(r->m, row->name));
}

static void put_queue(const struct run *r, struct fl_node n)
{
	if (n.v == FL_NONE)
		return;
	fputc(',', r->out);
	put_sym(r, "clusterQueue", r->m->nodes[n.v].name);
}

static void put_heads(const struct run *r, const struct fl_decisions *d)
{
	fputs("\"heads\":[", r->out);
	for (uint32_t i = 0; i < d->n_heads; i++) {
		fputs(i ? ",{" : "{", r->out);
		put_workload(r, "workload", d->heads[i]);
		put_queue(r, r->m->workloads[d->heads[i].v].cluster_queue);
		fputc('}', r->out);
	}
	fputc(']', r->out);
}

/* The flavors of podset @podset; a podset that requests nothing has none. */
static void put_podset(const struct run *r, const struct fl_podset *row, uint32_t podset,
		       const struct fl_placement *p, uint32_t n)
{
	int32_t count = row->count;
	const char *comma = "";

	for (uint32_t i = 0; i < n; i++)
		if (p[i].podset == podset)
			count = p[i].count;
	fputc('{', r->out);
	put_sym(r, "name", row->name);
	fprintf(r->out, ",\"count\":%d,\"flavors\":{", count);
	for (uint32_t i = 0; i < n; i++) {
		if (p[i].podset != podset || p[i].resource.v == FL_NONE)
			continue;
		fputs(comma, r->out);
		comma = ",";
		put_text(r->out, fl_model_text(r->m, r->m->resources[p[i].resource.v]));
		fputc(':', r->out);
		put_text(r->out, fl_model_text(r->m, r->m->flavors[p[i].flavor.v].name));
	}
	fputs("}}", r->out);
}

static void put_admitted(const struct run *r, const struct fl_decisions *d,
			 const struct fl_decision *row)
{
	struct fl_span podsets = r->m->workloads[row->workload.v].podsets;

	fputc('{', r->out);
	put_workload(r, "workload", row->workload);
	put_queue(r, row->cluster_queue);
	fputs(",\"podSets\":[", r->out);
	for (uint32_t i = 0; i < podsets.n; i++) {
		fputs(i ? "," : "", r->out);
		put_podset(r, &r->m->podsets[podsets.first + i], i,
			   d->placements + row->placement.first, row->placement.n);
	}
	fputs("]}", r->out);
}

static void put_preempted(const struct run *r, const struct fl_decision *row)
{
	fputc('{', r->out);
	put_workload(r, "workload", row->workload);
	put_queue(r, row->cluster_queue);
	fputc(',', r->out);
	put_workload(r, "preemptor", row->preemptor);
	fprintf(r->out, ",\"reason\":\"%s\"}", fl_reason_name(row->reason));
}

static void put_pending(const struct run *r, const struct fl_decision *row)
{
	fputc('{', r->out);
	put_workload(r, "workload", row->workload);
	fprintf(r->out, ",\"reason\":\"%s\"}", fl_reason_name(row->reason));
}

static bool is_admitted(const struct fl_decision *d) { return d->kind == FL_ADMIT; }
static bool is_new_eviction(const struct fl_decision *d)
{
	return d->kind == FL_EVICT && !d->already_evicting;
}
static bool is_waiting(const struct fl_decision *d)
{
	return d->kind == FL_WAIT || d->kind == FL_RESERVE;
}

static void put_list(const struct run *r, const struct fl_decisions *d, const char *name,
		     bool (*in)(const struct fl_decision *))
{
	const char *comma = "";

	fprintf(r->out, ",\"%s\":[", name);
	for (uint32_t i = 0; i < d->n; i++) {
		const struct fl_decision *row = &d->rows[i];

		if (!in(row))
			continue;
		fputs(comma, r->out);
		comma = ",";
		if (in == is_admitted)
			put_admitted(r, d, row);
		else if (in == is_new_eviction)
			put_preempted(r, row);
		else
			put_pending(r, row);
	}
	fputc(']', r->out);
}

static void put_share(const struct run *r, struct fl_node n)
{
	struct fl_share share;

	ops->share(r->p, n, &share);
	put_text(r->out, fl_model_text(r->m, r->m->nodes[n.v].name));
	if (isinf(share.precise))
		fputs(":{\"weightedShare\":\"inf\",\"precise\":\"inf\"}", r->out);
	else
		fprintf(r->out, ":{\"weightedShare\":\"%.0f\",\"precise\":\"%.17g\"}",
			ceil(share.precise), share.precise);
}

static void put_shares_of(const struct run *r, enum fl_node_kind kind)
{
	const char *comma = "";

	for (uint32_t i = 0; i < r->m->n_nodes; i++) {
		struct fl_node n = { r->nodes[i] };

		if (r->m->nodes[n.v].kind != kind || r->m->nodes[n.v].inactive != FL_ACTIVE)
			continue;
		fputs(comma, r->out);
		comma = ",";
		put_share(r, n);
	}
}

static void put_shares(const struct run *r)
{
	fputs(",\"shares\":{\"clusterQueues\":{", r->out);
	put_shares_of(r, FL_CLUSTER_QUEUE);
	fputs("},\"cohorts\":{", r->out);
	put_shares_of(r, FL_COHORT);
	fputs("}}", r->out);
}

static void put_usage_of(const struct run *r, uint32_t lq)
{
	const struct fl_queue_row *row = &r->m->queues[lq];
	double usage = fl_borrow_queue_usage(inner(r->p), (struct fl_queue){ lq });

	fprintf(r->out, "\"%s/", fl_model_text(r->m, row->namespace));
	fprintf(r->out, "%s\":{\"consumed\":{", fl_model_text(r->m, row->name));
	for (uint32_t i = 0; i < r->m->n_resources; i++) {
		fputs(i ? "," : "", r->out);
		put_text(r->out, fl_model_text(r->m, r->m->resources[i]));
		fprintf(r->out, ":\"%.17g\"",
			fl_borrow_consumed(inner(r->p), (struct fl_queue){ lq },
					   (struct fl_resource){ i }));
	}
	if (isinf(usage))
		fputs("},\"usage\":\"+Inf\"}", r->out);
	else
		fprintf(r->out, "},\"usage\":\"%.17g\"}", usage);
}

static void put_usages(const struct run *r)
{
	fputs(",\"localQueueUsage\":{", r->out);
	for (uint32_t lq = 0; lq < r->m->n_queues; lq++) {
		fputs(lq ? "," : "", r->out);
		put_usage_of(r, lq);
	}
	fputc('}', r->out);
}

static int put_cycle(void *user, const struct fl_settle_cycle *cycle, fairlead_error *err)
{
	struct run *r = user;

	(void)err;
	fputs(cycle->number > 1 ? ",{" : "{", r->out);
	put_heads(r, cycle->decisions);
	put_list(r, cycle->decisions, "admitted", is_admitted);
	put_list(r, cycle->decisions, "preempted", is_new_eviction);
	put_list(r, cycle->decisions, "pending", is_waiting);
	if (r->m->settings.fair_sharing)
		put_shares(r);
	if (r->m->settings.admission_fair_sharing)
		put_usages(r);
	fputc('}', r->out);
	/* Trailing cycles that decide nothing are no part of the answer. */
	if (cycle->decided || cycle->number == 1)
		r->keep = ftell(r->out);
	return 0;
}

static int put_cycles(struct run *r, fairlead_error *err)
{
	const struct fl_settle_options options = {
		.mem = &fl_mem_heap,
		.now = r->c->now,
		.interval = r->c->interval,
		.cycles = r->c->max_cycles,
	};
	struct fl_settle_result result;

	return fl_settle(ops, r->p, r->m, &options, put_cycle, r, &result, err);
}

static int by_name(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_model *m = ctx;

	return fl_names_cmp(&m->names, m->nodes[a].name, m->nodes[b].name);
}

static int sorted_nodes(const struct fl_model *m, uint32_t **ret, fairlead_error *err)
{
	uint32_t *ids = calloc(2 * (size_t)m->n_nodes + 1, sizeof *ids);

	if (!ids)
		return fl_fail_nomem(err);
	for (uint32_t i = 0; i < m->n_nodes; i++)
		ids[i] = i;
	fl_sort(ids, m->n_nodes, ids + m->n_nodes, by_name, m);
	*ret = ids;
	return 0;
}

static int model_of(const struct case_row *c, const struct case_text *objects,
		    struct fl_model **ret, fairlead_error *err)
{
	size_t len;
	char *list = case_list(c, objects, &len);
	int rc = case_model(c, &fl_mem_heap, list, len, ret, err);

	free(list);
	return rc;
}

/* What came out of one case. */
struct outcome {
	FILE *out;
	long keep;       /* bytes of it that are the answer */
	uint32_t joined; /* workloads */
};

/* Each workload of @late takes part. 1: one of them needs a new model. */
static int join_all(const struct run *r, const struct fl_model *late, struct fl_model *m,
		    fairlead_error *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < late->n_workloads && rc == 0; i++) {
		struct fl_event come = { .kind = FL_EV_SUBMIT };
		const char *why;

		rc = fl_model_join_from(m, late, (struct fl_workload){ i }, &come.workload, &why,
					err);
		if (rc == 0)
			rc = ops->join(r->p, come.workload, err);
		if (rc == 0 && (rc = ops->apply(r->p, r->c->now, &come, err)) == FAIRLEAD_ESTATE)
			rc = 0; /* it is in no queue: inactive, or finished */
	}
	return rc;
}

/* @late: NULL, or who joins after sealing. */
static int decide(const struct case_row *c, struct fl_model *m, const struct fl_model *late,
		  struct outcome *ret, fairlead_error *err)
{
	struct run r = { .c = c, .m = m, .out = ret->out };
	const struct fl_policy_options options = {
		.mem = &fl_mem_heap,
		.now = c->now,
		.unsampled = true, /* the recorder took no samples between cycles */
	};
	int rc;

	m->spare = late ? late->n_workloads : 0;
	rc = fl_model_seal(m, err);
	if (rc < 0)
		return rc;
	rc = sorted_nodes(m, &r.nodes, err);
	if (rc < 0)
		return rc;
	rc = ops->new (m, &options, &r.p, err);
	if (rc == 0 && late)
		rc = join_all(&r, late, m, err);
	if (rc == 0)
		rc = put_cycles(&r, err);
	if (r.p)
		ops->free(r.p);
	ret->keep = r.keep;
	ret->joined = late ? late->n_workloads : 0;
	free(r.nodes);
	return rc;
}

static int decide_joined(const struct case_row *c, struct outcome *ret, fairlead_error *err)
{
	struct fl_model *m = NULL, *late = NULL;
	int rc = model_of(c, &c->early, &m, err);

	if (rc == 0)
		rc = model_of(c, &c->late, &late, err);
	if (rc == 0)
		rc = decide(c, m, late, ret, err);
	fl_model_free(m);
	fl_model_free(late);
	return rc;
}

static int decide_line(const struct case_row *c, struct outcome *ret, fairlead_error *err)
{
	struct fl_model *m;
	int rc = c->late.text ? decide_joined(c, ret, err) : 1;

	ret->joined = rc == 1 ? 0 : ret->joined;
	if (rc != 1)
		return rc;
	rc = model_of(c, &c->objects, &m, err);
	if (rc == 0) {
		rc = decide(c, m, NULL, ret, err);
		fl_model_free(m);
	}
	return rc;
}

/* Suites of entitlement, and of what is read: each has a form of its own. */
static const struct {
	const char *suite;
	kai_case *decide;
} kai_suites[] = {
	{ "capacity", kai_capacity_case },
	{ "cluster", kai_cluster_case },
	{ "cluster_fragment", kai_cluster_case },
	{ "division", kai_division_case },
	{ "minruntime", kai_minruntime_case },
	{ "order", kai_order_case },
	{ "reclaim", kai_reclaim_case },
	{ "reclaim_saturation", kai_reclaim_case },
	{ "timeaware", kai_timeaware_case },
	{ "timeseries", kai_timeseries_case },
	{ "jobs", jobs_case },
};

static kai_case *kai_suite(const char *suite)
{
	for (size_t i = 0; i < sizeof kai_suites / sizeof *kai_suites; i++)
		if (strcmp(kai_suites[i].suite, suite) == 0)
			return kai_suites[i].decide;
	return NULL;
}

static int kai_line(const struct case_file *f, kai_case *kai, FILE *out, fairlead_error *err)
{
	struct fl_doc d;
	int rc;

	fl_doc_init(&d, &fl_mem_heap);
	rc = kai_read(&d, f->line, f->len, err);
	if (rc == 0)
		rc = kai(&d, out, err);
	fl_doc_done(&d);
	return rc;
}

/* One case to one line of output. */
static int replay_line(const struct case_file *f)
{
	struct case_row c;
	fairlead_error err = { .code = 0 };
	char *text = NULL;
	size_t size = 0;
	int rc = case_parse(f->line, f->len, &c, &err);

	if (rc < 0) {
		case_complain(f, &err);
		return rc;
	}
	struct outcome is = { .out = open_memstream(&text, &size) };

	if (!is.out)
		return FAIRLEAD_ENOMEM;
	kai_case *kai = kai_suite(c.suite);

	if (kai)
		rc = kai_line(f, kai, is.out, &err);
	else if (c.kind[0])
		rc = decay_case(f->line, f->len, is.out, &err);
	else
		rc = decide_line(&c, &is, &err);
	fclose(is.out);
	printf("{\"id\":\"%s\",", c.id);
	if (rc < 0) {
		case_complain(f, &err);
		fputs("\"error\":", stdout);
		put_text(stdout, err.text);
		puts("}");
	} else if (kai || c.kind[0]) {
		printf("\"got\":%s}\n", text);
	} else {
		printf("\"joined\":%u,\"got\":{\"cycles\":[%.*s]}}\n", is.joined, (int)is.keep,
		       text);
	}
	free(text);
	return rc;
}

static int replay_file(const char *name)
{
	struct case_file f;
	fairlead_error err = { .code = 0 };
	int more, status = 0;

	if (case_open(&f, name, &err) < 0) {
		fprintf(stderr, "replay: %s\n", err.text);
		return 3;
	}
	while ((more = case_next(&f, &err)) > 0)
		if (replay_line(&f) < 0)
			status = 1;
	if (more < 0) {
		fprintf(stderr, "replay: %s\n", err.text);
		status = 3;
	}
	case_close(&f);
	return status;
}

int main(int argc, char **argv)
{
	int status = 0, first = 1;

	if (argc > 1 && strcmp(argv[1], "--reload") == 0) {
		reloading = true;
		ops = &reload_borrow;
		kai_ops = &reload_entitle;
		first = 2;
	}
	if (argc < first + 1) {
		fputs("usage: replay [--reload] FILE.jsonl[.gz]...\n", stderr);
		return 2;
	}
	for (int i = first; i < argc; i++) {
		int one = replay_file(argv[i]);

		if (one > status)
			status = one;
	}
	return fflush(stdout) ? 3 : status;
}
