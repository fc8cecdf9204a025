/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What another scheduler decided, held against what the engine decides.
 *
 * Scripts: "+a" a is submitted, "=a" it is admitted, "!a" it is admitted in flavor g, "<a" it is
 * preempted, "-a" it has released its quota, ".a" it has finished, "~a" it is deleted, "x" a second passes,
 * "," a tenth of one.
 */
#include "ask/agree/agree.h"
#include "decide/borrow/borrow.h"
#include "lib/fail_mem.h"
#include "model/join_from.h"
#include "unit/codec/load.h"

#define K "apiVersion: kueue.x-k8s.io/v1beta2\n"
#define T0 (INT64_C(1767225600) * FL_SECOND) /* 2026-01-01T00:00:00Z */

/* 4 cpu in f, then 4 in g. */
#define QUEUE                                                                                      \
	K "kind: ResourceFlavor\nmetadata: {name: f}\n---\n" K                                     \
	  "kind: ResourceFlavor\nmetadata: {name: g}\n---\n" K                                     \
	  "kind: ClusterQueue\nmetadata: {name: q}\nspec: {namespaceSelector: {}, preemption: "    \
	  "{withinClusterQueue: LowerPriority}, resourceGroups: [{coveredResources: [cpu], "       \
	  "flavors: [{name: f, resources: [{name: cpu, nominalQuota: 4}]}, {name: g, resources: "  \
	  "[{name: cpu, nominalQuota: 4}]}]}]}\n---\n" K                                           \
	  "kind: LocalQueue\nmetadata: {name: l, namespace: ns}\nspec: {clusterQueue: q}\n"

#define JOB(name, priority, status) JOB_OF(name, priority, 4, status)
#define JOB_OF(name, priority, cpu, status)                                                        \
	"---\n" K "kind: Workload\nmetadata: {name: " name ", namespace: ns, uid: " name           \
	", creationTimestamp: \"2026-01-01T00:00:00Z\"}\n"                                         \
	"spec: {queueName: l, priority: " #priority ", podSets: [{template: {spec: {containers: "  \
	"[{resources: {requests: {cpu: " #cpu "}}}]}}}]}\nstatus: {" status "}\n"

/* c and d are of a higher priority; e, and w, y, z of 2 cpu, are not submitted yet. */
#define JOBS FOUR_CPU JOB_OF("w", 9, 2, "") JOB_OF("y", 0, 2, "") JOB_OF("z", 0, 2, "")
#define FOUR_CPU                                                                                   \
	JOB("a", 0, "")                                                                            \
	JOB("b", 0, "") JOB("c", 5, "") JOB("d", 5, "") JOB("e", 9, "")

static const struct fl_policy_ops *const ops = &fl_borrow_policy;

struct run {
	struct fl_model *m;
	struct fl_policy *p; /* follows */
	struct fl_agree *a;
	fl_time now;
	int kept;
	fl_time ago;              /* decisions are of so long before they are heard */
	uint32_t patience, asked; /* tired when it was asked so often; 0: never */
};

static int keep(void *user, uint64_t window, const struct fl_model *m, const struct fl_policy *p,
		fl_time now, fairlead_error *err)
{
	struct run *r = user;

	(void)window;
	(void)m;
	(void)err;
	assert_true(now >= T0);
	assert_non_null(p);
	r->kept++;
	return 1;
}

static const char *said(void *user, struct fl_workload w)
{
	(void)user;
	(void)w;
	return "so it says";
}

static bool is_tired(void *user)
{
	struct run *r = user;

	return r->patience && r->asked++ >= r->patience;
}

