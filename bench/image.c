/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image - how long it takes to save a state, and to have it back
 *
 * image [--queues N] [--jobs N] [--load PERCENT] [--runs N] [FILE]
 *
 * The made-up cluster (cluster.h) after one cycle, saved into a file and loaded from it (from the
 * page cache), the median of so many runs; what is loaded must have the digest of what was saved.
 * Beside it what an image saves: a new policy on the same model, and with FILE, manifests instead
 * of the made-up cluster, reading those; and what it takes that a new policy goes on where this one
 * is (adopt), which must have that digest, too.  One line of JSON.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cluster.h"
#include "codec/object/kube.h"
#include "decide/borrow/borrow.h"
#include "decide/entitle/entitle.h"
#include "decide/image.h"
#include "measure.h"
#include "model/image.h"

static const char maker[] = "bench";

struct options {
	struct cluster_size size;
	unsigned runs;
	const char *manifests;
};

struct figures {
	double make_ms, setup_ms, save_ms, load_ms;
	double load_cpu_ms;
	double new_ms, adopt_ms;             /* of the processor's time, too */
	double read_ms, model_ms, policy_ms; /* parts of loading, of the processor's time */
	long long bytes;
};

static void must(int r, const fairlead_error *err)
{
	if (r >= 0)
		return;
	fprintf(stderr, "image: %s\n", err->text);
	exit(3);
}

/* --- bytes: a file without a name --- */

static int put(void *user, const void *bytes, size_t n, fairlead_error *err)
{
	const char *at = bytes;

	while (n > 0) {
		ssize_t put = write(*(int *)user, at, n);

		if (put < 0)
			return fl_fail(err, FAIRLEAD_EIO, "the image cannot be written");
		at += put;
		n -= (size_t)put;
	}
	return 0;
}

static int get(void *user, char *buffer, size_t size, size_t *ret, fairlead_error *err)
{
	ssize_t n = read(*(int *)user, buffer, size);

	if (n < 0)
		return fl_fail(err, FAIRLEAD_EIO, "the file cannot be read");
	*ret = (size_t)n;
	return 0;
}

static int new_file(void)
{
	char name[] = "image-bench.XXXXXX";
	int fd = mkstemp(name);

	if (fd < 0) {
		fprintf(stderr, "image: no file can be made here\n");
		exit(3);
	}
	unlink(name);
	return fd;
}

/* --- the state --- */

static void read_manifests(const char *name, struct fl_state *s)
{
	fairlead_error err;
	int fd = open(name, O_RDONLY);

	if (fd < 0) {
		fprintf(stderr, "image: %s cannot be read\n", name);
		exit(3);
	}
	must(fl_model_new(&fl_mem_heap, &s->model, &err), &err);
	must(fl_kube_read_from(s->model, name, &(struct fl_source){ get, &fd }, NULL, &err), &err);
	must(fl_model_seal(s->model, &err), &err);
	close(fd);
}

static void make_state(const struct options *o, struct fl_state *s, struct figures *f)
{
	struct fl_policy_options options = { .mem = &fl_mem_heap };
	struct fl_decisions d;
	struct cluster cluster;
	fairlead_error err;
	double start = now_ms();

	if (o->manifests) {
		read_manifests(o->manifests, s);
	} else {
		must(cluster_make(&o->size, &fl_mem_heap, &cluster, &err), &err);
		s->model = cluster.m;
	}
	f->make_ms = now_ms() - start;
	s->ops = fl_model_dialect(s->model) == FL_DIALECT_KAI ? &fl_entitle_policy :
								&fl_borrow_policy;
	s->now = options.now = ((fl_time)s->model->n_workloads + 1) * FL_SECOND;
	start = now_ms();
	must(s->ops->new (s->model, &options, &s->policy, &err), &err);
	f->setup_ms = now_ms() - start;
	must(s->ops->step(s->policy, s->now, /* flags= */ 0, /* sink= */ NULL, &d, &err), &err);
}

/* --- measuring --- */

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double save(const struct fl_state *s, int fd)
{
	fairlead_error err;
	double start = now_ms();

	if (lseek(fd, 0, SEEK_SET) < 0 || ftruncate(fd, 0) < 0)
		exit(3);
	must(fl_state_save(s, &(struct fl_image_output){ put, &fd }, maker, &err), &err);
	return now_ms() - start;
}

static double load(const struct fl_state *s, int fd)
{
	uint64_t was[2], is[2];
	struct fl_state back;
	fairlead_error err;
	double start, took;

	if (lseek(fd, 0, SEEK_SET) < 0)
		exit(3);
	start = now_ms();
	must(fl_state_load(&fl_mem_heap, &(struct fl_source){ get, &fd }, maker, &back, &err),
	     &err);
	took = now_ms() - start;
	s->ops->digest(s->policy, s->now, was);
	back.ops->digest(back.policy, s->now, is);
	if (memcmp(was, is, sizeof was) != 0) {
		fprintf(stderr, "image: what was loaded is not what was saved\n");
		exit(1);
	}
	fl_state_done(&back);
	return took;
}

