/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/edit/set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/nearest.h"
#include "codec/edit/apply.h"
#include "codec/edit/set_put.h"

enum { LISTED = 180 };

/* --- the text --- */

static int bad(const char *text, const char *why, fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_EINPUT, "'%.200s': %s", text, why);
	return fl_fail_hint(err, "the form is PATH=VALUE, PATH+=VALUE or PATH-=VALUE, such as "
				 "spec.fairSharing.weight=2");
}

static char *copy(const struct fl_mem *mem, const char *text)
{
	size_t size = strlen(text) + 1;
	char *ret = mem->resize(mem->user, NULL, size);

	return ret ? memcpy(ret, text, size) : NULL;
}

static struct fl_set_step bracket(char *text)
{
	char *equals = strchr(text, '=');
	size_t digits = strspn(text, "0123456789");

	if (equals) {
		*equals = '\0';
		return (struct fl_set_step){ .kind = FL_STEP_NAMED,
					     .name = text,
					     .value = equals + 1 };
	}
	if (digits && digits < 9 && !text[digits])
		return (struct fl_set_step){ .kind = FL_STEP_NUMBER,
					     .number = (uint32_t)strtoul(text, NULL, 10) };
	return (struct fl_set_step){ .kind = FL_STEP_KEY, .name = text };
}

/* The path, which ends at @end; its steps are cut out of it. */
static const char *parse_path(struct fl_set *s, char *at, char *end)
{
	bool wanted = true; /* a name, and not a dot or bracket */

	*end = '\0';
	while (at < end) {
		size_t len = strcspn(at, ".[");
		char *close;

		if (s->n == FL_SET_STEPS)
			return "the path is too long";
		if (wanted) {
			if (len == 0)
				return "a name of a field is missing";
			s->steps[s->n++] = (struct fl_set_step){ .kind = FL_STEP_FIELD,
								 .name = at };
			at += len;
			wanted = false;
			continue;
		}
		if (len)
			return "behind ']' is neither '.' nor '['";
		if (*at == '.') {
			*at++ = '\0';
			wanted = true;
			continue;
		}
		*at++ = '\0';
		close = strchr(at, ']');
		if (!close || close == at)
			return "a '[' without name and ']'";
		*close = '\0';
		s->steps[s->n++] = bracket(at);
		at = close + 1;
	}
	return wanted ? "a name of a field is missing" : NULL;
}

/* The first '=' outside of brackets. */
static char *find_equals(char *text)
{
	bool inside = false;

	for (; *text; text++) {
		inside = *text == '[' || (inside && *text != ']');
		if (*text == '=' && !inside)
			return text;
	}
	return NULL;
}

static int parse_value(struct fl_set *s, const char *value, const char *text, fairlead_error *err)
{
	static const char yaml[] = "--- "; /* {a: b} is not JSON */
	static const struct fl_token empty = { .kind = FL_TOKEN_SCALAR,
					       .type = FL_SCALAR_STRING,
					       .text = "" };
	fairlead_error why = { 0 };
	size_t size = strlen(value) + sizeof yaml;
	char *document;
	int r;

	if (!*value)
		return fl_doc_push(&s->value, &empty, err);
	document = s->mem->resize(s->mem->user, NULL, size);
	if (!document)
		return fl_fail_nomem(err);
	(void)snprintf(document, size, "%s%s", yaml, value);
	r = fl_apply_parse(document, size - 1, &s->value, &why);
	fl_mem_free(s->mem, document);
	if (r == FAIRLEAD_ENOMEM)
		*err = why;
	return r < 0 && r != FAIRLEAD_ENOMEM ? bad(text, why.text, err) : r;
}

int fl_set_parse(struct fl_set *s, const struct fl_mem *mem, const char *text, fairlead_error *err)
{
	const char *why;
	char *equals, *end;

	*s = (struct fl_set){ .mem = mem, .text = copy(mem, text), .parts = copy(mem, text) };
	fl_doc_init(&s->value, mem);
	if (!s->text || !s->parts)
		return fl_fail_nomem(err);
	equals = find_equals(s->parts);
	if (!equals)
		return bad(text, "there is no '='", err);
	end = equals;
	if (equals > s->parts && (equals[-1] == '+' || equals[-1] == '-')) {
		end--;
		s->sign = *end == '+' ? 1 : -1;
	}
	while (end > s->parts && end[-1] == ' ')
		end--;
	why = parse_path(s, s->parts, end);
	if (why)
		return bad(text, why, err);
	return parse_value(s, equals + 1 + strspn(equals + 1, " "), text, err);
}

