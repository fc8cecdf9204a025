/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events - past events, one a line, and new ones as they happen
 *
 * A follower first gets the events of the store, a page at a time and as fast as it reads, then
 * those not written there yet, and from then on each event when it happens.  The numbers of events
 * rise, so none is sent twice and none is left out; a follower whose buffer is full is served from
 * the store again.
 */
#include "daemon/api/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "daemon/machine/view.h"

enum { PAGE = 500, LINE = 8192 };

struct events {
	struct fl_api *api;
	struct fl_exchange *x;
	char *queue, *kind; /* NULL: any */
	uint64_t job;
	fl_time since; /* 0: any */
	uint64_t seq;  /* of the last event that was sent, or passed over */
	uint32_t n;
	uint64_t left; /* how many events may still be sent */
	bool follow, live, full, failed;
	struct fl_follower follower;
	bool follows;
};

static void events_free(struct events *e)
{
	if (e->follows)
		fl_core_unfollow(e->api->core, &e->follower);
	free(e->queue);
	free(e->kind);
	free(e);
}

static struct fl_event_filter filter_of(const struct events *e)
{
	return (struct fl_event_filter){ .after_seq = e->seq,
					 .after_n = e->n,
					 .job = e->job,
					 .queue = e->queue,
					 .kind = e->kind,
					 .since = e->since,
					 .limit = PAGE };
}

static bool is_wanted(const struct events *e, const struct fl_event_row *row)
{
	return (!e->job || row->job == e->job) && row->at >= e->since &&
	       (!e->queue || (row->queue && strcmp(row->queue, e->queue) == 0)) &&
	       (!e->kind || strcmp(row->kind, e->kind) == 0);
}

/* In api->line; false: it cannot be made. */
static bool make_line(const struct events *e, const struct fl_event_row *row)
{
	struct fl_api *a = e->api;
	struct fl_event_answer one = { .row = *row };
	struct fl_api_text text;

	if (a->line.text && a->line.seq == row->seq && a->line.n == row->n)
		return true;
	free(a->line.text);
	a->line.text = NULL;
	if (fl_api_text_begin(&text, NULL) < 0)
		return false;
	(void)snprintf(one.id, sizeof one.id, "%llu.%u", (unsigned long long)row->seq, row->n);
	one.row.at = fl_api_wall(a, row->at);
	text.json.ascii = true;
	fl_shape_json(&text.at, NULL, &fl_event_shape, &one);
	putc('\n', text.report.out);
	if (fl_api_text_close(&text, NULL) < 0) {
		fl_api_text_done(&text);
		return false;
	}
	a->line.seq = row->seq;
	a->line.n = row->n;
	a->line.text = text.text;
	a->line.len = text.len;
	return true;
}

/* False: there is no room, and the event was not sent. */
static bool tell(struct events *e, const struct fl_event_row *row)
{
	const struct fl_api *a = e->api;

	if (row->seq < e->seq || (row->seq == e->seq && row->n <= e->n))
		return true; /* sent already */
	if (e->left > 0 && is_wanted(e, row)) {
		if (make_line(e, row) && !fl_exchange_write(e->x, a->line.text, a->line.len)) {
			e->full = true;
			return false;
		}
		e->left--;
	}
	e->seq = row->seq;
	e->n = row->n;
	return true;
}

static int page_row(void *user, const struct fl_event_row *row, fairlead_error *err)
{
	(void)err;
	return tell(user, row) ? 0 : FAIRLEAD_ESTATE;
}

static void unwritten_row(void *user, const struct fl_event_row *row)
{
	struct events *e = user;

	if (!e->full)
		(void)tell(e, row);
}

static void finish(struct events *e)
{
	fl_exchange_end(e->x);
	events_free(e);
}

