/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/start/threads.h"

#include <stdlib.h>

/* Commits need one thread besides those that readers may use (FL_API_THREADS). */
enum { THREADS = 4, STACK = 8 << 20 };
static const char threads_text[] = "4";

static void wait_for(void *gate) { uv_sem_wait(gate); }

/* Starts as many threads as libuv will, all at once. 0 or an error of libuv. */
static int try_threads(unsigned n)
{
	static const uv_thread_options_t options = { .flags = UV_THREAD_HAS_STACK_SIZE,
						     .stack_size = STACK };
	uv_thread_t *all = calloc(n, sizeof *all);
	uv_sem_t gate;
	unsigned made = 0;
	int r = all ? uv_sem_init(&gate, 0) : UV_ENOMEM;

	if (r == 0) {
		while (made < n &&
		       (r = uv_thread_create_ex(&all[made], &options, wait_for, &gate)) == 0)
			made++;
		for (unsigned i = 0; i < made; i++)
			uv_sem_post(&gate);
		for (unsigned i = 0; i < made; i++)
			(void)uv_thread_join(&all[i]);
		uv_sem_destroy(&gate);
	}
	free(all);
	return r;
}

static void nothing(uv_work_t *work) { (void)work; }

static void done(uv_work_t *work, int status)
{
	(void)status;
	free(work);
}

int fl_threads_begin(uv_loop_t *loop, fairlead_error *err)
{
	uv_work_t *first = malloc(sizeof *first);
	int r = first ? try_threads(THREADS) : UV_ENOMEM;

	/* Overrides the environment: with fewer threads they could wait for each other for ever. */
	if (r == 0 && setenv("UV_THREADPOOL_SIZE", threads_text, /* overwrite= */ 1) != 0)
		r = UV_ENOMEM;

	if (r == 0)
		r = uv_queue_work(loop, first, nothing, done);
	if (r == 0)
		return 0;
	free(first);
	fl_fail(err, FAIRLEAD_ENOMEM, "no memory for %d threads: %s", THREADS, uv_strerror(r));
	return fl_fail_hint(err,
			    "each has a stack of 8 MiB; check the limits of memory (ulimit -v) "
			    "and of processes (ulimit -u)");
}
