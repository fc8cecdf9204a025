/* SPDX-License-Identifier: Apache-2.0 */
#include "report/job/used.h"

#include "report/job/text.h"
#include "report/job/words.h"

enum { SHORT = 60 /* seconds that are told with a fraction */ };

/* "0.42 s", "7.3 s", "3h20m" */
static const char *length(double seconds, char buffer[32])
{
	if (seconds >= SHORT)
		return fl_report_age((fl_time)(seconds * (double)FL_SECOND), buffer);
	snprintf(buffer, 32, seconds < 1 ? "%.2f s" : "%.1f s", seconds);
	return buffer;
}

/* The number of a key; false: it is not there, or not above 0. */
static bool number(const json_t *job, const char *key, double *ret)
{
	*ret = json_number_value(json_object_get(job, key));
	return *ret > 0 && *ret < 9e18;
}

/* ", 42 % of what it held" where it is known. */
static void part_of(const json_t *job, const char *key, const char *what, char ret[64])
{
	double part;

	ret[0] = '\0';
	if (number(job, key, &part) && part < 1e6)
		snprintf(ret, 64, ", %.*f %% of the %s that it held", part < 0.1 ? 1 : 0,
			 100 * part, what);
}

void fl_job_say_used(const struct fl_report *r, const json_t *job)
{
	char text[128], part[64], amount[32];
	double n;

	if (number(job, "waitedSeconds", &n) && n >= 1)
		fl_job_field(r, "waited", length(n, amount));
	if (number(job, "lostSeconds", &n)) {
		snprintf(text, sizeof text, "%s in attempts that must be made again",
			 length(n, amount));
		fl_job_field(r, "lost", text);
	}
	if (number(job, "cpuSeconds", &n)) {
		part_of(job, "cpuEfficiency", "cpu", part);
		snprintf(text, sizeof text, "%s of CPU time%s", length(n, amount), part);
		fl_job_field(r, "used", text);
	}
	if (number(job, "peakMemoryBytes", &n)) {
		part_of(job, "memoryEfficiency", "memory", part);
		fl_report_bytes(n, 0, amount);
		snprintf(text, sizeof text, "%s of memory at its highest%s", amount, part);
		fl_job_field(r, "", text);
	}
}
