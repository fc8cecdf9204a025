/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon that watches a cluster: what it heard is what its policy knows. */
#include <dlfcn.h>

#include "base/random.h"
#include "daemon/cluster/daemon.h"
#include "daemon/cluster/inside.h"
#include "daemon/engine/agreement/agreement.h"
#include "decide/borrow/state/state.h"
#include "lib/few.h"
#include "lib/unit.h"
#include "unit/daemon/folder.h"
#include "unit/daemon/watched.h"
#include "unit/mirror/objects.h"

static bool no_threads; /* where a group of processes has as many as it may */

int uv_thread_create(uv_thread_t *ret, uv_thread_cb entry, void *arg)
{
	int (*real)(uv_thread_t *, uv_thread_cb, void *);

	*(void **)&real = dlsym(RTLD_NEXT, "uv_thread_create");
	return no_threads ? UV_EAGAIN : real(ret, entry, arg);
}

struct world {
	struct folder folder;
	uv_loop_t loop;
	struct fl_cluster *cluster;
	char log[4096];
	const char *expected;
	bool ready, broken, closed;
};

static void note(void *user, const char *line)
{
	struct world *w = user;
	size_t n = strlen(w->log);

	(void)snprintf(w->log + n, sizeof w->log - n, "%s\n", line);
}

static void on_broken(void *user, const fairlead_error *err)
{
	struct world *w = user;

	w->broken = true;
	note(w, err->text);
}

static void on_ready(void *user) { ((struct world *)user)->ready = true; }
static void on_closed(void *user) { ((struct world *)user)->closed = true; }

static const struct object {
	enum fl_mirror_kind kind;
	const char *text;
} objects[] = {
	{ FL_MIRROR_FLAVOR, "{\"metadata\":{\"name\":\"f0\"},\"spec\":{}}" },
	{ FL_MIRROR_CLUSTER_QUEUE,
	  "{\"metadata\":{\"name\":\"cq\"},\"spec\":{\"namespaceSelector\":{},\"resourceGroups\":[{"
	  "\"coveredResources\":[\"cpu\",\"memory\"],\"flavors\":[{\"name\":\"f0\",\"resources\":["
	  "{\"name\":\"cpu\",\"nominalQuota\":\"4\"},{\"name\":\"memory\",\"nominalQuota\":\"40Gi\"}"
	  "]}]}]},\"status\":{\"pendingWorkloads\":7}}" },
	{ FL_MIRROR_LOCAL_QUEUE,
	  "{\"metadata\":{\"name\":\"q0\",\"namespace\":\"ns\"},\"spec\":{\"clusterQueue\":\"cq\"}}" },
	{ FL_MIRROR_NAMESPACE, "{\"metadata\":{\"name\":\"ns\"}}" },
};

static const char stopped[] = "{\"metadata\":{\"name\":\"cq\"},\"spec\":{\"stopPolicy\":\"Hold\","
			      "\"resourceGroups\":[]}}";

static void see(struct world *w, enum fl_mirror_kind kind, const char *text)
{
	fairlead_error err = { 0 };

	assert_int_equal(fl_cluster_seen(w->cluster, kind, text, strlen(text), &err), 0);
}

static void see_workload(struct world *w, const struct written *o)
{
	char text[OBJECT];

	see(w, FL_MIRROR_WORKLOAD, write_workload(o, text));
}

static void settle(struct world *w)
{
	while (!fl_cluster_is_settled(w->cluster) && !w->broken)
		(void)uv_run(&w->loop, UV_RUN_ONCE);
}

