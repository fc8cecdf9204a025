/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a run: what was put comes back; what is cut off or damaged is seen. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backend/local/attempt.h"
#include "backend/runner/runner.h"
#include "lib/unit.h"

enum { SLOT = 512 };

static int new_file(void)
{
	int fd = memfd_create("run", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4 * SLOT), 0);
	return fd;
}

static struct fl_attempt_spec spec_of(void)
{
	static const uint32_t devices[] = { 3, 1, 7 };

	return (struct fl_attempt_spec){
		.job = UINT64_MAX - 1,
		.attempt = 4000000000,
		.tasks = 3,
		.uid = 1000,
		.gid = 1001,
		.array = 12,
		.array_index = 5,
		.signal = 10,
		.time_limit = FL_NEVER,
		.grace = 30 * FL_SECOND,
		.output_limit = INT64_C(1) << 40,
		.limits = { 2500, INT64_C(1) << 35, 100 },
		.numbered = true,
		.token = "0123456789abcdef",
		.name = "a\nb\xff",
		.queue = "lab/q",
		.directory = "/a dir/\x01",
		.output = "",
		.group = "/sys/fs/cgroup/x",
		.devices = devices,
		.n_devices = 3,
		.resources = "gpu\0\0fpga",
		.resources_len = sizeof "gpu\0\0fpga",
		.command = "sh\0-c\0",
		.command_len = 7,
		.environment = "A=1\0B=\xfe;",
		.environment_len = 9,
	};
}

TEST(spec_round_trip)
{
	struct fl_attempt_spec put = spec_of(), got = { 0 };
	struct fl_attempt_status status;
	struct fl_attempt_order order;
	void *bytes;
	size_t n;
	int fd = new_file();

	assert_int_equal(fl_attempt_encode(&put, &bytes, &n, NULL), 0);
	assert_int_equal(pwrite(fd, bytes, n, 0), n);
	assert_int_equal(fl_attempt_read(fd, &got, NULL), 0);
	assert_true(got.job == put.job && got.attempt == put.attempt && got.tasks == put.tasks &&
		    got.uid == put.uid && got.gid == put.gid && got.array == put.array &&
		    got.array_index == put.array_index && got.signal == put.signal &&
		    got.time_limit == put.time_limit && got.grace == put.grace &&
		    got.output_limit == put.output_limit && got.numbered == put.numbered);
	assert_memory_equal(&got.limits, &put.limits, sizeof put.limits);
	assert_string_equal(got.token, put.token);
	assert_string_equal(got.name, put.name);
	assert_string_equal(got.queue, put.queue);
	assert_string_equal(got.directory, put.directory);
	assert_string_equal(got.output, put.output);
	assert_string_equal(got.group, put.group);
	assert_int_equal(got.n_devices, 3);
	assert_memory_equal(got.devices, put.devices, sizeof *put.devices * 3);
	assert_int_equal(got.resources_len, put.resources_len);
	assert_memory_equal(got.resources, put.resources, put.resources_len);
	assert_int_equal(got.command_len, put.command_len);
	assert_memory_equal(got.command, put.command, put.command_len);
	assert_int_equal(got.environment_len, put.environment_len);
	assert_memory_equal(got.environment, put.environment, put.environment_len);
	fl_attempt_done(&got);
	/* As it was written before resources were. */
	free(bytes);
	put.resources_len = 0;
	assert_int_equal(fl_attempt_encode(&put, &bytes, &n, NULL), 0);
	assert_int_equal(pwrite(fd, bytes, n, 0), n);
	assert_int_equal(ftruncate(fd, (off_t)n), 0);
	assert_int_equal(fl_attempt_read(fd, &got, NULL), 0);
	assert_int_equal(got.n_devices, 3);
	assert_int_equal(got.resources_len, 0);
	fl_attempt_done(&got);
	/* Nothing has become of it yet. */
	assert_int_equal(fl_attempt_get_status(fd, &status), 0);
	assert_int_equal(status.state, FL_ATTEMPT_NEW);
	assert_int_equal(fl_attempt_get_order(fd, &order), 0);
	assert_int_equal(order.why, FL_GO_NOT);
	free(bytes);
	close(fd);
}

