/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replayed - what a state folder comes to when it is opened: the digest of its policy, and each job
 *
 *   replayed STATE CONFIG
 *
 * Opens STATE as the daemon does (checkpoint, then the rows of the journal behind it), looks just
 * before the daemon would look for what became of its runs, prints, and goes no further: nothing
 * of it depends on the time or on which processes there are.  STATE is written to; give a copy.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/machine/inside.h"

/* The machine is what CONFIG says; no run is asked for. */
static int no_last(const char *state, struct fl_last_run *ret, fairlead_error *err)
{
	(void)state, (void)err;
	*ret = (struct fl_last_run){ 0 };
	return 0;
}

static int no_open(const struct fl_host_options *options, struct fl_host **ret, fairlead_error *err)
{
	static char host;

	(void)options, (void)err;
	*ret = (struct fl_host *)(void *)&host;
	return 0;
}

static struct fl_host *no_close(struct fl_host *h)
{
	(void)h;
	return NULL;
}

static int no_capacity(struct fl_host *h, struct fl_capacity *ret, fairlead_error *err)
{
	static const struct fl_capacity_row rows[] = {
		{ "default", "cpu", 8000 },
		{ "default", "memory", INT64_C(2) << 30 },
	};

	(void)h, (void)err;
	*ret = (struct fl_capacity){ .rows = rows, .n = 2 };
	return 0;
}

static void say_line(void *user, const char *line)
{
	(void)user;
	printf("log: %s\n", line);
}

/* The linker puts it in the place of fl_core_find_runs, which is what comes after replay. */
int __wrap_fl_core_find_runs(struct fl_core *c, fairlead_error *err);
int __wrap_fl_core_find_runs(struct fl_core *c, fairlead_error *err)
{
	uint64_t digest[2];

	c->generation.ops->digest(c->generation.policy, c->at, digest);
	printf("rows: checkpoint %" PRIu64 ", journal %" PRIu64 ", jobs %" PRIu64 "\n",
	       c->checkpointed, c->seq, c->submitted);
	printf("digest: %016" PRIx64 "%016" PRIx64 "\n", digest[0], digest[1]);
	for (uint32_t i = 0; i < c->jobs.n; i++) {
		const struct fl_live *j = &c->jobs.rows[i];

		printf("job %" PRIu64 ": state %d, held %d, priority %" PRId32 ", attempt %" PRIu32
		       ", evictions %" PRIu32 ", losses %" PRIu32 ", submitted %" PRId64
		       ", started %" PRId64 ", ran %" PRId64 "\n",
		       j->id, (int)j->state, (int)j->held, j->priority, j->attempt, j->evictions,
		       j->losses, j->submitted, j->started, j->ran);
	}
	return fl_fail(err, FAIRLEAD_ESTATE, "so far and no further");
}

int main(int argc, char **argv)
{
	static const struct fl_backend_ops backend = { .name = "none",
						       .last = no_last,
						       .open = no_open,
						       .close = no_close,
						       .capacity = no_capacity };
	struct fl_core_options options = { .backend = &backend,
					   .runner = "/none",
					   .log = say_line };
	fairlead_error err = { 0 };
	struct fl_core *c = NULL;
	uv_loop_t loop;
	int r;

	if (argc != 3) {
		(void)fprintf(stderr, "usage: replayed STATE CONFIG\n");
		return 2;
	}
	options.loop = &loop;
	options.state = argv[1];
	options.config = argv[2];
	if (uv_loop_init(&loop) < 0)
		return 3;
	r = fl_core_new(&options, &c, &err);
	if (r == FAIRLEAD_ESTATE && strcmp(err.text, "so far and no further") == 0)
		return 0;
	(void)fprintf(stderr, "error: %s\nhint: %s\n", err.text, err.hint);
	return 1;
}