/* All kinds are listed once: what all worlds have, @more, and Workloads. */
static void list_all(struct world *w, const struct written *there, uint32_t n,
		     const struct object *more, uint32_t n_more)
{
	struct fl_cluster_options o = watched_options(&w->loop, w->folder.path, w);
	fairlead_error err = { 0 };

	o.log = note;
	o.broken = on_broken;
	o.ready = on_ready;
	*w = (struct world){ .expected = "" };
	folder_make(&w->folder);
	assert_int_equal(uv_loop_init(&w->loop), 0);
	assert_int_equal(fl_cluster_new(&o, &w->cluster, &err), 0);
	for (enum fl_mirror_kind k = 0; k < FL_MIRROR_KINDS; k++) {
		assert_false(fl_cluster_is_ready(w->cluster));
		fl_cluster_begun(w->cluster, k, NULL);
		for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
			if (objects[i].kind == k)
				see(w, k, objects[i].text);
		for (uint32_t i = 0; i < n_more; i++)
			if (more[i].kind == k)
				see(w, k, more[i].text);
		for (uint32_t i = 0; i < n && k == FL_MIRROR_WORKLOAD; i++)
			see_workload(w, &there[i]);
		fl_cluster_listed(w->cluster, k);
	}
}

static void begin(struct world *w, const struct written *there, uint32_t n)
{
	list_all(w, there, n, /* more= */ NULL, 0);
	settle(w);
	if (w->broken)
		fail_msg("%s", w->log);
	assert_true(w->ready);
}

static void end(struct world *w)
{
	fl_cluster_close(w->cluster, on_closed, w);
	while (!w->closed)
		(void)uv_run(&w->loop, UV_RUN_ONCE);
	fl_cluster_free(w->cluster);
	assert_int_equal(uv_loop_close(&w->loop), 0);
	assert_string_equal(w->log, w->expected);
	folder_gone(&w->folder);
}

/* The state of a Workload in the policy; FL_STATE_EXCLUDED, too, of one that is not in it. */
static enum fl_workload_state state_of(struct world *w, const char *name)
{
	const struct fl_live *job = fl_cluster_find(w->cluster, "ns", name);
	struct fl_live_view v;

	fl_daemon_view(fl_cluster_daemon(w->cluster), &v);
	return !job || job->workload.v == FL_NONE ? FL_STATE_EXCLUDED :
						    v.ops->state(v.policy, job->workload);
}

TEST(what_holds_quota_and_what_waits)
{
	const struct written there[] = {
		{ .name = 0, .uid = 1, .pods = 1, .reserved = true, .admitted = true },
		{ .name = 1, .uid = 2, .pods = 1 },
		{ .name = 2, .uid = 3, .out = true },
		{ .name = 3, .uid = 4, .finished = true },
		{ .name = 4, .uid = 5, .reserved = true, .evicted = true },
	};
	struct fl_live_view v;
	struct world w;

	begin(&w, there, 5);
	assert_int_equal(state_of(&w, "w0"), FL_STATE_ADMITTED);
	assert_int_equal(state_of(&w, "w1"), FL_STATE_WAITING);
	assert_int_equal(state_of(&w, "w4"), FL_STATE_EVICTING);
	assert_null(fl_cluster_find(w.cluster, "ns", "w3"));
	assert_int_equal(fl_cluster_find(w.cluster, "ns", "w2")->state, FL_JOB_HELD);
	fl_daemon_view(fl_cluster_daemon(w.cluster), &v);
	assert_int_equal(v.n_jobs, 4);
	end(&w);
}

TEST(changes_come_into_the_view)
{
	struct written o = { .name = 0, .uid = 1, .pods = 1 };
	fairlead_error err = { 0 };
	uint64_t version, number;
	struct world w;

	begin(&w, &o, 1);
	number = fl_cluster_find(w.cluster, "ns", "w0")->id;
	o.reserved = true;
	see_workload(&w, &o);
	settle(&w);
	assert_int_equal(state_of(&w, "w0"), FL_STATE_ADMITTED);
	assert_int_equal(fl_cluster_find(w.cluster, "ns", "w0")->attempt, 1);
	o.evicted = true;
	see_workload(&w, &o);
	settle(&w);
	assert_int_equal(state_of(&w, "w0"), FL_STATE_EVICTING);
	o.reserved = false;
	o.requeue = 0;
	see_workload(&w, &o);
	see_workload(&w, &(struct written){ .name = 7, .uid = 7, .pods = 2 });
	settle(&w);
	assert_int_equal(state_of(&w, "w7"), FL_STATE_WAITING);
	assert_int_equal(fl_cluster_find(w.cluster, "ns", "w0")->evictions, 1);
	assert_true(fl_cluster_find(w.cluster, "ns", "w0")->id == number);
	version = fl_daemon_version(fl_cluster_daemon(w.cluster));
	o.version = 99;
	see_workload(&w, &o);
	settle(&w);
	assert_true(fl_daemon_version(fl_cluster_daemon(w.cluster)) == version);
	assert_int_equal(fl_cluster_removed(w.cluster, FL_MIRROR_WORKLOAD, "ns", "w0", &err), 0);
	settle(&w);
	assert_null(fl_cluster_find(w.cluster, "ns", "w0"));
	end(&w);
}

