/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kube - one object at a time: finds its kind and name, and calls the reader of the kind
 *
 * The items of a List are objects of their own and are read one by one, so a
 * dump of any size takes the memory of its largest object and of the rows.
 */
#include "codec/object/kube.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "codec/object/fields.h"
#include "codec/object/judged.h"
#include "codec/object/known.h"
#include "codec/object/salvage.h"
#include "codec/schema/kinds.h"

/* The scalar text of a key of @map; NULL when it is missing. */
static const char *text_of(const struct fl_kube *k, uint32_t map, const char *key)
{
	uint32_t v = fl_doc_find(&k->doc, map, key);

	return v == FL_NONE || k->doc.values[v].kind != FL_TOKEN_SCALAR ||
			       k->doc.values[v].type == FL_SCALAR_NULL ?
		       NULL :
		       fl_doc_text(&k->doc, v);
}

static const char own_group[] = "fairlead.dev";

static bool is_kueues(const struct fl_kind *kind)
{
	return strstr(kind->group, "kueue.x-k8s.io") != NULL;
}

/* Objects of a policy that is not wanted. */
static bool left_out(const struct fl_kube *k, const struct fl_kind *kind)
{
	bool kais = kind == &fl_kind_entitled || kind == &fl_kind_pod_group ||
		    kind == &fl_kind_pod || kind == &fl_kind_machine || kind == &fl_kind_shard ||
		    kind == &fl_kind_bind_request;

	return (k->m->wanted == FL_DIALECT_KUEUE && kais) ||
	       (k->m->wanted == FL_DIALECT_KAI && is_kueues(kind));
}

/* Workloads of jobs depend on it. */
static bool is_for_jobs(const struct fl_kind *kind)
{
	return kind == &fl_kind_namespace || kind == &fl_kind_queue ||
	       kind == &fl_kind_priority_class || kind == &fl_kind_workload_priority_class ||
	       kind == &fl_kind_limit_range || kind == &fl_kind_runtime_class;
}

/* Pods that are read when all of the input is. */
static const struct fl_kind *kind_of_pod(const struct fl_kube *k)
{
	if (k->made)
		return &fl_kind_pod;
	if (k->m->wanted != FL_DIALECT_KAI && fl_job_is_pod(&k->doc))
		return &fl_kind_job_pod;
	return k->m->wanted != FL_DIALECT_KUEUE && fl_job_waits(&k->doc) ? &fl_kind_waiting_pod :
									   &fl_kind_pod;
}

static const struct fl_kind *find_kind(const struct fl_kube *k, const char *api_version,
				       const char *name)
{
	const struct fl_kind *kind = fl_known_find(api_version, name);

	return kind == &fl_kind_pod ? kind_of_pod(k) : kind;
}

/* "Workload/ns/name" as far as it is known. */
static void name_subject(struct fl_kube *k, const char *kind, const char *namespace,
			 const char *name)
{
	(void)snprintf(k->subject, sizeof k->subject, "%.60s%s%.253s%s%.253s", kind,
		       namespace ? "/" : "", namespace ? namespace : "", name ? "/" : "",
		       name ? name : "");
}

/* Reads k->name and k->namespace, with their types checked, before the fields. */
int fl_kube_read_names(struct fl_kube *k, const struct fl_kind *kind)
{
	uint32_t metadata = fl_doc_find(&k->doc, 0, "metadata"), end = 0, v;
	int r;

	k->name = k->namespace = (struct fl_sym){ 0 };
	k->life = fl_no_life;
	if (kind == &fl_kind_configuration) /* a file of settings has no name */
		return 0;
	if (metadata == FL_NONE)
		return fl_kube_fail(k, 0, FAIRLEAD_EINPUT, "no metadata");
	r = fl_kube_pairs(k, metadata, &end);
	if (r == 0)
		r = fl_kube_need(k, metadata, "name", &v);
	if (r == 0)
		r = fl_kube_text(k, v, &k->name);
	if (r < 0 || !kind->namespaced)
		return r;
	v = fl_doc_find(&k->doc, metadata, "namespace");
	if (v == FL_NONE || fl_kube_is_null(k, v) || k->doc.values[v].len == 0)
		return fl_model_sym(k->m, "default", 7, &k->namespace, k->err);
	return fl_kube_text(k, v, &k->namespace);
}

