/* SPDX-License-Identifier: Apache-2.0 */
/* The questions of KAI's client, as they were seen on the wire, and all that is none of them. */
#include "codec/kai/usage_query.h"

#include "base/error.h"
#include "lib/unit.h"

#define GPU_CAPACITY "sum(kube_node_status_capacity{resource=\"nvidia_com_gpu\"})"
#define CPU_CAPACITY "sum(kube_node_status_capacity{resource=\"cpu\"})"
#define MEMORY_CAPACITY "sum(kube_node_status_capacity{resource=\"memory\"})"
#define DECAY(m) "((" m ") * (0.5^((1795363354 - time()) / 86400.000000)))"

static const fl_time NOW = 1795363354 * FL_SECOND, AT = 1795363354 * FL_SECOND + 359521600;
static const fl_time HOUR = 3600 * FL_SECOND;

TEST(understood)
{
	static const struct {
		struct fl_usage_asked asked;
		const char *resource;
		fl_time window, step, half_life;
		bool capacity;
		double unit;
	} rows[] = {
		{ { .query = "sum_over_time((" GPU_CAPACITY ")[168h0m0s:1m0s])",
		    .time = "1795363354.3595216" },
		  "nvidia.com/gpu",
		  168,
		  60,
		  0,
		  true,
		  1 },
		{ { .query = "sum_over_time((kai_queue_allocated_gpus)[168h0m0s:1m0s])",
		    .time = "1795363354.3595216" },
		  "nvidia.com/gpu",
		  168,
		  60,
		  0,
		  false,
		  1 },
		{ { .query = "sum_over_time((kai_queue_allocated_cpu_cores)[1h0m0s:30s])",
		    .time = "1795363354.3595216" },
		  "cpu",
		  1,
		  30,
		  0,
		  false,
		  1000 },
		{ { .query = "sum_over_time((" DECAY(MEMORY_CAPACITY) ")[168h0m0s:1m0s])",
		    .time = "1795363354.3595216" },
		  "memory",
		  168,
		  60,
		  86400,
		  true,
		  1 },
		{ { .query = "sum_over_time((" DECAY(
			    "kai_queue_allocated_memory_bytes") ")[24h0m0s:1m0s])",
		    .time = "1795363354.3595216" },
		  "memory",
		  24,
		  60,
		  86400,
		  false,
		  1 },
		{ { .range = true,
		    .query = "sum_over_time(" CPU_CAPACITY ")",
		    .start = "1795277754.3595216",
		    .end = "1795363354.3595216",
		    .step = "60" },
		  "cpu",
		  0,
		  60,
		  0,
		  true,
		  1000 },
		{ { .range = true,
		    .query = "sum_over_time(" DECAY("kai_queue_allocated_gpus") ")",
		    .start = "1795363354.3595216",
		    .end = "1795363354.3595216",
		    .step = "0.5" },
		  "nvidia.com/gpu",
		  -1,
		  0,
		  86400,
		  false,
		  1 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_usage_query q;
		fairlead_error err = { 0 };

		if (fl_usage_query_read(&rows[i].asked, NOW, &q, &err) < 0)
			fail_msg("%zu: %s", i, err.text);
		assert_string_equal(q.metric->resource, rows[i].resource);
		assert_int_equal(q.metric->capacity, rows[i].capacity);
		assert_true(q.metric->unit == rows[i].unit);
		assert_int_equal(q.to, AT);
		assert_int_equal(q.from, rows[i].window > 0  ? AT - rows[i].window * HOUR :
					 rows[i].window == 0 ? AT - 85600 * FL_SECOND :
							       AT);
		assert_int_equal(q.step, rows[i].step ? rows[i].step * FL_SECOND : FL_SECOND / 2);
		assert_int_equal(q.half_life, rows[i].half_life * FL_SECOND);
		if (q.half_life)
			assert_int_equal(q.now, NOW);
	}
}

/* KAI's default is "1w" since it takes a Prometheus's durations. */
TEST(windows_as_a_prometheus_writes_them)
{
	static const struct {
		const char *window;
		fl_time seconds;
	} rows[] = {
		{ "1w", 7 * 86400 },
		{ "7d", 7 * 86400 },
		{ "1d12h", 36 * 3600 },
		{ "1y2w3d4h5m6s", (365 + 14 + 3) * 86400 + 4 * 3600 + 5 * 60 + 6 },
		{ "1000ms", 1 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[100];
		struct fl_usage_query q;

		(void)snprintf(text, sizeof text,
			       "sum_over_time((kai_queue_allocated_gpus)[%s:1m0s])",
			       rows[i].window);
		assert_int_equal(fl_usage_query_read(&(struct fl_usage_asked){ .query = text }, NOW,
						     &q, NULL),
				 0);
		assert_int_equal(q.from, NOW - rows[i].seconds * FL_SECOND);
	}
}

TEST(without_a_time)
{
	const struct fl_usage_asked asked = {
		.query = "sum_over_time((kai_queue_allocated_gpus)[1m0s:1s])"
	};
	struct fl_usage_query q;

	assert_int_equal(fl_usage_query_read(&asked, NOW, &q, NULL), 0);
	assert_int_equal(q.to, NOW);
	assert_int_equal(q.from, NOW - 60 * FL_SECOND);
}

TEST(refused)
{
	static const char unknown[] = "'query' is none that is understood here";
	static const struct {
		struct fl_usage_asked asked;
		const char *text;
	} rows[] = {
		{ { .query = NULL }, "'query' is missing" },
		{ { .query = "" }, unknown },
		{ { .query = "up" }, unknown },
		{ { .query = "kai_queue_allocated_gpus" }, unknown },
		/* of the other form */
		{ { .query = "sum_over_time(kai_queue_allocated_gpus)" }, unknown },
		{ { .range = true,
		    .query = "sum_over_time((kai_queue_allocated_gpus)[1m0s:1s])",
		    .start = "1",
		    .end = "2",
		    .step = "1" },
		  unknown },
		/* another metric, label, function, operator, or blank */
		{ { .query = "sum_over_time((kai_queue_deserved_gpus)[1m0s:1s])" }, unknown },
		{ { .query =
			    "sum_over_time((sum(kube_node_status_capacity{resource=\"pods\"}))[1m0s:1s])" },
		  unknown },
		{ { .query = "avg_over_time((kai_queue_allocated_gpus)[1m0s:1s])" }, unknown },
		{ { .query = "sum_over_time((kai_queue_allocated_gpus) [1m0s:1s])" }, unknown },
		{ { .query = "sum_over_time((kai_queue_allocated_gpus)[1m0s:1s]) " }, unknown },
		{ { .query = "sum_over_time((kai_queue_allocated_gpus)[1m0s:1s]) or vector(1)" },
		  unknown },
		/* windows, steps and half-lives that are none */
		{ { .query = "sum_over_time((kai_queue_allocated_gpus)[0s:1s])" }, unknown },
		{ { .query = "sum_over_time((kai_queue_allocated_gpus)[1m0s:0s])" }, unknown },
		{ { .query = "sum_over_time((kai_queue_allocated_gpus)[1m0s])" }, unknown },
		{ { .query = "sum_over_time((kai_queue_allocated_gpus)[:1s])" }, unknown },
		{ { .query = "sum_over_time((kai_queue_allocated_gpus)[-1m0s:1s])" }, unknown },
		{ { .query = "sum_over_time((kai_queue_allocated_gpus)[1hh:1s])" }, unknown },
		{ { .query = "sum_over_time((kai_queue_allocated_gpus)"
			     "[99999999999999999999999999999999999999999999h:1s])" },
		  unknown },
		{ { .query = "sum_over_time((((kai_queue_allocated_gpus) * "
			     "(0.5^((1795363354 - time()) / 0.000000))))[1m0s:1s])" },
		  unknown },
		{ { .query = "sum_over_time((((kai_queue_allocated_gpus) * "
			     "(0.5^((-1 - time()) / 1.000000))))[1m0s:1s])" },
		  unknown },
		{ { .query = "sum_over_time((((kai_queue_allocated_gpus) * "
			     "(0.5^((999999999999 - time()) / 1.000000))))[1m0s:1s])" },
		  unknown },
		/* times */
		{ { .query = "sum_over_time((kai_queue_allocated_gpus)[1m0s:1s])", .time = "" },
		  "'time' is not a number of seconds since 1970" },
		{ { .query = "sum_over_time((kai_queue_allocated_gpus)[1m0s:1s])",
		    .time = "2026-01-01T00:00:00Z" },
		  "'time' is not a number of seconds since 1970" },
		{ { .query = "sum_over_time((kai_queue_allocated_gpus)[1m0s:1s])", .time = "1e9" },
		  "'time' is not a number of seconds since 1970" },
		{ { .query = "sum_over_time((kai_queue_allocated_gpus)[1m0s:1s])", .time = "-5" },
		  "'time' is not a number of seconds since 1970" },
		{ { .range = true,
		    .query = "sum_over_time(kai_queue_allocated_gpus)",
		    .end = "2",
		    .step = "1" },
		  "'start' is missing" },
		{ { .range = true,
		    .query = "sum_over_time(kai_queue_allocated_gpus)",
		    .start = "2",
		    .step = "1" },
		  "'end' is missing" },
		{ { .range = true,
		    .query = "sum_over_time(kai_queue_allocated_gpus)",
		    .start = "2",
		    .end = "2" },
		  "'step' is missing" },
		{ { .range = true,
		    .query = "sum_over_time(kai_queue_allocated_gpus)",
		    .start = "2",
		    .end = "2",
		    .step = "0" },
		  "'step' is 0" },
		{ { .range = true,
		    .query = "sum_over_time(kai_queue_allocated_gpus)",
		    .start = "3",
		    .end = "2",
		    .step = "1" },
		  "'start' is after 'end'" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_usage_query q;
		fairlead_error err = { 0 };

		assert_int_equal(fl_usage_query_read(&rows[i].asked, NOW, &q, &err),
				 FAIRLEAD_EINPUT);
		assert_string_equal(err.text, rows[i].text);
		if (strcmp(rows[i].text, unknown) == 0)
			assert_non_null(strstr(err.hint, "nvidia_com_gpu, cpu, memory"));
	}
}

/* Cut anywhere, or with any byte changed, it is refused, or it is one of the six metrics still. */
TEST(cut_and_changed)
{
	static const char whole[] = "sum_over_time((" DECAY(GPU_CAPACITY) ")[168h0m0s:1m0s])";
	char text[sizeof whole];
	struct fl_usage_query q;

	for (size_t n = 0; n < sizeof whole - 1; n++) {
		(void)snprintf(text, sizeof text, "%.*s", (int)n, whole);
		assert_int_equal(fl_usage_query_read(&(struct fl_usage_asked){ .query = text }, NOW,
						     &q, NULL),
				 FAIRLEAD_EINPUT);
		for (int byte = 1; byte < 256; byte++) {
			memcpy(text, whole, sizeof whole);
			text[n] = (char)byte;
			if (fl_usage_query_read(&(struct fl_usage_asked){ .query = text }, NOW, &q,
						NULL) == 0)
				assert_true((byte >= '0' && byte <= '9') || byte == whole[n] ||
					    strchr("hmsdwy.", byte));
		}
	}
}

UNIT_GROUP("usage-query")
