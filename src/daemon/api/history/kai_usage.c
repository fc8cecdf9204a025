/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/history/kai_usage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "codec/kai/usage_query.h"
#include "daemon/api/history/weighed_store.h"
#include "daemon/engine/daemon.h"
#include "net/body/form.h"

/* A window is at least this long, or a step of it. */
static const fl_time SHORTEST = FL_SECOND;

/* One question that reads the store. */
struct asking {
	struct fl_call call;
	struct fl_usage_query query;
	struct fl_weighed_question question;
	struct asking *next;
	struct fl_names names; /* of queues */
	double *held;          /* by symbol; amounts times nanoseconds */
	uint32_t cap;
	int code;
	fairlead_error err;
};

struct fl_kai_usage {
	struct fl_weighed_past *past;
	fl_time ahead; /* of the daemon's time: the wall clock */
	uv_work_t work;
	struct asking *first, **last; /* the first one is under way */
	uint32_t n;
};

/* --- parameters --- */

enum { PARAMETER = FL_USAGE_QUERY + 1, PARAMETERS = 5 };

struct parameters {
	const char *names[PARAMETERS];
	char values[PARAMETERS][PARAMETER];
	bool given[PARAMETERS];
	bool twice;
};

static const char *const names_of_query[PARAMETERS] = { "query", "time" };
static const char *const names_of_range[PARAMETERS] = { "query", "start", "end", "step" };

/* false: it has no such name, or came before, or is too long. */
static bool take_parameter(void *user, const char *name, const char *value)
{
	struct parameters *p = user;

	for (uint32_t i = 0; i < PARAMETERS && p->names[i]; i++) {
		if (strcmp(p->names[i], name) != 0)
			continue;
		if (p->given[i] || strlen(value) >= PARAMETER)
			return false;
		p->given[i] = true;
		(void)strcpy(p->values[i], value);
		return true;
	}
	return false;
}

static bool take_all(const struct fl_call *call, bool by_form, struct parameters *p)
{
	for (uint32_t i = 0; i < PARAMETERS && p->names[i]; i++) {
		const char *value = fl_request_argument(call->r, p->names[i]);

		if (value && !take_parameter(p, p->names[i], value))
			return false;
	}
	return !by_form || call->r->body_len == 0 || fl_request_form(call->r, take_parameter, p);
}

static const char *value_of(const struct parameters *p, const char *name)
{
	for (uint32_t i = 0; i < PARAMETERS && p->names[i]; i++)
		if (p->given[i] && strcmp(p->names[i], name) == 0)
			return p->values[i];
	return NULL;
}

static bool read_query(const struct fl_call *call, bool range, bool by_form,
		       struct fl_usage_query *ret)
{
	struct parameters p = { 0 };
	struct fl_usage_asked asked = { .range = range };
	fairlead_error err = { 0 };

	memcpy(p.names, range ? names_of_range : names_of_query, sizeof p.names);
	if (!take_all(call, by_form, &p)) {
		fl_api_fail(call, 400, "the parameters are none that are understood here",
			    range ? "query, start, end and step, each once, as a form" :
				    "query and time, each once, as a form");
		return false;
	}
	asked.query = value_of(&p, "query");
	asked.time = value_of(&p, "time");
	asked.start = value_of(&p, "start");
	asked.end = value_of(&p, "end");
	asked.step = value_of(&p, "step");
	if (fl_usage_query_read(&asked, fl_api_now(call->api), ret, &err) == 0)
		return true;
	fl_api_error(call, &err);
	return false;
}

/*
 * How far the wall clock is ahead of the daemon's time.  Two clocks cannot be read at once, and the same
 * question shall have the same answer: so a difference of less than a millisecond is none.
 */
static fl_time ahead_now(struct fl_kai_usage *k, const struct fl_clock *clock)
{
	const fl_time now = fl_clock_now(clock), ahead = fl_clock_wall(clock, now) - now;

	if (llabs(ahead - k->ahead) > FL_SECOND / 1000)
		k->ahead = ahead;
	return k->ahead;
}

/*
 * In the daemon's time; a time to come is now.  KAI's window that has not begun is a range of some hundred
 * nanoseconds, another one for each of the six questions of a fetch: so it is SHORTEST long (or a step, if
 * that is shorter), and what was held and what there was are of the same length.
 */
static struct fl_weighed_question question_of(const struct fl_api *a,
					      const struct fl_usage_query *q)
{
	const struct fl_clock *clock = &a->daemon->clock;
	const fl_time ahead = ahead_now(a->kai_usage, clock), now = fl_clock_now(clock);
	struct fl_weighed_question ret = {
		.resource = fl_weighed_resource(q->metric->resource),
		.from = fl_amount_min(fl_sat_sub(q->from, ahead), now),
		.to = fl_amount_min(fl_sat_sub(q->to, ahead), now),
		.half_life = q->half_life,
		.now = fl_sat_sub(q->now, ahead),
	};

	ret.from = fl_amount_min(ret.from, fl_sat_sub(ret.to, fl_amount_min(q->step, SHORTEST)));
	return ret;
}

