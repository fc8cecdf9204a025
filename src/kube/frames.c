/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

/* What a value is, by the key that it has and by what it is in. */
enum role {
	OTHER,
	ROOT,
	OBJECT,
	ITEMS,
	LIST_META,
	META,
	NOTES,
	DROPPED,
	/* Texts: */
	TYPE,
	NAME,
	NAMESPACE,
	UID,
	VERSION,
	MARK,
	CODE,
	REASON,
	MESSAGE,
	LIST_VERSION,
	REMAINING,
	TOKEN,
	ROLES
};

static const struct rule {
	uint8_t in;
	const char *key;
	uint8_t is;
} list_rules[] = {
	{ ROOT, "metadata", LIST_META },
	{ ROOT, "items", ITEMS },
	{ LIST_META, "resourceVersion", LIST_VERSION },
	{ LIST_META, "continue", TOKEN },
	{ LIST_META, "remainingItemCount", REMAINING },
	{ OBJECT, "metadata", META },
	{ META, "name", NAME },
	{ META, "namespace", NAMESPACE },
	{ META, "uid", UID },
	{ META, "resourceVersion", VERSION },
	{ META, "managedFields", DROPPED },
	{ 0 },
}, event_rules[] = {
	{ ROOT, "type", TYPE },
	{ ROOT, "object", OBJECT },
	{ OBJECT, "metadata", META },
	{ OBJECT, "code", CODE },
	{ OBJECT, "reason", REASON },
	{ OBJECT, "message", MESSAGE },
	{ META, "name", NAME },
	{ META, "namespace", NAMESPACE },
	{ META, "uid", UID },
	{ META, "resourceVersion", VERSION },
	{ META, "managedFields", DROPPED },
	{ META, "annotations", NOTES },
	{ NOTES, "k8s.io/initial-events-end", MARK },
	{ 0 },
}, status_rules[] = {
	{ ROOT, "code", CODE },
	{ ROOT, "reason", REASON },
	{ ROOT, "message", MESSAGE },
	{ 0 },
}, kind_rules[] = {
	{ ROOT, "resources", ITEMS },
	{ OBJECT, "name", NAME },
	{ 0 },
};

static const struct rule *const rules[FL_KUBE_FORMS] = {
	[FL_KUBE_LIST] = list_rules,
	[FL_KUBE_EVENTS] = event_rules,
	[FL_KUBE_STATUS] = status_rules,
	[FL_KUBE_KINDS] = kind_rules,
};

/* Where a text goes; one that is too long is cut where it is for people, or means nothing then. */
static const struct {
	size_t offset, size;
	bool cut;
} slots[ROLES] = {
#define SLOT(member, cut)                                                                          \
	{                                                                                          \
		offsetof(struct fl_kube_frames, member),                                           \
			sizeof((struct fl_kube_frames *)0)->member, cut                            \
	}
	[TYPE] = SLOT(type, false),
	[NAME] = SLOT(name, false),
	[NAMESPACE] = SLOT(namespace, false),
	[UID] = SLOT(uid, false),
	[VERSION] = SLOT(version, false),
	[MARK] = SLOT(mark, true),
	[CODE] = SLOT(code, true),
	[REASON] = SLOT(reason, true),
	[MESSAGE] = SLOT(message, true),
	[LIST_VERSION] = SLOT(list_version, false),
	[TOKEN] = SLOT(token, false),
	[REMAINING] = SLOT(remaining, false),
#undef SLOT
};

void fl_kube_frames_init(struct fl_kube_frames *f, enum fl_kube_form form,
			 int (*frame)(void *user, const struct fl_kube_frame *frame), void *user)
{
	f->form = form;
	f->frame = frame;
	f->user = user;
	f->json = NULL;
	f->cap = 0;
	fl_kube_frames_reset(f);
}

void fl_kube_frames_done(struct fl_kube_frames *f)
{
	free(f->json);
	f->json = NULL;
	f->cap = 0;
}

