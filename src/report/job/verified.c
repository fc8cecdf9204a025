/* SPDX-License-Identifier: Apache-2.0 */
#include "report/job/verified.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 100 /* differences, for people */ };

/* --- JSON --- */

#define ROW struct fl_verified_kind
static const struct fl_json_field kind_fields[] = {
	FL_FIELD(TEXT, "kind", kind, "\"Workload\""),
	FL_FIELD(TEXT, "group", group, "of the API; \"\": the core group"),
	FL_FIELD(TEXT, "resource", plural, "\"workloads\""),
	FL_FIELD(TEXT, "notCompared", left_out, "why; absent: it was compared", .maybe = true),
	FL_FIELD(COUNT, "objects", objects, "that the cluster has"),
	FL_FIELD(COUNT, "same", same, "of them, what the daemon has, too, and as they are"),
	FL_FIELD(COUNT, "onlyInCluster", only_cluster, "of them, what the daemon does not have"),
	FL_FIELD(COUNT, "onlyInDaemon", only_daemon, "what the cluster does not have"),
	FL_FIELD(COUNT, "differ", differ, "what both have, but not the same"),
	FL_FIELD(COUNT, "unreadable", unreadable,
		 "of the cluster's, those of whose text nothing can be made: the same as such"),
};
static const struct fl_json_shape kind_shape = FL_SHAPE(kind_fields, "verifiedKind");
#undef ROW

#define ROW struct fl_verified_object
static const struct fl_json_field object_fields[] = {
	FL_FIELD(TEXT, "uid", uid, "absent: it decides nothing, and is not kept", .maybe = true),
	FL_FIELD(COUNT64, "resourceVersion", version, "0: it is not known"),
	FL_FIELD(BOOL, "readable", readable, "false: nothing can be made of its text"),
};
static const struct fl_json_shape object_shape = FL_SHAPE(object_fields, "verifiedObject");
#undef ROW

#define ROW struct fl_verified_difference
static const struct fl_json_field difference_fields[] = {
	FL_FIELD(TEXT, "kind", kind, "\"Workload\""),
	FL_FIELD(TEXT, "namespace", namespace, "absent: it is in none", .maybe = true),
	FL_FIELD(TEXT, "name", name, "its name"),
	FL_FIELD_TO("cluster", cluster, object_shape, "as the cluster has it; absent: it does not",
		    .maybe = true),
	FL_FIELD_TO("daemon", daemon, object_shape, "as the daemon has it; absent: it does not",
		    .maybe = true),
};
static const struct fl_json_shape difference_shape = FL_SHAPE(difference_fields,
							      "verifiedDifference");
#undef ROW

#define ROW struct fl_verified_answer
static const struct fl_json_field answer_fields[] = {
	FL_FIELD(BOOL, "same", same, "nothing that was compared differs"),
	FL_FIELD(BOOL, "complete", whole, "all that the daemon follows was compared"),
	FL_FIELD(TEXT, "problem", problem, "why the daemon may not know how the cluster is now",
		 .null = true),
	FL_FIELD_LIST("kinds", kinds, n_kinds, kind_shape, "that the daemon follows"),
	FL_FIELD_LIST("differences", differences, n_differences, difference_shape,
		      "each object that differs, by kind, namespace and name"),
};
static const struct fl_json_shape answer_shape = FL_SHAPE(answer_fields, "verification");
const struct fl_document fl_verified_document = { .kind = "Verification",
						  .shape = &answer_shape,
						  .plain = true };
#undef ROW

/* --- text --- */

static bool is_alike(const struct fl_verified_kind *a, const struct fl_verified_kind *b)
{
	return strcmp(a->plural, b->plural) == 0 && strcmp(a->group, b->group) == 0;
}

