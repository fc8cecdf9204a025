/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/agreement/agreement.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "decide/image.h"

static const char maker[] = "fairlead " FAIRLEAD_VERSION, ending[] = ".state";

struct kept {
	uint64_t window; /* 0: none */
	uint64_t bytes;
};

struct fl_agreement {
	struct fl_agreement_options o;
	struct fl_agree *agree;
	char *folder;
	struct kept kept[FL_AGREEMENT_STATES]; /* the oldest first */
	uint32_t n;
	uint64_t bytes;
	fl_time last; /* when the newest was kept, or could not be */

	/* Nanoseconds, of a busy thread. */
	uint64_t passed; /* when it last began to judge */
	uint64_t saved;  /* that it may use */
	uint64_t began;  /* processor time then */
};

/* --- images --- */

static void path_of(const struct fl_agreement *a, uint64_t window, char path[FL_AGREEMENT_PATH])
{
	(void)snprintf(path, FL_AGREEMENT_PATH, "%s/%llu%s", a->folder, (unsigned long long)window,
		       ending);
}

static void forget_oldest(struct fl_agreement *a)
{
	char path[FL_AGREEMENT_PATH];

	path_of(a, a->kept[0].window, path);
	(void)unlink(path);
	a->bytes -= a->kept[0].bytes;
	memmove(a->kept, a->kept + 1, --a->n * sizeof *a->kept);
}

struct file {
	FILE *f;
	uint64_t bytes;
};

static int write_image(void *user, const void *bytes, size_t n, fairlead_error *err)
{
	struct file *to = user;

	to->bytes += n;
	if (to->bytes > FL_AGREEMENT_BYTES)
		return fl_fail(err, FAIRLEAD_ELIMIT, "the state is larger than what is kept");
	return fwrite(bytes, 1, n, to->f) == n ? 0 :
						 fl_fail(err, FAIRLEAD_EIO, "%s", strerror(errno));
}

/* 0 and the bytes; after an error there is no such file. */
static int save(const char *path, const struct fl_state *state, uint64_t *ret_bytes,
		fairlead_error *err)
{
	struct file to = { .f = fopen(path, "we") };
	int r;

	if (!to.f)
		return fl_fail(err, FAIRLEAD_EIO, "%s: %s", path, strerror(errno));
	r = fl_state_save(state, &(struct fl_image_output){ write_image, &to }, maker, err);
	if (fclose(to.f) != 0 && r == 0)
		r = fl_fail(err, FAIRLEAD_EIO, "%s: %s", path, strerror(errno));
	if (r < 0)
		(void)unlink(path);
	*ret_bytes = to.bytes;
	return r;
}

/* A state that cannot be written is no reason to stop: it is not kept. */
static int keep(void *user, uint64_t window, const struct fl_model *m, const struct fl_policy *p,
		fl_time now, fairlead_error *err)
{
	struct fl_agreement *a = user;
	const struct fl_state state = { .model = (struct fl_model *)(uintptr_t)m,
					.ops = a->o.ops,
					.policy = (struct fl_policy *)(uintptr_t)p,
					.now = now };
	struct kept row = { .window = window };
	char path[FL_AGREEMENT_PATH];
	int r;

	if (!a->folder ||
	    (a->last != FL_TIME_NONE && now < fl_sat_add(a->last, FL_AGREEMENT_APART * FL_SECOND)))
		return 0;
	path_of(a, window, path);
	a->last = now; /* what cannot be written is not tried at each window either */
	r = save(path, &state, &row.bytes, err);
	if (r < 0)
		return r == FAIRLEAD_ENOMEM ? r : 0;
	while (a->n == FL_AGREEMENT_STATES || (a->n && a->bytes + row.bytes > FL_AGREEMENT_BYTES))
		forget_oldest(a);
	a->kept[a->n++] = row;
	a->bytes += row.bytes;
	return 1;
}

bool fl_agreement_state(const struct fl_agreement *a, uint64_t window, char path[FL_AGREEMENT_PATH])
{
	for (uint32_t i = 0; i < a->n; i++)
		if (a->kept[i].window == window) {
			path_of(a, window, path);
			return true;
		}
	return false;
}

/* --- how long it takes --- */

enum { MS = 1000000, MOST_SAVED_MS = 1000 };

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	(void)clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000 * MS + (uint64_t)t.tv_nsec;
}

static bool is_tired(void *user)
{
	const struct fl_agreement *a = user;
	const uint64_t most = (uint64_t)FL_AGREEMENT_ONCE_MS * MS;

	return a->o.busy &&
	       clock_ns(CLOCK_THREAD_CPUTIME_ID) - a->began >= (a->saved < most ? a->saved : most);
}