/* What is over before a generation is taken is not in it. */
TEST(over_while_a_generation_is_made)
{
	struct written o = { .name = 0, .uid = 1, .pods = 1, .reserved = true, .admitted = true };
	struct fl_live_view v;
	uint64_t before, generations, events;
	struct world w;

	begin(&w, &o, 1);
	fl_cluster_counts(w.cluster, &before, &events);
	/* A generation may be made and taken in one turn of the loop: then once more. */
	for (unsigned i = 0; !w.cluster->drafter.draft; i++) {
		see(&w, FL_MIRROR_CLUSTER_QUEUE, i % 2 ? objects[1].text : stopped);
		(void)uv_run(&w.loop, UV_RUN_NOWAIT);
	}
	o.finished = true;
	see_workload(&w, &o);
	settle(&w);
	fl_cluster_counts(w.cluster, &generations, &events);
	assert_true(generations > before);
	fl_daemon_view(fl_cluster_daemon(w.cluster), &v);
	for (uint32_t i = 0; i < v.model->n_workloads; i++)
		assert_int_equal(v.ops->state(v.policy, (struct fl_workload){ i }),
				 FL_STATE_ABSENT);
	end(&w);
}

TEST(a_queue_changes)
{
	const struct written o = { .name = 0, .uid = 1, .pods = 1 };
	struct fl_live_view v;
	struct world w;

	begin(&w, &o, 1);
	see(&w, FL_MIRROR_CLUSTER_QUEUE, stopped);
	settle(&w);
	fl_daemon_view(fl_cluster_daemon(w.cluster), &v);
	assert_int_equal(v.model->nodes[0].inactive, FL_INACTIVE_STOPPED);
	assert_int_equal(state_of(&w, "w0"), FL_STATE_EXCLUDED);
	end(&w);
}

/*
 * Each admission is counted once, also where a queue changes between two of them.
 */
TEST(what_the_scheduler_decides_is_compared)
{
	struct written o = { .name = 0, .uid = 1 };
	struct fl_agree_counts *n = calloc(1, sizeof *n);
	const struct fl_agreement *a;
	struct world w;

	begin(&w, &o, 1);
	assert_non_null(n);
	for (unsigned i = 0; i < 2; i++) {
		o = (struct written){ .name = i, .uid = i + 1 };
		see_workload(&w, &o);
		o.reserved = true;
		see_workload(&w, &o);
		see(&w, FL_MIRROR_NAMESPACE,
		    i ? "{\"metadata\":{\"name\":\"ns\",\"labels\":{\"a\":\"b\"}}}" :
			"{\"metadata\":{\"name\":\"ns\",\"labels\":{\"a\":\"a\"}}}");
		settle(&w);
	}
	a = fl_daemon_agreement(fl_cluster_daemon(w.cluster));
	assert_non_null(a);
	fl_agree_counted(fl_agreement_of(a), FL_TIME_NONE, FL_NEVER, n);
	assert_int_equal(n->of[FL_AGREE_ADMIT][FL_REASON_FITS].real, 2);
	assert_int_equal(n->of[FL_AGREE_ADMIT][FL_REASON_FITS].real_too, 2);
	assert_int_equal(n->of[FL_AGREE_ADMIT][FL_REASON_FITS].engine_too, 2);
	assert_int_equal(n->unjudged, 0);
	free(n);
	end(&w);
}

