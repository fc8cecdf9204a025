/* SPDX-License-Identifier: Apache-2.0 */
/* Sources of jobs, whose jobs they are, and queues that are made for them. */
#include <stdlib.h>
#include <string.h>

#include "codec/own/simulation_parts.h"

/* --- rules: to whom jobs belong --- */

/* Who is meant: "7", "1-20", or any text. A range that is empty is a slip. */
static int check_range(struct fl_kube *k, uint32_t v)
{
	const char *text = fl_doc_text(&k->doc, v);
	size_t digits = strspn(text, "0123456789");
	size_t rest = text[digits] == '-' ? strspn(text + digits + 1, "0123456789") : 0;

	if (digits == 0 || rest == 0 || text[digits + 1 + rest] != '\0')
		return 0;
	if (strtoull(text, NULL, 10) > strtoull(text + digits + 1, NULL, 10))
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "'%.60s' ends before it begins", text);
	return 0;
}

static int read_names(struct fl_kube *k, uint32_t v, struct fl_span *ret)
{
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	ret->first = k->m->n_syms;
	if (r == 0 && v + 1 == end)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "an empty list matches nobody");
	for (uint32_t i = v + 1; r == 0 && i < end; i = fl_kube_next(k, i)) {
		struct fl_sym name = { 0 };

		r = fl_own_name(k, i, &name);
		if (r == 0)
			r = check_range(k, i);
		if (r == 0)
			r = fl_model_push_syms(k->m, &name, /* ret_id= */ NULL, k->err);
	}
	ret->n = k->m->n_syms - ret->first;
	return r;
}

#define NAMES(function, member)                                                                    \
	static int function(struct fl_kube *k, uint32_t v, void *row)                              \
	{                                                                                          \
		return read_names(k, v, &((struct fl_trace_rule *)row)->member);                   \
	}

NAMES(read_users, users)
NAMES(read_groups, groups)
NAMES(read_queue_names, queues)
NAMES(read_partitions, partitions)

/* What stands in braces is one of the four that a trace tells. */
static int read_rule_to(struct fl_kube *k, uint32_t v, void *row)
{
	static const char *const known[] = { "{user}", "{group}", "{queue}", "{partition}" };
	int r = fl_kube_text(k, v, &((struct fl_trace_rule *)row)->to);
	const char *at = fl_doc_text(&k->doc, v);

	if (r == 0 && *at == '\0')
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected the name of a queue");
	while (r == 0 && (at = strpbrk(at, "{}")) != NULL) {
		size_t i = 0;

		while (i < 4 && strncmp(at, known[i], strlen(known[i])) != 0)
			i++;
		if (i == 4) {
			fl_kube_fail(k, v, FAIRLEAD_EINPUT, "'%.40s' is not filled in by anything",
				     at);
			fl_fail_hint(k->err, "{user}, {group}, {queue} and {partition} are");
			return FAIRLEAD_EINPUT;
		}
		at += strlen(known[i]);
	}
	return r;
}

static int read_rule_priority(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_trace_rule *rule = row;

	rule->has_priority = true;
	return fl_kube_int32(k, v, &rule->priority);
}

static int read_leave_out(struct fl_kube *k, uint32_t v, void *row)
{
	bool out = false;

	(void)row; /* seen by read_rule */
	return fl_kube_bool(k, v, &out);
}

static const struct fl_field rule_fields[] = {
	{ .name = "users", .read = read_users, .text = FL_TEXT_NAME },
	{ .name = "groups", .read = read_groups, .text = FL_TEXT_NAME },
	{ .name = "queues", .read = read_queue_names, .text = FL_TEXT_NAME },
	{ .name = "partitions", .read = read_partitions, .text = FL_TEXT_NAME },
	{ .name = "to", .read = read_rule_to, .text = FL_TEXT_CLUSTER_QUEUE },
	{ .name = "leaveOut", .read = read_leave_out },
	{ .name = "priority", .read = read_rule_priority },
	{ .name = NULL },
};

static int read_rule(struct fl_kube *k, uint32_t item)
{
	struct fl_trace_rule row = { .to = { FL_NONE }, .place = fl_kube_place(k, item) };
	int r = fl_kube_map(k, item, rule_fields, &row);
	uint32_t v = r == 0 ? fl_doc_find(&k->doc, item, "leaveOut") : FL_NONE;
	bool out = false;

	if (v != FL_NONE && !fl_kube_is_null(k, v))
		r = fl_kube_bool(k, v, &out);
	if (r == 0 && row.to.v == FL_NONE && !out) {
		fl_kube_fail(k, item, FAIRLEAD_EINPUT, "no 'to'");
		fl_fail_hint(k->err, "name a queue, or write 'leaveOut: true'");
		return FAIRLEAD_EINPUT;
	}
	if (r == 0 && row.to.v != FL_NONE && out)
		return fl_kube_fail(k, item, FAIRLEAD_EINPUT, "both 'to' and 'leaveOut'");
	return r < 0 ? r : fl_model_push_trace_rules(k->m, &row, /* ret_id= */ NULL, k->err);
}