/* The parts of a load, one by one. */
static void take_apart(const struct fl_state *s, int fd, struct figures *f)
{
	const struct fl_policy_options options = { .mem = &fl_mem_heap };
	struct fl_model *m = NULL;
	struct fl_policy *p = NULL;
	struct fl_image i;
	fairlead_error err;
	double start = cpu_ms();

	if (lseek(fd, 0, SEEK_SET) < 0)
		exit(3);
	must(fl_image_read(&i, &fl_mem_heap, &(struct fl_source){ get, &fd }, maker, &err), &err);
	f->read_ms = cpu_ms() - start;
	start = cpu_ms();
	must(fl_model_load(&i, &m, &err), &err);
	f->model_ms = cpu_ms() - start;
	start = cpu_ms();
	must(s->ops->load(m, &options, &i, &p, &err), &err);
	f->policy_ms = cpu_ms() - start;
	fl_image_done(&i);
	f->load_cpu_ms = f->read_ms + f->model_ms + f->policy_ms;
	s->ops->free(p);
	fl_model_free(m);
}

/* A new policy goes on from here, on the same objects, of which all wait in the made-up cluster. */
static void adopt(const struct options *o, const struct fl_state *s, struct figures *f)
{
	const struct fl_policy_options options = { .mem = &fl_mem_heap, .now = s->now };
	struct cluster_size waiting = o->size;
	uint32_t n = s->model->n_workloads;
	struct fl_workload *same = calloc(n ? n : 1, sizeof *same);
	struct cluster cluster = { .m = NULL };
	struct fl_policy *p = NULL;
	uint64_t was[2], is[2];
	fairlead_error err;
	double start;

	if (!same)
		exit(3);
	waiting.none_run = true;
	if (!o->manifests)
		must(cluster_make(&waiting, &fl_mem_heap, &cluster, &err), &err);
	for (uint32_t w = 0; w < n; w++)
		same[w].v = w;
	start = cpu_ms();
	must(s->ops->new (cluster.m ? cluster.m : s->model, &options, &p, &err), &err);
	f->new_ms = cpu_ms() - start;
	start = cpu_ms();
	must(s->ops->adopt(p, s->now, s->policy, same, &err), &err);
	f->adopt_ms = cpu_ms() - start;
	s->ops->digest(s->policy, s->now, was);
	s->ops->digest(p, s->now, is);
	if (memcmp(was, is, sizeof was) != 0) {
		fprintf(stderr, "image: what was adopted is not what it was\n");
		exit(1);
	}
	s->ops->free(p);
	fl_model_free(cluster.m);
	free(same);
}

static void run(const struct options *o)
{
	double *saves = calloc(o->runs, sizeof *saves), *loads = calloc(o->runs, sizeof *loads);
	struct fl_state s = { 0 };
	struct figures f = { 0 };
	int fd = new_file();
	double mb;

	if (!saves || !loads)
		exit(3);
	make_state(o, &s, &f);
	for (unsigned i = 0; i < o->runs; i++) {
		saves[i] = save(&s, fd);
		loads[i] = load(&s, fd);
	}
	f.save_ms = median(saves, o->runs);
	f.load_ms = median(loads, o->runs);
	f.bytes = lseek(fd, 0, SEEK_END);
	take_apart(&s, fd, &f);
	adopt(o, &s, &f);
	mb = (double)f.bytes / 1e6;
	printf("{\"queues\":%u,\"jobs\":%u,\"bytes\":%lld,\"bytesPerJob\":%.1f", s.model->n_nodes,
	       s.model->n_workloads, f.bytes,
	       (double)f.bytes / (s.model->n_workloads ? s.model->n_workloads : 1));
	printf(",\"saveMs\":%.3f,\"saveMBs\":%.0f,\"loadMs\":%.3f,\"loadMBs\":%.0f", f.save_ms,
	       mb / f.save_ms * 1e3, f.load_ms, mb / f.load_ms * 1e3);
	printf(",\"loadCpuMs\":%.3f,\"readCpuMs\":%.3f,\"modelCpuMs\":%.3f,\"policyCpuMs\":%.3f",
	       f.load_cpu_ms, f.read_ms, f.model_ms, f.policy_ms);
	printf(",\"newCpuMs\":%.3f,\"adoptCpuMs\":%.3f", f.new_ms, f.adopt_ms);
	printf(",\"%s\":%.3f,\"setupMs\":%.3f}\n", o->manifests ? "manifestsMs" : "makeMs",
	       f.make_ms, f.setup_ms);
	close(fd);
	fl_state_done(&s);
	free(saves);
	free(loads);
}

static int usage(void)
{
	fputs("usage: image [--queues N] [--jobs N] [--load PERCENT] [--runs N] [FILE]\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	struct options o = { .size = { .queues = 1000, .jobs = 10000, .load = 120 }, .runs = 5 };

	for (int i = 1; i < argc; i++) {
		long n = i + 1 < argc ? strtol(argv[i + 1], NULL, 10) : 0;

		if (argv[i][0] != '-') {
			o.manifests = argv[i];
			continue;
		}
		if (n < 1 || n > 10000000)
			return usage();
		if (strcmp(argv[i], "--load") == 0)
			o.size.load = (uint32_t)n;
		else if (strcmp(argv[i], "--queues") == 0 && n % 10 == 0)
			o.size.queues = (uint32_t)n;
		else if (strcmp(argv[i], "--jobs") == 0)
			o.size.jobs = (uint32_t)n;
		else if (strcmp(argv[i], "--runs") == 0 && n <= 1000)
			o.runs = (unsigned)n;
		else
			return usage();
		i++;
	}
	run(&o);
	return 0;
}
