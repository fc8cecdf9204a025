/* SPDX-License-Identifier: Apache-2.0 */
/* Back-off: who is held back until a time, and that time is all that is waited for. */
#include "decide/borrow/borrow.h"
#include "decide/policy.h"
#include "lib/fail_mem.h"
#include "unit/codec/load.h"

#define K "apiVersion: kueue.x-k8s.io/v1beta2\n"
#define T0 (INT64_C(1767225600) * FL_SECOND) /* 2026-01-01T00:00:00Z */

static const struct fl_policy_ops *const ops = &fl_borrow_policy;

/* A queue of 4 cpu. */
#define QUEUE                                                                                       \
	K "kind: ResourceFlavor\nmetadata: {name: f}\n---\n" K                                      \
	  "kind: ClusterQueue\nmetadata: {name: q}\nspec: {namespaceSelector: {}, resourceGroups: " \
	  "[{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: "   \
	  "4}]}]}]}\n---\n" K "kind: LocalQueue\nmetadata: {name: l, namespace: ns}\nspec: "        \
	  "{clusterQueue: q}\n"

#define JOB(name, priority, cpu, status)                                                           \
	"---\n" K "kind: Workload\nmetadata: {name: " name ", namespace: ns, uid: " name           \
	", creationTimestamp: \"2026-01-01T00:00:00Z\"}\n"                                         \
	"spec: {queueName: l, priority: " #priority ", podSets: [{template: {spec: {containers: "  \
	"[{resources: {requests: {cpu: " #cpu "}}}]}}}]}\nstatus: {" status "}\n"

#define UNTIL(second) "requeueState: {requeueAt: \"2026-01-01T00:00:" second "Z\"}"

struct run {
	struct fl_model *m;
	struct fl_policy *p;
};

static struct run start(const struct fl_mem *mem, const char *text)
{
	struct run r = { .m = load(text) };
	const struct fl_policy_options options = { .mem = mem, .now = T0 };

	assert_int_equal(ops->new (r.m, &options, &r.p, NULL), 0);
	return r;
}

static void stop(struct run *r)
{
	ops->free(r->p);
	fl_model_free(r->m);
}

static struct fl_workload find(const struct run *r, const char *name)
{
	return fl_model_find_workload(r->m, "ns", name);
}

static enum fl_workload_state state_of(const struct run *r, const char *name)
{
	return ops->state(r->p, find(r, name));
}

/* Names of those admitted at @second, "" for nobody. */
static const char *step(struct run *r, int second, char out[64])
{
	struct fl_decisions d;

	out[0] = '\0';
	assert_int_equal(ops->step(r->p, T0 + second * FL_SECOND, 0, NULL, &d, NULL), 0);
	for (uint32_t i = 0; i < d.n; i++)
		if (d.rows[i].kind == FL_ADMIT)
			strcat(out,
			       fl_model_text(r->m, r->m->workloads[d.rows[i].workload.v].name));
	return out;
}

TEST(waits_for_its_time)
{
	struct run r = start(&fl_mem_heap, QUEUE JOB("a", 9, 3, UNTIL("10")) JOB("b", 0, 1, "")
						   JOB("c", 0, 1, UNTIL("20")));
	char out[64];

	assert_int_equal(state_of(&r, "a"), FL_STATE_HELD_BACK);
	assert_int_equal(ops->reason(r.p, find(&r, "a")), FL_REASON_BACK_OFF);
	assert_int_equal(state_of(&r, "b"), FL_STATE_WAITING);
	assert_true(ops->wake(r.p, T0) == T0 + 10 * FL_SECOND);
	assert_string_equal(step(&r, 0, out), "b"); /* though "a" has the higher priority */
	assert_string_equal(step(&r, 9, out), "");
	assert_true(ops->wake(r.p, T0 + 9 * FL_SECOND) == T0 + 10 * FL_SECOND);
	assert_string_equal(step(&r, 10, out), "a");
	assert_true(ops->wake(r.p, T0 + 10 * FL_SECOND) == T0 + 20 * FL_SECOND);
	assert_string_equal(step(&r, 25, out), "");
	assert_int_equal(state_of(&r, "c"), FL_STATE_INADMISSIBLE); /* looked at: 4 cpu are taken */
	assert_true(ops->wake(r.p, T0 + 25 * FL_SECOND) == FL_NEVER);
	stop(&r);
}

