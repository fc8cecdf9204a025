/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read - how long it takes to read manifests, as YAML and as JSON
 *
 * read [--objects N] [--runs N]
 * read --yaml N | --json N
 *                    N readings of one of the two, and no figures: what can be counted
 * read --show yaml|json
 *
 * A made-up kind: List with what kubectl prints of ResourceFlavors, Cohorts, ClusterQueues,
 * LocalQueues and, nine of ten, Workloads; the same objects in both forms.  From the text to the
 * sealed model.  One JSON line; README.md says how to read the figures.  Exit 1 when the two forms
 * do not become the same model.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/object/kube.h"
#include "decide/borrow/borrow.h"
#include "measure.h"

enum { COHORT = 10, OF = 20 /* objects: one of them is a ClusterQueue, one its LocalQueue */ };

static void must(int r, const fairlead_error *err)
{
	if (r >= 0)
		return;
	fprintf(stderr, "read: %s:%u: %s: %s\n", err->file, err->line, err->subject, err->text);
	exit(3);
}

/* --- texts: one value after the other, in either form -------------------------------------------- */

struct out {
	FILE *f;
	bool json;
	unsigned depth;
	bool first; /* of the map or list that is open */
	bool item;  /* the next key stands behind the dash of its item */
};

static void new_line(struct out *o)
{
	if (o->json && !o->first)
		fputc(',', o->f);
	if (o->item)
		fputs("- ", o->f);
	else if (o->json || !o->first || o->depth)
		fprintf(o->f, "\n%*s", (int)(o->json ? 4 * o->depth : 2 * (o->depth - 1)), "");
	o->first = o->item = false;
}

static void put_key(struct out *o, const char *key)
{
	new_line(o);
	fprintf(o->f, o->json ? "\"%s\": " : "%s:", key);
}

static void put(struct out *o, const char *key, const char *format, ...) FL_PRINTF(3, 4);

/* A text that is plain in YAML, too. */
static void put(struct out *o, const char *key, const char *format, ...)
{
	va_list args;

	put_key(o, key);
	fputc(o->json ? '"' : ' ', o->f);
	va_start(args, format);
	vfprintf(o->f, format, args);
	va_end(args);
	if (o->json)
		fputc('"', o->f);
}

/* One that looks like a number, a time or a truth and is none. */
static void put_quoted(struct out *o, const char *key, const char *text)
{
	put_key(o, key);
	fprintf(o->f, o->json ? "\"%s\"" : " \"%s\"", text);
}

static void put_number(struct out *o, const char *key, uint32_t number)
{
	put_key(o, key);
	fprintf(o->f, o->json ? "%u" : " %u", number);
}

static void begin(struct out *o, const char *key)
{
	put_key(o, key);
	if (o->json)
		fputc('{', o->f);
	o->depth++;
	o->first = true;
}

static void end(struct out *o)
{
	o->depth--;
	if (o->json)
		fprintf(o->f, "\n%*s}", (int)(4 * o->depth), "");
	o->first = false;
}

static void begin_list(struct out *o, const char *key)
{
	put_key(o, key);
	if (o->json)
		fputc('[', o->f);
	o->depth++;
	o->first = true;
}

static void end_list(struct out *o)
{
	o->depth--;
	if (o->json)
		fprintf(o->f, "\n%*s]", (int)(4 * o->depth), "");
	o->first = false;
}

static void begin_item(struct out *o)
{
	if (o->json) {
		new_line(o);
		fputc('{', o->f);
	} else {
		fprintf(o->f, "\n%*s", (int)(2 * (o->depth - 1)), "");
		o->item = true;
	}
	o->depth++;
	o->first = true;
}

/* --- objects ------------------------------------------------------------------------------------- */

static void begin_object(struct out *o, const char *kind)
{
	begin_item(o);
	put(o, "apiVersion", "kueue.x-k8s.io/v1beta2");
	put(o, "kind", "%s", kind);
	begin(o, "metadata");
}

static void put_flavor(struct out *o)
{
	begin_object(o, "ResourceFlavor");
	put(o, "name", "default");
	end(o);
	end(o);
}

static void put_cohort(struct out *o, uint32_t number)
{
	begin_object(o, "Cohort");
	put(o, "name", "cohort-%u", number);
	end(o);
	begin(o, "spec");
	put(o, "parentName", "company");
	end(o);
	end(o);
}

