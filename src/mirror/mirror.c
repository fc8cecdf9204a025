/* SPDX-License-Identifier: Apache-2.0 */
#include "mirror/mirror.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/mix.h"
#include "codec/object/fields.h"
#include "mirror/document.h"
#include "mirror/essence.h"
#include "mirror/kai_pod.h"
#include "mirror/reading.h"
#include "mirror/said.h"

/* What could not be freed while the mirror was pinned. */
struct grave {
	struct grave *next;
	void *what;
};

struct fl_mirror {
	struct fl_mirror_object **slot; /* open addressing, by kind and name */
	uint32_t slots, used, limit;
	uint32_t lists[FL_MIRROR_KINDS], count[FL_MIRROR_KINDS];
	char version[FL_MIRROR_KINDS][32]; /* of the API; "": the best one */
	struct fl_shared_set shared;
	size_t bytes;
	uint32_t uncertain; /* objects that are */
	bool answering;     /* what is seen now is an answer */
	struct fl_mirror_object *latest;
	fl_mirror_fn *changed;
	void *user;
	unsigned pins;
	struct grave *graves;
	/* used again for each object */
	struct fl_doc doc;
	struct fl_packed pods, held, own;
	struct fl_mirror_text text;
};

/* An object as it came, not in the mirror yet. */
struct coming {
	enum fl_mirror_kind kind;
	struct fl_mirror_names names;
	const uint8_t *own; /* its own part */
	uint32_t n_own;
	bool is_workload, uncertain;
	enum fl_fate fate;
};

int fl_mirror_new(fl_mirror_fn *changed, void *user, struct fl_mirror **ret, fairlead_error *err)
{
	struct fl_mirror *m = calloc(1, sizeof *m);

	if (!m)
		return fl_fail_nomem(err);
	m->limit = FL_MAX_KUBE_LIST;
	m->changed = changed;
	m->user = user;
	fl_doc_init(&m->doc, &fl_mem_heap);
	*ret = m;
	return 0;
}

void fl_mirror_limit(struct fl_mirror *m, uint32_t objects) { m->limit = objects; }

static void free_graves(struct fl_mirror *m)
{
	while (m->graves) {
		struct grave *g = m->graves;

		m->graves = g->next;
		free(g->what);
		free(g);
	}
}

struct fl_mirror *fl_mirror_free(struct fl_mirror *m)
{
	if (!m)
		return NULL;
	free_graves(m);
	for (uint32_t i = 0; i < m->slots; i++)
		free(m->slot[i]);
	free(m->slot);
	fl_shared_done(&m->shared);
	fl_doc_done(&m->doc);
	fl_mem_free(&fl_mem_heap, m->pods.bytes);
	fl_mem_free(&fl_mem_heap, m->held.bytes);
	fl_mem_free(&fl_mem_heap, m->own.bytes);
	fl_mem_free(&fl_mem_heap, m->text.bytes);
	free(m);
	return NULL;
}

/* --- pinning --- */

/* Without memory for a grave the memory is lost, which does no harm. */
static void bury(struct fl_mirror *m, void *what)
{
	struct grave *g;

	if (!m->pins) {
		free(what);
		return;
	}
	g = malloc(sizeof *g);
	if (!g)
		return;
	*g = (struct grave){ m->graves, what };
	m->graves = g;
}

void fl_mirror_pin(struct fl_mirror *m) { m->pins++; }

void fl_mirror_unpin(struct fl_mirror *m)
{
	if (--m->pins == 0)
		free_graves(m);
}

static size_t size_of(const struct fl_mirror_object *o)
{
	return sizeof *o + o->n_namespace + o->n_name + o->n_uid + 3U + o->n_own;
}

/* It is in no slot any more. */
static void drop(struct fl_mirror *m, struct fl_mirror_object *o)
{
	struct fl_shared *parts[] = { o->pods, o->held };

	for (int i = 0; i < 2; i++)
		if (fl_shared_leave(&m->shared, parts[i]))
			bury(m, parts[i]);
	m->bytes -= size_of(o);
	m->uncertain -= o->uncertain;
	bury(m, o);
}

/* --- the table --- */