void fl_set_done(struct fl_set *s)
{
	if (!s->mem)
		return;
	fl_mem_free(s->mem, s->text);
	fl_mem_free(s->mem, s->parts);
	fl_doc_done(&s->value);
	*s = (struct fl_set){ 0 };
}

/* --- where it leads to in an object --- */

/* A list of names for a hint, cut where it is too long. */
struct listed {
	char text[LISTED + 8];
	size_t used;
	bool cut;
};

static void list_name(struct listed *l, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = l->text; (at = strstr(at, name)) != NULL; at++)
		if ((at == l->text || at[-1] == ' ') && (!at[len] || at[len] == ','))
			return; /* it is there */

	l->cut |= l->used + len + 2 > LISTED;
	if (l->cut)
		return;
	l->used += (size_t)snprintf(l->text + l->used, sizeof l->text - l->used, "%s%s",
				    l->used ? ", " : "", name);
}

static const char *listed(struct listed *l)
{
	if (l->cut)
		(void)snprintf(l->text + l->used, sizeof l->text - l->used, ", ...");
	return l->text;
}

struct walk {
	const struct fl_set *s;
	const struct fl_kind *kind;
	const struct fl_doc *doc;
	struct fl_put_step steps[FL_SET_STEPS + 4];
	unsigned n;
	uint32_t v;                    /* where it is; FL_NONE: the object has no such field */
	const struct fl_field *f;      /* the last field; NULL: none yet */
	const struct fl_field *fields; /* what may follow; NULL: nothing */
	bool in_list;                  /* an item must follow */
	bool any;                      /* a key must follow that may be any */
	char path[256];
	fairlead_error *err;
};

static void add_path(struct walk *w, const char *format, const char *name)
{
	size_t used = strlen(w->path);

	(void)snprintf(w->path + used, sizeof w->path - used, format, name);
}

static void step_key(struct walk *w, const char *key)
{
	w->steps[w->n++] = (struct fl_put_step){ .key = key };
	w->v = w->v == FL_NONE ? FL_NONE : fl_doc_find(w->doc, w->v, key);
	if (w->v != FL_NONE && w->doc->values[w->v].kind == FL_TOKEN_SCALAR &&
	    w->doc->values[w->v].type == FL_SCALAR_NULL)
		w->v = FL_NONE;
	add_path(w, *w->path ? ".%.100s" : "%.100s", key);
}

