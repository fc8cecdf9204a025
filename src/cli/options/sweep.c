/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/input/scenario.h"

enum { POINTS = 9 };
static const double ONE_BY_ONE = 10; /* ends closer together than this have equal distances */

static int bad(fairlead_error *err, const char *text, const char *why)
{
	return fl_fail(err, FAIRLEAD_EINPUT, "'%s': %s", text, why);
}

static bool is_whole(const struct fl_sweep *s) { return strcmp(s->name, "seed") == 0; }

/* One value, of @len bytes. */
static int parse_value(const struct fl_sweep *s, const char *text, size_t len, double *ret,
		       fairlead_error *err)
{
	bool time = strcmp(s->unit, "seconds") == 0;
	char copy[64], *end;
	fl_time duration;

	snprintf(copy, sizeof(copy), "%.*s", len < sizeof(copy) ? (int)len : 63, text);
	if (time && len < sizeof(copy) && fl_options_duration(copy, &duration)) {
		*ret = (double)duration / (double)FL_SECOND;
		return 0;
	}
	errno = 0;
	*ret = strtod(copy, &end);
	if (len == 0 || len >= sizeof(copy) || *end || errno || !isfinite(*ret) ||
	    (time && *ret != 0))
		return bad(err, copy, time ? "not a duration such as 12h" : "not a number");
	if (is_whole(s) && *ret != floor(*ret))
		return bad(err, copy, "not a whole number");
	return 0;
}

static int push(struct fl_sweep *s, double value, fairlead_error *err)
{
	if (s->n == FL_MAX_SWEEP)
		return fl_fail(err, FAIRLEAD_ELIMIT,
			       "more than %d points: each is a run of the whole scenario",
			       FL_MAX_SWEEP);
	s->values[s->n++] = value;
	return 0;
}

static int parse_list(struct fl_sweep *s, const char *text, fairlead_error *err)
{
	int r = 0;

	while (r == 0) {
		size_t len = strcspn(text, ",");
		double value = 0;

		r = parse_value(s, text, len, &value, err);
		if (r == 0)
			r = push(s, value, err);
		if (!text[len])
			break;
		text += len + 1;
	}
	return r;
}

/* To three significant digits. */
static double rounded(double value)
{
	char text[40];

	snprintf(text, sizeof(text), "%.3g", value);
	return strtod(text, NULL);
}

static int parse_range(struct fl_sweep *s, const char *text, const char *dots, fairlead_error *err)
{
	const char *slash = strchr(dots, '/'), *to = dots + 2;
	size_t to_len = slash ? (size_t)(slash - to) : strlen(to);
	double a = 0, b = 0;
	long points = POINTS;
	char *end = NULL;
	int r = parse_value(s, text, (size_t)(dots - text), &a, err);

	if (r == 0)
		r = parse_value(s, to, to_len, &b, err);
	if (r < 0)
		return r;
	if (slash) {
		errno = 0;
		points = strtol(slash + 1, &end, 10);
		if (!slash[1] || *end || points < 2)
			return bad(err, slash + 1, "not a number of points, two or more");
	}
	if (points > FL_MAX_SWEEP)
		return fl_fail(err, FAIRLEAD_ELIMIT,
			       "more than %d points: each is a run of the whole scenario",
			       FL_MAX_SWEEP);
	if (a == b)
		return bad(err, text, "a range with one end only");
	/* Seeds have no distances: a range of twenty is all twenty. */
	bool ratios = !is_whole(s) && a > 0 && b > 0 && fmax(a / b, b / a) >= ONE_BY_ONE;
	for (long i = 0; i < points; i++) {
		double part = (double)i / (double)(points - 1);
		double value = ratios ? a * pow(b / a, part) : a + (b - a) * part;

		value = is_whole(s) ? round(value) : rounded(value);
		value = i == 0 ? a : i == points - 1 ? b : value;
		if (s->n == 0 || s->values[s->n - 1] != value)
			(void)push(s, value, err);
	}
	return 0;
}

int fl_sweep_parse(const char *text, struct fl_sweep *ret, fairlead_error *err)
{
	struct fl_sweep s = { .n = 0 };
	const char *equals = strrchr(text, '='), *dots;
	int r;

	if (!equals || equals == text || !equals[1])
		return bad(err, text, "not OPTION=FROM..TO or OPTION=VALUE,VALUE,...");
	if ((size_t)(equals - text) >= sizeof(s.name))
		return bad(err, text, "no such option");
	memcpy(s.name, text, (size_t)(equals - text));
	s.unit = fl_scenario_unit(s.name);
	if (!s.unit)
		return fl_fail(err, FAIRLEAD_EINPUT, "no option '%s'; there are %s", s.name,
			       fl_scenario_options());
	dots = strstr(equals, "..");
	r = dots ? parse_range(&s, equals + 1, dots, err) : parse_list(&s, equals + 1, err);
	if (r == 0)
		*ret = s;
	return r;
}

const char *fl_sweep_label(const struct fl_sweep *s, uint32_t point, char buffer[360])
{
	static const struct {
		double seconds;
		const char *name;
	} units[] = { { 86400, "d" }, { 3600, "h" }, { 60, "min" }, { 1, "s" }, { 1e-3, "ms" } };
	double value = s->values[point];
	unsigned u = 0;

	if (strcmp(s->unit, "seconds") != 0 || value == 0) {
		snprintf(buffer, 360, "%s %.*g", s->name, is_whole(s) ? 16 : 6, value);
		return buffer;
	}
	while (u < 4 && value < units[u].seconds)
		u++;
	snprintf(buffer, 360, "%s %.3g %s", s->name, value / units[u].seconds, units[u].name);
	return buffer;
}
