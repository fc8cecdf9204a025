/* SPDX-License-Identifier: Apache-2.0 */
/* A configuration: read whole or not at all, and the models that are made of it. */
#include <unistd.h>

#include "daemon/config/config.h"
#include "daemon/config/config_queue.h"
#include "daemon/config/config_warn.h"
#include "folder.h"

#define DAEMON(spec)                                                                               \
	"apiVersion: fairlead.dev/v1alpha1\nkind: Daemon\nmetadata: {name: d}\nspec: " spec "\n"
#define QUEUE(name, more)                                                                          \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: " name      \
	"}\nspec: {namespaceSelector: {}" more "}\n"
#define QUOTA(flavor, amount)                                                                      \
	", resourceGroups: [{coveredResources: [cpu], flavors: [{name: " flavor                    \
	", resources: [{name: cpu, nominalQuota: " amount "}]}]}]"
#define LOCAL(namespace, name, to)                                                                 \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: " name        \
	", namespace: " namespace "}\nspec: {clusterQueue: " to "}\n"
#define COHORT(name, more)                                                                         \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: " name            \
	"}\nspec: {" more "}\n"
#define KAI(name, more)                                                                            \
	"---\napiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: " name               \
	"}\nspec: {resources: {cpu: {quota: 1000}, gpu: {quota: 1}, memory: {quota: 1}}" more      \
	"}\n"
#define POD                                                                                        \
	"---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: n}\nspec: {containers: []}\n"

static const struct fl_capacity_row rows[] = {
	{ "default", "cpu", 8000 },
	{ "default", "memory", INT64_C(16) << 30 },
	{ "a100", "nvidia.com/gpu", 2 },
};
static const struct fl_capacity capacity = { .rows = rows, .n = COUNT(rows) };

static struct folder here;

static int set_up(void **state)
{
	(void)state;
	folder_make(&here);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	folder_gone(&here);
	return 0;
}

static struct fl_config *open_config(const char *text)
{
	struct fl_config *c = NULL;
	fairlead_error err = { 0 };

	folder_write(&here, "d.yaml", text);
	if (fl_config_read(folder_path(&here, "d.yaml"), &c, &err) < 0)
		fail_msg("%s:%u:%u: %s: %s", err.file, err.line, err.column, err.subject, err.text);
	return c;
}

static struct fl_model *model_of(const struct fl_config *c, const struct fl_capacity *has)
{
	struct fl_model *m = NULL;
	fairlead_error err = { 0 };

	if (fl_config_model(c, has, &fl_mem_heap, &m, &err) < 0 || fl_model_seal(m, &err) < 0)
		fail_msg("%s: %s", err.subject, err.text);
	return m;
}

static fl_amount nominal(const struct fl_model *m, enum fl_node_kind kind, const char *node,
			 const char *flavor, const char *resource)
{
	struct fl_quota_walk walk = { 0 };
	struct fl_node n = fl_model_find_node(m, kind, node);
	const struct fl_quota *q;

	if (n.v == FL_NONE)
		return -2;
	while ((q = fl_model_next_quota(m, n, &walk)))
		if (strcmp(fl_model_text(m, q->flavor_name), flavor) == 0 &&
		    strcmp(fl_model_text(m, q->resource_name), resource) == 0)
			return q->nominal;
	return -1;
}

static uint32_t count(const struct fl_model *m, enum fl_notice_kind kind)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->n_notices; i++)
		n += m->notices[i].kind == kind;
	return n;
}

static const char *text_of(const struct fl_model *m, enum fl_notice_kind kind)
{
	for (uint32_t i = 0; i < m->n_notices; i++)
		if (m->notices[i].kind == kind)
			return fl_model_text(m, m->notices[i].text);
	return "";
}

/* --- what is refused --- */

