/* SPDX-License-Identifier: Apache-2.0 */
/* Classes of synthetic jobs: how many come when, and what they ask for. */
#include <string.h>

#include "base/limits.h"
#include "codec/own/simulation_parts.h"

enum { DAY_SECONDS = 24 * 60 * 60 };

/* --- hours of a day --- */

/* Two digits at @text, or -1. */
static int two(const char *text)
{
	return text[0] >= '0' && text[0] <= '9' && text[1] >= '0' && text[1] <= '9' ?
		       (text[0] - '0') * 10 + text[1] - '0' :
		       -1;
}

/* "09:30" after midnight; "24:00" is the end of the day. */
static int read_clock(struct fl_kube *k, uint32_t v, const char *text, size_t len, fl_time *ret)
{
	int hours = len == 5 ? two(text) : -1;
	int minutes = len == 5 && text[2] == ':' ? two(text + 3) : -1;

	if (hours < 0 || minutes < 0 || minutes > 59 || hours > 24 || (hours == 24 && minutes)) {
		fl_kube_fail(k, v, FAIRLEAD_EINPUT, "'%.40s' is not a time of a day",
			     fl_doc_text(&k->doc, v));
		fl_fail_hint(k->err, "write it like \"09:00\", from \"00:00\" to \"24:00\"");
		return FAIRLEAD_EINPUT;
	}
	*ret = (fl_time)(hours * 60 + minutes) * 60 * FL_SECOND;
	return 0;
}

static int read_clock_text(struct fl_kube *k, uint32_t v, fl_time *ret)
{
	struct fl_sym unused;
	int r = fl_kube_text(k, v, &unused);

	return r < 0 ? r : read_clock(k, v, fl_doc_text(&k->doc, v), k->doc.values[v].len, ret);
}

static int read_hours_from(struct fl_kube *k, uint32_t v, void *row)
{
	return read_clock_text(k, v, &((struct fl_class_row *)row)->day_begins);
}

/* For now the end; read_hours makes it the length. */
static int read_hours_to(struct fl_kube *k, uint32_t v, void *row)
{
	return read_clock_text(k, v, &((struct fl_class_row *)row)->day_length);
}

/* "+01:00", "-08:00", "Z": as in times. */
static int read_zone(struct fl_kube *k, uint32_t v, void *row)
{
	fl_time *zone = &((struct fl_class_row *)row)->zone;
	const char *text = fl_doc_text(&k->doc, v);
	struct fl_sym unused;
	int r = fl_kube_text(k, v, &unused);

	if (r < 0 || strcmp(text, "Z") == 0) {
		*zone = 0;
		return r;
	}
	if (text[0] != '+' && text[0] != '-') {
		fl_kube_fail(k, v, FAIRLEAD_EINPUT, "'%.40s' is not a distance from UTC", text);
		fl_fail_hint(k->err, "write it like \"+01:00\" or \"Z\"");
		return FAIRLEAD_EINPUT;
	}
	r = read_clock(k, v, text + 1, k->doc.values[v].len - 1, zone);
	if (r == 0 && text[0] == '-')
		*zone = -*zone;
	return r;
}

static int read_weekends(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_bool(k, v, &((struct fl_class_row *)row)->weekends);
}

static const struct fl_field hours[] = {
	{ .name = "from", .read = read_hours_from },
	{ .name = "to", .read = read_hours_to },
	{ .name = "zone", .read = read_zone },
	{ .name = "weekends", .read = read_weekends },
	{ .name = NULL },
};

static int read_hours(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_class_row *class = row;
	int r;

	class->day_length = (fl_time)DAY_SECONDS * FL_SECOND;
	class->weekends = false;
	r = fl_kube_map(k, v, hours, row);
	if (r == 0 && class->day_length <= class->day_begins)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "the hours end before they begin");
	class->day_length -= class->day_begins;
	return r;
}

/* --- the class --- */

static int read_name(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_name(k, v, &((struct fl_class_row *)row)->name);
}

static int read_to(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_name(k, v, &((struct fl_class_row *)row)->to);
}

static int read_count(struct fl_kube *k, uint32_t v, void *row)
{
	int32_t count = 0;
	int r = fl_kube_int32(k, v, &count);

	if (r == 0 && (count < 1 || count > FL_MAX_WORKLOADS))
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected a number from 1 to %d",
				    FL_MAX_WORKLOADS);
	((struct fl_class_row *)row)->count = (uint32_t)count;
	return r;
}

static int read_every(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_simulation_distribution(k, v, FL_OF_TIME, &((struct fl_class_row *)row)->between);
}

static int read_runs(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_simulation_distribution(k, v, FL_OF_TIME, &((struct fl_class_row *)row)->runs);
}

static int read_pods(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_simulation_distribution(k, v, FL_OF_PODS, &((struct fl_class_row *)row)->pods);
}

