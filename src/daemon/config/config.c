/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/config/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/image.h"
#include "base/nearest.h"
#include "codec/edit/alias.h"
#include "codec/object/known.h"
#include "codec/object/kube.h"
#include "codec/text/format.h"
#include "daemon/config/config_queue.h"
#include "daemon/config/dialect.h"
#include "input/input.h"

/*
 * Texts are kept as long as the daemon runs: enough for far more queues than a company has.  Those of a
 * cluster are objects that the API server keeps, each with a limit of its own: 10,000 nodes can be more.
 */
enum { MAX_BYTES = 64 << 20 };

struct fl_config {
	struct fl_config_text *texts;
	uint32_t n, cap;
	size_t bytes;
	uint64_t hash[2];
	uint32_t left_out;             /* objects that were left out */
	bool alone;                    /* no queue was read */
	bool cluster;                  /* of a cluster, which has machines of its own */
	const struct fl_kube_tap *tap; /* called for each object that is not left out; NULL */
	struct fl_model *m;
};

/* --- texts --- */

static int fail_at(fairlead_error *err, const char *file)
{
	(void)snprintf(err->file, sizeof err->file, "%s", file);
	return err->code;
}

static int too_large(const char *name, fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_ELIMIT, "the configuration is larger than %d MiB in all",
		MAX_BYTES >> 20);
	fl_fail_hint(err, "only queues, cohorts, flavors and settings are needed");
	fail_at(err, name);
	return FAIRLEAD_ELIMIT;
}

/* Names are told and kept as JSON. */
static int check_name(const char *name, fairlead_error *err)
{
	const char *at = name, *end = name + strlen(name);
	size_t n = 1;

	for (; at < end && n; at += n)
		n = fl_utf8_sequence(at, end);
	if (n)
		return 0;
	fl_fail(err, FAIRLEAD_EINPUT, "the name of this file is not UTF-8");
	fl_fail_hint(err, "give it another name; a ? stands for each byte that is not ASCII");
	fail_at(err, name);
	for (char *c = err->file; *c; c++)
		if (*c & 0x80)
			*c = '?';
	return FAIRLEAD_EINPUT;
}

/* Adds a text, which the configuration owns from now on, also when this fails. */
static int add_text(struct fl_config *c, const char *name, char *bytes, size_t len,
		    fairlead_error *err)
{
	int r = check_name(name, err);
	char *copy = NULL;

	if (r == 0)
		r = fl_mem_grow(&fl_mem_heap, &c->texts, &c->cap, c->n + 1, sizeof *c->texts, err);
	copy = r == 0 ? strdup(name) : NULL;

	if (r < 0 || !copy) {
		free(bytes);
		return r < 0 ? r : fl_fail_nomem(err);
	}
	c->texts[c->n++] = (struct fl_config_text){ copy, bytes, len };
	c->bytes += len;
	return c->bytes > MAX_BYTES && !c->cluster ? too_large(name, err) : 0;
}

static int keep_file(struct fl_config *c, const char *name, fairlead_error *err)
{
	struct fl_text text = { 0 };
	int r = fl_input_read(name, &text, err);

	return r < 0 ? r : add_text(c, name, text.bytes, text.len, err);
}

/* 128 bits; a change of any text changes all of them. */
static void mix(struct fl_config *c, const struct fl_config_text *text)
{
	const uint64_t other[2] = { c->hash[1], c->hash[0] };
	uint64_t first = fl_keyed_hash(c->hash, text->bytes, text->len);

	c->hash[1] = fl_keyed_hash(other, text->bytes, text->len);
	c->hash[0] = first;
}

/* --- a text to rows --- */

bool fl_config_leaves_out(const char *kind, bool cluster)
{
	static const char *const out[] = {
		"Workload", "PodGroup", "Pod", "BindRequest", "Simulation", "Moves",
	};

	if (!cluster && strcmp(kind, "Node") == 0)
		return true;
	for (size_t i = 0; i < sizeof out / sizeof *out; i++)
		if (strcmp(kind, out[i]) == 0)
			return true;
	return false;
}

static int see_object(void *user, struct fl_kube *k, const struct fl_kind *kind)
{
	struct fl_config *c = user;

	if (kind && fl_config_leaves_out(fl_kind_name(kind), c->cluster)) {
		c->left_out++;
		return 1;
	}
	return c->tap ? c->tap->object(c->tap->user, k, kind) : 0;
}

static int parse(struct fl_config *c, const struct fl_config_text *text, fairlead_error *err)
{
	struct fl_text_source memory = { text->bytes, text->len };
	const struct fl_source source = { fl_text_read, &memory };
	const struct fl_kube_tap tap = { .object = see_object, .user = c };

	if (text->len >= FL_IMAGE_MAGIC && fl_image_is(text->bytes)) {
		fl_fail(err, FAIRLEAD_EINPUT,
			"is an image, but a configuration is read from objects");
		fl_fail_hint(err, "give the manifests that the image was saved from");
		return fail_at(err, text->name);
	}
	return fl_kube_read_from(c->m, text->name, &source, &tap, err);
}

