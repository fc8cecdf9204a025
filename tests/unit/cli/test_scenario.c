/* SPDX-License-Identifier: Apache-2.0 */
/* A scenario with files laid over it and options turned: each changes what it says, and no more. */
#include "cli/input/scenario.h"

#include <math.h>
#include <unistd.h>

#include "decide/policy.h"
#include "lib/unit.h"

static const char borrow[] =
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n---\n"
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: top}\n---\n"
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: a}\n"
	"spec: {cohortName: top, namespaceSelector: {}, resourceGroups: [{coveredResources: [cpu],\n"
	"  flavors: [{name: f, resources: [{name: cpu, nominalQuota: 4, borrowingLimit: 3}]}]}]}\n---\n"
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
	"metadata: {name: l, namespace: ns}\nspec: {clusterQueue: a}\n---\n"
	"apiVersion: fairlead.dev/v1alpha1\nkind: Simulation\nmetadata: {name: s}\n"
	"spec:\n  seed: 7\n  until: 2d\n  eviction: {grace: 10s, checkpoint: 5m}\n"
	"  queueTemplates: [{match: u-*, clusterQueue: {cohortName: top, resourceGroups: [\n"
	"    {coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: 1}]}]}]}}]\n"
	"  classes:\n"
	"  - {name: c, to: u-1, count: 3, every: 10m, runs: {uniform: [1h, 2h]}, requests: {cpu: 1}}\n"
	"  - {name: d, to: u-2, count: 2, every: 20m, runs: 1h, requests: {cpu: 1}}\n";

static const char entitle[] =
	"apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: q}\nspec: {resources: {\n"
	"  cpu: {quota: 1000, limit: -1, overQuotaWeight: 1}, gpu: {quota: 4, limit: 8, overQuotaWeight: 1},\n"
	"  memory: {quota: -1, limit: -1, overQuotaWeight: 1}}}\n---\n"
	"apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: 8, memory: 1Gi, nvidia.com/gpu: 8, pods: 100}}\n";

static char folder[] = "/tmp/fairlead-scenario-XXXXXX";

static char *put(const char *name, const char *text)
{
	char *path = NULL;
	FILE *f;

	assert_true(asprintf(&path, "%s/%s", folder, name) > 0);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	return path;
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	static const char *const names[] = { "scenario.yaml", "overlay.yaml" };
	char path[128];

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		unlink(path);
	}
	return rmdir(folder);
}

/* Opens and returns the code; the error's text is in *err. */
static int open_text(struct fl_scenario *s, const char *text, const char *overlay,
		     const struct fl_scenario_option *option, fairlead_error *err)
{
	char *file = put("scenario.yaml", text);
	char *over = overlay ? put("overlay.yaml", overlay) : NULL;
	struct fl_options o = { .verb = "simulate", .files = &file, .n_files = 1 };
	int rc = fl_scenario_vary(s, &o, &over, over != NULL, option, option != NULL, err);

	free(over);
	free(file);
	return rc;
}

static const struct fl_node_row *node(const struct fl_model *m, const char *name)
{
	for (uint32_t i = 0; i < m->n_nodes; i++)
		if (strcmp(fl_model_text(m, m->nodes[i].name), name) == 0)
			return &m->nodes[i];
	fail_msg("no node %s", name);
	return NULL;
}

static const struct fl_quota *quota(const struct fl_model *m, const char *name)
{
	struct fl_quota_walk walk = { 0 };
	uint32_t n = (uint32_t)(node(m, name) - m->nodes);

	return fl_model_next_quota(m, (struct fl_node){ n }, &walk);
}

TEST(plain)
{
	struct fl_scenario s;
	fairlead_error err = { 0 };

	assert_int_equal(open_text(&s, borrow, NULL, NULL, &err), 0);
	const struct fl_model *m = s.snapshot.model;
	assert_int_equal(m->simulation.seed, 7);
	assert_int_equal(m->simulation.until, 2 * 86400 * FL_SECOND);
	assert_int_equal(m->simulation.checkpoint, 300 * FL_SECOND);
	assert_int_equal(m->n_lives, 5);
	assert_int_equal(s.start, 0);
	assert_int_equal(m->lives[1].arrives - m->lives[0].arrives, 600 * FL_SECOND);
	/* Two queues of one template, each a ClusterQueue with a LocalQueue of its own. */
	assert_int_equal(quota(m, "u-1")->nominal, 1000);
	assert_int_equal(quota(m, "u-2")->nominal, 1000);
	assert_int_equal(m->n_queues, 3);
	for (uint32_t w = 0; w < m->n_workloads; w++)
		assert_int_equal(m->workloads[w].excluded, FL_INCLUDED);
	assert_non_null(s.snapshot.policy);
	fl_scenario_done(&s);
}