enum { NAMES = 30, CHANGES = 300, WORLDS = 12 };

static unsigned draw(struct fl_random *r, unsigned below)
{
	return (unsigned)(fl_random_bits(r) % below);
}

/* A Workload of the first half is of the queue, of the second of none. */
static void change_one(struct fl_random *r, struct written *o, unsigned version)
{
	const bool has_quota = draw(r, 3) == 0;

	o->version = version;
	o->pods = draw(r, 4) ? o->pods : draw(r, 2);
	o->priority = draw(r, 3) ? o->priority : draw(r, 3);
	o->queue = o->name < NAMES / 2 ? 0 : draw(r, 2);
	o->out = draw(r, 10) == 0;
	o->reserved = has_quota;
	o->evicted = draw(r, 4) == 0;
	o->admitted = o->reserved && draw(r, 2);
	o->finished = draw(r, 15) == 0;
	o->requeue = draw(r, 5) == 0 ? 1 + draw(r, 5) : 0;
}

static void check_same(struct world *w, struct world *fresh, const struct written *there)
{
	struct fl_live_view a, b;

	fl_daemon_view(fl_cluster_daemon(w->cluster), &a);
	fl_daemon_view(fl_cluster_daemon(fresh->cluster), &b);
	for (unsigned i = 0; i < NAMES; i++) {
		const struct fl_live *x, *y;
		char name[16];

		(void)snprintf(name, sizeof name, "w%u", i);
		x = fl_cluster_find(w->cluster, "ns", name);
		y = fl_cluster_find(fresh->cluster, "ns", name);
		assert_true(!x == !y);
		assert_true(!x || there[i].version);
		if (!x)
			continue;
		assert_int_equal(x->state, y->state);
		assert_true(x->workload.v != FL_NONE && y->workload.v != FL_NONE);
		assert_int_equal(a.ops->state(a.policy, x->workload),
				 b.ops->state(b.policy, y->workload));
		for (uint32_t k = 0; k < a.model->n_resources; k++)
			assert_true(a.ops->held(a.policy, x->workload, (struct fl_resource){ k }) ==
				    b.ops->held(b.policy, y->workload, (struct fl_resource){ k }));
		assert_int_equal(a.model->workloads[x->workload.v].excluded,
				 b.model->workloads[y->workload.v].excluded);
		/* Its place in the queue. */
		assert_true(a.policy->jobs[x->workload.v].since ==
			    b.policy->jobs[y->workload.v].since);
	}
}

/* What is told change by change is what a daemon knows that begins now. */
TEST(changes_one_by_one_are_as_all_at_once)
{
	for (unsigned seed = 0; seed < few(WORLDS); seed++) {
		struct written there[NAMES] = { { .name = 0 } }, list[NAMES];
		struct world w, fresh;
		struct fl_random r;
		uint64_t generations, events;
		uint32_t n = 0;

		fl_random_init(&r, seed, fl_random_stream("cluster"));
		begin(&w, NULL, 0);
		for (unsigned v = 1; v <= CHANGES; v++) {
			struct written *o = &there[draw(&r, NAMES)];
			fairlead_error err = { 0 };
			char name[16];

			o->name = (unsigned)(o - there);
			if (o->version && draw(&r, 6) == 0) {
				(void)snprintf(name, sizeof name, "w%u", o->name);
				assert_int_equal(fl_cluster_removed(w.cluster, FL_MIRROR_WORKLOAD,
								    "ns", name, &err),
						 0);
				o->version = 0;
				continue;
			}
			if (!o->version)
				*o = (struct written){ .name = o->name, .uid = v };
			change_one(&r, o, v);
			see_workload(&w, o);
			if (draw(&r, 20) == 0)
				settle(&w);
		}
		settle(&w);
		for (unsigned i = 0; i < NAMES; i++)
			if (there[i].version)
				list[n++] = there[i];
		begin(&fresh, list, n);
		check_same(&w, &fresh, there);
		fl_cluster_counts(w.cluster, &generations, &events);
		assert_true(events > CHANGES / 2);
		if (getenv("FAIRLEAD_TELL"))
			print_message("%llu generations, %llu events\n",
				      (unsigned long long)generations, (unsigned long long)events);
		end(&fresh);
		end(&w);
	}
}

