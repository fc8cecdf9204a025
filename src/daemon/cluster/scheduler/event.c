/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/scheduler/event.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/time.h"
#include "daemon/cluster/scheduler/state.h"

enum {
	STEM = 200,     /* bytes of a name, before the number of the Event */
	INSTANCE = 128, /* bytes, as the server takes them */
	NAMESPACE = 253
};

static const char *namespace_of(const struct fl_kube_event *e)
{
	return *e->namespace ? e->namespace : "default";
}

/* Of letters that a name may end in before a point. */
static int stem_of(const char *name)
{
	int len = (int)strnlen(name, STEM);

	while (len > 0 && (name[len - 1] == '-' || name[len - 1] == '.'))
		len--;
	return len;
}

/* It ends between two characters, and says that there is more. */
static void cut_note(const char *note, char ret[FL_KUBE_EVENT_NOTE + 1])
{
	static const char more[] = "...";
	size_t len = strlen(note);

	if (len > FL_KUBE_EVENT_NOTE) {
		len = FL_KUBE_EVENT_NOTE - strlen(more);
		while (len > 0 && ((unsigned char)note[len] & 0xc0) == 0x80)
			len--;
		memcpy(ret, note, len);
		memcpy(ret + len, more, sizeof more);
	} else {
		memcpy(ret, note, len + 1);
	}
}

static char *body_of(const struct fl_scheduler *s, const struct fl_kube_event *e)
{
	const fl_time now = fl_clock_now(&s->o.cluster->daemon.clock);
	char name[STEM + 24], api[64], at[40], micro[48], instance[INSTANCE + 1];
	char note[FL_KUBE_EVENT_NOTE + 1];
	json_t *body, *regarding;
	char *text;

	(void)snprintf(name, sizeof name, "%.*s.%016" PRIx64, stem_of(e->name), e->name, e->number);
	(void)snprintf(api, sizeof api, "kueue.x-k8s.io/%s",
		       fl_mirror_version(s->o.cluster->mirror, e->kind));
	(void)fl_time_format(at, now - now % FL_SECOND);
	(void)snprintf(micro, sizeof micro, "%.19s.000000Z", at);
	(void)snprintf(instance, sizeof instance, "%s", s->o.identity);
	cut_note(e->note, note);
	regarding = json_pack("{s:s, s:s, s:s, s:s, s:s*}", "apiVersion", api, "kind",
			      fl_mirror_kind(e->kind)->name, "name", e->name, "uid", e->uid,
			      "namespace", *e->namespace ? e->namespace : NULL);
	body = json_pack("{s:s, s:s, s:{s:s, s:s}, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o}",
			 "apiVersion", "events.k8s.io/v1", "kind", "Event", "metadata", "name",
			 name, "namespace", namespace_of(e), "eventTime", micro, "type", e->type,
			 "reason", e->reason, "action", e->action, "reportingController",
			 "fairlead.dev/scheduler", "reportingInstance", instance, "note", note,
			 "regarding", regarding);
	text = body ? json_dumps(body, JSON_COMPACT) : NULL;
	json_decref(body);
	return text;
}

int fl_kube_event_send(struct fl_scheduler *s, const struct fl_kube_event *e,
		       void (*done)(void *user, const struct fl_kube_answer *answer), void *user,
		       struct fl_kube_call **ret, fairlead_error *err)
{
	char path[64 + NAMESPACE];
	struct fl_kube_request request = {
		.method = "POST",
		.path = path,
		.type = "application/json",
		.lane = FL_KUBE_ASK,
		.timeout = FL_SCHEDULER_TIMEOUT,
		.done = done,
		.user = user,
	};
	char *body = body_of(s, e);
	int r;

	if (!body)
		return fl_fail_nomem(err);
	(void)snprintf(path, sizeof path, "/apis/events.k8s.io/v1/namespaces/%.253s/events",
		       namespace_of(e));
	request.body = body;
	request.len = strlen(body);
	r = fl_kube_ask(s->o.client, &request, ret, err);
	free(body);
	return r;
}

enum fl_kube_event_fate fl_kube_event_fate_of(const struct fl_kube_answer *answer)
{
	const unsigned status = answer->status;

	if (status == 200 || status == 201 || status == 409)
		return FL_KUBE_EVENT_THERE;
	return status >= 400 && status < 500 && status != 401 && status != 408 && status != 429 ?
		       FL_KUBE_EVENT_REFUSED :
		       FL_KUBE_EVENT_UNKNOWN;
}