static int start_with(struct run *r, const struct fl_mem *mem, fl_time late, fl_time flush_after,
		      fairlead_error *err)
{
	const struct fl_policy_options options = { .mem = &fl_mem_heap, .now = T0 };
	const struct fl_agree_options o = { .mem = mem,
					    .ops = ops,
					    .window = 5 * FL_SECOND,
					    .late = late,
					    .flush_after = flush_after,
					    .grain = late ? FL_SECOND : 0,
					    .said = said,
					    .keep = keep,
					    .tired = is_tired,
					    .user = r };

	*r = (struct run){ .m = load_open(&fl_mem_heap, QUEUE JOBS, err), .now = T0 };
	r->m->spare = 4; /* for newcomers */
	assert_int_equal(fl_model_seal(r->m, err), 0);
	assert_int_equal(ops->new (r->m, &options, &r->p, NULL), 0);
	for (const char *name = "e\0w\0y\0z\0"; *name; name += 2) {
		const struct fl_event cancel = {
			.kind = FL_EV_CANCEL, .workload = fl_model_find_workload(r->m, "ns", name)
		};

		assert_int_equal(ops->apply(r->p, T0, &cancel, NULL), 0);
	}
	return fl_agree_new(&o, r->m, T0, r->p, &r->a, err);
}

static int start_late(struct run *r, const struct fl_mem *mem, fl_time late, fairlead_error *err)
{
	return start_with(r, mem, late, 0, err);
}

static int start(struct run *r, const struct fl_mem *mem, fairlead_error *err)
{
	return start_late(r, mem, 0, err);
}

static void stop(struct run *r)
{
	fl_agree_free(r->a);
	ops->free(r->p);
	fl_model_free(r->m);
}

static struct fl_event event_of(const struct run *r, char what, char whom, struct fl_placement *row)
{
	static const char kinds[] = "+=!<-.~";
	static const enum fl_event_kind events[] = { FL_EV_SUBMIT, FL_EV_HOLDS,   FL_EV_HOLDS,
						     FL_EV_GOES,   FL_EV_EVICTED, FL_EV_FINISHED,
						     FL_EV_CANCEL };
	const char name[2] = { whom, '\0' };

	*row = (struct fl_placement){ .count = 1,
				      .resource = fl_model_find_resource(r->m, "cpu"),
				      .flavor = { what == '!' },
				      .amount = whom < 'w' ? 4000 : 2000 };
	return (struct fl_event){ .kind = events[strchr(kinds, what) - kinds],
				  .workload = fl_model_find_workload(r->m, "ns", name),
				  .machine = { FL_NONE },
				  .holding = { fl_model_find_node(r->m, FL_CLUSTER_QUEUE, "q"), row,
					       1 },
				  .since = (r->now - r->ago) / FL_SECOND * FL_SECOND,
				  .reason = FL_REASON_IN_CLUSTER_QUEUE };
}

static int play(struct run *r, const char *script, fairlead_error *err)
{
	int rc = 0;

	for (const char *at = script; *at && rc == 0; at++) {
		struct fl_placement row;
		struct fl_event e;

		if (*at == ' ')
			continue;
		if (*at == ',') {
			r->now += FL_SECOND / 10;
			continue;
		}
		if (*at == 'x') {
			r->now += FL_SECOND;
			rc = fl_agree_pass(r->a, r->now, err);
			continue;
		}
		e = event_of(r, at[0], at[1], &row);
		assert_int_equal(ops->apply(r->p, r->now, &e, NULL), 0);
		rc = fl_agree_hear(r->a, r->now, &e, err);
		at++;
	}
	return rc;
}

/* "admit real a: ..." a line for each. */
static const char *differences(const struct run *r, char *text, size_t size)
{
	const struct fl_agree_difference *d;
	uint32_t i = 0;
	size_t n = 0;

	text[0] = '\0';
	while ((d = fl_agree_next(r->a, FL_TIME_NONE, FL_NEVER, &i)))
		n += (size_t)snprintf(text + n, size - n, "%s %s %s%s%s%s%s;",
				      fl_agree_kind_name(d->kind), fl_agree_side_name(d->side),
				      d->workload + 3, d->engine ? " " : "",
				      fl_reason_name(d->engine), d->compared ? " " : "",
				      d->compared ? fl_check_name(d->by.check) : "");
	return text;
}

static struct fl_agree_counts counts_of(const struct run *r)
{
	struct fl_agree_counts ret;

