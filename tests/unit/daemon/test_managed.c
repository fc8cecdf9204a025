/* SPDX-License-Identifier: Apache-2.0 */
/* What Kueue's scheduler has written of a Workload: kept, and with a decision in it written again. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/cluster/scheduler/managed.h"
#include "daemon/cluster/scheduler/yield_text.h"
#include "lib/unit.h"

enum { TEXT = 4000, MANY = 500, NOW_SECONDS = 1793000000 };

#define OTHER_TIME "2026-11-29T09:00:00Z"
#define CONDITION(type, is, reason, message)                                                       \
	"{\"type\":\"" type "\",\"status\":\"" is "\",\"reason\":\"" reason                        \
	"\",\"message\":\"" message                                                                \
	"\",\"observedGeneration\":1,\"lastTransitionTime\":\"" OTHER_TIME "\"}"

struct world {
	struct fl_mirror *mirror;
	struct fl_managed_all all;
};

/* Whether the mirror took it, too. */
static void see_labelled(struct world *w, unsigned number, unsigned version, const char *labels,
			 const char *status)
{
	char text[TEXT];
	fairlead_error err = { 0 };

	(void)snprintf(text, sizeof text,
		       "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"w%u\",\"uid\":\"u%u\","
		       "\"resourceVersion\":\"%u\",\"generation\":3,"
		       "\"labels\":%s,\"creationTimestamp\":\"" OTHER_TIME "\"},"
		       "\"spec\":{\"queueName\":\"q\",\"podSets\":[{\"name\":\"main\",\"count\":1,"
		       "\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\"}]}}}]},"
		       "\"status\":%s}",
		       number, number, version, labels, status);
	assert_int_equal(fl_mirror_see(w->mirror, FL_MIRROR_WORKLOAD, text, strlen(text), &err), 0);
	assert_int_equal(
		fl_managed_put(&w->all, fl_mirror_latest(w->mirror), text, strlen(text), &err), 0);
}

static void see(struct world *w, unsigned number, unsigned version, const char *status)
{
	see_labelled(w, number, version, "{}", status);
}

static void begin(struct world *w)
{
	fairlead_error err;

	*w = (struct world){ 0 };
	assert_int_equal(fl_mirror_new(NULL, NULL, &w->mirror, &err), 0);
	fl_mirror_begin(w->mirror, FL_MIRROR_WORKLOAD, "v1beta2");
}

static void end(struct world *w)
{
	fl_managed_done(&w->all);
	fl_mirror_free(w->mirror);
}

static json_t *body_of(struct world *w, const char *name, const struct fl_managed_change *change)
{
	const struct fl_mirror_object *o = fl_mirror_find(w->mirror, FL_MIRROR_WORKLOAD, "ns",
							  name);
	fairlead_error err = { 0 };
	char *text = NULL;
	json_t *body;

	assert_non_null(o);
	assert_int_equal(fl_managed_body(&w->all, o, change, &text, &err), 0);
	body = json_loads(text, 0, NULL);
	assert_non_null(body);
	free(text);
	return body;
}

static const json_t *condition(const json_t *body, const char *type)
{
	json_t *one;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(body, "status"), "conditions"), i,
			   one) if (strcmp(json_string_value(json_object_get(one, "type")), type) ==
				    0) return one;
	return NULL;
}

/* Is there something to write for w@number? */
static bool has(struct world *w, unsigned number)
{
	const struct fl_managed_change change = { .reason = "x", .message = "" };
	char name[20], *text = NULL;
	fairlead_error err = { 0 };
	int r;

	(void)snprintf(name, sizeof name, "w%u", number);
	r = fl_managed_body(&w->all, fl_mirror_find(w->mirror, FL_MIRROR_WORKLOAD, "ns", name),
			    &change, &text, &err);
	free(text);
	return r == 0;
}

static void check_text(const json_t *object, const char *field, const char *wanted)
{
	assert_string_equal(json_string_value(json_object_get(object, field)), wanted);
}

