/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events - past events and new ones as they happen, as lines of JSON or as server-sent events
 *
 * A follower first gets the events of the store, a page at a time and as fast as it reads, then
 * those not written there yet, and from then on each event when it happens.  The numbers of events
 * rise, so none is sent twice and none is left out; a follower whose buffer is full is served from
 * the store again.
 *
 * Server-sent events are those of the HTML standard, as a browser's EventSource reads them: it
 * connects again by itself, and names the last id that it has got.
 */
#include "daemon/api/history/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "daemon/api/filter.h"
#include "daemon/engine/daemon.h"
#include "net/exchange.h"
#include "store/store.h"

enum {
	PAGE = 500,
	KEEP_ALIVE_MS = 15 * 1000, /* proxies close what is silent for a minute */
	RETRY_MS = 3000,           /* after so long a client connects again */
	GATHER_MS = 100, /* server-sent events that come sooner after others go together */
};

struct events {
	struct fl_api *api;
	struct fl_exchange *x;
	char *queue, *kind; /* NULL: any */
	uint64_t job;
	fl_time since; /* 0: any */
	uint64_t seq;  /* of the last event that was sent, or passed over */
	uint32_t n;
	uint64_t left; /* how many events may still be sent */
	bool follow, live, full;
	enum fl_event_form form;
	bool names_last; /* the client names the last id that it has got: `seq` and `n` */
	struct fl_follower follower;
	bool follows;
	struct fl_sees *sees; /* NULL: all */
	/* Of server-sent events; NULL: none. */
	uv_timer_t *keep_alive, *gather;
	bool gathered; /* since the last time that `gather` ended */
};

static void timer_closed(uv_handle_t *handle) { free(handle); }

static void end_timer(uv_timer_t *timer)
{
	if (timer)
		uv_close((uv_handle_t *)timer, timer_closed);
}