static uint32_t hash_of(enum fl_mirror_kind kind, const char *namespace, const char *name)
{
	uint64_t h[2] = { (uint64_t)kind, 0 };

	for (; *namespace; namespace ++)
		fl_mix(h, (unsigned char)*namespace);
	fl_mix(h, 256);
	for (; *name; name++)
		fl_mix(h, (unsigned char)*name);
	return (uint32_t)(h[0] >> 32) ^ (uint32_t)h[1];
}

static uint32_t hash_of_object(const struct fl_mirror_object *o)
{
	return hash_of(o->kind, fl_mirror_namespace(o), fl_mirror_name(o));
}

/* The slot of the object, or an empty one; there is one. */
static uint32_t slot_of(const struct fl_mirror *m, enum fl_mirror_kind kind, const char *namespace,
			const char *name)
{
	uint32_t at = fl_slots_first(m->slots, hash_of(kind, namespace, name));

	for (; m->slot[at]; at = fl_slots_next(m->slots, at)) {
		const struct fl_mirror_object *o = m->slot[at];

		if (o->kind == kind && strcmp(fl_mirror_name(o), name) == 0 &&
		    strcmp(fl_mirror_namespace(o), namespace) == 0)
			break;
	}
	return at;
}

static int make_room(struct fl_mirror *m, fairlead_error *err)
{
	uint32_t slots = fl_slots_more(m->slots);
	struct fl_mirror_object **more;

	if (m->slots && !fl_slots_full(m->slots, m->used + 1))
		return 0;
	more = calloc(slots, sizeof *more);
	if (!more)
		return fl_fail_nomem(err);
	for (uint32_t i = 0; i < m->slots; i++) {
		uint32_t at;

		if (!m->slot[i])
			continue;
		at = fl_slots_first(slots, hash_of_object(m->slot[i]));
		while (more[at])
			at = fl_slots_next(slots, at);
		more[at] = m->slot[i];
	}
	free(m->slot);
	m->slot = more;
	m->slots = slots;
	return 0;
}

static void close_hole(struct fl_mirror *m, uint32_t at)
{
	for (uint32_t i = fl_slots_next(m->slots, at); m->slot[i]; i = fl_slots_next(m->slots, i)) {
		const uint32_t home = fl_slots_first(m->slots, hash_of_object(m->slot[i]));
		const bool between = at <= i ? at < home && home <= i : at < home || home <= i;

		if (between)
			continue;
		m->slot[at] = m->slot[i];
		at = i;
	}
	m->slot[at] = NULL;
}

struct fl_mirror_object *fl_mirror_find(const struct fl_mirror *m, enum fl_mirror_kind kind,
					const char *namespace, const char *name)
{
	return m->slots ? m->slot[slot_of(m, kind, namespace, name)] : NULL;
}

int fl_mirror_read(const struct fl_mirror_object *o, struct fl_doc *doc, fairlead_error *err)
{
	struct fl_reader *reader = NULL;
	struct fl_token t;
	int r = fl_reader_new(doc->mem, (const char *)fl_mirror_own(o), o->n_own - 1, &reader, err);

	fl_doc_clear(doc);
	if (r == 0)
		r = fl_reader_next(reader, &t, err); /* DOCUMENT */
	if (r == 0)
		r = fl_reader_next(reader, &t, err);
	if (r == 0)
		r = fl_doc_read(doc, reader, &t, err);
	fl_reader_free(reader);
	return r;
}

int fl_mirror_each(const struct fl_mirror *m, enum fl_mirror_kind kind,
		   int (*fn)(void *user, struct fl_mirror_object *o, fairlead_error *err),
		   void *user, fairlead_error *err)
{
	int r = 0;

	if (m->count[kind] == 0)
		return 0;
	for (uint32_t i = 0; i < m->slots && r >= 0; i++)
		if (m->slot[i] && m->slot[i]->kind == kind)
			r = fn(user, m->slot[i], err);
	return r < 0 ? r : 0;
}

/* An object before its home was put there from the end of the table: it is told after the turn. */
static bool is_of(const struct fl_mirror *m, const struct fl_mirror_object *o, uint64_t from,
		  uint64_t to, uint32_t at, bool round)
{
	const uint32_t hash = hash_of_object(o);

	return from <= hash && hash < to && (fl_slots_first(m->slots, hash) > at) == round;
}

