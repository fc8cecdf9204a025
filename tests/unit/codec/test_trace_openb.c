/* SPDX-License-Identifier: Apache-2.0 */
/* openb's pods and nodes to workloads, flavors, quota and machines. */
#include "codec/trace/openb.h"
#include "lib/unit.h"
#include "unit/codec/trace_load.h"

#define PODS                                                                                       \
	"name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"        \
	"deletion_time,scheduled_time\n"
#define NODES "sn,cpu_milli,memory_mib,gpu,model\n"
#define SOURCE(more)                                                                               \
	"sources: [{openb: {pods: jobs, nodes: nodes}, " more "queues: [{to: '{queue}'}]}]"

static const char pods[] = PODS "p0,6000,12288,1,460,,LS,Running,5,105,7\n"
				"p1,1000,1024,0,0,,BE,Succeeded,10,20,10\n"
				"p2,8000,4096,2,1000,P100|T4,LS,Failed,11,,12\n"
				"p3,1000,1024,1,1000,,BE,Pending,20,50,\n";
static const char nodes[] = NODES "n0,32000,262144,0,\n"
				  "n1,96000,524288,8,T4\n"
				  "n2,64000,262144,2,P100\r\n"
				  "\n"
				  "n3,64000,262144,2,P100\n";

static int add(struct fl_model *m, const char *node_text, const char *pod_text, fairlead_error *err)
{
	struct trace_text t;
	struct fl_source source = trace_source(&t, node_text, 100);
	int r;

	*err = (fairlead_error){ 0 };
	r = fl_trace_read_nodes(m, 0, "nodes", &source, err);
	return r < 0 ? r : trace_add(m, pod_text, 100, err);
}

static const struct fl_quota *quota(const struct fl_model *m, const char *node, const char *flavor,
				    const char *resource)
{
	struct fl_node n = fl_model_find_node(m, FL_COHORT, node);
	const struct fl_quota *q;
	struct fl_quota_walk walk = { 0 };

	if (n.v == FL_NONE)
		n = fl_model_find_node(m, FL_CLUSTER_QUEUE, node);
	assert_true(n.v != FL_NONE);
	while ((q = fl_model_next_quota(m, n, &walk)))
		if (strcmp(fl_model_text(m, q->flavor_name), flavor) == 0 &&
		    strcmp(fl_model_text(m, q->resource_name), resource) == 0)
			return q;
	fail_msg("no quota of %s in %s of %s", resource, flavor, node);
	return NULL;
}

