/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon that watches a cluster with KAI: what gangs have become is told to its policy before a generation is made. */
#include "base/random.h"
#include "daemon/cluster/daemon.h"
#include "daemon/cluster/inside.h"
#include "daemon/cluster/kai.h"
#include "lib/few.h"
#include "lib/unit.h"
#include "unit/daemon/folder.h"
#include "unit/daemon/watched.h"

enum { GROUPS = 4, PODS = 12, NODES = 3, CHANGES = 60, WORLDS = 10 };

struct world {
	struct folder folder;
	uv_loop_t loop;
	struct fl_cluster *cluster;
	char log[4096];
	bool ready, closed;
};

/* What there is. */
struct group {
	bool there;
	unsigned least, queue;
};
struct pod {
	bool there, deleted;
	unsigned of, gpus, node; /* node 0: none */
	unsigned bind;           /* 0: none */
};
struct there {
	struct group groups[GROUPS];
	struct pod pods[PODS];
};

static void note(void *user, const char *line)
{
	struct world *w = user;
	size_t n = strlen(w->log);

	(void)snprintf(w->log + n, sizeof w->log - n, "%s\n", line);
}

static void on_broken(void *user, const fairlead_error *err) { note(user, err->text); }
static void on_ready(void *user) { ((struct world *)user)->ready = true; }
static void on_closed(void *user) { ((struct world *)user)->closed = true; }

static void see(struct world *w, enum fl_mirror_kind kind, const char *text)
{
	fairlead_error err = { 0 };

	assert_int_equal(fl_cluster_seen(w->cluster, kind, text, strlen(text), &err), 0);
}

static void gone(struct world *w, enum fl_mirror_kind kind, const char *name)
{
	fairlead_error err = { 0 };

	assert_int_equal(fl_cluster_removed(w->cluster, kind, "ns", name, &err), 0);
}

static void see_settings(struct world *w, enum fl_mirror_kind kind)
{
	static const char all[] = "\"cpu\":{\"quota\":-1,\"limit\":-1},\"memory\":{\"quota\":-1,"
				  "\"limit\":-1},\"gpu\":{\"quota\":4,\"limit\":-1,"
				  "\"overQuotaWeight\":1}";
	char text[1000];

	for (unsigned i = 0; i < 2 && kind == FL_MIRROR_QUEUE; i++) {
		(void)snprintf(text, sizeof text,
			       "{\"metadata\":{\"name\":\"q%u\"},\"spec\":{\"resources\":{%s}}}", i,
			       all);
		see(w, kind, text);
	}
	for (unsigned i = 1; i <= NODES && kind == FL_MIRROR_NODE; i++) {
		(void)snprintf(text, sizeof text,
			       "{\"metadata\":{\"name\":\"n%u\"},\"status\":{\"allocatable\":{"
			       "\"cpu\":\"64\",\"memory\":\"64Gi\",\"nvidia.com/gpu\":\"4\"},"
			       "\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}",
			       i);
		see(w, kind, text);
	}
}

static void see_group(struct world *w, const struct there *t, unsigned g)
{
	char text[600];

	(void)snprintf(
		text, sizeof text,
		"{\"metadata\":{\"name\":\"g%u\",\"namespace\":\"ns\",\"uid\":\"g%u\","
		"\"creationTimestamp\":\"2026-11-01T10:00:0%uZ\"},\"spec\":{\"queue\":\"q%u\","
		"\"minMember\":%u,\"priorityClassName\":\"train\"}}",
		g, g, g, t->groups[g].queue, t->groups[g].least);
	if (t->groups[g].there)
		see(w, FL_MIRROR_POD_GROUP, text);
}

static void see_pod(struct world *w, const struct there *t, unsigned i)
{
	const struct pod *p = &t->pods[i];
	char text[1000], node[40] = "";

	if (p->node)
		(void)snprintf(node, sizeof node, "\"nodeName\":\"n%u\",", p->node);
	(void)snprintf(
		text, sizeof text,
		"{\"metadata\":{\"name\":\"p%u\",\"namespace\":\"ns\",\"uid\":\"p%u\",%s"
		"\"annotations\":{\"pod-group-name\":\"g%u\"}},\"spec\":{%s\"schedulerName\":"
		"\"kai-scheduler\",\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{"
		"\"cpu\":\"1\"},\"limits\":{\"nvidia.com/gpu\":\"%u\"}}}]},\"status\":{\"phase\":"
		"\"%s\"}}",
		i, i, p->deleted ? "\"deletionTimestamp\":\"2026-11-01T12:00:00Z\"," : "", p->of,
		node, p->gpus, p->node ? "Running" : "Pending");
	if (p->there)
		see(w, FL_MIRROR_POD, text);
}

static void see_bind(struct world *w, const struct there *t, unsigned i)
{
	char text[600];

	(void)snprintf(
		text, sizeof text,
		"{\"metadata\":{\"name\":\"p%u\",\"namespace\":\"ns\"},\"spec\":{\"podName\":"
		"\"p%u\",\"selectedNode\":\"n%u\"},\"status\":{\"phase\":\"Pending\"}}",
		i, i, t->pods[i].bind);
	if (t->pods[i].bind)
		see(w, FL_MIRROR_BIND_REQUEST, text);
}