static void put_quota(struct out *o, const char *resource, const char *amount)
{
	begin_item(o);
	put(o, "name", "%s", resource);
	put_quoted(o, "nominalQuota", amount);
	put_quoted(o, "borrowingLimit", amount);
	end(o);
}

static void put_cluster_queue(struct out *o, uint32_t number)
{
	begin_object(o, "ClusterQueue");
	put(o, "name", "queue-%u", number);
	end(o);
	begin(o, "spec");
	put(o, "cohortName", "cohort-%u", number / COHORT);
	begin(o, "namespaceSelector");
	put_key(o, "matchLabels");
	fputs(o->json ? "{}" : " {}", o->f);
	end(o);
	begin(o, "preemption");
	put(o, "reclaimWithinCohort", "Any");
	put(o, "withinClusterQueue", "LowerPriority");
	end(o);
	begin_list(o, "resourceGroups");
	begin_item(o);
	put_key(o, "coveredResources");
	fputs(o->json ? "[\"cpu\", \"memory\"]" : " [cpu, memory]", o->f);
	begin_list(o, "flavors");
	begin_item(o);
	put(o, "name", "default");
	begin_list(o, "resources");
	put_quota(o, "cpu", "64");
	put_quota(o, "memory", "256Gi");
	end_list(o);
	end(o);
	end_list(o);
	end(o);
	end_list(o);
	end(o);
	end(o);
}

static void put_local_queue(struct out *o, uint32_t number)
{
	begin_object(o, "LocalQueue");
	put(o, "name", "queue-%u", number);
	put(o, "namespace", "team");
	end(o);
	begin(o, "spec");
	put(o, "clusterQueue", "queue-%u", number);
	end(o);
	end(o);
}

static void put_podset(struct out *o, uint32_t number)
{
	begin_item(o);
	put(o, "name", "main");
	put_number(o, "count", 1 + number % 4);
	begin(o, "template");
	begin(o, "spec");
	begin_list(o, "containers");
	begin_item(o);
	put(o, "name", "main");
	put(o, "image", "registry.example.org/team/train");
	begin(o, "resources");
	begin(o, "requests");
	put_quoted(o, "cpu", number % 3 ? "1" : "1500m");
	put(o, "memory", "%uGi", 1 + number % 8);
	end(o);
	end(o);
	end(o);
	end_list(o);
	put(o, "restartPolicy", "Never");
	end(o);
	end(o);
	end(o);
}

static void put_condition(struct out *o, uint32_t queue)
{
	begin_item(o);
	put_quoted(o, "lastTransitionTime", "2026-01-01T00:00:00Z");
	put(o, "message", "couldn't assign flavors to pod set main in queue-%u", queue);
	put(o, "reason", "Pending");
	put_quoted(o, "status", "False");
	put(o, "type", "QuotaReserved");
	end(o);
}

static void put_workload(struct out *o, uint32_t number, uint32_t queues)
{
	char created[40];

	snprintf(created, sizeof created, "2026-01-01T%02u:%02u:%02uZ", number / 3600 % 24,
		 number / 60 % 60, number % 60);
	begin_object(o, "Workload");
	put_quoted(o, "creationTimestamp", created);
	put_number(o, "generation", 1);
	begin(o, "labels");
	put(o, "kueue.x-k8s.io/job-uid", "job-uid-%06u", number);
	end(o);
	put(o, "name", "job-train-%06u", number);
	put(o, "namespace", "team");
	put(o, "uid", "uid-%06u", number);
	end(o);
	begin(o, "spec");
	begin_list(o, "podSets");
	put_podset(o, number);
	end_list(o);
	put_number(o, "priority", number % 2 * 100);
	put(o, "queueName", "queue-%u", number % queues);
	end(o);
	begin(o, "status");
	begin_list(o, "conditions");
	put_condition(o, number % queues);
	end_list(o);
	end(o);
	end(o);
}

struct text {
	char *at;
	size_t len;
};

static struct text make_text(uint32_t objects, bool json)
{
	uint32_t queues = objects / OF, cohorts = (queues + COHORT - 1) / COHORT;
	struct text t;
	struct out o = { .f = open_memstream(&t.at, &t.len), .json = json, .depth = 1 };