/* A Simulation field by field, any other object whole. */
TEST(overlays)
{
	static const char over[] =
		"apiVersion: fairlead.dev/v1alpha1\nkind: Simulation\nmetadata: {name: other}\n"
		"spec:\n  eviction: {checkpoint: always}\n"
		"  classes: [{name: e, to: a, count: 1, runs: 1h, requests: {cpu: 1}}]\n---\n"
		"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: top}\n"
		"spec: {fairSharing: {weight: 3}}\n---\n"
		"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: new}\n";
	struct fl_scenario s;
	fairlead_error err = { 0 };

	assert_int_equal(open_text(&s, borrow, over, NULL, &err), 0);
	const struct fl_model *m = s.snapshot.model;
	assert_int_equal(m->simulation.checkpoint, 0);
	assert_int_equal(m->simulation.grace, 10 * FL_SECOND);
	assert_int_equal(m->simulation.seed, 7);
	assert_string_equal(fl_model_text(m, m->simulation.name), "s");
	assert_int_equal(m->n_lives, 1);
	assert_true(node(m, "top")->weight == 3);
	assert_true(node(m, "new")->declared);
	fl_scenario_done(&s);
}

/* One where there was none is read as it stands. */
TEST(overlay_without_simulation)
{
	static const char over[] =
		"apiVersion: fairlead.dev/v1alpha1\nkind: Simulation\nmetadata: {name: only}\n"
		"spec: {seed: 3, trees: [gone.yaml]}\n";
	struct fl_scenario s;
	fairlead_error err = { 0 };

	assert_int_equal(open_text(&s, entitle, over, NULL, &err), FAIRLEAD_EINPUT);
	assert_non_null(strstr(err.file, "/gone.yaml"));
	assert_non_null(strstr(err.hint, "overlay.yaml:4:25"));
	fl_scenario_done(&s);
}

static double seed_of(const struct fl_model *m) { return (double)m->simulation.seed; }
static double grace_of(const struct fl_model *m) { return (double)m->simulation.grace / 1e9; }
static double checkpoint_of(const struct fl_model *m)
{
	return (double)m->simulation.checkpoint / 1e9;
}
static double interval_of(const struct fl_model *m)
{
	return (double)m->simulation.cycle_interval / 1e9;
}
static double until_of(const struct fl_model *m) { return (double)m->simulation.until / 1e9; }
static double gap_of(const struct fl_model *m)
{
	return (double)(m->lives[1].arrives - m->lives[0].arrives) / 1e9;
}
static double length_of(const struct fl_model *m) { return (double)m->lives[4].runs / 1e9; }
static double weight_of_a(const struct fl_model *m) { return node(m, "a")->weight; }
static double weight_of_top(const struct fl_model *m) { return node(m, "top")->weight; }
static double weight_of_l(const struct fl_model *m) { return m->queues[0].weight; }
static double quota_of_a(const struct fl_model *m) { return (double)quota(m, "a")->nominal; }
static double limit_of_a(const struct fl_model *m)
{
	return (double)quota(m, "a")->borrowing_limit;
}
static double lending_of_a(const struct fl_model *m)
{
	return (double)quota(m, "a")->lending_limit;
}
static double quota_of_u1(const struct fl_model *m) { return (double)quota(m, "u-1")->nominal; }
static double quota_of_u2(const struct fl_model *m) { return (double)quota(m, "u-2")->nominal; }
static const struct fl_entitlement *of_q(const struct fl_model *m)
{
	return &m->entitlements[node(m, "q")->entitlement];
}
static double gpus_of_q(const struct fl_model *m) { return of_q(m)->deserved.of[FL_GPU]; }
static double memory_of_q(const struct fl_model *m) { return of_q(m)->deserved.of[FL_MEMORY]; }
static double gpu_limit_of_q(const struct fl_model *m) { return of_q(m)->limit.of[FL_GPU]; }
static double weight_of_q(const struct fl_model *m) { return of_q(m)->weight.of[FL_CPU]; }
static double k_of(const struct fl_model *m) { return m->entitle.k; }
static double window_of(const struct fl_model *m) { return (double)m->entitle.window / 1e9; }
static double half_life_of(const struct fl_model *m) { return (double)m->entitle.half_life / 1e9; }

