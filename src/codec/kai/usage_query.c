/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/kai/usage_query.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/amount.h"
#include "base/time.h"

enum { SECONDS_DIGITS = 11, NUMBER = 40 };

const struct fl_usage_metric fl_usage_metrics[] = {
	{ "sum(kube_node_status_capacity{resource=\"nvidia_com_gpu\"})", "nvidia.com/gpu", 1,
	  true },
	{ "sum(kube_node_status_capacity{resource=\"cpu\"})", "cpu", 1000, true },
	{ "sum(kube_node_status_capacity{resource=\"memory\"})", "memory", 1, true },
	{ "kai_queue_allocated_gpus", "nvidia.com/gpu", 1, false },
	{ "kai_queue_allocated_cpu_cores", "cpu", 1000, false },
	{ "kai_queue_allocated_memory_bytes", "memory", 1, false },
	{ NULL, NULL, 0, false },
};

/* --- pieces of a text: each moves *at on behind it, or leaves it and is false --- */

static bool skip(const char **at, const char *literal)
{
	const size_t n = strlen(literal);

	if (strncmp(*at, literal, n) != 0)
		return false;
	*at += n;
	return true;
}

/* "1795363354", "1795363354.3595216", "86400.000000"; digits below a nanosecond are cut. */
static bool take_seconds(const char **at, fl_time *ret)
{
	const size_t whole = strspn(*at, "0123456789");
	const char *c = *at;
	fl_time seconds = 0, unit = FL_SECOND / 10;

	if (whole == 0 || whole > SECONDS_DIGITS)
		return false;
	for (size_t i = 0; i < whole; i++)
		seconds = seconds * 10 + (*c++ - '0');
	*ret = fl_sat_mul(seconds, FL_SECOND);
	if (*c == '.' && c[1] >= '0' && c[1] <= '9')
		for (c++; *c >= '0' && *c <= '9'; c++, unit /= 10)
			*ret = fl_sat_add(*ret, (*c - '0') * unit);
	*at = c;
	return *ret < FL_NEVER;
}

/* "168h0m0s", as Go writes it; "1w", "1d12h", as a Prometheus does */
static bool take_duration(const char **at, fl_time *ret)
{
	const size_t n = strspn(*at, "0123456789.hmsdwy");

	if (n == 0 || n > NUMBER || fl_period_parse(*at, n, ret, NULL) < 0)
		return false;
	*at += n;
	return *ret > 0;
}

static bool take_metric(const char **at, const struct fl_usage_metric **ret)
{
	for (*ret = fl_usage_metrics; (*ret)->text; ++*ret)
		if (skip(at, (*ret)->text))
			return true;
	return false;
}

/* E, as the header has it. */
static bool take_expression(const char **at, struct fl_usage_query *ret)
{
	return skip(at, "((") ? take_metric(at, &ret->metric) && skip(at, ") * (0.5^((") &&
					take_seconds(at, &ret->now) && skip(at, " - time()) / ") &&
					take_seconds(at, &ret->half_life) && ret->half_life > 0 &&
					skip(at, ")))") :
				take_metric(at, &ret->metric);
}

/* The texts of the two forms; *ret_window: of the first. */
static bool take_query(const char *at, bool range, struct fl_usage_query *ret, fl_time *ret_window)
{
	if (range)
		return skip(&at, "sum_over_time(") && take_expression(&at, ret) && skip(&at, ")") &&
		       !*at;
	return skip(&at, "sum_over_time((") && take_expression(&at, ret) && skip(&at, ")[") &&
	       take_duration(&at, ret_window) && skip(&at, ":") && take_duration(&at, &ret->step) &&
	       skip(&at, "])") && !*at;
}

/* --- refusals --- */

static int refuse_query(bool range, fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_EINPUT, "'query' is none that is understood here");
	return fl_fail_hint(
		err,
		"%s; E: M, or ((M) * (0.5^((NOW - time()) / SECONDS))); M: "
		"kai_queue_allocated_gpus, _cpu_cores, _memory_bytes, or "
		"sum(kube_node_status_capacity{resource=\"R\"}) with nvidia_com_gpu, cpu, "
		"memory",
		range ? "sum_over_time(E)" : "sum_over_time((E)[WINDOW:STEP])");
}

/* A parameter that is a number of seconds; *ret stays where it is not given. */
static int take_time(const char *name, const char *text, fl_time *ret, fairlead_error *err)
{
	const char *at = text;

	if (!text || (take_seconds(&at, ret) && !*at))
		return 0;
	return fl_fail(err, FAIRLEAD_EINPUT, "'%s' is not a number of seconds since 1970", name);
}

static int missing(const char *name, fairlead_error *err)
{
	return fl_fail(err, FAIRLEAD_EINPUT, "'%s' is missing", name);
}

/* --- the whole --- */

static int read_range(const struct fl_usage_asked *asked, struct fl_usage_query *ret,
		      fairlead_error *err)
{
	int r = !asked->start ? missing("start", err) :
		!asked->end   ? missing("end", err) :
		!asked->step  ? missing("step", err) :
				0;

	if (r == 0)
		r = take_time("start", asked->start, &ret->from, err);
	if (r == 0)
		r = take_time("end", asked->end, &ret->to, err);
	if (r == 0)
		r = take_time("step", asked->step, &ret->step, err);
	if (r == 0 && ret->step == 0)
		r = fl_fail(err, FAIRLEAD_EINPUT, "'step' is 0");
	if (r == 0 && ret->from > ret->to)
		r = fl_fail(err, FAIRLEAD_EINPUT, "'start' is after 'end'");
	return r;
}

int fl_usage_query_read(const struct fl_usage_asked *asked, fl_time now, struct fl_usage_query *ret,
			fairlead_error *err)
{
	fl_time window = 0;
	int r;

	*ret = (struct fl_usage_query){ .to = now };
	if (!asked->query)
		return missing("query", err);
	if (strlen(asked->query) > FL_USAGE_QUERY ||
	    !take_query(asked->query, asked->range, ret, &window))
		return refuse_query(asked->range, err);
	if (asked->range)
		return read_range(asked, ret, err);
	r = take_time("time", asked->time, &ret->to, err);
	ret->from = fl_sat_sub(ret->to, window);
	return r;
}
