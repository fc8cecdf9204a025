/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operation sequences on the policy: the input's bytes choose a small world, then
 * events, cycles, trials, marks, rollbacks and questions one after another.
 *
 * After each: what is kept adds up (invariants.h).  A rollback gives back every
 * byte of usage and quota, every workload's state and the digest; so does an
 * operation that fails for want of memory, and then it is done as if nothing had
 * been.  A trial and a question change nothing.
 */
#include <string.h>

#include "ask/explain.h"
#include "ask/settle.h"
#include "codec/kube.h"
#include "fuzz/choices.h"
#include "fuzz/invariants.h"
#include "lib/fail_mem.h"

enum { QUEUES = 4, COHORTS = 4, FLAVORS = 2, JOBS = 12, DEPTH = 5, MOST_OPERATIONS = 200 };

static const struct fl_policy_ops *const ops = &fl_borrow_policy;

/* --- the world, as one JSON list --- */

#define KUEUE "kueue.x-k8s.io/v1beta2"

static void say_configuration(struct text *t, struct choices *c)
{
	say_object(t, "config.kueue.x-k8s.io/v1beta2", "Configuration", "");
	if (choose(c, 3))
		say(t, ",\"fairSharing\":{\"preemptionStrategies\":[%s]}",
		    ONE_OF(c, "\"LessThanOrEqualToFinalShare\",\"LessThanInitialShare\"",
			   "\"LessThanOrEqualToFinalShare\"", "\"LessThanInitialShare\""));
	if (choose(c, 2))
		say(t,
		    ",\"admissionFairSharing\":{\"usageHalfLifeTime\":\"%us\","
		    "\"usageSamplingInterval\":\"%us\"}",
		    choose(c, 30), 1 + choose(c, 5));
	say(t, "}");
}

static void say_policy(struct text *t, struct choices *c)
{
	unsigned what = choose(c, 32);

	if (what == 0)
		return;
	say_object(t, "fairlead.dev/v1alpha1", "Policy", "\"name\":\"p\"");
	say(t, ",\"spec\":{\"defaults\":{\"holdFreedQuota\":%s", what & 1 ? "true" : "false");
	if (what & 2)
		say(t, ",\"minimumRunTime\":\"%us\"", choose(c, 60));
	if (what & 4)
		say(t, ",\"preemptionDelay\":\"%us\"", choose(c, 10));
	if (what & 8)
		say(t, ",\"reclaimBackOff\":{\"base\":\"%us\"}", 1 + choose(c, 10));
	if (what & 16)
		say(t, ",\"overrulingPriority\":%u", choose(c, 4));
	say(t, "}}}");
}

static void say_quotas(struct text *t, struct choices *c)
{
	say(t, "\"resourceGroups\":[{\"coveredResources\":[\"a\",\"b\"],\"flavors\":[");
	for (unsigned f = 0; f < FLAVORS; f++) {
		say(t, "%s{\"name\":\"f%u\",\"resources\":[", f ? "," : "", f);
		for (unsigned r = 0; r < 2; r++) {
			unsigned limits = choose(c, 9);

			say(t, "%s{\"name\":\"%c\",\"nominalQuota\":%u", r ? "," : "", 'a' + r,
			    choose(c, 9));
			if (limits % 3)
				say(t, ",\"borrowingLimit\":%u", choose(c, 9));
			if (limits / 3)
				say(t, ",\"lendingLimit\":%u", choose(c, 9));
			say(t, "}");
		}
		say(t, "]}");
	}
	say(t, "]}]");
}

static void say_queue(struct text *t, struct choices *c, unsigned q)
{
	char name[32];
	unsigned cohort = choose(c, COHORTS + 1), weight = choose(c, 4);

	(void)snprintf(name, sizeof name, "\"name\":\"q%u\"", q);
	say_object(t, KUEUE, "ClusterQueue", name);
	say(t,
	    ",\"spec\":{\"namespaceSelector\":{},\"queueingStrategy\":\"%s\",\"preemption\":"
	    "{\"withinClusterQueue\":\"%s\",\"reclaimWithinCohort\":\"%s\",\"borrowWithinCohort\":"
	    "{\"policy\":\"%s\"}},\"flavorFungibility\":{\"whenCanBorrow\":\"%s\","
	    "\"whenCanPreempt\":\"%s\"},\"fairSharing\":{\"weight\":%u},",
	    ONE_OF(c, "BestEffortFIFO", "StrictFIFO"),
	    ONE_OF(c, "Never", "LowerPriority", "LowerOrNewerEqualPriority"),
	    ONE_OF(c, "Any", "LowerPriority", "Never"), ONE_OF(c, "Never", "LowerPriority"),
	    ONE_OF(c, "MayStopSearch", "TryNextFlavor"),
	    ONE_OF(c, "MayStopSearch", "TryNextFlavor"), weight);
	if (cohort)
		say(t, "\"cohortName\":\"c%u\",", cohort - 1);
	if (choose(c, 2))
		say(t,
		    "\"admissionScope\":{\"admissionMode\":\"UsageBasedAdmissionFairSharing\"},");
	say_quotas(t, c);
	say(t, "}}");
	(void)snprintf(name, sizeof name, "\"name\":\"lq%u\",\"namespace\":\"ns\"", q);
	say_object(t, KUEUE, "LocalQueue", name);
	say(t, ",\"spec\":{\"clusterQueue\":\"q%u\"}}", q);
}

