/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay - restores the state of the daemon from the store
 *
 * A checkpoint is the jobs that have not ended (jobs_image.c) and the image of model and policy, as
 * of one row of the journal.  The rows after it are applied again, in their order and at their
 * times: a policy is a deterministic state machine, so its state becomes what it was, with usage
 * over time, turns and preemptions.  Rows for people that follow from them are written again, over
 * the existing ones.
 *
 * If there is no image that this program can read (the store is new; another version wrote it; it
 * is damaged) the policy begins with an empty state and the jobs as their rows say: which are
 * pending, which hold what since when.  State of the policy that is in no row is lost then, and the
 * log says so.
 */
#include "daemon/machine/replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "codec/job/job_json.h"
#include "daemon/engine/placement.h"
#include "daemon/machine/apply.h"
#include "daemon/machine/asked.h"
#include "daemon/machine/batch.h"
#include "daemon/machine/checkpoint.h"
#include "daemon/machine/inside.h"
#include "daemon/machine/keep.h"
#include "daemon/machine/prepare.h"
#include "daemon/machine/rows.h"
#include "daemon/machine/view.h"
#include "decide/image.h"

#define MAKER "fairleadd " FAIRLEAD_VERSION

static const char magic[8] = "flcheck1";

/*
 * The head: bytes of the configuration as text, and of the image of jobs; the image of the policy
 * follows.
 */
struct head {
	char magic[8];
	uint64_t config, jobs;
};

struct saved_core {
	uint64_t seq, submitted;
	int64_t at, last_submitted, last_cycle;
	uint64_t cycles;
};
static const struct fl_image_kind core_kind = { "daemon", sizeof(struct saved_core), 0 };

/* --- saving --- */

static int write_fd(void *user, const void *bytes, size_t n, fairlead_error *err)
{
	return fl_fd_write(*(const int *)user, bytes, n) == 0 ?
		       0 :
		       fl_fail(err, FAIRLEAD_EIO, "a checkpoint cannot be written: %s",
			       strerror(errno));
}

static int write_stream(void *user, const void *bytes, size_t n, fairlead_error *err)
{
	return fwrite(bytes, 1, n, user) == n ? 0 : fl_fail_nomem(err);
}

static int save_jobs(const struct fl_core *c, FILE *f, fairlead_error *err)
{
	struct fl_image_output sink = { write_stream, f };
	struct saved_core core;
	struct fl_image_writer w;
	int r;

	memset(&core, 0, sizeof core);
	core.seq = c->seq;
	core.submitted = c->submitted;
	core.at = c->at;
	core.last_submitted = c->jobs.last_submitted;
	core.last_cycle = c->generation.driver.last;
	core.cycles = c->generation.driver.cycles;
	if ((r = fl_image_begin(&w, &sink, MAKER, err)) == 0 &&
	    (r = fl_image_put(&w, &core_kind, &core, 1, err)) == 0 &&
	    (r = fl_jobs_save(&c->jobs, &w, err)) == 0)
		r = fl_image_end(&w, err);
	return r;
}

