/* SPDX-License-Identifier: Apache-2.0 */
#include "mirror/kai_gang.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mirror/said.h"

/* --- rows by their names: open addressing, and what is dropped is freed --- */

/* The beginning of a pod and of a gang. */
struct row {
	uint64_t hash;
	const char *name; /* "namespace/name", behind the row */
};

struct table {
	struct row **slot;
	uint32_t slots, n; /* slots: a power of two */
};

static uint64_t hash_of(const char *a, const char *b)
{
	uint64_t h = fl_shared_hash((const uint8_t *)a, (uint32_t)strlen(a));

	return h * 31 + fl_shared_hash((const uint8_t *)b, (uint32_t)strlen(b));
}

static bool is_named(const struct row *row, uint64_t hash, const char *namespace, const char *name)
{
	const size_t n = strlen(namespace);

	return row->hash == hash && strncmp(row->name, namespace, n) == 0 && row->name[n] == '/' &&
	       strcmp(row->name + n + 1, name) == 0;
}

static struct row *find(const struct table *t, const char *namespace, const char *name)
{
	const uint64_t hash = hash_of(namespace, name);

	for (uint32_t i = (uint32_t)hash & (t->slots - 1); t->slots && t->slot[i];
	     i = (i + 1) & (t->slots - 1))
		if (is_named(t->slot[i], hash, namespace, name))
			return t->slot[i];
	return NULL;
}

static void put(struct table *t, struct row *row)
{
	uint32_t i = (uint32_t)row->hash & (t->slots - 1);

	while (t->slot[i])
		i = (i + 1) & (t->slots - 1);
	t->slot[i] = row;
}

static int grow(struct table *t, fairlead_error *err)
{
	struct table more = { .slots = t->slots ? 2 * t->slots : 64, .n = t->n };

	if (t->n + 1 <= t->slots / 4 * 3)
		return 0;
	more.slot = calloc(more.slots, sizeof(struct row *));
	if (!more.slot)
		return fl_fail_nomem(err);
	for (uint32_t i = 0; i < t->slots; i++)
		if (t->slot[i])
			put(&more, t->slot[i]);
	free(t->slot);
	*t = more;
	return 0;
}

/* The row of that name, which is made of @size bytes where it is not there. */
static int have(struct table *t, const char *namespace, const char *name, size_t size,
		struct row **ret, fairlead_error *err)
{
	const size_t n = strlen(namespace), m = strlen(name);
	char *text;
	int r;

	*ret = find(t, namespace, name);
	if (*ret)
		return 0;
	r = grow(t, err);
	if (r < 0)
		return r;
	*ret = calloc(1, size + n + m + 2);
	if (!*ret)
		return fl_fail_nomem(err);
	text = (char *)*ret + size;
	memcpy(text, namespace, n);
	text[n] = '/';
	memcpy(text + n + 1, name, m + 1);
	(*ret)->hash = hash_of(namespace, name);
	(*ret)->name = text;
	put(t, *ret);
	t->n++;
	return 0;
}

/* Takes it out and frees it: those behind it move up, so that no search ends early. */
static void drop(struct table *t, struct row *row)
{
	uint32_t i = (uint32_t)row->hash & (t->slots - 1), next;

	while (t->slot[i] != row)
		i = (i + 1) & (t->slots - 1);
	t->slot[i] = NULL;
	for (next = (i + 1) & (t->slots - 1); t->slot[next]; next = (next + 1) & (t->slots - 1)) {
		struct row *moved = t->slot[next];

		t->slot[next] = NULL;
		put(t, moved);
	}
	t->n--;
	free(row);
}

static void table_done(struct table *t)
{
	for (uint32_t i = 0; i < t->slots; i++)
		free(t->slot[i]);
	free(t->slot);
}

/* --- gangs and pods --- */

struct gang {
	struct row row;
	struct gang *next; /* of those that changed, while `changed` */
	struct fl_kai_counts counts;
	/* Sums of hashes: which pods hold which nodes, and which may run or do. */
	uint64_t held, told_held, alive, told_alive;
	enum fl_fate told;
	uint32_t told_pods; /* as of then */
	bool changed;
};