/* By hashes and not by slots, as the table may grow between two pages; each stands at its home, or in the run behind it. */
int fl_mirror_page(const struct fl_mirror *m, uint64_t from, uint32_t slots,
		   int (*fn)(void *user, const struct fl_mirror_object *o, fairlead_error *err),
		   void *user, uint64_t *ret_next, fairlead_error *err)
{
	uint64_t to = FL_MIRROR_PAST;
	uint32_t at, homes;
	bool round = false;
	int r = 0;

	*ret_next = FL_MIRROR_PAST;
	if (from >= FL_MIRROR_PAST || m->used == 0)
		return 0;
	if (slots < m->slots && from + ((uint64_t)slots << 32) / m->slots < to)
		to = from + ((uint64_t)slots << 32) / m->slots;
	at = fl_slots_first(m->slots, (uint32_t)from);
	homes = fl_slots_first(m->slots, (uint32_t)(to - 1)) - at + 1;
	while (r == 0 && (homes > 0 || m->slot[at])) {
		if (m->slot[at] && is_of(m, m->slot[at], from, to, at, round))
			r = fn(user, m->slot[at], err);
		homes -= homes > 0;
		at = fl_slots_next(m->slots, at);
		round |= at == 0;
	}
	*ret_next = to;
	return r < 0 ? r : 0;
}

const char *fl_mirror_version(const struct fl_mirror *m, enum fl_mirror_kind kind)
{
	return m->version[kind];
}

uint32_t fl_mirror_count(const struct fl_mirror *m, enum fl_mirror_kind kind)
{
	return m->count[kind];
}

size_t fl_mirror_bytes(const struct fl_mirror *m)
{
	return m->bytes + m->shared.bytes + m->slots * sizeof *m->slot +
	       m->shared.slots * sizeof *m->shared.slot;
}

/* --- the essence --- */

/* Packs the rows of a Workload. 1: it is wrong, and what it holds is packed. */
static int pack(struct fl_mirror *m, struct coming *c, fairlead_error *err)
{
	struct fl_model *model = NULL;
	const int read = fl_read_workload(&m->doc, &c->uncertain, &model, err);
	int r = read < 0 ? read : 0;

	if (r == 0)
		c->fate = fl_fate_of(&model->workloads[0]);
	m->pods.n = m->held.n = 0;
	if (c->uncertain && fl_rows_pack_uncertain(model, &m->held, err) < 0)
		r = FAIRLEAD_ENOMEM;
	if (r == 0 && c->fate != FL_FATE_OVER)
		r = fl_rows_pack_pods(model, &m->pods, err);
	if (r == 0 && model->n_podset_assignments)
		r = fl_rows_pack_held(model, &m->held, err);
	if (r == 0)
		r = fl_rows_pack_own(model, &m->own, err);
	fl_model_free(model);
	c->own = m->own.bytes;
	c->n_own = m->own.n;
	return r < 0 ? r : read;
}

static int write_text(struct fl_mirror *m, struct coming *c, fairlead_error *err)
{
	int r;

	m->text.n = 0;
	r = fl_mirror_write(&m->doc, &m->text, err);
	c->own = (const uint8_t *)m->text.bytes;
	c->n_own = m->text.n + 1; /* it ends in a NUL */
	return r;
}

/*
 * Can rows be made of it?  An object that configures is read as in a configuration, and kept out of all of them if
 * it cannot be; own documents have rules of their own.
 */
static int judge(struct fl_mirror *m, enum fl_mirror_kind kind, fairlead_error *err)
{
	const enum fl_mirror_use use = fl_mirror_kind(kind)->use;
	struct fl_text_source text = { m->text.bytes, m->text.n };
	const struct fl_source source = { fl_text_read, &text };
	struct fl_model *model = NULL;
	int r = 0;

	if (use == FL_MIRROR_SETTINGS)
		r = fl_model_new(&fl_mem_heap, &model, err);
	else if (use != FL_MIRROR_OWN)
		r = fl_read_rows(&m->doc, kind, /* lenient= */ false, &model, err);
	if (r == 0 && use == FL_MIRROR_SETTINGS)
		r = fl_kube_read_kept(model, fl_mirror_kind(kind)->name, &source, /* tap= */ NULL,
				      err);
	fl_model_free(model);
	return r;
}

