/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of a job of a trace: rules, and the names that they fill in. */
#include "codec/trace/route.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "codec/trace/trace.h"

/* --- matching --- */

static bool is_number(const char *text, size_t len)
{
	return len > 0 && len <= 18 && strspn(text, "0123456789") >= len;
}

static uint64_t number(const char *text, size_t len)
{
	uint64_t value = 0;

	for (size_t i = 0; i < len; i++)
		value = value * 10 + (uint64_t)(text[i] - '0');
	return value;
}

/* "1-20" means all numbers from 1 to 20; any other text means itself. */
static bool is_meant(const char *meant, const char *name)
{
	const char *dash = strchr(meant, '-');
	size_t before = dash ? (size_t)(dash - meant) : 0, len = strlen(name);

	if (strcmp(meant, name) == 0)
		return true;
	return dash && is_number(meant, before) && is_number(dash + 1, strlen(dash + 1)) &&
	       is_number(name, len) && number(meant, before) <= number(name, len) &&
	       number(name, len) <= number(dash + 1, strlen(dash + 1));
}

static bool among(const struct fl_model *m, struct fl_span meant, const char *name)
{
	bool found = meant.n == 0;

	for (uint32_t i = 0; i < meant.n && !found && name; i++)
		found = is_meant(fl_model_text(m, m->syms[meant.first + i]), name);
	return found;
}

static bool matches(const struct fl_model *m, const struct fl_trace_rule *rule,
		    const struct fl_trace_owner *o)
{
	return among(m, rule->users, o->user) && among(m, rule->groups, o->group) &&
	       among(m, rule->queues, o->queue) && among(m, rule->partitions, o->partition);
}

/* --- errors --- */

/* As much of a list as fits; a cut one ends in "...". */
struct words {
	char text[400];
	size_t n;
};

static void put(struct words *w, const char *before, const char *word)
{
	int n;

	if (w->n >= sizeof w->text - 4)
		return;
	n = snprintf(w->text + w->n, sizeof w->text - w->n - 4, "%s%s", before, word);
	w->n += (size_t)n;
	if (w->n >= sizeof w->text - 4) {
		w->n = sizeof w->text - 4;
		memcpy(w->text + w->n - 1, "...", 4);
	}
}

static void put_meant(struct words *w, const struct fl_model *m, const char *what,
		      struct fl_span meant, bool *first)
{
	if (meant.n == 0)
		return;
	put(w, *first ? "" : " of ", what);
	for (uint32_t i = 0; i < meant.n; i++)
		put(w, i ? ", " : " ", fl_model_text(m, m->syms[meant.first + i]));
	*first = false;
}

static void put_name(struct words *w, const char *what, const char *name)
{
	if (!name)
		return;
	put(w, w->n ? ", " : "", what);
	put(w, " '", name);
	put(w, "'", "");
}

static int fail_nobodys(const struct fl_model *m, const struct fl_trace_row *trace,
			const struct fl_trace_owner *o, struct fl_place at, fairlead_error *err)
{
	struct words who = { .n = 0 }, rules = { .n = 0 };

	put_name(&who, "user", o->user);
	put_name(&who, "group", o->group);
	put_name(&who, "queue", o->queue);
	put_name(&who, "partition", o->partition);
	for (uint32_t i = 0; i < trace->rules.n; i++) {
		const struct fl_trace_rule *rule = &m->trace_rules[trace->rules.first + i];
		bool first = true;

		if (i)
			put(&rules, "; ", "");
		put_meant(&rules, m, "users", rule->users, &first);
		put_meant(&rules, m, "groups", rule->groups, &first);
		put_meant(&rules, m, "queues", rule->queues, &first);
		put_meant(&rules, m, "partitions", rule->partitions, &first);
	}
	fl_fail(err, FAIRLEAD_EINPUT, "no rule matches the job of %s, so it has no queue",
		who.n ? who.text : "an unknown user");
	fl_fail_hint(err,
		     "rules are for %s (%.80s:%u); a last rule without these takes all other jobs",
		     rules.text, fl_model_text(m, m->inputs[trace->place.file]), trace->place.line);
	fl_model_fail_at(m, at, err);
	return FAIRLEAD_EINPUT;
}

/* --- filling in names --- */

static const char *value_of(const char *key, const struct fl_trace_owner *o, size_t *len)
{
	const struct {
		const char *key, *value;
	} known[] = {
		{ "{user}", o->user },
		{ "{group}", o->group },
		{ "{queue}", o->queue },
		{ "{partition}", o->partition },
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		*len = strlen(known[i].key);
		if (strncmp(key, known[i].key, *len) == 0)
			return known[i].value;
	}
	*len = 1;
	return NULL;
}

static int fill_in(struct fl_model *m, const struct fl_trace_rule *rule,
		   const struct fl_trace_owner *o, struct fl_place at, struct fl_sym *ret,
		   fairlead_error *err)
{
	const char *from = fl_model_text(m, rule->to);
	char text[2 * FL_MAX_NAME + 2];
	size_t n = 0, len;

	if (!strchr(from, '{')) {
		*ret = rule->to;
		return 0;
	}
	while (*from && n < sizeof text) {
		const char *value = from;

		if (*from == '{') {
			value = value_of(from, o, &len);
			if (!value) {
				fl_fail(err, FAIRLEAD_EINPUT,
					"the job has no %.*s for the queue '%.200s'", (int)len,
					from, fl_model_text(m, rule->to));
				return fl_model_fail_at(m, at, err);
			}
			from += len;
			len = strlen(value);
		} else {
			len = strcspn(from, "{");
			from += len;
		}
		len = len < sizeof text - n ? len : sizeof text - n;
		memcpy(text + n, value, len);
		n += len;
	}
	if (n == sizeof text) {
		fl_fail(err, FAIRLEAD_EINPUT, "the name of the queue is too long");
		return fl_model_fail_at(m, at, err);
	}
	return fl_model_sym(m, text, n, ret, err);
}

int fl_trace_route(struct fl_model *m, uint32_t trace, const struct fl_trace_owner *owner,
		   struct fl_place at, struct fl_trace_route *ret, fairlead_error *err)
{
	const struct fl_trace_row *row = &m->traces[trace];
	struct fl_trace_rule *rule = &m->trace_rules[row->rules.first];
	const struct fl_trace_rule *end = rule + row->rules.n;
	struct fl_target_row target;
	struct fl_sym to;
	int r;

	while (rule < end && !matches(m, rule, owner))
		rule++;
	if (rule == end)
		return fail_nobodys(m, row, owner, at, err);
	rule->used = true;
	*ret = (struct fl_trace_route){ .left_out = rule->to.v == FL_NONE,
					.has_priority = rule->has_priority,
					.priority = rule->priority };
	if (ret->left_out)
		return 0;
	r = fill_in(m, rule, owner, at, &to, err);
	if (r == 0)
		r = fl_model_target(m, to, rule->place, &target, err);
	if (r == 0) {
		ret->namespace = target.namespace;
		ret->queue_name = target.queue_name;
	}
	return r;
}