TEST(a_tree_is_made)
{
	struct fl_model *m = trace_trees(TRACE_SIMULATION(SOURCE("")));
	const struct fl_life_row *life;
	const struct fl_podset *p;
	fairlead_error err;
	char line[512];

	assert_int_equal(add(m, nodes, pods, &err), 0);
	assert_non_null(strstr(load_notice_line(m, FL_NOTICE_JOBS_LEFT_OUT, line),
			       "1 of 4 jobs are left out: 1 cancelled while pending"));
	assert_int_equal(fl_simulation_fix_times(m, NULL), 0);
	assert_int_equal(fl_model_seal(m, &err), 0);
	assert_int_equal(m->n_flavors, 3);
	assert_string_equal(fl_model_text(m, m->flavors[0].name), "cpu"); /* is tried first */
	assert_string_equal(fl_model_text(m, m->flavors[1].name), "p100");
	assert_string_equal(fl_model_text(m, m->labels[m->flavors[1].labels.first].value), "P100");
	assert_int_equal(quota(m, "openb", "cpu", "cpu")->nominal, 32000);
	assert_int_equal(quota(m, "openb", "p100", "cpu")->nominal, 128000);
	assert_int_equal(quota(m, "openb", "t4", "fairlead.dev/gpu-milli")->nominal, 8000);
	assert_int_equal(quota(m, "openb", "t4", "memory")->nominal, INT64_C(524288) << 20);
	assert_int_equal(quota(m, "LS", "t4", "cpu")->nominal, 0);
	assert_int_equal(quota(m, "BE", "t4", "cpu")->borrowing_limit, FL_NO_LIMIT);

	assert_int_equal(m->n_workloads, 3);
	life = &m->lives[0];
	assert_int_equal(m->simulation.start, 0);
	assert_int_equal(life->arrives, 0); /* the first one is the beginning */
	assert_int_equal(life->runs, 98 * FL_SECOND);
	assert_int_equal(life->waited, 2 * FL_SECOND);
	assert_int_equal(m->lives[1].arrives, 5 * FL_SECOND);
	assert_int_equal(m->lives[2].runs, FL_NEVER); /* it was not deleted */
	p = &m->podsets[m->workloads[0].podsets.first];
	assert_int_equal(p->requests.n, 3);
	assert_int_equal(m->requests[p->requests.first].amount, 6000);
	assert_int_equal(m->requests[p->requests.first + 1].amount, 460);
	assert_int_equal(m->requests[p->requests.first + 2].amount, INT64_C(12288) << 20);
	p = &m->podsets[m->workloads[2].podsets.first];
	assert_int_equal(m->requests[p->requests.first + 1].amount, 2000);
	assert_true(p->has_affinity);
	assert_int_equal(m->requirements[m->terms[p->affinity.first].requirements.first].values.n,
			 2);
	for (uint32_t w = 0; w < 3; w++)
		assert_int_equal(m->workloads[w].excluded, FL_INCLUDED);
	fl_model_free(m);
}

TEST(pods_that_were_never_scheduled)
{
	struct fl_model *m = trace_trees(TRACE_SIMULATION(SOURCE("cancelled: true, ")));
	fairlead_error err;

	assert_int_equal(add(m, nodes, pods, &err), 0);
	assert_int_equal(m->n_lives, 4);
	assert_int_equal(m->lives[3].leaves - m->lives[3].arrives, 30 * FL_SECOND);
	assert_int_equal(m->lives[3].runs, 30 * FL_SECOND);
	fl_model_free(m);
}

/* 4294968 GPUs and 704 thousandths are the same in the lower 32 bits. */
TEST(shapes_differ_in_all_digits)
{
	struct fl_model *m = trace_trees(TRACE_SIMULATION(SOURCE("")));
	const struct fl_workload_row *w;
	fairlead_error err;

	assert_int_equal(add(m, nodes,
			     PODS "few,1000,1024,1,704,,LS,Running,5,105,7\n"
				  "many,1000,1024,4294968,1000,,LS,Running,6,105,7\n",
			     &err),
			 0);
	w = m->workloads;
	assert_int_equal(m->n_workloads, 2);
	assert_int_not_equal(w[0].podsets.first, w[1].podsets.first);
	fl_model_free(m);
}

TEST(quota_for_a_cohort_of_the_document)
{
	struct fl_model *m = trace_trees(
		"apiVersion: kueue.x-k8s.io/v1beta1\nkind: ResourceFlavor\nmetadata: {name: t4}\n"
		"---\napiVersion: kueue.x-k8s.io/v1beta1\nkind: Cohort\nmetadata: {name: openb}\n"
		"---\napiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\nmetadata: {name: LS}\n"
		"spec: {cohort: openb, namespaceSelector: {}}\n" TRACE_SIMULATION(
			"sources: [{openb: {pods: jobs, nodes: nodes}, queues: [{to: LS}]}]"));
	fairlead_error err;

	assert_int_equal(add(m, nodes, pods, &err), 0);
	assert_int_equal(fl_model_seal(m, &err), 0);
	assert_int_equal(m->n_flavors, 3); /* t4 is the document's own */
	assert_int_equal(quota(m, "openb", "p100", "cpu")->nominal, 128000);
	assert_int_equal(m->n_nodes, 2);
	fl_model_free(m);
}

