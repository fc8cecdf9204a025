/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model.h"

#include "lib/unit.h"

static struct fl_sym sym(struct fl_model *m, const char *text)
{
	struct fl_sym s = { 0 };

	assert_int_equal(fl_model_sym(m, text, strlen(text), &s, NULL), 0);
	return s;
}

static struct fl_model *fresh(void)
{
	struct fl_model *m = NULL;

	assert_int_equal(fl_model_new(&fl_mem_heap, &m, NULL), 0);
	assert_int_equal(
		fl_model_push_inputs(m, &(struct fl_sym){ sym(m, "in.yaml").v }, NULL, NULL), 0);
	return m;
}

static int add_flavor(struct fl_model *m, const char *name, struct fl_place at, fairlead_error *err)
{
	return fl_model_add_flavor(m, &(struct fl_flavor_row){ .name = sym(m, name), .place = at },
				   err);
}

static int add_queue(struct fl_model *m, const char *name, struct fl_place at, fairlead_error *err)
{
	struct fl_node_row row = fl_cluster_queue_default;

	row.name = sym(m, name);
	row.place = at;
	return fl_model_add_node(m, &row, err);
}

static int add_cohort(struct fl_model *m, const char *name, struct fl_place at, fairlead_error *err)
{
	struct fl_node_row row = fl_cohort_default;

	row.name = sym(m, name);
	row.place = at;
	return fl_model_add_node(m, &row, err);
}

static int add_local_queue(struct fl_model *m, const char *name, struct fl_place at,
			   fairlead_error *err)
{
	struct fl_queue_row row = fl_queue_default;

	row.namespace = sym(m, "ns");
	row.name = sym(m, name);
	row.place = at;
	return fl_model_add_queue(m, &row, err);
}

static int add_namespace(struct fl_model *m, const char *name, struct fl_place at,
			 fairlead_error *err)
{
	return fl_model_add_namespace(
		m, &(struct fl_namespace_row){ .name = sym(m, name), .place = at }, err);
}

static int add_class(struct fl_model *m, const char *name, struct fl_place at, fairlead_error *err)
{
	return fl_model_add_priority(
		m, &(struct fl_priority_row){ .name = sym(m, name), .place = at }, err);
}

static int add_workload_class(struct fl_model *m, const char *name, struct fl_place at,
			      fairlead_error *err)
{
	return fl_model_add_priority(m,
				     &(struct fl_priority_row){ .name = sym(m, name),
								.of_workloads = true,
								.place = at },
				     err);
}

static int add_workload(struct fl_model *m, const char *name, struct fl_place at,
			fairlead_error *err)
{
	struct fl_workload_row row = fl_workload_default;

	row.namespace = sym(m, "ns");
	row.name = sym(m, name);
	row.place = at;
	return fl_model_add_workload(m, &row, err);
}

static const struct {
	const char *kind, *subject; /* of name "x" */
	int (*add)(struct fl_model *, const char *, struct fl_place, fairlead_error *);
} kinds[] = {
	{ "ResourceFlavor", "ResourceFlavor/", add_flavor },
	{ "ClusterQueue", "ClusterQueue/", add_queue },
	{ "Cohort", "Cohort/", add_cohort },
	{ "LocalQueue", "LocalQueue/ns/", add_local_queue },
	{ "Namespace", "Namespace/", add_namespace },
	{ "PriorityClass", "PriorityClass/", add_class },
	{ "WorkloadPriorityClass", "WorkloadPriorityClass/", add_workload_class },
	{ "Workload", "Workload/ns/", add_workload },
};

/* One name for every kind at once is fine; twice for one kind is not. */
TEST(twice)
{
	struct fl_model *m = fresh();

	for (uint32_t k = 0; k < COUNT(kinds); k++)
		CHECK(kinds[k].add(m, "x", (struct fl_place){ 0, 10 + k, 3 }, NULL) == 0,
		      kinds[k].kind);
	for (uint32_t k = 0; k < COUNT(kinds); k++) {
		fairlead_error err = { 0 };
		char subject[64], hint[64];

		CHECK(kinds[k].add(m, "x", (struct fl_place){ 0, 50, 7 }, &err) == FAIRLEAD_EINPUT,
		      kinds[k].kind);
		(void)snprintf(subject, sizeof subject, "%sx", kinds[k].subject);
		(void)snprintf(hint, sizeof hint, "first defined at in.yaml:%u:3", 10 + k);
		assert_string_equal(err.file, "in.yaml");
		assert_int_equal(err.line, 50);
		assert_int_equal(err.column, 7);
		assert_string_equal(err.subject, subject);
		assert_string_equal(err.text, "defined twice");
		assert_string_equal(err.hint, hint);
	}
	fl_model_free(m);
}

