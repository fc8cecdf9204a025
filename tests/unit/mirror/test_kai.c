/* SPDX-License-Identifier: Apache-2.0 */
/* What pods, groups and requests to bind of a cluster with KAI say of gangs, and in which order does not matter. */
#include "base/mem.h"
#include "base/random.h"
#include "lib/few.h"
#include "lib/unit.h"
#include "mirror/document.h"
#include "mirror/kai_gang.h"

/* --- what is kept of each kind --- */

static const struct kept {
	enum fl_mirror_kind kind;
	const char *text, *kept;
} keeps[] = {
	{ FL_MIRROR_QUEUE,
	  "{\"metadata\":{\"name\":\"team\",\"resourceVersion\":\"7\",\"managedFields\":[{}]},\"spec\":"
	  "{\"parentQueue\":\"dept\",\"resources\":{\"gpu\":{\"quota\":2}}},\"status\":{\"allocated\":"
	  "{\"nvidia.com/gpu\":\"1\"}}}",
	  "{\"apiVersion\":\"scheduling.run.ai/v2\",\"kind\":\"Queue\",\"metadata\":{\"name\":\"team\"},"
	  "\"spec\":{\"parentQueue\":\"dept\",\"resources\":{\"gpu\":{\"quota\":2}}}}" },
	/* A heartbeat changes nothing. */
	{ FL_MIRROR_NODE,
	  "{\"metadata\":{\"name\":\"n1\",\"annotations\":{\"a\":\"b\"}},\"spec\":{\"podCIDR\":\"10.0.0.0/24\","
	  "\"taints\":[{\"key\":\"k\",\"effect\":\"NoSchedule\"}]},\"status\":{\"capacity\":{\"cpu\":\"9\"},"
	  "\"allocatable\":{\"cpu\":\"8\"},\"images\":[{\"names\":[\"x\"]}],\"conditions\":[{\"type\":\"Ready\","
	  "\"status\":\"True\",\"lastHeartbeatTime\":\"2026-01-01T00:00:00Z\",\"message\":\"m\"},"
	  "{\"lastHeartbeatTime\":\"2026-01-01T00:00:01Z\",\"type\":\"DiskPressure\",\"status\":\"False\"}]}}",
	  "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n1\"},\"spec\":{\"taints\":"
	  "[{\"key\":\"k\",\"effect\":\"NoSchedule\"}]},\"status\":{\"allocatable\":{\"cpu\":\"8\"},"
	  "\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"},{\"type\":\"DiskPressure\","
	  "\"status\":\"False\"}]}}" },
	{ FL_MIRROR_POD_GROUP,
	  "{\"metadata\":{\"name\":\"g\",\"namespace\":\"n\",\"annotations\":{"
	  "\"kai.scheduler/last-start-timestamp\":\"2026-01-01T00:00:00Z\",\"other\":\"x\"}},\"spec\":"
	  "{\"minMember\":2,\"queue\":\"team\",\"backoffLimit\":3},\"status\":{\"phase\":\"Running\"}}",
	  "{\"apiVersion\":\"scheduling.run.ai/v2alpha2\",\"kind\":\"PodGroup\",\"metadata\":{\"name\":\"g\","
	  "\"namespace\":\"n\",\"annotations\":{\"kai.scheduler/last-start-timestamp\":"
	  "\"2026-01-01T00:00:00Z\"}},\"spec\":{\"minMember\":2,\"queue\":\"team\"}}" },
	{ FL_MIRROR_POD,
	  "{\"metadata\":{\"name\":\"p\",\"namespace\":\"n\",\"labels\":{\"kai.scheduler/queue\":\"team\","
	  "\"pod-template-hash\":\"1\"},\"annotations\":{\"pod-group-name\":\"g\",\"gpu-fraction\":\"0.5\","
	  "\"x\":\"y\"}},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"env\":[{\"name\":\"E\"}],"
	  "\"resources\":{\"requests\":{\"cpu\":\"1\"}}}],\"volumes\":[{\"name\":\"v\"}],"
	  "\"nodeName\":\"n1\"},\"status\":{\"phase\":\"Running\",\"podIP\":\"10.0.0.1\","
	  "\"containerStatuses\":[{\"restartCount\":3}]}}",
	  "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"n\","
	  "\"labels\":{\"kai.scheduler/queue\":\"team\"},\"annotations\":{\"pod-group-name\":\"g\","
	  "\"gpu-fraction\":\"0.5\"}},\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":"
	  "{\"cpu\":\"1\"}}}],\"nodeName\":\"n1\"},\"status\":{\"phase\":\"Running\"}}" },
	{ FL_MIRROR_BIND_REQUEST,
	  "{\"metadata\":{\"name\":\"p\",\"namespace\":\"n\"},\"spec\":{\"podName\":\"p\",\"selectedNode\":"
	  "\"n1\",\"receivedGPU\":{\"count\":1,\"portion\":\"1\"}},\"status\":{\"phase\":\"Pending\"}}",
	  "{\"apiVersion\":\"scheduling.run.ai/v1alpha2\",\"kind\":\"BindRequest\",\"metadata\":{\"name\":"
	  "\"p\",\"namespace\":\"n\"},\"spec\":{\"podName\":\"p\",\"selectedNode\":\"n1\"},\"status\":"
	  "{\"phase\":\"Pending\"}}" },
};