static int read_rules(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_span *rules = &((struct fl_trace_row *)row)->rules;
	int r;

	rules->first = k->m->n_trace_rules;
	r = fl_simulation_each(k, v, read_rule);
	rules->n = k->m->n_trace_rules - rules->first;
	return r;
}

/* --- sources --- */

static int read_file(struct fl_kube *k, uint32_t v, struct fl_sym *ret)
{
	int r = fl_kube_text(k, v, ret);

	if (r == 0 && k->doc.values[v].len == 0)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected the name of a file");
	return r;
}

#define SOURCE(function, which)                                                                    \
	static int function(struct fl_kube *k, uint32_t v, void *row)                              \
	{                                                                                          \
		((struct fl_trace_row *)row)->kind = which;                                        \
		return read_file(k, v, &((struct fl_trace_row *)row)->file);                       \
	}

SOURCE(read_swf, FL_TRACE_SWF)
SOURCE(read_generator, FL_TRACE_GENERATOR)
SOURCE(read_objects, FL_TRACE_OBJECTS)

static int read_pods_file(struct fl_kube *k, uint32_t v, void *row)
{
	return read_file(k, v, &((struct fl_trace_row *)row)->file);
}

static int read_nodes_file(struct fl_kube *k, uint32_t v, void *row)
{
	return read_file(k, v, &((struct fl_trace_row *)row)->nodes_file);
}

static const struct fl_field openb[] = {
	{ .name = "pods", .read = read_pods_file, .text = FL_TEXT_NAME },
	{ .name = "nodes", .read = read_nodes_file, .text = FL_TEXT_NAME },
	{ .name = NULL },
};

static int read_openb(struct fl_kube *k, uint32_t v, void *row)
{
	uint32_t unused;
	int r = fl_kube_need(k, v, "pods", &unused);

	((struct fl_trace_row *)row)->kind = FL_TRACE_OPENB;
	return r < 0 ? r : fl_kube_map(k, v, openb, row);
}

static int read_from(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_own_period(k, v, &((struct fl_trace_row *)row)->from);
}

static int read_for(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_own_length(k, v, &((struct fl_trace_row *)row)->length);
}

/* Far beyond what means anything, and times stay numbers. */
static int read_factor(struct fl_kube *k, uint32_t v, double *ret)
{
	int r = fl_own_positive(k, v, ret);

	return r == 0 && (*ret < 1e-6 || *ret > 1e6) ?
		       fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected a number from 1e-6 to 1e6") :
		       r;
}

static int read_load(struct fl_kube *k, uint32_t v, void *row)
{
	return read_factor(k, v, &((struct fl_trace_row *)row)->load);
}

static int read_runtime(struct fl_kube *k, uint32_t v, void *row)
{
	return read_factor(k, v, &((struct fl_trace_row *)row)->runtime);
}

static int read_cancelled(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_bool(k, v, &((struct fl_trace_row *)row)->cancelled);
}

const struct fl_field fl_fields_source[] = {
	{ .name = "swf", .read = read_swf, .text = FL_TEXT_NAME },
	{ .name = "openb", .read = read_openb, .fields = openb },
	{ .name = "generator", .read = read_generator, .text = FL_TEXT_NAME },
	{ .name = "objects", .read = read_objects, .text = FL_TEXT_NAME },
	{ .name = "from", .read = read_from },
	{ .name = "for", .read = read_for },
	{ .name = "load", .read = read_load },
	{ .name = "runtime", .read = read_runtime },
	{ .name = "cancelled", .read = read_cancelled },
	{ .name = "queues", .read = read_rules, .fields = rule_fields, .list = true },
	{ .name = NULL },
};

static const char *const kinds[] = { "swf", "openb", "generator", "objects" };

/* One kind, and what that kind can do. */
static int check_source(struct fl_kube *k, uint32_t item, const struct fl_trace_row *row)
{
	static const char *const of_traces[] = { "queues", "from", "for", "cancelled" };
	bool says_itself = row->kind == FL_TRACE_GENERATOR || row->kind == FL_TRACE_OBJECTS;
	unsigned given = 0;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		given += fl_doc_find(&k->doc, item, kinds[i]) != FL_NONE;
	if (given != 1 || row->file.v == FL_NONE)
		return fl_kube_fail(k, item, FAIRLEAD_EINPUT,
				    "expected one of swf, openb, generator, objects");
	for (size_t i = 0; i < sizeof of_traces / sizeof *of_traces && says_itself; i++) {
		uint32_t v = fl_doc_find(&k->doc, item, of_traces[i]);

		if (v != FL_NONE && !fl_kube_is_null(k, v))
			return fl_kube_fail(k, v, FAIRLEAD_EINPUT,
					    "not with '%s': what is in it says that itself",
					    kinds[row->kind]);
	}
	if (!says_itself && row->rules.n == 0) {
		fl_kube_fail(k, item, FAIRLEAD_EINPUT, "no 'queues': nobody has its jobs");
		fl_fail_hint(k->err, "'queues: [{to: NAME}]' gives all of them to one");
		return FAIRLEAD_EINPUT;
	}
	return 0;
}

