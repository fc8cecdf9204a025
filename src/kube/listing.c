/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/listing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kube/client_state.h"
#include "kube/discover.h"
#include "kube/frames.h"
#include "net/client.h"

enum {
	BEGUN_MOST = 4,  /* times that a list begins; of the last one all is asked for at once */
	TIMEOUT = 60000, /* of a page: ms */
	WHOLE = 10 * TIMEOUT, /* of a list that is not cut into pages */
};

struct fl_kube_listing {
	struct fl_kube_client *client;
	const struct fl_kube_source *source;
	const struct fl_kube_lister *lister;
	void *user;
	uint32_t page;
	uint32_t version; /* that is asked for */
	uint32_t begun;   /* times */
	bool first;       /* the page is */
	uint64_t told;   /* objects since the list began; a page without any counts as a full one */
	uint64_t before; /* of pages before this one */
	char *token;     /* of the page; NULL: the first one */
	struct fl_kube_call *call;
	struct fl_kube_frames frames;
	int rc; /* of the bytes of a page: they are wrong, or the lister has failed */
	fairlead_error error;
};

static const char *version_of(const struct fl_kube_listing *l)
{
	return l->version < FL_KUBE_VERSIONS ? l->source->versions[l->version] : NULL;
}

/* The path with its query; from malloc, NULL: no memory. */
static char *path_of(const struct fl_kube_listing *l, uint32_t page)
{
	const struct fl_kube_source *s = l->source;
	char *group = fl_kube_group_path(s->group, version_of(l));
	char *namespace = fl_client_escape(s->namespace ? s->namespace : "");
	char *token = fl_client_escape(l->token ? l->token : "");
	char *fields = fl_client_escape(s->fields ? s->fields : "");
	char *labels = fl_client_escape(s->labels ? s->labels : "");
	char *path = NULL;

	if (!group || !namespace || !token || !fields || !labels ||
	    asprintf(&path, "%s%s%s/%s?limit=%" PRIu32 "%s%s%s%s%s%s", group,
		     s->namespace ? "/namespaces/" : "", namespace, s->plural, page,
		     *fields ? "&fieldSelector=" : "", fields, *labels ? "&labelSelector=" : "",
		     labels, *token ? "&continue=" : "", token) < 0)
		path = NULL;
	free(group);
	free(namespace);
	free(token);
	free(fields);
	free(labels);
	return path;
}

static int endless(struct fl_kube_listing *l)
{
	return fl_fail(&l->error, FAIRLEAD_EIO, "the list has more than %" PRIu32 " objects",
		       l->client->options.objects);
}

static int on_object(void *user, const struct fl_kube_frame *frame)
{
	struct fl_kube_listing *l = user;

	if (++l->told > l->client->options.objects)
		return endless(l);
	return l->lister->object(l->user, &frame->object, &l->error);
}

static bool on_piece(void *user, const char *bytes, size_t len)
{
	struct fl_kube_listing *l = user;

	l->rc = fl_kube_frames_take(&l->frames, bytes, len, &l->error);
	if (l->rc == FAIRLEAD_EINPUT) {
		l->rc = l->error.code = FAIRLEAD_EIO; /* no input of the person that asks */
		(void)fl_fail_in(&l->error, "%s", fl_kube_server(l->client));
	}
	return l->rc == 0;
}

static void end(struct fl_kube_listing *l, int rc, unsigned status, const fairlead_error *err)
{
	l->lister->ended(l->user, rc, status, err);
	fl_kube_listing_free(l);
}

static int ask(struct fl_kube_listing *l, fairlead_error *err);

static void go_on(struct fl_kube_listing *l)
{
	if (ask(l, &l->error) < 0)
		end(l, l->error.code, 0, &l->error);
}