/* It may be asked about all the same. */
TEST(try_does_not_wait)
{
	struct run r = start(&fl_mem_heap, QUEUE JOB("a", 9, 3, UNTIL("10")));
	struct fl_decisions d;

	assert_int_equal(ops->try(r.p, T0, find(&r, "a"), NULL, &d, NULL), 0);
	assert_int_equal(d.rows[0].kind, FL_ADMIT);
	assert_int_equal(state_of(&r, "a"), FL_STATE_HELD_BACK);
	stop(&r);
}

TEST(past_is_over)
{
	struct run r =
		start(&fl_mem_heap,
		      QUEUE JOB("a", 0, 1, "requeueState: {requeueAt: \"2025-12-31T23:59:59Z\"}")
			      JOB("b", 0, 1, UNTIL("00")));
	char out[64];

	assert_true(ops->wake(r.p, T0) == FL_NEVER);
	assert_string_equal(step(&r, 0, out), "a");
	assert_string_equal(step(&r, 1, out), "b");
	stop(&r);
}

TEST(never)
{
	struct run r =
		start(&fl_mem_heap,
		      QUEUE JOB("a", 0, 1,
				"conditions: [{type: Requeued, status: \"False\", reason: Mine}]"));
	char out[64];

	assert_int_equal(state_of(&r, "a"), FL_STATE_HELD_BACK);
	assert_int_equal(ops->reason(r.p, find(&r, "a")), FL_REASON_NOT_REQUEUED);
	assert_true(ops->wake(r.p, T0) == FL_NEVER);
	assert_string_equal(step(&r, 59, out), "");
	stop(&r);
}

#define EVICTED                                                                                    \
	"conditions: [{type: QuotaReserved, status: \"True\"}, {type: Evicted, status: \"True\", " \
	"reason: PodsReadyTimeout, lastTransitionTime: \"2026-01-01T00:00:00Z\"}], "               \
	"admission: {clusterQueue: q, podSetAssignments: [{flavors: {cpu: f}, resourceUsage: "     \
	"{cpu: 3}}]}, " UNTIL("30")

/* The back-off holds behind the eviction, too. */
TEST(evicted)
{
	struct run r = start(&fl_mem_heap, QUEUE JOB("a", 0, 3, EVICTED) JOB("b", 0, 2, ""));
	const struct fl_event gone = { .kind = FL_EV_EVICTED, .workload = find(&r, "a") };
	char out[64];

	assert_int_equal(state_of(&r, "a"), FL_STATE_EVICTING);
	assert_true(ops->wake(r.p, T0) == FL_NEVER);
	assert_string_equal(step(&r, 0, out), "");
	assert_int_equal(ops->apply(r.p, T0 + FL_SECOND, &gone, NULL), 0);
	assert_int_equal(state_of(&r, "a"), FL_STATE_HELD_BACK);
	assert_true(ops->wake(r.p, T0 + FL_SECOND) == T0 + 30 * FL_SECOND);
	assert_string_equal(step(&r, 1, out), "b");
	assert_string_equal(step(&r, 30, out), "");
	assert_int_equal(state_of(&r, "a"), FL_STATE_INADMISSIBLE);
	stop(&r);
}

/* A back-off that has ended stays so when the clock goes back: nobody would end it again. */
TEST(over_is_over)
{
	struct run r = start(&fl_mem_heap, QUEUE JOB("a", 0, 3, UNTIL("10")));
	const struct fl_event gone = { .kind = FL_EV_EVICTED, .workload = find(&r, "a") };
	char out[64];

	assert_string_equal(step(&r, 20, out), "a");
	assert_int_equal(ops->apply(r.p, T0 + 5 * FL_SECOND, &gone, NULL), 0);
	assert_int_equal(state_of(&r, "a"), FL_STATE_WAITING);
	assert_string_equal(step(&r, 25, out), "a");
	stop(&r);
}

