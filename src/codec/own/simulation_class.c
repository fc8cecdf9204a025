/* SPDX-License-Identifier: Apache-2.0 */
/* Classes of synthetic jobs: how many arrive when, and what they ask for. */
#include <string.h>

#include "base/limits.h"
#include "codec/own/simulation.h"

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
		fl_kube_fail(k, v, FAIRLEAD_EINPUT, "'%.40s' is not a time of day",
			     fl_doc_text(&k->doc, v));
		fl_fail_hint(k->err, "write for example \"09:00\"; from \"00:00\" to \"24:00\"");
		return FAIRLEAD_EINPUT;
	}
	*ret = (fl_time)(hours * 60 + minutes) * 60 * FL_SECOND;
	return 0;
}

static int read_hour(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	struct fl_sym unused;
	int r = fl_kube_text(k, v, &unused);

	(void)f;
	return r < 0 ? r : read_clock(k, v, fl_doc_text(&k->doc, v), k->doc.values[v].len, to);
}

/* "+01:00", "-08:00", "Z": as at the end of times. */
static int read_zone(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	fl_time *zone = to;
	const char *text = fl_doc_text(&k->doc, v);
	struct fl_sym unused;
	int r = fl_kube_text(k, v, &unused);

	(void)f;
	if (r < 0 || strcmp(text, "Z") == 0) {
		*zone = 0;
		return r;
	}
	if (text[0] != '+' && text[0] != '-') {
		fl_kube_fail(k, v, FAIRLEAD_EINPUT, "'%.40s' is not an offset from UTC", text);
		fl_fail_hint(k->err, "write for example \"+01:00\" or \"Z\"");
		return FAIRLEAD_EINPUT;
	}
	r = read_clock(k, v, text + 1, k->doc.values[v].len - 1, zone);
	if (r == 0 && text[0] == '-')
		*zone = -*zone;
	return r;
}

#define FL_C_hour fl_time
#define FL_C_zone fl_time
static const struct fl_type fl_type_hour = {
	.read = read_hour,
	.schema = "\"type\": \"string\", "
		  "\"pattern\": \"^([0-1][0-9]|2[0-3]):[0-5][0-9]$|^24:00$\"",
};
static const struct fl_type fl_type_zone = {
	.read = read_zone,
	.schema = "\"type\": \"string\", \"pattern\": \"^(Z|[+-][0-2][0-9]:[0-5][0-9])$\"",
};

#define CLASS(field, type, member) FL_IS(field, type, struct fl_class_row, member)

static const struct fl_field hours[] = {
	{ CLASS("from", hour, day_begins) },
	{ CLASS("to", hour, day_length) }, /* the end at first; read_hours makes it the length */
	{ CLASS("zone", zone, zone), .doc = "The offset from UTC; default Z." },
	{ CLASS("weekends", flag, weekends) },
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

static int read_requests(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_span *requests = &((struct fl_class_row *)row)->requests;
	uint32_t end = 0;
	int r = fl_kube_pairs(k, v, &end);

	requests->first = k->m->n_requests;
	for (uint32_t key = v + 1; r == 0 && key < end; key = fl_kube_next(k, key)) {
		struct fl_request request = { .amount = 0 };

		r = fl_kube_key(k, key, &request.resource_name);
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

const struct fl_field fl_fields_class[] = {
	{ CLASS("name", name, name), .needed = true, .text = FL_TEXT_NAME,
	  .schema = FL_NOT_EMPTY_SCHEMA },
	{ CLASS("to", name, to), .needed = true, .text = FL_TEXT_CLUSTER_QUEUE,
	  .schema = FL_NOT_EMPTY_SCHEMA, .doc = "The queue of its jobs, as in a rule." },
	{ CLASS("count", uint32, count), .least = 1, .most = FL_MAX_WORKLOADS,
	  .doc = "Number of jobs. Default: all that arrive until `ends`, or until the simulation ends." },
	{ CLASS("every", random_time, between), .fields = fl_fields_random_span,
	  .doc = "Time between two arrivals." },
	{ CLASS("runs", random_time, runs), .needed = true, .fields = fl_fields_random_span,
	  .doc = "Run time of a job." },
	{ CLASS("pods", random_pods, pods), .fields = fl_fields_random_pods,
	  .doc = "Pods of a job; default 1." },
	{ CLASS("minPods", int32, min_pods), .least = 1, .most = INT32_MAX,
	  .fail = "expected a number of at least 1",
	  .doc = "Pods with which a pod group can run; default: all." },
	{ .name = "requests",
	  .read = read_requests,
	  .needed = true,
	  .keys = FL_TEXT_RESOURCE,
	  .schema = "\"type\": \"object\", \"minProperties\": 1, "
		    "\"additionalProperties\": { " FL_QUANTITY_SCHEMA " }",
	  .doc = "Requests of one pod." },
	{ CLASS("priority", int32, priority), FL_SAID(struct fl_class_row, has_priority) },
	{ CLASS("begins", period, begins),
	  .doc = "First arrivals, as time after the start of the simulation; default: 0s." },
	{ CLASS("ends", length, ends),
	  .doc = "End of arrivals, as time after the start of the simulation." },
	{ .name = "hours",
	  .read = read_hours,
	  .fields = hours,
	  .doc = "Jobs arrive in this part of the day only, and not on Saturday and Sunday unless `weekends` is true." },
	{ .name = NULL },
};

/* Checks over several fields. */
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
				    "neither 'count' nor a time between jobs in 'every': jobs "
				    "would arrive without end");
	if (row->ends <= row->begins)
		return fl_kube_fail(k, item, FAIRLEAD_EINPUT, "'ends' is before 'begins'");
	for (uint32_t i = 0; i < k->m->n_classes; i++)
		if (k->m->classes[i].name.v == row->name.v)
			return fl_kube_fail(k, item, FAIRLEAD_EINPUT,
					    "classes[%u] has the name '%.60s', too", i,
					    fl_model_text(k->m, row->name));
	return 0;
}

int fl_simulation_class(struct fl_kube *k, uint32_t v, void *unused)
{
	const struct fl_distribution one = { .kind = FL_CONSTANT, .a = 1, .most = 1 };
	struct fl_class_row row = { .name = { FL_NONE },
				    .to = { FL_NONE },
				    .ends = FL_NEVER,
				    .between = { .kind = FL_CONSTANT },
				    .pods = one,
				    .weekends = true,
				    .place = fl_kube_place_of(k, v) };
	int r = fl_kube_whole(k, v, fl_fields_class, &row);

	(void)unused;
	if (r == 0)
		r = check_class(k, v, &row);
	return r < 0 ? r : fl_model_push_classes(k->m, &row, /* ret_id= */ NULL, k->err);
}
