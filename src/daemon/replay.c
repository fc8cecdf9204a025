/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay - from the store to where the daemon was
 *
 * A checkpoint is the jobs that are not over and the image of model and policy, as of one row of
 * the journal.  The rows behind it are applied again, in their order and at their times: a policy
 * is a deterministic state machine, so it ends up as it was, with all it knows of usage, of turns,
 * of who has yielded to whom.  What follows for people is written once more, over what is there.
 *
 * Where there is no image that this program reads (the store is new; another version wrote it; it
 * is damaged) the policy begins afresh, with the jobs as their rows say: who waits, who holds
 * what since when.  What only the policy knew is lost then, and the log says so.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "codec/job_json.h"
#include "daemon/core_parts.h"
#include "decide/image.h"

#define MAKER "fairleadd " FAIRLEAD_VERSION

static const char magic[8] = "flcheck1";

/* Bytes of the configuration as text, and of the image of jobs; that of the policy follows. */
struct head {
	char magic[8];
	uint64_t config, jobs;
};

struct saved_live {
	uint64_t id, preemptor;
	int64_t submitted, started, ended, ran, retry, waits;
	uint32_t state, stopping, held, attempt, evictions, losses, workload, priority;
	int32_t outcome, status;
};
static const struct fl_image_kind live_kind = { "daemon.jobs", sizeof(struct saved_live), 0 };

struct saved_core {
	uint64_t seq, submitted;
	int64_t at, last_submitted, last_cycle;
	uint64_t cycles;
};
static const struct fl_image_kind core_kind = { "daemon", sizeof(struct saved_core), 0 };

/* --- saving --- */