/* Kinds that stand beside those that are read, and why they do not count. */
static const struct {
	const char *group, *name, *why;
	int (*more)(struct fl_kube *k); /* what else is told; NULL: nothing */
} not_modelled[] = {
	{ "kai.scheduler", "Config", "it installs KAI; what decides is in a SchedulingShard",
	  fl_kai_note_config },
	{ "kai.scheduler", "Topology", "pods are placed without regard to topology", NULL },
	{ "kueue.x-k8s.io", "AdmissionCheck", "every admission check passes at once", NULL },
	{ "kueue.x-k8s.io", "Topology", "topology aware scheduling is not decided here", NULL },
	{ "kueue.x-k8s.io", "MultiKueueCluster", "a workload runs in the cluster of its queue",
	  NULL },
	{ "kueue.x-k8s.io", "MultiKueueConfig", "a workload runs in the cluster of its queue",
	  NULL },
	{ "kueue.x-k8s.io", "ProvisioningRequestConfig", "every admission check passes at once",
	  NULL },
};

static int ignore_object(struct fl_kube *k, const char *api_version, const char *name)
{
	for (size_t i = 0; i < sizeof not_modelled / sizeof *not_modelled; i++)
		if (strcmp(name, not_modelled[i].name) == 0 &&
		    fl_known_group(api_version, not_modelled[i].group)) {
			int r = fl_kube_notice(k, 0, FL_NOTICE_NOT_MODELLED, /* hint= */ NULL,
					       "kind %s of %s is not modelled: %s", name,
					       not_modelled[i].group, not_modelled[i].why);

			return r == 0 && not_modelled[i].more ? not_modelled[i].more(k) : r;
		}
	return fl_kube_notice(k, 0, FL_NOTICE_IGNORED_OBJECT, /* hint= */ NULL,
			      "kind '%.60s' of '%.60s' is not read", name, api_version);
}

/* Objects of our own group are never ignored. */
static int refuse_object(struct fl_kube *k, const char *api_version, const char *name)
{
	fl_kube_fail(k, 0, FAIRLEAD_EINPUT, "there is no kind '%.60s' of '%.60s'", name,
		     api_version);
	fl_fail_hint(
		k->err,
		"the kinds of fairlead.dev/v1alpha1 are Policy, UsageHistory, Simulation, Moves "
		"and Daemon");
	return FAIRLEAD_EINPUT;
}

/* An object of an unknown kind. */
static int pass_over(struct fl_kube *k, const char *api_version, const char *name)
{
	char hint[200];
	int r = 0;

	if (k->own)
		return refuse_object(k, api_version, name);
	if (k->m->judged && !fl_schema_find(api_version, name) &&
	    fl_schema_no_such_kind(api_version, name, hint, sizeof hint)) {
		fl_kube_fail(k, 0, FAIRLEAD_EINPUT,
			     "there is no kind '%.60s' of apiVersion '%.60s'", name, api_version);
		fl_fail_hint(k->err, "%s", hint);
		r = fl_kube_refuse(k, 0, /* configures= */ true);
	}
	if (r == 0)
		r = fl_kube_judge(k, api_version, name, /* configures= */ true);
	if (r == 0 && k->tap) {
		r = k->tap->object(k->tap->user, k, /* kind= */ NULL);
		if (r)
			return r < 0 ? r : 0;
	}
	return r < 0 ? r : ignore_object(k, api_version, name);
}

static bool is_list(const char *kind)
{
	size_t len = strlen(kind);

	return len >= 4 && strcmp(kind + len - 4, "List") == 0;
}

/*
 * A List whose items were not read one by one: null means no items; 1: it only has the kind of a
 * List.
 */
static int read_odd_list(struct fl_kube *k, const char *name)
{
	uint32_t items, end;
	int r = strcmp(name, "List") == 0 ? fl_kube_need(k, 0, "items", &items) : 0;

	items = fl_doc_find(&k->doc, 0, "items");
	if (r < 0 || items == FL_NONE)
		return r < 0 ? r : 1;
	return fl_kube_is_null(k, items) ? 0 : fl_kube_list(k, items, &end);
}

/* What read_object says and asks of an object before its kind reads it. */
struct heading {
	const char *api_version, *kind, *namespace, *name; /* NULL: missing */
};

static struct heading heading_of(const struct fl_kube *k)
{
	uint32_t metadata = fl_doc_find(&k->doc, 0, "metadata");
	bool none = metadata == FL_NONE;

