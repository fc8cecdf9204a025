/* SPDX-License-Identifier: Apache-2.0 */
/*
 * past - a state folder in which a daemon starts with years behind it: the jobs of a log, simulated
 *
 * past CONFIG LOG FOLDER [LOAD]
 *
 * CONFIG is the daemon's own file (a machine with flavors and LocalQueues); LOG is of the Standard Workload Format.
 * Users come to the LocalQueues by number, as many to each.  The engine decides as the simulator has it decide; the
 * last job of the log arrives now, so with a LOAD above 1, by which times between arrivals are divided, there are jobs
 * that wait.  What happened is written with the store's functions, as the daemon would have: journal, jobs, attempts,
 * events.  Its hours are summed up as the daemon does it.  Jobs that run now are written as admitted, so that the daemon
 * starts them: they sleep as long as they would have run.
 *
 * One line of JSON.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "codec/job/job_json.h"
#include "codec/trace/trace.h"
#include "daemon/config/config.h"
#include "daemon/engine/events.h"
#include "daemon/engine/placement.h"
#include "daemon/history/tiers.h"
#include "decide/policies.h"
#include "input/input.h"
#include "measure.h"
#include "model/daemon.h"
#include "sim/simulation.h"
#include "store/gather.h"
#include "store/store.h"

enum { USERS = 257, FIRST_UID = 20000, BATCH = 4000 };
static const fl_time DAY = 86400 * FL_SECOND;

/* Of a job, beside what the simulation knows of it. */
struct lived { /* zeros before it comes */
	uint32_t attempt, evictions;
	uint64_t preemptor;
	fl_time waits, from; /* of its last attempt */
	fl_time ran, ended;
};

struct past {
	struct fl_model *m;
	struct fl_store *store;
	struct fl_gathered rows;
	struct lived *jobs;
	uint64_t seq, preemptions;
	uint32_t n; /* events of the last row of the journal */
	fl_time at, summed;
	struct fl_hour_tree tree;
};

static void must(int r, const fairlead_error *err)
{
	if (r >= 0)
		return;
	fprintf(stderr, "past: %s%s%s: %s\n", err->file, *err->file ? " " : "", err->subject,
		err->text);
	exit(3);
}

static void *room(size_t n, size_t size)
{
	void *ret = calloc(n + 1, size);

	if (!ret)
		exit(3);
	return ret;
}

/* --- the log --- */

static struct fl_sym sym(struct fl_model *m, const char *text)
{
	struct fl_sym ret;
	fairlead_error err;

	must(fl_model_sym(m, text, strlen(text), &ret, &err), &err);
	return ret;
}

/* Users 1 to 257 in as many parts as there are queues; the last has all others, too. */
static void add_rules(struct fl_model *m, struct fl_trace_row *trace)
{
	const uint32_t n = m->n_queues, each = (USERS + n - 1) / n;
	fairlead_error err;

	for (uint32_t i = 0; i < n; i++) {
		struct fl_trace_rule rule = { .to = m->queues[i].name };
		char users[32];
		struct fl_sym meant;

		(void)snprintf(users, sizeof users, "%u-%u", i * each, (i + 1) * each - 1);
		meant = sym(m, users);
		if (i < n - 1)
			must(fl_model_push_syms(m, &meant, &rule.users.first, &err), &err);
		rule.users.n = i < n - 1;
		must(fl_model_push_trace_rules(m, &rule, i == 0 ? &trace->rules.first : NULL, &err),
		     &err);
	}
	trace->rules.n = n;
}

/* The last one arrives at @now. */
static void shift(struct fl_model *m, fl_time now)
{
	fl_time last = 0;

	for (uint32_t i = 0; i < m->n_lives; i++)
		last = m->lives[i].arrives > last ? m->lives[i].arrives : last;
	for (uint32_t i = 0; i < m->n_lives; i++) {
		struct fl_life_row *life = &m->lives[i];

		life->arrives += now - last;
		life->from_start = false;
		m->workloads[life->workload.v].created = life->arrives;
	}
}

static void read_log(struct fl_model *m, const char *log, double load)
{
	struct fl_trace_row trace = {
		.kind = FL_TRACE_SWF, .file = sym(m, log), .load = load, .runtime = 1
	};
	struct fl_input *in;
	fairlead_error err;
	uint32_t at;

	add_rules(m, &trace);
	must(fl_model_push_traces(m, &trace, &at, &err), &err);
	must(fl_input_open(log, &in, &err), &err);
	must(fl_trace_read(m, at, log, fl_input_source(in), &err), &err);
	(void)fl_input_close(in);
}

