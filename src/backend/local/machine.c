/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/local/machine.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backend/process/text.h"
#include "base/fd.h"
#include "codec/text/quantity.h"

static const char cpu[] = "cpu", memory[] = "memory", gpu[] = "nvidia.com/gpu";

/* --- detection --- */

/* "0-3,8" */
static int64_t count_list(const char *text)
{
	int64_t n = 0;

	while (isdigit((unsigned char)*text)) {
		char *end;
		long from = strtol(text, &end, 10), to = from;

		if (*end == '-')
			to = strtol(end + 1, &end, 10);
		n += to >= from ? to - from + 1 : 0;
		text = *end == ',' ? end + 1 : end;
	}
	return n;
}

/* The value after "Name:" in a file of /proc. NULL: no such name. */
static const char *value_of(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, n) == 0 && line[n] == ':')
			return line + n + 1 + strspn(line + n + 1, " \t");
	}
	return NULL;
}

static void lower(int64_t *amount, int64_t limit)
{
	if (limit > 0 && limit < *amount)
		*amount = limit;
}

/* Reads the first two numbers of a file; returns how many there are. */
static int numbers_in(const char *folder, const char *name, int64_t *first, int64_t *second)
{
	char path[1400], text[256];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	return fl_text_of(path, text, sizeof text) > 0 ?
		       sscanf(text, "%" SCNd64 " %" SCNd64, first, second) :
		       0;
}

/*
 * The limits of one control group.  Each file exists in one of the two versions, and may say "max".
 */
static void limit_by_group(const char *folder, struct fl_machine_found *f)
{
	int64_t quota = 0, period = 0, none;

	if (numbers_in(folder, "cpu.max", &quota, &period) == 2 && period > 0)
		lower(&f->cpu, fl_sat_mul(quota, 1000) / period);
	if (numbers_in(folder, "cpu.cfs_quota_us", &quota, &none) > 0 && quota > 0 &&
	    numbers_in(folder, "cpu.cfs_period_us", &period, &none) > 0 && period > 0)
		lower(&f->cpu, fl_sat_mul(quota, 1000) / period);
	if (numbers_in(folder, "memory.max", &quota, &none) > 0)
		lower(&f->memory, quota);
	if (numbers_in(folder, "memory.limit_in_bytes", &quota, &none) > 0)
		lower(&f->memory, quota);
}

/* Is @word one of "a,b,c"? */
static bool is_among(const char *words, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = words; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, word, n) == 0 && (at[n] == ',' || !at[n]))
			return true;
	}
	return false;
}

/* Our path in the hierarchy with @controller; "": version 2. false: there is none. */
static bool own_group(const char *groups, const char *controller, char ret[512])
{
	for (const char *line = groups; line && *line; line = strchr(line, '\n')) {
		char names[128] = "", path[512] = "";

		line += *line == '\n';
		if (*controller ? sscanf(line, "%*u:%127[^:]:%511[^\n]", names, path) == 2 &&
					  is_among(names, controller) :
				  sscanf(line, "0::%511[^\n]", path) == 1) {
			memcpy(ret, path, sizeof path);
			return true;
		}
	}
	return false;
}

static void limit_by_hierarchy(const char *root, const char *mount, const char *groups,
			       const char *controller, struct fl_machine_found *f)
{
	char own[512], folder[1280];

	if (!own_group(groups, controller, own))
		return;
	/* From our own group up to the root; in a container the path may be one of the host. */
	for (;;) {
		snprintf(folder, sizeof folder, "%s%s%s", root, mount, own);
		limit_by_group(folder, f);
		char *last = strrchr(own, '/');
		if (!last)
			break;
		*last = 0;
	}
}

