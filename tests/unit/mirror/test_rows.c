/* SPDX-License-Identifier: Apache-2.0 */
/* Packed rows become the rows that they were, in a model with other names before them. */
#include <time.h>

#include "codec/object/kube.h"
#include "lib/unit.h"
#include "mirror/rows.h"
#include "unit/mirror/objects.h"

static const char *const odd[] = {
	/* Every table of rows has some. */
	"{\"metadata\":{\"name\":\"a\",\"namespace\":\"n\",\"uid\":\"u\",\"annotations\":{"
	"\"fairlead.dev/runs-for\":\"1h\",\"fairlead.dev/class\":\"k\"}},\"apiVersion\":"
	"\"kueue.x-k8s.io/v1beta2\",\"kind\":\"Workload\",\"spec\":{\"podSets\":[{\"name\":\"p\","
	"\"count\":3,\"minCount\":1,\"template\":{\"spec\":{\"runtimeClassName\":\"rc\",\"affinity\":{"
	"\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":["
	"{\"matchExpressions\":[{\"key\":\"z\",\"operator\":\"In\",\"values\":[\"a\",\"b\"]}]}]}}},"
	"\"tolerations\":[{\"key\":\"t\",\"value\":\"v\",\"effect\":\"NoExecute\"}],\"initContainers\":["
	"{\"name\":\"i\",\"resources\":{\"limits\":{\"cpu\":\"2\"}}}],\"containers\":[{\"name\":\"c\","
	"\"resources\":{\"requests\":{\"cpu\":\"1\",\"nvidia.com/gpu\":\"2\"}}}]}}},{\"name\":\"q\","
	"\"count\":1,\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\"}]}}}]},\"status\":{"
	"\"reclaimablePods\":[{\"name\":\"p\",\"count\":1}],\"conditions\":[{\"type\":\"Evicted\","
	"\"status\":\"True\",\"reason\":\"Preempted\",\"lastTransitionTime\":\"2026-11-01T12:00:00Z\","
	"\"message\":\"Preempted to accommodate a workload (UID: x, JobUID: y) due to fair sharing\"}]}}",
	"{\"metadata\":{\"name\":\"a\",\"namespace\":\"n\"},\"apiVersion\":\"kueue.x-k8s.io/v1beta2\","
	"\"kind\":\"Workload\",\"spec\":{}}",
};

static struct fl_model *model_of(const char *text)
{
	struct fl_model *m;
	fairlead_error err = { 0 };

	assert_int_equal(fl_model_new(&fl_mem_heap, &m, &err), 0);
	assert_int_equal(fl_kube_read(m, "test", text, strlen(text), &err), 0);
	return m;
}

static void pack_all(const struct fl_model *m, struct fl_packed parts[3])
{
	fairlead_error err = { 0 };

	assert_int_equal(fl_rows_pack_pods(m, &parts[0], &err), 0);
	assert_int_equal(fl_rows_pack_held(m, &parts[1], &err), 0);
	assert_int_equal(fl_rows_pack_own(m, &parts[2], &err), 0);
}

/* The model of the packed rows, whose first workload is moved to the front by packing it alone. */
static void there_and_back(const char *text)
{
	struct fl_packed parts[3] = { 0 }, again[3] = { 0 };
	struct fl_model *m = model_of(text), *back;
	struct fl_workload_row row = fl_workload_default;
	const struct fl_workload_row *a = &m->workloads[0], *b;
	fairlead_error err = { 0 };
	struct fl_sym sym;

	assert_int_equal(fl_model_new(&fl_mem_heap, &back, &err), 0);
	for (const char *word = "zyxwvut"; *word; word++)
		assert_int_equal(fl_model_sym(back, word, 1, &sym, &err), 0);
	pack_all(m, parts);
	assert_int_equal(fl_model_sym(back, "n", 1, &row.namespace, &err), 0);
	assert_int_equal(fl_model_sym(back, "a", 1, &row.name, &err), 0);
	assert_int_equal(fl_model_sym(back, "u", 1, &row.uid, &err), 0);
	assert_int_equal(fl_rows_add_pods(back, parts[0].bytes, &row.podsets, &err), 0);
	assert_int_equal(fl_rows_add_held(back, parts[1].bytes, &row.admission, &err), 0);
	assert_int_equal(fl_rows_add_own(back, parts[2].bytes, &row, &err), 0);
	pack_all(back, again);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(parts[i].n, again[i].n);
		assert_memory_equal(parts[i].bytes, again[i].bytes, parts[i].n);
		free(parts[i].bytes);
		free(again[i].bytes);
	}
	b = &back->workloads[0];
	assert_int_equal(a->podsets.n, b->podsets.n);
	assert_int_equal(a->admission.n, b->admission.n);
	assert_int_equal(a->requeue, b->requeue);
	assert_int_equal(a->gang, b->gang);
#define X(type, field) assert_int_equal(m->n_##field, back->n_##field);
	X(, podsets)
	X(, parts)
	X(, amounts)
	X(, labels)
	X(, terms)
	X(, requirements)
	X(, tolerations)
	X(, syms)
	X(, podset_assignments)
	X(, assignments)
	X(, requeues)
	X(, evictions)
	X(, lives)
#undef X
	fl_model_free(m);
	fl_model_free(back);
}