	return (struct heading){
		.api_version = text_of(k, 0, "apiVersion"),
		.kind = text_of(k, 0, "kind"),
		.namespace = none ? NULL : text_of(k, metadata, "namespace"),
		.name = none ? NULL : text_of(k, metadata, "name"),
	};
}

static const char *namespace_of(const struct heading *head)
{
	return head->namespace && *head->namespace ? head->namespace : "default";
}

/*
 * An object without a name has its generateName and a number as name: each object of that kind,
 * namespace and prefix the next one, so that the same input gives the same names.  1 when a name
 * was made: texts of the object may have moved.
 */
static int generate_name(struct fl_kube *k, const struct fl_kind *kind, const char *namespace)
{
	uint32_t metadata = fl_doc_find(&k->doc, 0, "metadata"), v, n = 0;
	const char *prefix = metadata == FL_NONE ? NULL : text_of(k, metadata, "generateName");
	char name[FL_MAX_NAME + 32];
	int r;

	v = fl_doc_find(&k->doc, metadata, "name"); /* the API server takes "" for no name */
	if (!prefix || !*prefix || kind == &fl_kind_configuration ||
	    (v != FL_NONE && k->doc.values[v].kind != FL_TOKEN_SCALAR))
		return 0;
	r = fl_model_generate(k->m, kind->name, kind->namespaced ? namespace : "", prefix, &n,
			      k->err);
	if (r < 0)
		return r;
	(void)snprintf(name, sizeof name, "%.*s%s%u", FL_MAX_NAME, prefix,
		       k->tap && k->tap->stem ? k->tap->stem : "", n);
	if (v == FL_NONE) {
		v = fl_doc_find(&k->doc, metadata, "generateName");
		r = fl_doc_rename(&k->doc, v - 1, "name", 4, k->err);
	}
	if (r == 0)
		r = fl_doc_rename(&k->doc, v, name, strlen(name), k->err);
	k->doc.values[v].type = FL_SCALAR_STRING;
	return r < 0 ? r : 1;
}

/* An object of a known kind. */
static int read_known(struct fl_kube *k, const struct fl_kind *kind, const char *api_version)
{
	int r = fl_kube_judge(k, api_version, kind->name, !fl_kube_may_leave_out(kind));

	if (r == 0)
		r = fl_kube_read_names(k, kind);
	if (r == 0 && k->tap)
		r = k->tap->object(k->tap->user, k, kind);
	if (r)
		return r < 0 ? r : 0;
	r = kind->read(k);
	return r == 0 && is_for_jobs(kind) ? fl_kube_keep_context(k) : r;
}

/*
 * yes, no, on, off, y and n without quotes are booleans for a server, and texts in documents of
 * ours, and where nothing is judged, as in YAML 1.2.
 */
static int settle_words(struct fl_kube *k)
{
	int r = 0;

	for (uint32_t v = 0; v < k->doc.n && r == 0; v++) {
		struct fl_value *value = &k->doc.values[v];
		char first = fl_doc_text(&k->doc, v)[0];
		bool on;

		if (value->kind != FL_TOKEN_SCALAR || value->type != FL_SCALAR_BOOL ||
		    !strchr("yYnNoO", first))
			continue;
		on = strchr("yY", first) || (value->len == 2 && strchr("oO", first));
		if (k->own || !k->m->judged)
			value->type = FL_SCALAR_STRING;
		else
			r = fl_doc_rename(&k->doc, v, on ? "true" : "false", on ? 4 : 5, k->err);
	}
	return r;
}

/* Of any kind; what is wrong with it is the answer. */
static int read_any(struct fl_kube *k, const struct fl_kind **ret)
{
	struct heading head = heading_of(k);
	const struct fl_kind *kind;
	int r;

	k->subject[0] = '\0';
	if (!head.kind && !head.api_version) {
		r = fl_kai_read_simulator(k);
		if (r > 0)
			r = fl_generator_read(k);
		if (r <= 0)
			return r;
	}
	if (!head.kind || !head.api_version) {
		if (head.kind)
			name_subject(k, head.kind, head.namespace, head.name);
		fl_kube_fail(k, 0, FAIRLEAD_EINPUT, "no %s", head.kind ? "apiVersion" : "kind");
		fl_fail_hint(k->err, "a Kubernetes object has an apiVersion and a kind");
		return FAIRLEAD_EINPUT;
	}
	kind = find_kind(k, head.api_version, head.kind);
	if (kind && (!head.name || !*head.name)) {
		r = generate_name(k, kind, namespace_of(&head));
		if (r > 0)
			head = heading_of(k);
		if (r < 0)
			return r;
	}
	name_subject(k, head.kind,
		     !kind            ? head.namespace :
		     kind->namespaced ? namespace_of(&head) :
					NULL,
		     head.name);
	k->own = fl_known_group(head.api_version, own_group);
	r = settle_words(k);
	if (r < 0)
		return r;
	r = kind || !is_list(head.kind) ? 1 : read_odd_list(k, head.kind);
	if (r <= 0)
		return r;
	if (!kind || !fl_known_version(head.api_version, kind))
		return pass_over(k, head.api_version, head.kind);
	if (left_out(k, kind))
		return 0;
	*ret = kind;
	return read_known(k, kind, head.api_version);
}