/* Events of the store, then those not written there yet; true: all of them were sent. */
static bool catch_up(struct events *e)
{
	for (bool more = true; more && !e->full && e->left > 0;) {
		const struct fl_event_filter filter = filter_of(e);
		uint64_t seq = e->seq;
		uint32_t n = e->n;
		int code = fl_store_events(fl_core_store(e->api->core), &filter, page_row, e, NULL);

		if (code < 0 && !e->full) {
			e->left =
				0; /* the store cannot be read: what was sent so far stays right */
			return true;
		}
		more = e->seq != seq || e->n != n;
	}
	if (!e->full && e->left > 0)
		fl_core_unwritten(e->api->core, unwritten_row, e);
	return !e->full;
}

static void go_on(struct events *e)
{
	e->live = catch_up(e);
	if (e->live && (!e->follow || e->left == 0))
		finish(e);
}

static void happened(void *user, const struct fl_event_row *row)
{
	struct events *e = user;

	if (!e->live)
		return; /* the event is read from the store when there is room again */
	e->live = tell(e, row);
	if (e->live && e->left == 0)
		finish(e);
}

static void drained(void *user)
{
	struct events *e = user;

	e->full = false;
	go_on(e);
}

static void gone(void *user) { events_free(user); }

/* "17.3": the events after that one; "17": those after all of 17. */
static bool parse_after(const struct fl_call *call, struct events *e)
{
	const char *text = fl_request_argument(call->r, "after");
	unsigned long long seq = 0;
	unsigned n = 0;
	int end = 0;

	if (!text)
		return true;
	if (*text >= '0' && *text <= '9' && strlen(text) < 32) {
		if (sscanf(text, "%llu.%u%n", &seq, &n, &end) == 2 && !text[end]) {
			e->seq = seq;
			e->n = n;
			return true;
		}
		if (sscanf(text, "%llu%n", &seq, &end) == 1 && !text[end]) {
			e->seq = seq;
			e->n = UINT32_MAX;
			return true;
		}
	}
	fl_api_fail(call, 400, "'after' is the id of an event, such as 17.0", NULL);
	return false;
}

/* An unknown kind is refused: a follower would wait for it for ever. */
static bool check_kind(const struct fl_call *call)
{
	static const char *const kinds[] = {
#define FL_HAPPENED(id, name, meaning) name,
#include "daemon/engine/event.def"
#undef FL_HAPPENED
	};
	const char *kind = fl_request_argument(call->r, "kind");
	struct fl_nearest near = { .wanted = kind };
	char text[128], hint[400], names[300];

	if (!kind || !*kind)
		return true;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (strcmp(kinds[i], kind) == 0)
			return true;
		fl_nearest_offer(&near, kinds[i]);
	}
	(void)snprintf(text, sizeof text, "there are no events of kind '%.60s'", kind);
	(void)snprintf(hint, sizeof hint, "did you mean %s?",
		       near.n ? fl_nearest_text(&near, names, sizeof names) : "Preempted");
	fl_api_fail(call, 400, text, hint);
	return false;
}

static bool copy(const struct fl_call *call, const char *name, char **ret)
{
	const char *text = fl_request_argument(call->r, name);

	*ret = text && *text ? strdup(text) : NULL;
	return !text || !*text || *ret;
}

static int note(void *user, const struct fl_event_row *row, fairlead_error *err)
{
	struct events *e = user;

	(void)err;
	e->seq = row->seq;
	e->n = row->n;
	return 0;
}

static void note_unwritten(void *user, const struct fl_event_row *row)
{
	(void)note(user, row, NULL);
}

/* A follower starts behind the newest event. */
static void begin_at_end(struct events *e)
{
	const struct fl_event_filter last = { .limit = 1, .newest_first = true };

	(void)fl_store_events(fl_core_store(e->api->core), &last, note, e, NULL);
	fl_core_unwritten(e->api->core, note_unwritten, e);
}