TEST(rows_there_and_back)
{
	const struct written some[] = {
		{ .pods = 2, .priority = 7 },
		{ .pods = 2, .reserved = true, .admitted = true, .held = 1 },
		{ .pods = 0, .reserved = true, .evicted = true, .requeue = 9 },
		{ .pods = 1, .out = true },
		{ .pods = 1, .finished = true },
	};
	char text[OBJECT], whole[OBJECT + 100];

	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
		there_and_back(odd[i]);
	for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
		(void)snprintf(
			whole, sizeof whole,
			"{\"apiVersion\":\"kueue.x-k8s.io/v1beta2\",\"kind\":\"Workload\",%s",
			write_workload(&some[i], text) + 1);
		there_and_back(whole);
	}
}

/* Nothing of the packed rows depends on which names a model had before. */
TEST(equal_rows_are_equal_bytes)
{
	const struct written w = { .pods = 1, .reserved = true };
	struct fl_packed a[3] = { 0 }, b[3] = { 0 };
	char text[OBJECT], first[OBJECT + 100], second[OBJECT + 200];
	struct fl_model *m, *k;

	(void)snprintf(first, sizeof first,
		       "{\"apiVersion\":\"kueue.x-k8s.io/v1beta2\",\"kind\":\"Workload\",%s",
		       write_workload(&w, text) + 1);
	(void)snprintf(
		second, sizeof second,
		"{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"memory\"}}"
		"%s",
		first);
	m = model_of(first);
	k = model_of(second);
	pack_all(m, a);
	pack_all(k, b);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(a[i].n, b[i].n);
		assert_memory_equal(a[i].bytes, b[i].bytes, a[i].n);
	}
	for (int i = 0; i < 3; i++) {
		free(a[i].bytes);
		free(b[i].bytes);
	}
	fl_model_free(m);
	fl_model_free(k);
}

/* Three lists of so many values, all of them different. */
static char *with_names(int n)
{
	size_t len;
	char *text;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	fputs("{\"apiVersion\":\"kueue.x-k8s.io/v1beta2\",\"kind\":\"Workload\",\"metadata\":{"
	      "\"name\":\"a\",\"namespace\":\"n\",\"uid\":\"u\"},\"spec\":{\"podSets\":[{\"name\":"
	      "\"p\",\"count\":1,\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\"}],"
	      "\"affinity\":{\"nodeAffinity\":{"
	      "\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":["
	      "{\"matchExpressions\":[",
	      out);
	for (int list = 0; list < 3; list++) {
		fprintf(out, "%s{\"key\":\"k\",\"operator\":\"In\",\"values\":[\"k\"",
			list ? "," : "");
		for (int i = 0; i < n; i++)
			fprintf(out, ",\"v%d-%d\"", list, i);
		fputs("]}", out);
	}
	fputs("]}]}}}}}}]}}", out);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* Around the number of names from which on they are looked for otherwise. */
TEST(names_by_their_number)
{
	for (int n = 10; n < 30; n++) {
		char *text = with_names(n);

		there_and_back(text);
		free(text);
	}
}

/* What a user may write does not hold up the loop: packing is no slower than reading it was. */
TEST(many_names)
{
	char *text = with_names(50000);
	struct fl_packed pods = { 0 };
	const clock_t begun = clock();
	struct fl_model *m = model_of(text);
	const clock_t read = clock();
	fairlead_error err = { 0 };

	assert_int_equal(fl_rows_pack_pods(m, &pods, &err), 0);
	assert_true(clock() - read < 2 * (read - begun));
	assert_true(pods.n > 150000);
	free(pods.bytes);
	fl_model_free(m);
	there_and_back(text);
	free(text);
}

UNIT_GROUP("rows")
