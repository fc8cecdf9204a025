/* SPDX-License-Identifier: Apache-2.0 */
/* What a machine has: found in made-up folders, shared out by configurations, given to runs. */
#include <ftw.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "backend/local/machine.h"
#include "lib/unit.h"

#define GPU "nvidia.com/gpu"

/* --- found --- */

struct file {
	const char *path, *text; /* text NULL: a device */
};

struct found_row {
	const char *name;
	struct file files[8];
	int64_t cpu, memory;
	uint32_t devices[4], n_devices;
};

static char root[64];

static void put_file(const struct file *f)
{
	char path[300];

	snprintf(path, sizeof path, "%s%s", root, f->path);
	for (char *at = path + strlen(root) + 1; (at = strchr(at, '/')); at++) {
		*at = 0;
		mkdir(path, 0700);
		*at = '/';
	}
	if (!f->text) {
		assert_int_equal(mknod(path, S_IFCHR | 0600, makedev(195, 0)), 0);
		return;
	}
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(f->text, file);
	fclose(file);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

#define STATUS(list)                                                                               \
	{                                                                                          \
		"/proc/self/status", "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t" list "\n" \
	}
#define MEMORY                                                                                     \
	{                                                                                          \
		"/proc/meminfo", "MemTotal:       16384 kB\nMemFree:  5 kB\n"                      \
	}

TEST(finds)
{
	static const struct found_row rows[] = {
		{ "nothing", { { 0 } }, 0, 0, { 0 }, 0 },
		{ "plain", { STATUS("0-3,8,10-11"), MEMORY }, 7000, 16 << 20, { 0 }, 0 },
		{ "version 2, the nearest limit counts",
		  { STATUS("0-7"),
		    MEMORY,
		    { "/proc/self/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n" },
		    { "/proc/self/cgroup", "0::/a/b\n" },
		    { "/sys/fs/cgroup/a/b/cpu.max", "250000 100000\n" },
		    { "/sys/fs/cgroup/a/cpu.max", "max 100000\n" },
		    { "/sys/fs/cgroup/a/memory.max", "1048576\n" },
		    { "/sys/fs/cgroup/a/b/memory.max", "max\n" } },
		  FIELDS(2500, 1 << 20),
		  { 0 },
		  0 },
		{ "version 2, seen from within",
		  { STATUS("0-7"),
		    MEMORY,
		    { "/proc/self/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n" },
		    { "/proc/self/cgroup", "0::/outside/of/it\n" },
		    { "/sys/fs/cgroup/cpu.max", "100000 100000\n" } },
		  FIELDS(1000, 16 << 20),
		  { 0 },
		  0 },
		{ "version 1",
		  { STATUS("0-7"),
		    MEMORY,
		    { "/proc/self/mounts", "c /cg/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0\n"
					   "c /cg/memory cgroup rw,memory 0 0\n" },
		    { "/proc/self/cgroup", "4:cpu,cpuacct:/x\n3:memory:/y\n" },
		    { "/cg/cpu,cpuacct/x/cpu.cfs_quota_us", "150000\n" },
		    { "/cg/cpu,cpuacct/x/cpu.cfs_period_us", "100000\n" },
		    { "/cg/memory/y/memory.limit_in_bytes", "2097152\n" } },
		  1500,
		  2 << 20,
		  { 0 },
		  0 },
		{ "version 1 without limits",
		  { STATUS("0-7"),
		    MEMORY,
		    { "/proc/self/mounts", "c /cg/cpu cgroup rw,cpu 0 0\n" },
		    { "/proc/self/cgroup", "4:cpu:/\n" },
		    { "/cg/cpu/cpu.cfs_quota_us", "-1\n" },
		    { "/cg/cpu/cpu.cfs_period_us", "100000\n" } },
		  FIELDS(8000, 16 << 20),
		  { 0 },
		  0 },
		{ "GPUs by their driver",
		  { STATUS("0"),
		    MEMORY,
		    { "/proc/driver/nvidia/gpus/0000:01:00.0/information", "x" },
		    { "/proc/driver/nvidia/gpus/0000:02:00.0/information", "x" } },
		  FIELDS(1000, 16 << 20),
		  { 0, 1 },
		  2 },
		{ "files that are no devices",
		  { STATUS("0"), { "/dev/nvidia0", "x" } },
		  FIELDS(1000, 0),
		  { 0 },
		  0 },
		{ "devices", /* root only */
		  { { "/dev/nvidia10", NULL },
		    { "/dev/nvidia2", NULL },
		    { "/dev/nvidiactl", NULL },
		    { "/dev/nvidia-uvm", NULL },
		    { "/proc/driver/nvidia/gpus/0000:01:00.0/information", "x" } },
		  FIELDS(0, 0),
		  { 2, 10 },
		  2 },
	};

	for (size_t i = 0; i < COUNT(rows) - (getuid() != 0); i++) {
		struct fl_machine_found found;

		snprintf(root, sizeof root, "/tmp/fairlead-test-XXXXXX");
		assert_non_null(mkdtemp(root));
		for (const struct file *f = rows[i].files; f < rows[i].files + 8 && f->path; f++)
			put_file(f);
		fl_machine_find(root, &found);
		nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
		CHECK(found.cpu == rows[i].cpu, rows[i].name);
		CHECK(found.memory == rows[i].memory, rows[i].name);
		CHECK(found.n_devices == rows[i].n_devices, rows[i].name);
		for (uint32_t k = 0; k < found.n_devices; k++)
			CHECK(found.devices[k] == rows[i].devices[k], rows[i].name);
	}
}

TEST(finds_this_one)
{
	struct fl_machine_found found;

	fl_machine_find("", &found);
	assert_true(found.cpu > 0 && found.cpu <= 1000 * sysconf(_SC_NPROCESSORS_CONF));
	assert_true(found.memory > 0);
}

/* --- shared out --- */

static const struct fl_machine_found eight = {
	.cpu = 8000, .memory = INT64_C(1) << 30, .devices = { 0, 1, 2, 3 }, .n_devices = 4
};

#define AUTO FL_NO_LIMIT
#define LIST(type, ...)                                                                            \
	(const type[]){ __VA_ARGS__ }, sizeof((const type[]){ __VA_ARGS__ }) / sizeof(type)
#define RESOURCES(...) LIST(struct fl_host_resource, __VA_ARGS__)
#define NUMBERS(...) LIST(uint32_t, __VA_ARGS__)
#define NO_NUMBERS NULL, 0

struct share_row {
	const char *name;
	struct fl_host_flavor flavors[3];
	uint32_t n;
	struct fl_host_resource reserved;
	const char
		*expected;  /* "flavor/resource=amount[numbers] ..."; or what is refused, with ! */
	const char *remark; /* one of them has it */
};

static const struct share_row share_rows[] = {
	{ "all there is",
	  { { 0 } },
	  0,
	  { 0 },
	  "default/cpu=8000 default/memory=1073741824 default/" GPU "=4[0,1,2,3] ",
	  "detected: cpu 8.000, memory 1024 MiB, 4 GPUs" },
	{ "reserved",
	  { { 0 } },
	  0,
	  { "cpu", 1500 },
	  FIELDS("default/cpu=6500 default/memory=1073741824 default/" GPU "=4[0,1,2,3] ", NULL) },
	{ "all is reserved",
	  { { 0 } },
	  0,
	  { "memory", INT64_MAX },
	  "default/cpu=8000 default/memory=0 default/" GPU "=4[0,1,2,3] ",
	  "flavor 'default' has no 'memory': nothing is left of the 1Gi" },
	{ "reserved is not taken off what is written down",
	  { { "a", RESOURCES({ "cpu", 4000 }), NULL, NO_NUMBERS } },
	  1,
	  { "cpu", 1000 },
	  FIELDS("a/cpu=4000 ", "the reserved amount of 'cpu' has no effect") },
	{ "what is left",
	  { { "a", RESOURCES({ "cpu", 3000 }, { GPU, 1 }), NULL, NO_NUMBERS },
	    { "b", RESOURCES({ "cpu", AUTO }, { GPU, AUTO }), NULL, NO_NUMBERS } },
	  2,
	  { 0 },
	  FIELDS("a/cpu=3000 a/" GPU "=1[0] b/cpu=5000 b/" GPU "=3[1,2,3] ", NULL) },
	{ "numbers of one flavor are none of another",
	  { { "a", RESOURCES({ GPU, AUTO }), NULL, NO_NUMBERS },
	    { "b", RESOURCES({ GPU, AUTO }), NULL, NUMBERS(1, 0) } },
	  2,
	  { 0 },
	  FIELDS("a/" GPU "=2[2,3] b/" GPU "=2[1,0] ", NULL) },
	{ "by name of resource",
	  { { "a", RESOURCES({ "memory", 5 }, { "cpu", 7 }, { "disk", 3 }), NULL, NO_NUMBERS } },
	  1,
	  { 0 },
	  FIELDS("a/cpu=7 a/disk=3 a/memory=5 ", NULL) },
	{ "more than there is",
	  { { "a", RESOURCES({ "cpu", 9000 }), NULL, NO_NUMBERS } },
	  1,
	  { 0 },
	  FIELDS("a/cpu=9000 ", "flavor 'a' has 9 of 'cpu', and 8 were detected") },
	{ "more than numbers",
	  { { "a", RESOURCES({ GPU, 3 }), NULL, NUMBERS(2, 3) } },
	  1,
	  { 0 },
	  FIELDS("a/" GPU "=2[2,3] ", "flavor 'a' lists 2 devices for 3") },
	{ "more devices than found",
	  { { "a", RESOURCES({ GPU, 6 }), NULL, NO_NUMBERS } },
	  1,
	  { 0 },
	  FIELDS("a/" GPU "=6[0,1,2,3,4,5] ", "2 of '" GPU "' were not detected") },
	{ "devices of another name",
	  { { "a", RESOURCES({ "lab/fpga", 2 }), "lab/fpga", NO_NUMBERS } },
	  1,
	  { 0 },
	  FIELDS("a/lab/fpga=2[0,1] ", "2 of 'lab/fpga' were not detected") },
	{ "two want all",
	  { { "a", RESOURCES({ "cpu", AUTO }), NULL, NO_NUMBERS },
	    { "b", RESOURCES({ "cpu", AUTO }), NULL, NO_NUMBERS } },
	  2,
	  { 0 },
	  FIELDS("!flavors 'a' and 'b' both have all of 'cpu'", NULL) },
	{ "what cannot be found",
	  { { "a", RESOURCES({ "disk", AUTO }), NULL, NO_NUMBERS } },
	  1,
	  { 0 },
	  FIELDS("!the amount of 'disk' cannot be detected", NULL) },
	{ "a number twice",
	  { { "a", RESOURCES({ GPU, AUTO }), NULL, NUMBERS(1) },
	    { "b", RESOURCES({ GPU, AUTO }), NULL, NUMBERS(1) } },
	  2,
	  { 0 },
	  FIELDS("!device 1 of '" GPU "' is in flavor 'b' and in another", NULL) },
	{ "too many",
	  { { "a", RESOURCES({ GPU, 2000 }), NULL, NO_NUMBERS } },
	  1,
	  { 0 },
	  FIELDS("!up to 1024 devices", NULL) },
};

static void describe(const struct fl_stock *s, char *to)
{
	uint32_t device = 0;

	for (uint32_t i = 0; i < s->n_rows; i++) {
		const struct fl_capacity_row *row = &s->rows[i];
		const char *comma = "[";

		to += sprintf(to, "%s/%s=%lld", row->flavor, row->resource, (long long)row->amount);
		for (;
		     device < s->n_devices && strcmp(s->devices[device].flavor, row->flavor) == 0 &&
		     strcmp(s->devices[device].resource, row->resource) == 0;
		     device++) {
			to += sprintf(to, "%s%u", comma, s->devices[device].number);
			comma = ",";
		}
		to += sprintf(to, "%s ", *comma == ',' ? "]" : "");
	}
	*to = 0;
}

TEST(shares)
{
	static struct fl_stock stock;

	for (size_t i = 0; i < COUNT(share_rows); i++) {
		const struct share_row *row = &share_rows[i];
		struct fl_host_options options = { .flavors = row->flavors,
						   .n_flavors = row->n,
						   .reserved = &row->reserved,
						   .n_reserved = row->reserved.name != NULL };
		fairlead_error err = { 0 };
		char text[4096];
		bool remarked = !row->remark;

		stock = (struct fl_stock){ 0 };
		int rc = fl_machine_share(&eight, &options, &stock, &err);
		CHECK((rc == 0) == (*row->expected != '!'), row->name);
		if (rc != 0) {
			CHECK(strstr(err.text, row->expected + 1), row->name);
		} else {
			describe(&stock, text);
			CHECK(strcmp(text, row->expected) == 0, row->name);
		}
		for (uint32_t k = 0; k < stock.n_remarks; k++)
			remarked = remarked || strstr(stock.remarks[k], row->remark);
		CHECK(remarked, row->name);
		fl_machine_done(&stock);
	}
}

/* --- given --- */

TEST(gives)
{
	static struct fl_stock stock;
	const struct fl_host_flavor flavors[] = {
		{ "a", RESOURCES({ "cpu", AUTO }, { GPU, AUTO }), NULL, NUMBERS(2, 0, 1) },
		{ "b", RESOURCES({ GPU, AUTO }), NULL, NUMBERS(3) },
	};
	struct fl_host_options options = { .flavors = flavors, .n_flavors = 2 };
	struct fl_run_grant two = { GPU, "a", 2 }, one = { GPU, "a", 1 }, other = { GPU, "b", 1 },
			    cpu = { "cpu", "a", 1000 };
	struct fl_taken got = { .n = 0 };

	assert_int_equal(fl_machine_share(&eight, &options, &stock, NULL), 0);
	assert_true(fl_machine_take(&stock, &two, 1, 1, &got));
	assert_true(got.n == 2 && got.numbers[0] == 0 && got.numbers[1] == 1);
	assert_true(fl_machine_take(&stock, &cpu, 1, 1, &got));
	assert_int_equal(got.n, 2);
	assert_false(fl_machine_take(&stock, &two, 2, 1, &got));
	assert_int_equal(got.n, 2);
	assert_true(fl_machine_take(&stock, &one, 2, 1, &got));
	assert_true(fl_machine_take(&stock, &other, 2, 1, &got));
	assert_true(got.n == 4 && got.numbers[2] == 2 && got.numbers[3] == 3);
	fl_machine_release(&stock, 1, 2); /* another attempt: nothing */
	assert_false(fl_machine_take(&stock, &one, 3, 1, &got));
	fl_machine_release(&stock, 1, 1);
	assert_true(fl_machine_take(&stock, &two, 3, 1, &got));
	/* After a restart: those that it has are not given to others. */
	fl_machine_release(&stock, 2, 1);
	fl_machine_release(&stock, 3, 1);
	fl_machine_retake(&stock, GPU, 0, 4, 1);
	fl_machine_retake(&stock, "", 3, 4, 1); /* which resource's is not known */
	fl_machine_retake(&stock, "another", 1, 4, 1);
	got.n = 0;
	assert_false(fl_machine_take(&stock, &other, 5, 1, &got));
	assert_true(fl_machine_take(&stock, &two, 5, 1, &got));
	assert_true(got.n == 2 && got.numbers[0] == 1 && got.numbers[1] == 2);
	assert_string_equal(got.resources[1], GPU);
	fl_machine_done(&stock);
}

UNIT_GROUP("machine")