static void events_free(struct events *e)
{
	end_timer(e->keep_alive);
	end_timer(e->gather);
	if (e->follows)
		fl_daemon_unfollow(e->api->daemon, &e->follower);
	free(e->queue);
	free(e->kind);
	free(e->sees);
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

/* False: it cannot be made. */
static bool make_line(const struct events *e, const struct fl_event_row *row,
		      struct fl_event_line *line)
{
	struct fl_event_answer one = { .row = *row };
	struct fl_api_text text;

	free(line->text);
	line->text = NULL;
	if (fl_api_text_begin(&text, NULL) < 0)
		return false;
	(void)snprintf(one.id, sizeof one.id, "%llu.%u", (unsigned long long)row->seq, row->n);
	one.row.at = fl_api_wall(e->api, row->at);
	text.json.ascii = true;
	if (e->form == FL_EVENT_SENT)
		(void)fprintf(text.report.out, "id: %s\nevent: %s\ndata: ", one.id, row->kind);
	fl_shape_json(&text.at, NULL, &fl_event_shape, &one);
	(void)fputs(e->form == FL_EVENT_SENT ? "\n\n" : "\n", text.report.out);
	if (fl_api_text_close(&text, NULL) < 0) {
		fl_api_text_done(&text);
		return false;
	}
	*line = (struct fl_event_line){ row->seq, row->n, text.text, text.len };
	return true;
}

/* The same for all that see all; NULL: it cannot be made. */
static const struct fl_event_line *shared_line(const struct events *e,
					       const struct fl_event_row *row)
{
	struct fl_event_line *line = &e->api->lines[e->form];

	if (line->text && line->seq == row->seq && line->n == row->n)
		return line;
	return make_line(e, row, line) ? line : NULL;
}

static void gathered(uv_timer_t *timer)
{
	struct events *e = timer->data;

	if (!e->gathered)
		return;
	e->gathered = false;
	fl_exchange_resume(e->x);
	(void)uv_timer_start(timer, gathered, GATHER_MS, /* repeat= */ 0);
}

enum sent { SENT, PASSED_OVER, NO_ROOM, NOT_MADE };

static enum sent send_line(struct events *e, const struct fl_event_line *line)
{
	if (!line)
		return NOT_MADE;
	/* Of many that come together each would be a write of its own for each client. */
	if (e->gather && uv_is_active((uv_handle_t *)e->gather)) {
		e->gathered = true;
		return fl_exchange_add(e->x, line->text, line->len) ? SENT : NO_ROOM;
	}
	if (!fl_exchange_write(e->x, line->text, line->len))
		return NO_ROOM;
	if (e->gather)
		(void)uv_timer_start(e->gather, gathered, GATHER_MS, /* repeat= */ 0);
	return SENT;
}

/* What its reader may have of it. */
static enum sent send_filtered(struct events *e, const struct fl_event_row *row)
{
	struct fl_event_line own = { 0 };
	char buffer[FL_PEOPLE_TEXT];
	struct fl_event_row shown;
	enum sent ret;

	/* An answer about one job or queue would say that it is there. */
	if (!fl_filter_event(e->api->daemon, e->sees, row, buffer, &shown) ||
	    (e->job && !shown.job) || (e->queue && strcmp(e->queue, shown.queue) != 0))
		return PASSED_OVER;
	ret = send_line(e, make_line(e, &shown, &own) ? &own : NULL);
	free(own.text);
	return ret;
}

/* False: there is no room, and the event was not sent. */
static bool tell(struct events *e, const struct fl_event_row *row)
{
	if (row->seq < e->seq || (row->seq == e->seq && row->n <= e->n))
		return true; /* sent already */
	if (e->left > 0 && is_wanted(e, row)) {
		enum sent sent = e->sees ? send_filtered(e, row) :
					   send_line(e, shared_line(e, row));

		/* Nothing is left out: the stream ends behind what was sent. */
		if (sent == NOT_MADE) {
			e->left = 0;
			return true;
		}
		if (sent == NO_ROOM) {
			e->full = true;
			return false;
		}
		e->left -= sent == SENT;
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
		int code = fl_store_events(e->api->daemon->store, &filter, page_row, e, NULL);

		if (code < 0 && !e->full) {
			e->left =
				0; /* the store cannot be read: what was sent so far stays right */
			return true;
		}
		more = e->seq != seq || e->n != n;
	}
	if (!e->full && e->left > 0)
		e->api->daemon->ops->unwritten(e->api->daemon, unwritten_row, e);
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
static bool parse_id(const struct fl_call *call, const char *name, const char *text,
		     struct events *e)
{
	unsigned long long seq = 0;
	unsigned n = 0;
	char said[80];
	int end = 0;

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
	(void)snprintf(said, sizeof said, "'%s' is the id of an event, such as 17.0", name);
	fl_api_fail(call, 400, said, NULL);
	return false;
}

/* A client that connects again does so with its first address: the header says what it has got. */
static bool parse_after(const struct fl_call *call, struct events *e)
{
	const char *last = e->form == FL_EVENT_SENT ? fl_request_header(call->r, "Last-Event-ID") :
						      NULL;
	const char *after = fl_request_argument(call->r, "after");

	e->names_last = last && *last;
	if (e->names_last)
		return parse_id(call, "Last-Event-ID", last, e);
	return !after || parse_id(call, "after", after, e);
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

	(void)fl_store_events(e->api->daemon->store, &last, note, e, NULL);
	e->api->daemon->ops->unwritten(e->api->daemon, note_unwritten, e);
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

	(void)fl_store_events(e->api->daemon->store, &newest, note, e, NULL);
	e->api->daemon->ops->unwritten(e->api->daemon, count_unwritten, &l);
	if (l.unwritten >= e->left) {
		l.skip = l.unwritten - e->left;
		e->api->daemon->ops->unwritten(e->api->daemon, skip_unwritten, &l);
		return;
	}
	l.written = e->left - l.unwritten;
	last.newest_first = true;
	last.limit = e->left < UINT32_MAX ? (uint32_t)e->left : UINT32_MAX;
	(void)fl_store_events(e->api->daemon->store, &last, find_oldest, &l, NULL);
	e->seq = l.seq;
	e->n = l.n;
	if (e->n > 0) {
		e->n--;
	} else if (e->seq > 0) {
		e->seq--;
		e->n = UINT32_MAX;
	}
}

/* --- server-sent events --- */

/* The first of the two types in the header; without one lines, as a client of ours reads them. */
static enum fl_event_form form_of(const struct fl_call *call)
{
	const char *accept = fl_request_header(call->r, "Accept");
	const char *sent = accept ? strcasestr(accept, "text/event-stream") : NULL;
	const char *lines = accept ? strcasestr(accept, "application/x-ndjson") : NULL;

	return sent && (!lines || sent < lines) ? FL_EVENT_SENT : FL_EVENT_LINE;
}

static bool write_text(const struct events *e, const char *text)
{
	return fl_exchange_write(e->x, text, strlen(text));
}

/*
 * A comment, and the id of the last event that was passed over: a client that asked for few events
 * has then none to name that has expired.
 */
static void keep_alive(uv_timer_t *timer)
{
	struct events *e = timer->data;
	char text[80];

	if (!e->live)
		return; /* there is more to read */
	if (e->seq > 0 && e->n < UINT32_MAX)
		(void)snprintf(text, sizeof text, ": keep-alive\nid: %llu.%u\n\n",
			       (unsigned long long)e->seq, e->n);
	else
		(void)snprintf(text, sizeof text, ": keep-alive\n\n");
	(void)write_text(e, text);
}

static uv_timer_t *new_timer(struct events *e)
{
	uv_timer_t *timer = calloc(1, sizeof *timer);

	if (timer) {
		(void)uv_timer_init(e->api->options.loop, timer);
		timer->data = e;
	}
	return timer;
}

static bool begin_timers(struct events *e)
{
	e->keep_alive = new_timer(e);
	e->gather = new_timer(e);
	if (!e->keep_alive || !e->gather)
		return false;
	return uv_timer_start(e->keep_alive, keep_alive, KEEP_ALIVE_MS, KEEP_ALIVE_MS) == 0;
}

/* The oldest event that there is, and whether there is the one that the client names. */
struct oldest {
	const struct events *e;
	uint64_t seq; /* 0: there is no event */
	uint32_t n;
	bool has_named;
};

static int note_oldest(void *user, const struct fl_event_row *row, fairlead_error *err)
{
	struct oldest *o = user;

	(void)err;
	if (o->seq == 0) {
		o->seq = row->seq;
		o->n = row->n;
	}
	o->has_named |= row->seq == o->e->seq && row->n == o->e->n;
	return 0;
}

static void note_oldest_unwritten(void *user, const struct fl_event_row *row)
{
	(void)note_oldest(user, row, NULL);
}

/*
 * Is something lost between the event that the client names and the oldest one?  Events expire
 * from the oldest on, so nothing is lost where the named one or an older one is still there.  An id
 * behind the end of the journal is of a database that was replaced by a backup.
 */
static bool is_lost(const struct events *e, struct oldest *o)
{
	const struct fl_event_filter first = { .limit = 1 };

	if (fl_store_events(e->api->daemon->store, &first, note_oldest, o, NULL) < 0)
		return false; /* reading it will fail in the same way, and end the stream */
	e->api->daemon->ops->unwritten(e->api->daemon, note_oldest_unwritten, o);
	if (e->seq > fl_daemon_version(e->api->daemon))
		return true;
	return o->seq == 0 ||
	       (!o->has_named && (o->seq > e->seq || (o->seq == e->seq && o->n > e->n)));
}

/* Without an id: the client keeps its own until it has got the next event. */
static bool begin_sent(struct events *e)
{
	struct oldest o = { .e = e };
	char text[160], oldest[48] = "null";

	(void)snprintf(text, sizeof text, "retry: %d\n\n", RETRY_MS);
	if (!begin_timers(e) || !write_text(e, text))
		return false;
	if (!e->names_last || !is_lost(e, &o))
		return true;
	if (o.seq > 0)
		(void)snprintf(oldest, sizeof oldest, "\"%llu.%u\"", (unsigned long long)o.seq,
			       o.n);
	(void)snprintf(text, sizeof text,
		       "event: reset\ndata: {\"after\":\"%llu.%u\",\"oldest\":%s}\n\n",
		       (unsigned long long)e->seq, e->n, oldest);
	e->seq = 0;
	e->n = 0;
	return write_text(e, text);
}

/* --- the request --- */

static bool arguments(const struct fl_call *call, struct events *e)
{
	e->follow = e->form == FL_EVENT_SENT || fl_api_flag(call, "follow");
	if (!fl_api_number(call, "job", 0, INT64_MAX, &e->job) ||
	    !fl_api_number(call, "limit", e->follow ? UINT64_MAX : PAGE, UINT64_MAX, &e->left) ||
	    !fl_api_time(call, "since", 0, &e->since) || !check_kind(call) || !parse_after(call, e))
		return false;
	if (!copy(call, "queue", &e->queue) || !copy(call, "kind", &e->kind)) {
		fl_api_fail(call, 503, "out of memory", NULL);
		return false;
	}
	if (e->names_last || fl_request_argument(call->r, "after"))
		return true;
	if (!e->follow)
		begin_with_last(e);
	else if (!e->since)
		begin_at_end(e);
	return true;
}

/* It is there as long as the stream, of which the server ends that of a token that it believed long ago. */
static bool keep_sees(const struct fl_call *call, struct events *e)
{
	if (!call->sees)
		return true;
	e->sees = malloc(sizeof *e->sees);
	if (e->sees)
		*e->sees = *call->sees;
	else
		fl_api_fail(call, 503, "out of memory", NULL);
	return e->sees;
}

void fl_api_events(struct fl_call *call)
{
	static const char *const types[] = {
		[FL_EVENT_LINE] = "application/x-ndjson",
		[FL_EVENT_SENT] = "text/event-stream",
	};
	struct events *e = calloc(1, sizeof *e);
	const struct fl_stream_callbacks callbacks = { drained, gone, e };

	if (!e) {
		fl_api_fail(call, 503, "out of memory", NULL);
		return;
	}
	e->api = call->api;
	e->x = call->x;
	e->form = form_of(call);
	if (!keep_sees(call, e) || !arguments(call, e)) {
		events_free(e);
		return;
	}
	fl_exchange_header(call->x, "Cache-Control", "no-store");
	fl_exchange_begin(call->x, 200, types[e->form], &callbacks);
	if (e->form == FL_EVENT_SENT && !begin_sent(e)) {
		finish(e);
		return;
	}
	if (e->follow) {
		e->follower = (struct fl_follower){ .event = happened, .user = e };
		fl_daemon_follow(e->api->daemon, &e->follower);
		e->follows = true;
	}
	go_on(e);
}