static const struct fl_managed_row rows[] = {
	{ "main", 2, "cpu", "pool", 1500 },
	{ "main", 2, "memory", "pool", 3 << 20 },
	{ "side", 1, NULL, NULL, 0 },
};
static const struct fl_managed_change admission = {
	.now = NOW_SECONDS * FL_SECOND + 7, .cluster_queue = "cq", .rows = rows, .n = 3
};

TEST(an_admission)
{
	struct world w;
	json_t *body, *sets;
	const json_t *one;

	begin(&w);
	see(&w, 1, 20,
	    "{\"conditions\":[" CONDITION("QuotaReserved", "False", "Suspended", "inactive") "," CONDITION(
		    "Evicted", "True", "Preempted",
		    "for another \\u0001") "," CONDITION("PodsReady", "False", "x",
							 "not the scheduler's") "],"
										"\"requeueState\":{\"count\":1},\"unhealthyNodes\":[{\"name\":\"n\"}],"
										"\"reclaimablePods\":[{\"name\":\"main\",\"count\":1}]}");
	body = body_of(&w, "w1", &admission);
	check_text(body, "apiVersion", "kueue.x-k8s.io/v1beta2");
	one = json_object_get(body, "metadata");
	check_text(one, "uid", "u1");
	check_text(one, "resourceVersion", "20");
	one = json_object_get(body, "status");
	assert_null(json_object_get(one, "unhealthyNodes"));
	assert_null(json_object_get(one, "reclaimablePods"));
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(one, "requeueState"), "count")),
		1);
	check_text(json_object_get(one, "admission"), "clusterQueue", "cq");
	sets = json_object_get(json_object_get(one, "admission"), "podSetAssignments");
	assert_int_equal(json_array_size(sets), 2);
	one = json_array_get(sets, 0);
	check_text(json_object_get(one, "flavors"), "cpu", "pool");
	check_text(json_object_get(one, "resourceUsage"), "cpu", "1500m");
	check_text(json_object_get(one, "resourceUsage"), "memory", "3Mi");
	assert_int_equal(json_object_size(json_object_get(json_array_get(sets, 1), "flavors")), 0);
	one = condition(body, "QuotaReserved");
	check_text(one, "status", "True");
	check_text(one, "lastTransitionTime", "2026-10-26T07:33:20Z");
	assert_int_equal(json_integer_value(json_object_get(one, "observedGeneration")), 3);
	one = condition(body, "Evicted");
	check_text(one, "status", "False");
	check_text(one, "message", "Previously: for another \x01");
	assert_null(condition(body, "PodsReady"));
	json_decref(body);
	end(&w);
}

TEST(an_eviction)
{
	const struct fl_managed_change change = { .now = NOW_SECONDS * FL_SECOND,
						  .reason = "Preempted",
						  .preempted = "InClusterQueue",
						  .message = "why" };
	static const char *const reset[] = { "unhealthyNodes", "clusterName",
					     "nominatedClusterNames" };
	struct world w;
	json_t *body, *stats;

	begin(&w);
	see(&w, 1, 20,
	    "{\"admission\":{\"clusterQueue\":\"cq\",\"podSetAssignments\":[{\"name\":\"main\"}]},"
	    "\"schedulingStats\":{\"evictions\":[{\"reason\":\"Preempted\",\"underlyingCause\":\"\",\"count\":2}]},"
	    "\"unhealthyNodes\":[{\"name\":\"n\"}],\"requeueState\":{\"count\":1},"
	    "\"clusterName\":\"c\",\"nominatedClusterNames\":[\"c\"],"
	    "\"conditions\":[" CONDITION("QuotaReserved", "True", "QuotaReserved", "x") "]}");
	body = body_of(&w, "w1", &change);
	for (size_t i = 0; i < sizeof reset / sizeof *reset; i++)
		assert_null(json_object_get(json_object_get(body, "status"), reset[i]));
	assert_non_null(json_object_get(json_object_get(body, "status"), "requeueState"));
	check_text(json_object_get(json_object_get(body, "status"), "admission"), "clusterQueue",
		   "cq");
	check_text(condition(body, "Evicted"), "reason", "Preempted");
	check_text(condition(body, "Preempted"), "reason", "InClusterQueue");
	check_text(condition(body, "QuotaReserved"), "lastTransitionTime", OTHER_TIME);
	stats = json_array_get(
		json_object_get(json_object_get(json_object_get(body, "status"), "schedulingStats"),
				"evictions"),
		0);
	assert_int_equal(json_integer_value(json_object_get(stats, "count")), 3);
	json_decref(body);
	end(&w);
}