/* --- the trees that the document names --- */

/* A folder may hold the document itself, and two patterns the same file: each is read once. */
static bool is_kept(const struct fl_config *c, const char *name)
{
	struct stat a, b;

	if (stat(name, &a) < 0)
		return false; /* the error of opening it says why */
	for (uint32_t i = 0; i < c->n; i++)
		if (stat(c->texts[i].name, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
			return true;
	return false;
}

static int read_files(struct fl_config *c, const struct fl_inputs *in, fairlead_error *err)
{
	int r = 0;

	for (uint32_t i = 0; i < in->n && r == 0; i++) {
		if (is_kept(c, in->names[i]))
			continue;
		r = keep_file(c, in->names[i], err);
		if (r == 0)
			r = parse(c, &c->texts[c->n - 1], err);
	}
	return r;
}

static int read_tree(struct fl_config *c, const struct fl_tree_row *tree, fairlead_error *err)
{
	const struct fl_model *m = c->m;
	char *path = fl_input_beside(c->texts[0].name, fl_model_text(m, tree->file));
	struct fl_inputs in = { 0 };
	int r;

	if (!path)
		return fl_fail_nomem(err);
	r = fl_inputs_find(&in, &path, 1, err);
	if (r == 0)
		r = read_files(c, &in, err);
	fl_inputs_done(&in);
	free(path);
	if (r < 0 && err->line == 0 && err->file[0] && !err->hint[0]) /* the file as a whole */
		fl_fail_hint(err, "%.200s:%u:%u names it",
			     fl_model_text(m, m->inputs[tree->place.file]), tree->place.line,
			     tree->place.column);
	return r;
}

static int read_trees(struct fl_config *c, fairlead_error *err)
{
	const struct fl_span trees = c->m->daemon.trees;
	int r = 0;

	for (uint32_t i = 0; i < trees.n && r == 0; i++) {
		const struct fl_tree_row tree = c->m->daemon_trees[trees.first + i];

		r = read_tree(c, &tree, err);
	}
	return r;
}

static int note_left_out(struct fl_config *c, fairlead_error *err)
{
	if (c->left_out == 0)
		return 0;
	return fl_model_notice(c->m, FL_NOTICE_IGNORED_OBJECT, c->m->daemon.place, "Daemon",
			       "the daemon has jobs and machines of its own", err,
			       "%u objects of jobs, machines or simulations are left out",
			       c->left_out);
}

/* --- what must hold of all of it --- */

static int fail_daemon(const struct fl_model *m, const char *path, struct fl_place place,
		       fairlead_error *err)
{
	fl_fail_in(err, "Daemon/%.253s %s", fl_model_text(m, m->daemon.name), path);
	fl_model_fail_at(m, place, err);
	return FAIRLEAD_EINPUT;
}

static int check_dialect(const struct fl_model *m, bool cluster, fairlead_error *err)
{
	const struct fl_config_dialect *dialect = fl_config_dialect_of(m);

	if (fl_model_dialect(m) == FL_DIALECT_MIXED) {
		fl_fail(err, FAIRLEAD_EINPUT, "the trees have objects of both Kueue and KAI");
		return fl_fail_hint(err, "a daemon uses objects of one of them: remove the others");
	}
	if (!cluster && dialect->check && dialect->check(m, err) < 0)
		return fail_daemon(m, ".spec.machine.cohort", m->daemon.place, err);
	return 0;
}

static bool is_cohort(const struct fl_model *m, struct fl_sym name)
{
	for (uint32_t i = 0; i < m->n_nodes; i++)
		if (m->nodes[i].parent_name.v == name.v ||
		    (m->nodes[i].kind == FL_COHORT && m->nodes[i].name.v == name.v))
			return true;
	return false;
}

/* The cohort of the machine exists, and has no quota of its own. */
static int check_cohort(const struct fl_model *m, fairlead_error *err)
{
	const char *name = fl_model_text(m, m->daemon.cohort);
	struct fl_nearest near = { .wanted = name };
	struct fl_node n;
	char text[1600];

	if (m->daemon.cohort.v == 0)
		return 0;
	n = fl_model_find_node(m, FL_COHORT, name);
	if (n.v != FL_NONE && m->nodes[n.v].groups.n) {
		fl_fail(err, FAIRLEAD_EINPUT, "cohort '%.253s' has quota of its own", name);
		fl_fail_hint(err,
			     "its quota is the capacity of the machine: remove its resourceGroups");
		return fail_daemon(m, ".spec.machine.cohort", m->daemon.place, err);
	}
	if (is_cohort(m, m->daemon.cohort))
		return 0;
	fl_fail(err, FAIRLEAD_EINPUT, "there is no cohort '%.253s'", name);
	for (uint32_t i = 0; i < m->n_nodes; i++)
		if (m->nodes[i].kind != FL_QUEUE && m->nodes[i].parent_name.v != FL_NONE)
			fl_nearest_offer(&near, fl_model_text(m, m->nodes[i].parent_name));
	if (near.n)
		fl_fail_hint(err, "did you mean %s?", fl_nearest_text(&near, text, sizeof text));
	return fail_daemon(m, ".spec.machine.cohort", m->daemon.place, err);
}

static int check_access(const struct fl_model *m, fairlead_error *err)
{
	for (uint32_t i = 0; i < m->n_daemon_access; i++) {
		const struct fl_daemon_access_row *row = &m->daemon_access[i];
		struct fl_sym namespace, queue;
		int r = row->queue_name.v == FL_NONE ?
				0 :
				fl_config_queue(m, fl_model_text(m, row->queue_name), &namespace,
						&queue, err);

		if (r < 0) {
			err->code =
				FAIRLEAD_EINPUT; /* no client asked for it: the document is wrong */
			return fail_daemon(m, ".spec.access.queues", row->place, err);
		}
	}
	return 0;
}

/* A configuration that cannot be sealed is refused now, and not when the first job is submitted. */
static int check_seal(const struct fl_config *c, fairlead_error *err)
{
	const struct fl_capacity nothing = { 0 };
	struct fl_model *m = NULL;
	int r = fl_config_model(c, &nothing, &fl_mem_heap, &m, err);

	if (r == 0)
		r = fl_model_seal(m, err);
	if (r == 0)
		r = check_access(m, err);
	fl_model_free(m);
	return r;
}

/* --- the whole --- */

int fl_config_sym(struct fl_model *m, const char *text, struct fl_sym *ret, fairlead_error *err)
{
	return fl_model_sym(m, text, strlen(text), ret, err);
}

static int read_document(struct fl_config *c, const char *file, fairlead_error *err)
{
	int r;

	if (strcmp(file, "-") == 0) {
		fl_fail(err, FAIRLEAD_EINPUT,
			"a configuration must be a file: a reload reads it again");
		return fail_at(err, file);
	}
	r = keep_file(c, file, err);
	if (r == 0)
		r = parse(c, &c->texts[0], err);
	if (r < 0)
		return r;
	if (!c->m->daemon.present) {
		fl_fail(err, FAIRLEAD_EINPUT, "there is no Daemon in this file");
		fl_fail_hint(err, "doc/guide/daemon.md has an example");
		return fail_at(err, file);
	}
	return read_trees(c, err);
}

/* Adds the Daemon defaults, and the rows that complete the trees that were read. */
static int add_missing(struct fl_config *c, fairlead_error *err)
{
	struct fl_model *m = c->m;
	const struct fl_config_dialect *dialect = fl_config_dialect_of(m);
	struct fl_daemon_settings *d = &m->daemon;
	struct fl_sym unused;
	int r = fl_config_sym(m, "default", &unused,
			      err); /* the namespace of objects without one */

	if (r == 0 && d->backend.v == 0)
		r = fl_config_sym(m, "local", &d->backend, err);
	if (r == 0 && d->machine_name.v == 0)
		r = fl_config_sym(m, "node", &d->machine_name, err);
	return r < 0 || c->cluster || !dialect->complete ? r : dialect->complete(m, c->alone, err);
}

/* After the texts: what must hold of all of them. */
static int complete(struct fl_config *c, fairlead_error *err)
{
	int r = note_left_out(c, err);

	if (r == 0)
		r = check_dialect(c->m, c->cluster, err);
	c->alone |= c->m->n_nodes == 0 && !c->cluster;
	if (r < 0 || (!c->alone && !c->cluster && (r = check_cohort(c->m, err)) < 0))
		return r;
	if ((r = add_missing(c, err)) < 0 || (r = check_seal(c, err)) < 0)
		return r;
	for (uint32_t i = 0; i < c->n; i++)
		mix(c, &c->texts[i]);
	return 0;
}

static int begin(struct fl_config **ret, fairlead_error *err)
{
	struct fl_config *c = calloc(1, sizeof *c);
	int r = c ? fl_model_new(&fl_mem_heap, &c->m, err) : fl_fail_nomem(err);

	if (r < 0)
		free(c);
	else
		*ret = c;
	return r;
}

static int end(struct fl_config *c, int r, struct fl_config **ret, fairlead_error *err)
{
	if (r == 0)
		r = complete(c, err);
	if (r < 0)
		fl_config_free(c);
	else
		*ret = c;
	return r;
}

int fl_config_read(const char *file, struct fl_config **ret, fairlead_error *err)
{
	struct fl_config *c = NULL;
	int r = begin(&c, err);

	if (r == 0 && file)
		r = read_document(c, file, err);
	return end(c, r, ret, err);
}

static int add_copy(struct fl_config *c, const struct fl_config_text *text, fairlead_error *err)
{
	char *bytes = malloc(text->len + 1);

	if (!bytes)
		return fl_fail_nomem(err);
	memcpy(bytes, text->bytes, text->len);
	bytes[text->len] = '\0';
	return add_text(c, text->name, bytes, text->len, err);
}

int fl_config_again(const struct fl_config_text *texts, uint32_t n, struct fl_config **ret,
		    fairlead_error *err)
{
	struct fl_config *c = NULL;
	int r = begin(&c, err);

	for (uint32_t i = 0; i < n && r == 0; i++) {
		r = add_copy(c, &texts[i], err);
		if (r == 0)
			r = parse(c, &c->texts[i], err);
	}
	return end(c, r, ret, err);
}

bool fl_config_is_of_cluster(const struct fl_config *c) { return c->cluster; }

int fl_config_of_cluster(const struct fl_config_text *texts, uint32_t n, enum fl_dialect dialect,
			 struct fl_config **ret, fairlead_error *err)
{
	struct fl_config *c = NULL;
	int r = begin(&c, err);

	if (r < 0)
		return r;
	c->cluster = true;
	c->m->wanted = dialect;
	for (uint32_t i = 0; i < n && r == 0; i++) {
		r = add_copy(c, &texts[i], err);
		if (r == 0)
			r = parse(c, &c->texts[i], err);
	}
	return end(c, r, ret, err);
}

static int read_through(struct fl_config *c, const struct fl_config *was,
			const struct fl_kube_tap *tap, fairlead_error *err)
{
	int r = 0;

	c->tap = tap;
	for (uint32_t i = 0; i < was->n && r == 0; i++)
		r = parse(c, &was->texts[i], err);
	return r;
}

/* Which of the changed objects exist, and which are new? */
static int compare(const struct fl_config *was, struct fl_changes *changes, fairlead_error *err)
{
	struct fl_config *c = NULL;
	int r = begin(&c, err);

	if (r == 0) {
		c->cluster = was->cluster;
		c->m->wanted = was->m->wanted;
		r = read_through(c, was, &changes->compare, err);
	}
	fl_config_free(c);
	return r;
}

int fl_config_changed(const struct fl_config *was, struct fl_changes *changes,
		      const struct fl_model *edit, struct fl_config **ret, fairlead_error *err)
{
	struct fl_config *c = NULL;
	int r = compare(was, changes, err);

	if (r == 0)
		r = begin(&c, err);
	if (r < 0)
		return r;
	c->cluster = was->cluster;
	c->m->wanted = was->m->wanted;
	r = fl_changes_begin(changes, edit, c->m, err);
	if (r == 0)
		r = read_through(c, was, &changes->lay, err);
	if (r == 0)
		r = fl_changes_add(changes, c->m, err);
	c->alone = was->alone;
	return end(c, r, ret, err);
}

struct fl_config *fl_config_free(struct fl_config *c)
{
	if (!c)
		return NULL;
	for (uint32_t i = 0; i < c->n; i++) {
		free(c->texts[i].name);
		free(c->texts[i].bytes);
	}
	fl_mem_free(&fl_mem_heap, c->texts);
	fl_model_free(c->m);
	free(c);
	return NULL;
}

int fl_config_model(const struct fl_config *c, const struct fl_capacity *capacity,
		    const struct fl_mem *mem, struct fl_model **ret, fairlead_error *err)
{
	struct fl_model *m = NULL;
	int r = fl_model_copy(c->m, mem, &m, err);

	if (r == 0 && !c->cluster)
		r = fl_config_dialect_of(m)->lay(m, capacity, err);
	if (r < 0) {
		fl_model_free(m);
		return r;
	}
	*ret = m;
	return 0;
}

const struct fl_daemon_settings *fl_config_settings(const struct fl_config *c)
{
	return &c->m->daemon;
}

const struct fl_model *fl_config_objects(const struct fl_config *c) { return c->m; }

const char *fl_config_word(const struct fl_config *c, struct fl_sym sym)
{
	return fl_model_text(c->m, sym);
}

uint32_t fl_config_texts(const struct fl_config *c, const struct fl_config_text **ret)
{
	*ret = c->texts;
	return c->n;
}

void fl_config_hash(const struct fl_config *c, char ret[FL_CONFIG_HASH])
{
	(void)snprintf(ret, 33, "%016llx%016llx", (unsigned long long)c->hash[0],
		       (unsigned long long)c->hash[1]);
}