static void settle(struct world *w)
{
	(void)uv_run(&w->loop, UV_RUN_NOWAIT);
	while (!fl_cluster_is_settled(w->cluster) || uv_is_active((uv_handle_t *)&w->cluster->soon))
		(void)uv_run(&w->loop, UV_RUN_ONCE);
}

static void begin(struct world *w, const struct there *t)
{
	struct fl_cluster_options o = watched_options(&w->loop, w->folder.path, w);
	fairlead_error err = { 0 };

	o.log = note;
	o.broken = on_broken;
	o.ready = on_ready;
	*w = (struct world){ .ready = false };
	folder_make(&w->folder);
	assert_int_equal(uv_loop_init(&w->loop), 0);
	assert_int_equal(fl_cluster_new(&o, &w->cluster, &err), 0);
	fl_cluster_serves(w->cluster, FL_DIALECT_KAI);
	for (enum fl_mirror_kind k = 0; k < FL_MIRROR_KINDS; k++) {
		if (!fl_mirror_reads(FL_DIALECT_KAI, k))
			continue;
		assert_false(fl_cluster_is_ready(w->cluster));
		fl_cluster_begun(w->cluster, k, NULL);
		see_settings(w, k);
		for (unsigned g = 0; k == FL_MIRROR_POD_GROUP && g < GROUPS; g++)
			see_group(w, t, g);
		for (unsigned i = 0; k == FL_MIRROR_POD && i < PODS; i++)
			see_pod(w, t, i);
		for (unsigned i = 0; k == FL_MIRROR_BIND_REQUEST && i < PODS; i++)
			see_bind(w, t, i);
		fl_cluster_listed(w->cluster, k);
	}
	settle(w);
	assert_true(w->ready);
}

static void end(struct world *w)
{
	fl_cluster_close(w->cluster, on_closed, w);
	while (!w->closed)
		(void)uv_run(&w->loop, UV_RUN_ONCE);
	fl_cluster_free(w->cluster);
	assert_int_equal(uv_loop_close(&w->loop), 0);
	assert_string_equal(w->log, "");
	folder_gone(&w->folder);
}

static const struct fl_live *job(const struct world *w, const char *name)
{
	return fl_cluster_find(w->cluster, "ns", name);
}

static enum fl_workload_state state_of(const struct world *w, const char *name)
{
	const struct fl_live *of = job(w, name);

	return of && of->workload.v != FL_NONE ?
		       w->cluster->generation.ops->state(w->cluster->generation.policy,
							 of->workload) :
		       FL_STATE_EXCLUDED;
}

static void tell(struct world *w)
{
	fairlead_error err = { 0 };

	assert_int_equal(fl_cluster_tell_gangs(w->cluster, &err), 0);
}

/* A gang of two pods that wants to be in q0. */
static struct there gang(void)
{
	struct there t = { .groups = { { .there = true, .least = 2 } } };

	t.pods[0] = t.pods[1] = (struct pod){ .there = true, .gpus = 1 };
	return t;
}

/* No turn of the loop: the same generation is told all of it. */
TEST(what_a_gang_becomes_is_told_at_once)
{
	struct there t = gang();
	uint64_t generations, now, events;
	struct fl_agree_counts *n = calloc(1, sizeof *n);
	struct world w;

	assert_non_null(n);
	begin(&w, &t);
	fl_cluster_counts(w.cluster, &generations, &events);
	assert_int_equal(state_of(&w, "g0"), FL_STATE_WAITING);
	assert_int_equal(job(&w, "g0")->priority, 50);
	t.pods[0].bind = t.pods[1].bind = 1;
	see_bind(&w, &t, 0);
	see_bind(&w, &t, 1);
	assert_int_equal(state_of(&w, "g0"), FL_STATE_WAITING);
	tell(&w);
	assert_int_equal(state_of(&w, "g0"), FL_STATE_ADMITTED);
	assert_int_equal(job(&w, "g0")->state, FL_JOB_RUNS);
	t.pods[0].node = t.pods[1].node = 1;
	t.pods[0].deleted = t.pods[1].deleted = true;
	see_pod(&w, &t, 0);
	see_pod(&w, &t, 1);
	tell(&w);
	assert_int_equal(state_of(&w, "g0"), FL_STATE_EVICTING);
	assert_int_equal(job(&w, "g0")->evictions, 1);
	gone(&w, FL_MIRROR_POD, "p0");
	gone(&w, FL_MIRROR_POD, "p1");
	tell(&w);
	assert_int_equal(state_of(&w, "g0"), FL_STATE_WAITING);
	assert_int_equal(job(&w, "g0")->state, FL_JOB_HELD); /* it has no pods */
	fl_cluster_counts(w.cluster, &now, &events);
	assert_true(now == generations);
	settle(&w);
	fl_agree_counted(fl_agreement_of(fl_daemon_agreement(fl_cluster_daemon(w.cluster))),
			 FL_TIME_NONE, FL_NEVER, n);
	assert_int_equal(n->of[FL_AGREE_ADMIT][FL_REASON_FITS].real, 1);
	free(n);
	end(&w);
}