TEST_IN(set_up, tear_down, refused)
{
	static const struct {
		const char *text, *subject, *says, *hint;
	} table[] = {
		{ DAEMON("{stat: /x}"), "Daemon/d .spec.stat", "unknown field 'stat'",
		  "did you mean 'state'?" },
		{ "{}", "", "no kind", "a Kubernetes object has an apiVersion and a kind" },
		{ COHORT("c", ""), "", "there is no Daemon in this file",
		  "doc/guide/daemon.md has an example" },
		{ DAEMON("{tree: [missing.yaml]}"), "", "no such file or directory",
		  "PATH:4:15 names it" },
		{ DAEMON("{tree: [none]}"), "", "no manifests in this folder",
		  "files named *.yaml, *.yml or *.json, also with .gz, are read" },
		{ DAEMON("{tree: [more-*.yaml]}"), "", "no file matches this pattern",
		  "PATH:4:15 names it" },
		{ DAEMON("{tree: ['-']}"), "", "no such file or directory", "PATH:4:15 names it" },
		{ DAEMON("{tree: [bad.yaml]}"), "ClusterQueue/q .spec.resourceGroups",
		  "expected a list, not a number", "" },
		{ DAEMON("{tree: [second.yaml]}"), "Daemon/d", "a second Daemon",
		  "the first is at PATH:1:1" },
		{ DAEMON("{tree: [image]}"), "",
		  "is an image, but a configuration is read from objects",
		  "give the manifests that the image was saved from" },
		{ DAEMON("{}") QUEUE("q", "") QUEUE("q", ""), "ClusterQueue/q", "defined twice",
		  "first defined at PATH:6:1" },
		{ DAEMON("{}") QUEUE("q", "") KAI("k", ""), "",
		  "the trees have objects of both Kueue and KAI",
		  "a daemon uses objects of one of them: remove the others" },
		{ DAEMON("{machine: {cohort: c}}") KAI("k", ""), "Daemon/d .spec.machine.cohort",
		  "the trees have KAI's queues, and KAI has no cohorts",
		  "remove it: all queues share the machine" },
		{ DAEMON("{machine: {cohort: compani}}") QUEUE("q", ", cohortName: company"),
		  "Daemon/d .spec.machine.cohort", "there is no cohort 'compani'",
		  "did you mean 'company'?" },
		{ DAEMON("{machine: {cohort: c}}")
			  COHORT("c", "parentName: top" QUOTA("default", "1")),
		  "Daemon/d .spec.machine.cohort", "cohort 'c' has quota of its own",
		  "its quota is the capacity of the machine: remove its resourceGroups" },
		{ DAEMON("{access: {queues: [{queue: team-b}]}}") QUEUE("team-a", ""),
		  "Daemon/d .spec.access.queues", "there is no queue 'team-b'",
		  "did you mean 'team-a'?" },
		{ DAEMON("{access: {queues: [{queue: q}]}}") QUEUE("q", "") LOCAL("a", "x", "q")
			  LOCAL("b", "y", "q"),
		  "Daemon/d .spec.access.queues", "several LocalQueues lead to 'q'",
		  "name one of them: a/x, b/y" },
	};

	folder_write(&here, "bad.yaml", QUEUE("q", ", resourceGroups: 7"));
	folder_write(&here, "second.yaml", DAEMON("{}"));
	folder_write(&here, "image",
		     "\x8f"
		     "FLIMG\r\n");
	assert_int_equal(mkdir(folder_path(&here, "none"), 0700), 0);
	for (size_t i = 0; i < COUNT(table); i++) {
		struct fl_config *c = NULL;
		fairlead_error err = { 0 };
		char hint[1024], *path;
		int r;

		folder_write(&here, "d.yaml", table[i].text);
		r = fl_config_read(folder_path(&here, "d.yaml"), &c, &err);
		CHECK(r < 0 && r == err.code && !c, table[i].text);
		if (strcmp(err.text, table[i].says) != 0 ||
		    strcmp(err.subject, table[i].subject) != 0)
			fail_msg("row '%s': '%s': '%s'", table[i].text, err.subject, err.text);
		(void)snprintf(hint, sizeof hint, "%s", table[i].hint);
		path = strstr(hint, "PATH");
		if (path) {
			(void)snprintf(hint, sizeof hint, "%.*s%s%s", (int)(path - hint),
				       table[i].hint, folder_path(&here, "d.yaml"),
				       strstr(table[i].hint, "PATH") + 4);
		}
		if (strcmp(err.hint, hint) != 0)
			fail_msg("row '%s': hint '%s', not '%s'", table[i].text, err.hint, hint);
	}
}

