/* SPDX-License-Identifier: Apache-2.0 */
#include "jobs_case.h"

#include <stdlib.h>
#include <string.h>

#include "codec/jobs/jobs.h"

enum { KEYS = 16 };

static void put_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		unsigned char b = (unsigned char)*text;

		if (b == '"' || b == '\\')
			fprintf(out, "\\%c", b);
		else if (b < 0x20)
			fprintf(out, "\\u%04x", b);
		else
			fputc(b, out);
	}
	fputc('"', out);
}

static void put_member(FILE *out, const char *key, const char *text)
{
	put_text(out, key);
	fputc(':', out);
	put_text(out, text);
}

static void put_pairs(FILE *out, const char *key, const struct fl_kjob_pairs *pairs)
{
	fprintf(out, ",\"%s\":{", key);
	for (uint32_t i = 0; i < pairs->n; i++) {
		fputs(i ? "," : "", out);
		put_member(out, pairs->items[i].key, pairs->items[i].value);
	}
	fputc('}', out);
}

/* As it stands in the object. */
static void put_value(FILE *out, struct fl_kjob_value v)
{
	const char *comma = "";

	if (fl_kjob_is_map(v) || fl_kjob_is_list(v)) {
		bool map = fl_kjob_is_map(v);

		fputc(map ? '{' : '[', out);
		for (struct fl_kjob_value i = fl_kjob_first(v); fl_kjob_has(i);
		     i = fl_kjob_next(v, i)) {
			fputs(comma, out);
			comma = ",";
			if (map) {
				put_text(out, fl_kjob_key(i));
				fputc(':', out);
			}
			put_value(out, map ? fl_kjob_of_key(i) : i);
		}
		fputc(map ? '}' : ']', out);
	} else if (!fl_kjob_has(v)) {
		fputs("null", out);
	} else if (v.doc->values[v.v].type == FL_SCALAR_STRING) {
		put_text(out, fl_kjob_text(v));
	} else {
		fputs(fl_doc_text(v.doc, v.v), out);
	}
}

/* Thousandths of cpu, whole units of all else, rounded up. */
static void put_counted(FILE *out, const struct fl_kjob_amounts *a)
{
	fputs(",\"requests\":{", out);
	for (uint32_t i = 0; i < a->n; i++) {
		fl_nanos unit = strcmp(a->items[i].resource, "cpu") == 0 ? 1000000 : 1000000000;
		fl_nanos n = (a->items[i].amount + unit - 1) / unit;

		fputs(i ? "," : "", out);
		put_text(out, a->items[i].resource);
		fprintf(out, ":%lld", n > INT64_MAX ? (long long)INT64_MAX : (long long)n);
	}
	fputc('}', out);
}

static void put_pod_set(FILE *out, const struct fl_kjob_pod_set *set)
{
	fputc('{', out);
	put_member(out, "name", set->name);
	fprintf(out, ",\"count\":%lld,\"minCount\":", (long long)set->count);
	if (set->min_count < 0)
		fputs("null", out);
	else
		fprintf(out, "%lld", (long long)set->min_count);
	put_counted(out, &set->counted);
	put_pairs(out, "nodeSelector", &set->pod.node_selector);
	fputs(",\"tolerations\":", out);
	if (fl_kjob_has(set->pod.tolerations))
		put_value(out, set->pod.tolerations);
	else
		fputs("[]", out);
	fprintf(out, ",\"affinity\":%s}", fl_kjob_has(set->pod.affinity) ? "true" : "false");
}

static void put_owners(FILE *out, const struct fl_kjob_workload *w)
{
	fputs(",\"ownerReferences\":[", out);
	for (uint32_t i = 0; i < w->n_owners; i++) {
		fputs(i ? ",{" : "{", out);
		put_member(out, "apiVersion", w->owners[i].api_version);
		fputc(',', out);
		put_member(out, "kind", w->owners[i].kind);
		fputc(',', out);
		put_member(out, "name", w->owners[i].name);
		fputc(',', out);
		put_member(out, "uid", w->owners[i].uid);
		fprintf(out, ",\"controller\":%s}", w->owners[i].controller ? "true" : "false");
	}
	fputc(']', out);
}