struct pod {
	struct row row;
	struct gang *gang;        /* NULL: none, or the pod is not there */
	uint64_t node, bind_node; /* hashes; 0: none */
	struct fl_kai_pod is;     /* without texts */
	bool there, has_node;
};

struct fl_kai_gangs {
	struct table gangs, pods;
	struct gang *changed;
};

int fl_kai_gangs_new(struct fl_kai_gangs **ret, fairlead_error *err)
{
	*ret = calloc(1, sizeof **ret);
	return *ret ? 0 : fl_fail_nomem(err);
}

struct fl_kai_gangs *fl_kai_gangs_free(struct fl_kai_gangs *g)
{
	if (g) {
		table_done(&g->gangs);
		table_done(&g->pods);
	}
	free(g);
	return NULL;
}

static bool holds(enum fl_kai_state state)
{
	return state == FL_KAI_BINDING || state == FL_KAI_BOUND || state == FL_KAI_RUNNING;
}

enum fl_fate fl_kai_fate(const struct fl_kai_counts *c)
{
	const uint32_t *of = c->of;

	if (c->least == 0)
		return FL_FATE_NONE;
	if (of[FL_KAI_BINDING] + of[FL_KAI_BOUND] + of[FL_KAI_RUNNING])
		return FL_FATE_HOLDS;
	if (of[FL_KAI_RELEASING])
		return FL_FATE_GOES;
	if (of[FL_KAI_PENDING] >= c->least)
		return FL_FATE_WAITS;
	return of[FL_KAI_ENDED] && !of[FL_KAI_PENDING] && !of[FL_KAI_GATED] ? FL_FATE_OVER :
									      FL_FATE_OUT;
}

static void note(struct fl_kai_gangs *g, struct gang *gang)
{
	if (gang->changed)
		return;
	gang->changed = true;
	gang->next = g->changed;
	g->changed = gang;
}

/* The pod as it is now counts once more (@sign 1), or not any more (-1). */
static void count(struct fl_kai_gangs *g, const struct pod *p, int sign)
{
	struct fl_kai_pod is = p->is;
	enum fl_kai_state state;

	if (!p->gang || !p->there)
		return;
	is.node = p->has_node ? "x" : "";
	state = fl_kai_state_of(&is, p->bind_node != 0);
	p->gang->counts.of[state] += (uint32_t)sign;
	if (state != FL_KAI_ENDED && state != FL_KAI_AWAY)
		p->gang->alive += sign > 0 ? p->row.hash : -p->row.hash;
	if (holds(state) || state == FL_KAI_RELEASING) {
		const uint64_t place = p->row.hash * 31 + (p->has_node ? p->node : p->bind_node);

		p->gang->held += sign > 0 ? place : -place;
	}
	note(g, p->gang);
}

/* Of the same namespace; *ret NULL: it names none. */
static int gang_of(struct fl_kai_gangs *g, const char *namespace, const char *group,
		   struct gang **ret, fairlead_error *err)
{
	*ret = NULL;
	return *group ? have(&g->gangs, namespace, group, sizeof(struct gang), (struct row **)ret,
			     err) :
			0;
}

static uint64_t node_hash(const char *node) { return *node ? hash_of("", node) | 1 : 0; }

int fl_kai_gangs_group(struct fl_kai_gangs *g, const char *namespace, const char *name,
		       uint32_t least, fairlead_error *err)
{
	struct gang *gang;
	int r = gang_of(g, namespace, name, &gang, err);

	if (r < 0 || !gang)
		return r;
	gang->counts.least = least;
	note(g, gang);
	return 0;
}

static void drop_pod(struct fl_kai_gangs *g, struct pod *p)
{
	if (!p->there && !p->bind_node)
		drop(&g->pods, &p->row);
}