/* --- admission checks --- */

#define CHECK_STATE(name, state, more)                                                             \
	"{\"name\":\"" name "\",\"state\":\"" state                                                \
	"\",\"message\":\"m\",\"lastTransitionTime\":\"" OTHER_TIME "\"" more "}"
#define CHECKS(list, conditions) "{\"admissionChecks\":[" list "],\"conditions\":[" conditions "]}"
#define RESERVED CONDITION("QuotaReserved", "True", "QuotaReserved", "x")

/* "name state message time|" of each. */
static void check_states(const json_t *body, const char *wanted)
{
	char text[1000] = "";
	json_t *one;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(body, "status"), "admissionChecks"), i,
			   one)
	{
		const size_t len = strlen(text);

		(void)snprintf(text + len, sizeof text - len, "%s %s %s %s|",
			       json_string_value(json_object_get(one, "name")),
			       json_string_value(json_object_get(one, "state")),
			       json_string_value(json_object_get(one, "message")),
			       json_string_value(json_object_get(one, "lastTransitionTime")));
	}
	assert_string_equal(text, wanted);
}

#define NOW_TIME "2026-10-26T07:33:20Z"
#define PASSED "fairlead Ready fairlead has decided " NOW_TIME "|"

TEST(a_reservation_where_there_are_checks)
{
	static const struct {
		const char *before, *after;
	} lists[] = {
		{ CHECK_STATE("a", "Pending", "") "," CHECK_STATE("fairlead", "Pending", ""),
		  "a Pending m " OTHER_TIME "|" PASSED },
		{ CHECK_STATE("fairlead", "Ready", "") "," CHECK_STATE("a", "Ready", ""),
		  "fairlead Ready m " OTHER_TIME "|a Ready m " OTHER_TIME "|" },
		/* Kueue has not written the list yet. */
		{ CHECK_STATE("a", "Pending", ""), "a Pending m " OTHER_TIME "|" PASSED },
		{ "", PASSED },
	};
	struct fl_managed_change change = admission;

	change.checked = true;
	for (size_t i = 0; i < COUNT(lists); i++) {
		char status[TEXT];
		struct world w;
		json_t *body;

		begin(&w);
		(void)snprintf(status, sizeof status, CHECKS("%s", "%s"), lists[i].before,
			       CONDITION("QuotaReserved", "False", "Inadmissible", "x"));
		see(&w, 1, 20, status);
		body = body_of(&w, "w1", &change);
		check_text(condition(body, "QuotaReserved"), "status", "True");
		assert_null(condition(body, "Admitted"));
		assert_non_null(json_object_get(json_object_get(body, "status"), "admission"));
		check_states(body, lists[i].after);
		json_decref(body);
		end(&w);
	}
}