/* --- the answer --- */

static double value_of_sum(const struct fl_usage_query *q, double sum)
{
	return sum / ((double)q->step * q->metric->unit);
}

/* As a Prometheus writes a time: milliseconds, where there are any. */
static void put_time(struct fl_json *j, fl_time t)
{
	const int64_t ms = t / (FL_SECOND / 1000);
	char text[32];
	int n = snprintf(text, sizeof text, ms % 1000 ? "%lld.%03lld" : "%lld",
			 (long long)(ms / 1000), (long long)(ms % 1000));

	fl_json_raw(j, NULL, text, (size_t)n);
}

static void put_row(struct fl_json *j, const char *queue, fl_time at, double value)
{
	char digits[32];

	fl_json_object(j, NULL);
	fl_json_object(j, "metric");
	if (queue)
		fl_json_text(j, "queue_name", queue);
	fl_json_end_object(j);
	fl_json_list(j, "value");
	put_time(j, at);
	fl_json_text(j, NULL, isinf(value) ? "+Inf" : fl_json_digits(value, digits));
	fl_json_end_list(j);
	fl_json_end_object(j);
}

static int begin_vector(struct fl_api_text *t, fairlead_error *err)
{
	int r = fl_api_text_begin(t, err);

	if (r < 0)
		return r;
	fl_json_object(&t->json, NULL);
	fl_json_text(&t->json, "status", "success");
	fl_json_object(&t->json, "data");
	fl_json_text(&t->json, "resultType", "vector");
	fl_json_list(&t->json, "result");
	return 0;
}

static void end_vector(const struct fl_call *call, struct fl_api_text *t)
{
	fl_json_end_list(&t->json);
	fl_json_end_object(&t->json);
	fl_json_end_object(&t->json);
	fl_api_text_end(call, 200, t);
}

/* --- what there was --- */

static void answer_capacity(struct fl_call *call, const struct fl_usage_query *query,
			    const struct fl_weighed_question *q)
{
	const struct fl_daemon *d = call->api->daemon;
	struct fl_weighed_capacity *rows = NULL;
	uint32_t n = 0;
	struct fl_api_text t;
	fairlead_error err;
	double sum;
	int r = d->ops->capacities ? d->ops->capacities(d, &rows, &n, &err) : 0;

	if (r == 0)
		r = begin_vector(&t, &err);
	if (r == 0) {
		if (fl_weighed_capacity(rows, n, q->resource, q->from, q->to, q->now, q->half_life,
					&sum))
			put_row(&t.json, NULL, query->to, value_of_sum(query, sum));
		end_vector(call, &t);
	} else {
		fl_api_error(call, &err);
	}
	free(rows);
}

/* --- what queues held --- */

static int hold(struct asking *a, const char *queue, double held, fairlead_error *err)
{
	const uint32_t was = a->cap;
	struct fl_sym sym;
	int r = fl_names_add(&a->names, queue, strlen(queue), &sym, err);

	if (r == 0)
		r = fl_mem_grow(&fl_mem_heap, &a->held, &a->cap, sym.v + 1, sizeof *a->held, err);
	if (r < 0)
		return r;
	for (uint32_t i = was; i < a->cap; i++)
		a->held[i] = 0;
	a->held[sym.v] += held;
	return 0;
}

static int hold_of(void *to, const char *queue, double held, fairlead_error *err)
{
	return hold(to, queue, held, err);
}

static void ask_on_thread(uv_work_t *work)
{
	const struct fl_kai_usage *k = work->data;
	struct asking *a = k->first;

	a->code = fl_weighed_past_ask(k->past, &a->question, hold_of, a, &a->err);
}

static int by_name(const void *ctx, uint32_t a, uint32_t b)
{
	return fl_names_cmp(ctx, (struct fl_sym){ a }, (struct fl_sym){ b });
}

/* Symbols of those that held something, by name. */
static int in_order(const struct asking *a, uint32_t **ret, uint32_t *ret_n, fairlead_error *err)
{
	uint32_t *ids = malloc((2 * (size_t)a->names.n + 1) * sizeof *ids), n = 0;

	*ret = ids;
	if (!ids)
		return fl_fail_nomem(err);
	for (uint32_t i = 0; i < a->names.n && i < a->cap; i++)
		if (a->held[i] > 0)
			ids[n++] = i;
	fl_sort(ids, n, ids + a->names.n, by_name, &a->names);
	*ret_n = n;
	return 0;
}

/* What a queue held is added to those above it, as these are now. */
static int add_to_above(struct asking *a, const struct fl_model *m, struct fl_node queue,
			double held, fairlead_error *err)
{
	int r = 0;

	/* Parents may form a loop: no more steps than nodes. */
	for (uint32_t i = 0; i < m->n_nodes && queue.v != FL_NONE && r == 0; i++) {
		queue = m->nodes[queue.v].parent;
		if (queue.v != FL_NONE)
			r = hold(a, fl_model_text(m, m->nodes[queue.v].name), held, err);
	}
	return r;
}