static int make_object(struct fl_mirror *m, const struct coming *c, struct fl_mirror_object **ret,
		       fairlead_error *err)
{
	const struct fl_mirror_names *n = &c->names;
	const struct fl_mirror_object sizes = {
		.version = n->version,
		.n_own = c->n_own,
		.n_namespace = (uint16_t)strlen(n->namespace),
		.n_name = (uint16_t)strlen(n->name),
		.n_uid = (uint16_t)strlen(n->uid),
		.kind = (uint8_t)c->kind,
		.fate = c->fate,
		.uncertain = c->uncertain,
	};
	struct fl_mirror_object *o = malloc(size_of(&sizes));
	int r = 0;

	if (!o)
		return fl_fail_nomem(err);
	*o = sizes;
	memcpy(o->text, n->namespace, o->n_namespace + 1U);
	memcpy(o->text + o->n_namespace + 1, n->name, o->n_name + 1U);
	memcpy(o->text + o->n_namespace + o->n_name + 2, n->uid, o->n_uid + 1U);
	if (c->n_own)
		memcpy(o->text + o->n_namespace + o->n_name + o->n_uid + 3, c->own, c->n_own);
	if (c->is_workload && m->pods.n)
		r = fl_shared_enter(&m->shared, m->pods.bytes, m->pods.n, &o->pods, err);
	if (r == 0 && c->is_workload && m->held.n)
		r = fl_shared_enter(&m->shared, m->held.bytes, m->held.n, &o->held, err);
	m->bytes += size_of(o);
	m->uncertain += o->uncertain;
	if (r < 0)
		drop(m, o);
	else
		*ret = o;
	return r;
}

static bool is_part(const struct fl_shared *text, const struct fl_packed *p)
{
	return text ? text->n == p->n && memcmp(text->bytes, p->bytes, p->n) == 0 : p->n == 0;
}

static bool is_same(const struct fl_mirror *m, const struct fl_mirror_object *o,
		    const struct coming *c)
{
	return o->n_own == c->n_own && memcmp(fl_mirror_own(o), c->own, c->n_own) == 0 &&
	       o->uncertain == c->uncertain &&
	       (!c->is_workload || (is_part(o->pods, &m->pods) && is_part(o->held, &m->held)));
}

/* --- changes --- */

static int read_own(const struct fl_mirror_object *o, struct fl_names *names,
		    struct fl_rows_own *ret, const struct fl_rows_own **ret_at, fairlead_error *err)
{
	int r = 0;

	*ret_at = NULL;
	if (o && o->n_own && o->fate != FL_FATE_NONE) {
		r = fl_rows_read_own(fl_mirror_own(o), names, ret, err);
		*ret_at = ret;
	}
	return r;
}

static int classify(struct fl_mirror_change *change, fairlead_error *err)
{
	const struct fl_mirror_object *was = change->was, *now = change->now;
	struct fl_rows_own before, after;
	struct fl_saying s = { .same_pods = was && now && was->pods == now->pods,
			       .same_held = was && now && was->held == now->held };
	struct fl_names names;
	int r = fl_names_init(&names, &fl_mem_heap, err);

	if (r == 0)
		r = read_own(was, &names, &before, &s.was, err);
	if (r == 0)
		r = read_own(now, &names, &after, &s.now, err);
	fl_names_done(&names);
	change->said = r < 0 ? 0 :
			       fl_said(was ? was->fate : FL_FATE_NONE,
				       now ? now->fate : FL_FATE_NONE, &s);
	return r;
}

/* What was told in part may be in use on: from then on nothing is freed. */
static int tell(struct fl_mirror *m, enum fl_mirror_kind kind, struct fl_mirror_object *now,
		const struct fl_mirror_object *was, fairlead_error *err)
{
	struct fl_mirror_change change = { .kind = kind, .now = now, .was = was };
	int r = kind == FL_MIRROR_WORKLOAD ? classify(&change, err) : 0;

	if (r == 0 && m->changed)
		r = m->changed(m->user, &change, err);
	if (r < 0)
		fl_mirror_pin(m);
	return r;
}