	fl_agree_counted(r->a, FL_TIME_NONE, FL_NEVER, &ret);
	return ret;
}

static struct fl_agree_count admissions(const struct run *r)
{
	return counts_of(r).of[FL_AGREE_ADMIT][FL_REASON_FITS];
}

static struct fl_agree_count preemptions(const struct run *r)
{
	return counts_of(r).of[FL_AGREE_EVICT][FL_REASON_IN_CLUSTER_QUEUE];
}

/* So many on either side, and on both. */
static bool are_same(struct fl_agree_count n, uint64_t all)
{
	return n.real == all && n.real_too == all && n.engine == all;
}

TEST(scripts)
{
	static const struct {
		const char *name, *script;
		uint64_t real, both, engine; /* admissions */
		uint64_t evicted, evicted_both, evicts;
		const char *differences;
	} rows[] = {
		{ "as the engine would", "=c !d xxxxxxx", 2, 2, 2, 0, 0, 0, "" },
		{ "nothing was decided", "xxxxxxx", 0, 0, 0, 0, 0, 0, "" },
		{ "the window is not over yet", "=c !d xxxxx", 0, 0, 0, 0, 0, 0, "" },
		{ "another workload first", "=a !b xxxxxxx", 2, 0, 2, 0, 0, 0,
		  "admit real a PreemptionNoCandidates VictimUses;"
		  "admit real b PreemptionNoCandidates;"
		  "admit engine c Fits FitsAfterCycle;admit engine d Fits FitsAfterCycle;" },
		{ "in the other flavor", "!c =d xxxxxxx", 2, 0, 2, 0, 0, 0,
		  "admit placed c Fits FitsAfterCycle;admit placed d Fits FitsAfterCycle;" },
		{ "only one of two", "=c xxxxxxx", 1, 1, 2, 0, 0, 0,
		  "admit engine d Fits FitsAfterCycle;" },
		{ "a preemption, as the engine would", "=c !d xxxxxxx +e <c x -c x =e xxxxxxx", 3,
		  3, 3, 1, 1, 1, "" },
		{ "another one than the first", "=c !d xxxxxxx +e x .c =a xxxxxxx", 3, 2, 3, 0, 0,
		  0,
		  "admit real a PreemptionNoCandidates VictimPriority;admit engine e Fits FitsAfterCycle;" },
		{ "ends come as they did", "=c !d xxx .c =a xxxxxxx", 3, 3, 3, 0, 0, 0, "" },
	};
	char text[2000];
	fairlead_error err;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_agree_count admits, evicts;
		struct run r;

		assert_int_equal(start(&r, &fl_mem_heap, &err), 0);
		assert_int_equal(play(&r, rows[i].script, NULL), 0);
		admits = admissions(&r);
		evicts = preemptions(&r);
		(void)differences(&r, text, sizeof text);
		CHECK(admits.real == rows[i].real && admits.real_too == rows[i].both &&
			      admits.engine == rows[i].engine,
		      rows[i].name);
		CHECK(evicts.real == rows[i].evicted && evicts.real_too == rows[i].evicted_both &&
			      evicts.engine == rows[i].evicts,
		      rows[i].name);
		CHECK(strcmp(text, rows[i].differences) == 0, text);
		CHECK((r.kept > 0) == (text[0] != '\0'), rows[i].name);
		stop(&r);
	}
}

/* What only the engine decided comes later; what is said, and kept, is in the list. */
TEST(it_comes_later)
{
	fairlead_error err;
	const struct fl_agree_difference *d;
	uint32_t i = 0;
	struct run r;

	assert_int_equal(start(&r, &fl_mem_heap, &err), 0);
	assert_int_equal(play(&r, "=c xxxxxxx !d xxxxxxx", NULL), 0);
	d = fl_agree_next(r.a, FL_TIME_NONE, FL_NEVER, &i);
	assert_non_null(d);
	assert_string_equal(d->workload, "ns/d");
	assert_string_equal(d->queue, "q");
	assert_string_equal(d->said, "so it says");
	assert_true(d->at == T0 && d->later == T0 + 7 * FL_SECOND && d->kept);
	assert_null(fl_agree_next(r.a, FL_TIME_NONE, FL_NEVER, &i));
	i = 0;
	assert_null(fl_agree_next(r.a, T0 + 1, FL_NEVER, &i));
	stop(&r);
}

