/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The n-th allocation fails, for every n, through every step inside: reading each
 * kind of object in each format, sealing, checking, the policy's operations and
 * events one by one, each question, recording and changing.
 *
 * A failure is FAIRLEAD_ENOMEM with its text.  A policy is then as it was (digest,
 * usage, states); what was being built is given back as a whole.  The call that
 * succeeds in the end comes to what it comes to where nothing failed.
 */
#include "ask/borrow/explain.h"
#include "ask/borrow/outcome.h"
#include "ask/common/difference.h"
#include "ask/common/shortage.h"
#include "ask/lint/entitle.h"
#include "ask/lint/lint.h"
#include "codec/edit/change.h"
#include "codec/edit/tape.h"
#include "codec/object/known.h"
#include "decide/borrow/borrow.h"
#include "fault/calls.h"

static const struct fl_policy_ops *const ops = &fl_borrow_policy;

/* --- what is read: one object of each kind, as JSON, which is YAML behind "---" --- */

#define OBJECT(version, kind, rest)                                                                \
	"{\"apiVersion\":\"" version "\",\"kind\":\"" kind "\"," rest "}\n"
#define KUEUE "kueue.x-k8s.io/v1beta2"

#define FLAVOR                                                                                     \
	OBJECT(KUEUE, "ResourceFlavor",                                                            \
	       "\"metadata\":{\"name\":\"f\"},\"spec\":{\"nodeLabels\":{\"zone\":\"a\"},"          \
	       "\"nodeTaints\":[{\"key\":\"k\",\"value\":\"v\",\"effect\":\"NoSchedule\"}],"       \
	       "\"tolerations\":[{\"key\":\"k\",\"operator\":\"Exists\"}]}")
#define QUEUE(name, quota)                                                                         \
	OBJECT(KUEUE, "ClusterQueue",                                                              \
	       "\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"cohortName\":\"c\","              \
	       "\"namespaceSelector\":{\"matchExpressions\":[{\"key\":\"k\",\"operator\":"         \
	       "\"DoesNotExist\"}]},\"preemption\":{\"reclaimWithinCohort\":\"Any\"},"             \
	       "\"admissionScope\":{\"admissionMode\":\"UsageBasedAdmissionFairSharing\"},"        \
	       "\"resourceGroups\":[{\"coveredResources\":[\"cpu\"],\"flavors\":[{\"name\":"       \
	       "\"f\",\"resources\":[{\"name\":\"cpu\",\"nominalQuota\":" quota "}]}]}]}")
#define COHORT                                                                                     \
	OBJECT(KUEUE, "Cohort",                                                                    \
	       "\"metadata\":{\"name\":\"c\"},\"spec\":{\"parentName\":\"root\",\"typo\":1}")
#define LOCAL(queue)                                                                               \
	OBJECT(KUEUE, "LocalQueue",                                                                \
	       "\"metadata\":{\"name\":\"l" queue "\",\"namespace\":\"ns\"},\"spec\":"             \
	       "{\"clusterQueue\":\"" queue "\",\"fairSharing\":{\"weight\":2}}")
