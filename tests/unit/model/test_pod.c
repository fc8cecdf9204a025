/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"
#include "model/pod.h"

enum { CPU = 1 };

#define MOST INT64_MAX

struct part {
	enum fl_pod_kind part;
	struct fl_pod_amount amount;
};

#define REQUEST(kind, n)                                                                           \
	{                                                                                          \
		kind, { .resource_name = { CPU }, .has_request = true, .request = (n) }            \
	}
#define LIMIT(kind, n)                                                                             \
	{                                                                                          \
		kind, { .resource_name = { CPU }, .has_limit = true, .limit = (n) }                \
	}
#define BOTH(kind, n, most)                                                                        \
	{                                                                                          \
		kind,                                                                              \
		{                                                                                  \
			.resource_name = { CPU }, .has_request = true, .request = (n),             \
			.has_limit = true, .limit = (most)                                         \
		}                                                                                  \
	}

TEST(totals)
{
	static const struct {
		const char *name;
		struct part parts[5];
		uint32_t n;
		fl_amount want;
		bool misconfigured;
	} rows[] = {
		{ "containers add up",
		  { REQUEST(FL_POD_CONTAINER, 3), REQUEST(FL_POD_CONTAINER, 4) },
		  FIELDS(2, 7, false) },
		{ "a limit stands in",
		  { LIMIT(FL_POD_CONTAINER, 3), REQUEST(FL_POD_CONTAINER, 4) },
		  FIELDS(2, 7, false) },
		{ "a request beats its limit", { BOTH(FL_POD_CONTAINER, 3, 9) }, 1, 3, false },
		{ "zero is a request", { BOTH(FL_POD_CONTAINER, 0, 9) }, 1, 0, false },
		{ "above its limit", { BOTH(FL_POD_CONTAINER, 9, 3) }, 1, 9, true },
		{ "init above its limit", { BOTH(FL_POD_INIT, 9, 3) }, 1, 9, true },
		{ "init is a maximum",
		  { REQUEST(FL_POD_INIT, 5), REQUEST(FL_POD_CONTAINER, 4) },
		  FIELDS(2, 5, false) },
		{ "init below",
		  { REQUEST(FL_POD_INIT, 3), REQUEST(FL_POD_CONTAINER, 4) },
		  FIELDS(2, 4, false) },
		{ "inits do not add up",
		  { REQUEST(FL_POD_INIT, 3), REQUEST(FL_POD_INIT, 5) },
		  FIELDS(2, 5, false) },
		{ "sidecar beside containers",
		  { REQUEST(FL_POD_SIDECAR, 2), REQUEST(FL_POD_CONTAINER, 4) },
		  FIELDS(2, 6, false) },
		{ "sidecar beside later inits",
		  { REQUEST(FL_POD_SIDECAR, 2), REQUEST(FL_POD_INIT, 5),
		    REQUEST(FL_POD_CONTAINER, 1) },
		  FIELDS(3, 7, false) },
		{ "not beside earlier ones",
		  { REQUEST(FL_POD_INIT, 5), REQUEST(FL_POD_SIDECAR, 2),
		    REQUEST(FL_POD_CONTAINER, 1) },
		  FIELDS(3, 5, false) },
		{ "overhead on top",
		  { REQUEST(FL_POD_INIT, 5), REQUEST(FL_POD_OVERHEAD, 1) },
		  FIELDS(2, 6, false) },
		{ "whole pod",
		  { REQUEST(FL_POD_CONTAINER, 5), REQUEST(FL_POD_WHOLE, 3),
		    REQUEST(FL_POD_OVERHEAD, 1) },
		  FIELDS(3, 4, false) },
		{ "saturates",
		  { REQUEST(FL_POD_CONTAINER, MOST), REQUEST(FL_POD_CONTAINER, MOST),
		    REQUEST(FL_POD_OVERHEAD, 1) },
		  FIELDS(3, MOST, false) },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_pod pod;

		fl_pod_init(&pod, &fl_mem_heap);
		for (uint32_t p = 0; p < rows[i].n; p++)
			CHECK(fl_pod_add(&pod, rows[i].parts[p].part, &rows[i].parts[p].amount, 1,
					 NULL) == 0,
			      rows[i].name);
		CHECK(pod.n == 1, rows[i].name);
		CHECK(fl_pod_total(&pod.rows[0]) == rows[i].want, rows[i].name);
		CHECK(pod.misconfigured == rows[i].misconfigured, rows[i].name);
		fl_pod_done(&pod);
	}
}

TEST(limits)
{
	struct fl_pod pod;
	fairlead_error err = { 0 };
	int r = 0;

	fl_pod_init(&pod, &fl_mem_heap);
	for (uint32_t i = 0; i < 2000 && r == 0; i++)
		r = fl_pod_add(&pod, FL_POD_CONTAINER,
			       &(struct fl_pod_amount){
				       .resource_name = { i }, .has_request = true, .request = 1 },
			       1, &err);
	assert_int_equal(r, FAIRLEAD_ELIMIT);
	assert_string_equal(err.text, "a pod with more than 1024 resources");
	fl_pod_clear(&pod);
	assert_int_equal(pod.n, 0);
	fl_pod_done(&pod);
}

UNIT_GROUP("pod")