/*
 * The next model has the workloads in another order, and in its policy all is as it was.  The
 * window ends there, and the next one is judged in the new model.
 */
TEST(goes_on_with_another_model)
{
	fairlead_error err;
	struct fl_model *next = load(QUEUE JOB("e", 9, "") JOB("d", 5, "") JOB("c", 5, ""));
	const struct fl_policy_options options = { .mem = &fl_mem_heap, .now = T0 };
	struct fl_policy *policy = NULL;
	struct fl_workload was[3];
	struct fl_agree_counts c;
	struct run r;

	assert_int_equal(start(&r, &fl_mem_heap, &err), 0);
	assert_int_equal(play(&r, "=c !d x", NULL), 0);
	for (uint32_t w = 0; w < 3; w++)
		was[w] = fl_model_find_workload(r.m, "ns",
						fl_model_text(next, next->workloads[w].name));
	assert_int_equal(ops->new (next, &options, &policy, NULL), 0);
	assert_int_equal(ops->adopt(policy, r.now, r.p, was, NULL), 0);
	assert_int_equal(fl_agree_renew(r.a, next, r.now, policy, NULL), 0);
	c = counts_of(&r);
	assert_int_equal(c.of[FL_AGREE_ADMIT][FL_REASON_FITS].real_too, 2);
	assert_int_equal(c.of[FL_AGREE_ADMIT][FL_REASON_FITS].engine_too, 2);
	assert_int_equal(c.windows, 1);
	assert_int_equal(fl_agree_end(r.a, T0 + 5 * FL_SECOND, NULL), 0);
	c = counts_of(&r);
	assert_int_equal(c.windows, 1);
	assert_int_equal(c.unjudged, 0);
	stop(&r);
	ops->free(policy);
	fl_model_free(next);
}

/* n joins; @was: it was there, and has left just now. */
static struct fl_workload newcomer(struct run *r, struct fl_workload was, bool holds,
				   const char *object)
{
	struct fl_model *from = load(object);
	const char *why = "";
	fairlead_error err;
	struct fl_workload w;

	assert_int_equal(fl_model_join_from(r->m, from, (struct fl_workload){ 0 }, &w, &why, &err),
			 0);
	assert_int_equal(ops->join(r->p, w, NULL), 0);
	assert_int_equal(fl_agree_join(r->a, r->now, w, was, holds, NULL), 0);
	fl_model_free(from);
	return w;
}

static void depart(struct run *r, struct fl_workload w)
{
	assert_int_equal(ops->leave(r->p, w, NULL), 0);
	assert_int_equal(fl_agree_leave(r->a, r->now, w, NULL), 0);
	assert_int_equal(fl_model_find_workload(r->m, "ns", "n").v, FL_NONE);
}

/* n is another object now. */
static struct fl_workload comes_back(struct run *r, struct fl_workload w, bool holds,
				     const char *object)
{
	assert_int_equal(play(r, "~n", NULL), 0);
	depart(r, w);
	return newcomer(r, w, holds, object);
}

static const struct fl_workload nobody = { FL_NONE };

/*
 * One that comes after the model was sealed counts as any other, and when it leaves the window goes on.
 * Its place is given back when that is judged.
 */