TEST_IN(set_up, tear_down, refused_files)
{
	struct fl_config *c = NULL;
	fairlead_error err = { 0 };

	assert_int_equal(fl_config_read("-", &c, &err), FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "a configuration must be a file: a reload reads it again");
	assert_int_equal(fl_config_read(folder_path(&here, "no"), &c, &err), FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "no such file or directory");
	folder_write(&here, "d.yaml", "");
	assert_int_equal(truncate(folder_path(&here, "d.yaml"), ((off_t)64 << 20) + 1), 0);
	err = (fairlead_error){ 0 };
	assert_int_equal(fl_config_read(folder_path(&here, "d.yaml"), &c, &err), FAIRLEAD_ELIMIT);
	assert_string_equal(err.text, "the configuration is larger than 64 MiB in all");
	assert_string_equal(err.hint, "only queues, cohorts, flavors and settings are needed");
	assert_null(c);
	/* It would be kept in the database as JSON, which has no such name. */
	assert_int_equal(mkdir(folder_path(&here, "tree"), 0700), 0);
	folder_write(&here, "tree/caf\xe9.yaml", COHORT("c", ""));
	folder_write(&here, "d.yaml", DAEMON("{tree: [tree]}"));
	err = (fairlead_error){ 0 };
	assert_int_equal(fl_config_read(folder_path(&here, "d.yaml"), &c, &err), FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "the name of this file is not UTF-8");
	assert_string_equal(err.file, folder_path(&here, "tree/caf?.yaml"));
	assert_null(c);
}

/* What a cluster has is not limited in all: its nodes alone can be more than a daemon of a machine reads. */
TEST(a_cluster_of_any_size)
{
	enum { OBJECTS = 33, GAP = 2 << 20 };
	struct fl_config_text texts[OBJECTS];
	struct fl_config *c = NULL;
	fairlead_error err = { 0 };

	for (int i = 0; i < OBJECTS; i++) {
		char name[40];

		(void)snprintf(name, sizeof name, "ResourceFlavor/f%d", i);
		texts[i].name = strdup(name);
		texts[i].bytes = malloc(GAP + 200);
		texts[i].len = (size_t)snprintf(texts[i].bytes, GAP + 200,
						"{\"apiVersion\":\"kueue.x-k8s.io/v1beta2\","
						"\"kind\":\"ResourceFlavor\",\"metadata\":"
						"{\"name\":\"f%d\"},%*s\"spec\":{}}",
						i, GAP, "");
	}
	if (fl_config_of_cluster(texts, OBJECTS, FL_DIALECT_KUEUE, &c, &err) < 0)
		fail_msg("%s: %s", err.file, err.text);
	assert_int_equal(fl_config_objects(c)->n_flavors, OBJECTS);
	fl_config_free(c);
	for (int i = 0; i < OBJECTS; i++) {
		free(texts[i].name);
		free(texts[i].bytes);
	}
}

/* --- what is made of it --- */