TEST(own_documents_are_watched_and_refused_when_wrong)
{
	const struct written o = { .name = 0, .uid = 1, .pods = 1 };
	struct fl_daemon *d;
	struct world w;

	begin(&w, &o, 1);
	d = fl_cluster_daemon(w.cluster);
	see(&w, FL_MIRROR_CONFIG_MAP,
	    "{\"metadata\":{\"name\":\"fairlead\",\"namespace\":\"fairlead\"},\"data\":{\"daemon.yaml\":"
	    "\"apiVersion: fairlead.dev/v1alpha1\\nkind: Daemon\\nmetadata: {name: d}\\nspec: {cycleInterval: 7s}\\n\"}}");
	settle(&w);
	assert_null(fl_daemon_warning(d));
	assert_true(fl_daemon_settings_of(d)->cycle_interval == 7 * FL_SECOND);
	see(&w, FL_MIRROR_CONFIG_MAP,
	    "{\"metadata\":{\"name\":\"fairlead\",\"namespace\":\"fairlead\"},\"data\":{\"daemon.yaml\":"
	    "\"apiVersion: fairlead.dev/v1alpha1\\nkind: Daemon\\nmetadata: {name: d}\\nspec: {cycleInterval: soon}\\n\"}}");
	settle(&w);
	assert_non_null(
		strstr(fl_daemon_warning(d), "ConfigMap/fairlead/fairlead data[daemon.yaml]:4:"));
	assert_true(fl_daemon_settings_of(d)->cycle_interval == 7 * FL_SECOND);
	assert_int_equal(state_of(&w, "w0"), FL_STATE_WAITING);
	w.expected = w.log;
	end(&w);
}

/* --- what no policy takes --- */

static const char own_of[] =
	"{\"metadata\":{\"name\":\"fairlead\",\"namespace\":\"fairlead\"},\"data\":{\"daemon.yaml\":"
	"\"apiVersion: fairlead.dev/v1alpha1\\nkind: Daemon\\nmetadata: {name: d}\\nspec: {%s}\\n\"}}";

static void see_own(struct world *w, const char *spec)
{
	char text[600];

	(void)snprintf(text, sizeof text, own_of, spec);
	see(w, FL_MIRROR_CONFIG_MAP, text);
}

/* A Workload whose pod has two containers, each with @n resources of its own. */
static char *write_odd(const char *name, unsigned n)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	fprintf(f,
		"{\"metadata\":{\"name\":\"%s\",\"namespace\":\"ns\",\"uid\":\"u-%s\","
		"\"creationTimestamp\":\"2026-11-01T10:00:00Z\"},\"spec\":{\"queueName\":\"q0\","
		"\"active\":true,\"podSets\":[{\"name\":\"main\",\"count\":1,\"template\":{\"spec\":{"
		"\"containers\":[",
		name, name);
	for (unsigned c = 0; c < 2; c++) {
		fprintf(f, "%s{\"name\":\"c%u\",\"resources\":{\"requests\":{", c ? "," : "", c);
		for (unsigned i = 0; i < n; i++)
			fprintf(f, "%s\"x.io/r%u-%u\":\"1\"", i ? "," : "", c, i);
		fprintf(f, "}}}");
	}
	fprintf(f, "]}}}]}}");
	assert_int_equal(fclose(f), 0);
	return text;
}

