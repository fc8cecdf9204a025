/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_render - figures as text (Prometheus' text format, version 0.0.4) */
#include "daemon/metrics/metrics_render.h"

#include <stdio.h>
#include <stdlib.h>

#include "daemon/metrics/lines.h"
#include "daemon/metrics/nodes.h"

const char fl_metrics_type[] = "text/plain; version=0.0.4; charset=utf-8";

/* --- counters by queue --- */

static void put_ended(const struct fl_rendering *r, enum fl_metric id,
		      const struct fl_queue_counts *c, const char *name)
{
	for (int s = FL_JOB_DONE; s < FL_JOB_STATES; s++)
		if (c->ended[s])
			fl_metrics_put(r, id, "",
				       (const char *[]){ name,
							 fl_job_state_name((enum fl_job_state)s) },
				       NULL, (double)c->ended[s]);
}

static void put_by_reason(const struct fl_rendering *r, enum fl_metric id, const char *name,
			  const uint64_t counts[FL_REASONS])
{
	for (int s = 0; s < FL_REASONS; s++)
		if (counts[s])
			fl_metrics_put(r, id, "",
				       (const char *[]){ name, fl_reason_name((enum fl_reason)s) },
				       NULL, (double)counts[s]);
}

static void put_counts(const struct fl_rendering *r, enum fl_metric id)
{
	for (uint32_t i = 0; i <= r->m->n; i++) {
		bool rest = i == r->m->n;
		const struct fl_queue_counts *c = rest ? &r->m->others : r->m->queues[i];
		const char *values[] = { rest ? fl_metrics_other : c->name };

		if (id == FL_METRIC_SUBMITTED && c->submitted)
			fl_metrics_put(r, id, "", values, NULL, (double)c->submitted);
		else if (id == FL_METRIC_LOST && c->lost)
			fl_metrics_put(r, id, "", values, NULL, (double)c->lost);
		else if (id == FL_METRIC_WAIT && c->wait.n)
			fl_metrics_put_histogram(r, id, values, &c->wait);
		else if (id == FL_METRIC_ENDED)
			put_ended(r, id, c, *values);
		else if (id == FL_METRIC_PREEMPTIONS)
			put_by_reason(r, id, *values, c->preempted);
		else if (id == FL_METRIC_PREEMPTS)
			put_by_reason(r, id, *values, c->preempts);
	}
}

/* --- role scheduler --- */

static void put_writing(const struct fl_rendering *r, enum fl_metric id,
			const struct fl_daemon_writing *w)
{
	static const char *const results[FL_WRITTENS] = { "done", "conflict", "rejected",
							  "retried" };
	static const char *const tellings[FL_TELLINGS] = { "done", "rejected", "dropped" };

	if (id == FL_METRIC_LEADER)
		fl_metrics_put_plain(r, id, w->leads);
	else if (id == FL_METRIC_INTENTS)
		fl_metrics_put_plain(r, id, w->intents);
	else if (id == FL_METRIC_TREES_STOPPED)
		fl_metrics_put_plain(r, id, w->stopped);
	else if (id == FL_METRIC_INTENT_OLDEST)
		fl_metrics_put_plain(r, id, (double)w->oldest / (double)FL_SECOND);
	for (int i = 0; i < FL_WRITTENS && id == FL_METRIC_WRITES; i++)
		fl_metrics_put(r, id, "", &results[i], NULL, (double)w->writes[i]);
	for (int i = 0; i < FL_TELLINGS && id == FL_METRIC_KUBE_EVENTS; i++)
		fl_metrics_put(r, id, "", &tellings[i], NULL, (double)w->tellings[i]);
}

/* --- the whole page --- */

static double of_vitals(enum fl_metric id, const struct fl_vitals *v)
{
	switch (id) {
	case FL_METRIC_OPEN_FDS:
		return v->open_fds;
	case FL_METRIC_MAX_FDS:
		return v->max_fds;
	case FL_METRIC_RESIDENT:
		return v->resident_bytes;
	case FL_METRIC_VIRTUAL:
		return v->virtual_bytes;
	case FL_METRIC_CPU:
		return v->cpu_seconds;
	default:
		return v->started;
	}
}

/* Unknown values are left out. */
static void put_process(const struct fl_rendering *r, enum fl_metric id)
{
	double v = of_vitals(id, &r->now->vitals);

	if (v >= 0)
		fl_metrics_put_plain(r, id, v);
}

static void put_turned_away(const struct fl_rendering *r, enum fl_metric id)
{
	static const char *const reasons[FL_AWAYS] = {
		[FL_AWAY_FULL] = "full",         [FL_AWAY_SHARE] = "share",
		[FL_AWAY_STRANGER] = "stranger", [FL_AWAY_DESCRIPTORS] = "descriptors",
		[FL_AWAY_MEMORY] = "memory",     [FL_AWAY_HANDSHAKES] = "handshakes",
	};

	for (int i = 0; i < FL_AWAYS; i++)
		fl_metrics_put(r, id, "", &reasons[i], NULL, (double)r->now->server.turned_away[i]);
}

static void put_door(const struct fl_rendering *r, enum fl_metric id)
{
	const struct fl_server_figures *server = &r->now->server;

	switch (id) {
	case FL_METRIC_REQUESTS:
		fl_metrics_put_plain(r, id, (double)server->requests);
		break;
	case FL_METRIC_REFUSED:
		fl_metrics_put_plain(r, id, (double)server->refused);
		break;
	case FL_METRIC_CONNECTIONS:
		fl_metrics_put_plain(r, id, server->connections);
		break;
	case FL_METRIC_TURNED_AWAY:
		put_turned_away(r, id);
		break;
	case FL_METRIC_GAVE_WAY:
		fl_metrics_put_plain(r, id, (double)server->gave_way);
		break;
	case FL_METRIC_HANDSHAKES:
		fl_metrics_put_plain(r, id, (double)server->handshakes_failed);
		break;
	case FL_METRIC_WITHOUT_TOKEN:
		fl_metrics_put_plain(r, id, (double)server->without_token);
		break;
	default:
		put_process(r, id);
		break;
	}
}

static void put_daemon(const struct fl_rendering *r, enum fl_metric id)
{
	const struct fl_metrics_now *now = r->now;

	switch (id) {
	case FL_METRIC_BUILD:
		fl_metrics_put(r, id, "", (const char *[]){ FAIRLEAD_VERSION, now->view.ops->name },
			       NULL, 1);
		break;
	case FL_METRIC_STARTED:
		fl_metrics_put_plain(r, id, (double)now->started / (double)FL_SECOND);
		break;
	case FL_METRIC_LOOPS:
		fl_metrics_put_plain(r, id, (double)r->m->loops);
		break;
	case FL_METRIC_LEADER:
	case FL_METRIC_INTENTS:
	case FL_METRIC_INTENT_OLDEST:
	case FL_METRIC_TREES_STOPPED:
	case FL_METRIC_WRITES:
	case FL_METRIC_KUBE_EVENTS:
		if (now->writes)
			put_writing(r, id, &now->writing);
		break;
	case FL_METRIC_CYCLE:
		fl_metrics_put_histogram(r, id, NULL, &r->m->cycle);
		break;
	case FL_METRIC_GENERATION:
		fl_metrics_put_histogram(r, id, NULL, &r->m->generation);
		break;
	case FL_METRIC_COMMIT:
		fl_metrics_put_histogram(r, id, NULL, &r->m->commit);
		break;
	case FL_METRIC_COMMITTED:
		fl_metrics_put_plain(r, id, (double)r->m->rows);
		break;
	case FL_METRIC_STORE_BYTES:
		fl_metrics_put_plain(r, id, (double)now->store_bytes);
		break;
	case FL_METRIC_STORE_FAILS:
		fl_metrics_put_plain(r, id, now->store_fails);
		break;
	case FL_METRIC_STORE_DAMAGED:
		fl_metrics_put_plain(r, id, (double)now->store_damaged);
		break;
	case FL_METRIC_STORE_CUT:
		fl_metrics_put_plain(r, id, (double)now->store_cut);
		break;
	case FL_METRIC_STORE_ERRORS:
		fl_metrics_put_plain(r, id, (double)r->m->store_errors);
		break;
	case FL_METRIC_WATCH_STALE:
		if (now->stale >= 0)
			fl_metrics_put_plain(r, id, now->stale);
		break;
	case FL_METRIC_RESTORED:
		fl_metrics_put_plain(r, id, now->restored);
		break;
	default:
		put_door(r, id);
		break;
	}
}

static void put_metric(struct fl_rendering *r, enum fl_metric id)
{
	if (fl_metrics_put_nodes(r, id))
		return;
	switch (id) {
	case FL_METRIC_SUBMITTED:
	case FL_METRIC_LOST:
	case FL_METRIC_ENDED:
	case FL_METRIC_WAIT:
	case FL_METRIC_PREEMPTIONS:
	case FL_METRIC_PREEMPTS:
		put_counts(r, id);
		break;
	default:
		put_daemon(r, id);
		break;
	}
}

static int render(struct fl_rendering *r)
{
	int code = fl_metrics_look(r);

	for (int i = 0; i < FL_METRICS && code == 0; i++) {
		const struct fl_metric_row *row = &fl_metric_rows[i];

		fprintf(r->out, "# HELP %s %s\n# TYPE %s %s\n", row->name, row->help, row->name,
			row->type);
		put_metric(r, (enum fl_metric)i);
	}
	return code;
}

int fl_metrics_render(const struct fl_metrics *m, const struct fl_metrics_now *now, char **ret,
		      size_t *ret_len, fairlead_error *err)
{
	struct fl_rendering r = {
		.m = m,
		.now = now,
		.model = now->view.model,
		.err = err,
		.face = fl_daemon_face_of(now->view.ops),
	};
	char *text = NULL;
	size_t len = 0;
	bool failed;
	int code;

	r.out = open_memstream(&text, &len);
	if (!r.out)
		return fl_fail_nomem(err);
	fl_arena_init(&r.arena, &fl_mem_heap);
	code = render(&r);
	fl_arena_done(&r.arena);
	failed = ferror(r.out);
	failed |= fclose(r.out) != 0;
	if (code == 0 && failed)
		code = fl_fail_nomem(err);
	if (code < 0) {
		free(text);
		return code;
	}
	*ret = text;
	*ret_len = len;
	return 0;
}
