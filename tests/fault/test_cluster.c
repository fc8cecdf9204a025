/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The n-th allocation fails, for every n, while a cluster's daemon hears of a change.
 *
 * It is broken then, and says why; nothing that it still has was freed.  What was freed is overwritten here, so
 * that it shows.  The C library's allocator is replaced, as objects of the cluster come from it.
 */
#include <malloc.h>

#include "daemon/cluster/daemon.h"
#include "daemon/cluster/inside.h"
#include "lib/few.h"
#include "lib/unit.h"
#include "unit/daemon/folder.h"
#include "unit/daemon/watched.h"
#include "unit/mirror/objects.h"

/* --- memory --- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *p);

static _Thread_local unsigned long fail_at; /* 1: the next one fails; 0: none */

static bool fails(void)
{
	if (fail_at == 0 || --fail_at)
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return fails() ? NULL : __libc_calloc(n, size); }
void *realloc(void *old, size_t size) { return size && fails() ? NULL : __libc_realloc(old, size); }

void free(void *p)
{
	if (p)
		memset(p, 0xdd, malloc_usable_size(p));
	__libc_free(p);
}

/* --- a cluster --- */

struct world {
	struct folder folder;
	uv_loop_t loop;
	struct fl_cluster *cluster;
	char why[600];
	bool broken, closed;
};

static void on_broken(void *user, const fairlead_error *err)
{
	struct world *w = user;

	w->broken = true;
	(void)snprintf(w->why, sizeof w->why, "%s", err->text);
}

static void on_closed(void *user) { ((struct world *)user)->closed = true; }

static const char queue[] =
	"{\"metadata\":{\"name\":\"cq\"},\"spec\":{\"namespaceSelector\":{},\"stopPolicy\":\"%s\","
	"\"resourceGroups\":[{\"coveredResources\":[\"cpu\",\"memory\"],\"flavors\":[{\"name\":\"f0\","
	"\"resources\":[{\"name\":\"cpu\",\"nominalQuota\":\"4\"},{\"name\":\"memory\","
	"\"nominalQuota\":\"40Gi\"}]}]}]}}";

static int see(struct world *w, enum fl_mirror_kind kind, const char *text)
{
	fairlead_error err = { 0 };

	return fl_cluster_seen(w->cluster, kind, text, strlen(text), &err);
}

static int see_queue(struct world *w, bool stopped)
{
	char text[sizeof queue + 20];

	(void)snprintf(text, sizeof text, queue, stopped ? "Hold" : "None");
	return see(w, FL_MIRROR_CLUSTER_QUEUE, text);
}

static int see_workload(struct world *w, const struct written *o)
{
	char text[OBJECT];

	return see(w, FL_MIRROR_WORKLOAD, write_workload(o, text));
}

static void see_all(struct world *w, enum fl_mirror_kind kind)
{
	static const char flavor[] = "{\"metadata\":{\"name\":\"f0\"},\"spec\":{}}";
	static const char namespace[] = "{\"metadata\":{\"name\":\"ns\"}}";
	static const char local[] = "{\"metadata\":{\"name\":\"q0\",\"namespace\":\"ns\"},"
				    "\"spec\":{\"clusterQueue\":\"cq\"}}";

	if (kind == FL_MIRROR_FLAVOR)
		assert_int_equal(see(w, kind, flavor), 0);
	if (kind == FL_MIRROR_NAMESPACE)
		assert_int_equal(see(w, kind, namespace), 0);
	if (kind == FL_MIRROR_LOCAL_QUEUE)
		assert_int_equal(see(w, kind, local), 0);
	if (kind == FL_MIRROR_CLUSTER_QUEUE)
		assert_int_equal(see_queue(w, false), 0);
	for (unsigned i = 0; i < 3 && kind == FL_MIRROR_WORKLOAD; i++)
		assert_int_equal(
			see_workload(w,
				     &(struct written){ .name = i, .uid = i, .reserved = i == 2 }),
			0);
}