/* The last pod that held something is gone, and was not told to go; then with its group. */
TEST(gangs_end)
{
	struct there t = gang();
	struct world w;

	t.groups[1] = (struct group){ .there = true, .least = 1 };
	t.pods[2] = (struct pod){ .there = true, .of = 1, .gpus = 1 };
	t.pods[0].node = t.pods[1].node = 1;
	begin(&w, &t);
	assert_int_equal(state_of(&w, "g0"), FL_STATE_ADMITTED);
	gone(&w, FL_MIRROR_POD, "p0");
	gone(&w, FL_MIRROR_POD, "p1");
	tell(&w);
	assert_null(job(&w, "g0"));
	gone(&w, FL_MIRROR_POD_GROUP, "g1");
	assert_null(job(&w, "g1"));
	settle(&w);
	assert_null(job(&w, "g0"));
	assert_int_equal(w.cluster->generation.model->n_workloads, 0);
	t.pods[0].node = 0;
	see_pod(&w, &t, 0);
	see_pod(&w, &t, 1);
	settle(&w);
	assert_int_equal(job(&w, "g0")->state, FL_JOB_RUNS); /* p1 holds again */
	end(&w);
}

static unsigned draw(struct fl_random *r, unsigned below)
{
	return (unsigned)(fl_random_bits(r) % below);
}

static void change(struct fl_random *r, struct world *w, struct there *t)
{
	const unsigned i = draw(r, PODS), g = i % GROUPS;
	struct pod *p = &t->pods[i];
	char name[8];

	(void)snprintf(name, sizeof name, "p%u", i);
	switch (draw(r, 8)) {
	case 0:
		t->groups[g] = (struct group){ true, 1 + draw(r, 3), draw(r, 3) };
		see_group(w, t, g);
		return;
	case 1:
		gone(w, FL_MIRROR_POD, name);
		if (p->bind)
			gone(w, FL_MIRROR_BIND_REQUEST, name);
		*p = (struct pod){ .there = false };
		return;
	case 2:
		if (p->bind)
			gone(w, FL_MIRROR_BIND_REQUEST, name);
		p->bind = 0;
		return;
	case 3:
		p->bind = p->there ? 1 + draw(r, NODES + 1) : 0; /* the last one is not there */
		break;
	case 4:
		p->deleted = p->there && draw(r, 2);
		break;
	case 5:
		p->node = p->there ? 1 + draw(r, NODES) : 0;
		break;
	default:
		if (!p->there)
			*p = (struct pod){ .there = true, .of = g, .gpus = draw(r, 3) };
	}
	see_pod(w, t, i);
	see_bind(w, t, i);
}

/* As it is known to one that begins now: the states and places of all gangs that are jobs of both. */
static void check_same(const struct world *a, const struct world *b)
{
	for (unsigned g = 0; g < GROUPS; g++) {
		const struct fl_generation *x = &a->cluster->generation;
		const struct fl_generation *y = &b->cluster->generation;
		const struct fl_live *of, *same;
		char name[8];

		(void)snprintf(name, sizeof name, "g%u", g);
		of = job(a, name);
		same = job(b, name);
		assert_true(of || !same);
		if (!of || !same) /* without pods it is a job for one that knew its pods */
			continue;
		assert_int_equal(of->state, same->state);
		assert_int_equal(of->priority, same->priority);
		assert_int_equal(state_of(a, name), state_of(b, name));
		for (uint32_t r = 0; r < x->model->n_resources; r++)
			assert_true(
				x->ops->held(x->policy, of->workload, (struct fl_resource){ r }) ==
				y->ops->held(y->policy, same->workload, (struct fl_resource){ r }));
		assert_int_equal(
			x->model->gangs[x->model->workloads[of->workload.v].gang].tasks.n,
			y->model->gangs[y->model->workloads[same->workload.v].gang].tasks.n);
	}
}

TEST(changes_one_by_one_are_as_all_at_once)
{
	for (unsigned seed = 0; seed < few(WORLDS); seed++) {
		struct there t = { .groups = { { .there = false } } };
		struct world w, fresh;
		struct fl_random r;

		fl_random_init(&r, seed, fl_random_stream("kai"));
		begin(&w, &t);
		for (unsigned i = 0; i < CHANGES; i++) {
			change(&r, &w, &t);
			if (draw(&r, 4) == 0)
				tell(&w);
			if (draw(&r, 8) == 0)
				(void)uv_run(&w.loop, UV_RUN_NOWAIT);
		}
		settle(&w);
		begin(&fresh, &t);
		check_same(&w, &fresh);
		end(&fresh);
		end(&w);
	}
}

UNIT_GROUP("cluster-kai")