TEST(newcomers)
{
	struct fl_agree_counts c;
	fairlead_error err;
	struct fl_workload w;
	uint32_t places;
	struct run r;

	assert_int_equal(start(&r, &fl_mem_heap, &err), 0);
	w = newcomer(&r, nobody, false, QUEUE JOB("n", 9, ""));
	assert_int_equal(play(&r, "+n =n !c xxxxxxx", NULL), 0);
	assert_true(are_same(admissions(&r), 2));
	assert_int_equal(play(&r, ".n xxxxxxx", NULL), 0);
	places = fl_model_places_left(r.m);
	depart(&r, w);
	assert_int_equal(fl_model_places_left(r.m), places);
	assert_int_equal(play(&r, "xxxxxxx", NULL), 0);
	assert_int_equal(fl_model_places_left(r.m), places + 1);
	w = newcomer(&r, nobody, false, QUEUE JOB("n", 9, ""));
	assert_int_equal(play(&r, "+n =n x .n", NULL), 0);
	depart(&r, w);
	assert_int_equal(play(&r, "x =d xxxxxxx", NULL), 0);
	c = counts_of(&r);
	assert_true(c.windows == 2 && c.unjudged == 0 && are_same(admissions(&r), 4));
	stop(&r);
}

/*
 * n holds quota; e preempts it; n is pending again, in another place, and is admitted when e has ended.
 * All that is one window, and the engine decides the same.
 */
TEST(it_comes_back)
{
	static const char low[] = QUEUE JOB("n", 1, "");
	fairlead_error err;
	struct fl_workload w;
	struct run r;

	assert_int_equal(start(&r, &fl_mem_heap, &err), 0);
	assert_int_equal(play(&r, "=c !d x .c", NULL), 0);
	w = newcomer(&r, nobody, false, low);
	assert_int_equal(play(&r, "+n =n x +e <n", NULL), 0);
	assert_true(comes_back(&r, w, false, low).v != w.v);
	assert_int_equal(play(&r, "+n =e x .e =n xxxxxxx", NULL), 0);
	assert_int_equal(counts_of(&r).windows, 1);
	assert_true(are_same(admissions(&r), 5));
	assert_true(are_same(preemptions(&r), 1));
	stop(&r);
}

/* Decisions are heard late; when c ends, after a while, n joins. */
static struct fl_workload start_and_join(struct run *r, const char *object)
{
	fairlead_error err;

	assert_int_equal(start_late(r, &fl_mem_heap, 2 * FL_SECOND, &err), 0);
	assert_int_equal(play(r, "~a ~b =c !d xxxxxxxxxxxxxxxxxxxx .c", NULL), 0);
	return newcomer(r, nobody, false, object);
}

/* n is admitted, and is evicted for e; both are heard at once, after e. */
TEST(it_comes_back_with_quota)
{
	static const char low[] = QUEUE JOB("n", 1, "");
	struct fl_workload w;
	struct run r;

	w = start_and_join(&r, low);
	assert_int_equal(play(&r, "+n , +e ,", NULL), 0);
	w = comes_back(&r, w, true, low);
	assert_int_equal(play(&r, "+n =n <n ,", NULL), 0);
	w = comes_back(&r, w, false, low);
	assert_int_equal(play(&r, "+n , =e x .e =n xxxxxxxxxxxxxxxxxxxx", NULL), 0);
	assert_true(are_same(admissions(&r), 5));
	assert_true(are_same(preemptions(&r), 1));
	stop(&r);
}

/* n is admitted before a comes, which is heard after it; so it has a place of before its return where the engine evicts it. */
TEST(it_keeps_its_quota_until_it_has_released_it)
{
	static const char low[] = QUEUE JOB("n", 0, "");
	static const struct {
		const char *name, *script;
	} rows[] = {
		{ "e is deleted before n has released its quota",
		  "+n =n , +e , <n xxxx, ~e , -n =a xxxxxxxxxxxxxxxxxxxx" },
		{ "n has released its quota before e comes",
		  "+n =n , ~a , <n , -n xxx +e =e xxxxxxxxxxxxxxxxxxxx" },
	};
	char text[2000];

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_workload w;
		struct run r;

		w = start_and_join(&r, low);
		assert_int_equal(play(&r, "+n , +a ,", NULL), 0);
		(void)comes_back(&r, w, true, low);
		assert_int_equal(play(&r, rows[i].script, NULL), 0);
		CHECK(strcmp(differences(&r, text, sizeof text), "") == 0, text);
		CHECK(are_same(admissions(&r), 4), rows[i].name);
		stop(&r);
	}
}