/* Whoever may make a Workload can end no daemon with it, and keep no other Workload out of its view. */
TEST(a_workload_that_no_model_takes_is_left_out)
{
	const struct written o = { .name = 0, .uid = 1, .pods = 1 };
	char *more = write_odd("more", 600), *many = write_odd("many", 250);
	struct world w;

	begin(&w, &o, 1);
	see(&w, FL_MIRROR_WORKLOAD, more);
	see(&w, FL_MIRROR_WORKLOAD, many);
	see_workload(&w, &(struct written){ .name = 1, .uid = 2, .pods = 1 });
	settle(&w);
	assert_false(w.broken);
	assert_int_equal(state_of(&w, "w0"), FL_STATE_WAITING);
	assert_int_equal(state_of(&w, "w1"), FL_STATE_WAITING);
	assert_null(fl_cluster_find(w.cluster, "ns", "more"));
	assert_non_null(fl_cluster_find(w.cluster, "ns", "many"));
	assert_non_null(strstr(w.log, "a pod with more than 512 resources"));
	w.expected = w.log;
	end(&w);
	free(more);
	free(many);
}

/* Cohorts that nest too deep are refused; the configuration before stays, and Workloads are followed on. */
TEST(too_many_levels_are_refused)
{
	const struct written o = { .name = 0, .uid = 1, .pods = 1 };
	struct world w;

	begin(&w, &o, 1);
	for (unsigned i = 0; i < 300; i++) {
		char text[200];

		(void)snprintf(
			text, sizeof text,
			"{\"metadata\":{\"name\":\"c%u\"},\"spec\":{\"parentName\":\"c%u\"}}", i,
			i + 1);
		see(&w, FL_MIRROR_COHORT, text);
	}
	settle(&w);
	assert_false(w.broken);
	assert_non_null(strstr(fl_daemon_warning(fl_cluster_daemon(w.cluster)), "nest deeper"));
	see_workload(&w, &(struct written){ .name = 1, .uid = 2, .pods = 1 });
	settle(&w);
	assert_int_equal(state_of(&w, "w0"), FL_STATE_WAITING);
	assert_int_equal(state_of(&w, "w1"), FL_STATE_WAITING);
	for (unsigned i = 0; i < 300; i++) {
		fairlead_error err = { 0 };
		char name[20];

		(void)snprintf(name, sizeof name, "c%u", i);
		assert_int_equal(fl_cluster_removed(w.cluster, FL_MIRROR_COHORT, "", name, &err),
				 0);
	}
	settle(&w);
	assert_null(fl_daemon_warning(fl_cluster_daemon(w.cluster)));
	w.expected = w.log;
	end(&w);
}

/* A document that is read, and asks for a policy that does not suit: it holds up no other change. */
TEST(a_policy_that_does_not_suit_is_refused)
{
	static const char *const specs[] = { "policy: foo", "policy: entitle" };

	for (size_t i = 0; i < 2; i++) {
		const struct written o = { .name = 0, .uid = 1, .pods = 1 };
		struct fl_live_view v;
		struct world w;

		begin(&w, &o, 1);
		see_own(&w, "cycleInterval: 7s");
		settle(&w);
		see_own(&w, specs[i]);
		settle(&w);
		assert_non_null(strstr(fl_daemon_warning(fl_cluster_daemon(w.cluster)), "polic"));
		see(&w, FL_MIRROR_CLUSTER_QUEUE, stopped);
		settle(&w);
		fl_daemon_view(fl_cluster_daemon(w.cluster), &v);
		assert_int_equal(v.model->nodes[0].inactive, FL_INACTIVE_STOPPED);
		assert_true(fl_daemon_settings_of(fl_cluster_daemon(w.cluster))->cycle_interval ==
			    7 * FL_SECOND);
		assert_non_null(fl_daemon_warning(fl_cluster_daemon(w.cluster)));
		see_own(&w, "cycleInterval: 8s");
		settle(&w);
		assert_null(fl_daemon_warning(fl_cluster_daemon(w.cluster)));
		w.expected = w.log;
		end(&w);
	}
}