static void read(struct fl_doc *doc, enum fl_mirror_kind kind, const char *text)
{
	struct fl_mirror_names names;
	fairlead_error err = { 0 };

	if (fl_mirror_document(fl_mirror_kind(kind), NULL, text, strlen(text), doc, &names, &err) <
	    0)
		fail_msg("%s", err.text);
}

TEST(fields_that_are_kept)
{
	struct fl_doc doc;

	fl_doc_init(&doc, &fl_mem_heap);
	for (size_t i = 0; i < COUNT(keeps); i++) {
		struct fl_mirror_text text = { 0 };

		read(&doc, keeps[i].kind, keeps[i].text);
		assert_int_equal(fl_mirror_write(&doc, &text, NULL), 0);
		assert_string_equal(text.bytes, keeps[i].kept);
		free(text.bytes);
	}
	fl_doc_done(&doc);
}

/* --- what is kept at all --- */

static int see(struct fl_mirror *m, enum fl_mirror_kind kind, const char *text, fairlead_error *err)
{
	return fl_mirror_see(m, kind, text, strlen(text), err);
}

#define P(annotations, status)                                                                          \
	"{\"metadata\":{\"name\":\"p\",\"namespace\":\"n\",\"uid\":\"u\",\"annotations\":{" annotations \
	"}},\"spec\":{\"schedulerName\":\"kai-scheduler\"},\"status\":{\"phase\":\"" status "\"}}"

/* Pods that have ended are as if they were deleted; what no rows can be made of has no essence. */
TEST(pods_that_are_kept)
{
	fairlead_error err = { 0 };
	struct fl_mirror *m;
	struct fl_doc doc;

	fl_doc_init(&doc, &fl_mem_heap);
	assert_int_equal(fl_mirror_new(NULL, NULL, &m, &err), 0);
	assert_int_equal(see(m, FL_MIRROR_POD, P("", "Succeeded"), &err), 0);
	assert_int_equal(fl_mirror_count(m, FL_MIRROR_POD), 0);
	assert_int_equal(see(m, FL_MIRROR_POD, P("", "Running"), &err), 0);
	assert_int_equal(fl_mirror_count(m, FL_MIRROR_POD), 1);
	assert_int_equal(fl_mirror_read(fl_mirror_find(m, FL_MIRROR_POD, "n", "p"), &doc, &err), 0);
	assert_int_equal(see(m, FL_MIRROR_POD, P("\"gpu-fraction\":\"7\"", "Running"), &err), 1);
	assert_int_equal(fl_mirror_find(m, FL_MIRROR_POD, "n", "p")->n_own, 0);
	assert_int_equal(see(m, FL_MIRROR_POD, P("", "Failed"), &err), 0);
	assert_int_equal(fl_mirror_count(m, FL_MIRROR_POD), 0);
	assert_int_equal(fl_mirror_bytes(m) < 1000, 1);
	fl_mirror_free(m);
	fl_doc_done(&doc);
}