TEST(an_eviction_where_there_are_checks)
{
	const struct fl_managed_change change = { .now = NOW_SECONDS * FL_SECOND,
						  .reason = "Preempted",
						  .message = "why" };
	const json_t *list;
	struct world w;
	json_t *body;

	begin(&w);
	see(&w, 1, 20,
	    CHECKS(CHECK_STATE("a", "Ready", ",\"retryCount\":2,\"podSetUpdates\":[{}]") "," CHECK_STATE(
			   "b", "Retry",
			   ",\"retryCount\":1,\"requeueAfterSeconds\":9") "," CHECK_STATE("c",
											  "Pending",
											  ""),
		   RESERVED));
	body = body_of(&w, "w1", &change);
	check_states(body,
		     "a Pending Reset to Pending after eviction. Previously: Ready " NOW_TIME "|"
		     "b Pending Reset to Pending after eviction. Previously: Retry " NOW_TIME "|"
		     "c Pending m " OTHER_TIME "|");
	list = json_object_get(json_object_get(body, "status"), "admissionChecks");
	assert_null(json_object_get(json_array_get(list, 0), "podSetUpdates"));
	assert_null(json_object_get(json_array_get(list, 0), "retryCount"));
	assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 1), "retryCount")),
			 2);
	assert_int_equal(
		json_integer_value(json_object_get(json_array_get(list, 1), "requeueAfterSeconds")),
		9);
	json_decref(body);
	end(&w);
}

/* Of what was given quota by another one. */
TEST(a_check_that_waits)
{
#define OURS CHECK_STATE("fairlead", "Pending", "")
	static const struct {
		const char *status;
		enum fl_managed_check wanted;
	} all[] = {
		{ "{}", FL_MANAGED_NO_CHECK },
		{ CHECKS(CHECK_STATE("a", "Pending", ""), RESERVED), FL_MANAGED_NO_CHECK },
		{ CHECKS(OURS, RESERVED), FL_MANAGED_CHECK_WAITS },
		{ CHECKS(OURS, RESERVED "," CONDITION("Admitted", "False", "x", "x")),
		  FL_MANAGED_CHECK_WAITS },
		{ CHECKS(OURS, RESERVED "," CONDITION("Admitted", "True", "x", "x")),
		  FL_MANAGED_CHECK },
		{ CHECKS(OURS, RESERVED "," CONDITION("Evicted", "True", "x", "x")),
		  FL_MANAGED_CHECK },
		{ CHECKS(OURS, CONDITION("QuotaReserved", "False", "x", "x")), FL_MANAGED_CHECK },
		{ CHECKS(CHECK_STATE("fairlead", "Ready", ""), RESERVED), FL_MANAGED_CHECK },
	};
	const struct fl_managed_change passes = { .now = NOW_SECONDS * FL_SECOND, .passes = true };

	for (size_t i = 0; i < COUNT(all); i++) {
		enum fl_managed_check is = FL_MANAGED_NO_CHECK;
		fairlead_error err = { 0 };
		struct world w;
		json_t *body;

		begin(&w);
		see(&w, 1, 20, all[i].status);
		assert_int_equal(
			fl_managed_check(&w.all,
					 fl_mirror_find(w.mirror, FL_MIRROR_WORKLOAD, "ns", "w1"),
					 &is, &err),
			0);
		CHECK(is == all[i].wanted, all[i].status);
		if (is == FL_MANAGED_CHECK_WAITS) {
			body = body_of(&w, "w1", &passes);
			check_states(body, PASSED);
			check_text(condition(body, "QuotaReserved"), "lastTransitionTime",
				   OTHER_TIME);
			assert_null(condition(body, "Evicted"));
			json_decref(body);
		}
		end(&w);
	}
}

/* --- what was yielded --- */

#define WHY                                                                                        \
	"Preempted to accommodate a workload (UID: u2, JobUID: UNKNOWN) due to x; preemptee path: /q"
#define QUEUE "0123456789abcdef"
#define FLOOR "1.3.3fe0000000000000.7ff0000000000000"
#define YIELDED " [fairlead/1 to=u2 queue=" QUEUE " forgiven=1 floors=" FLOOR "]"

