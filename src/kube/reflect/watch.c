/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/reflect/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kube/reflect/step.h"
#include "kube/reflect/tell.h"
#include "net/client.h"

/* A watch lasts so long: random, so that not all begin again at once. */
enum { SHORTEST_S = 300, LONGEST_S = 600, LATE_MS = 30000 };

static int refuse(struct fl_kube_reflector *r, enum fl_reflect_end end, const char *text,
		  const char *what)
{
	r->end = end;
	return fl_fail(&r->error, FAIRLEAD_EINPUT, "%s%s", text, what);
}

/* The server ends a watch with an error: a Status. */
static int take_error(struct fl_kube_reflector *r, const struct fl_kube_frame *frame)
{
	r->end = FL_REFLECT_REFUSED;
	r->code = frame->code;
	if (frame->code == 410 || strcmp(frame->reason, "Expired") == 0 ||
	    strcmp(frame->reason, "Gone") == 0)
		r->code = 410;
	return fl_fail(&r->error, FAIRLEAD_EIO, "the API server has ended the watch (%u): %s",
		       frame->code, frame->message);
}

static int take_bookmark(struct fl_kube_reflector *r, const struct fl_kube_frame *frame)
{
	const char *version = frame->object.resource_version;

	if (!*version)
		return refuse(r, FL_REFLECT_WRONG, "a bookmark has no resourceVersion", "");
	if (r->initial && !frame->initial_end)
		return refuse(r, FL_REFLECT_PLAIN,
			      "the API server does not say where initial "
			      "events end",
			      "");
	if (r->initial) {
		r->initial = false;
		fl_reflect_listed(r, version);
		fl_reflect_fine(r);
		return 0;
	}
	r->client->marked = true;
	memcpy(r->at, version, strlen(version) + 1);
	if (r->listener->bookmark)
		r->listener->bookmark(r->user, version);
	return 0;
}

static const struct {
	const char *type;
	enum fl_kube_what what;
} types[] = {
	{ "ADDED", FL_KUBE_SEEN },
	{ "MODIFIED", FL_KUBE_SEEN },
	{ "DELETED", FL_KUBE_ENDED },
};

static int take_change(struct fl_kube_reflector *r, const struct fl_kube_frame *frame)
{
	const char *version = frame->object.resource_version;

	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		enum fl_kube_what what = types[i].what;

		if (strcmp(frame->type, types[i].type) != 0)
			continue;
		if (what == FL_KUBE_SEEN && !frame->object.json)
			what = FL_KUBE_TOO_LARGE;
		int rc = fl_reflect_hand_on(r, what, frame);
		if (rc == 0 && !r->initial)
			memcpy(r->at, version, strlen(version) + 1);
		return rc;
	}
	return refuse(r, FL_REFLECT_WRONG, "an event has an unknown type: ", frame->type);
}

static int on_event(void *user, const struct fl_kube_frame *frame)
{
	struct fl_kube_reflector *r = user;
	int rc;

	if (strcmp(frame->type, "ERROR") == 0)
		return take_error(r, frame);
	r->events++;
	r->silent = 0;
	r->mute = false;
	r->standing.heard = uv_now(r->client->loop);
	if (strcmp(frame->type, "BOOKMARK") == 0) {
		rc = take_bookmark(r, frame);
	} else {
		rc = take_change(r, frame);
		r->client->told |= rc == 0;
	}
	if (rc == 0 && !r->initial)
		fl_reflect_fine(r);
	return rc;
}

/* The answer is 200: what comes are events. */
static bool on_open(void *user)
{
	struct fl_kube_reflector *r = user;

	r->opened = uv_now(r->client->loop);
	if (!r->silent)
		r->standing.heard = r->opened;
	fl_reflect_after(r, FL_REFLECT_WATCH, FL_REFLECT_STEADY_MS);
	return true;
}

void fl_reflect_watch_steady(struct fl_kube_reflector *r)
{
	if (!r->initial && !r->mute)
		fl_reflect_fine(r);
}

/* Bookmarks would come at least: whether there are changes is not known, and is not before something comes. */
static void be_mute(struct fl_kube_reflector *r, const struct fl_kube_answer *answer)
{
	fairlead_error error = { 0 };

	(void)fl_fail(&error, FAIRLEAD_EIO, "nothing comes from its watches: %s",
		      answer->problem ? answer->problem->text : "the API server ends them");
	(void)fl_fail_hint(&error, "does a proxy before the API server keep answers back, or end "
				   "connections that are quiet?");
	(void)fl_fail_in(&error, "%s", fl_kube_server(r->client));
	r->mute = true;
	fl_reflect_trouble(r, "watch", answer->status, &error);
}

/*
 * The server sends no bookmarks, and changes come through: where none comes there is none, or the next watch, which goes
 * on from where this one was, begins with it.
 */
static bool may_be_quiet(const struct fl_kube_reflector *r)
{
	return r->client->told && !r->client->marked;
}

