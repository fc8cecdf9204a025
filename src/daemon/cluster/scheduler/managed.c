/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/scheduler/managed.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/time.h"
#include "codec/text/quantity.h"
#include "daemon/cluster/scheduler/check_states.h"
#include "daemon/cluster/scheduler/slice.h"
#include "daemon/cluster/scheduler/yield_text.h"

/* What Kueue's scheduler writes as FL_MANAGED_BY. */
static const char *const conditions[] = {
	"Admitted",           "BlockedOnPreemptionGates",
	"DeactivationTarget", "Evicted",
	"Finished",           "Preempted",
	"QuotaReserved",      "Requeued",
};
static const char *const fields[] = {
	"accumulatedPastExecutionTimeSeconds",
	"admission",
	"admissionChecks",
	"clusterName",
	"nominatedClusterNames",
	"preemptionGates",
	"requeueState",
	"resourceRequests",
	"schedulingStats",
	"unhealthyNodes",
};
/* Taken away by an admission, and by an eviction. */
static const char *const cleared[] = { "resourceRequests", "unhealthyNodes" };
static const char *const reset[] = { "clusterName", "nominatedClusterNames", "unhealthyNodes" };
/* Conditions of a past eviction, which an admission ends. */
static const char *const past[] = { "Evicted", "Preempted", "BlockedOnPreemptionGates" };

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *text_of(const json_t *object, const char *field)
{
	const char *text = json_string_value(json_object_get(object, field));

	return text ? text : "";
}

/* --- reading --- */

static char *put(char *to, const char *text, size_t n)
{
	memcpy(to, text, n);
	return to + n;
}

#define PUT(to, text) put(to, text, sizeof text - 1)

static bool is_named(struct fl_slice s, const char *const *names, size_t n)
{
	for (size_t i = 0; s.at && i < n; i++)
		if (fl_slice_is(s, names[i]))
			return true;
	return false;
}

/* {"generation": N, "status": the set} (heap), its values as they stand in the object; NULL: no memory. */
static char *pick(struct fl_slice meta, struct fl_slice status)
{
	const struct fl_slice generation = fl_slice_of(meta, "generation");
	struct fl_slices all = fl_slices_in(fl_slice_of(status, "conditions"));
	struct fl_slice key, one;
	char *text = malloc(generation.n + status.n + 100), *to = text;
	bool first = true;

	if (!text)
		return NULL;
	to = PUT(to, "{\"generation\":");
	to = generation.at ? put(to, generation.at, generation.n) : PUT(to, "0");
	to = PUT(to, ",\"status\":{\"conditions\":[");
	while (fl_slices_next(&all, &key, &one)) {
		if (!is_named(fl_slice_of(one, "type"), conditions, COUNT(conditions)))
			continue;
		to = first ? to : PUT(to, ",");
		to = put(to, one.at, one.n);
		first = false;
	}
	to = PUT(to, "]");
	all = fl_slices_in(status);
	while (fl_slices_next(&all, &key, &one)) {
		if (!is_named(key, fields, COUNT(fields)))
			continue;
		to = PUT(to, ",");
		to = put(to, key.at, key.n);
		to = PUT(to, ":");
		to = put(to, one.at, one.n);
	}
	to = PUT(to, "}}");
	*to = '\0';
	return text;
}

/* --- keeping --- */

/*
 * Times of a second, "2026-01-01T00:00:00Z", are taken out of the text, where one byte stands for each:
 * what is left is the same for many Workloads.
 */
enum { STAMP = 20, HOLE = 1 };

struct fl_managed {
	uint64_t key; /* hash of its uid */
	uint64_t version;
	struct fl_shared *text;
	struct fl_uuid job;
	bool has_job;
	uint32_t n_times;
	uint32_t times[]; /* seconds since 1970 */
};

static uint64_t key_of(const char *uid)
{
	return fl_shared_hash((const uint8_t *)uid, (uint32_t)strlen(uid));
}

static bool is_stamp(const char *text, size_t len, uint32_t *ret)
{
	fairlead_error none;
	char again[40];
	fl_time t;

	if (len < STAMP || text[4] != '-' || text[10] != 'T' || text[19] != 'Z' ||
	    fl_time_parse(text, STAMP, &t, &none) < 0 || t < 0 || t / FL_SECOND > UINT32_MAX ||
	    strncmp(fl_time_format(again, t), text, STAMP) != 0)
		return false;
	*ret = (uint32_t)(t / FL_SECOND);
	return true;
}

