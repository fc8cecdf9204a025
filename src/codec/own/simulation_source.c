/* SPDX-License-Identifier: Apache-2.0 */
/* Sources of jobs, the queues of their jobs, and queues that are made for them. */
#include <stdlib.h>
#include <string.h>

#include "codec/own/simulation.h"

/* --- rules: the queue of a job --- */

/* Users and the like: "7", "1-20", or any text. An empty range is an error. */
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

static int read_who(struct fl_kube *k, uint32_t v, void *unused)
{
	struct fl_sym name = { 0 };
	int r = fl_own_name(k, v, &name);

	(void)unused;
	if (r == 0)
		r = check_range(k, v);
	return r < 0 ? r : fl_model_push_syms(k->m, &name, /* ret_id= */ NULL, k->err);
}

#define WHO(field, member)                                                                         \
	{                                                                                          \
		FL_IS_LIST(field, struct fl_trace_rule, member, syms, read_who),                   \
			.fail = "an empty list matches no job", .text = FL_TEXT_NAME,              \
			.schema = "\"type\": [\"string\", \"integer\"]"                            \
	}

/* Braces contain one of the four names that a trace has. */
static int read_queue_name(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	static const char *const known[] = { "{user}", "{group}", "{queue}", "{partition}" };
	int r = fl_kube_text(k, v, to);
	const char *at = fl_doc_text(&k->doc, v);

	(void)f;
	if (r == 0 && *at == '\0')
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected the name of a queue");
	while (r == 0 && (at = strpbrk(at, "{}")) != NULL) {
		size_t i = 0;

		while (i < 4 && strncmp(at, known[i], strlen(known[i])) != 0)
			i++;
		if (i == 4) {
			fl_kube_fail(k, v, FAIRLEAD_EINPUT, "no value is known for '%.40s'", at);
			fl_fail_hint(k->err,
				     "the names are {user}, {group}, {queue} and {partition}");
			return FAIRLEAD_EINPUT;
		}
		at += strlen(known[i]);
	}
	return r;
}

#define FL_C_queue_name struct fl_sym
static const struct fl_type fl_type_queue_name = { .read = read_queue_name,
						   .schema = FL_NOT_EMPTY_SCHEMA };

struct rule {
	struct fl_trace_rule row; /* first */
	bool leave_out;
};

static const struct fl_field rule_fields[] = {
	WHO("users", users),
	WHO("groups", groups),
	WHO("queues", queues),
	WHO("partitions", partitions),
	{ FL_IS("to", queue_name, struct rule, row.to), .one = true, .text = FL_TEXT_CLUSTER_QUEUE,
	  .doc = "A LocalQueue (NAMESPACE/NAME, or a name that is unique), ClusterQueue or Queue; {user}, {group}, {queue} and {partition} are filled in." },
	{ FL_IS("leaveOut", flag, struct rule, leave_out), .one = true,
	  .doc = "Leaves these jobs out." },
	{ FL_IS("priority", int32, struct rule, row.priority),
	  FL_SAID(struct rule, row.has_priority) },
	{ .name = NULL },
};

static int read_rule(struct fl_kube *k, uint32_t item, void *unused)
{
	struct rule rule = { .row = { .to = { FL_NONE }, .place = fl_kube_place_of(k, item) } };
	int r = fl_kube_map(k, item, rule_fields, &rule);
	bool to = rule.row.to.v != FL_NONE;

	(void)unused;
	if (r == 0 && !to && !rule.leave_out) {
		fl_kube_fail(k, item, FAIRLEAD_EINPUT, "no 'to'");
		fl_fail_hint(k->err, "name a queue, or write 'leaveOut: true'");
		return FAIRLEAD_EINPUT;
	}
	if (r == 0 && to && rule.leave_out)
		return fl_kube_fail(k, item, FAIRLEAD_EINPUT, "both 'to' and 'leaveOut'");
	return r < 0 ? r : fl_model_push_trace_rules(k->m, &rule.row, /* ret_id= */ NULL, k->err);
}

/* --- sources --- */

#define SOURCE(field, type, member) FL_IS(field, type, struct fl_trace_row, member)

static const struct fl_field openb[] = {
	{ SOURCE("pods", file, file), .needed = true, .text = FL_TEXT_NAME },
	{ SOURCE("nodes", file, nodes_file), .text = FL_TEXT_NAME },
	{ .name = NULL },
};

static int read_openb(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_whole(k, v, openb, row);
}

/* A wide range in which times do not overflow. */
static int read_factor(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	double *factor = to;
	int r = fl_own_positive(k, v, factor);

	(void)f;
	return r == 0 && (*factor < 1e-6 || *factor > 1e6) ?
		       fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected a number from 1e-6 to 1e6") :
		       r;
}

#define FL_C_factor double
static const struct fl_type fl_type_factor = {
	.read = read_factor,
	.schema = "\"type\": \"number\", \"minimum\": 0.000001, \"maximum\": 1000000",
};