/* The stream was open, and has ended: goes on from where it was. */
static void resume(struct fl_kube_reflector *r, const struct fl_kube_answer *answer)
{
	uint64_t now = uv_now(r->client->loop), silence = r->client->options.silence;
	uint64_t lasted = now - r->opened;

	r->standing.cuts++;
	if (may_be_quiet(r)) {
		r->silent = 0;
		r->mute = false;
	} else if (r->events == 0) {
		r->silent++;
		if (r->silent > 1 || lasted >= silence)
			be_mute(r, answer);
		/* What watches do not tell, lists do; at once where no bookmark ever came of any. */
		if ((r->silent > 1 || !r->client->marked) && now - r->standing.heard >= silence)
			r->at[0] = '\0';
	}
	enum fl_reflect_step step = r->at[0] ? FL_REFLECT_WATCH : FL_REFLECT_LIST;
	if (lasted >= FL_REFLECT_STEADY_MS) {
		r->failures = 0;
		fl_reflect_after(r, step, 0);
	} else {
		fl_reflect_again(r, step, answer->retry_after);
	}
}

/* What came is not what a server sends, or says that it cannot go on. */
static void end_wrong(struct fl_kube_reflector *r)
{
	enum fl_reflect_step step = r->at[0] ? FL_REFLECT_WATCH : FL_REFLECT_LIST;

	if (r->end == FL_REFLECT_PLAIN) {
		r->no_initial = true;
		fl_reflect_after(r, FL_REFLECT_LIST, 0);
		return;
	}
	if (r->end == FL_REFLECT_REFUSED && r->code == 410) {
		r->standing.expired++;
		r->at[0] = '\0';
		fl_reflect_again(r, FL_REFLECT_LIST, /* retry_after= */ 0);
		return;
	}
	/* What cannot be passed by asking again is passed by a list. */
	if (r->end == FL_REFLECT_FULL || (r->events == 0 && r->failures >= 3)) {
		r->at[0] = '\0';
		step = FL_REFLECT_LIST;
	}
	(void)fl_fail_in(&r->error, "%s", fl_kube_server(r->client));
	fl_reflect_trouble(r, "watch", r->code, &r->error);
	fl_reflect_again(r, step, /* retry_after= */ 0);
}

static void on_answer(void *user, const struct fl_kube_answer *answer)
{
	struct fl_kube_reflector *r = user;
	bool initial = r->initial;

	r->call = NULL;
	r->standing.current = false;
	r->initial = false;
	(void)uv_timer_stop(r->timer);
	if (r->end != FL_REFLECT_ON) {
		end_wrong(r);
	} else if (r->opened && initial) {
		r->no_initial = true; /* pages can be asked for again, each by itself */
		fl_reflect_again(r, FL_REFLECT_LIST, /* retry_after= */ 0);
	} else if (r->opened) {
		resume(r, answer);
	} else if (answer->status == 410) {
		r->standing.expired++;
		r->at[0] = '\0';
		fl_reflect_after(r, FL_REFLECT_LIST, 0);
	} else if (answer->status == 404) {
		fl_reflect_again(r, FL_REFLECT_LOOK, /* retry_after= */ 0);
	} else if (initial && (answer->status == 400 || answer->status == 422)) {
		r->no_initial = true;
		fl_reflect_after(r, FL_REFLECT_LIST, 0);
	} else {
		if (fl_reflect_is_wrong(answer->status))
			r->at[0] = '\0';
		fl_reflect_failed(r, r->at[0] ? FL_REFLECT_WATCH : FL_REFLECT_LIST, "watch",
				  answer);
	}
}

int fl_reflect_watch(struct fl_kube_reflector *r, fairlead_error *err)
{
	unsigned seconds = SHORTEST_S + (unsigned)((LONGEST_S - SHORTEST_S) *
						   fl_random_unit(&r->client->random));
	char *at = fl_client_escape(r->at), *path = NULL;

	r->initial = !r->at[0];
	if (at && r->initial)
		path = fl_reflect_path(r,
				       "watch=1&allowWatchBookmarks=true&sendInitialEvents=true"
				       "&resourceVersionMatch=NotOlderThan&timeoutSeconds=%u",
				       seconds);
	else if (at)
		path = fl_reflect_path(r,
				       "watch=1&allowWatchBookmarks=true&resourceVersion=%s"
				       "&timeoutSeconds=%u",
				       at, seconds);
	free(at);
	if (!path)
		return fl_fail_nomem(err);
	if (r->initial)
		fl_reflect_begin(r);
	fl_kube_frames_done(&r->frames);
	fl_kube_frames_init(&r->frames, FL_KUBE_EVENTS, on_event, r);
	r->end = FL_REFLECT_ON;
	r->code = 0;
	r->opened = r->events = 0;
	int rc = fl_kube_ask(r->client,
			     &(struct fl_kube_request){ .method = "GET",
							.path = path,
							.lane = FL_KUBE_WATCH,
							.timeout = 1000 * seconds + LATE_MS,
							.piece = fl_reflect_piece,
							.begun = on_open,
							.done = on_answer,
							.user = r },
			     &r->call, err);
	free(path);
	return rc;
}