/* To find the last events; `e` stands at the newest event of the store at the first look. */
struct last {
	struct events *e;
	uint64_t seq; /* of the oldest event to send; 0: none is in the store */
	uint32_t n;
	uint64_t unwritten; /* wanted events that the store did not have */
	uint64_t skip;      /* of these, how many are not among the last ones */
	uint64_t written;   /* of those in the store, how many are, if there are so many */
};

static bool is_newer(const struct events *than, const struct fl_event_row *row)
{
	return row->seq > than->seq || (row->seq == than->seq && row->n > than->n);
}

static void count_unwritten(void *user, const struct fl_event_row *row)
{
	struct last *l = user;

	l->unwritten += is_newer(l->e, row) && is_wanted(l->e, row);
}

static void skip_unwritten(void *user, const struct fl_event_row *row)
{
	struct last *l = user;

	if (l->skip > 0 && is_newer(l->e, row) && is_wanted(l->e, row)) {
		l->skip--;
		(void)note(l->e, row, NULL);
	}
}

/* Newest first; events written meanwhile were counted already. */
static int find_oldest(void *user, const struct fl_event_row *row, fairlead_error *err)
{
	struct last *l = user;

	(void)err;
	if (l->written > 0 && !is_newer(l->e, row)) {
		l->written--;
		l->seq = row->seq;
		l->n = row->n;
	}
	return 0;
}

/* Without `follow`: the last events, from right before the oldest of them. */
static void begin_with_last(struct events *e)
{
	const struct fl_event_filter newest = { .limit = 1, .newest_first = true };
	struct fl_event_filter last = filter_of(e);
	struct last l = { .e = e };

	(void)fl_store_events(fl_core_store(e->api->core), &newest, note, e, NULL);
	fl_core_unwritten(e->api->core, count_unwritten, &l);
	if (l.unwritten >= e->left) {
		l.skip = l.unwritten - e->left;
		fl_core_unwritten(e->api->core, skip_unwritten, &l);
		return;
	}
	l.written = e->left - l.unwritten;
	last.newest_first = true;
	last.limit = e->left < UINT32_MAX ? (uint32_t)e->left : UINT32_MAX;
	(void)fl_store_events(fl_core_store(e->api->core), &last, find_oldest, &l, NULL);
	e->seq = l.seq;
	e->n = l.n;
	if (e->n > 0) {
		e->n--;
	} else if (e->seq > 0) {
		e->seq--;
		e->n = UINT32_MAX;
	}
}

static bool arguments(const struct fl_call *call, struct events *e)
{
	e->follow = fl_api_flag(call, "follow");
	if (!fl_api_number(call, "job", 0, INT64_MAX, &e->job) ||
	    !fl_api_number(call, "limit", e->follow ? UINT64_MAX : PAGE, UINT64_MAX, &e->left) ||
	    !fl_api_time(call, "since", 0, &e->since) || !check_kind(call) || !parse_after(call, e))
		return false;
	if (!copy(call, "queue", &e->queue) || !copy(call, "kind", &e->kind)) {
		fl_api_fail(call, 503, "out of memory", NULL);
		return false;
	}
	if (fl_request_argument(call->r, "after"))
		return true;
	if (!e->follow)
		begin_with_last(e);
	else if (!e->since)
		begin_at_end(e);
	return true;
}

void fl_api_events(struct fl_call *call)
{
	struct events *e = calloc(1, sizeof *e);
	const struct fl_stream_callbacks callbacks = { drained, gone, e };

	if (!e) {
		fl_api_fail(call, 503, "out of memory", NULL);
		return;
	}
	e->api = call->api;
	e->x = call->x;
	if (!arguments(call, e)) {
		events_free(e);
		return;
	}
	fl_exchange_begin(call->x, 200, "application/x-ndjson", &callbacks);
	if (e->follow) {
		e->follower = (struct fl_follower){ .event = happened, .user = e };
		fl_core_follow(e->api->core, &e->follower);
		e->follows = true;
	}
	go_on(e);
}