static int finish(struct fl_kube *k, int code);

/* Lines that mean nothing to people are in no message. */
static void forget_places(struct fl_doc *doc)
{
	for (uint32_t v = 0; v < doc->n; v++)
		doc->values[v].line = doc->values[v].column = 0;
}

/* The object in k->doc.  One that is wrong does not end a reading that goes on without it. */
static int read_object(struct fl_kube *k)
{
	const struct fl_kind *kind = NULL;
	struct fl_model_mark mark;
	fairlead_error own = { 0 }, *err = k->err;
	int r;

	if (!err)
		k->err = &own; /* it says what was left out */
	if (k->placeless)
		forget_places(&k->doc);
	fl_model_mark(k->m, &mark);
	k->held = k->told = false;
	r = read_any(k, &kind);
	if (r == FAIRLEAD_EINPUT || r == FAIRLEAD_ELIMIT) {
		if (k->m->wrong.tell) {
			if (!k->told)
				finish(k, r);
			r = k->told ? 0 : fl_kube_tell_wrong(k);
		} else if (kind && k->m->lenient && fl_kube_may_leave_out(kind) &&
			   strcmp(k->err->text, fl_model_twice) != 0) {
			finish(k, r);
			r = fl_kube_salvage(k, kind, &mark);
		}
	}
	k->err = err;
	return r;
}

static int read_value(struct fl_kube *k, struct fl_reader *r, const struct fl_token *first);

/* The items of a List, the reader behind its '['. */
static int read_items(struct fl_kube *k, struct fl_reader *r)
{
	for (;;) {
		struct fl_token t;
		int code = fl_reader_next(r, &t, k->err);

		if (code < 0 || t.kind == FL_TOKEN_LIST_END)
			return code;
		code = read_value(k, r, &t);
		if (code < 0)
			return code;
	}
}

/* After the items of a List only its kind and metadata may follow. */
static int skip_rest(struct fl_kube *k, struct fl_reader *r)
{
	for (;;) {
		struct fl_token t;
		int code = fl_reader_next(r, &t, k->err);

		if (code < 0 || t.kind == FL_TOKEN_MAP_END)
			return code;
		code = fl_reader_skip(r, k->err);
		if (code < 0)
			return code;
	}
}

/* Is the map, as far as it was read, that of a List? It is unless its kind differs. */
static bool may_be_list(const struct fl_kube *k)
{
	const char *kind = text_of(k, 0, "kind");

	return !kind || is_list(kind);
}

/* Reads an object whose first token, MAP, was read: into k->doc, or item by item. */
static int read_map(struct fl_kube *k, struct fl_reader *r, const struct fl_token *first)
{
	int code;

	fl_doc_clear(&k->doc);
	code = fl_doc_push(&k->doc, first, k->err);
	while (code == 0) {
		uint32_t key = k->doc.n;
		struct fl_token t;
		bool items;

		code = fl_reader_next(r, &t, k->err);
		if (code < 0)
			return code;
		fl_doc_end(&k->doc, 0);
		if (t.kind == FL_TOKEN_MAP_END)
			return read_object(k);
		items = t.len == 5 && memcmp(t.text, "items", 5) == 0 && may_be_list(k);
		code = fl_doc_push(&k->doc, &t, k->err);
		if (code == 0)
			code = fl_reader_next(r, &t, k->err);
		if (code < 0)
			return code;
		if (items && t.kind == FL_TOKEN_LIST) {
			code = read_items(k, r);
			return code < 0 ? code : skip_rest(k, r);
		}
		code = fl_doc_read(&k->doc, r, &t, k->err);
		fl_doc_end(&k->doc, key);
	}
	return code;
}