TEST(what_was_yielded_is_read_as_written)
{
	struct fl_yield most = { .to = { 1 }, .forgiven = true, .n = FL_YIELD_FLOORS }, y;
	char text[FL_YIELD_TEXT], message[FL_YIELD_TEXT + 20], uid[FL_YIELD_UID];
	char longest[FL_YIELD_UID + 1];
	uint64_t queue;

	for (uint32_t i = 0; i < most.n; i++)
		most.floors[i] = (struct fl_yield_floor){
			.depth = 240 + i, .kind = 3, .weighted = 1.0 / (i + 3.0), .ratio = -0.0
		};
	most.floors[0].ratio = INFINITY;
	memset(longest, 'a', sizeof longest - 1);
	longest[FL_YIELD_UID] = '\0';
	assert_false(fl_yield_write(&most, longest, 1, text));
	longest[FL_YIELD_UID - 1] = '\0';
	assert_true(fl_yield_write(&most, longest, UINT64_MAX, text));
	assert_int_equal(strlen(text), 761);
	(void)snprintf(message, sizeof message, "why%s", text);
	assert_true(fl_yield_read(message, &y, uid, &queue));
	assert_string_equal(uid, longest);
	assert_true(queue == UINT64_MAX && y.forgiven && y.n == most.n);
	assert_memory_equal(y.floors, most.floors, sizeof y.floors);
	assert_int_equal(fl_yield_begin(message), 3);
	y = (struct fl_yield){ .forgiven = true };
	assert_true(fl_yield_write(&y, NULL, 7, text));
	assert_string_equal(text, " [fairlead/1 to=- queue=0000000000000007 forgiven=1 floors=-]");
	assert_true(fl_yield_read(text, &y, uid, &queue));
	assert_true(!*uid && queue == 7 && y.forgiven && y.n == 0);
	assert_false(fl_yield_write(&y, "", 7, text));
	assert_false(fl_yield_write(&y, "-", 7, text));
	assert_false(fl_yield_write(&y, "u] [fairlead/1", 7, text));
}

/* Whoever may write a status may write anything; each way to cut the text, too. */
TEST(what_is_no_such_text_is_not_read)
{
	static const char *const texts[] = {
		"",
		"]",
		WHY,
		WHY " [fairlead/1]",
		WHY " [fairlead/]",
		WHY " [fairlead/2 to=u2 queue=" QUEUE " forgiven=1 floors=" FLOOR "]",
		WHY " [fairlead/1 to= queue=" QUEUE " forgiven=1 floors=" FLOOR "]",
		WHY " [fairlead/1 to=u2 queue=0123456789abcde forgiven=1 floors=" FLOOR "]",
		WHY " [fairlead/1 to=u2 queue=0123456789ABCDEF forgiven=1 floors=" FLOOR "]",
		WHY " [fairlead/1 to=u2 queue=" QUEUE " forgiven=2 floors=" FLOOR "]",
		WHY " [fairlead/1 to=u2 queue=" QUEUE " forgiven= floors=" FLOOR "]",
		WHY " [fairlead/1 to=u2 queue=" QUEUE " forgiven=01 floors=" FLOOR "]",
		WHY " [fairlead/1 to=u2 queue=" QUEUE " forgiven=1 floors=]",
		WHY " [fairlead/1 to=u2 queue=" QUEUE " forgiven=1 floors=" FLOOR ",]",
		WHY " [fairlead/1 to=u2 queue=" QUEUE " forgiven=1 floors=" FLOOR " ]",
		WHY " [fairlead/1 to=u2 queue=" QUEUE " forgiven=1 floors=1.3.3fe0000000000000]",
		WHY " [fairlead/1 to=u2 queue=" QUEUE " forgiven=1 floors=-1.3." QUEUE "." QUEUE
		    "]",
		WHY " [fairlead/1 to=u2 queue=" QUEUE " forgiven=1 floors=1000.3." QUEUE "." QUEUE
		    "]",
		WHY YIELDED " ",
		WHY YIELDED "\n",
		"x" YIELDED "y]",
		WHY " [fairlead/1 to=u2 queue=" QUEUE " forgiven=1 floors=" FLOOR "," FLOOR
		    "," FLOOR "," FLOOR "," FLOOR "," FLOOR "," FLOOR "," FLOOR "," FLOOR "," FLOOR
		    "," FLOOR "," FLOOR "," FLOOR "," FLOOR "," FLOOR "," FLOOR "," FLOOR "]",
	};
	char uid[FL_YIELD_UID], cut[sizeof WHY YIELDED];
	struct fl_yield y;
	uint64_t queue;

	for (size_t i = 0; i < COUNT(texts); i++)
		assert_false(fl_yield_read(texts[i], &y, uid, &queue));
	for (size_t len = 0; len < sizeof WHY YIELDED - 1; len++) {
		memcpy(cut, WHY YIELDED, len);
		cut[len] = '\0';
		assert_false(fl_yield_read(cut, &y, uid, &queue));
		assert_int_equal(fl_yield_begin(cut), len);
	}
	/* What ends it counts. */
	assert_true(fl_yield_read(WHY " [fairlead/1 x]" YIELDED, &y, uid, &queue));
	assert_true(fl_yield_read(YIELDED, &y, uid, &queue));
}