int fl_core_save(void *core, int fd, fairlead_error *err)
{
	const struct fl_core *c = core;
	const struct fl_state state = { .model = c->generation.model,
					.ops = c->generation.ops,
					.policy = c->generation.policy,
					.now = c->at };
	struct fl_image_output sink = { write_fd, &fd };
	struct head head;
	char *bytes = NULL, *config = fl_config_spell(c->config, &c->capacity, /* as= */ NULL);
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

static int load_jobs(struct fl_core *c, struct fl_image *i, struct saved_core *ret,
		     fairlead_error *err)
{
	const void *bytes;
	int r = fl_image_exactly(i, &core_kind, 1, &bytes, err);

	if (r < 0)
		return r;
	*ret = *(const struct saved_core *)bytes;
	r = fl_jobs_load(&c->jobs, i, err);
	for (uint32_t k = 0; k < c->jobs.n && r == 0; k++)
		if (c->jobs.rows[k].state == FL_JOB_WAITS &&
		    c->jobs.rows[k].workload.v == FL_NONE && !c->jobs.rows[k].begin)
			r = fl_core_newcomer(c, &c->jobs.rows[k], err);
	return r;
}

/* Checks that no job of the image points to a workload beyond its model. */
static int check_workloads(const struct fl_core *c, const struct fl_model *m, fairlead_error *err)
{
	for (uint32_t i = 0; i < c->jobs.n; i++)
		if (c->jobs.rows[i].workload.v != FL_NONE &&
		    c->jobs.rows[i].workload.v >= m->n_workloads)
			return fl_image_damaged("daemon.jobs", err);
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
		return fl_fail(err, FAIRLEAD_EINPUT, "this is not a checkpoint of fairleadd");
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
	r = fl_generation_load(state.ops, state.model, state.policy, &o, &c->jobs, &c->generation,
			       err);
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

/* A job whose row or spec cannot be read: it fails, as there is nothing to start. */
struct unread {
	uint64_t id;
	char why[FL_LIVE_REASON];
};
struct restoring {
	struct fl_core *c;
	struct unread *unread;
	uint32_t n, cap;
};

static int restore_job(struct fl_core *c, const struct fl_job_row *row, struct fl_live *live,
		       const struct fl_job_spec *spec, fairlead_error *err)
{
	struct fl_live *job;
	int r;

	live->array = spec->array;
	live->uid = spec->uid;
	live->tasks = spec->tasks;
	/* Of one that has been started the begin has come; of others the wall says it again. */
	live->begin = live->attempt ? 0 : spec->begin;
	r = fl_jobs_restore(&c->jobs, live, spec, &job, err);
	/* One that is past that waits for no job, whatever became of it since. */
	for (uint32_t i = 0; i < spec->n_after && r == 0; i++)
		if (job->state != FL_JOB_HELD && job->state != FL_JOB_DEPENDS)
			fl_jobs_waited(&c->jobs, row->id, spec->after[i].job);
	/* A row may be older than what it waits for; that is found out again (end_or_let_in). */
	if (r == 0 && job->state == FL_JOB_WAITS &&
	    (job->singleton || job->most || fl_jobs_waits_for(&c->jobs, job->id)))
		job->state = FL_JOB_DEPENDS;
	return r < 0 || job->state != FL_JOB_WAITS || job->begin ? r :
								   fl_core_newcomer(c, job, err);
}

static struct fl_live live_of(const struct fl_job_row *row)
{
	bool ran = row->state == FL_JOB_STARTS || row->state == FL_JOB_RUNS ||
		   row->state == FL_JOB_STOPS;
	struct fl_live live = { .id = row->id,
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
		live.state = FL_JOB_WAITS; /* what it held is not known */
	else if (row->state == FL_JOB_STOPS)
		live.stopping = FL_GO_DRAIN; /* unless its runner knows more (ended.c) */
	return live;
}

/*
 * Of a damaged row only the number and the attempt are used: they find its run.  The job is not
 * started, but exists until it is ended: jobs that wait for it are told then.
 */
static int restore_unread(struct restoring *x, const struct fl_job_row *row, const char *why,
			  fairlead_error *err)
{
	const struct fl_job_row nothing = { .id = row->id,
					    .attempt = row->attempt,
					    .started = FL_TIME_NONE };
	bool whole = !row->damaged || strcmp(row->damaged, "its spec") == 0;
	struct fl_live live = live_of(whole ? row : &nothing);
	struct fl_job_spec spec = { .tasks = 1, .array = whole ? row->array : 0 };

	if (fl_mem_grow(&fl_mem_heap, &x->unread, &x->cap, x->n + 1, sizeof *x->unread, err) < 0)
		return FAIRLEAD_ENOMEM;
	x->unread[x->n].id = row->id;
	(void)snprintf(x->unread[x->n++].why, sizeof x->unread->why, "damaged: %.300s", why);
	live.state = FL_JOB_HELD;
	live.held = FL_HOLD_ADMIN;
	live.stopping = FL_GO_NOT;
	live.waits = live.status = 0;
	live.outcome = -1;
	if (whole) {
		spec.uid = row->uid;
		(void)snprintf(spec.queue, sizeof spec.queue, "%s", row->queue);
		(void)snprintf(spec.user, sizeof spec.user, "%s", row->user);
	}
	return restore_job(x->c, row, &live, &spec, err);
}

static int take_row(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct restoring *x = user;
	struct fl_live live = live_of(row);
	struct fl_job_document doc;
	fairlead_error why = { 0 };
	char text[FL_LIVE_REASON];
	int r;

	if (row->id > x->c->submitted)
		x->c->submitted = row->id;
	if (row->damaged) {
		(void)snprintf(text, sizeof text, "%s does not match its checksum", row->damaged);
		return restore_unread(x, row, text, err);
	}
	if (!row->spec)
		return restore_unread(x, row, "it has no spec", err);
	r = fl_job_parse(row->spec, strlen(row->spec), FL_JOB_STORED, &doc, &why);
	/*
	 * An older program may have taken a spec that this one refuses: that job fails, and the
	 * daemon starts.
	 */
	if (r == FAIRLEAD_EINPUT || r == FAIRLEAD_ELIMIT) {
		(void)snprintf(text, sizeof text, "this version cannot read its spec: %.80s %.200s",
			       why.subject, why.text);
		return restore_unread(x, row, text, err);
	}
	if (r < 0) {
		*err = why;
		return r;
	}
	r = restore_job(x->c, row, &live, &doc.spec, err);
	fl_job_document_done(&doc);
	return r;
}

/* --- those that cannot be read, once there is a generation --- */

static int see_last_event(void *user, const struct fl_event_row *row, fairlead_error *err)
{
	struct fl_core *c = user;

	(void)err;
	if (row->seq == c->row_seq)
		c->row_events = row->n + 1;
	return 0;
}

/* Events from now on belong to the last row of the journal, which may have events already. */
static int go_on_behind(struct fl_core *c, const struct fl_store_end *end, fl_time now,
			fairlead_error *err)
{
	const struct fl_event_filter last = { .limit = 1, .newest_first = true };

	c->seq = c->row_seq = end->seq;
	c->row_events = 0;
	c->at = end->at > now ? end->at : now;
	if (end->job > c->submitted)
		c->submitted = end->job;
	return fl_store_events(c->daemon.store, &last, see_last_event, c, err);
}

struct hoping {
	uint32_t n;
	struct fl_job_after after[FL_JOB_AFTER];
};

static int close_admission(void *user, const struct fl_admission_row *row, fairlead_error *err)
{
	struct fl_core *c = user;
	struct fl_admission_row over = *row;

	if (row->to != FL_TIME_NONE)
		return 0;
	over.to = c->at;
	over.ended = "damaged";
	return fl_gather_row(c->gather, &over, err);
}

/* Has one of the jobs that it waited for ended otherwise? One that is deleted has not. */
static int look_at_after(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct hoping *h = user;
	struct fl_job_document doc;
	int r = fl_job_parse(row->spec, strlen(row->spec), FL_JOB_STORED, &doc, err);

	if (r < 0)
		return r;
	h->n = doc.spec.n_after;
	memcpy(h->after, doc.spec.after, sizeof h->after);
	fl_job_document_done(&doc);
	return 0;
}

/*
 * A job that depends on ended jobs only: no end would tell it, so it would wait for ever.  Only one
 * that its name or array may keep can be so though they ended as required.
 */
static int end_or_let_in(struct fl_core *c, struct fl_live *job, fairlead_error *err)
{
	struct hoping h = { .n = 0 };
	bool hope = job->singleton || job->most;
	int r = hope ? fl_store_job(c->daemon.store, job->id, look_at_after, &h, err) : 0;

	for (uint32_t i = 0; i < h.n && hope && r == 0; i++) {
		enum fl_job_state state = fl_core_state_of(c, h.after[i].job);

		hope = state == FL_JOB_STATES || fl_after_is(h.after[i].how, state);
	}
	if (r < 0)
		return r;
	return hope ? fl_core_let_in(c, job, err) :
		      fl_core_end(c, job->id, FL_JOB_CANCELLED,
				  "a job that it waited for did not end as required", err);
}

static int end_unread(struct restoring *x, fairlead_error *err)
{
	struct fl_core *c = x->c;
	int r = 0;

	for (uint32_t i = 0; i < x->n && r == 0; i++) {
		r = fl_store_admissions(c->daemon.store, x->unread[i].id, close_admission, c, err);
		if (r == 0)
			r = fl_core_end(c, x->unread[i].id, FL_JOB_FAILED, x->unread[i].why, err);
	}
	for (uint32_t i = 0; i < c->jobs.n && r == 0; i++)
		if (c->jobs.rows[i].state == FL_JOB_DEPENDS &&
		    !fl_jobs_waits_for(&c->jobs, c->jobs.rows[i].id))
			r = end_or_let_in(c, &c->jobs.rows[i], err);
	return r;
}

/* What jobs hold, by number, as their rows say. */
struct holding {
	uint64_t job;
	uint32_t n;
	struct fl_run_grant grants[FL_GRANTS];
};
struct holdings {
	struct holding *rows;
	uint32_t n, cap;
};

static int take_placement(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct holdings *h = user;
	struct holding *to;

	if (!row->placement || row->damaged)
		return 0;
	if (fl_mem_grow(&fl_mem_heap, &h->rows, &h->cap, h->n + 1, sizeof *h->rows, err) < 0)
		return FAIRLEAD_ENOMEM;
	to = &h->rows[h->n++];
	to->job = row->id;
	return fl_placement_read(row->placement, to->grants, FL_GRANTS, &to->n, err);
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

/*
 * All that was found, before the image that knows it already: after a kill between the two the rows of
 * jobs ended here would say that they still run, and those of a token or version would be missing.
 */
static int write_found(struct fl_core *c, fairlead_error *err)
{
	int r = fl_core_write_jobs(c, err);

	if (r == 0 && !fl_gather_is_empty(c->gather))
		r = fl_store_commit(c->daemon.store, &c->gather->all.rows, err);
	if (r < 0)
		return r;
	fl_gather_clear(c->gather);
	fl_jobs_drop(&c->jobs, /* may= */ NULL, NULL); /* they are in the store only from now on */
	return 0;
}

/*
 * Made at once: until there is an image, a start after a kill would read rows for people, which are
 * a batch behind.  The log has its errors.
 */
static int first_checkpoint(struct fl_core *c, fairlead_error *err)
{
	fairlead_error why;
	int r = write_found(c, &why);

	if (r == FAIRLEAD_ENOMEM)
		return fl_fail_nomem(err);
	if (r == 0)
		(void)fl_core_checkpoint(c, &why);
	else
		c->must_checkpoint = true; /* once the gathered rows are written */
	return 0;
}

static int restore_jobs(struct restoring *x, struct holdings *holdings, fairlead_error *err)
{
	static const uint32_t live = 1u << FL_JOB_HELD | 1u << FL_JOB_DEPENDS | 1u << FL_JOB_WAITS |
				     1u << FL_JOB_STARTS | 1u << FL_JOB_RUNS | 1u << FL_JOB_STOPS;
	const struct fl_job_filter filter = { .states = live, .damaged = true };
	struct fl_core *c = x->c;
	int r = fl_store_jobs(c->daemon.store, &filter, take_row, x, err);

	/* Jobs that others wait for are in the table; all others have ended. */
	fl_jobs_settle_awaits(&c->jobs);
	return r < 0 ? r : fl_store_jobs(c->daemon.store, &filter, take_placement, holdings, err);
}

static const char *policy_of(const struct fl_config *config)
{
	return fl_model_text(fl_config_objects(config), fl_config_settings(config)->policy);
}

/* With the configuration that came last, unless the jobs do not let it be, as when it was refused. */
static int first_generation(struct fl_core *c, struct holdings *holdings, fl_time now,
			    struct fl_behind *behind, fairlead_error *err)
{
	struct fl_generation_options o = { .config = behind->config,
					   .capacity = &c->capacity,
					   .now = now,
					   .up_to = UINT64_MAX,
					   .backend = &c->driven,
					   .held = held,
					   .user = holdings };
	fairlead_error why = { 0 };
	/* Another policy is refused, as it cannot take over what the one before it knows. */
	const bool may_be = behind->config &&
			    strcmp(policy_of(behind->config), policy_of(c->config)) == 0;
	int r = may_be ? fl_generation_new(&o, &c->jobs, &c->generation, &why) : FAIRLEAD_EINPUT;

	if (r == FAIRLEAD_EINPUT || r == FAIRLEAD_ELIMIT) {
		o.config = c->config;
		return fl_generation_new(&o, &c->jobs, &c->generation, err);
	}
	if (r < 0) {
		*err = why;
		return r;
	}
	return fl_core_take_behind(c, behind, err);
}

static int replay_token(void *user, const struct fl_journal_row *row, fairlead_error *err)
{
	return row->kind == FL_JOURNAL_TOKEN_MADE || row->kind == FL_JOURNAL_TOKEN_REVOKED ?
		       fl_core_token_apply(user, row, err) :
		       0;
}

/* @after: the row up to which the rows of tokens and versions in the store are whole. */
static int begin_afresh(struct fl_core *c, const struct fl_store_end *end, uint64_t after,
			fairlead_error *err)
{
	struct restoring x = { .c = c };
	struct holdings holdings = { 0 };
	struct fl_behind behind = { 0 };
	fl_time now = fl_clock_now(&c->daemon.clock);
	int r = fl_store_journal(c->daemon.store, after, replay_token, c, err);

	if (r == 0)
		r = fl_core_find_behind(c, after, end->at, &behind, err);
	if (r == 0)
		r = restore_jobs(&x, &holdings, err);
	if (r == 0)
		r = first_generation(c, &holdings, now, &behind, err);
	fl_config_free(behind.config);
	free(holdings.rows);
	if (r == 0)
		fl_core_begin_settings(c, c->config);
	if (r == 0)
		r = go_on_behind(c, end, now, err);
	if (r == 0)
		r = end_unread(&x, err);
	if (r == 0)
		r = fl_core_conditions(c, c->at, err);
	free(x.unread);
	if (r == 0)
		r = first_checkpoint(c, err);
	if (r == 0)
		r = fl_core_warn(c, c->config, &c->capacity, err);
	return r < 0 ? r : fl_core_note_start(c, err);
}

/* --- the rows after the checkpoint --- */

struct spec_of {
	struct fl_job_document doc;
};

static int read_spec(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	return fl_job_parse(row->spec, strlen(row->spec), FL_JOB_FIRST,
			    &((struct spec_of *)user)->doc, err);
}

static int replay_row(void *user, const struct fl_journal_row *row, fairlead_error *err)
{
	struct fl_core *c = user;
	struct spec_of spec = { 0 };
	int result, r = 0;

	if (row->kind == FL_JOURNAL_SUBMIT) {
		r = fl_store_job(c->daemon.store, row->job, read_spec, &spec, err);
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
	r = fl_store_journal(c->daemon.store, c->seq, replay_row, c, err);
	fl_core_drop_draft(c); /* a draft that no row took */
	c->replaying = false;
	return r;
}

/* Clears all that was read. */
static int forget(struct fl_core *c, fairlead_error *err)
{
	fl_generation_done(&c->generation);
	fl_jobs_done(&c->jobs);
	fl_gather_clear(c->gather);
	c->n_dirty = c->n_newcomers = 0;
	fl_core_drop_specs(c);
	return fl_jobs_init(&c->jobs, err);
}

static int recover_from(struct fl_core *c, int fd, uint64_t seq, fairlead_error *err)
{
	int r = load_image(c, fd, seq, err);

	return r < 0 ? r : replay(c, err);
}

/* What a daemon that watches a cluster has kept are no jobs that can be run. */
static int check_whose(const struct fl_core *c, fairlead_error *err)
{
	char text[32];
	int r = fl_store_get(c->daemon.store, FL_STORE_WATCHED, text, sizeof text, err);

	if (r == FAIRLEAD_ENOENT)
		return 0;
	if (r < 0)
		return r;
	(void)fl_fail(err, FAIRLEAD_ESTATE, "the state is that of a daemon that watches a cluster");
	(void)fl_fail_hint(
		err, "a daemon that runs jobs on this machine needs a folder of its own: --state");
	return FAIRLEAD_ESTATE;
}

int fl_core_recover(struct fl_core *c, const struct fl_capacity *capacity, fairlead_error *err)
{
	const struct fl_configuring as = { .how = "start" };
	struct fl_config *wanted = c->config, *is;
	struct fl_store_end end;
	uint64_t seq = 0;
	fairlead_error why = { 0 };
	bool other;
	int fd, r = check_whose(c, err);

	if (r == 0)
		r = fl_store_end(c->daemon.store, &end, err);
	if (r < 0 || (r = fl_core_tokens_load(c, err)) < 0)
		return r;
	fl_clock_begin(&c->daemon.clock, &(struct fl_clock_past){ .at = end.at,
								  .wall = end.wall,
								  .boot = end.boot,
								  .boot_id = end.boot_id });
	if ((r = fl_core_copy_capacity(c, capacity, err)) < 0)
		return r;
	r = fl_store_checkpointed(c->daemon.store, &seq, &fd, &why);
	if (r == 0 && fd < 0)
		return begin_afresh(c, &end, seq, err);
	c->config = NULL;
	if (r == 0) {
		r = recover_from(c, fd, seq, &why);
		(void)close(fd);
	}
	if (r == 0) {
		if (end.job > c->submitted) /* numbers that were given already */
			c->submitted = end.job;
		/* What is kept may have been replaced by a row that was just replayed. */
		is = fl_config_is_kept(wanted) && fl_config_is_kept(c->config) ? c->config : wanted;
		fl_core_begin_settings(c, is);
		r = fl_core_want_config(c, is, capacity, &as, &other, err);
		if (r == 0)
			r = fl_core_warn(c, is, capacity, err);
		/* The image may be that of a start whose row was not written. */
		if (r == 0 && !other)
			r = fl_core_note_start(c, err);
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
		    "the checkpoint cannot be read (%s): the policy begins without history, "
		    "with the jobs of the database",
		    why.text);
	if ((r = forget(c, err)) < 0 || (r = fl_core_copy_capacity(c, capacity, err)) < 0)
		return r;
	return begin_afresh(c, &end, seq, err);
}
