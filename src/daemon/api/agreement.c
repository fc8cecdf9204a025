/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/agreement.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/api/ask/child.h"
#include "daemon/api/filter.h"
#include "daemon/engine/agreement/agreement.h"
#include "daemon/engine/daemon.h"
#include "report/job/agreement.h"

/* --- rows --- */

struct making {
	const struct fl_call *call;
	const struct fl_agree *from;
	struct fl_arena arena;
	struct fl_agreement_answer answer;
	struct fl_agreement_row *kinds, *rows;
	struct fl_agreement_difference *differences;
};

static struct fl_agreement_row row_of(enum fl_agree_kind kind, const char *reason,
				      const struct fl_agree_count *n)
{
	return (struct fl_agreement_row){ .kind = fl_agree_kind_name(kind),
					  .reason = reason,
					  .real = n->real,
					  .real_too = n->real_too,
					  .engine = n->engine,
					  .engine_too = n->engine_too,
					  .of_real = fl_agree_part(n->real_too, n->real),
					  .of_engine = fl_agree_part(n->engine_too, n->engine) };
}

static void add(struct fl_agree_count *sum, const struct fl_agree_count *n)
{
	sum->real += n->real;
	sum->real_too += n->real_too;
	sum->engine += n->engine;
	sum->engine_too += n->engine_too;
}

static int make_rows(struct making *k, fl_time from, fl_time to, fairlead_error *err)
{
	struct fl_agree_counts *c = fl_arena_alloc(&k->arena, 1, sizeof *c, err);

	k->kinds = fl_arena_alloc(&k->arena, FL_AGREE_KINDS, sizeof *k->kinds, err);
	k->rows = fl_arena_alloc(&k->arena, (size_t)FL_AGREE_KINDS * FL_REASONS, sizeof *k->rows,
				 err);
	if (!c || !k->kinds || !k->rows)
		return FAIRLEAD_ENOMEM;
	fl_agree_counted(k->from, from, to, c);
	k->answer.windows = c->windows;
	k->answer.unjudged = c->unjudged;
	for (enum fl_agree_kind kind = 0; kind < FL_AGREE_KINDS; kind++) {
		struct fl_agree_count all = { 0 };

		for (enum fl_reason r = 0; r < FL_REASONS; r++) {
			const struct fl_agree_count *n = &c->of[kind][r];

			add(&all, n);
			if (n->real || n->engine)
				k->rows[k->answer.n_rows++] = row_of(kind, fl_reason_name(r), n);
		}
		k->kinds[k->answer.n_kinds++] = row_of(kind, NULL, &all);
	}
	return 0;
}

static const char *or_null(const char *text) { return *text ? text : NULL; }

/* What a caller may not see is left out. */
static const char *node_of(const struct making *k, const struct fl_agree_inequality *of)
{
	return fl_sees_queues(k->call->sees) ? or_null(of->node) : NULL;
}

static int make_inequality(struct making *k, const struct fl_agree_inequality *of,
			   const struct fl_agreement_inequality **ret, fairlead_error *err)
{
	struct fl_agreement_inequality *row = fl_arena_alloc(&k->arena, 1, sizeof *row, err);

	if (!row)
		return FAIRLEAD_ENOMEM;
	*row = (struct fl_agreement_inequality){ .check = fl_check_name(of->check),
						 .meaning = fl_check_meaning(of->check),
						 .node = node_of(k, of),
						 .flavor = or_null(of->flavor),
						 .resource = or_null(of->resource),
						 .lhs = of->lhs,
						 .rhs = of->rhs,
						 .holds = of->holds };
	*ret = row;
	return 0;
}