static int read_requests(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_span *requests = &((struct fl_class_row *)row)->requests;
	uint32_t end = 0;
	int r = fl_kube_pairs(k, v, &end);

	requests->first = k->m->n_requests;
	for (uint32_t key = v + 1; r == 0 && key < end; key = fl_kube_next(k, key)) {
		struct fl_request request = { .amount = 0 };

		r = fl_model_sym(k->m, fl_doc_text(&k->doc, key), k->doc.values[key].len,
				 &request.resource_name, k->err);
		if (r == 0)
			r = fl_kube_quantity(k, key + 1, fl_doc_text(&k->doc, key),
					     &request.amount);
		if (r == 0)
			r = fl_model_push_requests(k->m, &request, /* ret_id= */ NULL, k->err);
	}
	requests->n = k->m->n_requests - requests->first;
	if (r == 0 && requests->n == 0)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "the jobs ask for nothing");
	return r;
}

static int read_priority(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_class_row *class = row;

	class->has_priority = true;
	return fl_kube_int32(k, v, &class->priority);
}

static int read_min_pods(struct fl_kube *k, uint32_t v, void *row)
{
	int32_t *min_pods = &((struct fl_class_row *)row)->min_pods;
	int r = fl_kube_int32(k, v, min_pods);

	return r == 0 && *min_pods < 1 ?
		       fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected a number of at least 1") :
		       r;
}

static int read_begins(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_own_period(k, v, &((struct fl_class_row *)row)->begins);
}

static int read_ends(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_own_length(k, v, &((struct fl_class_row *)row)->ends);
}

const struct fl_field fl_fields_class[] = {
	{ .name = "name", .read = read_name, .text = FL_TEXT_NAME },
	{ .name = "to", .read = read_to, .text = FL_TEXT_CLUSTER_QUEUE },
	{ .name = "count", .read = read_count },
	{ .name = "every", .read = read_every, .fields = fl_fields_distribution },
	{ .name = "runs", .read = read_runs, .fields = fl_fields_distribution },
	{ .name = "pods", .read = read_pods, .fields = fl_fields_distribution },
	{ .name = "minPods", .read = read_min_pods },
	{ .name = "requests", .read = read_requests, .keys = FL_TEXT_RESOURCE },
	{ .name = "priority", .read = read_priority },
	{ .name = "begins", .read = read_begins },
	{ .name = "ends", .read = read_ends },
	{ .name = "hours", .read = read_hours, .fields = hours },
	{ .name = NULL },
};

/* What no single field says. */
static int check_class(struct fl_kube *k, uint32_t item, const struct fl_class_row *row)
{
	bool spread = fl_doc_find(&k->doc, item, "every") != FL_NONE;
	bool at_once = row->between.kind == FL_CONSTANT && row->between.a <= 0 &&
		       row->between.least <= 0;

	if (row->name.v == FL_NONE || row->to.v == FL_NONE)
		return fl_kube_fail(k, item, FAIRLEAD_EINPUT, "an empty '%s'",
				    row->name.v == FL_NONE ? "name" : "to");
	if (row->count == 0 && (!spread || at_once))
		return fl_kube_fail(k, item, FAIRLEAD_EINPUT,
				    "neither 'count' nor a time between jobs in 'every': they "
				    "would never end");
	if (row->ends <= row->begins)
		return fl_kube_fail(k, item, FAIRLEAD_EINPUT, "it ends before it begins");
	for (uint32_t i = 0; i < k->m->n_classes; i++)
		if (k->m->classes[i].name.v == row->name.v)
			return fl_kube_fail(k, item, FAIRLEAD_EINPUT,
					    "classes[%u] is called '%.60s' already", i,
					    fl_model_text(k->m, row->name));
	return 0;
}

static int read_class(struct fl_kube *k, uint32_t item)
{
	static const char *const needed[] = { "name", "to", "runs", "requests" };
	const struct fl_distribution one = { .kind = FL_CONSTANT, .a = 1, .most = 1 };
	struct fl_class_row row = { .name = { FL_NONE },
				    .to = { FL_NONE },
				    .ends = FL_NEVER,
				    .between = { .kind = FL_CONSTANT },
				    .pods = one,
				    .weekends = true,
				    .place = fl_kube_place(k, item) };
	uint32_t unused;
	int r = 0;

	for (size_t i = 0; i < sizeof needed / sizeof *needed && r == 0; i++)
		r = fl_kube_need(k, item, needed[i], &unused);
	if (r == 0)
		r = fl_kube_map(k, item, fl_fields_class, &row);
	if (r == 0)
		r = check_class(k, item, &row);
	return r < 0 ? r : fl_model_push_classes(k->m, &row, /* ret_id= */ NULL, k->err);
}

int fl_simulation_classes(struct fl_kube *k, uint32_t v, void *row)
{
	(void)row;
	k->m->n_classes = 0;
	return fl_simulation_each(k, v, read_class);
}