static void limit_by_groups(const char *root, struct fl_machine_found *f)
{
	char path[512], mounts[16384], groups[4096];

	snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
	if (fl_text_of(path, groups, sizeof groups) < 0)
		return;
	snprintf(path, sizeof path, "%s/proc/self/mounts", root);
	if (fl_text_of(path, mounts, sizeof mounts) < 0)
		return;
	for (const char *line = mounts; line && *line; line = strchr(line, '\n')) {
		char mount[256], type[32], options[256];

		line += *line == '\n';
		if (sscanf(line, "%*s %255s %31s %255s", mount, type, options) != 3)
			continue;
		if (strcmp(type, "cgroup2") == 0)
			limit_by_hierarchy(root, mount, groups, "", f);
		else if (strcmp(type, "cgroup") == 0 && is_among(options, cpu))
			limit_by_hierarchy(root, mount, groups, cpu, f);
		else if (strcmp(type, "cgroup") == 0 && is_among(options, memory))
			limit_by_hierarchy(root, mount, groups, memory, f);
	}
}

static void add_device(struct fl_machine_found *f, uint32_t number)
{
	uint32_t i = f->n_devices;

	for (uint32_t k = 0; k < f->n_devices; k++)
		if (f->devices[k] == number)
			return;
	if (f->n_devices == FL_MACHINE_DEVICES)
		return;
	for (; i > 0 && f->devices[i - 1] > number; i--)
		f->devices[i] = f->devices[i - 1];
	f->devices[i] = number;
	f->n_devices++;
}

/* /dev/nvidia0 and so on; without these files as many as the driver knows, from 0 on. */
static void find_devices(const char *root, struct fl_machine_found *f)
{
	char path[512];
	struct dirent *entry;
	struct stat st;

	snprintf(path, sizeof path, "%s/dev", root);
	FL_DIR dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		const char *digits = entry->d_name + 6;

		if (strncmp(entry->d_name, "nvidia", 6) == 0 && isdigit((unsigned char)*digits) &&
		    strspn(digits, "0123456789") == strlen(digits) && strlen(digits) < 5 &&
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISCHR(st.st_mode))
			add_device(f, (uint32_t)strtoul(digits, NULL, 10));
	}
	if (f->n_devices > 0)
		return;
	snprintf(path, sizeof path, "%s/proc/driver/nvidia/gpus", root);
	FL_DIR driver = opendir(path);
	while (driver && (entry = readdir(driver)))
		if (entry->d_name[0] != '.')
			add_device(f, f->n_devices);
}

void fl_machine_find(const char *root, struct fl_machine_found *ret)
{
	char path[512], text[16384];
	const char *value;

	*ret = (struct fl_machine_found){ 0 };
	snprintf(path, sizeof path, "%s/proc/self/status", root);
	if (fl_text_of(path, text, sizeof text) > 0 &&
	    (value = value_of(text, "Cpus_allowed_list")))
		ret->cpu = 1000 * count_list(value);
	snprintf(path, sizeof path, "%s/proc/meminfo", root);
	if (fl_text_of(path, text, sizeof text) > 0 && (value = value_of(text, "MemTotal")))
		ret->memory = fl_sat_mul(strtoll(value, NULL, 10), 1024);
	limit_by_groups(root, ret);
	find_devices(root, ret);
}

/* --- flavors --- */

void fl_machine_remark(struct fl_stock *m, const char *format, ...)
{
	va_list args;

	if (m->n_remarks == FL_MACHINE_REMARKS)
		return;
	va_start(args, format);
	if (vasprintf(&m->remarks[m->n_remarks], format, args) >= 0)
		m->n_remarks++;
	va_end(args);
}

void fl_machine_done(struct fl_stock *m)
{
	for (uint32_t i = 0; i < m->n_remarks; i++)
		free(m->remarks[i]);
	m->n_remarks = 0;
}

static const char *device_of(const struct fl_host_flavor *f) { return f->device ? f->device : gpu; }

static int64_t found_of(const struct fl_machine_found *found, const char *resource)
{
	if (strcmp(resource, cpu) == 0)
		return found->cpu;
	if (strcmp(resource, memory) == 0)
		return found->memory;
	return strcmp(resource, gpu) == 0 ? found->n_devices : 0;
}