TEST(name_lengths)
{
	struct fl_model *m = fresh();
	char name[300], subject[320];

	for (uint32_t k = 0; k < COUNT(kinds); k++) {
		fairlead_error err = { 0 };

		memset(name, 'n', sizeof name);
		name[253] = '\0';
		CHECK(kinds[k].add(m, name, (struct fl_place){ 0, 1, 1 }, &err) == 0,
		      kinds[k].kind);
		name[253] = 'n';
		name[254] = '\0';
		CHECK(kinds[k].add(m, name, (struct fl_place){ 0, 2, 5 }, &err) == FAIRLEAD_EINPUT,
		      kinds[k].kind);
		(void)snprintf(subject, sizeof subject, "%s%s", kinds[k].subject, name);
		assert_string_equal(err.subject, subject);
		assert_string_equal(err.text, "the name has 254 bytes, more than 253");
		assert_int_equal(err.line, 2);
		CHECK(kinds[k].add(m, "", (struct fl_place){ 0, 3, 5 }, &err) == FAIRLEAD_EINPUT,
		      kinds[k].kind);
		assert_string_equal(err.subject, kinds[k].subject);
		assert_string_equal(err.text, "the name is empty");
	}
	fl_model_free(m);
}

TEST(finding)
{
	struct fl_model *m = fresh();
	static const char *const names[] = { "b", "a", "c" };
	struct fl_workload_row row = fl_workload_default;

	assert_int_equal(add_queue(m, "q", (struct fl_place){ 0 }, NULL), 0);
	assert_int_equal(add_cohort(m, "q", (struct fl_place){ 0 }, NULL), 0);
	row.owner_job = sym(m, "job");
	for (size_t i = 0; i < 3; i++) {
		row.namespace = sym(m, i == 2 ? "a" : "ns");
		row.name = sym(m, names[i]);
		assert_int_equal(fl_model_add_workload(m, &row, NULL), 0);
	}
	assert_int_equal(fl_model_seal(m, NULL), 0);
	assert_int_equal(fl_model_find_node(m, FL_CLUSTER_QUEUE, "q").v, 0);
	assert_int_equal(fl_model_find_node(m, FL_COHORT, "q").v, 1);
	assert_int_equal(fl_model_find_node(m, FL_COHORT, "x").v, FL_NONE);
	assert_int_equal(fl_model_find_workload(m, "ns", "a").v, 1);
	assert_int_equal(fl_model_find_workload(m, "ns", "c").v, FL_NONE);
	assert_int_equal(fl_model_find_job(m, "ns", "job").v, 1);
	assert_int_equal(fl_model_find_job(m, NULL, "job").v, 2);
	assert_int_equal(fl_model_find_job(m, "x", "job").v, FL_NONE);
	assert_int_equal(fl_model_find_job(m, NULL, "x").v, FL_NONE);
	assert_null(fl_model_find_namespace(m, sym(m, "ns")));
	assert_int_equal(fl_model_seal(m, NULL), FAIRLEAD_ESTATE);
	fl_model_free(m);
}

TEST(words)
{
	assert_string_equal(fl_notice_name(FL_NOTICE_UNKNOWN_FIELD), "unknown-field");
	assert_string_equal(fl_inactive_name(FL_ACTIVE), "");
	assert_string_equal(fl_inactive_name(FL_INACTIVE_COHORT_CYCLE), "CohortCycle");
	assert_string_equal(fl_excluded_name(FL_EXCLUDED_NO_QUEUE), "QueueDoesNotExist");
	assert_string_equal(fl_excluded_name(FL_INCLUDED), "");
}

UNIT_GROUP("model")
