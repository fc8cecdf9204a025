/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate - what happens in a simulation of a case, for simulation.py
 *
 * Each file begins with a line "start grace checkpoint restart base max interval" and one
 * "NAME arrives runs leaves" for each workload of namespace ns, all in nanoseconds, -1 for
 * never; then a line "---" and manifests.  Prints "FILE", a line "time kind NAME" an event,
 * and "ended N".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/object/kube.h"
#include "sim/simulation.h"

static const char *const kinds[FL_SIM_EVENTS] = { "arrived", "started",  "evicted",  "let-go",
						  "killed",  "returned", "finished", "gave-up",
						  "changed", "failed",   "back" };

static void must(int r, const char *file, const fairlead_error *err)
{
	if (r >= 0)
		return;
	fprintf(stderr, "%s: %s: %s\n", file, err->subject, err->text);
	exit(3);
}

static char *read_all(const char *name)
{
	FILE *in = fopen(name, "r");
	size_t n = 0, cap = 1 << 20;
	char *text = malloc(cap);

	if (!in || !text)
		exit(3);
	while ((n += fread(text + n, 1, cap - n - 1, in)) == cap - 1)
		if (!(text = realloc(text, cap *= 2)))
			exit(3);
	fclose(in);
	text[n] = '\0';
	return text;
}

static fl_time never(int64_t time) { return time < 0 ? FL_NEVER : time; }

static int tell(void *user, const struct fl_sim *s, const struct fl_sim_event *e,
		fairlead_error *err)
{
	(void)user;
	(void)err;
	if (e->kind == FL_SIM_LOOP)
		return 0; /* seen, not done */
	printf("%" PRId64 " %s %s\n", e->at, kinds[e->kind],
	       fl_model_text(s->model, s->model->workloads[e->workload.v].name));
	return 0;
}

static const char *next_line(const char *at)
{
	at = strchr(at, '\n');
	if (!at)
		exit(3);
	return at + 1;
}

/* The lines before the manifests; gives where these begin. */
static const char *read_head(const char *at, struct fl_simulation_settings *s, fl_time *start)
{
	int64_t checkpoint;

	if (sscanf(at,
		   "%" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
		   " %" SCNd64,
		   start, &s->grace, &checkpoint, &s->restart, &s->back_off_base, &s->back_off_max,
		   &s->cycle_interval) != 7)
		exit(3);
	s->checkpoint = never(checkpoint);
	return next_line(at);
}

static const char *read_lives(const char *at, struct fl_model *m)
{
	for (; strncmp(at, "---", 3) != 0; at = next_line(at)) {
		struct fl_life_row life = { .asked = FL_TIME_NONE,
					    .waited = FL_TIME_NONE,
					    .class_name = { FL_NONE },
					    .user = { FL_NONE } };
		int64_t runs, leaves;
		fairlead_error err;
		char name[64];

		if (sscanf(at, "%63s %" SCNd64 " %" SCNd64 " %" SCNd64, name, &life.arrives, &runs,
			   &leaves) != 4)
			exit(3);
		life.runs = never(runs);
		life.leaves = never(leaves);
		life.workload = fl_model_find_workload(m, "ns", name);
		must(fl_model_push_lives(m, &life, NULL, &err), name, &err);
	}
	return at;
}

static void simulate(const char *file)
{
	struct fl_simulation_settings settings = fl_simulation_default;
	struct fl_sim_options options = { .mem = &fl_mem_heap,
					  .listeners = { { .event = tell } },
					  .n_listeners = 1 };
	struct fl_policy *p = NULL;
	struct fl_model *m = NULL;
	char *text = read_all(file);
	fairlead_error err = { 0 };
	const char *lives = read_head(text, &settings, &options.start);
	const char *manifests = strstr(lives, "\n---");
	struct fl_sim sim;

	must(manifests ? 0 : -1, file, &err);
	must(fl_model_new(&fl_mem_heap, &m, &err), file, &err);
	must(fl_kube_read(m, file, manifests + 1, strlen(manifests + 1), &err), file, &err);
	must(fl_model_seal(m, &err), file, &err);
	(void)read_lives(lives, m);
	const struct fl_policy_options how = { .mem = &fl_mem_heap, .now = options.start };

	must(fl_borrow_policy.new(m, &how, &p, &err), file, &err);
	printf("%s\n", file);
	must(fl_sim_init(&sim, m, &fl_borrow_policy, p, &settings, &options, &err), file, &err);
	must(fl_sim_run(&sim, &err), file, &err);
	printf("ended %d\n", (int)sim.ended);
	fl_sim_done(&sim);
	fl_borrow_policy.free(p);
	fl_model_free(m);
	free(text);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		simulate(argv[i]);
	return fflush(stdout) == 0 ? 0 : 3;
}