static int write_fd(void *user, const void *bytes, size_t n, fairlead_error *err)
{
	const char *at = bytes;

	while (n) {
		ssize_t done = write(*(const int *)user, at, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return fl_fail(err, FAIRLEAD_EIO, "a checkpoint cannot be written: %s",
				       strerror(errno));
		at += done;
		n -= (size_t)done;
	}
	return 0;
}

static int write_stream(void *user, const void *bytes, size_t n, fairlead_error *err)
{
	return fwrite(bytes, 1, n, user) == n ? 0 : fl_fail_nomem(err);
}

static struct saved_live spell(const struct fl_live *job)
{
	struct saved_live row;

	memset(&row, 0, sizeof row);
	row.id = job->id;
	row.preemptor = job->preemptor;
	row.submitted = job->submitted;
	row.started = job->started;
	row.ended = job->ended;
	row.ran = job->ran;
	row.retry = job->retry;
	row.waits = job->waits;
	row.state = job->state;
	row.stopping = job->stopping;
	row.held = job->held;
	row.attempt = job->attempt;
	row.evictions = job->evictions;
	row.losses = job->losses;
	row.workload = job->workload.v;
	row.priority = (uint32_t)job->priority;
	row.outcome = job->outcome;
	row.status = job->status;
	return row;
}

static int save_jobs(const struct fl_core *c, FILE *f, fairlead_error *err)
{
	struct fl_image_sink sink = { write_stream, f };
	struct saved_core core;
	struct saved_live *rows = malloc((c->jobs.n + 1) * sizeof *rows);
	struct fl_image_writer w;
	uint32_t n = 0;
	int r;

	if (!rows)
		return fl_fail_nomem(err);
	for (uint32_t i = 0; i < c->jobs.n; i++)
		if (!fl_job_is_over(c->jobs.rows[i].state))
			rows[n++] = spell(&c->jobs.rows[i]);
	memset(&core, 0, sizeof core);
	core.seq = c->seq;
	core.submitted = c->submitted;
	core.at = c->at;
	core.last_submitted = c->jobs.last_submitted;
	core.last_cycle = c->generation.driver.last;
	core.cycles = c->generation.driver.cycles;
	if ((r = fl_image_begin(&w, &sink, MAKER, err)) == 0 &&
	    (r = fl_image_put(&w, &core_kind, &core, 1, err)) == 0 &&
	    (r = fl_image_put(&w, &live_kind, rows, n, err)) == 0)
		r = fl_image_end(&w, err);
	free(rows);
	return r;
}

int fl_core_save(void *core, int fd, fairlead_error *err)
{
	const struct fl_core *c = core;
	const struct fl_state state = { .model = c->generation.model,
					.ops = c->generation.ops,
					.policy = c->generation.policy,
					.now = c->at };
	struct fl_image_sink sink = { write_fd, &fd };
	struct head head;
	char *bytes = NULL, *config = fl_core_spell_config(c->config, &c->capacity);
	size_t size = 0;
	FILE *f = open_memstream(&bytes, &size);
	int r = f && config ? save_jobs(c, f, err) : fl_fail_nomem(err);

	if (f && fclose(f) != 0 && r == 0)
		r = fl_fail_nomem(err);
	memcpy(head.magic, magic, sizeof magic);
	head.jobs = size;
	head.config = config ? strlen(config) : 0;
	if (r == 0)
		r = write_fd(&fd, &head, sizeof head, err);
	if (r == 0)
		r = write_fd(&fd, config, head.config, err);
	if (r == 0)
		r = write_fd(&fd, bytes, size, err);
	if (r == 0)
		r = fl_state_save(&state, &sink, MAKER, err);
	free(bytes);
	free(config);
	return r;
}

/* --- loading --- */

struct part {
	int fd;
	uint64_t left;
};

static int read_part(void *user, char *buffer, size_t size, size_t *ret, fairlead_error *err)
{
	struct part *p = user;
	ssize_t n;

	if (size > p->left)
		size = (size_t)p->left;
	do
		n = read(p->fd, buffer, size);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return fl_fail(err, FAIRLEAD_EIO, "a checkpoint cannot be read: %s",
			       strerror(errno));
	p->left -= (uint64_t)n;
	*ret = (size_t)n;
	return 0;
}

struct restoring {
	struct fl_core *c;
	struct fl_live row;
	int r;
};

static int restore_job(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct restoring *x = user;
	struct fl_job_document doc;
	struct fl_live *job;
	int r = fl_job_parse(row->spec, strlen(row->spec), FL_JOB_STORED, &doc, err);

	if (r < 0)
		return r;
	x->row.array = doc.spec.array;
	x->row.uid = doc.spec.uid;
	x->row.tasks = doc.spec.tasks;
	r = fl_jobs_restore(&x->c->jobs, &x->row, &doc.spec, &job, err);
	/* Whom it waits for is there yet; all others are over. */
	for (uint32_t i = 0; i < doc.spec.n_after && r == 0; i++)
		if (!fl_jobs_find(&x->c->jobs, doc.spec.after[i].job))
			fl_jobs_waited(&x->c->jobs, job->id, doc.spec.after[i].job);
	if (r == 0 && job->state == FL_JOB_WAITS && job->workload.v == FL_NONE)
		r = fl_core_newcomer(x->c, job, err);
	fl_job_document_done(&doc);
	return r;
}

static int load_jobs(struct fl_core *c, const struct fl_image *i, struct saved_core *ret,
		     fairlead_error *err)
{
	const struct saved_live *rows;
	const void *bytes;
	uint32_t n;
	int r = fl_image_exactly(i, &core_kind, 1, &bytes, err);

	if (r < 0)
		return r;
	*ret = *(const struct saved_core *)bytes;
	if ((r = fl_image_rows(i, &live_kind, &bytes, &n, err)) < 0)
		return r;
	rows = bytes;
	for (uint32_t k = 0; k < n && r == 0; k++) {
		struct restoring x = { .c = c };

		x.row = (struct fl_live){ .id = rows[k].id,
					  .preemptor = rows[k].preemptor,
					  .submitted = rows[k].submitted,
					  .started = rows[k].started,
					  .ended = rows[k].ended,
					  .ran = rows[k].ran,
					  .retry = rows[k].retry,
					  .waits = rows[k].waits,
					  .state = (enum fl_job_state)rows[k].state,
					  .stopping = (enum fl_go_why)rows[k].stopping,
					  .held = (enum fl_hold)rows[k].held,
					  .attempt = rows[k].attempt,
					  .evictions = rows[k].evictions,
					  .losses = rows[k].losses,
					  .workload = { rows[k].workload },
					  .priority = (int32_t)rows[k].priority,
					  .outcome = rows[k].outcome,
					  .status = rows[k].status };
		r = fl_store_job(c->store, x.row.id, restore_job, &x, err);
	}
	return r;
}

/* Whom the workloads of the image are, so that nothing points past it. */
static int check_workloads(const struct fl_core *c, const struct fl_model *m, fairlead_error *err)
{
	for (uint32_t i = 0; i < c->jobs.n; i++)
		if (c->jobs.rows[i].workload.v != FL_NONE &&
		    c->jobs.rows[i].workload.v >= m->n_workloads)
			return fl_image_damaged(live_kind.name, err);
	return 0;
}

static int load_config(struct fl_core *c, int fd, uint64_t size, fairlead_error *err)
{
	enum { MOST = 1 << 30 };
	char *text = size < MOST ? malloc(size + 1) : NULL;
	struct part p = { fd, size };
	size_t used = 0, n = 1;
	int r = text ? 0 : fl_fail_nomem(err);

	while (r == 0 && used < size && n) {
		r = read_part(&p, text + used, size - used, &n, err);
		used += r == 0 ? n : 0;
	}
	if (r == 0)
		r = fl_core_take_config(c, text, used, err);
	free(text);
	return r;
}

static int load_image(struct fl_core *c, int fd, uint64_t seq, fairlead_error *err)
{
	struct part jobs = { fd, 0 }, rest = { fd, UINT64_MAX };
	struct fl_generation_options o = { .backend = &c->driven };
	struct fl_image image;
	struct fl_state state;
	struct saved_core core = { 0 };
	struct head head;
	int r;

	if (read(fd, &head, sizeof head) != (ssize_t)sizeof head ||
	    memcmp(head.magic, magic, sizeof magic) != 0)
		return fl_fail(err, FAIRLEAD_EINPUT, "the checkpoint is no checkpoint");
	jobs.left = head.jobs;
	if ((r = load_config(c, fd, head.config, err)) < 0)
		return r;
	o.config = c->config;
	o.capacity = &c->capacity;
	r = fl_image_read(&image, &fl_mem_heap, &(struct fl_source){ read_part, &jobs }, MAKER,
			  err);
	if (r < 0)
		return r;
	r = load_jobs(c, &image, &core, err);
	fl_image_done(&image);
	if (r == 0 && core.seq != seq)
		r = fl_image_damaged(core_kind.name, err);
	if (r == 0)
		r = fl_state_load(&fl_mem_heap, &(struct fl_source){ read_part, &rest }, MAKER,
				  &state, err);
	if (r < 0)
		return r;
	if ((r = check_workloads(c, state.model, err)) < 0) {
		fl_state_done(&state);
		return r;
	}
	r = fl_generation_load(state.model, state.policy, &o, &c->jobs, &c->generation, err);
	if (r < 0)
		return r;
	c->generation.driver.last = core.last_cycle;
	c->generation.driver.cycles = core.cycles;
	c->seq = c->checkpointed = core.seq;
	c->submitted = core.submitted;
	c->at = core.at;
	c->jobs.last_submitted = core.last_submitted;
	return 0;
}

/* --- without an image: as the rows say --- */

static int take_row(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct restoring x = { .c = user };
	bool ran = row->state == FL_JOB_STARTS || row->state == FL_JOB_RUNS ||
		   row->state == FL_JOB_STOPS;

	x.row = (struct fl_live){ .id = row->id,
				  .state = row->state,
				  .held = row->held,
				  .priority = row->priority,
				  .attempt = row->attempt,
				  .evictions = row->evictions,
				  .losses = row->losses,
				  .workload = { FL_NONE },
				  .submitted = row->submitted,
				  .started = row->started,
				  .ended = FL_TIME_NONE,
				  .ran = row->ran,
				  .waits = row->submitted,
				  .retry = FL_TIME_NONE,
				  .outcome = row->outcome,
				  .status = row->status };
	if (ran && !row->placement)
		x.row.state = FL_JOB_WAITS; /* nobody knows what it would hold */
	else if (row->state == FL_JOB_STOPS)
		x.row.stopping = row->held ? FL_GO_HELD : FL_GO_DRAIN;
	if (row->id > x.c->submitted)
		x.c->submitted = row->id;
	return restore_job(&x, row, err);
}

/* What jobs hold, by number, as their rows say. */
struct holding {
	uint64_t job;
	uint32_t n;
	struct fl_run_grant grants[FL_JOB_RESOURCES * 4];
};
struct holdings {
	struct holding *rows;
	uint32_t n, cap;
};

static int take_placement(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct holdings *h = user;
	struct holding *to;

	if (!row->placement)
		return 0;
	if (fl_mem_grow(&fl_mem_heap, &h->rows, &h->cap, h->n + 1, sizeof *h->rows, err) < 0)
		return FAIRLEAD_ENOMEM;
	to = &h->rows[h->n++];
	to->job = row->id;
	return fl_placement_read(row->placement, to->grants, FL_JOB_RESOURCES * 4, &to->n, err);
}

static const struct fl_run_grant *held(void *user, uint64_t job, uint32_t *ret_n)
{
	const struct holdings *h = user;

	for (uint32_t i = 0; i < h->n; i++)
		if (h->rows[i].job == job) {
			*ret_n = h->rows[i].n;
			return h->rows[i].grants;
		}
	return NULL;
}

static int begin_afresh(struct fl_core *c, const struct fl_store_end *end, fairlead_error *err)
{
	static const uint32_t live = 1u << FL_JOB_HELD | 1u << FL_JOB_DEPENDS | 1u << FL_JOB_WAITS |
				     1u << FL_JOB_STARTS | 1u << FL_JOB_RUNS | 1u << FL_JOB_STOPS;
	const struct fl_job_filter filter = { .states = live };
	struct holdings holdings = { 0 };
	struct fl_generation_options o = { .config = c->config,
					   .capacity = &c->capacity,
					   .now = fl_clock_now(&c->clock),
					   .up_to = UINT64_MAX,
					   .backend = &c->driven,
					   .held = held,
					   .user = &holdings };
	fairlead_error why;
	int r = fl_store_jobs(c->store, &filter, take_row, c, err);

	if (r == 0)
		r = fl_store_jobs(c->store, &filter, take_placement, &holdings, err);
	if (r == 0)
		r = fl_generation_new(&o, &c->jobs, &c->generation, err);
	free(holdings.rows);
	if (r < 0)
		return r;
	c->seq = end->seq;
	c->at = end->at > o.now ? end->at : o.now;
	if (end->job > c->submitted)
		c->submitted = end->job;
	c->row_seq = c->seq;
	if ((r = fl_core_conditions(c, c->at, err)) < 0)
		return r;
	/*
	 * At once: until there is one, a start after a kill would begin with rows for people, which
	 * are a batch behind.  What is in its way stands in the log.
	 */
	(void)fl_core_checkpoint(c, &why);
	return 0;
}

/* --- the rows behind the checkpoint --- */

struct spec_of {
	struct fl_job_document doc;
};

static int read_spec(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	return fl_job_parse(row->spec, strlen(row->spec), FL_JOB_STORED,
			    &((struct spec_of *)user)->doc, err);
}

static int replay_row(void *user, const struct fl_journal_row *row, fairlead_error *err)
{
	struct fl_core *c = user;
	struct spec_of spec = { 0 };
	int result, r = 0;

	if (row->kind == FL_JOURNAL_SUBMIT) {
		r = fl_store_job(c->store, row->job, read_spec, &spec, err);
		if (row->job > c->submitted)
			c->submitted = row->job;
	}
	if (r == 0)
		r = fl_core_apply(c, row, &spec.doc.spec, &result, err);
	if (row->kind == FL_JOURNAL_SUBMIT)
		fl_job_document_done(&spec.doc);
	c->seq = row->seq;
	c->at = row->at;
	return r;
}

static int replay(struct fl_core *c, fairlead_error *err)
{
	int r;

	c->replaying = true;
	r = fl_store_journal(c->store, c->seq, replay_row, c, err);
	fl_core_drop_draft(c); /* which nobody took */
	c->replaying = false;
	return r;
}

/* As if nothing had been read. */
static int forget(struct fl_core *c, fairlead_error *err)
{
	fl_generation_done(&c->generation);
	fl_jobs_done(&c->jobs);
	fl_gather_clear(c->gather);
	c->n_dirty = c->n_newcomers = 0;
	return fl_jobs_init(&c->jobs, err);
}

static int recover_from(struct fl_core *c, int fd, uint64_t seq, fairlead_error *err)
{
	int r = load_image(c, fd, seq, err);

	return r < 0 ? r : replay(c, err);
}

int fl_core_recover(struct fl_core *c, const struct fl_capacity *capacity, fairlead_error *err)
{
	struct fl_config *wanted = c->config;
	struct fl_store_end end;
	uint64_t seq;
	fairlead_error why = { 0 };
	bool other;
	int fd, r = fl_store_end(c->store, &end, err);

	if (r < 0)
		return r;
	fl_clock_begin(&c->clock, &(struct fl_clock_past){ .at = end.at,
							   .wall = end.wall,
							   .boot = end.boot,
							   .boot_id = end.boot_id });
	if ((r = fl_core_copy_capacity(c, capacity, err)) < 0 ||
	    (r = fl_store_checkpointed(c->store, &seq, &fd, err)) < 0)
		return r;
	if (fd < 0)
		return begin_afresh(c, &end, err);
	c->config = NULL;
	r = recover_from(c, fd, seq, &why);
	(void)close(fd);
	if (r == 0) {
		r = fl_core_want_config(c, wanted, capacity, &other, err);
		fl_config_free(wanted);
		return r;
	}
	fl_config_free(c->config);
	c->config = wanted;
	if (r != FAIRLEAD_EINPUT) {
		*err = why;
		return r;
	}
	fl_core_log(c,
		    "the checkpoint is not read (%s): the policy begins afresh with the jobs as "
		    "they are",
		    why.text);
	if ((r = forget(c, err)) < 0 || (r = fl_core_copy_capacity(c, capacity, err)) < 0)
		return r;
	return begin_afresh(c, &end, err);
}