static void put_workload(FILE *out, const struct fl_kjob_workload *w)
{
	fputc('{', out);
	put_member(out, "name", w->name);
	fputc(',', out);
	put_member(out, "namespace", w->namespace);
	fputc(',', out);
	put_member(out, "queueName", w->queue);
	fprintf(out, ",\"priority\":%lld,\"priorityClassRef\":", (long long)w->priority);
	if (*w->class_name) {
		fputc('{', out);
		put_member(out, "group", w->class_group);
		fputc(',', out);
		put_member(out, "kind", w->class_kind);
		fputc(',', out);
		put_member(out, "name", w->class_name);
		fputc('}', out);
	} else {
		fputs("null", out);
	}
	fprintf(out,
		",\"active\":%s,\"maximumExecutionTimeSeconds\":", w->inactive ? "false" : "true");
	if (w->time_limit)
		fprintf(out, "%lld", (long long)w->time_limit);
	else
		fputs("null", out);
	put_pairs(out, "labels", &w->labels);
	put_pairs(out, "annotations", &w->annotations);
	put_owners(out, w);
	fputs(",\"podSets\":[", out);
	for (uint32_t i = 0; i < w->n_pod_sets; i++) {
		fputs(i ? "," : "", out);
		put_pod_set(out, &w->pod_sets[i]);
	}
	fputc(']', out);
	if (w->misfit)
		fprintf(out, ",\"inadmissible\":\"%s\"",
			w->misfit == FL_KJOB_LIMIT_RANGE ? "limitRange" : "limits");
	if (w->finished) {
		fputc(',', out);
		put_member(out, "finished", w->finished);
	}
	fputc('}', out);
}

static void put_object(FILE *out, const struct fl_kjob_object *o)
{
	static const char *const suspended[] = { "null", "false", "true" };

	fputc('{', out);
	put_member(out, "kind", o->framework->kind);
	fputc(',', out);
	put_member(out, "name", o->name);
	fprintf(out, ",\"suspended\":%s,", suspended[o->suspended]);
	put_member(out, "queueName", o->queue);
	fputc(',', out);
	put_member(out, "workloadPriorityClass", o->class);
	if (strcmp(o->framework->kind, "Pod") == 0)
		fprintf(out, ",\"managed\":%s", o->managed ? "true" : "false");
	fputs(o->n_gates ? ",\"schedulingGates\":[" : "", out);
	for (uint32_t i = 0; i < o->n_gates; i++) {
		fputs(i ? "," : "", out);
		put_text(out, o->gates[i]);
	}
	fputs(o->n_gates ? "]" : "", out);
	if (o->template_labels.n)
		put_pairs(out, "podTemplateLabels", &o->template_labels);
	if (o->template_annotations.n)
		put_pairs(out, "podTemplateAnnotations", &o->template_annotations);
	fputc('}', out);
}

/* --- answers, in the order of the case -------------------------------------------------------- */

struct row {
	char *name, *text;
};

struct answers {
	struct fl_kjob_value subjects;
	struct row *workloads, *objects;
	uint32_t n_workloads, n_objects;
	enum fl_kjob_reason reason;
};

static void add_row(struct row **rows, uint32_t *n, const char *name, char *text)
{
	*rows = realloc(*rows, (*n + 1) * sizeof **rows);
	if (!*rows)
		exit(3);
	(*rows)[(*n)++] = (struct row){ strdup(name), text };
}

static FILE *open_text(char **text, size_t *size)
{
	FILE *f = open_memstream(text, size);

	if (!f)
		exit(3);
	return f;
}

static int take(void *user, const struct fl_kjob_answer *a, fairlead_error *err)
{
	struct answers *all = user;
	size_t size;
	char *text;

	(void)err;
	for (uint32_t i = 0; i < a->n_workloads; i++) {
		FILE *f = open_text(&text, &size);

		put_workload(f, &a->workloads[i]);
		fclose(f);
		add_row(&all->workloads, &all->n_workloads, a->workloads[i].name, text);
	}
	for (uint32_t i = 0; i < a->n_objects && a->reason != FL_KJOB_REJECTED; i++) {
		FILE *f = open_text(&text, &size);

		put_object(f, &a->objects[i]);
		fclose(f);
		add_row(&all->objects, &all->n_objects, a->objects[i].name, text);
	}
	if (a->reason != FL_KJOB_MADE)
		all->reason = a->reason;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct row *)a)->name, ((const struct row *)b)->name);
}

static void put_answers(FILE *out, struct answers *all)
{
	const char *comma = "";

	fputs("{\"workloads\":[", out);
	if (all->n_workloads)
		qsort(all->workloads, all->n_workloads, sizeof *all->workloads, by_name);
	for (uint32_t i = 0; i < all->n_workloads; i++)
		fprintf(out, "%s%s", i ? "," : "", all->workloads[i].text);
	fputs("],\"objects\":[", out);
	for (struct fl_kjob_value s = fl_kjob_first(all->subjects); fl_kjob_has(s);
	     s = fl_kjob_next(all->subjects, s))
		for (uint32_t i = 0; i < all->n_objects; i++)
			if (fl_kjob_is(fl_kjob_get(s, "name"), all->objects[i].name)) {
				fprintf(out, "%s%s", comma, all->objects[i].text);
				comma = ",";
			}
	fputs("]", out);
	if (all->reason != FL_KJOB_MADE)
		fprintf(out, ",\"ignored\":\"%s\"", fl_kjob_reason_name(all->reason));
	fputs("}", out);
}

/* --- the case ------------------------------------------------------------------------------------ */