static const struct fl_field *find_field(const struct fl_field *fields, const char *name)
{
	for (const struct fl_field *f = fields; f && f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

static int no_field(const struct walk *w, const char *name)
{
	struct fl_nearest near = { .wanted = name };
	struct listed list = { .text = "" };
	char text[1600];

	for (const struct fl_field *f = w->fields; f && f->name; f++)
		if (f->support == FL_FIELD_SUPPORTED) {
			fl_nearest_offer(&near, f->name);
			list_name(&list, f->name);
		}
	if (!w->f)
		fl_fail(w->err, FAIRLEAD_EINPUT, "a %s has no field '%.100s'", w->kind->name, name);
	else
		fl_fail(w->err, FAIRLEAD_EINPUT, "there is no field '%.100s' in %s", name, w->path);
	if (near.n)
		return fl_fail_hint(w->err, "did you mean %s?",
				    fl_nearest_text(&near, text, sizeof text));
	if (list.used)
		return fl_fail_hint(w->err, "its fields are: %s", listed(&list));
	return FAIRLEAD_EINPUT;
}

static int enter_field(struct walk *w, const struct fl_field *f)
{
	step_key(w, f->name);
	w->f = f;
	w->fields = f->fields;
	w->any = f->keys != FL_TEXT_VALUE;
	w->in_list = f->list;
	if (f->support == FL_FIELD_SUPPORTED)
		return 0;
	if (f->note)
		return fl_fail(w->err, FAIRLEAD_EINPUT, "'%s' is not used: %s", w->path, f->note);
	return fl_fail(w->err, FAIRLEAD_EINPUT, "'%s' is not read: no decision depends on it",
		       w->path);
}

static int step_field(struct walk *w, const char *name)
{
	const struct fl_field *f;

	if (w->in_list) {
		fl_fail(w->err, FAIRLEAD_EINPUT, "'%s' is a list", w->path);
		return fl_fail_hint(w->err, "an item of it is %s[name=NAME] or %s[0]", w->path,
				    w->path);
	}
	if (w->any) {
		w->any = false;
		step_key(w, name);
		return 0;
	}
	f = find_field(w->fields, name);
	return f ? enter_field(w, f) : no_field(w, name);
}

static const char *word_for(const char *list)
{
	static const char *const words[][2] = {
		{ "flavors", "flavor" },
		{ "resources", "resource" },
		{ "podSets", "podset" },
		{ "containers", "container" },
		{ "resourceGroups", "resource group" },
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(words[i][0], list) == 0)
			return words[i][1];
	return "item";
}

/* The text of a key of an item; NULL. */
static const char *item_text(const struct fl_doc *doc, uint32_t item, const char *key)
{
	uint32_t v = fl_doc_find(doc, item, key);

	return v != FL_NONE && doc->values[v].kind == FL_TOKEN_SCALAR ? fl_doc_text(doc, v) : NULL;
}

static int no_item(const struct walk *w, const struct fl_set_step *step, uint32_t n)
{
	const char *word = word_for(w->f->name);
	struct listed list = { .text = "" };

	if (step->kind == FL_STEP_NUMBER) {
		fl_fail(w->err, FAIRLEAD_EINPUT, "there is no %s %u in %s", word, step->number,
			w->path);
		return fl_fail_hint(w->err, n ? "it has %u, counted from 0" : "it has none", n);
	}
	for (uint32_t i = w->v + 1; n && i < w->doc->values[w->v].next; i = w->doc->values[i].next)
		if (item_text(w->doc, i, step->name))
			list_name(&list, item_text(w->doc, i, step->name));
	fl_fail(w->err, FAIRLEAD_EINPUT, "there is no %s '%.100s' in %s", word, step->value,
		w->path);
	return list.used ? fl_fail_hint(w->err, "there are: %s", listed(&list)) : FAIRLEAD_EINPUT;
}

static int step_item(struct walk *w, const struct fl_set_step *step)
{
	char number[16];
	uint32_t n = 0, found = FL_NONE, at = 0;

	if (!w->in_list)
		return fl_fail(w->err, FAIRLEAD_EINPUT, "'%s' is not a list of objects", w->path);
	if (w->v != FL_NONE && w->doc->values[w->v].kind == FL_TOKEN_LIST)
		for (uint32_t i = w->v + 1; i < w->doc->values[w->v].next;
		     i = w->doc->values[i].next, n++) {
			const char *text = step->kind == FL_STEP_NAMED ?
						   item_text(w->doc, i, step->name) :
						   "";

			if (found != FL_NONE || !text)
				continue;
			if (step->kind == FL_STEP_NUMBER ? n == step->number :
							   strcmp(text, step->value) == 0) {
				found = i;
				at = n;
			}
		}
	if (found == FL_NONE)
		return no_item(w, step, n);
	w->steps[w->n++] = (struct fl_put_step){ .item = at };
	w->v = found;
	w->in_list = false;
	(void)snprintf(number, sizeof number, "[%u]", at);
	add_path(w, "%s", number);
	return 0;
}

static int step_to(struct walk *w, const struct fl_set_step *step)
{
	if (w->n > FL_SET_STEPS)
		return fl_fail(w->err, FAIRLEAD_ELIMIT, "the path is too long");
	if (step->kind == FL_STEP_FIELD)
		return step_field(w, step->name);
	if (step->kind != FL_STEP_KEY)
		return step_item(w, step);
	if (w->any || (w->fields && !w->in_list)) /* a field's name may have dots */
		return step_field(w, step->name);
	fl_fail(w->err, FAIRLEAD_EINPUT, "'%s' has no [%.100s]", w->path, step->name);
	return w->in_list ? fl_fail_hint(w->err, "an item of it is %s[name=NAME] or %s[0]", w->path,
					 w->path) :
			    FAIRLEAD_EINPUT;
}

/* --- nominalQuota[RESOURCE,FLAVOR] --- */

static bool is_quota(const struct fl_set *s, const struct fl_kind *kind)
{
	static const char *const names[] = { "nominalQuota", "borrowingLimit", "lendingLimit" };

	if (s->n != 2 || s->steps[1].kind != FL_STEP_KEY ||
	    (kind != &fl_kind_cluster_queue && kind != &fl_kind_cohort))
		return false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], s->steps[0].name) == 0)
			return true;
	return false;
}

/* What the quotas of an object are, and those that were asked for. */
struct quotas {
	const char *resource;
	bool brief;                   /* it is named without its domain */
	char flavor[FL_MAX_NAME + 1]; /* "": any */
	uint32_t group;               /* of the last one found */
	char in[FL_MAX_NAME + 1];     /* its flavor */
	char of[FL_MAX_NAME + 1];     /* its resource */
	unsigned found;
	bool has_flavor;
	struct listed flavors, resources; /* with the resource; of the flavor */
};