const struct fl_field fl_fields_source[] = {
	{ SOURCE("swf", file, file), .one = true, .text = FL_TEXT_NAME,
	  .doc = "A file in the Standard Workload Format, also packed by gzip." },
	{ .name = "openb",
	  .read = read_openb,
	  .one = true,
	  .fields = openb,
	  .doc = "CSV files of Alibaba's openb trace." },
	{ SOURCE("generator", file, file), .one = true, .text = FL_TEXT_NAME,
	  .doc = "A generator.yaml of Kueue's performance tests." },
	{ SOURCE("objects", file, file), .one = true, .text = FL_TEXT_NAME,
	  .doc = "Kubernetes objects with the annotations fairlead.dev/arrives-at and fairlead.dev/runs-for." },
	{ SOURCE("from", period, from) },
	{ SOURCE("for", length, length) },
	{ SOURCE("load", factor, load),
	  .doc = "Times between arrivals are divided by this factor." },
	{ SOURCE("runtime", factor, runtime), .doc = "Run times are multiplied by this factor." },
	{ SOURCE("cancelled", flag, cancelled),
	  .doc = "Jobs that were cancelled while pending arrive, too, and give up after the same time." },
	{ FL_IS_LIST("queues", struct fl_trace_row, rules, trace_rules, read_rule),
	  .fields = rule_fields, .list = true,
	  .doc = "The queue of a job: that of the first rule that matches." },
	{ .name = NULL },
};

/* By enum fl_trace_kind. */
static const char *const kinds[] = { "swf", "openb", "generator", "objects" };

/* One kind of source, and the fields that it allows. */
static int check_source(struct fl_kube *k, uint32_t item, struct fl_trace_row *row)
{
	static const char *const of_traces[] = { "queues", "from", "for", "cancelled" };
	unsigned given = 0;
	bool says_itself;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (fl_doc_find(&k->doc, item, kinds[i]) != FL_NONE) {
			row->kind = (enum fl_trace_kind)i;
			given++;
		}
	says_itself = row->kind == FL_TRACE_GENERATOR || row->kind == FL_TRACE_OBJECTS;
	if (given != 1 || row->file.v == FL_NONE)
		return fl_kube_fail(k, item, FAIRLEAD_EINPUT,
				    "expected one of swf, openb, generator, objects");
	for (size_t i = 0; i < sizeof of_traces / sizeof *of_traces && says_itself; i++) {
		uint32_t v = fl_doc_find(&k->doc, item, of_traces[i]);

		if (v != FL_NONE && !fl_kube_is_null(k, v))
			return fl_kube_fail(k, v, FAIRLEAD_EINPUT,
					    "not allowed with '%s', whose contents say it",
					    kinds[row->kind]);
	}
	if (!says_itself && row->rules.n == 0) {
		fl_kube_fail(k, item, FAIRLEAD_EINPUT, "no 'queues': its jobs have no queue");
		fl_fail_hint(k->err, "'queues: [{to: NAME}]' gives all jobs to one queue");
		return FAIRLEAD_EINPUT;
	}
	return 0;
}

int fl_simulation_source(struct fl_kube *k, uint32_t item, void *unused)
{
	struct fl_trace_row row = { .file = { FL_NONE },
				    .nodes_file = { FL_NONE },
				    .length = FL_NEVER,
				    .load = 1,
				    .runtime = 1,
				    .place = fl_kube_place_of(k, item) };
	int r = fl_kube_map(k, item, fl_fields_source, &row);

	(void)unused;
	if (r == 0)
		r = check_source(k, item, &row);
	return r < 0 ? r : fl_model_push_traces(k->m, &row, /* ret_id= */ NULL, k->err);
}

/* --- templates of queues --- */

static int read_match(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	const char *text = fl_doc_text(&k->doc, v), *star = strchr(text, '*');

	(void)f;
	if (k->doc.values[v].kind == FL_TOKEN_SCALAR && star && strchr(star + 1, '*'))
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "more than one '*'");
	return fl_kube_name(k, v, to);
}

#define FL_C_match struct fl_sym
static const struct fl_type fl_type_match = { .read = read_match, .schema = FL_NOT_EMPTY_SCHEMA };

/* Without a namespaceSelector they take jobs from every namespace. */
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

/* Their schemas are those of Kueue and KAI, and are not repeated here. */
#define OF_OTHERS .one = true, .schema = "\"type\": \"object\""

const struct fl_field fl_fields_template[] = {
	{ FL_IS("match", match, struct fl_template_row, match), .needed = true,
	  .text = FL_TEXT_CLUSTER_QUEUE,
	  .doc = "The names for which it is: a name with at most one *." },
	{ .name = "clusterQueue",
	  .read = read_cluster_queue,
	  .fields = fl_fields_cluster_queue_spec,
	  OF_OTHERS,
	  .doc = "The spec of a ClusterQueue of kueue.x-k8s.io; without namespaceSelector it takes jobs from every namespace." },
	{ .name = "localQueue",
	  .read = read_local_queue,
	  .fields = fl_fields_local_queue_spec,
	  OF_OTHERS,
	  .doc = "The spec of a LocalQueue of kueue.x-k8s.io: one for each name, in the namespace trace." },
	{ .name = "queue",
	  .read = read_queue,
	  .fields = fl_fields_entitled_spec,
	  OF_OTHERS,
	  .doc = "The spec of a Queue of scheduling.run.ai/v2." },
	{ .name = NULL },
};

int fl_simulation_template(struct fl_kube *k, uint32_t item, void *unused)
{
	struct fl_template_row row = { .match = { FL_NONE },
				       .node = fl_cluster_queue_default,
				       .queue = fl_queue_default,
				       .place = fl_kube_place_of(k, item) };
	int made = (fl_doc_find(&k->doc, item, "clusterQueue") != FL_NONE) +
		   (fl_doc_find(&k->doc, item, "localQueue") != FL_NONE) +
		   (fl_doc_find(&k->doc, item, "queue") != FL_NONE);
	uint32_t match = FL_NONE;
	int r = fl_kube_need(k, item, "match", &match);

	(void)unused;
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
					    "queueTemplates[%u] makes these, too", i);
	row.node.place = row.queue.place = row.place;
	return r < 0 ? r : fl_model_push_templates(k->m, &row, /* ret_id= */ NULL, k->err);
}