/* "auto": what was detected, less what is reserved, less the amounts of other flavors. */
static int auto_amount(const struct fl_machine_found *found, const struct fl_host_options *o,
		       const struct fl_host_flavor *flavor, const char *resource, fl_amount *ret,
		       fairlead_error *err)
{
	bool numbered = strcmp(resource, device_of(flavor)) == 0;
	fl_amount amount = found_of(found, resource);

	if (numbered && flavor->n_devices > 0) {
		*ret = flavor->n_devices;
		return 0;
	}
	if (!numbered && amount == 0 && strcmp(resource, cpu) != 0 && strcmp(resource, memory) != 0)
		return fl_fail(err, FAIRLEAD_EINPUT,
			       "flavor '%s': the amount of '%s' cannot be detected; give it in "
			       "the configuration",
			       flavor->name, resource);
	for (uint32_t i = 0; i < o->n_reserved; i++)
		if (strcmp(o->reserved[i].name, resource) == 0)
			amount = fl_sat_sub(amount, o->reserved[i].amount);
	for (uint32_t i = 0; i < o->n_flavors; i++)
		for (uint32_t k = 0; k < o->flavors[i].n_resources; k++) {
			const struct fl_host_resource *r = &o->flavors[i].resources[k];

			if (&o->flavors[i] == flavor || strcmp(r->name, resource) != 0)
				continue;
			if (r->amount == FL_NO_LIMIT && !(numbered && o->flavors[i].n_devices > 0))
				return fl_fail(err, FAIRLEAD_EINPUT,
					       "flavors '%s' and '%s' both have all of '%s' that "
					       "was detected; give an amount for each",
					       flavor->name, o->flavors[i].name, resource);
			amount = fl_sat_sub(amount, r->amount == FL_NO_LIMIT ?
							    o->flavors[i].n_devices :
							    r->amount);
		}
	*ret = fl_amount_max(amount, 0);
	return 0;
}

static bool is_numbered(const struct fl_stock *m, const char *resource, uint32_t number)
{
	for (uint32_t i = 0; i < m->n_devices; i++)
		if (m->devices[i].number == number && strcmp(m->devices[i].resource, resource) == 0)
			return true;
	return false;
}

static bool is_listed(const struct fl_host_options *o, const char *resource, uint32_t number)
{
	for (uint32_t i = 0; i < o->n_flavors; i++)
		for (uint32_t k = 0; k < o->flavors[i].n_devices; k++)
			if (o->flavors[i].devices[k] == number &&
			    strcmp(device_of(&o->flavors[i]), resource) == 0)
				return true;
	return false;
}

static int add_number(struct fl_stock *m, const struct fl_capacity_row *row, uint32_t number,
		      fairlead_error *err)
{
	if (is_numbered(m, row->resource, number))
		return fl_fail(err, FAIRLEAD_EINPUT,
			       "device %u of '%s' is in flavor '%s' and in another, or twice",
			       number, row->resource, row->flavor);
	if (m->n_devices == FL_MACHINE_DEVICES)
		return fl_fail(err, FAIRLEAD_ELIMIT, "a machine has up to %d devices",
			       FL_MACHINE_DEVICES);
	struct fl_device *d = &m->devices[m->n_devices++];
	*d = (struct fl_device){ .number = number };
	memcpy(d->flavor, row->flavor, sizeof d->flavor);
	memcpy(d->resource, row->resource, sizeof d->resource);
	return 0;
}

/* As many numbers as the flavor has devices: those listed, else detected, else counted from 0. */
static int number_devices(struct fl_stock *m, const struct fl_machine_found *found,
			  const struct fl_host_options *o, const struct fl_host_flavor *flavor,
			  struct fl_capacity_row *row, fairlead_error *err)
{
	fl_amount left = row->amount;
	uint32_t next = 0, known = strcmp(row->resource, gpu) == 0 ? found->n_devices : 0;
	int rc = 0;