int fl_kai_gangs_pod(struct fl_kai_gangs *g, const char *namespace, const char *name,
		     const struct fl_kai_pod *pod, fairlead_error *err)
{
	struct gang *gang = NULL;
	struct row *row = find(&g->pods, namespace, name);
	struct pod *p;
	int r = 0;

	if (!pod && !row)
		return 0;
	if (pod) {
		r = gang_of(g, namespace, pod->group, &gang, err);
		if (r == 0)
			r = have(&g->pods, namespace, name, sizeof(struct pod), &row, err);
	}
	if (gang)
		note(g, gang);
	if (r < 0)
		return r;
	p = (struct pod *)row;
	count(g, p, -1);
	p->there = pod != NULL;
	p->gang = gang;
	if (pod) {
		p->is = *pod;
		p->is.group = p->is.node = NULL;
		p->has_node = *pod->node;
		p->node = node_hash(pod->node);
	}
	count(g, p, 1);
	drop_pod(g, p);
	return 0;
}

int fl_kai_gangs_bind(struct fl_kai_gangs *g, const char *namespace, const char *pod,
		      const char *node, fairlead_error *err)
{
	const uint64_t at = node ? node_hash(node) : 0;
	struct row *row = find(&g->pods, namespace, pod);
	struct pod *p;
	int r = row || !at ? 0 : have(&g->pods, namespace, pod, sizeof(struct pod), &row, err);

	if (r < 0 || !row)
		return r;
	p = (struct pod *)row;
	count(g, p, -1);
	p->bind_node = at;
	count(g, p, 1);
	drop_pod(g, p);
	return 0;
}

const struct fl_kai_counts *fl_kai_gangs_counts(const struct fl_kai_gangs *g, const char *namespace,
						const char *group)
{
	const struct row *row = find(&g->gangs, namespace, group);

	return row ? &((const struct gang *)row)->counts : NULL;
}

/* --- telling --- */

static uint32_t pods_of(const struct gang *gang)
{
	uint32_t n = 0;

	for (int i = 0; i < FL_KAI_STATES; i++)
		n += gang->counts.of[i];
	return n;
}

static bool is_empty(const struct gang *gang) { return !gang->counts.least && !pods_of(gang); }

static unsigned said_of(const struct gang *gang, enum fl_fate now)
{
	const struct fl_saying nothing = { 0 };
	const bool in_play = now == FL_FATE_WAITS || now == FL_FATE_HOLDS || now == FL_FATE_GOES;
	unsigned said = 0;

	if (now != gang->told)
		said = fl_said(gang->told, now, &nothing);
	else if (now != FL_FATE_WAITS && in_play && gang->held != gang->told_held)
		/* It holds other nodes, or more or fewer. */
		said = FL_SAID_RELEASED | FL_SAID_HOLDS | (now == FL_FATE_GOES ? FL_SAID_GOES : 0);
	/* It has other pods. */
	if (in_play && !(said & FL_SAID_COMES) && gang->alive != gang->told_alive)
		said |= FL_SAID_CHANGED;
	return said;
}

static int tell(struct gang *gang, fl_kai_gang_fn *fn, void *user, fairlead_error *err)
{
	const enum fl_fate now = fl_kai_fate(&gang->counts);
	const unsigned said = said_of(gang, now);
	const size_t n = strcspn(gang->row.name, "/");
	char namespace[256];
	struct fl_kai_gang_change change = {
		.namespace = namespace,
		.group = gang->row.name + n + 1,
		.was = gang->told,
		.now = now,
		.said = said,
		.counts = &gang->counts,
	};

	(void)snprintf(namespace, sizeof namespace, "%.*s", (int)n, gang->row.name);
	return said || now != gang->told || pods_of(gang) != gang->told_pods ?
		       fn(user, &change, err) :
		       0;
}

int fl_kai_gangs_tell(struct fl_kai_gangs *g, fl_kai_gang_fn *fn, void *user, fairlead_error *err)
{
	int r = 0;

	while (g->changed && r == 0) {
		struct gang *gang = g->changed;

		r = tell(gang, fn, user, err);
		if (r < 0)
			break;
		gang->told = fl_kai_fate(&gang->counts);
		gang->told_held = gang->held;
		gang->told_alive = gang->alive;
		gang->told_pods = pods_of(gang);
		gang->changed = false;
		g->changed = gang->next;
		if (is_empty(gang))
			drop(&g->gangs, &gang->row);
	}
	return r;
}