static void forget_object(struct fl_kube_frames *f)
{
	f->in_object = f->too_large = f->has_object = false;
	f->from = NULL;
	f->len = 0;
	f->type[0] = f->name[0] = f->namespace[0] = f->uid[0] = f->version[0] = '\0';
	f->mark[0] = f->code[0] = f->reason[0] = f->message[0] = '\0';
	if (f->cap > FL_MAX_KUBE_OBJECT / 8)
		fl_kube_frames_done(f);
}

void fl_kube_frames_reset(struct fl_kube_frames *f)
{
	fl_scan_init(&f->scan);
	forget_object(f);
	f->ended = false;
	f->role = OTHER;
	f->list_version[0] = f->remaining[0] = f->token[0] = '\0';
}

bool fl_kube_frames_whole(const struct fl_kube_frames *f)
{
	return fl_scan_rests(&f->scan) && (f->ended || f->form == FL_KUBE_EVENTS);
}

/* --- the text of an object --- */

static int copy(struct fl_kube_frames *f, const char *bytes, size_t n, fairlead_error *err)
{
	size_t cap = f->cap ? f->cap : 8192;

	if (n > FL_MAX_KUBE_OBJECT - f->len)
		f->too_large = true;
	if (f->too_large)
		return 0;
	while (cap < f->len + n + 1)
		cap *= 2;
	if (cap > f->cap) {
		char *json = realloc(f->json, cap);

		if (!json)
			return fl_fail_nomem(err);
		f->json = json;
		f->cap = cap;
	}
	memcpy(f->json + f->len, bytes, n);
	f->len += n;
	f->json[f->len] = '\0';
	return 0;
}

/* What lies before @at and was not copied yet. */
static int copy_to(struct fl_kube_frames *f, const char *at, fairlead_error *err)
{
	const char *from = f->from;

	f->from = at;
	return from && from < at ? copy(f, from, (size_t)(at - from), err) : 0;
}

/* --- frames --- */

static int hand_on(struct fl_kube_frames *f)
{
	struct fl_kube_frame frame = {
		.type = f->type,
		.object = {
			.namespace = f->namespace,
			.name = f->name,
			.uid = f->uid,
			.resource_version = f->version,
			.json = f->too_large ? NULL : f->json,
			.len = f->too_large ? 0 : f->len,
		},
		.initial_end = strcmp(f->mark, "true") == 0,
		.code = (unsigned)strtoul(f->code, NULL, 10),
		.reason = f->reason,
		.message = f->message,
	};
	int rc = f->frame(f->user, &frame);

	forget_object(f);
	return rc;
}

static int bad(const struct fl_kube_frames *f, const char *problem, fairlead_error *err)
{
	if (f->name[0])
		return fl_fail(err, FAIRLEAD_EINPUT, "the answer is wrong at %s%s%s: %s",
			       f->namespace, f->namespace[0] ? "/" : "", f->name, problem);
	return fl_fail(err, FAIRLEAD_EINPUT, "the answer is wrong: %s", problem);
}

/* --- values --- */

static uint8_t role_of_key(const struct fl_kube_frames *f)
{
	uint32_t depth = f->scan.depth - 1; /* of the map that has the key */
	uint8_t in = depth < sizeof f->roles ? f->roles[depth] : (uint8_t)OTHER;

	if (in == OTHER)
		return OTHER;
	for (const struct rule *r = rules[f->form]; r->key; r++)
		if (r->in == in && strlen(r->key) == f->scan.n &&
		    memcmp(r->key, f->scan.text, f->scan.n) == 0)
			return r->is;
	return OTHER;
}