	if (flavor->n_devices > 0 && left > flavor->n_devices) {
		fl_machine_remark(
			m,
			"flavor '%s' lists %u devices for %lld of '%s': it has as many as it lists",
			row->flavor, flavor->n_devices, (long long)left, row->resource);
		left = row->amount = flavor->n_devices;
	}
	for (uint32_t i = 0; i < flavor->n_devices && left > 0 && rc == 0; i++, left--)
		rc = add_number(m, row, flavor->devices[i], err);
	for (uint32_t i = 0; i < known && left > 0 && rc == 0; i++)
		if (!is_listed(o, row->resource, found->devices[i]) &&
		    !is_numbered(m, row->resource, found->devices[i])) {
			rc = add_number(m, row, found->devices[i], err);
			left--;
		}
	if (left > 0 && rc == 0)
		fl_machine_remark(m,
				  "flavor '%s': %lld of '%s' were not detected; they are assigned "
				  "by number nevertheless",
				  row->flavor, (long long)left, row->resource);
	for (; left > 0 && rc == 0; next++)
		if (!is_listed(o, row->resource, next) && !is_numbered(m, row->resource, next)) {
			rc = add_number(m, row, next, err);
			left--;
		}
	return rc;
}

static const char *amount_text(const char *resource, fl_amount amount, char buffer[32])
{
	return fl_quantity_format(buffer, amount, strcmp(resource, cpu) == 0,
				  strcmp(resource, memory) == 0);
}

static int add_row(struct fl_stock *m, const struct fl_machine_found *found,
		   const struct fl_host_options *o, const struct fl_host_flavor *flavor,
		   const struct fl_host_resource *resource, fairlead_error *err)
{
	struct fl_capacity_row row = { .amount = resource->amount };
	char has[32], is[32];

	if (m->n_rows == FL_MACHINE_ROWS)
		return fl_fail(err, FAIRLEAD_ELIMIT,
			       "a machine has up to %d resources in all flavors", FL_MACHINE_ROWS);
	snprintf(row.flavor, sizeof row.flavor, "%s", flavor->name);
	snprintf(row.resource, sizeof row.resource, "%s", resource->name);
	int rc = 0;
	if (row.amount == FL_NO_LIMIT)
		rc = auto_amount(found, o, flavor, resource->name, &row.amount, err);
	else if (found_of(found, resource->name) > 0 &&
		 row.amount > found_of(found, resource->name))
		fl_machine_remark(m, "flavor '%s' has %s of '%s', and %s were detected", row.flavor,
				  amount_text(row.resource, row.amount, has), row.resource,
				  amount_text(row.resource, found_of(found, resource->name), is));
	if (rc == 0 && resource->amount == FL_NO_LIMIT && row.amount == 0)
		fl_machine_remark(m,
				  "flavor '%s' has no '%s': nothing is left of the %s that were "
				  "detected",
				  row.flavor, row.resource,
				  amount_text(row.resource, found_of(found, resource->name), is));
	if (rc == 0 && strcmp(resource->name, device_of(flavor)) == 0)
		rc = number_devices(m, found, o, flavor, &row, err);
	if (rc == 0)
		m->rows[m->n_rows++] = row;
	return rc;
}

static int add_flavor(struct fl_stock *m, const struct fl_machine_found *found,
		      const struct fl_host_options *o, const struct fl_host_flavor *flavor,
		      fairlead_error *err)
{
	static const struct fl_host_resource all[] = { { cpu, FL_NO_LIMIT },
						       { memory, FL_NO_LIMIT },
						       { gpu, FL_NO_LIMIT } };
	const struct fl_host_resource *resources = flavor->resources;
	uint32_t n = flavor->n_resources, first = m->n_rows;

	if (n == 0) {
		resources = all;
		n = found->n_devices > 0 || flavor->n_devices > 0 ? 3 : 2;
	}
	for (uint32_t i = 0; i < n; i++) {
		int rc = add_row(m, found, o, flavor, &resources[i], err);

		if (rc != 0)
			return rc;
	}
	for (uint32_t i = first + 1; i < m->n_rows; i++)
		for (uint32_t k = i;
		     k > first && strcmp(m->rows[k - 1].resource, m->rows[k].resource) > 0; k--) {
			struct fl_capacity_row swap = m->rows[k];

			m->rows[k] = m->rows[k - 1];
			m->rows[k - 1] = swap;
		}
	return 0;
}