/* Of each dialect its own kinds and those of both. */
TEST(whose_kinds_are_read)
{
	assert_true(fl_mirror_reads(FL_DIALECT_KAI, FL_MIRROR_POD));
	assert_false(fl_mirror_reads(FL_DIALECT_KUEUE, FL_MIRROR_POD));
	assert_false(fl_mirror_reads(FL_DIALECT_KAI, FL_MIRROR_WORKLOAD));
	assert_true(fl_mirror_reads(FL_DIALECT_KUEUE, FL_MIRROR_WORKLOAD));
	for (int d = FL_DIALECT_KUEUE; d <= FL_DIALECT_KAI; d++)
		assert_true(fl_mirror_reads((enum fl_dialect)d, FL_MIRROR_CONFIG_MAP) &&
			    fl_mirror_reads((enum fl_dialect)d, FL_MIRROR_PRIORITY_CLASS));
}

/* All that is read may be read by the account of deploy/observe; ConfigMaps by their names. */
TEST(rights_to_read)
{
	const char *source = getenv("FAIRLEAD_SOURCE");
	char path[4096], text[8192], word[100];
	FILE *file;
	size_t n;

	(void)snprintf(path, sizeof path, "%s/deploy/observe/role.yaml", source ? source : "..");
	file = fopen(path, "r");
	assert_non_null(file);
	n = fread(text, 1, sizeof text - 1, file);
	(void)fclose(file);
	text[n] = '\0';
	for (char *p = text; *p; p++) /* each word between blanks */
		*p = strchr(",[]\n", *p) ? ' ' : *p;
	for (enum fl_mirror_kind k = 0; k < FL_MIRROR_KINDS; k++) {
		(void)snprintf(word, sizeof word, " %s ", fl_mirror_kind(k)->plural);
		CHECK(strstr(text, word) != NULL, word);
	}
}

/* --- the state of a pod --- */

TEST(states)
{
	static const struct {
		const char *metadata, *spec, *status;
		bool binding;
		enum fl_kai_state is;
	} rows[] = {
		{ "", "", "", false, FL_KAI_PENDING },
		{ "", "", "\"phase\":\"Pending\"", false, FL_KAI_PENDING },
		{ "", "\"schedulingGates\":[{\"name\":\"g\"}]", "", false, FL_KAI_GATED },
		{ "", "\"schedulingGates\":[]", "", false, FL_KAI_PENDING },
		{ "", "", "\"phase\":\"Pending\"", true, FL_KAI_BINDING },
		{ "", "\"nodeName\":\"n1\"", "\"phase\":\"Pending\"", false, FL_KAI_BOUND },
		{ "", "\"nodeName\":\"n1\"", "\"phase\":\"Pending\"", true, FL_KAI_BOUND },
		{ "", "\"nodeName\":\"n1\"", "\"phase\":\"Running\"", false, FL_KAI_RUNNING },
		{ "\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"", "\"nodeName\":\"n1\"",
		  "\"phase\":\"Running\"", false, FL_KAI_RELEASING },
		{ "\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"", "\"nodeName\":\"n1\"",
		  "\"phase\":\"Pending\"", false, FL_KAI_RELEASING },
		{ "\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"", "", "\"phase\":\"Pending\"",
		  true, FL_KAI_AWAY },
		{ "", "\"nodeName\":\"n1\"", "\"phase\":\"Succeeded\"", false, FL_KAI_ENDED },
		{ "", "\"nodeName\":\"n1\"", "\"phase\":\"Failed\"", false, FL_KAI_ENDED },
		{ "\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"", "\"nodeName\":\"n1\"",
		  "\"phase\":\"Failed\"", false, FL_KAI_AWAY },
		{ "", "\"nodeName\":\"n1\"", "\"phase\":\"Unknown\"", false, FL_KAI_AWAY },
	};
	struct fl_doc doc;

	fl_doc_init(&doc, &fl_mem_heap);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_kai_pod pod;
		char text[1000];

		(void)snprintf(text, sizeof text,
			       "{\"metadata\":{\"name\":\"p\"%s%s},\"spec\":{%s},\"status\":{%s}}",
			       *rows[i].metadata ? "," : "", rows[i].metadata, rows[i].spec,
			       rows[i].status);
		read(&doc, FL_MIRROR_POD, text);
		fl_kai_read_pod(&doc, &pod);
		CHECK(fl_kai_state_of(&pod, rows[i].binding) == rows[i].is, text);
	}
	fl_doc_done(&doc);
}