/* Nothing is said: one queue has the machine. */
TEST_IN(set_up, tear_down, no_tree)
{
	static const struct fl_capacity_row all[] = { { "default", "cpu", 8000 } };
	const struct fl_capacity has = { .rows = all, .n = 1 };
	struct fl_config *c = NULL;
	fairlead_error err;
	struct fl_model *m;
	struct fl_sym namespace, queue;

	assert_int_equal(fl_config_read(NULL, &c, &err), 0);
	assert_false(fl_config_settings(c)->present);
	assert_string_equal(fl_config_word(c, fl_config_settings(c)->backend), "local");
	assert_string_equal(fl_config_word(c, fl_config_settings(c)->machine_name), "node");
	assert_true(fl_config_objects(c)->n_nodes == 2);
	m = model_of(c, &has);
	assert_int_equal(nominal(m, FL_COHORT, "machine", "default", "cpu"), 8000);
	assert_int_equal(nominal(m, FL_CLUSTER_QUEUE, "default", "default", "cpu"), 0);
	assert_int_equal(m->n_notices, 0);
	assert_int_equal(fl_config_queue(m, "default", &namespace, &queue, &err), 0);
	assert_string_equal(fl_model_text(m, namespace), "default");
	assert_int_equal(fl_config_local_queue(m, namespace, queue), 0);
	fl_model_free(m);
	fl_config_free(c);
}

/* The cohort has what nobody else has; who says nothing may borrow it. */
TEST_IN(set_up, tear_down, quotas)
{
	static const char text[] = DAEMON(
		"{machine: {cohort: company, flavors: [{name: default, resources: {cpu: auto, "
		"memory: auto}}, {name: a100, resources: {nvidia.com/gpu: auto}}]}}")
		QUEUE("own", ", cohortName: company" QUOTA("default", "3"))
			QUEUE("deep", ", cohortName: below") COHORT("below", "parentName: company")
				QUEUE("alone", "") QUEUE("round", ", cohortName: x")
					COHORT("x", "parentName: x");
	struct fl_config *c = open_config(text);
	struct fl_model *m = model_of(c, &capacity);

	assert_int_equal(nominal(m, FL_COHORT, "company", "default", "cpu"), 5000);
	assert_true(nominal(m, FL_COHORT, "company", "default", "memory") == INT64_C(16) << 30);
	assert_int_equal(nominal(m, FL_COHORT, "company", "default", "nvidia.com/gpu"), 0);
	assert_int_equal(nominal(m, FL_COHORT, "company", "a100", "nvidia.com/gpu"), 2);
	assert_int_equal(nominal(m, FL_CLUSTER_QUEUE, "own", "default", "cpu"), 3000);
	assert_int_equal(nominal(m, FL_CLUSTER_QUEUE, "own", "a100", "nvidia.com/gpu"), -1);
	assert_int_equal(nominal(m, FL_CLUSTER_QUEUE, "deep", "a100", "nvidia.com/gpu"), 0);
	assert_int_equal(nominal(m, FL_CLUSTER_QUEUE, "alone", "default", "cpu"), -1);
	assert_int_equal(nominal(m, FL_CLUSTER_QUEUE, "round", "default", "cpu"), -1);
	assert_int_equal(count(m, FL_NOTICE_BEYOND_MACHINE), 0);
	assert_int_equal(count(m, FL_NOTICE_MISSING_FLAVOR), 0);
	fl_model_free(m);
	fl_config_free(c);
}

/* A flavor that the trees declare keeps its labels. */
TEST_IN(set_up, tear_down, flavors)
{
	struct fl_config *c = open_config(
		DAEMON("{machine: {cohort: c, flavors: [{name: a100, resources: {cpu: 1}}, {name: "
		       "b, resources: {cpu: 2}}]}}")
			QUEUE("q",
			      ", cohortName: c") "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: "
						 "{name: a100}\nspec: {nodeLabels: {gpu-type: a100}}\n");
	static const struct fl_capacity_row two[] = { { "a100", "cpu", 1000 },
						      { "b", "cpu", 2000 } };
	const struct fl_capacity has = { .rows = two, .n = 2 };
	struct fl_model *m = model_of(c, &has);

	assert_int_equal(m->n_flavors, 2);
	assert_int_equal(m->flavors[0].labels.n, 1);
	assert_true(m->flavors[1].declared && m->flavors[1].labels.n == 0);
	assert_int_equal(nominal(m, FL_CLUSTER_QUEUE, "q", "b", "cpu"), 0);
	fl_model_free(m);
	fl_config_free(c);
}