/* In place. */
static size_t take_times(char *text, size_t len, uint32_t *times, uint32_t *n)
{
	size_t to = 0;

	*n = 0;
	for (size_t at = 0; at < len; at++) {
		text[to++] = text[at];
		if (text[at] == '"' && is_stamp(text + at + 1, len - at - 1, &times[*n])) {
			(*n)++;
			text[to++] = HOLE;
			at += STAMP;
		}
	}
	return to;
}

static char *with_times(const struct fl_managed *set)
{
	char *text = malloc(set->text->n + (size_t)STAMP * set->n_times + 1), stamp[40];
	size_t to = 0;
	uint32_t next = 0;

	for (uint32_t at = 0; text && at < set->text->n; at++) {
		if (set->text->bytes[at] != HOLE) {
			text[to++] = (char)set->text->bytes[at];
			continue;
		}
		memcpy(text + to, fl_time_format(stamp, set->times[next++] * FL_SECOND), STAMP);
		to += STAMP;
	}
	if (text)
		text[to] = '\0';
	return text;
}

static uint32_t slot_of(const struct fl_managed_all *s, uint64_t key)
{
	uint32_t at = (uint32_t)key & (s->slots - 1);

	while (s->slot[at] && s->slot[at]->key != key)
		at = (at + 1) & (s->slots - 1);
	return at;
}

static const struct fl_managed *find(const struct fl_managed_all *s, const char *uid)
{
	return s->slots ? s->slot[slot_of(s, key_of(uid))] : NULL;
}

static int grow(struct fl_managed_all *s, fairlead_error *err)
{
	struct fl_managed_all wider = { .slots = s->slots ? 2 * s->slots : 64 };

	if (s->slots && 2 * (s->used + 1) <= s->slots)
		return 0;
	wider.slot = calloc(wider.slots, sizeof *wider.slot);
	if (!wider.slot)
		return fl_fail_nomem(err);
	for (uint32_t i = 0; i < s->slots; i++)
		if (s->slot[i])
			wider.slot[slot_of(&wider, s->slot[i]->key)] = s->slot[i];
	free(s->slot);
	s->slot = wider.slot;
	s->slots = wider.slots;
	return 0;
}

static void free_set(struct fl_managed_all *s, struct fl_managed *set)
{
	if (set && fl_shared_leave(&s->texts, set->text))
		free(set->text);
	free(set);
}

static void remove_at(struct fl_managed_all *s, uint32_t at)
{
	free_set(s, s->slot[at]);
	s->slot[at] = NULL;
	s->used--;
	/* Those behind it that stood there for want of its place. */
	for (uint32_t i = (at + 1) & (s->slots - 1); s->slot[i]; i = (i + 1) & (s->slots - 1)) {
		struct fl_managed *set = s->slot[i];

		s->slot[i] = NULL;
		s->slot[slot_of(s, set->key)] = set;
	}
}

#define JOB_LABEL "kueue.x-k8s.io/job-uid"

static bool read_job(struct fl_slice meta, struct fl_uuid *ret)
{
	const struct fl_slice job = fl_slice_of(fl_slice_of(meta, "labels"), JOB_LABEL);

	return job.n > 2 && fl_uuid_read(job.at + 1, job.n - 2, ret);
}

/* Of the object with that @meta. */
static int keep(struct fl_managed_all *s, uint64_t key, uint64_t version, struct fl_slice meta,
		char *text, fairlead_error *err)
{
	size_t len = strlen(text);
	uint32_t n, at, *times = malloc((len / STAMP + 1) * sizeof *times);
	struct fl_managed *set;
	int r;

	if (!times)
		return fl_fail_nomem(err);
	len = take_times(text, len, times, &n);
	set = malloc(sizeof *set + n * sizeof *times);
	r = set ? grow(s, err) : fl_fail_nomem(err);
	if (r == 0)
		r = fl_shared_enter(&s->texts, (const uint8_t *)text, (uint32_t)len, &set->text,
				    err);
	if (r == 0) {
		set->key = key;
		set->version = version;
		set->has_job = read_job(meta, &set->job);
		set->n_times = n;
		memcpy(set->times, times, n * sizeof *times);
		at = slot_of(s, key);
		s->used += !s->slot[at];
		free_set(s, s->slot[at]);
		s->slot[at] = set;
	} else {
		free(set);
	}
	free(times);
	return r;
}