/* By name, so that a sum of several is the same to the last bit. Queues of Kueue have none above them. */
static int add_above(struct asking *a, const struct fl_model *m, fairlead_error *err)
{
	uint32_t *order, n = 0;
	double *own = NULL;
	int r = in_order(a, &order, &n, err);

	if (r == 0 && !(own = malloc((n + 1) * sizeof *own)))
		r = fl_fail_nomem(err);
	for (uint32_t i = 0; i < n && r == 0; i++)
		own[i] = a->held[order[i]];
	for (uint32_t i = 0; i < n && r == 0; i++) {
		const char *name = fl_names_text(&a->names, (struct fl_sym){ order[i] });

		r = add_to_above(a, m, fl_model_find_node(m, FL_QUEUE, name), own[i], err);
	}
	free(own);
	free(order);
	return r;
}

static void answer(struct asking *a)
{
	struct fl_live_view view;
	struct fl_api_text t;
	uint32_t *order = NULL, n = 0;

	fl_daemon_view(a->call.api->daemon, &view);
	if (a->code == 0)
		a->code = add_above(a, view.model, &a->err);
	if (a->code == 0)
		a->code = in_order(a, &order, &n, &a->err);
	if (a->code == 0)
		a->code = begin_vector(&t, &a->err);
	for (uint32_t i = 0; i < n && a->code == 0; i++)
		put_row(&t.json, fl_names_text(&a->names, (struct fl_sym){ order[i] }), a->query.to,
			value_of_sum(&a->query, a->held[order[i]]));
	if (a->code == 0)
		end_vector(&a->call, &t);
	else
		fl_api_error(&a->call, &a->err);
	free(order);
}

static void done(uv_work_t *work, int status);

/* Answers the first one, on a thread. */
static void ask_first(struct fl_kai_usage *k)
{
	struct fl_api *api = k->first->call.api;

	k->work.data = k;
	if (uv_queue_work(api->options.loop, &k->work, ask_on_thread, done) == 0)
		return;
	k->first->code = fl_fail(&k->first->err, FAIRLEAD_EIO, "no thread could be started");
	done(&k->work, 0);
}

static void done(uv_work_t *work, int status)
{
	struct fl_kai_usage *k = work->data;
	struct asking *a = k->first;

	(void)status;
	answer(a);
	k->first = a->next;
	k->n--;
	if (!k->first)
		k->last = &k->first;
	fl_names_done(&a->names);
	fl_mem_free(&fl_mem_heap, a->held);
	free(a);
	if (k->first)
		ask_first(k);
}

static void ask_held(struct fl_call *call, const struct fl_usage_query *query,
		     const struct fl_weighed_question *q)
{
	struct fl_kai_usage *k = call->api->kai_usage;
	struct asking *a;

	if (k->n > FL_KAI_USAGE_WAITING) {
		fl_api_fail(call, 503, "too many questions are thought about at once",
			    "try again in a moment");
		return;
	}
	a = calloc(1, sizeof *a);
	if (!a || fl_names_init(&a->names, &fl_mem_heap, NULL) < 0) {
		free(a);
		fl_api_fail(call, 503, "out of memory", NULL);
		return;
	}
	a->call = *call;
	a->query = *query;
	a->question = *q;
	*k->last = a;
	k->last = &a->next;
	if (k->n++ == 0)
		ask_first(k);
}

/* --- begin and end --- */

static int begin(struct fl_api *a, fairlead_error *err)
{
	const struct fl_weighed_source source = fl_weighed_source_of(a->daemon->store);
	struct fl_kai_usage *k;
	int r;

	if (a->kai_usage)
		return 0;
	k = calloc(1, sizeof *k);
	r = k ? fl_weighed_past_new(&source, &k->past, err) : fl_fail_nomem(err);
	if (r < 0) {
		free(k);
		return r;
	}
	k->last = &k->first;
	a->kai_usage = k;
	return 0;
}

void fl_api_kai_usage_free(struct fl_api *a)
{
	if (!a->kai_usage)
		return;
	fl_weighed_past_free(a->kai_usage->past);
	free(a->kai_usage);
	a->kai_usage = NULL;
}

static void ask(struct fl_call *call, bool range, bool by_form)
{
	struct fl_usage_query query;
	struct fl_weighed_question q;
	fairlead_error err = { 0 };

	if (!read_query(call, range, by_form, &query))
		return;
	if (begin(call->api, &err) < 0) {
		fl_api_error(call, &err);
		return;
	}
	q = question_of(call->api, &query);
	if (query.metric->capacity)
		answer_capacity(call, &query, &q);
	else
		ask_held(call, &query, &q);
}

void fl_api_kai_query(struct fl_call *call) { ask(call, /* range= */ false, /* by_form= */ false); }
void fl_api_kai_query_by_form(struct fl_call *call)
{
	ask(call, /* range= */ false, /* by_form= */ true);
}
void fl_api_kai_query_range(struct fl_call *call)
{
	ask(call, /* range= */ true, /* by_form= */ false);
}
void fl_api_kai_query_range_by_form(struct fl_call *call)
{
	ask(call, /* range= */ true, /* by_form= */ true);
}