static void say_cohort(struct text *t, struct choices *c, unsigned i)
{
	char name[32];
	unsigned parent = choose(c, 4);

	(void)snprintf(name, sizeof name, "\"name\":\"c%u\"", i);
	say_object(t, KUEUE, "Cohort", name);
	say(t, ",\"spec\":{\"fairSharing\":{\"weight\":%u},", choose(c, 4));
	if (parent && i)
		say(t, "\"parentName\":\"c%u\",", choose(c, i));
	say_quotas(t, c);
	say(t, "}}");
}

static void say_job(struct text *t, struct choices *c, unsigned w)
{
	char name[96];
	unsigned podsets = 1 + choose(c, 2), admitted = choose(c, 3);

	(void)snprintf(name, sizeof name,
		       "\"name\":\"w%u\",\"namespace\":\"ns\",\"creationTimestamp\":"
		       "\"2026-01-01T00:00:%02uZ\"",
		       w, choose(c, 30));
	say_object(t, KUEUE, "Workload", name);
	say(t, ",\"spec\":{\"queueName\":\"lq%u\",\"priority\":%u,\"podSets\":[", choose(c, QUEUES),
	    choose(c, 4));
	for (unsigned s = 0; s < podsets; s++) {
		unsigned count = 1 + choose(c, 3);

		say(t, "%s{\"name\":\"s%u\",\"count\":%u", s ? "," : "", s, count);
		if (count > 1 && choose(c, 3) == 0)
			say(t, ",\"minCount\":1");
		say(t,
		    ",\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":"
		    "{\"a\":%u,\"b\":%u}}}]}}}",
		    choose(c, 4), choose(c, 4));
	}
	say(t, "]}");
	if (admitted == 1)
		say(t,
		    ",\"status\":{\"conditions\":[{\"type\":\"QuotaReserved\",\"status\":\"True\"}],"
		    "\"admission\":{\"clusterQueue\":\"q%u\",\"podSetAssignments\":[{\"name\":\"s0\","
		    "\"count\":1,\"flavors\":{\"a\":\"f%u\",\"b\":\"f%u\"},\"resourceUsage\":"
		    "{\"a\":%u,\"b\":%u}}]}}",
		    choose(c, QUEUES), choose(c, FLAVORS), choose(c, FLAVORS), choose(c, 5),
		    choose(c, 5));
	say(t, "}");
}