TEST(requests_to_bind)
{
	static const struct {
		const char *spec, *status, *node;
	} rows[] = {
		{ "", "", "n1" },
		{ "", "\"phase\":\"Pending\"", "n1" },
		{ "", "\"phase\":\"Succeeded\"", "n1" },
		{ "", "\"phase\":\"Failed\"", "" },
		{ ",\"backoffLimit\":3", "\"phase\":\"Failed\",\"failedAttempts\":2", "n1" },
		{ ",\"backoffLimit\":3", "\"phase\":\"Failed\",\"failedAttempts\":3", "" },
	};
	struct fl_doc doc;

	fl_doc_init(&doc, &fl_mem_heap);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_kai_bind bind;
		char text[1000];

		(void)snprintf(text, sizeof text,
			       "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"podName\":\"p\","
			       "\"selectedNode\":\"n1\"%s},\"status\":{%s}}",
			       rows[i].spec, rows[i].status);
		read(&doc, FL_MIRROR_BIND_REQUEST, text);
		fl_kai_read_bind(&doc, &bind);
		assert_string_equal(bind.pod, "p");
		assert_string_equal(bind.node, rows[i].node);
	}
	fl_doc_done(&doc);
}

/* --- the life of a gang --- */

enum { PODS = 4 };
struct heard {
	unsigned said;
	enum fl_fate now;
	int times;
};

static int hear(void *user, const struct fl_kai_gang_change *c, fairlead_error *err)
{
	struct heard *h = user;

	(void)err;
	assert_string_equal(c->namespace, "n");
	assert_string_equal(c->group, "g");
	*h = (struct heard){ c->said, c->now, h->times + 1 };
	return 0;
}

#define BOUND                                                                                      \
	{                                                                                          \
		.group = "g", .node = "n1", .phase = FL_KAI_IS_PENDING                             \
	}
#define RUNS                                                                                       \
	{                                                                                          \
		.group = "g", .node = "n1", .phase = FL_KAI_IS_RUNNING                             \
	}
#define ENDS                                                                                       \
	{                                                                                          \
		.group = "g", .node = "n1", .phase = FL_KAI_IS_RUNNING, .deleted = true            \
	}
#define PENDING                                                                                    \
	{                                                                                          \
		.group = "g", .node = "", .phase = FL_KAI_IS_PENDING                               \
	}
#define GATED                                                                                      \
	{                                                                                          \
		.group = "g", .node = "", .phase = FL_KAI_IS_PENDING, .gated = true                \
	}
#define DONE                                                                                       \
	{                                                                                          \
		.group = "g", .node = "n1", .phase = FL_KAI_IS_SUCCEEDED                           \
	}
#define KILLED                                                                                     \
	{                                                                                          \
		.group = "g", .node = "n1", .phase = FL_KAI_IS_FAILED, .deleted = true             \
	}