static int remove_at(struct fl_mirror *m, uint32_t at, fairlead_error *err)
{
	struct fl_mirror_object *o = m->slot[at];
	int r;

	close_hole(m, at);
	m->used--;
	m->count[o->kind]--;
	r = tell(m, o->kind, /* now= */ NULL, o, err);
	drop(m, o);
	return r;
}

/* The object of that name has another essence, and is told as the one that was there before. */
static int replace(struct fl_mirror *m, uint32_t at, struct fl_mirror_object *o,
		   fairlead_error *err)
{
	struct fl_mirror_object *was = m->slot[at];
	int r;

	m->slot[at] = o;
	o->number = was->number;
	if (!o->answered)
		o->answered = was->answered;
	r = tell(m, o->kind, o, was, err);
	drop(m, was);
	return r;
}

static void mark_seen(const struct fl_mirror *m, struct fl_mirror_object *o)
{
	o->seen = m->lists[o->kind];
	if (m->answering)
		o->answered = m->lists[o->kind];
}

/*
 * Of a list that began before the answer that is known, or of a watch that is behind it; or an answer that comes after
 * the watch has told as much, or of another object that has the name since.
 */
static bool is_older(const struct fl_mirror *m, const struct fl_mirror_object *o,
		     const struct coming *c)
{
	if (m->answering)
		return c->names.version <= o->version;
	return strcmp(fl_mirror_uid(o), c->names.uid) == 0 && o->answered &&
	       o->answered == m->lists[c->kind] && c->names.version &&
	       c->names.version < o->version;
}

static int put(struct fl_mirror *m, const struct coming *c, fairlead_error *err)
{
	struct fl_mirror_object *o = NULL;
	uint32_t at;
	int r = make_room(m, err);

	if (r < 0)
		return r;
	at = slot_of(m, c->kind, c->names.namespace, c->names.name);
	o = m->slot[at];
	m->latest = o;
	if (o && is_older(m, o, c)) {
		mark_seen(m, o);
		return 0;
	}
	if (o && strcmp(fl_mirror_uid(o), c->names.uid) == 0 && is_same(m, o, c)) {
		o->version = c->names.version;
		mark_seen(m, o);
		return 0;
	}
	m->latest = NULL;
	if (o && strcmp(fl_mirror_uid(o), c->names.uid) != 0) { /* deleted, and made again */
		r = remove_at(m, at, err);
		at = slot_of(m, c->kind, c->names.namespace, c->names.name);
		o = NULL;
	}
	if (r == 0 && o) {
		r = make_object(m, c, &o, err);
		if (r < 0)
			return r;
		mark_seen(m, o);
		m->latest = o;
		return replace(m, at, o, err);
	}
	if (r == 0 && m->count[c->kind] >= m->limit)
		r = fl_fail(err, FAIRLEAD_ELIMIT, "there are more than %" PRIu32 " of them",
			    m->limit);
	if (r == 0)
		r = make_object(m, c, &o, err);
	if (r < 0)
		return r;
	mark_seen(m, o);
	m->latest = m->slot[at] = o;
	m->used++;
	m->count[c->kind]++;
	return tell(m, c->kind, o, /* was= */ NULL, err);
}

/* --- what a listener hears --- */

void fl_mirror_begin(struct fl_mirror *m, enum fl_mirror_kind kind, const char *version)
{
	m->lists[kind]++;
	(void)snprintf(m->version[kind], sizeof m->version[kind], "%s", version ? version : "");
}

static bool is_named_well(const struct fl_mirror_names *n)
{
	return strlen(n->name) <= FL_MAX_NAME && strlen(n->namespace) <= FL_MAX_NAME &&
	       strlen(n->uid) <= FL_MAX_NAME;
}