/* The scheduler did not know e yet when it decided, though e was heard before its decisions. */
TEST(it_takes_a_moment_to_decide)
{
	static const char script[] = "+e x =c !d ~e xxxxxxxxxx";
	struct fl_agree_count n;
	fairlead_error err;
	struct run r;

	assert_int_equal(start_late(&r, &fl_mem_heap, 2 * FL_SECOND, &err), 0);
	assert_int_equal(play(&r, script, NULL), 0);
	assert_true(are_same(admissions(&r), 2));
	stop(&r);
	assert_int_equal(start(&r, &fl_mem_heap, &err), 0);
	assert_int_equal(play(&r, script, NULL), 0);
	n = admissions(&r);
	assert_true(n.real == 2 && n.real_too == 0);
	stop(&r);
}

/* e came four seconds before; the decisions' own times say that they are older. */
TEST(decisions_are_heard_late)
{
	for (int ago = 0; ago <= 5; ago += 5) {
		fairlead_error err;
		struct run r;

		assert_int_equal(start_late(&r, &fl_mem_heap, 2 * FL_SECOND, &err), 0);
		r.ago = ago * FL_SECOND;
		assert_int_equal(play(&r, "xxxxx +e xxxx =c !d ~e xxxxxxxxxxxxxxxxxxx", NULL), 0);
		assert_int_equal(admissions(&r).real, 2);
		assert_int_equal(are_same(admissions(&r), 2), ago > 0);
		stop(&r);
	}
}

/* When e has ended, c, which did not fit, is not in line yet; b, which comes just now, is. */
TEST(it_looks_again_a_moment_later)
{
	static const char script[] =
		"~a ~b ~c +e =e !d xxxxxxxxxx +c xxxxx .e +b =b x .d !c xxxxxxxxxx";

	for (int after = 0; after <= 1; after++) {
		fairlead_error err;
		struct run r;

		assert_int_equal(
			start_with(&r, &fl_mem_heap, 2 * FL_SECOND, after * FL_SECOND, &err), 0);
		assert_int_equal(play(&r, script, NULL), 0);
		assert_int_equal(admissions(&r).real, 4);
		assert_int_equal(are_same(admissions(&r), 4), after);
		stop(&r);
	}
}

/* What was decided is heard in another order, or with less than the scheduler had in its memory. */
TEST(as_the_scheduler_had_it)
{
	static const struct {
		const char *name, *script;
	} rows[] = {
		{ "an admission before the eviction of another, heard after it",
		  "~b ~c ~d =a xxxxxxxxxx +c , +e , <a , !c x -a =e xxxxxxxxxxxxxxxxxxxx" },
		{ "of two in one second the newer is preempted",
		  "~a ~b ~c ~d +e =e xxxxxxxxxx +y , !y , +z , !z ,, +w , <z x -z !w xxxxxxxxxxxxxxxxxxxx" },
	};
	char text[2000];

	for (size_t i = 0; i < COUNT(rows); i++) {
		fairlead_error err;
		struct run r;

		assert_int_equal(start_late(&r, &fl_mem_heap, 2 * FL_SECOND, &err), 0);
		assert_int_equal(play(&r, rows[i].script, NULL), 0);
		CHECK(strcmp(differences(&r, text, sizeof text), "") == 0, text);
		stop(&r);
	}
}