/* Of a gang that needs two pods: what is told at the end of each step, "" nothing. */
TEST(lives)
{
	enum what { NOTHING, GROUP, NO_GROUP, POD, NO_POD, BIND, NO_BIND };
	static const struct step {
		const char *why;
		struct {
			enum what what;
			const char *pod; /* or the node */
			struct fl_kai_pod is;
		} events[PODS];
		unsigned said;
		enum fl_fate now;
	} steps[] = {
		{ "pods come before their group", { { POD, "a", PENDING } }, 0, FL_FATE_NONE },
		{ "too few pods", { { GROUP, NULL, { 0 } } }, 0, FL_FATE_OUT },
		{ "one that is gated", { { POD, "b", GATED } }, 0, FL_FATE_OUT },
		{ "enough", { { POD, "b", PENDING } }, FL_SAID_COMES, FL_FATE_WAITS },
		{ "one more", { { POD, "c", PENDING } }, FL_SAID_CHANGED, FL_FATE_WAITS },
		{ "requests to bind",
		  { { BIND, "a", { .node = "n1" } }, { BIND, "b", { .node = "n1" } } },
		  FL_SAID_HOLDS,
		  FL_FATE_HOLDS },
		{ "bound where it was asked for",
		  { { POD, "a", BOUND }, { NO_BIND, "a", { 0 } } },
		  0,
		  FL_FATE_HOLDS },
		{ "bound, and the request goes later", { { POD, "b", BOUND } }, 0, FL_FATE_HOLDS },
		{ "the request goes", { { NO_BIND, "b", { 0 } } }, 0, FL_FATE_HOLDS },
		{ "both run", { { POD, "a", RUNS }, { POD, "b", RUNS } }, 0, FL_FATE_HOLDS },
		{ "it grows",
		  { { BIND, "c", { .node = "n2" } } },
		  FL_SAID_RELEASED | FL_SAID_HOLDS,
		  FL_FATE_HOLDS },
		{ "the request fails for good",
		  { { BIND, "c", { .node = "" } } },
		  FL_SAID_RELEASED | FL_SAID_HOLDS,
		  FL_FATE_HOLDS },
		{ "evicted, pod by pod in one turn",
		  { { POD, "a", ENDS }, { POD, "b", ENDS } },
		  FL_SAID_GOES,
		  FL_FATE_GOES },
		{ "they fail on their way out, and are made again",
		  { { POD, "a", KILLED }, { NO_POD, "b", { 0 } }, { POD, "d", PENDING } },
		  FL_SAID_RELEASED | FL_SAID_CHANGED,
		  FL_FATE_WAITS },
		{ "binding, and evicted in the same turn",
		  { { POD, "c", RUNS },
		    { POD, "d", RUNS },
		    { POD, "c", ENDS },
		    { POD, "d", ENDS } },
		  FL_SAID_HOLDS | FL_SAID_GOES,
		  FL_FATE_GOES },
		{ "too few are made again",
		  { { NO_POD, "c", { 0 } }, { NO_POD, "d", { 0 } }, { POD, "e", PENDING } },
		  FL_SAID_RELEASED | FL_SAID_OUT,
		  FL_FATE_OUT },
		{ "enough again", { { POD, "f", PENDING } }, FL_SAID_COMES, FL_FATE_WAITS },
		{ "they run",
		  { { POD, "e", RUNS }, { POD, "f", RUNS } },
		  FL_SAID_HOLDS,
		  FL_FATE_HOLDS },
		{ "one is done",
		  { { POD, "e", DONE } },
		  FL_SAID_RELEASED | FL_SAID_HOLDS | FL_SAID_CHANGED,
		  FL_FATE_HOLDS },
		{ "both are done", { { POD, "f", DONE } }, FL_SAID_OVER, FL_FATE_OVER },
		{ "the group goes first", { { NO_GROUP, NULL, { 0 } } }, 0, FL_FATE_NONE },
		{ "and its pods",
		  { { NO_POD, "a", { 0 } }, { NO_POD, "e", { 0 } }, { NO_POD, "f", { 0 } } },
		  0,
		  FL_FATE_NONE },
	};
	struct fl_kai_gangs *g;
	struct heard h = { .now = FL_FATE_NONE };

	assert_int_equal(fl_kai_gangs_new(&g, NULL), 0);
	for (size_t i = 0; i < COUNT(steps); i++) {
		h.said = 0;
		for (size_t k = 0; k < PODS; k++) {
			const char *pod = steps[i].events[k].pod;
			const struct fl_kai_pod *is = &steps[i].events[k].is;
			int r = 0;

			switch (steps[i].events[k].what) {
			case NOTHING:
				break;
			case GROUP:
				r = fl_kai_gangs_group(g, "n", "g", 2, NULL);
				break;
			case NO_GROUP:
				r = fl_kai_gangs_group(g, "n", "g", 0, NULL);
				break;
			case POD:
				r = fl_kai_gangs_pod(g, "n", pod, is, NULL);
				break;
			case NO_POD:
				r = fl_kai_gangs_pod(g, "n", pod, NULL, NULL);
				break;
			case BIND:
				r = fl_kai_gangs_bind(g, "n", pod, is->node, NULL);
				break;
			case NO_BIND:
				r = fl_kai_gangs_bind(g, "n", pod, NULL, NULL);
				break;
			}
			assert_int_equal(r, 0);
		}
		assert_int_equal(fl_kai_gangs_tell(g, hear, &h, NULL), 0);
		CHECK(h.said == steps[i].said, steps[i].why);
		CHECK(!h.said || h.now == steps[i].now, steps[i].why);
	}
	fl_kai_gangs_free(g);
}