/* At the start there is no configuration before: it is ready once there is one. */
TEST(not_ready_with_nothing)
{
	const struct written o = { .name = 0, .uid = 1, .pods = 1 };
	struct object own = { FL_MIRROR_CONFIG_MAP, NULL };
	char text[600];
	struct world w;

	(void)snprintf(text, sizeof text, own_of, "policy: foo");
	own.text = text;
	list_all(&w, &o, 1, &own, 1);
	for (unsigned i = 0; i < 20; i++) {
		see_workload(&w, &(struct written){ .name = 1, .uid = 2, .pods = i });
		(void)uv_run(&w.loop, UV_RUN_NOWAIT);
	}
	assert_false(w.broken);
	assert_false(w.ready);
	assert_non_null(strstr(fl_daemon_unready(fl_cluster_daemon(w.cluster)),
			       "there is no policy 'foo'"));
	see_own(&w, "cycleInterval: 7s");
	settle(&w);
	assert_true(w.ready);
	assert_null(fl_daemon_unready(fl_cluster_daemon(w.cluster)));
	assert_null(fl_daemon_warning(fl_cluster_daemon(w.cluster)));
	assert_int_equal(state_of(&w, "w0"), FL_STATE_WAITING);
	assert_int_equal(state_of(&w, "w1"), FL_STATE_WAITING);
	w.expected = w.log;
	end(&w);
}

/* A LocalQueue whose name is longer than errors have room for. */
static char *write_long(void)
{
	char name[254], namespace[64], *text = NULL;

	memset(name, 'q', sizeof name);
	memset(namespace, 'n', sizeof namespace);
	name[253] = namespace[63] = '\0';
	assert_true(asprintf(&text,
			     "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"%s\"},"
			     "\"spec\":{\"clusterQueue\":[\"cq\"]}}",
			     name, namespace) > 0);
	return text;
}

static char *write_limit_range(void)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	fprintf(f, "{\"metadata\":{\"name\":\"l\",\"namespace\":\"ns\"},\"spec\":{\"limits\":[{"
		   "\"type\":\"Container\",\"defaultRequest\":{");
	for (unsigned i = 0; i < 70000; i++)
		fprintf(f, "%s\"x.io/r%u\":\"1\"", i ? "," : "", i);
	fprintf(f, "}}]}}");
	assert_int_equal(fclose(f), 0);
	return text;
}

/* What is wrong with an object costs that object, once, and nothing else. */
TEST(objects_that_cannot_be_read_are_left_out)
{
	const struct written o = { .name = 0, .uid = 1, .pods = 1 };
	char *long_one = write_long(), *range = write_limit_range();
	const struct object more[] = {
		{ FL_MIRROR_LOCAL_QUEUE, long_one },
		{ FL_MIRROR_LIMIT_RANGE, range },
		{ FL_MIRROR_FLAVOR,
		  "{\"metadata\":{\"name\":\"odd\"},\"spec\":{\"nodeLabels\":[1]}}" },
	};
	struct world w;
	size_t told;

	list_all(&w, &o, 1, more, 3);
	for (unsigned i = 0; i < 100 && !w.ready && !w.broken; i++)
		(void)uv_run(&w.loop, UV_RUN_ONCE);
	assert_true(w.ready);
	assert_int_equal(state_of(&w, "w0"), FL_STATE_WAITING);
	assert_null(fl_daemon_warning(fl_cluster_daemon(w.cluster)));
	assert_non_null(strstr(w.log, "localqueues"));
	assert_non_null(strstr(w.log, "limitranges"));
	assert_non_null(strstr(w.log, "ResourceFlavor/odd"));
	assert_int_equal(
		fl_mirror_find(fl_cluster_mirror(w.cluster), FL_MIRROR_FLAVOR, "", "odd")->n_own,
		0);
	told = strlen(w.log);
	see(&w, FL_MIRROR_CLUSTER_QUEUE, stopped);
	settle(&w);
	assert_int_equal(strlen(w.log), told);
	w.expected = w.log;
	end(&w);
	free(long_one);
	free(range);
}