int fl_managed_put(struct fl_managed_all *s, const struct fl_mirror_object *o, const char *json,
		   size_t len, fairlead_error *err)
{
	const char *uid = fl_mirror_uid(o);
	const struct fl_managed *known = find(s, uid);
	const struct fl_slice object = { json, len };
	struct fl_slice meta, version;
	char *text;
	int r;

	/* The watch tells again what an answer has told. */
	if (o->fate == FL_FATE_OVER || (known && known->version == o->version))
		return 0;
	meta = fl_slice_of(object, "metadata");
	version = fl_slice_of(meta, "resourceVersion");
	if (version.n < 2 || version.at[version.n - 1] != '"')
		return fl_fail(err, FAIRLEAD_EINPUT, "no object of the API");
	if (!fl_slice_is(fl_slice_of(meta, "uid"), uid) ||
	    strtoull(version.at + 1, NULL, 10) != o->version)
		return 0;
	text = pick(meta, fl_slice_of(object, "status"));
	r = text ? keep(s, key_of(uid), o->version, meta, text, err) : fl_fail_nomem(err);
	free(text);
	return r;
}

void fl_managed_remove(struct fl_managed_all *s, const char *uid)
{
	uint32_t at = s->slots ? slot_of(s, key_of(uid)) : 0;

	if (s->slots && s->slot[at])
		remove_at(s, at);
}

const char *fl_managed_job(const struct fl_managed_all *s, const struct fl_mirror_object *o,
			   char ret[FL_UUID])
{
	const struct fl_managed *set = find(s, fl_mirror_uid(o));

	return set && set->has_job ? fl_uuid_text(&set->job, ret) : NULL;
}

/* Each condition has a time. */
bool fl_managed_is_new(const struct fl_managed_all *s, const struct fl_mirror_object *o)
{
	const struct fl_managed *set = find(s, fl_mirror_uid(o));

	return set && set->version == o->version && set->n_times == 0;
}

void fl_managed_done(struct fl_managed_all *s)
{
	for (uint32_t i = 0; i < s->slots; i++)
		free_set(s, s->slot[i]);
	free(s->slot);
	fl_shared_done(&s->texts);
	*s = (struct fl_managed_all){ 0 };
}

/* --- writing --- */

struct writing {
	json_t *status;
	json_int_t generation;
	char now[40];
	int rc;
};

static json_t *find_condition(const struct writing *w, const char *type)
{
	json_t *one;
	size_t i;

	json_array_foreach(json_object_get(w->status, "conditions"), i,
			   one) if (strcmp(text_of(one, "type"), type) == 0) return one;
	return NULL;
}

static bool is_true(const struct writing *w, const char *type)
{
	const json_t *one = find_condition(w, type);

	return one && strcmp(text_of(one, "status"), "True") == 0;
}

/* Its time is that of before while its status is. */
static void set_condition(struct writing *w, const char *type, const char *is, const char *reason,
			  const char *message)
{
	json_t *one = find_condition(w, type);
	bool as_before = one && strcmp(text_of(one, "status"), is) == 0;

	if (!one) {
		one = json_pack("{s:s}", "type", type);
		w->rc |= json_array_append_new(json_object_get(w->status, "conditions"), one);
	}
	w->rc |= json_object_set_new(one, "status", json_string(is));
	w->rc |= json_object_set_new(one, "reason", json_string(reason));
	w->rc |= json_object_set_new(one, "message", json_string(message));
	w->rc |= json_object_set_new(one, "observedGeneration", json_integer(w->generation));
	if (!as_before)
		w->rc |= json_object_set_new(one, "lastTransitionTime", json_string(w->now));
}

static void end_past(struct writing *w, const char *type)
{
	json_t *one = find_condition(w, type);
	char *message;

	if (!is_true(w, type))
		return;
	if (asprintf(&message, "Previously: %s", text_of(one, "message")) < 0) {
		w->rc = -1;
		return;
	}
	set_condition(w, type, "False", "QuotaReserved", message);
	free(message);
}