/* --- what happens --- */

static void write_rows(struct past *p, uint32_t least)
{
	fairlead_error err;

	if (fl_gathered_count(&p->rows) < least)
		return;
	p->rows.rows.wall = p->at;
	must(fl_store_commit(p->store, &p->rows.rows, &err), &err);
	fl_gathered_clear(&p->rows);
}

#define ADD(p, row)                                                                                \
	do {                                                                                       \
		fairlead_error err;                                                                \
		must(fl_gathered_add(&(p)->rows, FL_BATCH_PART_OF(row), row, &err), &err);         \
	} while (0)

static void note(struct past *p, struct fl_journal_row row)
{
	row.seq = ++p->seq;
	row.at = p->at;
	p->n = 0;
	ADD(p, &row);
}

static const char *queue_of(const struct past *p, struct fl_workload w)
{
	const struct fl_workload_row *row = &p->m->workloads[w.v];

	return fl_model_text(p->m, p->m->nodes[row->cluster_queue.v].name);
}

static void tell(struct past *p, enum fl_happened what, struct fl_workload w, uint64_t by,
		 const char *reason, const char *text)
{
	const struct fl_event_row row = { .seq = p->seq,
					  .n = p->n++,
					  .at = p->at,
					  .kind = fl_happened_name(what),
					  .job = (uint64_t)w.v + 1,
					  .attempt = p->jobs[w.v].attempt,
					  .queue = fl_model_text(p->m,
								 p->m->workloads[w.v].queue_name),
					  .by = by,
					  .reason = reason,
					  .text = text };

	ADD(p, &row);
}

/* What it asks for in all. */
static uint32_t asked(const struct past *p, struct fl_workload w,
		      struct fl_run_grant ret[FL_JOB_RESOURCES])
{
	const struct fl_workload_row *row = &p->m->workloads[w.v];
	const struct fl_podset *set = &p->m->podsets[row->podsets.first];
	const char *flavor = fl_model_text(p->m, p->m->flavors[0].name);
	uint32_t n = 0;

	for (uint32_t i = 0; i < set->requests.n && n < FL_JOB_RESOURCES; i++) {
		const struct fl_request *r = &p->m->requests[set->requests.first + i];

		ret[n].amount = r->amount * set->count;
		(void)snprintf(ret[n].resource, sizeof ret->resource, "%s",
			       fl_model_text(p->m, r->resource_name));
		(void)snprintf(ret[n].flavor, sizeof ret->flavor, "%s", flavor);
		n++;
	}
	return n;
}

static void add_attempt(struct past *p, struct fl_workload w, fl_time to, const char *ended)
{
	const struct lived *job = &p->jobs[w.v];
	struct fl_run_grant grants[FL_JOB_RESOURCES];
	const uint32_t n = asked(p, w, grants);
	char placement[FL_PLACEMENT];
	const struct fl_admission_row row = { .job = (uint64_t)w.v + 1,
					      .attempt = job->attempt,
					      .queue = queue_of(p, w),
					      .waits = job->waits,
					      .from = job->from,
					      .to = to,
					      .placement = fl_grants_text(grants, n, placement),
					      .ended = ended,
					      .preemptor = ended ? job->preemptor : 0 };

	ADD(p, &row);
}

static void started(struct past *p, struct fl_workload w)
{
	struct lived *job = &p->jobs[w.v];

	note(p, (struct fl_journal_row){ .kind = FL_JOURNAL_CYCLE });
	job->attempt++;
	job->from = p->at;
	tell(p, FL_HAPPENED_ADMITTED, w, 0, fl_reason_name(FL_REASON_FITS), NULL);
	tell(p, FL_HAPPENED_STARTED, w, 0, NULL, NULL);
	add_attempt(p, w, FL_TIME_NONE, /* ended= */ NULL);
}

/* The attempt is over, and so is the job, unless it is to wait again. */
static void over(struct past *p, struct fl_workload w, enum fl_go_why why)
{
	struct lived *job = &p->jobs[w.v];

	note(p, (struct fl_journal_row){ .kind = FL_JOURNAL_ENDED,
					 .job = (uint64_t)w.v + 1,
					 .ended = { .attempt = job->attempt,
						    .when = p->at,
						    .stopped = why,
						    .how = FL_RUN_EXITED } });
	add_attempt(p, w, p->at,
		    why == FL_GO_NOT ? fl_outcome_name(FL_RUN_EXITED) : fl_go_why_name(why));
	job->ran += p->at - job->from;
	job->from = FL_TIME_NONE;
	job->preemptor = 0;
}

