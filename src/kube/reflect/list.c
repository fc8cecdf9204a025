/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/reflect/list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kube/reflect/step.h"
#include "kube/reflect/tell.h"
#include "net/client.h"

enum { WHOLE_FACTOR = 8 }; /* the time of a list that is not cut into pages, in pages */

/* A server may send pages without end, and each of them empty. */
static int count(struct fl_kube_reflector *r, uint64_t objects)
{
	r->listed += objects;
	if (r->listed <= r->client->options.objects)
		return 0;
	r->end = FL_REFLECT_ENDLESS;
	return fl_fail(&r->error, FAIRLEAD_ELIMIT, "the list has more than %" PRIu32 " objects",
		       r->client->options.objects);
}

static int on_item(void *user, const struct fl_kube_frame *frame)
{
	struct fl_kube_reflector *r = user;
	int rc = count(r, 1);

	r->items = true;
	return rc < 0 ? rc :
			fl_reflect_hand_on(r, frame->object.json ? FL_KUBE_SEEN : FL_KUBE_TOO_LARGE,
					   frame);
}

/* All bytes of a page are there. */
static int end_page(struct fl_kube_reflector *r)
{
	const struct fl_kube_frames *f = &r->frames;

	if (!fl_kube_frames_whole(f))
		return fl_fail(&r->error, FAIRLEAD_EINPUT, "the answer ends in its middle");
	if (!f->list_version[0])
		return fl_fail(&r->error, FAIRLEAD_EINPUT, "the list has no resourceVersion");
	if (f->token[0] && strcmp(f->token, r->token) == 0)
		return fl_fail(&r->error, FAIRLEAD_EINPUT, "the list goes on with the same page");
	return f->token[0] && !r->items ? count(r, r->client->options.page) : 0;
}

static void go_on(struct fl_kube_reflector *r)
{
	const struct fl_kube_frames *f = &r->frames;

	r->failures = 0;
	r->whole = false;
	if (f->remaining[0] && r->listener->remaining)
		r->listener->remaining(r->user, strtoull(f->remaining, NULL, 10));
	memcpy(r->token, f->token, strlen(f->token) + 1);
	if (f->token[0]) {
		fl_reflect_after(r, FL_REFLECT_LIST, 0);
		return;
	}
	fl_reflect_listed(r, f->list_version);
	fl_reflect_after(r, FL_REFLECT_WATCH, 0);
}

/* Pages belong to one state of the server: when that is forgotten, so are they. */
static void begin_again(struct fl_kube_reflector *r)
{
	r->whole = r->token[0];
	r->token[0] = '\0';
}

static void on_answer(void *user, const struct fl_kube_answer *answer)
{
	struct fl_kube_reflector *r = user;

	r->call = NULL;
	if (answer->status == 200 && r->end == FL_REFLECT_ON && end_page(r) == 0) {
		go_on(r);
	} else if (answer->status == 200 || r->end != FL_REFLECT_ON) {
		/* After the error of a server, or of ours, it is not known which page comes next. */
		r->token[0] = '\0';
		(void)fl_fail_in(&r->error, "%s", fl_kube_server(r->client));
		fl_reflect_trouble(r, "list", answer->status, &r->error);
		if (r->end == FL_REFLECT_ENDLESS)
			fl_reflect_after(r, FL_REFLECT_LIST, r->client->options.again);
		else
			fl_reflect_again(r, FL_REFLECT_LIST, /* retry_after= */ 0);
	} else if (answer->status == 410) {
		r->standing.expired++;
		begin_again(r);
		fl_reflect_again(r, FL_REFLECT_LIST, /* retry_after= */ 0);
	} else if (answer->status == 404) {
		fl_reflect_again(r, FL_REFLECT_LOOK, /* retry_after= */ 0);
	} else {
		if (fl_reflect_is_wrong(answer->status))
			begin_again(r);
		fl_reflect_failed(r, FL_REFLECT_LIST, "list", answer);
	}
}

int fl_reflect_list(struct fl_kube_reflector *r, fairlead_error *err)
{
	uint32_t timeout = r->client->options.timeout;
	char *token = fl_client_escape(r->token), *path = NULL;

	if (!r->token[0])
		fl_reflect_begin(r);
	if (token && r->whole)
		path = fl_reflect_path(r, "limit=0");
	else if (token)
		path = fl_reflect_path(r, "limit=%" PRIu32 "%s%s", r->client->options.page,
				       *token ? "&continue=" : "", token);
	free(token);
	if (!path)
		return fl_fail_nomem(err);
	fl_kube_frames_done(&r->frames);
	fl_kube_frames_init(&r->frames, FL_KUBE_LIST, on_item, r);
	r->end = FL_REFLECT_ON;
	r->items = false;
	int rc = fl_kube_ask(
		r->client,
		&(struct fl_kube_request){ .method = "GET",
					   .path = path,
					   .timeout = r->whole ? WHOLE_FACTOR * timeout : timeout,
					   .piece = fl_reflect_piece,
					   .done = on_answer,
					   .user = r },
		&r->call, err);
	free(path);
	return rc;
}