/* In the condition Preempted, at the end, in place of what was there; Evicted is as Kueue writes it. */
TEST(what_was_yielded_is_written)
{
	static const char other[] = " [fairlead/1 to=- queue=" QUEUE " forgiven=0 floors=-]";
	const struct fl_managed_change eviction = { .now = NOW_SECONDS * FL_SECOND,
						    .reason = "Preempted",
						    .preempted = "InClusterQueue",
						    .message = WHY,
						    .yielded = YIELDED };
	const struct {
		const char *is, *message, *yielded, *wanted;
		bool evicts;
	} rows_of[] = {
		{ "True", "before", YIELDED, WHY YIELDED, true },
		{ "True", WHY YIELDED, other,
		  "Previously: " WHY " [fairlead/1 to=- queue=" QUEUE " forgiven=0 floors=-]",
		  false },
		{ "True", WHY YIELDED, NULL, "Previously: " WHY, false },
		{ "False", "Previously: " WHY YIELDED, YIELDED, "Previously: " WHY YIELDED, false },
		{ "False", "Previously: " WHY " [fairlead/9 x]", NULL, "Previously: " WHY, false },
		{ "True", WHY, NULL, "Previously: " WHY, false },
	};

	for (size_t i = 0; i < COUNT(rows_of); i++) {
		struct fl_managed_change change = rows_of[i].evicts ? eviction : admission;
		const struct fl_mirror_object *o;
		char status[TEXT], *message = NULL;
		fairlead_error err = { 0 };
		struct world w;
		json_t *body;

		change.yielded = rows_of[i].yielded;
		begin(&w);
		(void)snprintf(
			status, sizeof status,
			"{\"conditions\":[{\"type\":\"Preempted\",\"status\":\"%s\",\"reason\":"
			"\"x\",\"message\":\"%s\",\"lastTransitionTime\":\"" OTHER_TIME "\"}]}",
			rows_of[i].is, rows_of[i].message);
		see(&w, 1, 20, status);
		o = fl_mirror_find(w.mirror, FL_MIRROR_WORKLOAD, "ns", "w1");
		assert_int_equal(fl_managed_yielded(&w.all, o, &message, &err), 0);
		if (strstr(rows_of[i].message, "[fairlead/"))
			assert_string_equal(message, rows_of[i].message);
		else
			assert_null(message);
		free(message);
		body = body_of(&w, "w1", &change);
		check_text(condition(body, "Preempted"), "message", rows_of[i].wanted);
		if (rows_of[i].evicts)
			check_text(condition(body, "Evicted"), "message", WHY);
		json_decref(body);
		end(&w);
	}
}

/* Another version than the mirror's is not written over. */
#define JOB "4548c8bd-c399-4027-bb02-6114f3a8cdeb"