static void say_world(struct text *t, struct choices *c)
{
	t->n = 0;
	say(t, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
	say_object(t, "v1", "Namespace", "\"name\":\"ns\"");
	say(t, "}");
	say_configuration(t, c);
	say_policy(t, c);
	for (unsigned f = 0; f < FLAVORS; f++) {
		say_object(t, KUEUE, "ResourceFlavor", f ? "\"name\":\"f1\"" : "\"name\":\"f0\"");
		say(t, "}");
	}
	for (unsigned i = 0; i < COHORTS; i++)
		say_cohort(t, c, i);
	for (unsigned q = 0; q < QUEUES; q++)
		say_queue(t, c, q);
	for (unsigned w = 0; w < JOBS; w++)
		say_job(t, c, w);
	say(t, "]}");
}

/* --- all that must come back --- */

struct image {
	fl_mark mark;
	fl_time now;
	uint64_t digest[2];
	struct {
		enum fl_workload_state state;
		enum fl_reason reason;
		uint32_t placed;
	} jobs[JOBS];
	unsigned char bytes[1 << 14];
	size_t n;
};

static void keep_bytes(struct image *i, const void *ptr, size_t size)
{
	ENSURE(size <= sizeof i->bytes - i->n);
	memcpy(i->bytes + i->n, ptr, size);
	i->n += size;
}

static void take_image(const struct fl_policy *p, fl_time now, struct image *i)
{
	const struct fl_tree *t = fl_borrow_tree(p);
	const struct fl_usage *u = fl_borrow_usage(p);

	i->n = 0;
	i->now = now;
	ops->digest(p, now, i->digest);
	for (uint32_t w = 0; w < JOBS; w++) {
		i->jobs[w].state = ops->state(p, (struct fl_workload){ w });
		i->jobs[w].reason = ops->reason(p, (struct fl_workload){ w });
		(void)ops->placement(p, (struct fl_workload){ w }, &i->jobs[w].placed);
	}
	keep_bytes(i, u->cell, t->cells * sizeof *u->cell);
	keep_bytes(i, u->borrowed, t->res_cells * sizeof *u->borrowed);
	keep_bytes(i, u->borrowing, t->n_nodes * sizeof *u->borrowing);
	keep_bytes(i, t->nominal, t->cells * sizeof *t->nominal);
	keep_bytes(i, t->borrowing_limit, t->cells * sizeof *t->borrowing_limit);
	keep_bytes(i, t->lending_limit, t->cells * sizeof *t->lending_limit);
	keep_bytes(i, t->subtree, t->cells * sizeof *t->subtree);
	keep_bytes(i, t->potential, t->cells * sizeof *t->potential);
	keep_bytes(i, t->known, t->cells * sizeof *t->known);
	keep_bytes(i, t->weight, t->n_nodes * sizeof *t->weight);
}

static void same_as(const struct fl_policy *p, const struct image *before)
{
	static struct image after;

	take_image(p, before->now, &after);
	ENSURE(memcmp(after.digest, before->digest, sizeof after.digest) == 0);
	for (uint32_t w = 0; w < JOBS; w++)
		ENSURE(after.jobs[w].state == before->jobs[w].state &&
		       after.jobs[w].reason == before->jobs[w].reason &&
		       after.jobs[w].placed == before->jobs[w].placed);
	ENSURE(after.n == before->n && memcmp(after.bytes, before->bytes, after.n) == 0);
}

/* --- operations --- */

struct run {
	struct choices *c;
	const struct fl_model *m;
	struct fl_policy *p;
	struct fail_mem mem;
	fl_time now;
	uint32_t depth;
	struct image images[DEPTH];
};

static struct fl_event any_event(struct run *r)
{
	static const enum fl_event_kind kinds[] = { FL_EV_SUBMIT,  FL_EV_CANCEL,   FL_EV_STARTED,
						    FL_EV_EVICTED, FL_EV_FINISHED, FL_EV_REJECTED,
						    FL_EV_CELL,    FL_EV_CELL };
	static const enum fl_cell_kind cells[] = { FL_CELL_NOMINAL, FL_CELL_BORROWING_LIMIT,
						   FL_CELL_LENDING_LIMIT, FL_CELL_WEIGHT,
						   FL_CELL_PRIORITY };
	struct fl_event e = { .kind = kinds[choose(r->c, 8)], .workload = { choose(r->c, JOBS) } };

	if (e.kind == FL_EV_CELL) {
		unsigned amount = choose(r->c, 12);

		e.cell = (struct fl_cell){ .kind = cells[choose(r->c, 5)],
					   .node = { choose(r->c, r->m->n_nodes) },
					   .flavor = { choose(r->c, r->m->n_flavors) },
					   .resource = { choose(r->c, r->m->n_resources) },
					   .amount = amount == 11 ? FL_UNLIMITED :
								    (fl_amount)amount,
					   .weight = amount % 4 };
		if (e.cell.kind == FL_CELL_PRIORITY)
			e.cell.amount = amount;
	}
	return e;
}

enum operation { STEP, TRY, EVENT };

struct outcome {
	int code;
	uint32_t n;
	uint64_t hash; /* of the decisions */
};

static struct outcome operate(struct run *r, enum operation what, const struct fl_event *e)
{
	struct outcome o = { 0 };
	struct fl_decisions d = { 0 };
	fairlead_error err = { 0 };

	if (what == STEP)
		o.code = ops->step(r->p, r->now, 0, /* sink= */ NULL, &d, &err);
	else if (what == TRY)
		o.code = ops->try(r->p, r->now, e->workload, /* sink= */ NULL, &d, &err);
	else
		o.code = ops->apply(r->p, r->now, e, &err);
	ENSURE(o.code == 0 || (err.code == o.code && err.text[0]));
	for (uint32_t i = 0; o.code == 0 && i < d.n; i++)
		o.hash = o.hash * 1000003 + (uint64_t)d.rows[i].kind * 64 + d.rows[i].reason * 7 +
			 d.rows[i].workload.v;
	o.n = d.n;
	return o;
}

/* Tried first with an allocation that fails, then in full. */
static void operation(struct run *r, enum operation what)
{
	static struct image before;
	struct fl_event e = any_event(r);
	struct outcome o;

	take_image(r->p, r->now, &before);
	r->mem.fail_at = 1 + choose(r->c, 4);
	o = operate(r, what, &e);
	r->mem.fail_at = 0;
	if (o.code == FAIRLEAD_ENOMEM) {
		same_as(r->p, &before);
		o = operate(r, what, &e);
	}
	ENSURE(o.code == 0 || o.code == FAIRLEAD_ESTATE || o.code == FAIRLEAD_ENOENT ||
	       o.code == FAIRLEAD_ELIMIT);
	if (o.code < 0 || what == TRY)
		same_as(r->p, &before);
}

static void complete_evictions(struct run *r)
{
	for (uint32_t w = 0; w < JOBS; w++) {
		struct fl_event e = { .kind = FL_EV_EVICTED, .workload = { w } };

		if (ops->state(r->p, e.workload) == FL_STATE_EVICTING)
			ENSURE(ops->apply(r->p, r->now, &e, NULL) == 0);
	}
}

static void ask(struct run *r)
{
	static struct image before;
	struct fl_arena arena;
	struct fl_explain x;

	take_image(r->p, r->now, &before);
	fl_arena_init(&arena, &fl_mem_heap);
	ENSURE(fl_explain(ops, r->p, r->m, r->now, (struct fl_workload){ choose(r->c, JOBS) },
			  &arena, &x, NULL) == 0);
	fl_arena_done(&arena);
	same_as(r->p, &before);
}

static int no_more(void *user, const struct fl_settle_cycle *cycle, fairlead_error *err)
{
	(void)user, (void)cycle, (void)err;
	return 0;
}

/* Settled is settled: one cycle more decides nothing. */
static void settle(struct run *r)
{
	struct fl_settle_options o = { .mem = &fl_mem_heap,
				       .now = r->now,
				       .interval = FL_SECOND,
				       .cycles = 20,
				       .to_the_end = true };
	struct fl_settle_result result;

	ENSURE(fl_settle(ops, r->p, r->m, &o, no_more, NULL, &result, NULL) == 0);
	r->now += 20 * FL_SECOND;
	if (result.settled) {
		struct fl_decisions d;

		ENSURE(ops->step(r->p, r->now, 0, /* sink= */ NULL, &d, NULL) == 0);
		for (uint32_t i = 0; i < d.n; i++)
			ENSURE(d.rows[i].kind == FL_WAIT ||
			       (d.rows[i].kind == FL_EVICT && d.rows[i].already_evicting));
	}
}

static void one_operation(struct run *r)
{
	switch (choose(r->c, 16)) {
	case 0:
		if (r->depth == DEPTH)
			break;
		take_image(r->p, r->now, &r->images[r->depth]);
		ENSURE(ops->mark(r->p, &r->images[r->depth++].mark, NULL) == 0);
		break;
	case 1:
		if (!r->depth)
			break;
		r->depth = choose(r->c, r->depth); /* that one, and all newer ones */
		ops->rollback(r->p, r->images[r->depth].mark);
		same_as(r->p, &r->images[r->depth]);
		break;
	case 2:
		if (!r->depth)
			break;
		r->depth = choose(r->c, r->depth);
		ops->keep(r->p, r->images[r->depth].mark);
		break;
	case 3:
		ask(r);
		break;
	case 4:
		settle(r);
		break;
	case 5:
		complete_evictions(r);
		break;
	case 6:
	case 7:
		operation(r, TRY);
		break;
	case 8:
	case 9:
	case 10:
	case 11:
		operation(r, EVENT);
		break;
	default:
		operation(r, STEP);
	}
	r->now += choose(r->c, 8) * FL_SECOND;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct text text;
	struct choices c = { data, data + size };
	struct fl_model *m = NULL;
	fairlead_error err = { 0 };
	static struct run r;

	say_world(&text, &c);
	ENSURE(fl_model_new(&fl_mem_heap, &m, &err) == 0);
	if (fl_kube_read(m, "in", text.bytes, text.n, &err) < 0 || fl_model_seal(m, &err) < 0) {
		(void)fprintf(stderr, "%u:%u %s: %s\n", err.line, err.column, err.subject,
			      err.text);
		abort();
	}
	r = (struct run){ .c = &c, .m = m, .now = m->newest };
	fail_mem_init(&r.mem);
	struct fl_policy_options options = { .mem = &r.mem.mem, .now = r.now };

	ENSURE(m->n_workloads == JOBS && ops->new (m, &options, &r.p, &err) == 0);
	invariants_hold(r.p, m);
	for (unsigned i = 0; c.at < c.end && i < MOST_OPERATIONS; i++) {
		one_operation(&r);
		invariants_hold(r.p, m);
	}
	r.p = ops->free(r.p);
	ENSURE(r.mem.live == 0);
	fl_model_free(m);
	return 0;
}