TEST_IN(set_up, tear_down, promised)
{
	static const struct {
		const char *text, *says;
	} table[] = {
		{ DAEMON("{}") QUEUE("q", QUOTA("default", "10")),
		  "the queues have 10 of 'cpu' in flavor 'default', but the machine has 8" },
		{ DAEMON("{}") QUEUE("q", QUOTA("default", "5")) QUEUE("r", QUOTA("default", "4")),
		  "the queues have 9 of 'cpu' in flavor 'default', but the machine has 8" },
		{ DAEMON("{}") QUEUE("q", QUOTA("default", "10E")),
		  "the queues have an unlimited amount of 'cpu' in flavor 'default', but the machine has "
		  "8" },
		{ DAEMON("{}") QUEUE("q", QUOTA("spot", "1")) QUEUE("r", QUOTA("spot", "1")),
		  "queues have quota for 'cpu' in this flavor, but the machine has none" },
		{ DAEMON("{}") KAI("k", "") KAI("l", ", parentQueue: k"), "" },
		{ DAEMON("{}") KAI("k", "") KAI("l", "") KAI("m", ""),
		  "the queues deserve 3 of 'nvidia.com/gpu', but the machine has 2" },
	};

	for (size_t i = 0; i < COUNT(table); i++) {
		struct fl_config *c = open_config(table[i].text);
		struct fl_model *m = model_of(c, &capacity);
		const char *says = text_of(m, FL_NOTICE_BEYOND_MACHINE);

		if (strcmp(says, table[i].says) != 0)
			fail_msg("row '%s': '%s'", table[i].text, says);
		CHECK(count(m, FL_NOTICE_BEYOND_MACHINE) == (*says != 0), table[i].text);
		fl_model_free(m);
		fl_config_free(c);
	}
}

/* More than the cohort has to give: it gives nothing, and owes nothing. */
TEST_IN(set_up, tear_down, promised_all)
{
	struct fl_config *c = open_config(DAEMON(
		"{machine: {cohort: c}}") QUEUE("q", ", cohortName: c" QUOTA("default", "10")));
	struct fl_model *m = model_of(c, &capacity);

	assert_int_equal(nominal(m, FL_COHORT, "c", "default", "cpu"), 0);
	fl_model_free(m);
	fl_config_free(c);
}

TEST_IN(set_up, tear_down, entitle)
{
	struct fl_config *c = open_config(DAEMON("{machine: {name: big}}") KAI("top", "")
						  KAI("a", ", parentQueue: top")
							  KAI("b", ", parentQueue: top"));
	struct fl_model *m = model_of(c, &capacity);
	struct fl_sym namespace, queue;
	fairlead_error err;

	assert_int_equal(fl_model_dialect(m), FL_DIALECT_KAI);
	assert_int_equal(m->n_machines, 1);
	assert_string_equal(fl_model_text(m, m->machines[0].name), "big");
	assert_true(m->machines[0].allocatable.of[FL_CPU] == 8000.0);
	assert_true(m->machines[0].allocatable.of[FL_GPU] == 2.0);
	assert_int_equal(fl_config_queue(m, "a", &namespace, &queue, &err), 0);
	assert_string_equal(fl_model_text(m, namespace), "default");
	assert_string_equal(fl_model_text(m, queue), "a");
	assert_int_equal(fl_config_queue(m, "top", &namespace, &queue, &err), FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "queue 'top' has queues below it");
	assert_string_equal(err.hint, "name one of those, such as 'a'");
	assert_int_equal(fl_config_queue(m, "tap", &namespace, &queue, &err), FAIRLEAD_ENOENT);
	assert_string_equal(err.hint, "did you mean 'top' or 'a'?");
	fl_model_free(m);
	fl_config_free(c);
}