/* a is not next in any order; what the engine decides for that is no difference of its own. */
TEST(causes)
{
	static const struct {
		const char *script, *causes;
	} rows[] = {
		{ "xxx =a !b xxxxxxxxxx", "a rule;b rule;c order;d order;" },
		{ "xxx =a xxx !d xxxxxxxxxx", "a rule;c rule;" },
		{ "=c xxxxxxxxxx !d xxxxxxxxxx", "d time;" },
		/* it had heard nothing of e for four seconds; for twelve */
		{ "xxxxx +e xxxx =c !d ~e xxxxxxxxxx", "c time;d time;" },
		{ "xxxxx +e xxxxxxxxxxxx =c !d ~e xxxxxxxxxx", "c rule;d rule;" },
	};
	const struct fl_agree_difference *d;
	fairlead_error err;
	struct run r;

	for (size_t i = 0; i < COUNT(rows); i++) {
		uint32_t at = 0;
		char text[200] = "";
		size_t n = 0;

		assert_int_equal(start_late(&r, &fl_mem_heap, 2 * FL_SECOND, &err), 0);
		assert_int_equal(play(&r, rows[i].script, NULL), 0);
		while ((d = fl_agree_next(r.a, FL_TIME_NONE, FL_NEVER, &at)))
			n += (size_t)snprintf(text + n, sizeof text - n, "%s %s;", d->workload + 3,
					      fl_agree_cause_name(d->cause));
		CHECK(strcmp(text, rows[i].causes) == 0, text);
		stop(&r);
	}
}

/* Stopped at any cycle: a window is judged, or its decisions are unjudged, or only the causes are unknown. */
TEST(it_takes_too_long)
{
	enum { MOST = 60 };
	uint32_t unjudged = 0, unknown = 0, known = 0;

	for (uint32_t patience = 1; patience <= MOST; patience++) {
		const struct fl_agree_difference *d;
		struct fl_agree_counts c;
		fairlead_error err;
		uint32_t i = 0;
		struct run r;

		assert_int_equal(start(&r, &fl_mem_heap, &err), 0);
		r.patience = patience;
		assert_int_equal(play(&r, "=c xxxxxxx", NULL), 0);
		c = counts_of(&r);
		d = fl_agree_next(r.a, FL_TIME_NONE, FL_NEVER, &i);
		assert_int_equal(c.of[FL_AGREE_ADMIT][FL_REASON_FITS].real + c.unjudged, 1);
		assert_int_equal(c.windows + c.unjudged, 1);
		assert_true((d == NULL) == (c.unjudged > 0));
		unjudged += c.unjudged > 0;
		unknown += d && d->cause == FL_AGREE_UNKNOWN;
		known += d && d->cause != FL_AGREE_UNKNOWN;
		stop(&r);
	}
	assert_true(unjudged > 0 && unknown > 0 && known > 0);
}

TEST(counts_of_hours)
{
	fairlead_error err;
	struct fl_agree_counts c;
	struct run r;

	assert_int_equal(start(&r, &fl_mem_heap, &err), 0);
	assert_int_equal(play(&r, "=c !d xxxxxxx", NULL), 0);
	fl_agree_counted(r.a, T0 + 3599 * FL_SECOND, FL_NEVER, &c);
	assert_int_equal(c.windows, 1);
	fl_agree_counted(r.a, T0 + 3600 * FL_SECOND, FL_NEVER, &c);
	assert_int_equal(c.windows, 0);
	fl_agree_counted(r.a, FL_TIME_NONE, T0, &c);
	assert_int_equal(c.windows, 0);
	/* A week later the same hour of the ring is another one. */
	r.now += FL_AGREE_HOURS * 3600 * FL_SECOND;
	assert_int_equal(play(&r, ".c =b xxxxxxx", NULL), 0);
	assert_int_equal(counts_of(&r).windows, 1);
	stop(&r);
}

/* Whatever cannot be had: nothing is lost or leaked. */
TEST(without_memory)
{
	for (unsigned long n = 1;; n++) {
		struct fail_mem f;
		fairlead_error err;
		struct run r;
		int rc;

		fail_mem_init(&f);
		f.fail_at = n;
		rc = start(&r, &f.mem, &err);
		if (rc == 0)
			rc = play(&r, "=a !b xxxxxxx", NULL);
		f.fail_at = 0;
		assert_true(rc == 0 || rc == FAIRLEAD_ENOMEM);
		stop(&r);
		assert_int_equal(f.live, 0);
		if (rc == 0)
			break;
		assert_true(n < 2000);
	}
}

UNIT_GROUP("agree")