TEST(the_uid_of_its_job)
{
	static const struct {
		const char *labels, *job;
	} cases[] = {
		{ "{\"kueue.x-k8s.io/job-uid\":\"" JOB "\"}", JOB },
		{ "{\"a\":\"b\",\"kueue.x-k8s.io/job-uid\":\"00000000-0000-0000-0000-000000000000\"}",
		  "00000000-0000-0000-0000-000000000000" },
		{ "{}", NULL },
		{ "null", NULL },
		{ "{\"kueue.x-k8s.io/job-uid\":\"\"}", NULL },
		{ "{\"kueue.x-k8s.io/job-uid\":\"4548c8bd-c399-4027-bb02-6114f3a8cde\"}", NULL },
		{ "{\"kueue.x-k8s.io/job-uid\":\"4548c8bd-c399-4027-bb02-6114f3a8cdeb0\"}", NULL },
		{ "{\"kueue.x-k8s.io/job-uid\":\"4548c8bd-c399-4027-bb02-6114f3a8cdeg\"}", NULL },
		{ "{\"kueue.x-k8s.io/job-uid\":\"4548c8bd+c399-4027-bb02-6114f3a8cdeb\"}", NULL },
	};
	struct world w;
	char job[FL_UUID];

	begin(&w);
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		see_labelled(&w, 1, i + 1, cases[i].labels, "{}");
		const char *is = fl_managed_job(&w.all, fl_mirror_latest(w.mirror), job);

		if (cases[i].job)
			assert_string_equal(is, cases[i].job);
		else
			assert_null(is);
	}
	fl_managed_remove(&w.all, "u1");
	assert_null(fl_managed_job(&w.all, fl_mirror_latest(w.mirror), job));
	end(&w);
}

TEST(versions)
{
	struct world w;
	const struct fl_mirror_object *o;
	fairlead_error err = { 0 };
	char *text = NULL;
	static const char old[] =
		"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"w1\",\"uid\":\"u1\","
		"\"resourceVersion\":\"7\"},\"status\":{}}";

	begin(&w);
	see(&w, 1, 20,
	    "{\"conditions\":[" CONDITION("QuotaReserved", "False", "Pending", "x") "]}");
	o = fl_mirror_find(w.mirror, FL_MIRROR_WORKLOAD, "ns", "w1");
	assert_ptr_equal(fl_mirror_latest(w.mirror), o);
	assert_false(fl_managed_is_new(&w.all, o));
	see(&w, 2, 21, "{\"conditions\":[]}");
	assert_true(fl_managed_is_new(&w.all, fl_mirror_latest(w.mirror)));
	o = fl_mirror_find(w.mirror, FL_MIRROR_WORKLOAD, "ns", "w1");
	/* That version is known: nothing is read. */
	assert_int_equal(fl_managed_put(&w.all, o, "{", 1, &err), 0);
	assert_true(has(&w, 1));
	fl_managed_remove(&w.all, "u1");
	assert_false(has(&w, 1));
	assert_int_equal(fl_managed_put(&w.all, o, old, strlen(old), &err), 0);
	assert_false(has(&w, 1));
	assert_int_equal(fl_managed_body(&w.all, o, &admission, &text, &err), FAIRLEAD_ESTATE);
	assert_int_equal(fl_managed_put(&w.all, o, "{", 1, &err), FAIRLEAD_EINPUT);
	end(&w);
}

/* Any of them go, and the others are found; equal texts are kept once. */
TEST(many)
{
	struct world w;

	begin(&w);
	for (unsigned i = 0; i < MANY; i++)
		see(&w, i, 100 + i,
		    "{\"conditions\":[" CONDITION("QuotaReserved", "False", "Pending", "x") "]}");
	assert_int_equal(w.all.texts.used, 1);
	for (unsigned round = 0; round < 7; round++)
		for (unsigned i = round; i < MANY; i += 7) {
			char uid[20];

			for (unsigned k = 0; k < MANY; k += 13) {
				bool left = k % 7 < round || (k % 7 == round && k < i);

				assert_int_equal(has(&w, k), !left);
			}
			(void)snprintf(uid, sizeof uid, "u%u", i);
			fl_managed_remove(&w.all, uid);
		}
	assert_int_equal(w.all.used, 0);
	assert_int_equal(w.all.texts.used, 0);
	end(&w);
}

UNIT_GROUP("managed")