/* The role of a value that begins with @first. */
static uint8_t role_of_value(const struct fl_kube_frames *f, char first)
{
	uint32_t depth = f->scan.depth;
	uint8_t role = f->role;

	if (depth == 0)
		return ROOT;
	if (depth <= sizeof f->roles && f->roles[depth - 1] == ITEMS)
		return first == '{' ? OBJECT : OTHER;
	if (role == CODE || role == REMAINING)
		return first >= '0' && first <= '9' ? role : (uint8_t)OTHER;
	if (role >= TYPE)
		return first == '"' ? role : (uint8_t)OTHER;
	if (role == ITEMS)
		return first == '[' ? ITEMS : OTHER;
	return role == DROPPED || first == '{' ? role : (uint8_t)OTHER;
}

static int begin_value(struct fl_kube_frames *f, const char *at, fairlead_error *err)
{
	uint32_t depth = f->scan.depth;
	uint8_t role = role_of_value(f, *at);
	int rc = 0;

	if (depth < sizeof f->roles)
		f->roles[depth] = role;
	if (role == OTHER || role == DROPPED)
		f->scan.quiet = depth;
	if (role >= TYPE) {
		f->scan.keep = true;
	} else if (role == OBJECT) {
		f->in_object = true;
		f->base = f->scan.deepest = depth;
		f->from = at;
	} else if (role == DROPPED && f->in_object) {
		rc = copy_to(f, at, err);
		f->from = NULL;
		if (rc == 0)
			rc = copy(f, "null", 4, err);
	}
	f->role = OTHER;
	return rc;
}

static int take_text(struct fl_kube_frames *f, uint8_t role, fairlead_error *err)
{
	char *slot = (char *)f + slots[role].offset;
	size_t n = f->scan.n, size = slots[role].size;

	if (n >= size || f->scan.cut) {
		if (!slots[role].cut)
			return bad(f, "a name or version is too long", err);
		n = n < size ? n : size - 1;
		while (n > 0 && ((unsigned char)f->scan.text[n] & 0xc0) == 0x80)
			n--;
	}
	memcpy(slot, f->scan.text, n);
	slot[n] = '\0';
	return 0;
}

static int end_value(struct fl_kube_frames *f, const char *at, fairlead_error *err)
{
	uint32_t depth = f->scan.depth;
	uint8_t role = depth < sizeof f->roles ? f->roles[depth] : (uint8_t)OTHER;
	int rc = 0;

	if (role >= TYPE)
		return take_text(f, role, err);
	if (role == DROPPED && f->in_object) {
		f->from = at;
	} else if (role == OBJECT) {
		if (f->scan.deepest - f->base >= FL_MAX_DEPTH)
			f->too_large = true;
		rc = copy_to(f, at, err);
		f->from = NULL;
		f->in_object = false;
		f->has_object = true;
		if (rc == 0 && f->form != FL_KUBE_EVENTS)
			rc = hand_on(f);
	} else if (role == ROOT) {
		if (f->form == FL_KUBE_EVENTS && !f->has_object)
			return bad(f, "an event has no object", err);
		if (f->ended)
			return bad(f, "something follows it", err);
		f->ended = f->form != FL_KUBE_EVENTS;
		if (f->form == FL_KUBE_EVENTS || f->form == FL_KUBE_STATUS)
			rc = hand_on(f);
	}
	return rc;
}

int fl_kube_frames_take(struct fl_kube_frames *f, const char *bytes, size_t len,
			fairlead_error *err)
{
	const char *at = bytes, *end = bytes + len;
	int rc = 0;

	if (f->in_object && f->from)
		f->from = bytes;
	while (rc == 0) {
		switch (fl_scan_next(&f->scan, &at, end)) {
		case FL_SCAN_MORE:
			return f->from ? copy_to(f, end, err) : 0;
		case FL_SCAN_KEY:
			f->role = role_of_key(f);
			break;
		case FL_SCAN_BEGIN:
			rc = begin_value(f, at, err);
			break;
		case FL_SCAN_END:
			rc = end_value(f, at, err);
			break;
		default:
			rc = bad(f, f->scan.problem, err);
			break;
		}
	}
	return rc;
}