static uint32_t list_of(const struct fl_doc *doc, uint32_t map, const char *key)
{
	uint32_t v = fl_doc_find(doc, map, key);

	return v != FL_NONE && doc->values[v].kind == FL_TOKEN_LIST ? v : FL_NONE;
}

/* "gpu" may stand for "nvidia.com/gpu". */
static bool is_resource(const struct quotas *q, const char *name)
{
	const char *slash = strrchr(name, '/');

	return strcmp(name, q->resource) == 0 ||
	       (q->brief && slash && strcmp(slash + 1, q->resource) == 0);
}

static void look_at_flavor(struct quotas *q, const struct fl_doc *doc, uint32_t flavor,
			   uint32_t group)
{
	const char *name = item_text(doc, flavor, "name");
	uint32_t list = list_of(doc, flavor, "resources");
	bool has = false, ours = name && (!*q->flavor || strcmp(name, q->flavor) == 0);

	if (!name || list == FL_NONE)
		return;
	for (uint32_t i = list + 1; i < doc->values[list].next; i = doc->values[i].next) {
		const char *resource = item_text(doc, i, "name");

		if (!resource)
			continue;
		if (ours)
			list_name(&q->resources, resource);
		if (!is_resource(q, resource))
			continue;
		has = true;
		if (!ours)
			continue;
		q->found++;
		q->group = group;
		(void)snprintf(q->in, sizeof q->in, "%s", name);
		(void)snprintf(q->of, sizeof q->of, "%s", resource);
	}
	q->has_flavor |= ours;
	if (has || *q->flavor)
		list_name(&q->flavors, name);
}

static void look_at_quotas(struct quotas *q, const struct fl_doc *doc)
{
	uint32_t spec = fl_doc_find(doc, 0, "spec");
	uint32_t groups = spec == FL_NONE ? FL_NONE : list_of(doc, spec, "resourceGroups");
	uint32_t n = 0;

	for (uint32_t g = groups == FL_NONE ? 0 : groups + 1;
	     groups != FL_NONE && g < doc->values[groups].next; g = doc->values[g].next, n++) {
		uint32_t flavors = list_of(doc, g, "flavors");

		for (uint32_t i = flavors == FL_NONE ? 0 : flavors + 1;
		     flavors != FL_NONE && i < doc->values[flavors].next; i = doc->values[i].next)
			look_at_flavor(q, doc, i, n);
	}
}

static int no_quota(struct quotas *q, fairlead_error *err)
{
	if (q->found > 1 && *q->flavor) {
		fl_fail(err, FAIRLEAD_EINPUT, "it has %u resources '%.100s' in flavor '%s'",
			q->found, q->resource, q->flavor);
		return fl_fail_hint(err, "name it with its domain: %s", listed(&q->resources));
	}
	if (*q->flavor && !q->has_flavor) {
		fl_fail(err, FAIRLEAD_EINPUT, "it has no flavor '%s'", q->flavor);
		return q->flavors.used ?
			       fl_fail_hint(err, "its flavors are: %s", listed(&q->flavors)) :
			       FAIRLEAD_EINPUT;
	}
	if (*q->flavor) {
		fl_fail(err, FAIRLEAD_EINPUT, "it has no quota of '%.100s' in flavor '%s'",
			q->resource, q->flavor);
		return q->resources.used ? fl_fail_hint(err, "flavor '%s' has: %s", q->flavor,
							listed(&q->resources)) :
					   FAIRLEAD_EINPUT;
	}
	if (q->found == 0) {
		fl_fail(err, FAIRLEAD_EINPUT, "it has no quota of '%.100s'", q->resource);
		return q->resources.used ? fl_fail_hint(err, "it has: %s", listed(&q->resources)) :
					   FAIRLEAD_EINPUT;
	}
	fl_fail(err, FAIRLEAD_EINPUT, "it has %u quotas of '%.100s'", q->found, q->resource);
	return fl_fail_hint(err, "name resource and flavor, such as [%.60s,%.60s]; flavors: %s",
			    q->of, q->in, listed(&q->flavors));
}