static json_t *assignments(const struct fl_managed_change *change)
{
	json_t *out = json_array(), *podset = NULL;
	const char *name = NULL;
	int rc = out ? 0 : -1;

	for (uint32_t i = 0; i < change->n; i++) {
		const struct fl_managed_row *row = &change->rows[i];
		char quantity[32];

		if (!name || strcmp(name, row->podset) != 0) {
			name = row->podset;
			podset = json_pack("{s:s, s:i, s:{}, s:{}}", "name", name, "count",
					   (int)row->count, "flavors", "resourceUsage");
			rc |= json_array_append_new(out, podset);
		}
		if (!row->resource)
			continue;
		rc |= json_object_set_new(json_object_get(podset, "flavors"), row->resource,
					  json_string(row->flavor));
		rc |= json_object_set_new(
			json_object_get(podset, "resourceUsage"), row->resource,
			json_string(fl_quantity_format(quantity, row->amount,
						       strcmp(row->resource, "cpu") == 0,
						       /* binary= */ true)));
	}
	if (rc == 0)
		return out;
	json_decref(out);
	return NULL;
}

static void take_away(struct writing *w, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		(void)json_object_del(w->status, names[i]);
}

static void admit(struct writing *w, const struct fl_managed_change *change)
{
	char *message;

	for (size_t i = 0; i < COUNT(past); i++)
		end_past(w, past[i]);
	take_away(w, cleared, COUNT(cleared));
	w->rc |= json_object_set_new(w->status, "admission",
				     json_pack("{s:s, s:o}", "clusterQueue", change->cluster_queue,
					       "podSetAssignments", assignments(change)));
	if (asprintf(&message, "Quota reserved in ClusterQueue %s", change->cluster_queue) < 0) {
		w->rc = -1;
		return;
	}
	set_condition(w, "QuotaReserved", "True", "QuotaReserved", message);
	if (change->checked)
		w->rc |= fl_check_states_pass(w->status, w->now);
	else
		set_condition(w, "Admitted", "True", "Admitted", "The workload is admitted");
	free(message);
}

/* One more in schedulingStats.evictions. */
static void count_eviction(struct writing *w, const char *reason)
{
	json_t *stats = json_object_get(w->status, "schedulingStats"), *all, *one;
	size_t i;

	if (!stats) {
		stats = json_object();
		w->rc |= json_object_set_new(w->status, "schedulingStats", stats);
	}
	if (!(all = json_object_get(stats, "evictions"))) {
		all = json_array();
		w->rc |= json_object_set_new(stats, "evictions", all);
	}
	json_array_foreach(all, i, one) if (strcmp(text_of(one, "reason"), reason) == 0 &&
					    !*text_of(one, "underlyingCause"))
	{
		w->rc |= json_object_set_new(
			one, "count",
			json_integer(json_integer_value(json_object_get(one, "count")) + 1));
		return;
	}
	w->rc |= json_array_append_new(all, json_pack("{s:s, s:s, s:i}", "reason", reason,
						      "underlyingCause", "", "count", 1));
}

/* The admission stays: Kueue takes it away when no pod is left. */
static void evict(struct writing *w, const struct fl_managed_change *change)
{
	take_away(w, reset, COUNT(reset));
	w->rc |= fl_check_states_reset(w->status, w->now);
	set_condition(w, "Evicted", "True", change->reason, change->message);
	if (change->preempted)
		set_condition(w, "Preempted", "True", change->preempted, change->message);
	count_eviction(w, change->reason);
}

/* In place of what stands there, so that no more is told than counts. */
static void tell_yielded(struct writing *w, const char *yielded)
{
	json_t *one = find_condition(w, "Preempted");
	const char *message = one ? text_of(one, "message") : "";
	char *text;

	if (!one || asprintf(&text, "%.*s%s", (int)fl_yield_begin(message), message,
			     yielded ? yielded : "") < 0) {
		w->rc |= one ? -1 : 0;
		return;
	}
	w->rc |= json_object_set_new(one, "message", json_string(text));
	free(text);
}

/* Whole seconds, as the API has them. */
static void format_now(char now[40], fl_time t) { (void)fl_time_format(now, t - t % FL_SECOND); }