/*
 * Only with its Workloads is it refused: what is admitted is too much for a number.  Once that Workload is gone the
 * next generation is made.
 */
TEST(a_generation_that_is_refused_is_tried_again)
{
	struct written o = { .name = 0, .uid = 1 };
	fairlead_error err = { 0 };
	char text[OBJECT], *at;
	struct world w;

	begin(&w, &o, 1);
	o = (struct written){ .name = 1, .uid = 2, .reserved = true, .admitted = true };
	for (unsigned i = 1; i < 4; i++) {
		o.name = i;
		o.uid = i + 1;
		write_workload(&o, text);
		at = strstr(text, "\"resourceUsage\":{\"cpu\":\"1\"");
		assert_non_null(at);
		at[strlen("\"resourceUsage\":{\"cpu\":\"")] = '4';
		memcpy(strstr(at, "1Gi"), "4Ei", 3);
		see(&w, FL_MIRROR_WORKLOAD, text);
	}
	for (unsigned i = 0; i < 2; i++) {
		if (i == 1)
			see(&w, FL_MIRROR_NAMESPACE,
			    "{\"metadata\":{\"name\":\"ns\",\"labels\":{\"a\":\"a\"}}}");
		while ((!w.cluster->stuck || w.cluster->restructured) && !w.broken)
			(void)uv_run(&w.loop, UV_RUN_ONCE);
		assert_false(w.broken);
		assert_false(fl_cluster_is_settled(w.cluster));
		assert_non_null(strstr(fl_daemon_warning(fl_cluster_daemon(w.cluster)), "2^63"));
	}
	for (unsigned i = 1; i < 4; i++) {
		char name[8];

		(void)snprintf(name, sizeof name, "w%u", i);
		assert_int_equal(
			fl_cluster_removed(w.cluster, FL_MIRROR_WORKLOAD, "ns", name, &err), 0);
	}
	see_workload(&w, &(struct written){ .name = 5, .uid = 6 });
	settle(&w);
	assert_int_equal(state_of(&w, "w5"), FL_STATE_WAITING);
	assert_null(fl_daemon_warning(fl_cluster_daemon(w.cluster)));
	w.expected = w.log;
	end(&w);
}

/* Each generation is made in the loop then. */
/* Workloads of ever new queues come and go: what they are named by does not stay. */
TEST(names_of_queues_are_forgotten)
{
	enum { MANY = 6000 };
	const struct written stays = { .name = 1, .uid = 1, .queue = 99999 };
	fairlead_error err = { 0 };
	struct world w;

	begin(&w, NULL, 0);
	see_workload(&w, &stays);
	for (unsigned i = 0; i < MANY; i++) {
		see_workload(&w, &(struct written){ .name = 2, .uid = 2 + i, .queue = i });
		assert_int_equal(
			fl_cluster_removed(w.cluster, FL_MIRROR_WORKLOAD, "ns", "w2", &err), 0);
		if (i % 100 == 0)
			settle(&w);
	}
	settle(&w);
	assert_true(w.cluster->jobs.names.n < MANY / 2);
	assert_string_equal(fl_names_text(&w.cluster->jobs.names, w.cluster->jobs.rows[0].queue),
			    "ns/q99999");
	assert_int_equal(fl_jobs_of_queue(&w.cluster->jobs, "ns/q99999"), 1);
	assert_int_equal(fl_jobs_of_user(&w.cluster->jobs, "ns"), 1);
	end(&w);
}

TEST(without_a_thread)
{
	const struct written o = { .name = 0, .uid = 1, .pods = 1 };
	struct fl_live_view v;
	struct world w;

	no_threads = true;
	begin(&w, &o, 1);
	see(&w, FL_MIRROR_CLUSTER_QUEUE, stopped);
	settle(&w);
	no_threads = false;
	fl_daemon_view(fl_cluster_daemon(w.cluster), &v);
	assert_int_equal(v.model->nodes[0].inactive, FL_INACTIVE_STOPPED);
	end(&w);
}

UNIT_GROUP("cluster")