#define PODS(cpu)                                                                                  \
	"\"podSets\":[{\"name\":\"main\",\"count\":2,\"minCount\":1,\"template\":{\"spec\":{"      \
	"\"nodeSelector\":{\"zone\":\"a\"},\"tolerations\":[{\"key\":\"k\",\"operator\":"          \
	"\"Exists\"}],\"initContainers\":[{\"name\":\"i\",\"restartPolicy\":\"Always\","           \
	"\"resources\":{\"requests\":{\"cpu\":\"1m\"}}}],\"containers\":[{\"name\":\"x\","         \
	"\"resources\":{\"requests\":{\"cpu\":" cpu "}}}],\"affinity\":{\"nodeAffinity\":{"        \
	"\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":[{"             \
	"\"matchExpressions\":[{\"key\":\"zone\",\"operator\":\"In\",\"values\":[\"a\"]}]}]}}}}}}]"
#define WORKLOAD(name, queue, cpu, status)                                                         \
	OBJECT(KUEUE, "Workload",                                                                  \
	       "\"metadata\":{\"name\":\"" name "\",\"namespace\":\"ns\",\"uid\":\"u-" name        \
	       "\",\"labels\":{\"a\":\"b\"},\"creationTimestamp\":\"1970-01-01T00:00:01Z\"},"      \
	       "\"spec\":{\"queueName\":\"l" queue "\",\"priority\":1," PODS(cpu) "}" status)
#define HELD(queue, cpu)                                                                             \
	",\"status\":{\"conditions\":[{\"type\":\"QuotaReserved\",\"status\":\"True\","              \
	"\"lastTransitionTime\":\"1970-01-01T00:00:02Z\"}],\"admission\":{\"clusterQueue\":\"" queue \
	"\",\"podSetAssignments\":[{\"name\":\"main\",\"count\":2,\"flavors\":{\"cpu\":"             \
	"\"f\"},\"resourceUsage\":{\"cpu\":" cpu "}}]}}"
#define CONFIGURATION                                                                               \
	OBJECT("config.kueue.x-k8s.io/v1beta2", "Configuration",                                    \
	       "\"fairSharing\":{\"preemptionStrategies\":[\"LessThanInitialShare\"]},"             \
	       "\"admissionFairSharing\":{\"usageHalfLifeTime\":\"10s\",\"usageSamplingInterval\":" \
	       "\"1s\",\"resourceWeights\":{\"cpu\":2}},\"resources\":{\"excludeResourcePrefixes\"" \
	       ":[\"x.org/\"]}")
#define POLICY                                                                                     \
	OBJECT("fairlead.dev/v1alpha1", "Policy",                                                  \
	       "\"metadata\":{\"name\":\"p\"},\"spec\":{\"defaults\":{\"minimumRunTime\":\"5s\","  \
	       "\"reclaimBackOff\":{\"base\":\"2s\"},\"holdFreedQuota\":true},\"cohorts\":[{"      \
	       "\"name\":\"c\",\"preemptionDelay\":{\"InClusterQueue\":\"1s\"}}],"                 \
	       "\"clusterQueues\":[{\"name\":\"q\",\"overrulingPriority\":100}]}")

static const struct sample {
	const char *kind, *text;
} samples[] = {
	{ "ResourceFlavor", FLAVOR },
	{ "ClusterQueue", QUEUE("q", "\"4\"") },
	{ "Cohort", COHORT },
	{ "LocalQueue", LOCAL("q") },
	{ "Workload", WORKLOAD("w", "q", "2", HELD("q", "4")) },
	{ "WorkloadPriorityClass", OBJECT(KUEUE, "WorkloadPriorityClass",
					  "\"metadata\":{\"name\":\"high\"},\"value\":100") },
	{ "PriorityClass",
	  OBJECT("scheduling.k8s.io/v1", "PriorityClass",
		 "\"metadata\":{\"name\":\"high\"},\"value\":100,\"globalDefault\":true") },
	{ "Namespace",
	  OBJECT("v1", "Namespace", "\"metadata\":{\"name\":\"ns\",\"labels\":{\"k\":\"v\"}}") },
	{ "Configuration", CONFIGURATION },
	{ "ConfigMap",
	  OBJECT("v1", "ConfigMap",
		 "\"metadata\":{\"name\":\"kueue-manager-config\",\"namespace\":\"kueue-system\"},"
		 "\"data\":{\"controller_manager_config.yaml\":\"apiVersion: "
		 "config.kueue.x-k8s.io/v1beta2\\nkind: Configuration\\nfairSharing: {}\\n\"}") },
	{ "LimitRange",
	  OBJECT("v1", "LimitRange",
		 "\"metadata\":{\"name\":\"l\",\"namespace\":\"ns\"},\"spec\":{\"limits\":[{"
		 "\"type\":\"Container\",\"default\":{\"cpu\":\"1\"},\"defaultRequest\":{\"cpu\":"
		 "\"1\"},\"max\":{\"cpu\":\"8\"}}]}") },
	{ "RuntimeClass",
	  OBJECT("node.k8s.io/v1", "RuntimeClass",
		 "\"metadata\":{\"name\":\"r\"},\"handler\":\"h\",\"overhead\":{\"podFixed\":{"
		 "\"cpu\":\"100m\"}}") },
	{ "Policy", POLICY },
	{ "Queue", OBJECT("scheduling.run.ai/v2", "Queue",
			  "\"metadata\":{\"name\":\"k\"},\"spec\":{\"parentQueue\":\"up\","
			  "\"resources\":{\"cpu\":{\"quota\":-1,\"limit\":-1},\"memory\":{"
			  "\"quota\":-2},\"gpu\":{\"quota\":4,\"limit\":2}}}") },
	{ "PodGroup", OBJECT("scheduling.run.ai/v2alpha2", "PodGroup",
			     "\"metadata\":{\"name\":\"g\",\"namespace\":\"ns\",\"annotations\":{"
			     "\"kai.scheduler/last-start-timestamp\":\"1970-01-01T00:00:01Z\"}},"
			     "\"spec\":{\"queue\":\"k\",\"priorityClassName\":\"none\"}") },
	{ "Pod",
	  OBJECT("v1", "Pod",
		 "\"metadata\":{\"name\":\"p\",\"namespace\":\"ns\",\"labels\":{"
		 "\"kai.scheduler/queue\":\"k\"},\"annotations\":{\"gpu-fraction\":\"0.5\","
		 "\"pod-group-name\":\"gone\"}},\"spec\":{\"nodeName\":\"n\","
		 "\"nodeSelector\":{\"a\":\"b\"},\"containers\":[{\"resources\":{\"requests\":"
		 "{\"cpu\":\"2\"}}}]}") },
	{ "Node",
	  OBJECT("v1", "Node",
		 "\"metadata\":{\"name\":\"n\",\"labels\":{\"a\":\"b\"}},\"spec\":{\"taints\":"
		 "[{\"key\":\"k\",\"effect\":\"NoSchedule\"}]},\"status\":{\"allocatable\":{"
		 "\"cpu\":\"8\"}}") },
	{ "BindRequest",
	  OBJECT("scheduling.run.ai/v1alpha2", "BindRequest",
		 "\"metadata\":{\"name\":\"b\",\"namespace\":\"ns\"},\"spec\":{\"podName\":\"p\","
		 "\"selectedNode\":\"n\",\"backoffLimit\":2},\"status\":{\"phase\":\"Failed\","
		 "\"failedAttempts\":1}") },
	{ "SchedulingShard",
	  OBJECT("kai.scheduler/v1", "SchedulingShard",
		 "\"metadata\":{\"name\":\"s\"},\"spec\":{\"kValue\":-1,\"usageDBConfig\":{"
		 "\"usageParams\":{\"windowType\":\"cron\",\"cronString\":\"@daily\"}}}") },
	{ "UsageHistory",
	  OBJECT("fairlead.dev/v1alpha1", "UsageHistory",
		 "\"metadata\":{\"name\":\"h\"},\"spec\":{\"usage\":{\"k\":{\"gpu\":0.5}},"
		 "\"samples\":[{\"from\":\"1970-01-01T00:00:00Z\",\"to\":\"1970-01-01T00:00:01Z\","
		 "\"capacity\":{\"gpu\":1},\"queues\":{\"k\":{\"gpu\":1}}}]}") },
	{ "Moves", OBJECT("fairlead.dev/v1alpha1", "Moves",
			  "\"metadata\":{\"name\":\"m\"},\"spec\":{\"moves\":[{\"serve\":"
			  "\"ns/w\"},{\"letGo\":\"ns/v\"},{\"cycle\":true}],\"repeat\":3}") },
	{ "Daemon",
	  OBJECT("fairlead.dev/v1alpha1", "Daemon",
		 "\"metadata\":{\"name\":\"d\"},\"spec\":{\"tree\":[\"t\"],\"state\":\"/s\","
		 "\"machine\":{\"name\":\"n\",\"cohort\":\"c\",\"flavors\":[{\"name\":\"f\","
		 "\"resources\":{\"cpu\":\"auto\",\"nvidia.com/gpu\":2},\"devices\":{\"resource\":"
		 "\"nvidia.com/gpu\",\"numbers\":[0,1]}}],\"reserved\":{\"cpu\":\"1\"}},\"access\":{"
		 "\"admins\":{\"users\":[\"a\"]},\"queues\":[{\"queue\":\"q\",\"groups\":[\"g\"]}]},"
		 "\"jobs\":{\"grace\":\"5s\"}}") },
	{ "Simulation",
	  OBJECT("fairlead.dev/v1alpha1", "Simulation",
		 "\"metadata\":{\"name\":\"s\"},\"spec\":{\"trees\":[\"t\"],\"sources\":[{\"swf\":\"s\","
		 "\"queues\":[{\"users\":[\"1-9\"],\"to\":\"u\"}]}],\"queueTemplates\":[{\"match\":\"u\","
		 "\"queue\":{}},{\"match\":\"c*\",\"clusterQueue\":{}}],\"classes\":[{\"name\":\"c\","
		 "\"to\":\"u\",\"count\":1,\"runs\":{\"exponential\":\"1h\"},\"requests\":{\"cpu\":1}}],"
		 "\"changes\":[{\"at\":\"1d\",\"cohort\":\"c\",\"weight\":2}],\"failures\":[{\"every\":"
		 "\"1d\",\"lasts\":\"1h\",\"machine\":\"n\"}]}") },
	{ "fairshare simulator",
	  "{\"totalResource\":{\"GPU\":9},\"queues\":[{\"uid\":\"a\",\"resourceShare\":{\"gpu\":"
	  "{\"deserved\":2}}}]}" },
	{ "time-based simulator",
	  "{\"Nodes\":[{\"GPUs\":8,\"Count\":2}],\"Queues\":[{\"Name\":\"q\"}],\"Jobs\":{\"q\":{"
	  "\"GPUs\":1,\"NumPods\":1,\"NumJobs\":2}}}" },
	{ "List", OBJECT("v1", "List",
			 "\"items\":[" OBJECT("v1", "Namespace",
					      "\"metadata\":{\"name\":"
					      "\"\\u006es\"}") "]") },
};

/* A tree of KAI's queues: gangs, a pod by itself, others' pods, what is wrong with some. */
static const char entitled_text[] = OBJECT(
	"scheduling.run.ai/v2", "Queue",
	"\"metadata\":{\"name\":\"up\"},\"spec\":{\"resources\":{\"gpu\":{\"quota\":4,"
	"\"limit\":-1}}}") OBJECT("scheduling.run.ai/v2", "Queue",
				  "\"metadata\":{\"name\":\"k\"},\"spec\":{\"parentQueue\":\"up\",\"resources\":{"
				  "\"gpu\":{\"quota\":8,\"limit\":-1}}}")
	OBJECT("scheduling.run.ai/v2", "Queue",
	       "\"metadata\":{\"name\":\"lost\"},\"spec\":{\"parentQueue\":\"gone\"}")
		OBJECT("scheduling.run.ai/v2alpha2", "PodGroup",
		       "\"metadata\":{\"name\":\"g\",\"namespace\":\"ns\"},\"spec\":{\"queue\":\"k\","
		       "\"minMember\":2}")
			OBJECT("v1", "Pod",
			       "\"metadata\":{\"name\":\"b\",\"namespace\":\"ns\",\"annotations\":{"
			       "\"pod-group-name\":\"g\"}},\"spec\":{\"containers\":[{\"resources\":{\"limits\":{"
			       "\"nvidia.com/gpu\":9}}}]}")
				OBJECT("v1", "Pod",
				       "\"metadata\":{\"name\":\"a\",\"namespace\":\"ns\",\"annotations\":{"
				       "\"pod-group-name\":\"g\"}}")
					OBJECT("v1", "Pod",
					       "\"metadata\":{\"name\":\"lone\",\"namespace\":\"ns\",\"labels\":{"
					       "\"kai.scheduler/queue\":\"lost\"}},\"spec\":{\"nodeName\":\"nowhere\"}")
						OBJECT("v1", "Node",
						       "\"metadata\":{\"name\":\"n\"}");

/* Jobs of which pods and their groups are made; a pod whose group is made, and one that has none. */
#define TEMPLATE                                                                                      \
	"\"template\":{\"spec\":{\"schedulerName\":\"kai-scheduler\",\"priorityClassName\":\"none\"," \
	"\"containers\":[{\"resources\":{\"limits\":{\"cpu\":\"1\"}}}]}}"
#define NAMED(name) "\"metadata\":{\"name\":\"" name "\",\"labels\":{\"project\":\"k\"}},"
#define OWNED(kind, name)                                                                          \
	"\"ownerReferences\":[{\"apiVersion\":\"batch/v1\",\"kind\":\"" kind "\",\"name\":\"" name \
	"\"}]"
static const char kai_jobs_text[] = OBJECT("scheduling.run.ai/v2", "Queue",
					   "\"metadata\":{\"name\":\"k\"},\"spec\":{}")
	OBJECT("batch/v1", "Job", NAMED("j") "\"spec\":{\"parallelism\":2," TEMPLATE "}") OBJECT(
		"batch/v1", "CronJob",
		NAMED("c") "\"spec\":{}") OBJECT("jobset.x-k8s.io/v1alpha2", "JobSet",
						 NAMED("s") "\"spec\":{\"replicatedJobs\":[{\"name\":\"r\","
							    "\"template\":{\"spec\":{" TEMPLATE
							    "}}}]}") OBJECT("kubeflow.org/v1",
									    "TFJob",
									    NAMED("t") "\"spec\":{}")
		OBJECT("batch/v1", "Job", NAMED("l") "\"spec\":{}") OBJECT(
			"v1", "Pod",
			"\"metadata\":{\"name\":\"p\"," OWNED(
				"Job",
				"l") "},\"spec\":{"
				     "\"schedulerName\":\"kai-scheduler\",\"nodeName\":\"n\"}")
			OBJECT("v1", "Pod",
			       "\"metadata\":{\"name\":\"o\"," OWNED(
				       "Job",
				       "none") "},"
					       "\"spec\":{\"schedulerName\":\"kai-scheduler\"}");

/* A Deployment, whose pods are made, beside a Job. */
#define FOR_KUEUE(name)                                                                            \
	"\"metadata\":{\"name\":\"" name "\",\"labels\":{\"kueue.x-k8s.io/queue-name\":\"q\"}},"
static const char kueue_jobs_text[] = QUEUE("q", "\"2\"")
	OBJECT("batch/v1", "Job", FOR_KUEUE("j") "\"spec\":{" TEMPLATE "}")
		OBJECT("apps/v1", "Deployment",
		       FOR_KUEUE("d") "\"spec\":{\"replicas\":2," TEMPLATE "}")
			OBJECT("v1", "Pod", FOR_KUEUE("d-1") "\"spec\":{}");

/* q holds more than its own, r wants it back, and more wait behind. */
static const char *const world_parts[] = {
	CONFIGURATION,
	POLICY,
	FLAVOR,
	COHORT,
	QUEUE("q", "\"2\""),
	QUEUE("r", "\"4\""),
	LOCAL("q"),
	LOCAL("r"),
	OBJECT("v1", "Namespace", "\"metadata\":{\"name\":\"ns\"}"),
	WORKLOAD("w1", "q", "2", HELD("q", "4")),
	WORKLOAD("w2", "r", "1", ""),
	WORKLOAD("w3", "r", "2", ""),
	WORKLOAD("w4", "q", "9", ""),
};
static char world_text[1 << 13]; /* of all of them */

/* What must be the same after a failure. */
static void look(const struct run *r, struct image *i)
{
	const struct fl_tree *t = fl_borrow_tree(r->p);
	const struct fl_usage *u = fl_borrow_usage(r->p);

	assert_true((t->cells * 3 + 4) * sizeof(fl_amount) < sizeof i->bytes);
	memcpy(i->bytes, u->cell, t->cells * sizeof *u->cell);
	memcpy(i->bytes + t->cells * 8, t->nominal, t->cells * sizeof *t->nominal);
	memcpy(i->bytes + t->cells * 16, t->potential, t->cells * sizeof *t->potential);
	i->n = t->cells * 24;
	for (uint32_t w = 0; w < r->m->n_workloads; w++)
		i->bytes[i->n++] = (unsigned char)ops->state(r->p, (struct fl_workload){ w });
}

/* --- building --- */

static int read_model(struct run *r, struct fl_model **ret, fairlead_error *err)
{
	int code = fl_model_new(&r->f.mem, ret, err);

	return code < 0 ? code : fl_kube_read(*ret, "in", r->text, r->len, err);
}

static int build_model(struct run *r, fairlead_error *err)
{
	struct fl_model *m = NULL;
	int code = read_model(r, &m, err);

	if (code == 0)
		add_model(r, m);
	fl_model_free(m);
	return code;
}

static int build_sealed(struct run *r, fairlead_error *err)
{
	struct fl_model *m = NULL;
	int code = read_model(r, &m, err);

	if (code == 0)
		code = fl_model_seal(m, err);
	if (code == 0)
		code = fl_model_dialect(m) == FL_DIALECT_KAI ? fl_lint_entitle(m, err) :
							       fl_lint_borrow(m, err);
	if (code == 0)
		add_model(r, m);
	fl_model_free(m);
	return code;
}

static int build_policy(struct run *r, fairlead_error *err)
{
	struct fl_policy_options options = { .mem = &r->f.mem, .now = NOW * FL_SECOND };
	struct fl_policy *p = NULL;
	int code = ops->new (r->m, &options, &p, err);

	ops->free(p);
	return code;
}

/* What r->p knows, in a policy of its own. */
static int build_adopted(struct run *r, fairlead_error *err)
{
	const struct fl_workload was[] = { { 0 }, { 1 }, { 2 }, { 3 } };
	struct fl_policy_options options = { .mem = &r->f.mem, .now = NOW * FL_SECOND };
	struct fl_policy *p = NULL;
	uint64_t digest[2];
	int code = ops->new (r->m, &options, &p, err);

	if (code == 0)
		code = ops->adopt(p, (NOW + 2) * FL_SECOND, r->p, was, err);
	if (code == 0) {
		ops->digest(p, (NOW + 2) * FL_SECOND, digest);
		add(r, digest[0]);
	}
	ops->free(p);
	return code;
}

struct whole {
	const char *at;
	size_t left;
};

static int read_whole(void *user, char *buffer, size_t size, size_t *ret, fairlead_error *err)
{
	struct whole *w = user;

	(void)err;
	*ret = size < w->left ? size : w->left;
	memcpy(buffer, w->at, *ret);
	w->at += *ret;
	w->left -= *ret;
	return 0;
}

/* @text into a model of its own, each object past @tap. */
static int read_past(struct run *r, const char *text, struct fl_model **ret,
		     const struct fl_kube_tap *tap, fairlead_error *err)
{
	struct whole w = { text, strlen(text) };
	struct fl_source source = { read_whole, &w };
	int code = fl_model_new(&r->f.mem, ret, err);

	return code < 0 ? code : fl_kube_read_from(*ret, "in", &source, tap, err);
}

static int build_tape(struct run *r, fairlead_error *err)
{
	static const uint64_t key[2] = { 1, 2 };
	struct fl_tape tape;
	struct fl_model *m = NULL;
	int code = fl_tape_init(&tape, &r->f.mem, err);

	if (code == 0)
		code = read_past(r, world_text, &m, &tape.tap, err);
	if (code == 0)
		code = fl_tape_hide(&tape, key, err);
	for (uint32_t i = 0; code == 0 && i < tape.n; i++)
		add(r, tape.items[i].sym.v);
	fl_tape_done(&tape);
	fl_model_free(m);
	return code;
}

/* @text laid over the world, and w2 left out. */
static int lay(struct run *r, const char *text, bool leave_out, fairlead_error *err)
{
	struct fl_model *edit = NULL, *before = NULL, *after = NULL;
	struct fl_changes c;
	struct fl_event *events = NULL;
	uint32_t n = 0;
	int code = fl_changes_init(&c, &r->f.mem, err);

	if (code == 0 && leave_out)
		code = fl_changes_delete(&c, "Workload/ns/w2", err);
	if (code == 0)
		code = read_past(r, text, &edit, &c.collect, err);
	if (code == 0)
		code = read_past(r, world_text, &before, &c.compare, err);
	if (code == 0)
		code = fl_model_seal(before, err);
	if (code == 0) {
		fl_changes_compared(&c);
		assert_int_equal(c.general, leave_out);
		code = c.general ? 0 : fl_changes_cells(&c, before, edit, &events, &n, err);
	}
	if (code == 0 && c.general) {
		code = fl_model_new(&r->f.mem, &after, err);
		if (code == 0)
			code = fl_changes_begin(&c, edit, after, err);
		fl_model_free(after);
		after = NULL;
		if (code == 0)
			code = read_past(r, world_text, &after, &c.lay, err);
		if (code == 0)
			code = fl_changes_add(&c, after, err);
		if (code == 0)
			add_model(r, after);
	}
	add(r, n);
	fl_mem_free(&r->f.mem, events);
	fl_changes_done(&c);
	fl_model_free(edit);
	fl_model_free(before);
	fl_model_free(after);
	return code;
}

static int build_cells(struct run *r, fairlead_error *err)
{
	return lay(r, QUEUE("q", "\"3\""), /* leave_out= */ false, err);
}

static int build_general(struct run *r, fairlead_error *err)
{
	return lay(r, QUEUE("s", "\"3\"") QUEUE("q", "\"1\""), /* leave_out= */ true, err);
}

/* --- the policy's operations, and questions about it --- */

static int event(struct run *r, enum fl_event_kind kind, uint32_t w, fairlead_error *err)
{
	struct fl_event e = { .kind = kind, .workload = { w } };

	return ops->apply(r->p, NOW * FL_SECOND, &e, err);
}

static int cell(struct run *r, enum fl_cell_kind kind, fairlead_error *err)
{
	struct fl_event e = { .kind = FL_EV_CELL,
			      .workload = { 1 },
			      .cell = { .kind = kind,
					.node = fl_model_find_node(r->m, FL_CLUSTER_QUEUE, "q"),
					.flavor = { 0 },
					.resource = { 0 },
					.amount = 7,
					.weight = 3 } };

	return ops->apply(r->p, NOW * FL_SECOND, &e, err);
}

#define EVENT(name, kind, w)                                                                       \
	static int call_##name(struct run *r, fairlead_error *err)                                 \
	{                                                                                          \
		return event(r, kind, w, err);                                                     \
	}
#define CELL(name, kind)                                                                           \
	static int call_##name(struct run *r, fairlead_error *err) { return cell(r, kind, err); }

EVENT(submit, FL_EV_SUBMIT, 0)
EVENT(cancel, FL_EV_CANCEL, 0)
EVENT(started, FL_EV_STARTED, 0)
EVENT(evicted, FL_EV_EVICTED, 0)
EVENT(finished, FL_EV_FINISHED, 0)
EVENT(killed, FL_EV_KILLED, 0)
EVENT(rejected, FL_EV_REJECTED, 0)
CELL(nominal, FL_CELL_NOMINAL)
CELL(borrowing, FL_CELL_BORROWING_LIMIT)
CELL(lending, FL_CELL_LENDING_LIMIT)
CELL(weight, FL_CELL_WEIGHT)
CELL(priority, FL_CELL_PRIORITY)

static int call_serve(struct run *r, fairlead_error *err)
{
	struct fl_workload w = fl_model_find_workload(r->m, "ns", "w2");
	struct fl_decisions d;
	int code = ops->serve(r->p, (NOW + 1) * FL_SECOND, w, /* sink= */ NULL, &d, err);

	if (code == 0)
		add_decisions(r, &d);
	return code;
}

static int call_try(struct run *r, fairlead_error *err)
{
	struct fl_decisions d;
	int code = ops->try(r->p, (NOW + 1) * FL_SECOND, (struct fl_workload){ 2 },
			    /* sink= */ NULL, &d, err);

	if (code == 0)
		add_decisions(r, &d);
	return code;
}

static int ignore(void *user, const struct fl_settle_cycle *cycle, fairlead_error *err)
{
	(void)err;
	add_decisions(user, cycle->decisions);
	return 0;
}

/* These move the policy on, so they are made inside a mark. */
static int call_settle(struct run *r, fairlead_error *err)
{
	struct fl_settle_options o = { .mem = &r->f.mem,
				       .now = (NOW + 1) * FL_SECOND,
				       .interval = FL_SECOND,
				       .cycles = 10,
				       .to_the_end = true };
	struct fl_settle_result result = { 0 };
	fl_mark mark = 0;
	int code = ops->mark(r->p, &mark, err);

	if (code < 0)
		return code;
	r->result = 0; /* cycles before the one that failed do not count */
	code = fl_settle(ops, r->p, r->m, &o, ignore, r, &result, err);
	ops->rollback(r->p, mark);
	add(r, result.cycles);
	return code;
}

static int call_outcome(struct run *r, fairlead_error *err)
{
	return outcome_of(r, &fl_borrow_asks, err);
}

static int explain(struct run *r, uint32_t w, fairlead_error *err)
{
	struct fl_arena arena;
	struct fl_explain x;

	fl_arena_init(&arena, &r->f.mem);
	int code = fl_explain(ops, r->p, r->m, (NOW + 1) * FL_SECOND, (struct fl_workload){ w },
			      /* machine= */ NULL, &arena, &x, err);

	if (code == 0) {
		add(r, x.state);
		add(r, x.n_needs);
		add(r, x.n_holders);
	}
	fl_arena_done(&arena);
	return code;
}

static int call_explain_head(struct run *r, fairlead_error *err) { return explain(r, 1, err); }
static int call_explain_hopeless(struct run *r, fairlead_error *err) { return explain(r, 3, err); }
static int call_explain_holder(struct run *r, fairlead_error *err) { return explain(r, 0, err); }

static int call_pending(struct run *r, fairlead_error *err)
{
	struct fl_pending_list list = { .mem = &r->f.mem };
	int code = fl_pending_fill(&list, ops, r->p, r->m, /* d= */ NULL, err);

	if (code == 0)
		add(r, list.n);
	fl_pending_done(&list);
	return code;
}

static int call_ledger(struct run *r, fairlead_error *err)
{
	struct fl_ledger ledger;
	struct fl_arena arena;

	fl_arena_init(&arena, &r->f.mem);
	int code = fl_ledger_init(&ledger, fl_borrow_tree(r->p), fl_borrow_usage(r->p), &arena,
				  err);

	fl_arena_done(&arena);
	return code;
}

/* A sink cannot fail: it says later that it did. */
static int call_shortage(struct run *r, fairlead_error *err)
{
	struct fl_shortage_log log = { 0 };
	struct fl_sink sink = { .row = fl_shortage_row, .user = &log };
	struct fl_decisions d;
	int code = fl_shortage_init(&log, &r->f.mem, r->m, err);

	if (code == 0)
		code = ops->try(r->p, (NOW + 1) * FL_SECOND, (struct fl_workload){ 3 }, &sink, &d,
				err);
	if (code == 0 && log.why.out_of_memory)
		code = fl_fail_nomem(err);
	if (code == 0)
		add(r, log.n);
	fl_shortage_done(&log);
	return code;
}

static const struct row rows[] = {
	{ "submit", NULL, call_submit, false },
	{ "submit again", call_cancel, call_submit, true },
	{ "cancel", NULL, call_cancel, true },
	{ "started", NULL, call_started, false },
	{ "evicted", NULL, call_evicted, true },
	{ "finished", NULL, call_finished, true },
	{ "killed", NULL, call_killed, true },
	{ "rejected", NULL, call_rejected, true },
	{ "nominal quota", NULL, call_nominal, true },
	{ "borrowing limit", NULL, call_borrowing, true },
	{ "lending limit", NULL, call_lending, true },
	{ "weight", NULL, call_weight, true },
	{ "priority", NULL, call_priority, true },
	{ "step", NULL, call_step, true },
	{ "try", NULL, call_try, true },
	{ "serve", call_forget, call_serve, true },
	{ "forget", NULL, call_forget, true },
	{ "mark", NULL, call_mark, true },
	{ "settle", NULL, call_settle, true },
	{ "outcome", NULL, call_outcome, true },
	{ "explain: head", NULL, call_explain_head, true },
	{ "explain: hopeless", NULL, call_explain_hopeless, true },
	{ "explain: holder", NULL, call_explain_holder, true },
	{ "pending", NULL, call_pending, true },
	{ "ledger", NULL, call_ledger, true },
	{ "shortage", NULL, call_shortage, true },
};

/* --- tests --- */

TEST(reading_each_kind)
{
	for (uint32_t i = 0; fl_kube_kind(i); i++) {
		bool there = false;

		for (size_t k = 0; k < COUNT(samples); k++)
			there |= strcmp(samples[k].kind, fl_kube_kind(i)) == 0;
		CHECK(there, fl_kube_kind(i)); /* a new kind needs a sample */
	}
	for (size_t i = 0; i < COUNT(samples); i++)
		for (int yaml = 0; yaml < 2; yaml++) {
			char text[4096];
			struct run r = { .text = text };

			r.len = (size_t)snprintf(text, sizeof text, "%s%s", yaml ? "---\n" : "",
						 samples[i].text);
			assert_true(r.len < sizeof text);
			each_of_building(samples[i].kind, &r, build_model);
		}
}

TEST(sealing_and_more)
{
	struct run r = { .text = world_text, .len = strlen(world_text) };

	each_of_building("seal", &r, build_sealed);
	each_of_building("tape", &r, build_tape);
	each_of_building("change of cells", &r, build_cells);
	each_of_building("change of objects", &r, build_general);
	r = (struct run){ .text = entitled_text, .len = strlen(entitled_text) };
	each_of_building("seal, entitled", &r, build_sealed);
	each_of_building("tape, entitled", &r, build_tape);
	r = (struct run){ .text = kai_jobs_text, .len = strlen(kai_jobs_text) };
	each_of_building("seal, jobs of KAI", &r, build_sealed);
	r = (struct run){ .text = kueue_jobs_text, .len = strlen(kueue_jobs_text) };
	each_of_building("seal, jobs of Kueue", &r, build_sealed);
}

/* After a cycle in which somebody must go, with a quota and a priority that are not the model's. */
static struct fl_policy *stepped(struct fl_model *m)
{
	const struct fl_policy_options options = { .mem = &fl_mem_heap, .now = NOW * FL_SECOND };
	struct run r = { .ops = ops, .m = m };

	assert_int_equal(ops->new (m, &options, &r.p, NULL), 0);
	assert_int_equal(call_nominal(&r, NULL), 0);
	assert_int_equal(call_priority(&r, NULL), 0);
	assert_int_equal(call_step(&r, NULL), 0);
	return r.p;
}

static void each_operation(bool settles)
{
	struct run r = { .ops = ops, .look = look, .unmarked = call_mark, .text = world_text };

	assert_int_equal(fl_model_new(&fl_mem_heap, &r.m, NULL), 0);
	assert_int_equal(fl_kube_read(r.m, "in", world_text, strlen(world_text), NULL), 0);
	r.m->settings.settles = settles;
	assert_int_equal(fl_model_seal(r.m, NULL), 0);
	assert_int_equal(r.m->n_workloads, 4);
	each_of_building("policy", &r, build_policy);
	r.p = stepped(r.m);
	each_of_building("adopt", &r, build_adopted);
	r.p = ops->free(r.p);
	for (size_t i = 0; i < COUNT(rows); i++)
		each_of_operations(&rows[i], &r);
	fl_model_free(r.m);
}

TEST(operations) { each_operation(/* settles= */ false); }

TEST(operations_that_settle) { each_operation(/* settles= */ true); }

int main(void)
{
	for (size_t i = 0; i < COUNT(world_parts); i++)
		strcat(world_text, world_parts[i]);
	return unit_run_tests("fault/internal", unit_tests, NULL, NULL);
}
