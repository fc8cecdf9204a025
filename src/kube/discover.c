/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/discover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kube/frames.h"

struct fl_kube_discovery {
	struct fl_kube_client *client;
	const struct fl_kube_source *source;
	fl_kube_discovered *done;
	void *user;
	uint32_t version; /* that is asked for */
	struct fl_kube_call *call;
	struct fl_kube_frames frames;
	bool found, wrong;
};

char *fl_kube_group_path(const char *group, const char *version)
{
	char *path;
	int n = *group ? asprintf(&path, "/apis/%s/%s", group, version) :
			 asprintf(&path, "/api/%s", version);

	return n < 0 ? NULL : path;
}

static int on_kind(void *user, const struct fl_kube_frame *frame)
{
	struct fl_kube_discovery *d = user;

	d->found |= strcmp(frame->object.name, d->source->plural) == 0;
	return 0;
}

static bool on_piece(void *user, const char *bytes, size_t len)
{
	struct fl_kube_discovery *d = user;

	d->wrong |= fl_kube_frames_take(&d->frames, bytes, len, NULL) < 0;
	return !d->wrong;
}

static int ask(struct fl_kube_discovery *d, fairlead_error *err);

static const char *version_of(const struct fl_kube_discovery *d)
{
	return d->version < FL_KUBE_VERSIONS ? d->source->versions[d->version] : NULL;
}

static void end(struct fl_kube_discovery *d, const char *version,
		const struct fl_kube_answer *refusal)
{
	d->done(d->user, version, refusal);
	fl_kube_discovery_free(d);
}

static void on_answer(void *user, const struct fl_kube_answer *answer)
{
	struct fl_kube_discovery *d = user;
	fairlead_error problem = { 0 };

	d->call = NULL;
	if (answer->status == 403 || (answer->status == 200 && d->found)) {
		end(d, version_of(d), NULL);
	} else if (answer->status == 404 ||
		   (answer->status == 200 && fl_kube_frames_whole(&d->frames))) {
		d->version++;
		if (!version_of(d))
			end(d, NULL, NULL);
		else if (ask(d, &problem) < 0)
			end(d, NULL, &(struct fl_kube_answer){ .bytes = "", .problem = &problem });
	} else if (answer->problem && !d->wrong) {
		end(d, NULL, answer);
	} else {
		(void)fl_fail(&problem, FAIRLEAD_EINPUT,
			      "the API server's list of kinds is not valid");
		(void)fl_fail_in(&problem, "%s", fl_kube_server(d->client));
		end(d, NULL, &(struct fl_kube_answer){ .bytes = "", .problem = &problem });
	}
}

static int ask(struct fl_kube_discovery *d, fairlead_error *err)
{
	char *path = fl_kube_group_path(d->source->group, version_of(d));

	if (!path)
		return fl_fail_nomem(err);
	fl_kube_frames_reset(&d->frames);
	d->found = d->wrong = false;
	int rc = fl_kube_ask(d->client,
			     &(struct fl_kube_request){ .method = "GET",
							.path = path,
							.piece = on_piece,
							.done = on_answer,
							.user = d },
			     &d->call, err);
	free(path);
	return rc;
}

int fl_kube_discover(struct fl_kube_client *k, const struct fl_kube_source *source,
		     fl_kube_discovered *done, void *user, struct fl_kube_discovery **ret,
		     fairlead_error *err)
{
	struct fl_kube_discovery *d = calloc(1, sizeof *d);

	if (!d)
		return fl_fail_nomem(err);
	d->client = k;
	d->source = source;
	d->done = done;
	d->user = user;
	fl_kube_frames_init(&d->frames, FL_KUBE_KINDS, on_kind, d);
	int rc = ask(d, err);
	if (rc < 0)
		fl_kube_discovery_free(d);
	else
		*ret = d;
	return rc;
}

struct fl_kube_discovery *fl_kube_discovery_free(struct fl_kube_discovery *d)
{
	if (!d)
		return NULL;
	if (d->call)
		fl_kube_cancel(d->call);
	fl_kube_frames_done(&d->frames);
	free(d);
	return NULL;
}