/* --- names of queues --- */

TEST_IN(set_up, tear_down, names)
{
	static const struct {
		const char *name, *namespace, *queue, *text, *hint;
		int code;
	} table[] = {
		{ "main", "red", "main", "", "", 0 },
		{ "red/main", "red", "main", "", "", 0 },
		{ "team-a", "red", "main", "", "", 0 },       /* by its ClusterQueue */
		{ "team-b", "default", "team-b", "", "", 0 }, /* which had none */
		{ "default/team-b", "default", "team-b", "", "", 0 },
		{ "twice", NULL, NULL, "several LocalQueues are called 'twice'",
		  "name one of them: red/twice, blue/twice", FAIRLEAD_EINPUT },
		{ "blue/twice", "blue", "twice", "", "", 0 },
		{ "team-c", NULL, NULL, "several LocalQueues lead to 'team-c'",
		  "name one of them: red/twice, blue/twice", FAIRLEAD_EINPUT },
		{ "mian", NULL, NULL, "there is no queue 'mian'", "did you mean 'main'?",
		  FAIRLEAD_ENOENT },
		{ "red/mian", NULL, NULL, "there is no queue 'red/mian'",
		  "did you mean 'red/main'?", FAIRLEAD_ENOENT },
		{ "blue/main", NULL, NULL, "there is no queue 'blue/main'", NULL, FAIRLEAD_ENOENT },
		{ "company", NULL, NULL, "there is no queue 'company'",
		  "'fairlead queues' lists the queues", FAIRLEAD_ENOENT },
		{ "", NULL, NULL, "there is no queue ''", NULL, FAIRLEAD_ENOENT },
		{ "/", NULL, NULL, "there is no queue '/'", NULL, FAIRLEAD_ENOENT },
	};
	struct fl_config *c = open_config(
		DAEMON("{machine: {cohort: company}}") QUEUE("team-a", ", cohortName: company")
			QUEUE("team-b", ", cohortName: company") QUEUE("team-c", "")
				LOCAL("red", "main", "team-a") LOCAL("red", "twice", "team-c")
					LOCAL("blue", "twice", "team-c"));
	struct fl_model *m = model_of(c, &capacity);

	for (size_t i = 0; i < COUNT(table); i++) {
		struct fl_sym namespace = { 0 }, queue = { 0 };
		fairlead_error err = { 0 };
		int r = fl_config_queue(m, table[i].name, &namespace, &queue, &err);

		CHECK(r == table[i].code, table[i].name);
		CHECK(strcmp(err.text, table[i].text) == 0, table[i].name);
		if (table[i].hint && strcmp(err.hint, table[i].hint) != 0)
			fail_msg("row '%s': hint '%s'", table[i].name, err.hint);
		if (r < 0)
			continue;
		CHECK(strcmp(fl_model_text(m, namespace), table[i].namespace) == 0, table[i].name);
		CHECK(strcmp(fl_model_text(m, queue), table[i].queue) == 0, table[i].name);
		CHECK(fl_config_local_queue(m, namespace, queue) != FL_NONE, table[i].name);
	}
	/* Each namespace is there, so that a selector can match it. */
	for (uint32_t i = 0; i < m->n_queues; i++)
		assert_non_null(fl_model_find_namespace(m, m->queues[i].namespace));
	fl_model_free(m);
	fl_config_free(c);
}

/* --- files --- */