static enum fl_job_state state_of(const struct lived *job)
{
	return job->ended != FL_TIME_NONE ? FL_JOB_DONE :
	       job->from != FL_TIME_NONE  ? FL_JOB_STARTS :
					    FL_JOB_WAITS;
}

/* --- sums --- */

/* Quotas as they are: they were the same all the time. */
static struct fl_hour_tree tree_of(const struct fl_model *m)
{
	struct fl_hour_node *nodes = room(m->n_nodes, sizeof *nodes);
	double *nominal = room((size_t)m->n_nodes * m->n_resources, sizeof *nominal);
	const char **resources = room(m->n_resources, sizeof *resources);

	for (uint32_t k = 0; k < m->n_resources; k++)
		resources[k] = fl_model_text(m, m->resources[k]);
	for (uint32_t i = 0; i < m->n_nodes; i++) {
		const struct fl_node_row *row = &m->nodes[i];
		struct fl_quota_walk walk = { 0 };
		const struct fl_quota *q;

		nodes[i] = (struct fl_hour_node){ fl_model_text(m, row->name), row->parent.v,
						  row->weight, row->kind != FL_COHORT };
		while ((q = fl_model_next_quota(m, (struct fl_node){ i }, &walk)))
			nominal[(size_t)i * m->n_resources + q->resource.v] += (double)q->nominal;
	}
	return (struct fl_hour_tree){ nodes, resources, nominal, NULL, m->n_nodes, m->n_resources };
}

static uint32_t waiting(const struct past *p)
{
	uint32_t n = 0;

	for (uint32_t w = 0; w < p->m->n_workloads; w++)
		n += state_of(&p->jobs[w]) == FL_JOB_WAITS;
	return n;
}

/* What jobs ask for that wait now. */
static void look_at_pending(const struct past *p, struct fl_hours_look *l)
{
	struct fl_run_grant grants[FL_JOB_RESOURCES];

	l->pending = room((size_t)waiting(p) * l->tree.n_resources, sizeof *l->pending);
	for (uint32_t w = 0; w < p->m->n_workloads; w++) {
		const struct fl_workload workload = { w };
		const bool waits = state_of(&p->jobs[w]) == FL_JOB_WAITS;
		const uint32_t n = waits ? asked(p, workload, grants) : 0;

		for (uint32_t i = 0; i < n; i++)
			for (uint32_t k = 0; k < l->tree.n_resources; k++)
				if (strcmp(grants[i].resource, l->tree.resources[k]) == 0)
					l->pending[l->n_pending++] = (struct fl_hours_waiting){
						queue_of(p, workload), l->tree.resources[k],
						p->jobs[w].waits, grants[i].amount
					};
	}
}

/* Up to the last hour, as the daemon would each time that one is over. */
static void sum_up(struct past *p)
{
	struct fl_tiers_work work = {
		.look = { .tree = p->tree, .now = p->at, .wall = p->at, .applied = p->at },
		.cut = FL_TIME_NONE
	};
	fairlead_error err;
	int r = 1;

	write_rows(p, 1);
	look_at_pending(p, &work.look);
	while (r > 0)
		must(r = fl_tiers_step(p->store, &work, &err), &err);
	free(work.look.pending);
}

/* --- events --- */