/* Every byte changed, and every length: refused each time. */
TEST(spec_damaged)
{
	struct fl_attempt_spec put = spec_of(), got;
	unsigned char *bytes;
	fairlead_error err;
	size_t n;
	int fd = new_file();

	assert_int_equal(fl_attempt_encode(&put, (void **)&bytes, &n, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		bool spec = i >= 4 * SLOT;

		bytes[i] ^= 0x40;
		assert_int_equal(pwrite(fd, bytes, n, 0), n);
		bytes[i] ^= 0x40;
		int rc = fl_attempt_read(fd, &got, &err);
		assert_int_equal(rc, spec ? FAIRLEAD_EINPUT : 0);
		if (rc == 0)
			fl_attempt_done(&got);
		else
			assert_string_equal(err.text, "the file of a run is incomplete");
	}
	assert_int_equal(pwrite(fd, bytes, n, 0), n);
	for (size_t len = 0; len < n; len++) {
		assert_int_equal(ftruncate(fd, (off_t)(n - 1 - len)), 0);
		assert_int_equal(fl_attempt_read(fd, &got, NULL), FAIRLEAD_EINPUT);
	}
	free(bytes);
	close(fd);
}

TEST(spec_too_long)
{
	struct fl_attempt_spec put = spec_of();
	fairlead_error err;
	void *bytes;
	size_t n, len = 200 * 1024;
	char *environment = calloc(1, len);

	put.environment = environment;
	put.environment_len = (uint32_t)len;
	assert_int_equal(fl_attempt_encode(&put, &bytes, &n, &err), FAIRLEAD_ELIMIT);
	assert_non_null(strstr(err.text, "command, environment and paths of a job have"));
	free(environment);
}

/* Whatever byte of the last write is missing or wrong, the state before it stands. */
TEST(slot_torn)
{
	struct fl_attempt_status one = { .state = FL_ATTEMPT_STARTS, .runner = 17 },
				 two = { .state = FL_ATTEMPT_RUNS, .runner = 17 },
				 three = { .state = FL_ATTEMPT_ENDED, .status = 3 }, got;
	struct fl_attempt_order order = { .why = FL_GO_HELD, .by = 5 }, told;
	unsigned char file[4 * SLOT];
	int fd = new_file();

	assert_int_equal(fl_attempt_set_status(fd, &one), 0);
	assert_int_equal(fl_attempt_set_order(fd, &order), 0);
	assert_int_equal(fl_attempt_set_status(fd, &two), 0);
	assert_int_equal(pread(fd, file, sizeof file, 0), sizeof file);
	assert_int_equal(fl_attempt_get_status(fd, &got), 0);
	assert_int_equal(got.state, FL_ATTEMPT_RUNS);
	/* The second is in the second slot. */
	for (size_t i = 0; i < SLOT; i++) {
		unsigned char bad = file[SLOT + i] ^ 1;

		assert_int_equal(pwrite(fd, &bad, 1, (off_t)(SLOT + i)), 1);
		assert_int_equal(fl_attempt_get_status(fd, &got), 0);
		assert_int_equal(got.state, FL_ATTEMPT_STARTS);
		assert_int_equal(got.runner, 17);
		assert_int_equal(pwrite(fd, file + SLOT + i, 1, (off_t)(SLOT + i)), 1);
	}
	/* The third goes over the first: cut off anywhere, the second stands. */
	assert_int_equal(fl_attempt_set_status(fd, &three), 0);
	unsigned char next[SLOT];
	assert_int_equal(pread(fd, next, SLOT, 0), SLOT);
	for (size_t i = 0; i <= SLOT; i++) {
		assert_int_equal(pwrite(fd, file, SLOT, 0), SLOT);
		assert_int_equal(pwrite(fd, next, i, 0), i);
		assert_int_equal(fl_attempt_get_status(fd, &got), 0);
		assert_int_equal(got.state, i == SLOT ? FL_ATTEMPT_ENDED : FL_ATTEMPT_RUNS);
	}
	assert_int_equal(got.status, 3);
	/* Slots of the other kind are not touched, nor taken for these. */
	assert_int_equal(fl_attempt_get_order(fd, &told), 0);
	assert_int_equal(told.why, FL_GO_HELD);
	assert_int_equal(told.by, 5);
	assert_int_equal(pwrite(fd, file + 2 * SLOT, SLOT, 0), SLOT);
	assert_int_equal(pwrite(fd, file + 2 * SLOT, SLOT, SLOT), SLOT);
	assert_int_equal(fl_attempt_get_status(fd, &got), 0);
	assert_int_equal(got.state, FL_ATTEMPT_DAMAGED);
	/* Whoever has its lock can write it all the same. */
	assert_int_equal(fl_attempt_set_status(fd, &three), 0);
	assert_int_equal(fl_attempt_get_status(fd, &got), 0);
	assert_int_equal(got.state, FL_ATTEMPT_ENDED);
	close(fd);
	assert_int_equal(fl_attempt_get_status(-1, &got), -1);
	assert_int_equal(fl_attempt_set_status(-1, &got), -1);
}

TEST(output_paths)
{
	static const struct {
		const char *pattern, *path; /* NULL: refused */
	} rows[] = {
		{ "/a/b", "/a/b" }, { "/a/%j-%t.%a", "/a/17-4.5" }, { "/a/%%j%j%", NULL },
		{ "/a/%s", NULL },  { "/a/%%%j%%", "/a/%17%" },
	};
	char path[4096], longest[5000];
	struct fl_attempt_spec spec = { .job = 17, .array_index = 5 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		fairlead_error err = { 0 };

		spec.output = rows[i].pattern;
		int rc = fl_output_path(&spec, 4, path, &err);
		CHECK(rc == (rows[i].path ? 0 : FAIRLEAD_EINPUT), rows[i].pattern);
		CHECK(rc != 0 || strcmp(path, rows[i].path) == 0, rows[i].pattern);
	}
	memset(longest, 'x', sizeof longest);
	longest[sizeof longest - 1] = 0;
	spec.output = longest;
	assert_int_equal(fl_output_path(&spec, 0, path, NULL), FAIRLEAD_EINPUT);
}

/* What the next attempt would meet again is not tried again. */
TEST(start_codes)
{
	static const struct {
		const char *name;
		int why, code;
	} rows[] = {
		{ "nothing there", ENOENT, FAIRLEAD_EINPUT },
		{ "not allowed", EACCES, FAIRLEAD_EINPUT },
		{ "a file system that is only read", EROFS, FAIRLEAD_EINPUT },
		{ "no room", ENOSPC, FAIRLEAD_EIO },
		{ "no memory", ENOMEM, FAIRLEAD_EIO },
		{ "no more processes", EAGAIN, FAIRLEAD_EIO },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK(fl_start_code(rows[i].why) == rows[i].code, rows[i].name);
}

UNIT_GROUP("attempt")