TEST(machines_for_the_other_policy)
{
	struct fl_model *m;
	fairlead_error err;

	assert_int_equal(fl_model_new(&fl_mem_heap, &m, &err), 0);
	m->wanted = FL_DIALECT_KAI;
	assert_int_equal(fl_kube_read(m, "in", TRACE_SIMULATION(SOURCE("")),
				      strlen(TRACE_SIMULATION(SOURCE(""))), &err),
			 0);
	assert_int_equal(add(m, nodes, pods, &err), 0);
	assert_int_equal(fl_simulation_fix_times(m, NULL), 0);
	assert_int_equal(fl_model_seal(m, &err), 0);
	assert_int_equal(fl_model_dialect(m), FL_DIALECT_KAI);
	assert_int_equal(m->n_machines, 4);
	assert_true(m->machines[1].allocatable.of[FL_GPU] == 8);
	assert_true(m->machines[1].allocatable.of[FL_MEMORY] == 524288.0 * (1 << 20));
	assert_int_equal(m->n_workloads, 3);
	assert_true(m->tasks[0].request.of[FL_GPU] == 0.46);
	for (uint32_t w = 0; w < 3; w++)
		assert_int_equal(m->workloads[w].excluded, FL_INCLUDED);
	assert_true(fl_model_find_node(m, FL_QUEUE, "LS").v != FL_NONE);
	fl_model_free(m);
}

TEST(what_is_refused)
{
	static const struct {
		const char *name, *nodes, *pods, *error;
	} rows[] = {
		{ "no column", nodes, "name,cpu_milli,memory_mib,num_gpu,gpu_milli\n",
		  "jobs:1:1: no column 'creation_time' in the first line" },
		{ "nothing", nodes, "", "jobs:0:1: is empty" },
		{ "no nodes", NODES, pods, "nodes:1:1: no node in it" },
		{ "too few", nodes, PODS "p0,1,1\n", "jobs:2:7: 3 fields, the first line has 11" },
		{ "too many", nodes, PODS "p0,1,1,0,0,,LS,Running,5,6,5,9\n",
		  "jobs:2:30: more than the 11 fields of the first line" },
		{ "quoted", nodes, PODS "\"p0\",1,1,0,0,,LS,Running,5,6,5\n",
		  "jobs:2:1: fields in quotation marks are not supported" },
		{ "garbage", nodes, PODS "p0,1,one,0,0,,LS,Running,5,6,5\n",
		  "jobs:2:6: memory_mib: 'one' is not a number" },
		{ "negative", nodes, PODS "p0,1,1,-1,0,,LS,Running,5,6,5\n",
		  "jobs:2:8: num_gpu: '-1' is below 0" },
		{ "never created", nodes, PODS "p0,1,1,0,0,,LS,Running,,6,5\n",
		  "jobs:2:24: no creation_time" },
		{ "backwards", nodes,
		  PODS "p0,1,1,0,0,,LS,Running,5,6,5\np1,1,1,0,0,,LS,Running,4,6,5\n",
		  "jobs:3:24: arrives 1 s before the job above it, but jobs must be in the order of arrival" },
		{ "scheduled early", nodes, PODS "p0,1,1,0,0,,LS,Running,5,6,4\n",
		  "jobs:2:28: scheduled before it was created" },
		{ "deleted early", nodes, PODS "p0,1,1,0,0,,LS,Running,5,6,7\n",
		  "jobs:2:26: deleted before it was scheduled" },
		{ "no name", nodes, PODS ",1,1,0,0,,LS,Running,5,6,5\n",
		  "jobs:2:1: the name is empty" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_model *m = trace_trees(TRACE_SIMULATION(SOURCE("")));
		fairlead_error err;
		char line[1024];

		CHECK(add(m, rows[i].nodes, rows[i].pods, &err) == FAIRLEAD_EINPUT, rows[i].name);
		assert_string_equal(trace_error(&err, line), rows[i].error);
		fl_model_free(m);
	}
}

UNIT_GROUP("trace-openb")
