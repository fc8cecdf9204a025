/* SPDX-License-Identifier: Apache-2.0 */
/* The states that agreement keeps: as files that are read again, and no more than fit. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/engine/agreement/agreement.h"
#include "decide/borrow/borrow.h"
#include "decide/image.h"
#include "unit/codec/load.h"

#define K "apiVersion: kueue.x-k8s.io/v1beta2\n"
#define T0 (INT64_C(1767225600) * FL_SECOND) /* 2026-01-01T00:00:00Z */

/* Two that ask for all there is: a comes first. */
static const char objects[] = K
	"kind: ResourceFlavor\nmetadata: {name: f}\n---\n" K
	"kind: ClusterQueue\nmetadata: {name: q}\nspec: {namespaceSelector: {}, resourceGroups: "
	"[{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: "
	"4}]}]}]}\n---\n" K
	"kind: LocalQueue\nmetadata: {name: l, namespace: ns}\nspec: {clusterQueue: q}\n---\n" K
	"kind: Workload\nmetadata: {name: a, namespace: ns, uid: a, creationTimestamp: "
	"\"2026-01-01T00:00:00Z\"}\nspec: {queueName: l, podSets: [{template: {spec: "
	"{containers: [{resources: {requests: {cpu: 4}}}]}}}]}\n---\n" K
	"kind: Workload\nmetadata: {name: b, namespace: ns, uid: b, creationTimestamp: "
	"\"2026-01-01T00:00:01Z\"}\nspec: {queueName: l, podSets: [{template: {spec: "
	"{containers: [{resources: {requests: {cpu: 4}}}]}}}]}\n";

static const struct fl_policy_ops *const ops = &fl_borrow_policy;

struct run {
	char folder[64];
	struct fl_model *m;
	struct fl_policy *p;
	struct fl_agreement *a;
	fl_time now;
};

static void leave_file(const char *folder, const char *name)
{
	char path[200];
	int fd;

	(void)snprintf(path, sizeof path, "%s/%s", folder, name);
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	close(fd);
}

static void start(struct run *r, bool kept)
{
	fairlead_error err;
	const struct fl_policy_options options = { .mem = &fl_mem_heap, .now = T0 };
	char folder[100];
	struct fl_agreement_options o = { .folder = kept ? folder : NULL, .ops = ops };

	*r = (struct run){ .folder = "/tmp/agreement-XXXXXX",
			   .m = load_open(&fl_mem_heap, objects, &err),
			   .now = T0 };
	r->m->spare = 2; /* for newcomers */
	assert_int_equal(fl_model_seal(r->m, NULL), 0);
	assert_non_null(mkdtemp(r->folder));
	snprintf(folder, sizeof folder, "%s/states", r->folder);
	if (kept) { /* what a run before left goes, whatever its number */
		assert_int_equal(mkdir(folder, 0700), 0);
		leave_file(folder, "5017.state");
	}
	assert_int_equal(ops->new (r->m, &options, &r->p, NULL), 0);
	assert_int_equal(fl_agreement_new(&o, r->m, T0, r->p, &r->a, NULL), 0);
}

static void stop(struct run *r)
{
	char folder[100];

	fl_agreement_free(r->a);
	ops->free(r->p);
	fl_model_free(r->m);
	/* Nothing is left in it. */
	snprintf(folder, sizeof folder, "%s/states", r->folder);
	(void)rmdir(folder);
	assert_int_equal(rmdir(r->folder), 0);
}

static void hear(struct run *r, enum fl_event_kind kind, const char *name)
{
	struct fl_placement row = { .count = 1,
				    .resource = fl_model_find_resource(r->m, "cpu"),
				    .amount = 4000 };
	const struct fl_event e = { .kind = kind,
				    .workload = fl_model_find_workload(r->m, "ns", name),
				    .machine = { FL_NONE },
				    .holding = { fl_model_find_node(r->m, FL_CLUSTER_QUEUE, "q"),
						 &row, 1 },
				    .since = r->now };

	assert_int_equal(fl_agreement_hear(r->a, r->now, &e, NULL), 0);
}