/* --- any order --- */

enum { GROUPS = 6, MANY = 24, EVENTS = 400 };

struct world {
	bool group[GROUPS], pod[MANY], bind[MANY];
	struct fl_kai_pod is[MANY];
};
static const char *const groups[] = { "g0", "g1", "g2", "g3", "g4", "g5", "" };

struct fates {
	enum fl_fate of[GROUPS];
};

static int take_fate(void *user, const struct fl_kai_gang_change *c, fairlead_error *err)
{
	struct fates *f = user;
	const int g = c->group[1] - '0';

	(void)err;
	assert_int_equal(f->of[g], c->was);
	f->of[g] = c->now;
	return 0;
}

static const char *pod_name(int i, char text[8])
{
	(void)snprintf(text, 8, "p%d", i);
	return text;
}

static void tell_one(struct fl_kai_gangs *g, const struct world *w, int what, int i)
{
	char name[8];

	pod_name(i, name);
	if (what == 0 && i < GROUPS)
		assert_int_equal(fl_kai_gangs_group(g, "n", groups[i], w->group[i] ? 2 : 0, NULL),
				 0);
	else if (what == 1)
		assert_int_equal(fl_kai_gangs_pod(g, "n", name, w->pod[i] ? &w->is[i] : NULL, NULL),
				 0);
	else if (what == 2)
		assert_int_equal(fl_kai_gangs_bind(g, "n", name, w->bind[i] ? "n9" : NULL, NULL),
				 0);
}

/* Of each gang what was told, and what one tells that hears only how all is now. */
TEST(any_order)
{
	for (uint32_t seed = 1; seed <= few(60); seed++) {
		struct world w = { 0 };
		struct fl_random random;
		struct fl_kai_gangs *g, *anew;
		struct fates told = { 0 }, now = { 0 };

		fl_random_init(&random, seed, 0);
		assert_int_equal(fl_kai_gangs_new(&g, NULL), 0);
		for (int e = 0; e < EVENTS; e++) {
			const int what = (int)(fl_random_bits(&random) % 3);
			const int i = (int)(fl_random_bits(&random) % MANY);

			if (what == 0)
				w.group[i % GROUPS] = fl_random_bits(&random) % 4 != 0;
			w.pod[i] = what == 1 ? fl_random_bits(&random) % 4 != 0 : w.pod[i];
			w.bind[i] = what == 2 ? fl_random_bits(&random) % 2 : w.bind[i];
			if (what == 1)
				w.is[i] = (struct fl_kai_pod){
					.group = groups[fl_random_bits(&random) % COUNT(groups)],
					.node = fl_random_bits(&random) % 2 ? "n1" : "",
					.phase = (enum fl_kai_phase)(fl_random_bits(&random) % 5),
					.deleted = fl_random_bits(&random) % 4 == 0,
					.gated = fl_random_bits(&random) % 8 == 0,
				};
			tell_one(g, &w, what, what == 0 ? i % GROUPS : i);
			if (fl_random_bits(&random) % 5 == 0)
				assert_int_equal(fl_kai_gangs_tell(g, take_fate, &told, NULL), 0);
		}
		assert_int_equal(fl_kai_gangs_tell(g, take_fate, &told, NULL), 0);
		assert_int_equal(fl_kai_gangs_new(&anew, NULL), 0);
		for (int what = 2; what >= 0; what--)
			for (int i = MANY - 1; i >= 0; i--)
				tell_one(anew, &w, what, i);
		assert_int_equal(fl_kai_gangs_tell(anew, take_fate, &now, NULL), 0);
		for (int i = 0; i < GROUPS; i++)
			CHECK(told.of[i] == now.of[i], groups[i]);
		fl_kai_gangs_free(anew);
		fl_kai_gangs_free(g);
	}
}

UNIT_GROUP("kai")