/* The recursion (a List in a List) is as deep as the input: at most FL_MAX_DEPTH. */
static int read_value(struct fl_kube *k, struct fl_reader *r, const struct fl_token *first)
{
	int code;

	if (first->kind == FL_TOKEN_SCALAR && first->type == FL_SCALAR_NULL)
		return 0; /* an empty YAML document */
	k->seen++;
	k->subject[0] = '\0';
	if (first->kind == FL_TOKEN_MAP)
		return read_map(k, r, first);
	fl_doc_clear(&k->doc);
	code = fl_doc_push(&k->doc, first, k->err);
	return code < 0 ? code :
			  fl_kube_fail(k, 0, FAIRLEAD_EINPUT, "expected an object, not %s",
				       first->kind == FL_TOKEN_LIST ? "a list" : "a text");
}

static void init(struct fl_kube *k, struct fl_model *m, uint32_t input, fairlead_error *err)
{
	*k = (struct fl_kube){ .m = m, .input = input, .err = err };
	fl_doc_init(&k->doc, m->mem);
}

static void done(struct fl_kube *k) { fl_doc_done(&k->doc); }

/* Adds the file to an error of the reader, which has only the line. */
static int finish(struct fl_kube *k, int code)
{
	fairlead_error *err = k->err;

	if (code < 0 && err && k->placeless)
		err->line = err->column = 0;
	if (code < 0 && err && err->file[0] == '\0') {
		const struct fl_place at = { .file = k->input,
					     .line = err->line,
					     .column = err->column };
		bool ours = err->code == FAIRLEAD_EINPUT || err->code == FAIRLEAD_ELIMIT;

		if (err->line == 0 && k->doc.n && ours)
			fl_kube_blame(k, 0);
		else
			fl_model_fail_at(k->m, at, err);
	}
	return code;
}

static int read_doc(struct fl_model *m, uint32_t input, struct fl_doc *doc, bool over,
		    const struct fl_kube_tap *tap, fairlead_error *err)
{
	struct fl_kube k;
	int code;

	init(&k, m, input, err);
	k.over = over;
	k.tap = tap;
	k.doc = *doc;
	code = finish(&k, read_object(&k));
	*doc = k.doc;
	fl_doc_init(&k.doc, m->mem);
	done(&k);
	return code;
}

int fl_kube_read_doc(struct fl_model *m, uint32_t input, struct fl_doc *doc, fairlead_error *err)
{
	return read_doc(m, input, doc, /* over= */ false, /* tap= */ NULL, err);
}

int fl_kube_read_again(struct fl_model *m, uint32_t input, struct fl_doc *doc,
		       const struct fl_kube_tap *tap, fairlead_error *err)
{
	return read_doc(m, input, doc, /* over= */ false, tap, err);
}

int fl_kube_read_over(struct fl_model *m, uint32_t input, struct fl_doc *doc, fairlead_error *err)
{
	return read_doc(m, input, doc, /* over= */ true, /* tap= */ NULL, err);
}

int fl_kube_read_value(struct fl_model *m, uint32_t input, struct fl_reader *r, fairlead_error *err)
{
	struct fl_kube k;
	struct fl_token t;
	int code;

	init(&k, m, input, err);
	code = fl_reader_next(r, &t, err);
	if (code == 0 && t.kind == FL_TOKEN_DOCUMENT)
		code = fl_reader_next(r, &t, err);
	if (code == 0)
		code = t.kind == FL_TOKEN_END || t.kind == FL_TOKEN_LIST_END ?
			       1 :
			       read_value(&k, r, &t);
	finish(&k, code);
	done(&k);
	return code;
}

static int read_documents(struct fl_kube *k, struct fl_reader *r)
{
	for (;;) {
		struct fl_token t;
		int code = fl_reader_next(r, &t, k->err);

		if (code < 0 || t.kind == FL_TOKEN_END)
			return code;
		code = fl_reader_next(r, &t, k->err); /* behind DOCUMENT */
		if (code == 0)
			code = read_value(k, r, &t);
		if (code < 0)
			return code;
	}
}

/* Reads all of @r, which is freed; @code is the result of opening it. */
static int read_all(struct fl_kube *k, struct fl_reader *r, int code)
{
	if (code == 0)
		code = read_documents(k, r);
	fl_reader_free(r);
	return code;
}