TEST_IN(set_up, tear_down, files)
{
	const struct fl_config_text *texts;
	struct fl_config *c, *again = NULL;
	struct fl_model *m;
	char hash[33], other[33];
	fairlead_error err;

	assert_int_equal(mkdir(folder_path(&here, "trees"), 0700), 0);
	folder_write(&here, "trees/b.yaml", QUEUE("b", "") POD);
	folder_write(&here, "trees/a.yaml", QUEUE("a", ""));
	/* The folder holds the document itself, and names what was read before. */
	c = open_config(DAEMON("{tree: [trees, 'trees/*.yaml', .]}") QUEUE("own", ""));
	assert_int_equal(fl_config_texts(c, &texts), 3);
	assert_string_equal(texts[0].name, folder_path(&here, "d.yaml"));
	assert_string_equal(texts[1].name, folder_path(&here, "trees/a.yaml"));
	assert_int_equal(texts[1].len, strlen(texts[1].bytes));
	fl_config_hash(c, hash);
	assert_int_equal(strlen(hash), 32);
	m = model_of(c, &capacity);
	assert_int_equal(m->n_nodes, 3);
	assert_int_equal(m->n_tasks, 0);
	assert_string_equal(text_of(m, FL_NOTICE_IGNORED_OBJECT),
			    "1 objects of jobs, machines or simulations are left out");
	fl_model_free(m);

	/* Made again of its texts, whatever has become of the files. */
	assert_int_equal(remove(folder_path(&here, "trees/b.yaml")), 0);
	assert_int_equal(fl_config_again(texts, 3, &again, &err), 0);
	fl_config_free(c);
	fl_config_hash(again, other);
	assert_string_equal(hash, other);
	m = model_of(again, &capacity);
	assert_int_equal(m->n_nodes, 3);
	assert_string_equal(text_of(m, FL_NOTICE_IGNORED_OBJECT),
			    "1 objects of jobs, machines or simulations are left out");
	fl_model_free(m);
	fl_config_free(again);

	folder_write(&here, "trees/a.yaml", QUEUE("a", "") "# changed\n");
	c = open_config(DAEMON("{tree: [trees, 'trees/*.yaml', .]}") QUEUE("own", ""));
	fl_config_hash(c, other);
	assert_string_not_equal(hash, other);
	fl_config_free(c);
}

/* Of nothing: as without a file; of what is refused: nothing. */
TEST_IN(set_up, tear_down, again_of_nothing)
{
	static const struct fl_config_text bad = { (char *)"t", (char *)"kind: x", 7 };
	struct fl_config *c = NULL;
	fairlead_error err = { 0 };

	assert_int_equal(fl_config_again(NULL, 0, &c, &err), 0);
	assert_int_equal(fl_config_objects(c)->n_nodes, 2);
	c = fl_config_free(c);
	assert_int_equal(fl_config_again(&bad, 1, &c, &err), FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "no apiVersion");
	assert_null(c);
}

/* Packed, and named from the folder of the document, wherever one stands. */
TEST_IN(set_up, tear_down, packed)
{
	struct fl_config *c = NULL;
	fairlead_error err;
	char command[1024], was[512];

	folder_write(&here, "q.yaml", QUEUE("q", ""));
	(void)snprintf(command, sizeof command, "gzip -f %s/q.yaml", here.path);
	assert_int_equal(system(command), 0);
	folder_write(&here, "d.yaml", DAEMON("{tree: [q.yaml.gz]}"));
	assert_non_null(getcwd(was, sizeof was));
	assert_int_equal(chdir(here.path), 0);
	assert_int_equal(fl_config_read("d.yaml", &c, &err), 0);
	assert_int_equal(fl_config_objects(c)->n_nodes, 1);
	assert_int_equal(chdir(was), 0);
	fl_config_free(c);
}

static void collect(void *user, const char *line)
{
	char *to = user;

	(void)strcat(strcat(to, line + strlen(here.path) + 1), "\n"); /* without the folder */
}

