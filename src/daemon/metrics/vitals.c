/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/metrics/vitals.h"

#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

static double count_fds(void)
{
	DIR *folder = opendir("/proc/self/fd");
	double n = -1; /* without the descriptor of the folder */

	if (!folder)
		return -1;
	for (const struct dirent *entry; (entry = readdir(folder));)
		n += entry->d_name[0] != '.';
	(void)closedir(folder);
	return n;
}

static double max_fds(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) != 0)
		return -1;
	return files.rlim_cur == RLIM_INFINITY ? (double)INFINITY : (double)files.rlim_cur;
}

static void look_at_memory(struct fl_vitals *v)
{
	FILE *f = fopen("/proc/self/statm", "re");
	double page = (double)sysconf(_SC_PAGESIZE), size, resident;

	v->virtual_bytes = v->resident_bytes = -1;
	if (f && fscanf(f, "%lf %lf", &size, &resident) == 2) {
		v->virtual_bytes = size * page;
		v->resident_bytes = resident * page;
	}
	if (f)
		(void)fclose(f);
}

static double cpu_seconds(void)
{
	struct rusage usage;
	struct timeval sum;

	if (getrusage(RUSAGE_SELF, &usage) != 0)
		return -1;
	timeradd(&usage.ru_utime, &usage.ru_stime, &sum);
	return (double)sum.tv_sec + (double)sum.tv_usec / 1e6;
}

/* When the machine was booted. */
static double booted(void)
{
	FILE *f = fopen("/proc/stat", "re");
	char line[256];
	double at = -1;

	while (f && at < 0 && fgets(line, sizeof line, f))
		if (sscanf(line, "btime %lf", &at) != 1)
			at = -1;
	if (f)
		(void)fclose(f);
	return at;
}

static double started(void)
{
	FILE *f = fopen("/proc/self/stat", "re");
	char line[1024] = "";
	const char *at;
	double ticks, boot = booted();
	bool known;

	known = f && fgets(line, sizeof line, f) && (at = strrchr(line, ')')) &&
		sscanf(at + 1,
		       " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
		       "%*s %lf",
		       &ticks) == 1;
	if (f)
		(void)fclose(f);
	return known && boot >= 0 ? boot + ticks / (double)sysconf(_SC_CLK_TCK) : -1;
}

void fl_vitals_look(struct fl_vitals *ret)
{
	*ret = (struct fl_vitals){ .open_fds = count_fds(),
				   .max_fds = max_fds(),
				   .cpu_seconds = cpu_seconds(),
				   .started = started() };
	look_at_memory(ret);
}