TEST(options)
{
	static const struct {
		const char *text;
		struct fl_scenario_option option;
		double (*get)(const struct fl_model *m);
		double wanted;
		const char *error;
	} rows[] = {
		{ borrow, { "seed", 11 }, seed_of, 11, NULL },
		{ borrow, { "grace", 0 }, grace_of, 0, NULL },
		{ borrow, { "checkpoint", 0.5 }, checkpoint_of, 0.5, NULL },
		{ borrow, { "cycle-interval", 2 }, interval_of, 2, NULL },
		{ borrow, { "until", 86400 }, until_of, 86400, NULL },
		{ borrow, { "load", 2 }, gap_of, 300, NULL },
		{ borrow, { "runtime", 0.5 }, length_of, 1800, NULL },
		{ borrow, { "weight:a", 2.5 }, weight_of_a, 2.5, NULL },
		{ borrow, { "weight:top", 4 }, weight_of_top, 4, NULL },
		{ borrow, { "weight:ns/l", 5 }, weight_of_l, 5, NULL },
		{ borrow, { "quota:a", 1.5 }, quota_of_a, 6000, NULL },
		{ borrow, { "quota:a", 1.5 }, limit_of_a, 4500, NULL },
		{ borrow, { "quota:a", 1.5 }, lending_of_a, FL_NO_LIMIT, NULL },
		{ borrow, { "quota:u-1", 3 }, quota_of_u1, 3000, NULL },
		{ borrow,
		  { "quota:u-1", 3 },
		  quota_of_u2,
		  1000,
		  NULL }, /* its twin keeps its own */
		{ entitle, { "quota:q", 0.5 }, gpus_of_q, 2, NULL },
		{ entitle, { "quota:q", 0.5 }, gpu_limit_of_q, 4, NULL },
		{ entitle, { "quota:q", 0.5 }, memory_of_q, FL_UNBOUNDED, NULL },
		{ entitle, { "weight:q", 6 }, weight_of_q, 6, NULL },
		{ entitle, { "k", 2 }, k_of, 2, NULL },
		{ entitle, { "window", 3600 }, window_of, 3600, NULL },
		{ entitle, { "half-life", 60 }, half_life_of, 60, NULL },
		{ borrow, { "half-life", 60 }, NULL, 0, "needs admissionFairSharing" },
		{ borrow,
		  { "k", 1 },
		  NULL,
		  0,
		  "belongs to the entitle policy, and this is borrow" },
		{ borrow,
		  { "window", 60 },
		  NULL,
		  0,
		  "belongs to the entitle policy, and this is borrow" },
		{ borrow, { "window", 0 }, NULL, 0, "expected more than 0" },
		{ borrow, { "load", -1 }, NULL, 0, "expected a number of 0 or more" },
		{ borrow, { "load", INFINITY }, NULL, 0, "expected a number of 0 or more" },
		{ borrow, { "seed", 1.5 }, NULL, 0, "expected a whole number" },
		{ borrow, { "grace", 1e12 }, NULL, 0, "more than 250 years" },
		{ borrow, { "weight:b", 1 }, NULL, 0, "no queue or cohort of that name" },
		{ borrow, { "quota:top", 2 }, NULL, 0, "it has no quota" },
		{ borrow, { "weight:", 2 }, NULL, 0, "there is no option 'weight:' to sweep" },
		{ borrow, { "halflife", 2 }, NULL, 0, "there is no option 'halflife' to sweep" },
		{ entitle, { "load", 2 }, NULL, 0, "there are none" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *row = rows[i].option.name;
		struct fl_scenario s;
		fairlead_error err = { 0 };
		int rc = open_text(&s, rows[i].text, NULL, &rows[i].option, &err);

		CHECK(rc == (rows[i].error ? FAIRLEAD_EINPUT : 0), row);
		if (rows[i].error)
			CHECK(strstr(err.text, rows[i].error), row);
		else
			CHECK(rows[i].get(s.snapshot.model) == rows[i].wanted, row);
		fl_scenario_done(&s);
	}
}

TEST(units)
{
	assert_string_equal(fl_scenario_unit("half-life"), "seconds");
	assert_string_equal(fl_scenario_unit("quota:a"), "times");
	assert_string_equal(fl_scenario_unit("weight:a"), "");
	assert_null(fl_scenario_unit("quota"));
	assert_null(fl_scenario_unit("quota:"));
}

UNIT_GROUP_IN(make_folder, remove_folder, "scenario")