/* b is admitted, where a would be; then it must go. */
static void differ(struct run *r, fl_time apart)
{
	hear(r, FL_EV_HOLDS, "b");
	r->now += 10 * FL_SECOND;
	hear(r, FL_EV_REJECTED, "b");
	r->now += apart;
	assert_int_equal(fl_agreement_pass(r->a, r->now, NULL), 0);
}

static int read_file(void *user, char *to, size_t size, size_t *ret, fairlead_error *err)
{
	(void)err;
	*ret = fread(to, 1, size, user);
	return 0;
}

/* Both are pending, and a is next. */
static void check_state(const struct run *r, uint64_t window)
{
	char path[FL_AGREEMENT_PATH];
	struct fl_state state = { 0 };
	struct fl_decisions d;
	fairlead_error err = { 0 };
	FILE *f;

	assert_true(fl_agreement_state(r->a, window, path));
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fl_state_load(&fl_mem_heap, &(struct fl_source){ read_file, f },
				       "fairlead " FAIRLEAD_VERSION, &state, &err),
			 0);
	fclose(f);
	assert_int_equal(state.ops->step(state.policy, state.now, 0, NULL, &d, NULL), 0);
	assert_true(d.n > 0 && d.rows[0].kind == FL_ADMIT);
	assert_int_equal(d.rows[0].workload.v, fl_model_find_workload(state.model, "ns", "a").v);
	fl_state_done(&state);
}

TEST(a_state_is_kept)
{
	char path[FL_AGREEMENT_PATH];
	struct run r;

	start(&r, true);
	assert_false(fl_agreement_state(r.a, 1, path));
	differ(&r, FL_SECOND);
	check_state(&r, 1);
	assert_false(fl_agreement_state(r.a, 2, path));
	stop(&r);
}

/* It has left by the time at which the window is judged; the state has it. */
TEST(a_state_has_those_that_left)
{
	struct fl_workload a;
	struct run r;

	start(&r, true);
	a = fl_model_find_workload(r.m, "ns", "a");
	hear(&r, FL_EV_HOLDS, "b");
	r.now += 9 * FL_SECOND / 2;
	hear(&r, FL_EV_CANCEL, "a");
	assert_int_equal(fl_agreement_leave(r.a, r.now, a, NULL), 0);
	assert_int_equal(fl_model_find_workload(r.m, "ns", "a").v, FL_NONE);
	r.now += 5 * FL_SECOND;
	assert_int_equal(fl_agreement_pass(r.a, r.now, NULL), 0);
	check_state(&r, 1);
	assert_int_equal(fl_model_find_workload(r.m, "ns", "a").v, FL_NONE);
	stop(&r);
}

TEST(no_more_than_fit)
{
	char path[FL_AGREEMENT_PATH];
	struct run r;

	start(&r, true);
	for (int i = 1; i <= FL_AGREEMENT_STATES + 2; i++)
		differ(&r, FL_AGREEMENT_APART * FL_SECOND);
	assert_false(fl_agreement_state(r.a, 1, path));
	assert_false(fl_agreement_state(r.a, 2, path));
	assert_true(fl_agreement_state(r.a, 3, path));
	assert_true(fl_agreement_state(r.a, FL_AGREEMENT_STATES + 2, path));
	/* Within a minute of the last one none is kept. */
	hear(&r, FL_EV_HOLDS, "b");
	r.now += 10 * FL_SECOND;
	assert_int_equal(fl_agreement_pass(r.a, r.now, NULL), 0);
	hear(&r, FL_EV_REJECTED, "b");
	differ(&r, FL_SECOND);
	assert_false(fl_agreement_state(r.a, FL_AGREEMENT_STATES + 4, path));
	stop(&r);
}

TEST(without_a_folder)
{
	char path[FL_AGREEMENT_PATH];
	struct run r;

	start(&r, false);
	differ(&r, FL_SECOND);
	assert_false(fl_agreement_state(r.a, 1, path));
	stop(&r);
}

UNIT_GROUP("agreement")