int fl_mirror_see(struct fl_mirror *m, enum fl_mirror_kind kind, const char *json, size_t len,
		  fairlead_error *err)
{
	struct coming c = { .kind = kind, .is_workload = kind == FL_MIRROR_WORKLOAD };
	char names[3][FL_MAX_NAME + 1];
	fairlead_error own = { 0 };
	int r;

	m->latest = NULL;
	r = fl_mirror_document(fl_mirror_kind(kind), m->version[kind][0] ? m->version[kind] : NULL,
			       json, len, &m->doc, &c.names, err);

	if (r == 0 && !is_named_well(&c.names))
		r = fl_fail(err, FAIRLEAD_ELIMIT, "a name is longer than %d bytes", FL_MAX_NAME);
	if (r < 0)
		return r;
	if (kind == FL_MIRROR_POD && fl_kai_has_ended(&m->doc))
		return fl_mirror_remove(m, kind, c.names.namespace, c.names.name, err);
	/* The codec may move the texts of the document. */
	(void)snprintf(names[0], sizeof names[0], "%s", c.names.namespace);
	(void)snprintf(names[1], sizeof names[1], "%s", c.names.name);
	(void)snprintf(names[2], sizeof names[2], "%s", c.names.uid);
	c.names.namespace = names[0];
	c.names.name = names[1];
	c.names.uid = names[2];
	r = c.is_workload ? pack(m, &c, &own) : write_text(m, &c, &own);
	if (r == 0 && !c.is_workload)
		r = judge(m, kind, &own);
	if (r == FAIRLEAD_ENOMEM)
		return fl_fail_nomem(err);
	if (r == 0)
		return put(m, &c, err);
	if (r < 0) { /* it is there, and nothing can be made of it */
		m->pods.n = 0;
		m->held.n = c.uncertain ? m->held.n : 0;
		c.fate = FL_FATE_NONE;
		c.n_own = 0;
	}
	r = put(m, &c, err);
	if (r == 0)
		*err = own;
	return r < 0 ? r : 1;
}

int fl_mirror_answer(struct fl_mirror *m, enum fl_mirror_kind kind, const char *json, size_t len,
		     fairlead_error *err)
{
	int r;

	m->answering = true;
	r = fl_mirror_see(m, kind, json, len, err);
	m->answering = false;
	return r;
}

const struct fl_mirror_object *fl_mirror_latest(const struct fl_mirror *m) { return m->latest; }

int fl_mirror_too_large(struct fl_mirror *m, enum fl_mirror_kind kind, const char *namespace,
			const char *name, const char *uid, fairlead_error *err)
{
	const struct coming c = { .kind = kind,
				  .names = { namespace, name, uid, 0 },
				  .is_workload = kind == FL_MIRROR_WORKLOAD,
				  .uncertain = kind == FL_MIRROR_WORKLOAD };

	m->pods.n = m->held.n = 0;
	return is_named_well(&c.names) ? put(m, &c, err) : 0;
}

int fl_mirror_remove(struct fl_mirror *m, enum fl_mirror_kind kind, const char *namespace,
		     const char *name, fairlead_error *err)
{
	uint32_t at;

	if (!m->slots)
		return 0;
	at = slot_of(m, kind, namespace, name);
	return m->slot[at] ? remove_at(m, at, err) : 0;
}

/* A removal moves others into the hole, maybe from behind the end: so a pass that removed is not the last. */
int fl_mirror_listed(struct fl_mirror *m, enum fl_mirror_kind kind, fairlead_error *err)
{
	bool again = true;
	int r = 0;

	while (again && r == 0) {
		again = false;
		for (uint32_t i = 0; i < m->slots && r == 0; i++)
			while (r == 0 && m->slot[i] && m->slot[i]->kind == kind &&
			       m->slot[i]->seen != m->lists[kind]) {
				r = remove_at(m, i, err);
				again = true;
			}
	}
	return r;
}

const struct fl_mirror_object *fl_mirror_uncertain(const struct fl_mirror *m)
{
	for (uint32_t i = 0; m->uncertain && i < m->slots; i++)
		if (m->slot[i] && m->slot[i]->uncertain)
			return m->slot[i];
	return NULL;
}

/* --- digests --- */

void fl_mirror_digest_of(const struct fl_mirror_object *o, uint64_t ret[2])
{
	fl_mirror_essence_of(o, ret);
	fl_mix(ret, o->kind);
	fl_mix(ret, o->version);
}

void fl_mirror_digest(const struct fl_mirror *m, uint64_t ret[2])
{
	ret[0] = ret[1] = m->used;
	for (uint32_t i = 0; i < m->slots; i++)
		if (m->slot[i]) {
			uint64_t one[2];

			fl_mirror_digest_of(m->slot[i], one);
			ret[0] += one[0];
			ret[1] += one[1];
		}
}