static char *body_of(const struct fl_mirror_object *o, json_t *status)
{
	char version[24], *text;
	json_t *body;

	(void)snprintf(version, sizeof version, "%llu", (unsigned long long)o->version);
	body = json_pack("{s:s, s:s, s:{s:s, s:s, s:s, s:s}, s:O}", "apiVersion",
			 "kueue.x-k8s.io/" FL_MANAGED_API, "kind", "Workload", "metadata", "name",
			 fl_mirror_name(o), "namespace", fl_mirror_namespace(o), "uid",
			 fl_mirror_uid(o), "resourceVersion", version, "status", status);
	text = body ? json_dumps(body, JSON_COMPACT) : NULL;
	json_decref(body);
	return text;
}

int fl_managed_body(const struct fl_managed_all *s, const struct fl_mirror_object *o,
		    const struct fl_managed_change *change, char **ret, fairlead_error *err)
{
	const struct fl_managed *set = find(s, fl_mirror_uid(o));
	struct writing w = { .rc = 0 };
	char *text;
	json_t *kept;

	if (!set || set->version != o->version)
		return fl_fail(err, FAIRLEAD_ESTATE, "its status is not known");
	text = with_times(set);
	if (!text)
		return fl_fail_nomem(err);
	kept = json_loads(text, 0, NULL);
	free(text);
	if (!kept)
		return fl_fail(err, FAIRLEAD_ESTATE, "its status cannot be read");
	w.status = json_object_get(kept, "status");
	w.generation = json_integer_value(json_object_get(kept, "generation"));
	format_now(w.now, change->now);
	if (change->passes)
		w.rc |= fl_check_states_pass(w.status, w.now);
	else if (change->cluster_queue)
		admit(&w, change);
	else
		evict(&w, change);
	tell_yielded(&w, change->yielded);
	*ret = w.rc ? NULL : body_of(o, w.status);
	json_decref(kept);
	return *ret ? 0 : fl_fail_nomem(err);
}

/* May it be in the list? Most sets are not read for that. */
static bool names_check(const struct fl_managed *set)
{
	static const char name[] = "\"" FL_CHECK_NAME "\"";

	return memmem(set->text->bytes, set->text->n, name, sizeof name - 1);
}

int fl_managed_check(const struct fl_managed_all *s, const struct fl_mirror_object *o,
		     enum fl_managed_check *ret, fairlead_error *err)
{
	const struct fl_managed *set = find(s, fl_mirror_uid(o));
	struct writing w = { .rc = 0 };
	json_t *kept;
	char *text;

	*ret = FL_MANAGED_NO_CHECK;
	if (!set || !names_check(set))
		return 0;
	text = with_times(set);
	kept = text ? json_loads(text, 0, NULL) : NULL;
	free(text);
	if (!text)
		return fl_fail_nomem(err);
	w.status = json_object_get(kept, "status");
	*ret = fl_check_states_of(w.status);
	if (*ret == FL_MANAGED_CHECK_WAITS &&
	    (is_true(&w, "Admitted") || is_true(&w, "Evicted") || !is_true(&w, "QuotaReserved")))
		*ret = FL_MANAGED_CHECK;
	json_decref(kept);
	return 0;
}

/* Most have none: it is looked for before the set is read. */
int fl_managed_yielded(const struct fl_managed_all *s, const struct fl_mirror_object *o, char **ret,
		       fairlead_error *err)
{
	const struct fl_managed *set = find(s, fl_mirror_uid(o));
	struct writing w = { .rc = 0 };
	json_t *kept, *one;
	char *text;

	*ret = NULL;
	if (!set || !memmem(set->text->bytes, set->text->n, FL_YIELD_TEXT_BEGINS,
			    strlen(FL_YIELD_TEXT_BEGINS)))
		return 0;
	text = with_times(set);
	if (!text)
		return fl_fail_nomem(err);
	kept = json_loads(text, 0, NULL);
	free(text);
	w.status = json_object_get(kept, "status");
	one = find_condition(&w, "Preempted");
	*ret = one ? strdup(text_of(one, "message")) : NULL;
	json_decref(kept);
	return one && !*ret ? fl_fail_nomem(err) : 0;
}