/* Does a flavor have an amount "auto" of it? One without resources has so of the usual ones. */
static bool is_shared(const struct fl_host_options *o, const char *resource)
{
	bool usual = strcmp(resource, cpu) == 0 || strcmp(resource, memory) == 0 ||
		     strcmp(resource, gpu) == 0;
	bool shared = usual && o->n_flavors == 0;

	for (uint32_t i = 0; i < o->n_flavors; i++) {
		const struct fl_host_flavor *f = &o->flavors[i];

		shared |= usual && f->n_resources == 0;
		for (uint32_t k = 0; k < f->n_resources; k++)
			shared |= f->resources[k].amount == FL_NO_LIMIT &&
				  strcmp(f->resources[k].name, resource) == 0;
	}
	return shared;
}

int fl_machine_share(const struct fl_machine_found *found, const struct fl_host_options *options,
		     struct fl_stock *ret, fairlead_error *err)
{
	static const struct fl_host_flavor plain = { .name = "default" };
	int rc = 0;

	ret->n_rows = ret->n_devices = 0;
	if (options->n_flavors == 0)
		rc = add_flavor(ret, found, options, &plain, err);
	for (uint32_t i = 0; i < options->n_flavors && rc == 0; i++)
		rc = add_flavor(ret, found, options, &options->flavors[i], err);
	for (uint32_t i = 0; i < options->n_reserved && rc == 0; i++)
		if (!is_shared(options, options->reserved[i].name))
			fl_machine_remark(
				ret,
				"the reserved amount of '%s' has no effect: it is "
				"subtracted from what was detected, and no flavor uses that (auto)",
				options->reserved[i].name);
	if (rc == 0)
		fl_machine_remark(ret, "detected: cpu %lld.%03lld, memory %lld MiB, %u GPUs",
				  (long long)(found->cpu / 1000), (long long)(found->cpu % 1000),
				  (long long)(found->memory >> 20), found->n_devices);
	return rc;
}

/* --- devices of runs --- */

static bool is_granted(const struct fl_device *d, const struct fl_run_grant *grant)
{
	return strcmp(d->flavor, grant->flavor) == 0 && strcmp(d->resource, grant->resource) == 0;
}

bool fl_machine_take(struct fl_stock *m, const struct fl_run_grant *grant, uint64_t job,
		     uint32_t attempt, struct fl_taken *ret)
{
	bool numbered = false;
	fl_amount free = 0, left = grant->amount;

	for (uint32_t i = 0; i < m->n_devices; i++)
		if (is_granted(&m->devices[i], grant)) {
			numbered = true;
			free += m->devices[i].job == 0;
		}
	if (!numbered)
		return true;
	if (free < left)
		return false;
	while (left-- > 0) {
		struct fl_device *least = NULL;

		for (uint32_t i = 0; i < m->n_devices; i++) {
			struct fl_device *d = &m->devices[i];

			if (d->job == 0 && is_granted(d, grant) &&
			    (!least || d->number < least->number))
				least = d;
		}
		least->job = job;
		least->attempt = attempt;
		ret->resources[ret->n] = least->resource;
		ret->numbers[ret->n++] = least->number;
	}
	return true;
}

void fl_machine_retake(struct fl_stock *m, const char *resource, uint32_t number, uint64_t job,
		       uint32_t attempt)
{
	for (uint32_t i = 0; i < m->n_devices; i++) {
		struct fl_device *d = &m->devices[i];

		if (d->number == number && (!*resource || strcmp(d->resource, resource) == 0)) {
			d->job = job;
			d->attempt = attempt;
		}
	}
}

void fl_machine_release(struct fl_stock *m, uint64_t job, uint32_t attempt)
{
	for (uint32_t i = 0; i < m->n_devices; i++)
		if (m->devices[i].job == job && m->devices[i].attempt == attempt) {
			m->devices[i].job = 0;
			m->devices[i].attempt = 0;
		}
}