/* What others have waited for since is saved, up to some. */
static void begin_judging(struct fl_agreement *a)
{
	const uint64_t now = clock_ns(CLOCK_MONOTONIC), most = (uint64_t)MOST_SAVED_MS * MS;

	a->saved += (now - a->passed) / FL_AGREEMENT_SHARE;
	a->saved = a->saved < most ? a->saved : most;
	a->passed = now;
	a->began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static int end_judging(struct fl_agreement *a, int r)
{
	const uint64_t used = clock_ns(CLOCK_THREAD_CPUTIME_ID) - a->began;

	a->saved -= used < a->saved ? used : a->saved;
	return r;
}

/* --- beginning and end --- */

static const char *said(void *user, struct fl_workload w)
{
	struct fl_agreement *a = user;

	return a->o.said ? a->o.said(a->o.user, w) : NULL;
}

/* Images of a run before are of no use: their windows are not listed any more. */
static int drop_states(const struct fl_agreement *a, fairlead_error *err)
{
	DIR *dir = opendir(a->folder);
	const struct dirent *entry;

	if (!dir)
		return fl_fail(err, FAIRLEAD_EIO, "%s: %s", a->folder, strerror(errno));
	while ((entry = readdir(dir))) {
		const size_t n = strlen(entry->d_name);

		if (n > sizeof ending - 1 &&
		    strcmp(entry->d_name + n - (sizeof ending - 1), ending) == 0)
			(void)unlinkat(dirfd(dir), entry->d_name, 0);
	}
	(void)closedir(dir);
	return 0;
}

static int make_folder(struct fl_agreement *a, fairlead_error *err)
{
	if (!a->o.folder)
		return 0;
	a->folder = strdup(a->o.folder);
	if (!a->folder)
		return fl_fail_nomem(err);
	if (mkdir(a->folder, 0700) < 0 && errno != EEXIST)
		return fl_fail(err, FAIRLEAD_EIO, "%s: %s", a->folder, strerror(errno));
	return drop_states(a, err);
}

int fl_agreement_new(const struct fl_agreement_options *options, struct fl_model *m, fl_time now,
		     const struct fl_policy *from, struct fl_agreement **ret, fairlead_error *err)
{
	struct fl_agreement *a = calloc(1, sizeof *a);
	int r;

	if (!a)
		return fl_fail_nomem(err);
	*a = (struct fl_agreement){ .o = *options, .last = FL_TIME_NONE };
	const struct fl_agree_options o = { .mem = &fl_mem_heap,
					    .ops = options->ops,
					    .window = FL_AGREEMENT_WINDOW * FL_SECOND,
					    .late = FL_AGREEMENT_LATE * FL_SECOND,
					    .flush_after = FL_AGREEMENT_FLUSH * FL_SECOND,
					    .grain = FL_SECOND,
					    .moving_usage = options->moving_usage,
					    .said = said,
					    .keep = keep,
					    .tired = is_tired,
					    .user = a };

	if ((r = make_folder(a, err)) < 0 ||
	    (r = fl_agree_new(&o, m, now, from, &a->agree, err)) < 0) {
		fl_agreement_free(a);
		return r;
	}
	*ret = a;
	return 0;
}

struct fl_agreement *fl_agreement_free(struct fl_agreement *a)
{
	if (!a)
		return NULL;
	while (a->n)
		forget_oldest(a);
	fl_agree_free(a->agree);
	free(a->folder);
	free(a);
	return NULL;
}

int fl_agreement_hear(struct fl_agreement *a, fl_time now, const struct fl_event *event,
		      fairlead_error *err)
{
	return fl_agree_hear(a->agree, now, event, err);
}

int fl_agreement_pass(struct fl_agreement *a, fl_time now, fairlead_error *err)
{
	begin_judging(a);
	return end_judging(a, fl_agree_pass(a->agree, now, err));
}

int fl_agreement_renew(struct fl_agreement *a, struct fl_model *m, fl_time now,
		       const struct fl_policy *from, fairlead_error *err)
{
	begin_judging(a);
	return end_judging(a, fl_agree_renew(a->agree, m, now, from, err));
}

int fl_agreement_join(struct fl_agreement *a, fl_time now, struct fl_workload w,
		      struct fl_workload was, bool holds, fairlead_error *err)
{
	return fl_agree_join(a->agree, now, w, was, holds, err);
}

int fl_agreement_leave(struct fl_agreement *a, fl_time now, struct fl_workload w,
		       fairlead_error *err)
{
	return fl_agree_leave(a->agree, now, w, err);
}

const struct fl_agree *fl_agreement_of(const struct fl_agreement *a) { return a->agree; }