static int read_source(struct fl_kube *k, uint32_t item)
{
	struct fl_trace_row row = { .file = { FL_NONE },
				    .nodes_file = { FL_NONE },
				    .length = FL_NEVER,
				    .load = 1,
				    .runtime = 1,
				    .place = fl_kube_place(k, item) };
	int r = fl_kube_map(k, item, fl_fields_source, &row);

	if (r == 0)
		r = check_source(k, item, &row);
	return r < 0 ? r : fl_model_push_traces(k->m, &row, /* ret_id= */ NULL, k->err);
}

int fl_simulation_sources(struct fl_kube *k, uint32_t v, void *row)
{
	(void)row;
	k->m->n_traces = 0;
	return fl_simulation_each(k, v, read_source);
}

/* --- templates of queues --- */

static int read_match(struct fl_kube *k, uint32_t v, void *row)
{
	const char *text = fl_doc_text(&k->doc, v), *star = strchr(text, '*');

	if (k->doc.values[v].kind == FL_TOKEN_SCALAR && star && strchr(star + 1, '*'))
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "more than one '*'");
	return fl_kube_name(k, v, &((struct fl_template_row *)row)->match);
}

/* They take jobs from wherever these live, unless it is said otherwise. */
static int read_cluster_queue(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_node_row *node = &((struct fl_template_row *)row)->node;

	*node = fl_cluster_queue_default;
	node->namespaces.present = true;
	return fl_kube_map(k, v, fl_fields_cluster_queue_spec, node);
}

static int read_local_queue(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_template_row *t = row;
	uint32_t name;
	int r = fl_kube_need(k, v, "clusterQueue", &name);

	t->local = true;
	return r < 0 ? r : fl_kube_map(k, v, fl_fields_local_queue_spec, &t->queue);
}

static int read_queue(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_entitled_spec(k, v, &((struct fl_template_row *)row)->node);
}

const struct fl_field fl_fields_template[] = {
	{ .name = "match", .read = read_match, .text = FL_TEXT_CLUSTER_QUEUE },
	{ .name = "clusterQueue",
	  .read = read_cluster_queue,
	  .fields = fl_fields_cluster_queue_spec },
	{ .name = "localQueue", .read = read_local_queue, .fields = fl_fields_local_queue_spec },
	{ .name = "queue", .read = read_queue, .fields = fl_fields_entitled_spec },
	{ .name = NULL },
};

static int read_template(struct fl_kube *k, uint32_t item)
{
	struct fl_template_row row = { .match = { FL_NONE },
				       .node = fl_cluster_queue_default,
				       .queue = fl_queue_default,
				       .place = fl_kube_place(k, item) };
	int made = (fl_doc_find(&k->doc, item, "clusterQueue") != FL_NONE) +
		   (fl_doc_find(&k->doc, item, "localQueue") != FL_NONE) +
		   (fl_doc_find(&k->doc, item, "queue") != FL_NONE);
	uint32_t match = FL_NONE;
	int r = fl_kube_need(k, item, "match", &match);

	if (r == 0)
		r = fl_kube_map(k, item, fl_fields_template, &row);
	if (r == 0 && row.match.v == FL_NONE)
		return fl_kube_fail(k, match, FAIRLEAD_EINPUT, "expected a name, or 'user-*'");
	if (r == 0 && made != 1)
		return fl_kube_fail(k, item, FAIRLEAD_EINPUT,
				    "expected one of clusterQueue, localQueue, queue");
	for (uint32_t i = 0; r == 0 && i < k->m->n_templates; i++)
		if (k->m->templates[i].match.v == row.match.v &&
		    k->m->templates[i].node.kind == row.node.kind)
			return fl_kube_fail(k, match, FAIRLEAD_EINPUT,
					    "queueTemplates[%u] makes these already", i);
	row.node.place = row.queue.place = row.place;
	return r < 0 ? r : fl_model_push_templates(k->m, &row, /* ret_id= */ NULL, k->err);
}

int fl_simulation_templates(struct fl_kube *k, uint32_t v, void *row)
{
	(void)row;
	k->m->n_templates = 0;
	return fl_simulation_each(k, v, read_template);
}