static int happens(void *user, const struct fl_sim *sim, const struct fl_sim_event *e,
		   fairlead_error *err)
{
	struct past *p = user;
	struct lived *job = e->workload.v == FL_NONE ? NULL : &p->jobs[e->workload.v];

	(void)sim;
	(void)err;
	if (e->at - p->summed >= DAY) {
		p->summed = p->at = e->at - e->at % DAY;
		sum_up(p);
	}
	p->at = e->at;
	switch (e->kind) {
	case FL_SIM_ARRIVED:
		note(p, (struct fl_journal_row){ .kind = FL_JOURNAL_SUBMIT,
						 .job = (uint64_t)e->workload.v + 1 });
		*job = (struct lived){ .waits = p->at,
				       .from = FL_TIME_NONE,
				       .ended = FL_TIME_NONE };
		tell(p, FL_HAPPENED_SUBMITTED, e->workload, 0, NULL, NULL);
		break;
	case FL_SIM_STARTED:
		started(p, e->workload);
		break;
	case FL_SIM_EVICTED:
		note(p, (struct fl_journal_row){ .kind = FL_JOURNAL_CYCLE });
		job->evictions++;
		job->preemptor = e->preemptor.v == FL_NONE ? 0 : (uint64_t)e->preemptor.v + 1;
		p->preemptions++;
		tell(p, FL_HAPPENED_PREEMPTED, e->workload, job->preemptor,
		     fl_reason_name(e->reason), fl_reason_sentence(e->reason));
		break;
	case FL_SIM_LET_GO:
		over(p, e->workload, FL_GO_PREEMPTED);
		job->waits = p->at;
		tell(p, FL_HAPPENED_REQUEUED, e->workload, 0, fl_go_why_name(FL_GO_PREEMPTED),
		     NULL);
		break;
	case FL_SIM_ENDED:
		job->ended = p->at;
		over(p, e->workload, FL_GO_NOT);
		tell(p, FL_HAPPENED_FINISHED, e->workload, 0, fl_job_state_name(FL_JOB_DONE), NULL);
		break;
	default:
		break;
	}
	write_rows(p, BATCH);
	return 0;
}

/* --- what there is at the end --- */

static char *spec_of(const struct past *p, const struct fl_life_row *life,
		     const struct fl_job_row *row)
{
	struct fl_job_spec spec = { .uid = row->uid,
				    .gid = row->uid,
				    .tasks = 1,
				    .time_limit = FL_NEVER,
				    .grace = FL_TIME_NONE };
	struct fl_run_grant grants[FL_JOB_RESOURCES];
	const fl_time left = life->runs - (row->started == FL_TIME_NONE ? 0 : p->at - row->started);
	char command[64];

	(void)snprintf(spec.name, sizeof spec.name, "%s", row->name);
	(void)snprintf(spec.queue, sizeof spec.queue, "%s", row->queue);
	(void)snprintf(spec.user, sizeof spec.user, "%s", row->user);
	(void)snprintf(spec.directory, sizeof spec.directory, "/");
	spec.n_requests = asked(p, life->workload, grants);
	for (uint32_t i = 0; i < spec.n_requests; i++) {
		memcpy(spec.requests[i].resource, grants[i].resource, sizeof grants->resource);
		spec.requests[i].amount = grants[i].amount;
	}
	spec.command = command;
	spec.command_len = (uint32_t)snprintf(command, sizeof command, "sleep%c%" PRId64, 0,
					      left / FL_SECOND + 1) +
			   1;
	return fl_job_text(&spec);
}

/* With all that happened to it. */
static void write_job(struct past *p, const struct fl_life_row *life)
{
	const uint32_t w = life->workload.v;
	const struct lived *job = &p->jobs[w];
	struct fl_run_grant grants[FL_JOB_RESOURCES];
	char placement[FL_PLACEMENT], user[64], *spec;
	const uint32_t number = (uint32_t)strtoul(fl_model_text(p->m, life->user), NULL, 10);
	const enum fl_job_state state = state_of(job);
	struct fl_job_row row = { .id = (uint64_t)w + 1,
				  .state = state,
				  .uid = FIRST_UID + number,
				  .user = user,
				  .name = fl_model_text(p->m, p->m->workloads[w].name),
				  .queue = fl_model_text(p->m, p->m->workloads[w].queue_name),
				  .submitted = life->arrives,
				  .started = job->from,
				  .ended = job->ended,
				  .attempt = job->attempt,
				  .evictions = job->evictions,
				  .ran = job->ran,
				  .outcome = state == FL_JOB_DONE ? FL_RUN_EXITED : -1,
				  .reason = state == FL_JOB_DONE ? "exited with status 0" : NULL };
	fairlead_error err;

	(void)snprintf(user, sizeof user, "user%u", number);
	spec = spec_of(p, life, &row);
	if (state == FL_JOB_STARTS)
		row.placement = fl_grants_text(grants, asked(p, life->workload, grants), placement);
	if (!spec)
		exit(3);
	row.spec = spec;
	must(fl_gathered_text(&p->rows, &row.spec, &err), &err);
	must(fl_gathered_add(&p->rows, FL_BATCH_NEW_JOBS, &row, &err), &err);
	free(spec);
	write_rows(p, BATCH);
}