static bool is_subject(struct fl_kjob_value subjects, struct fl_kjob_value object)
{
	struct fl_kjob_value metadata = fl_kjob_get(object, "metadata");

	for (struct fl_kjob_value s = fl_kjob_first(subjects); fl_kjob_has(s);
	     s = fl_kjob_next(subjects, s))
		if (fl_kjob_is(fl_kjob_get(s, "kind"), fl_kjob_text(fl_kjob_get(object, "kind"))) &&
		    fl_kjob_is(fl_kjob_get(s, "name"),
			       fl_kjob_text(fl_kjob_get(metadata, "name"))) &&
		    fl_kjob_is(fl_kjob_get(s, "namespace"),
			       fl_kjob_text(fl_kjob_get(metadata, "namespace"))))
			return true;
	return false;
}

static int add_objects(struct fl_kjobs *j, struct fl_kjob_value objects,
		       struct fl_kjob_value subjects, fairlead_error *err)
{
	struct fl_doc one;
	int r = 0;

	fl_doc_init(&one, &fl_mem_heap);
	for (struct fl_kjob_value i = fl_kjob_first(objects); fl_kjob_has(i) && r == 0;
	     i = fl_kjob_next(objects, i)) {
		fl_doc_clear(&one);
		r = fl_doc_append(&one, i.doc, i.v, /* place= */ true, err);
		if (r == 0)
			r = fl_kjobs_add(
				j, &one,
				&(struct fl_kjobs_origin){ .context = !is_subject(subjects, i) },
				err);
	}
	fl_doc_done(&one);
	return r;
}

static void read_gates(struct fl_kjob_value map, struct fl_kjobs_config *c)
{
	static const struct {
		const char *name;
		uint32_t gate;
	} gates[] = {
		{ "PartialAdmission", FL_KJOBS_PARTIAL_ADMISSION },
		{ "ElasticJobsViaWorkloadSlices", FL_KJOBS_ELASTIC },
		{ "WorkloadPriorityClassDefaulting", FL_KJOBS_DEFAULT_CLASS },
		{ "ShortWorkloadNames", FL_KJOBS_SHORT_NAMES },
	};

	for (size_t i = 0; i < sizeof gates / sizeof *gates; i++) {
		struct fl_kjob_value v = fl_kjob_get(map, gates[i].name);

		if (fl_kjob_has(v))
			c->gates = fl_kjob_true(v) ? c->gates | gates[i].gate :
						     c->gates & ~gates[i].gate;
	}
}

static void read_config(struct fl_kjob_value config, const char **keys, struct fl_kjobs_config *c)
{
	struct fl_kjob_value list = fl_kjob_get(config, "frameworks");

	*c = (struct fl_kjobs_config){
		.creating = fl_kjob_true(fl_kjob_get(config, "admission")),
		.manage_without_queue =
			fl_kjob_true(fl_kjob_get(config, "manageJobsWithoutQueueName")),
		.namespace_selector = fl_kjob_get(config, "managedJobsNamespaceSelector"),
		.label_keys = keys,
		.gates = FL_KJOBS_DEFAULT_GATES,
	};
	for (struct fl_kjob_value i = fl_kjob_first(list); fl_kjob_has(i);
	     i = fl_kjob_next(list, i))
		for (uint32_t k = 0; k < FL_FRAMEWORKS; k++)
			if (fl_kjob_is(i, fl_frameworks[k].name))
				c->frameworks |= 1U << k;
	list = fl_kjob_get(config, "labelKeysToCopy");
	for (struct fl_kjob_value i = fl_kjob_first(list); fl_kjob_has(i) && c->n_label_keys < KEYS;
	     i = fl_kjob_next(list, i))
		keys[c->n_label_keys++] = fl_kjob_text(i);
	read_gates(fl_kjob_get(config, "featureGates"), c);
}

static void free_rows(struct row *rows, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		free(rows[i].name);
		free(rows[i].text);
	}
	free(rows);
}

int jobs_case(const struct fl_doc *d, FILE *out, fairlead_error *err)
{
	struct fl_kjob_value root = fl_kjob_root(d), config = fl_kjob_get(root, "config");
	struct answers all = { .subjects = fl_kjob_get(config, "subjects") };
	struct fl_kjobs_config c;
	const char *keys[KEYS];
	struct fl_kjobs *j;
	int r = fl_kjobs_new(&fl_mem_heap, &j, err);

	if (r < 0)
		return r;
	read_config(config, keys, &c);
	r = add_objects(j, fl_kjob_get(root, "objects"), all.subjects, err);
	if (r == 0)
		r = fl_kjobs_make(j, &c, take, &all, err);
	if (r == 0)
		put_answers(out, &all);
	free_rows(all.workloads, all.n_workloads);
	free_rows(all.objects, all.n_objects);
	fl_kjobs_free(j);
	return r;
}
