/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cluster/compare.h"
#include "cli/terminal/terminal.h"

struct answer {
	const struct fl_compared *of;
	struct fl_verified_kind kinds[FL_MIRROR_KINDS];
	char why[FL_MIRROR_KINDS][80];
	struct fl_verified_difference *rows;
	struct fl_verified_object *cluster; /* one a row */
	struct fl_verified_answer all;
};

static const char *or_null(const char *text) { return text && *text ? text : NULL; }

static int by_name(const void *x, const void *y)
{
	const struct fl_different *a = x, *b = y;
	int c = (int)a->kind->kind - (int)b->kind->kind;

	if (c == 0)
		c = strcmp(a->namespace, b->namespace);
	return c ? c : strcmp(a->name, b->name);
}

static int count_unreadable(void *user, struct fl_mirror_object *o, fairlead_error *err)
{
	(void)err;
	*(uint32_t *)user += o->n_own == 0;
	return 0;
}

/* Why a kind was not compared, or not all of it; "". */
static void say_why(const struct fl_fresh_kind *k, char ret[80])
{
	*ret = '\0';
	if (k->forbidden)
		(void)snprintf(ret, 80, "you may not list them");
	else if (k->unnamed)
		(void)snprintf(ret, 80, "%" PRIu32 " of them have no name, or no room", k->unnamed);
}

static void add_kind(struct answer *a, const struct fl_fresh_kind *k)
{
	const struct fl_mirror_kind_row *row = fl_mirror_kind(k->kind);
	const struct fl_mirror *m = a->of->fresh.mirror;
	char *why = a->why[a->all.n_kinds];
	struct fl_verified_kind *to = &a->kinds[a->all.n_kinds++];

	say_why(k, why);
	*to = (struct fl_verified_kind){ .kind = row->name,
					 .group = row->group,
					 .plural = row->plural,
					 .left_out = or_null(why) };
	a->all.whole &= !*why;
	if (k->forbidden)
		return;
	to->objects = fl_mirror_count(m, k->kind);
	(void)fl_mirror_each(m, k->kind, count_unreadable, &to->unreadable, NULL);
	for (uint32_t i = 0; i < a->of->n; i++) {
		const struct fl_different *d = &a->of->rows[i];

		to->only_cluster += d->kind == k && !d->there;
		to->only_daemon += d->kind == k && !d->is;
		to->differ += d->kind == k && d->there && d->is;
	}
	to->same = to->objects - to->only_cluster - to->differ;
}

static void add_difference(struct answer *a, struct fl_different *d)
{
	const uint32_t i = a->all.n_differences;

	if (d->kind->forbidden) /* since a moment ago */
		return;
	if (d->is)
		a->cluster[i] = (struct fl_verified_object){ .uid = or_null(fl_mirror_uid(d->is)),
							     .version = d->is->version,
							     .readable = d->is->n_own > 0 };
	d->daemon.uid = d->uid;
	a->rows[i] = (struct fl_verified_difference){ .kind = fl_mirror_kind(d->kind->kind)->name,
						      .namespace = or_null(d->namespace),
						      .name = d->name,
						      .cluster = d->is ? &a->cluster[i] : NULL,
						      .daemon = d->there ? &d->daemon : NULL };
	a->all.n_differences++;
}

static int make(struct answer *a, struct fl_compared *c, fairlead_error *err)
{
	*a = (struct answer){ .of = c, .all.whole = true, .all.problem = c->problem };
	a->rows = calloc(c->n + 1U, sizeof *a->rows);
	a->cluster = calloc(c->n + 1U, sizeof *a->cluster);
	if (!a->rows || !a->cluster)
		return fl_fail_nomem(err);
	if (c->n)
		qsort(c->rows, c->n, sizeof *c->rows, by_name);
	for (uint32_t i = 0; i < c->fresh.n; i++)
		add_kind(a, &c->fresh.kinds[i]);
	for (uint32_t i = 0; i < c->n; i++)
		add_difference(a, &c->rows[i]);
	a->all.kinds = a->kinds;
	a->all.differences = a->rows;
	a->all.same = a->all.n_differences == 0;
	return 0;
}

static void print(const struct fl_options *o, const struct fl_verified_answer *answer)
{
	struct fl_report report = { 0 };

	fl_terminal(&report);
	if (o->output == FL_OUTPUT_JSON)
		fl_document_json(&report, &fl_verified_document, answer);
	else
		fl_verified_text(&report, answer);
}

int fl_verify(const struct fl_options *o)
{
	struct fl_compared c = { 0 };
	struct answer a = { 0 };
	fairlead_error err = { 0 };
	int rc = fl_compare(o, &c, &err), code;

	if (rc == 0)
		rc = make(&a, &c, &err);
	if (rc == 0)
		print(o, &a.all);
	/* Whatever was refused: 1 is for what differs alone. */
	code = rc < 0      ? (fl_complain(&err), FL_EXIT_FAILED) :
	       !a.all.same ? FL_EXIT_NO :
	       a.all.whole ? FL_EXIT_YES :
			     FL_EXIT_UNKNOWN;
	free(a.rows);
	free(a.cluster);
	fl_compare_done(&c);
	return code;
}