static void write_jobs(struct past *p, uint32_t ret[FL_JOB_STATES])
{
	for (uint32_t i = 0; i < p->m->n_lives; i++) {
		ret[state_of(&p->jobs[p->m->lives[i].workload.v])]++;
		write_job(p, &p->m->lives[i]);
	}
	write_rows(p, 1);
}

/* What a daemon with this configuration would not have any more. */
static void forget(struct past *p, const struct fl_daemon_settings *s, fl_time now)
{
	const struct fl_retention keep = { .events_before = now - s->keep_events,
					   .usage_before = now - s->keep_exact,
					   .hours_before = fl_sat_sub(now, s->keep_hours),
					   .days_before = fl_sat_sub(now, s->keep_days),
					   .jobs_before = now - s->keep_jobs };
	fairlead_error err;
	int r;

	do
		must(r = fl_store_expire(p->store, &keep, &err), &err);
	while (r > 0);
}

/* --- all of it --- */

static void simulate(struct past *p, fl_time now)
{
	struct fl_policy_options options = { .mem = &fl_mem_heap, .now = FL_NEVER };
	struct fl_simulation_settings settings = fl_simulation_default;
	const struct fl_policy_ops *ops = fl_policy_of(fl_model_dialect(p->m));
	struct fl_sim_options how = { .mem = &fl_mem_heap,
				      .listeners = { { .event = happens, .user = p } },
				      .n_listeners = 1 };
	struct fl_policy *policy = NULL;
	struct fl_sim sim;
	fairlead_error err;

	for (uint32_t i = 0; i < p->m->n_lives; i++)
		options.now = fl_amount_min(options.now, p->m->lives[i].arrives);
	how.start = options.now;
	settings.until = now - options.now;
	must(ops->new (p->m, &options, &policy, &err), &err);
	must(fl_sim_init(&sim, p->m, ops, policy, &settings, &how, &err), &err);
	must(fl_sim_run(&sim, &err), &err);
	fl_sim_done(&sim);
	ops->free(policy);
	p->at = now;
}

static void make(const char *config, const char *log, const char *folder, double load)
{
	const struct fl_store_options options = { .folder = folder, .create = true };
	const struct fl_capacity nothing = { 0 };
	const fl_time now = (fl_time)time(NULL) * FL_SECOND;
	uint32_t n[FL_JOB_STATES] = { 0 };
	struct past p = { 0 };
	struct fl_config *c;
	fairlead_error err = { 0 };
	double began = now_ms();

	must(fl_config_read(config, &c, &err), &err);
	must(fl_config_model(c, &nothing, &fl_mem_heap, &p.m, &err), &err);
	read_log(p.m, log, load);
	shift(p.m, now);
	must(fl_model_seal(p.m, &err), &err);
	p.jobs = room(p.m->n_workloads, sizeof *p.jobs);
	p.tree = tree_of(p.m);
	p.summed = now;
	for (uint32_t i = 0; i < p.m->n_lives; i++)
		p.summed = fl_amount_min(p.summed, p.m->lives[i].arrives);
	fl_gathered_init(&p.rows);
	must(fl_store_open(&options, &p.store, &err), &err);
	simulate(&p, now);
	write_jobs(&p, n);
	sum_up(&p);
	forget(&p, fl_config_settings(c), now);
	printf("{\"jobs\":%u,\"done\":%u,\"running\":%u,\"waiting\":%u,\"preemptions\":%" PRIu64
	       ",\"rows\":%" PRIu64 ",\"megabytes\":%.0f,\"seconds\":%.0f}\n",
	       p.m->n_lives, n[FL_JOB_DONE], n[FL_JOB_STARTS], n[FL_JOB_WAITS], p.preemptions,
	       p.seq, (double)fl_store_bytes(p.store) / 1e6, (now_ms() - began) / 1e3);
	(void)fl_store_close(p.store);
	fl_gathered_done(&p.rows);
	fl_model_free(p.m);
	fl_config_free(c);
	free((void *)p.tree.nodes);
	free((void *)p.tree.nominal);
	free((void *)p.tree.resources);
	free(p.jobs);
}

int main(int argc, char **argv)
{
	if (argc < 4 || argc > 5) {
		fprintf(stderr, "usage: past CONFIG LOG FOLDER [LOAD]\n");
		return 2;
	}
	make(argv[1], argv[2], argv[3], argc > 4 ? strtod(argv[4], NULL) : 1);
	return 0;
}