int fl_kube_read_embedded(struct fl_kube *k, uint32_t v)
{
	struct fl_kube inner;
	struct fl_reader *r = NULL;
	int code;

	if (k->doc.values[v].kind != FL_TOKEN_SCALAR || k->doc.values[v].type != FL_SCALAR_STRING)
		return fl_kube_text(k, v, &(struct fl_sym){ 0 }); /* reports what is wrong */
	init(&inner, k->m, k->input, k->err);
	inner.fixed = fl_kube_place_of(k, v);
	inner.placeless = k->placeless;
	inner.tap = k->tap;
	code = fl_reader_new(k->m->mem, fl_doc_text(&k->doc, v), k->doc.values[v].len, &r, k->err);
	code = read_all(&inner, r, code);
	done(&inner);
	if (code < 0) /* a place inside the text would be wrong in the file */
		fl_kube_blame(k, v);
	return code;
}

static int read_new(struct fl_kube *k, const struct fl_doc *doc, const struct fl_kube_tap *tap)
{
	int code = fl_doc_copy(doc, &k->doc, k->err);

	k->tap = tap;
	k->made = true;
	if (code == 0)
		code = read_object(k);
	code = finish(k, code);
	done(k);
	return code;
}

int fl_kube_read_made(struct fl_model *m, uint32_t input, const struct fl_doc *doc,
		      const struct fl_kube_tap *tap, fairlead_error *err)
{
	struct fl_kube k;

	init(&k, m, input, err);
	return read_new(&k, doc, tap);
}

int fl_kube_read_alike(struct fl_model *m, uint32_t input, const struct fl_doc *doc,
		       const struct fl_kube_tap *tap, fairlead_error *err)
{
	struct fl_kube k;

	init(&k, m, input, err);
	k.quiet = true;
	return read_new(&k, doc, tap);
}

static int begin_input(struct fl_kube *k, struct fl_model *m, const char *name, fairlead_error *err)
{
	struct fl_sym sym;
	uint32_t input = 0;
	int code = fl_model_sym(m, name, strlen(name), &sym, err);

	if (code == 0)
		code = fl_model_push_inputs(m, &sym, &input, err);
	init(k, m, input, err);
	return code;
}

static int end_input(struct fl_kube *k, int code)
{
	if (code == 0 && k->seen == 0) {
		code = fl_fail(k->err, FAIRLEAD_EINPUT, "no object in the input");
		fl_model_fail_at(k->m, (struct fl_place){ k->input, 1, 1 }, k->err);
	}
	finish(k, code);
	done(k);
	return code;
}

int fl_kube_read(struct fl_model *m, const char *name, const char *text, size_t len,
		 fairlead_error *err)
{
	struct fl_reader *r = NULL;
	struct fl_kube k;
	int code = begin_input(&k, m, name, err);

	if (code == 0)
		code = fl_reader_new(m->mem, text, len, &r, err);
	code = read_all(&k, r, code);
	return end_input(&k, code);
}

/* An error of the source names its own subject: it is not the error of an object. */
struct named_source {
	const struct fl_source *source;
	const char *name;
};

static int read_named(void *user, char *buffer, size_t size, size_t *ret, fairlead_error *err)
{
	const struct named_source *s = user;
	int code = s->source->read(s->source->user, buffer, size, ret, err);

	if (code != 0 && err && err->file[0] == '\0')
		(void)snprintf(err->file, sizeof err->file, "%s", s->name);
	return code;
}

static int read_from(struct fl_model *m, const char *name, const struct fl_source *source,
		     bool placeless, const struct fl_kube_tap *tap, fairlead_error *err)
{
	struct named_source with_name = { source, name };
	const struct fl_source named = { read_named, &with_name };
	struct fl_reader *r = NULL;
	struct fl_kube k;
	int code = begin_input(&k, m, name, err);

	k.tap = tap;
	k.placeless = placeless;
	if (code == 0)
		code = fl_reader_open(m->mem, &named, &r, err);
	code = read_all(&k, r, code);
	return end_input(&k, code);
}

int fl_kube_read_from(struct fl_model *m, const char *name, const struct fl_source *source,
		      const struct fl_kube_tap *tap, fairlead_error *err)
{
	return read_from(m, name, source, /* placeless= */ false, tap, err);
}

int fl_kube_read_kept(struct fl_model *m, const char *name, const struct fl_source *source,
		      const struct fl_kube_tap *tap, fairlead_error *err)
{
	return read_from(m, name, source, /* placeless= */ true, tap, err);
}