/* "clusterqueues 12, workloads 4210"; those of one name together. */
static void count(const struct fl_verified_answer *a, size_t size, char *ret)
{
	size_t len = 0;

	*ret = '\0';
	for (uint32_t i = 0; i < a->n_kinds; i++) {
		const struct fl_verified_kind *k = &a->kinds[i];
		uint32_t n = 0, first = 0;

		while (!is_alike(&a->kinds[first], k))
			first++;
		for (uint32_t j = i; first == i && j < a->n_kinds; j++)
			n += is_alike(&a->kinds[j], k) ? a->kinds[j].same : 0;
		if (n && len < size)
			len += (size_t)snprintf(ret + len, size - len, "%s%s %" PRIu32,
						len ? ", " : "", k->plural, n);
	}
}

static void say_difference(const struct fl_report *r, const struct fl_verified_difference *d)
{
	const struct fl_verified_object *c = d->cluster, *have = d->daemon;
	char what[200];

	if (!have)
		(void)snprintf(what, sizeof what, "only in the cluster");
	else if (!c)
		(void)snprintf(what, sizeof what, "only in the daemon");
	else if (c->uid && have->uid && strcmp(c->uid, have->uid) != 0)
		(void)snprintf(what, sizeof what, "the daemon has another one of this name");
	else if (c->readable != have->readable)
		(void)snprintf(what, sizeof what, "differs; %s could not read it",
			       c->readable ? "the daemon" : "this command");
	else
		(void)snprintf(what, sizeof what,
			       "differs; the daemon has resourceVersion %" PRIu64
			       ", the cluster %" PRIu64,
			       have->version, c->version);
	fl_report_say(r, FL_STYLE_PLAIN, 4, "%s %s%s%s: %s", d->kind,
		      d->namespace ? d->namespace : "", d->namespace ? "/" : "", d->name, what);
}

static void say_left_out(const struct fl_report *r, const struct fl_verified_answer *a)
{
	for (uint32_t i = 0; i < a->n_kinds; i++)
		if (a->kinds[i].left_out)
			fl_report_say(r, FL_STYLE_WARN, 0, "Not compared: %s%s%s, as %s",
				      a->kinds[i].plural, *a->kinds[i].group ? "." : "",
				      a->kinds[i].group, a->kinds[i].left_out);
}

void fl_verified_text(const struct fl_report *r, const struct fl_verified_answer *a)
{
	uint32_t same = 0, unreadable = 0;
	char counts[2000];

	count(a, sizeof counts, counts);
	for (uint32_t i = 0; i < a->n_kinds; i++) {
		same += a->kinds[i].same;
		unreadable += a->kinds[i].unreadable;
	}
	if (a->same)
		fl_report_say(r, FL_STYLE_GOOD, 0,
			      "What the daemon has is what the cluster has: %s",
			      *counts ? counts : "nothing");
	else
		fl_report_say(r, FL_STYLE_BAD, 0,
			      "What the daemon has is not what the cluster has: %" PRIu32
			      " differ, %" PRIu32 " are the same",
			      a->n_differences, same);
	for (uint32_t i = 0; i < a->n_differences && i < SHOWN; i++)
		say_difference(r, &a->differences[i]);
	if (a->n_differences > SHOWN)
		fl_report_say(r, FL_STYLE_DIM, 4, "and %" PRIu32 " more: -o json lists all",
			      a->n_differences - SHOWN);
	if (!a->same && same == 0)
		fl_report_say(r, FL_STYLE_WARN, 0,
			      "Nothing is the same: is this the cluster that the daemon watches?");
	if (!a->same && same)
		fl_report_say(r, FL_STYLE_DIM, 0, "The same: %s", counts);
	if (!a->same && a->problem)
		fl_report_say(r, FL_STYLE_WARN, 0, "The daemon says: %s", a->problem);
	if (unreadable)
		fl_report_say(r, FL_STYLE_DIM, 0,
			      "Of %" PRIu32 " of the cluster's objects nothing can be made",
			      unreadable);
	say_left_out(r, a);
}