static int step_quota(struct walk *w)
{
	char *resource = copy(w->s->mem, w->s->steps[1].name);
	struct quotas q = { .resource = resource };
	char *comma = resource ? strchr(resource, ',') : NULL;
	struct fl_set_step steps[6] = {
		{ .kind = FL_STEP_FIELD, .name = "resourceGroups" },
		{ .kind = FL_STEP_NUMBER },
		{ .kind = FL_STEP_FIELD, .name = "flavors" },
		{ .kind = FL_STEP_NAMED, .name = "name", .value = q.in },
		{ .kind = FL_STEP_FIELD, .name = "resources" },
		{ .kind = FL_STEP_NAMED, .name = "name", .value = q.of },
	};
	int r = 0;

	if (!resource)
		return fl_fail_nomem(w->err);
	if (comma) {
		*comma = '\0';
		(void)snprintf(q.flavor, sizeof q.flavor, "%s", comma + 1 + strspn(comma + 1, " "));
	}
	look_at_quotas(&q, w->doc);
	if (q.found == 0) {
		q.brief = true;
		q.has_flavor = false;
		q.flavors = q.resources = (struct listed){ .text = "" };
		look_at_quotas(&q, w->doc);
	}
	steps[1].number = q.group;
	if (q.found != 1)
		r = no_quota(&q, w->err);
	for (size_t i = 0; i < sizeof steps / sizeof *steps && r == 0; i++)
		r = step_to(w, &steps[i]);
	fl_mem_free(w->s->mem, resource);
	return r < 0 ? r : step_field(w, w->s->steps[0].name);
}

static int enter_spec(struct walk *w)
{
	const struct fl_field *spec = find_field(w->kind->fields, "spec");
	const struct fl_set_step *first = &w->s->steps[0];
	bool quota = is_quota(w->s, w->kind);

	if (!spec || !spec->fields || (!quota && find_field(w->kind->fields, first->name)) ||
	    (!quota && !find_field(spec->fields, first->name)))
		return 0;
	return enter_field(w, spec);
}

static int walk(struct walk *w)
{
	int r = enter_spec(w);

	if (r == 0 && is_quota(w->s, w->kind))
		return step_quota(w);
	for (unsigned i = 0; i < w->s->n && r == 0; i++)
		r = step_to(w, &w->s->steps[i]);
	if (r == 0 &&
	    (strcmp(w->path, "metadata.name") == 0 || strcmp(w->path, "metadata.namespace") == 0))
		r = fl_fail(w->err, FAIRLEAD_EINPUT, "an object keeps its name and namespace");
	return r;
}

/* --- the number that it becomes --- */

static int no_number(const struct walk *w, const char *why, fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_EINPUT, "'%s' %s", w->path, why);
	return fl_fail_hint(err, "with = a value is set whatever it was");
}

static int add_to(const struct walk *w, struct fl_doc *ret, fairlead_error *err)
{
	const struct fl_doc *by = &w->s->value;
	struct fl_token sum = { .kind = FL_TOKEN_SCALAR };
	const struct fl_value *old;
	char text[64];

	if (w->v == FL_NONE)
		return no_number(w, "is not set, so nothing can be added to it", err);
	old = &w->doc->values[w->v];
	if (old->kind != FL_TOKEN_SCALAR)
		return no_number(w, "is not a number", err);
	if (w->kind == &fl_kind_entitled && strncmp(w->path, "spec.resources", 14) == 0 &&
	    strcmp(fl_doc_text(w->doc, w->v), "-1") == 0)
		return no_number(w, "is -1, which is unlimited", err);
	if (by->values[0].kind != FL_TOKEN_SCALAR ||
	    !fl_put_sum(fl_doc_text(w->doc, w->v), fl_doc_text(by, 0), w->s->sign, text,
			sizeof text))
		return no_number(w, "and the value are not two numbers or quantities", err);
	sum.text = text;
	sum.len = strlen(text);
	sum.type = old->type != FL_SCALAR_INT ? old->type :
		   strchr(text, '.') != NULL  ? FL_SCALAR_FLOAT :
						FL_SCALAR_INT;
	return fl_doc_push(ret, &sum, err);
}

int fl_set_apply(const struct fl_set *s, const struct fl_kind *kind, const struct fl_doc *object,
		 struct fl_doc *ret, fairlead_error *err)
{
	struct walk w = { .s = s, .kind = kind, .doc = object, .fields = kind->fields, .err = err };
	struct fl_doc sum;
	int r = walk(&w);

	fl_doc_init(&sum, s->mem);
	if (r == 0 && s->sign)
		r = add_to(&w, &sum, err);
	if (r == 0)
		r = fl_put(object, w.steps, w.n, s->sign ? &sum : &s->value, ret, err);
	fl_doc_done(&sum);
	return r;
}