static int make_difference(struct making *k, const struct fl_agree_difference *d,
			   fairlead_error *err)
{
	const struct fl_api *api = k->call->api;
	const struct fl_agreement *a = fl_daemon_agreement(api->daemon);
	struct fl_agreement_difference *row = &k->differences[k->answer.n_differences++];
	char path[FL_AGREEMENT_PATH];

	*row = (struct fl_agreement_difference){
		.number = d->number,
		.window = d->window,
		.kind = fl_agree_kind_name(d->kind),
		.side = fl_agree_side_name(d->side),
		.cause = fl_agree_cause_name(d->cause),
		.workload = or_null(d->workload),
		.queue = or_null(d->queue),
		.real = or_null(fl_reason_name(d->real)),
		.engine = or_null(fl_reason_name(d->engine)),
		.said = or_null(d->said),
		.at = fl_api_wall(api, d->at),
		.later = fl_api_wall(api, d->later),
		.kept = d->kept && fl_agreement_state(a, d->window, path),
	};
	fl_filter_difference(k->call->sees, row);
	return d->compared ? make_inequality(k, &d->by, &row->by, err) : 0;
}

static int make_differences(struct making *k, fl_time from, fl_time to, fairlead_error *err)
{
	const struct fl_agree_difference *d;
	uint32_t i = 0;
	int r = 0;

	k->differences = fl_arena_alloc(&k->arena, FL_AGREE_DIFFERENCES, sizeof *k->differences,
					err);
	if (!k->differences)
		return FAIRLEAD_ENOMEM;
	while (r == 0 && (d = fl_agree_next(k->from, from, to, &i)))
		r = make_difference(k, d, err);
	return r;
}

/* --- answers --- */

static const struct fl_agreement *agreement_of(const struct fl_call *call)
{
	const struct fl_agreement *a = fl_daemon_agreement(call->api->daemon);

	if (!a)
		fl_api_fail(call, 503, "nothing was compared yet",
			    "ask again when the cluster has been read");
	return a;
}

void fl_api_agreement(struct fl_call *call)
{
	const struct fl_agreement *a = agreement_of(call);
	fl_time now = fl_clock_now(&call->api->daemon->clock), from, to;
	struct making k = { .call = call };
	fairlead_error err = { 0 };

	if (!a ||
	    !fl_api_time(call, "from", fl_sat_sub(now, FL_AGREE_HOURS * 3600 * FL_SECOND), &from) ||
	    !fl_api_time(call, "to", now, &to))
		return;
	k.from = fl_agreement_of(a);
	fl_arena_init(&k.arena, &fl_mem_heap);
	k.answer.from = fl_api_wall(call->api, from);
	k.answer.to = fl_api_wall(call->api, to);
	k.answer.began = fl_api_wall(call->api, fl_agree_began(k.from));
	k.answer.window = FL_AGREEMENT_WINDOW;
	if (make_rows(&k, from, to, &err) < 0 || make_differences(&k, from, to, &err) < 0) {
		fl_api_error(call, &err);
	} else {
		k.answer.kinds = k.kinds;
		k.answer.rows = k.rows;
		k.answer.differences = k.differences;
		fl_api_answer(call, 200, &fl_agreement_shape, &k.answer);
	}
	fl_arena_done(&k.arena);
}

/* The image that is being answered: the copy of the process may read no files. */
static const void *image;
static size_t image_size;

static int write_image(struct fl_call *call, FILE *out, fairlead_error *err)
{
	(void)call;
	return fwrite(image, 1, image_size, out) == image_size ?
		       0 :
		       fl_fail(err, FAIRLEAD_EIO, "the state cannot be sent: %s", strerror(errno));
}

static bool map_image(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	image = MAP_FAILED;
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
		image_size = (size_t)st.st_size;
		image = mmap(NULL, image_size, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	if (fd >= 0)
		(void)close(fd);
	return image != MAP_FAILED;
}

void fl_api_agreement_state(struct fl_call *call)
{
	const struct fl_agreement *a = agreement_of(call);
	char path[FL_AGREEMENT_PATH];

	if (!a)
		return;
	if (!fl_agreement_state(a, call->job, path) || !map_image(path)) {
		fl_api_fail(call, 404, "the state before that window is not kept",
			    "the differences of GET /v1/agreement say which are");
		return;
	}
	fl_api_aside(call, "application/octet-stream", write_image);
	(void)munmap((void *)(uintptr_t)image, image_size);
}