static void begin(struct world *w)
{
	struct fl_cluster_options o = watched_options(&w->loop, w->folder.path, w);
	fairlead_error err = { 0 };

	o.broken = on_broken;
	*w = (struct world){ .broken = false };
	folder_make(&w->folder);
	assert_int_equal(uv_loop_init(&w->loop), 0);
	assert_int_equal(fl_cluster_new(&o, &w->cluster, &err), 0);
	for (enum fl_mirror_kind k = 0; k < FL_MIRROR_KINDS; k++) {
		fl_cluster_begun(w->cluster, k, NULL);
		see_all(w, k);
		fl_cluster_listed(w->cluster, k);
	}
	while (!fl_cluster_is_settled(w->cluster))
		(void)uv_run(&w->loop, UV_RUN_ONCE);
}

static void end(struct world *w)
{
	fl_cluster_close(w->cluster, on_closed, w);
	while (!w->closed)
		(void)uv_run(&w->loop, UV_RUN_ONCE);
	fl_cluster_free(w->cluster);
	assert_int_equal(uv_loop_close(&w->loop), 0);
	folder_gone(&w->folder);
}

/* --- changes --- */

static int newcomer(struct world *w)
{
	return see_workload(w, &(struct written){ .name = 7, .uid = 7 });
}

static int larger(struct world *w)
{
	return see_workload(w, &(struct written){ .name = 0, .uid = 0, .pods = 2 });
}

static int of_another_queue(struct world *w)
{
	return see_workload(w, &(struct written){ .name = 0, .uid = 0, .queue = 5 });
}

static int more_urgent(struct world *w)
{
	return see_workload(w, &(struct written){ .name = 0, .uid = 0, .priority = 5 });
}

static int holds(struct world *w)
{
	return see_workload(w, &(struct written){ .name = 0, .uid = 0, .reserved = true });
}

static int made_again(struct world *w)
{
	return see_workload(w, &(struct written){ .name = 0, .uid = 9 });
}

static int too_large(struct world *w)
{
	fairlead_error err = { 0 };

	return fl_cluster_too_large(w->cluster, FL_MIRROR_WORKLOAD, "ns", "w0", "u-0", &err);
}

static int gone(struct world *w)
{
	fairlead_error err = { 0 };

	return fl_cluster_removed(w->cluster, FL_MIRROR_WORKLOAD, "ns", "w2", &err);
}

/* Each job has an object of the mirror, or none; it is of the job. */
static void look(struct world *w)
{
	struct fl_daemon *d = fl_cluster_daemon(w->cluster);
	const struct fl_jobs *jobs = d->ops->jobs(d);

	for (uint32_t i = 0; i < jobs->n; i++) {
		const struct fl_mirror_object *o = jobs->rows[i].made_of;

		assert_true(!o || (o->kind == FL_MIRROR_WORKLOAD && o->number == jobs->rows[i].id));
		assert_true(!o || strcmp(fl_mirror_namespace(o), "ns") == 0);
	}
}

/* *Was* there an allocation to fail? */
static bool try(int (*change)(struct world *w), unsigned long n, bool drafting)
{
	struct world w;
	bool failed;
	int r;

	begin(&w);
	for (unsigned i = 0; drafting && !w.cluster->drafter.draft; i++) {
		assert_int_equal(see_queue(&w, i % 2 == 0), 0);
		(void)uv_run(&w.loop, UV_RUN_NOWAIT);
	}
	fail_at = n;
	r = change(&w);
	failed = fail_at == 0;
	fail_at = 0;
	assert_true(r == 0 || r == FAIRLEAD_ENOMEM);
	assert_true(w.broken ||
		    r == 0); /* what is kept of the change may have had no memory, too */
	assert_true(!w.broken || strcmp(w.why, "out of memory") == 0);
	look(&w);
	end(&w);
	return failed;
}

TEST(memory_ends_in_a_change)
{
	static int (*const changes[])(struct world *) = {
		newcomer, larger, of_another_queue, more_urgent, holds, made_again, too_large, gone,
	};
	const unsigned long step = getenv("FAIRLEAD_EACH_PLACE") ? 1 : 3;

	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		unsigned long n = 1;

		while (try(changes[i], n, /* drafting= */ n % 2))
			n += step;
		assert_true(n > 1);
		if (getenv("FAIRLEAD_TELL"))
			print_message("%zu: %lu allocations\n", i, n);
	}
}

UNIT_GROUP("cluster")