	if (!o.f)
		abort();
	o.first = true;
	if (json)
		fputc('{', o.f);
	put(&o, "apiVersion", "v1");
	begin_list(&o, "items");
	put_flavor(&o);
	for (uint32_t i = 0; i < cohorts; i++)
		put_cohort(&o, i);
	for (uint32_t i = 0; i < queues; i++) {
		put_cluster_queue(&o, i);
		put_local_queue(&o, i);
	}
	for (uint32_t i = 0; i + 1 + cohorts + 2 * queues < objects; i++)
		put_workload(&o, i, queues);
	end_list(&o);
	put(&o, "kind", "List");
	fputs(json ? "\n}\n" : "\n", o.f);
	if (fclose(o.f) != 0)
		abort();
	return t;
}

/* --- reading ------------------------------------------------------------------------------------- */

static struct fl_model *read_text(const struct text *t)
{
	struct fl_model *m = NULL;
	fairlead_error err = { 0 };

	must(fl_model_new(&fl_mem_heap, &m, &err), &err);
	must(fl_kube_read(m, "made-up", t->at, t->len, &err), &err);
	must(fl_model_seal(m, &err), &err);
	return m;
}

static void repeat(const struct text *t, long runs)
{
	while (runs-- > 0)
		fl_model_free(read_text(t));
}

/* The median of @runs. */
static double measure(const struct text *t, unsigned runs)
{
	double *ms = calloc(runs, sizeof *ms), ret;

	if (!ms)
		abort();
	for (unsigned i = 0; i < runs; i++) {
		ms[i] = now_ms();
		repeat(t, 1);
		ms[i] = now_ms() - ms[i];
	}
	ret = median(ms, runs);
	free(ms);
	return ret;
}

static void digest_of(const struct text *t, uint64_t ret[2])
{
	const struct fl_policy_options options = { .mem = &fl_mem_heap };
	struct fl_model *m = read_text(t);
	struct fl_policy *p = NULL;
	fairlead_error err = { 0 };

	must(fl_borrow_policy.new(m, &options, &p, &err), &err);
	fl_borrow_policy.digest(p, 0, ret);
	fl_borrow_policy.free(p);
	fl_model_free(m);
}

static int print(uint32_t objects, unsigned runs)
{
	struct text yaml = make_text(objects, false), json = make_text(objects, true);
	double yaml_ms = measure(&yaml, runs), json_ms = measure(&json, runs);
	uint64_t a[2], b[2];
	bool agrees;

	digest_of(&yaml, a);
	digest_of(&json, b);
	agrees = memcmp(a, b, sizeof a) == 0;

	printf("{\"id\":\"made-%u\",\"yamlMB\":%.2f,\"jsonMB\":%.2f,\"yamlMs\":%.1f,"
	       "\"jsonMs\":%.1f,\"agrees\":%s}\n",
	       objects, (double)yaml.len / 1e6, (double)json.len / 1e6, yaml_ms, json_ms,
	       agrees ? "true" : "false");
	free(yaml.at);
	free(json.at);
	return agrees ? 0 : 1;
}

static int usage(void)
{
	fputs("usage: read [--objects N] [--runs N]\n"
	      "       read --yaml N | --json N | --show yaml|json\n",
	      stderr);
	return 2;
}

int main(int argc, char **argv)
{
	enum { OBJECTS = 2000, RUNS = 5 };
	long objects = OBJECTS, runs = RUNS;

	if (argc == 3 && (strcmp(argv[1], "--yaml") == 0 || strcmp(argv[1], "--json") == 0)) {
		struct text t = make_text(OBJECTS, strcmp(argv[1], "--json") == 0);

		repeat(&t, strtol(argv[2], NULL, 10));
		free(t.at);
		return 0;
	}
	if (argc == 3 && strcmp(argv[1], "--show") == 0) {
		struct text t = make_text(OF * 2, strcmp(argv[2], "json") == 0);

		fwrite(t.at, 1, t.len, stdout);
		free(t.at);
		return 0;
	}
	for (int i = 1; i < argc; i += 2) {
		long *to = strcmp(argv[i], "--objects") == 0 ? &objects :
			   strcmp(argv[i], "--runs") == 0    ? &runs :
							       NULL;

		if (!to || i + 1 == argc)
			return usage();
		*to = strtol(argv[i + 1], NULL, 10);
	}
	if (objects < OF || objects > 1000000 || runs < 1 || runs > 1000)
		return usage();
	return print((uint32_t)objects, (unsigned)runs);
}