/* What is taken all the same is told, with its place; what is fine says nothing. */
TEST_IN(set_up, tear_down, warnings)
{
	static const struct {
		const char *text, *says;
	} table[] = {
		{ DAEMON("{machine: {cohort: c}}") QUEUE("q", ", cohortName: c"), "" },
		{ DAEMON("{machine: {cohort: c}}") QUEUE("q", ", cohortName: c")
			  QUEUE("r", ", cohortName: d"),
		  "d.yaml:11:1: warning: ClusterQueue/r: the queue has no quota, so no job that asks for a resource can run; give it resourceGroups, or put it below the machine's cohort "
		  "'c'\n" },
		{ DAEMON("{}") QUEUE("q", ", cohortName: c"),
		  "d.yaml:6:1: warning: ClusterQueue/q: the queue has no quota, so no job that asks for a resource can run; give it resourceGroups, or name in .spec.machine.cohort of the Daemon the cohort that has the machine, for example 'c'\n" },
		{ DAEMON("{machine: {cohort: c}}") QUEUE("q", ", cohortName: c, wait: 1"),
		  "d.yaml:9:52: warning: ClusterQueue/q .spec.wait: unknown field 'wait'\n" },
		{ DAEMON("{machine: {cohort: c}}") QUEUE("q", ", cohortName: c") POD,
		  "d.yaml:1:1: warning: Daemon: 1 objects of jobs, machines or simulations are left out; "
		  "the daemon has jobs and machines of its own\n" },
	};
	const struct fl_capacity has = { .rows = rows, .n = 2 };
	fairlead_error err;

	for (size_t i = 0; i < COUNT(table); i++) {
		struct fl_config *c = open_config(table[i].text);
		char said[2000] = "";

		assert_int_equal(fl_config_warn(c, &has, collect, said, &err), 0);
		assert_string_equal(said, table[i].says);
		fl_config_free(c);
	}
}

/* What a reload does not change. */
TEST_IN(set_up, tear_down, at_start)
{
	static const char flavors[] = DAEMON(
		"{machine: {flavors: [{name: a, resources: {gpu: 2}, devices: {resource: "
		"gpu, numbers: [0, 1]}}], reserved: {cpu: 1}}}");
	static const struct {
		const char *was, *is, *fields;
	} table[] = {
		{ flavors, flavors, "" },
		{ DAEMON("{}"), DAEMON("{jobs: {grace: 1s}, limits: {jobs: 5}}"), "" },
		{ DAEMON("{}"), flavors, ".spec.machine.flavors, .spec.machine.reserved" },
		{ flavors,
		  DAEMON("{machine: {flavors: [{name: a, resources: {gpu: 2}, devices: {resource: "
			 "gpu, numbers: [0, 2]}}], reserved: {cpu: 1}}}"),
		  ".spec.machine.flavors" },
		{ flavors,
		  DAEMON("{machine: {flavors: [{name: a, resources: {gpu: 2}, devices: {resource: "
			 "gpu, numbers: [0, 1]}}], reserved: {cpu: 2}}}"),
		  ".spec.machine.reserved" },
		{ DAEMON("{}"),
		  DAEMON("{state: /s, socket: {mode: \"0600\"}, machine: {cgroup: off}, jobs: "
			 "{outputLimit: 1}, limits: {connections: 9, bodyBytes: 9999, "
			 "requestsPerSecond: 9}, metrics: {queues: 0}}"),
		  ".spec.state, .spec.socket, .spec.machine.cgroup, .spec.jobs.outputLimit, "
		  ".spec.limits.connections, .spec.limits.bodyBytes, "
		  ".spec.limits.requestsPerSecond, .spec.metrics.queues" },
	};

	for (size_t i = 0; i < COUNT(table); i++) {
		struct fl_config *was = open_config(table[i].was), *is = open_config(table[i].is);
		char fields[300];

		assert_string_equal(fl_config_at_start(was, is, fields, sizeof fields),
				    table[i].fields);
		fl_config_free(was);
		fl_config_free(is);
	}
}

UNIT_GROUP("config")