/* What is wrong with a page that has come. */
static int check_page(struct fl_kube_listing *l)
{
	const struct fl_kube_frames *f = &l->frames;
	int rc = 0;

	if (l->told == l->before && f->token[0])
		l->told += l->page;
	if (!fl_kube_frames_whole(f))
		rc = fl_fail(&l->error, FAIRLEAD_EIO, "the answer ends in its middle");
	else if (l->token && strcmp(f->token, l->token) == 0)
		rc = fl_fail(&l->error, FAIRLEAD_EIO, "the list goes on with the same page");
	else if (l->told > l->client->options.objects)
		rc = endless(l);
	if (rc < 0)
		(void)fl_fail_in(&l->error, "%s", fl_kube_server(l->client));
	l->before = l->told;
	return rc;
}

static void end_page(struct fl_kube_listing *l)
{
	const struct fl_kube_frames *f = &l->frames;
	int rc = check_page(l);

	if (rc < 0) {
		end(l, rc, 200, &l->error);
		return;
	}
	if (l->first && f->remaining[0])
		l->lister->remaining(l->user, strtoull(f->remaining, NULL, 10));
	l->first = false;
	free(l->token);
	l->token = f->token[0] ? strdup(f->token) : NULL;
	if (!f->token[0])
		end(l, 0, 200, NULL);
	else if (!l->token)
		end(l, fl_fail_nomem(&l->error), 0, &l->error);
	else
		go_on(l);
}

static void on_answer(void *user, const struct fl_kube_answer *answer)
{
	struct fl_kube_listing *l = user;

	l->call = NULL;
	if (l->rc < 0) {
		end(l, l->rc, 200, &l->error);
	} else if (answer->status == 200) {
		end_page(l);
	} else if (answer->status == 410 && l->token && l->begun < BEGUN_MOST) {
		free(l->token);
		l->token = NULL;
		go_on(l);
	} else if (answer->status == 404 && !l->token) {
		l->version++;
		l->begun = 0;
		if (version_of(l))
			go_on(l);
		else
			end(l, FAIRLEAD_ENOENT, 404, answer->problem);
	} else {
		end(l, answer->problem->code, answer->status, answer->problem);
	}
}

/* The next page, or the first one of a list that begins. */
static int ask(struct fl_kube_listing *l, fairlead_error *err)
{
	bool whole = !l->token && l->begun == BEGUN_MOST - 1;
	char *path = path_of(l, whole ? 0 : l->page);

	if (!path)
		return fl_fail_nomem(err);
	if (!l->token) {
		l->begun++;
		l->first = true;
		l->told = l->before = 0;
		l->lister->begun(l->user, version_of(l));
	}
	fl_kube_frames_reset(&l->frames);
	int rc = fl_kube_ask(l->client,
			     &(struct fl_kube_request){ .method = "GET",
							.path = path,
							.timeout = whole ? WHOLE : TIMEOUT,
							.piece = on_piece,
							.done = on_answer,
							.user = l },
			     &l->call, err);
	free(path);
	return rc;
}

int fl_kube_list_all(struct fl_kube_client *k, const struct fl_kube_source *source, uint32_t page,
		     const struct fl_kube_lister *lister, void *user, struct fl_kube_listing **ret,
		     fairlead_error *err)
{
	struct fl_kube_listing *l = calloc(1, sizeof *l);

	if (!l)
		return fl_fail_nomem(err);
	l->client = k;
	l->source = source;
	l->lister = lister;
	l->user = user;
	l->page = page;
	fl_kube_frames_init(&l->frames, FL_KUBE_LIST, on_object, l);
	int rc = ask(l, err);
	if (rc < 0)
		fl_kube_listing_free(l);
	else
		*ret = l;
	return rc;
}

struct fl_kube_listing *fl_kube_listing_free(struct fl_kube_listing *l)
{
	if (!l)
		return NULL;
	if (l->call)
		fl_kube_cancel(l->call);
	fl_kube_frames_done(&l->frames);
	free(l->token);
	free(l);
	return NULL;
}