TEST(cancelled)
{
	struct run r = start(&fl_mem_heap, QUEUE JOB("a", 0, 1, UNTIL("10")));
	struct fl_event event = { .kind = FL_EV_CANCEL, .workload = find(&r, "a") };
	char out[64];

	assert_int_equal(ops->apply(r.p, T0, &event, NULL), 0);
	assert_true(ops->wake(r.p, T0) == FL_NEVER);
	assert_string_equal(step(&r, 5, out), "");
	event.kind = FL_EV_SUBMIT;
	assert_int_equal(ops->apply(r.p, T0 + 6 * FL_SECOND, &event, NULL), 0);
	assert_int_equal(state_of(&r, "a"), FL_STATE_HELD_BACK);
	assert_true(ops->wake(r.p, T0 + 6 * FL_SECOND) == T0 + 10 * FL_SECOND);
	assert_string_equal(step(&r, 10, out), "a");
	stop(&r);
}

TEST(rollback)
{
	struct run r = start(&fl_mem_heap, QUEUE JOB("a", 9, 3, UNTIL("10")) JOB("b", 0, 2, "")
						   JOB("c", 0, 2, UNTIL("20")));
	uint64_t before[2], after[2];
	char out[64];
	fl_mark mark;

	ops->digest(r.p, T0, before);
	assert_int_equal(ops->mark(r.p, &mark, NULL), 0);
	for (int second = 0; second < 30; second += 5)
		(void)step(&r, second, out);
	assert_int_equal(state_of(&r, "c"), FL_STATE_ADMITTED);
	ops->rollback(r.p, mark);
	ops->digest(r.p, T0, after);
	assert_memory_equal(before, after, sizeof before);
	assert_int_equal(state_of(&r, "a"), FL_STATE_HELD_BACK);
	assert_true(ops->wake(r.p, T0) == T0 + 10 * FL_SECOND);
	assert_string_equal(step(&r, 10, out), "a");
	stop(&r);
}

/* States differ by what is left of a back-off, not by when it ends; and not at all with FL_NEVER. */
TEST(digest)
{
	struct run a = start(&fl_mem_heap, QUEUE JOB("a", 0, 1, UNTIL("10")));
	struct run b = start(&fl_mem_heap, QUEUE JOB("a", 0, 1, UNTIL("30")));
	uint64_t x[2], y[2];

	ops->digest(a.p, T0, x);
	ops->digest(b.p, T0, y);
	assert_memory_not_equal(x, y, sizeof x);
	ops->digest(b.p, T0 + 20 * FL_SECOND, y);
	assert_memory_equal(x, y, sizeof x);
	ops->digest(a.p, FL_NEVER, x);
	ops->digest(b.p, FL_NEVER, y);
	assert_memory_equal(x, y, sizeof x);
	stop(&a);
	stop(&b);
}

/* Each allocation of a cycle that wakes somebody fails once: nothing has changed then. */
TEST(out_of_memory)
{
	for (unsigned long n = 1;; n++) {
		struct fail_mem f;
		struct run r;
		struct fl_decisions d;
		uint64_t before[2], after[2];
		fl_mark mark;
		int rc;

		fail_mem_init(&f);
		r = start(&f.mem, QUEUE JOB("a", 9, 3, UNTIL("10")) JOB("b", 0, 2, ""));
		assert_int_equal(ops->mark(r.p, &mark, NULL), 0);
		ops->digest(r.p, T0, before);
		f.fail_at = n;
		rc = ops->step(r.p, T0 + 10 * FL_SECOND, 0, NULL, &d, NULL);
		f.fail_at = 0;
		ops->digest(r.p, T0, after);
		if (rc == 0) {
			assert_int_equal(state_of(&r, "a"), FL_STATE_ADMITTED);
		} else {
			assert_int_equal(rc, FAIRLEAD_ENOMEM);
			assert_memory_equal(before, after, sizeof before);
			assert_int_equal(state_of(&r, "a"), FL_STATE_HELD_BACK);
		}
		stop(&r);
		assert_int_equal(f.live, 0);
		if (rc == 0)
			break;
		assert_true(n < 1000);
	}
}

UNIT_GROUP("requeue")
