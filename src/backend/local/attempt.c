/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/local/attempt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/image.h"

enum {
	SLOT = 512,
	STATUS_AT = 0,
	ORDER_AT = 2 * SLOT,
	SPEC_AT = 4 * SLOT,
	VERSION = 2,
	/* room for command and environment, the other texts, devices, and the head */
	MOST = SPEC_AT + FL_JOB_ARGUMENTS + 32 * 1024 + 4 * FL_ATTEMPT_DEVICES,
};

static const char slot_magic[8] = "flslot\r\n", spec_magic[8] = "flspec\r\n";

/* --- slots --- */

struct slot {
	char magic[8];
	uint32_t version, kind;
	uint64_t number; /* of two whole slots the one with the greater number counts */
	unsigned char body[SLOT - 40];
	uint64_t sum[2];
};
_Static_assert(sizeof(struct slot) == SLOT, "one sector");
_Static_assert(sizeof(struct fl_attempt_status) <= sizeof((struct slot *)0)->body, "fits");
_Static_assert(sizeof(struct fl_attempt_order) <= sizeof((struct slot *)0)->body, "fits");

static void sum_of_slot(const struct slot *s, uint64_t ret[2])
{
	struct slot plain = *s;

	memset(plain.sum, 0, sizeof plain.sum);
	fl_image_sum(&plain, sizeof plain, ret);
}

static bool is_whole(const struct slot *s, uint32_t kind)
{
	uint64_t sum[2];

	sum_of_slot(s, sum);
	return memcmp(s->magic, slot_magic, sizeof slot_magic) == 0 && s->version == VERSION &&
	       s->kind == kind && memcmp(sum, s->sum, sizeof sum) == 0;
}

static bool is_empty(const struct slot *s)
{
	static const struct slot empty;

	return memcmp(s, &empty, sizeof empty) == 0;
}

enum { NONE = -1, FAILED = -2 /* errno of reading it */, DAMAGED = -3 /* it is not all zeros */ };

/* Which of the two slots counts: 0, 1, or one of these. */
static int newer_slot(int fd, off_t at, struct slot both[2])
{
	int ret = NONE;

	memset(both, 0, 2 * sizeof *both);
	if (pread(fd, both, 2 * sizeof *both, at) < 0)
		return FAILED;
	for (int i = 0; i < 2; i++)
		if (is_whole(&both[i], (uint32_t)at) &&
		    (ret < 0 || both[i].number > both[ret].number))
			ret = i;
	return ret != NONE || (is_empty(&both[0]) && is_empty(&both[1])) ? ret : DAMAGED;
}

/* Reads the slot that counts; returns as newer_slot. */
static int get_slot(int fd, off_t at, void *body, size_t n)
{
	struct slot both[2];
	int newer = newer_slot(fd, at, both);

	memset(body, 0, n);
	if (newer >= 0)
		memcpy(body, both[newer].body, n);
	return newer;
}

static int set_slot(int fd, off_t at, const void *body, size_t n)
{
	struct slot both[2], next = { .version = VERSION, .kind = (uint32_t)at, .number = 1 };
	int newer = newer_slot(fd, at, both);

	if (newer == FAILED)
		return -1;
	if (newer >= 0)
		next.number = both[newer].number + 1;
	memcpy(next.magic, slot_magic, sizeof slot_magic);
	memcpy(next.body, body, n);
	sum_of_slot(&next, next.sum);
	ssize_t done = pwrite(fd, &next, sizeof next, at + (newer == 0 ? SLOT : 0));
	if (done >= 0 && done != sizeof next)
		errno = ENOSPC;
	return done == sizeof next ? 0 : -1;
}

int fl_attempt_get_status(int fd, struct fl_attempt_status *ret)
{
	int slot = get_slot(fd, STATUS_AT, ret, sizeof *ret);

	if (slot == FAILED)
		return -1;
	if (slot == DAMAGED)
		ret->state = FL_ATTEMPT_DAMAGED;
	ret->boot[sizeof ret->boot - 1] = 0;
	ret->text[sizeof ret->text - 1] = 0;
	return 0;
}

int fl_attempt_get_order(int fd, struct fl_attempt_order *ret)
{
	if (get_slot(fd, ORDER_AT, ret, sizeof *ret) == FAILED)
		return -1;
	ret->boot[sizeof ret->boot - 1] = 0;
	return 0;
}

int fl_attempt_set_status(int fd, const struct fl_attempt_status *status)
{
	return set_slot(fd, STATUS_AT, status, sizeof *status);
}

int fl_attempt_set_order(int fd, const struct fl_attempt_order *order)
{
	return set_slot(fd, ORDER_AT, order, sizeof *order);
}

/* --- the spec --- */

enum { TEXTS = 6 };
/* flags */
enum {
	NUMBERED = 1,
	ALONE = 2,
	INTERACTIVE_AT = 2,
	INTERACTIVE = 3 << INTERACTIVE_AT,
	ONCE = 16,
	RESOURCES = 32, /* of the devices are behind all others */
};

struct head {
	char magic[8];
	uint32_t version, length; /* of all from here on, rounded up */
	uint64_t sum[2];          /* checksum of the same, with zeros here */
	uint64_t job, array;
	uint32_t attempt, tasks, uid, gid;
	uint32_t array_index, n_devices, command_len, environment_len;
	fl_time time_limit, grace;
	int64_t output_limit, cpu, memory, processes;
	int32_t signal;
	uint32_t flags;
	uint32_t hooks_len, hook_events;
	uint32_t text_len[TEXTS]; /* with their NULs */
};

/* Members with the same name in the spec and in its head. */
#define IN_BOTH(X)                                                                                 \
	X(job)                                                                                     \
	X(array)                                                                                   \
	X(attempt)                                                                                 \
	X(tasks)                                                                                   \
	X(uid)                                                                                     \
	X(gid)                                                                                     \
	X(array_index)                                                                             \
	X(n_devices)                                                                               \
	X(command_len)                                                                             \
	X(environment_len)                                                                         \
	X(hooks_len) X(hook_events) X(time_limit) X(grace) X(output_limit) X(signal)

/* In their order in the file. */
static void texts_of(struct fl_attempt_spec *s, const char **texts[TEXTS])
{
	texts[0] = &s->token;
	texts[1] = &s->name;
	texts[2] = &s->queue;
	texts[3] = &s->directory;
	texts[4] = &s->output;
	texts[5] = &s->group;
}

static char *put(char *at, const void *bytes, size_t n)
{
	if (n > 0)
		memcpy(at, bytes, n);
	return at + n;
}

int fl_attempt_open(int folder, int flags)
{
	int fd = openat(folder, FL_ATTEMPT_FILE, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    st.st_nlink == 1 && !(st.st_mode & (S_IWGRP | S_IWOTH)))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

int fl_attempt_encode(const struct fl_attempt_spec *spec, void **ret, size_t *ret_n,
		      fairlead_error *err)
{
	struct fl_attempt_spec copy = *spec;
	const char **texts[TEXTS];
	struct head h = {
		.version = VERSION,
#define SAME(field) .field = spec->field,
		IN_BOTH(SAME)
#undef SAME
			.cpu = spec->limits.cpu,
		.memory = spec->limits.memory,
		.processes = spec->limits.processes,
		.flags = (spec->numbered ? NUMBERED : 0U) | (spec->alone ? ALONE : 0U) |
			 (spec->once ? ONCE : 0U) | (spec->resources_len ? RESOURCES : 0U) |
			 (uint32_t)spec->interactive << INTERACTIVE_AT,
	};
	size_t n = sizeof h + 4 * (size_t)spec->n_devices + spec->command_len +
		   spec->environment_len + spec->hooks_len + spec->resources_len;

	texts_of(&copy, texts);
	for (int i = 0; i < TEXTS; i++) {
		h.text_len[i] = (uint32_t)strlen(*texts[i]) + 1;
		n += h.text_len[i];
	}
	n = (n + FL_IMAGE_STEP - 1) / FL_IMAGE_STEP * FL_IMAGE_STEP;
	if (n > MOST - SPEC_AT)
		return fl_fail(err, FAIRLEAD_ELIMIT,
			       "command, environment and paths of a job have %zu bytes; the most "
			       "is %d",
			       n, MOST - SPEC_AT);
	char *bytes = calloc(1, SPEC_AT + n);
	if (!bytes)
		return fl_fail_nomem(err);
	memcpy(h.magic, spec_magic, sizeof spec_magic);
	h.length = (uint32_t)n;
	char *at = put(bytes + SPEC_AT, &h, sizeof h);
	at = put(at, spec->devices, 4 * (size_t)spec->n_devices);
	for (int i = 0; i < TEXTS; i++)
		at = put(at, *texts[i], h.text_len[i]);
	at = put(at, spec->command, spec->command_len);
	at = put(at, spec->environment, spec->environment_len);
	at = put(at, spec->hooks, spec->hooks_len);
	put(at, spec->resources, spec->resources_len);
	fl_image_sum(bytes + SPEC_AT, n, h.sum);
	memcpy(bytes + SPEC_AT, &h, sizeof h);
	*ret = bytes;
	*ret_n = SPEC_AT + n;
	return 0;
}

static int not_whole(fairlead_error *err)
{
	return fl_fail(err, FAIRLEAD_EINPUT, "the file of a run is incomplete");
}

/* Is it a list of texts, each ended by a NUL? */
static bool are_texts(const char *at, uint32_t n) { return n == 0 || at[n - 1] == 0; }

/* A text for each of the devices, at @at. */
static bool find_resources(const char *at, const char *end, struct fl_attempt_spec *s)
{
	s->resources = at;
	for (uint32_t i = 0; i < s->n_devices; i++) {
		const char *nul = memchr(at, 0, (size_t)(end - at));

		if (!nul)
			return false;
		at = nul + 1;
	}
	s->resources_len = (uint32_t)(at - s->resources);
	return true;
}

/* @bytes: @n bytes of the file from SPEC_AT on; stays the caller's. */
static int decode(char *bytes, size_t n, struct fl_attempt_spec *s, fairlead_error *err)
{
	struct head h, zeroed;
	uint64_t sum[2];
	const char **texts[TEXTS];

	if (n < sizeof h)
		return not_whole(err);
	memcpy(&h, bytes, sizeof h);
	zeroed = h;
	memset(zeroed.sum, 0, sizeof zeroed.sum);
	if (memcmp(h.magic, spec_magic, sizeof spec_magic) != 0 || h.version != VERSION ||
	    h.length != n || n % FL_IMAGE_STEP != 0)
		return not_whole(err);
	memcpy(bytes, &zeroed, sizeof zeroed);
	fl_image_sum(bytes, n, sum);
	size_t need = sizeof h + 4 * (size_t)h.n_devices + h.command_len + h.environment_len +
		      h.hooks_len;
	for (int i = 0; i < TEXTS; i++)
		need += h.text_len[i];
	if (memcmp(sum, h.sum, sizeof sum) != 0 || need > n || h.tasks == 0 || h.command_len == 0 ||
	    (h.flags & INTERACTIVE) == INTERACTIVE)
		return not_whole(err);
	*s = (struct fl_attempt_spec){
#define SAME(field) .field = h.field,
		IN_BOTH(SAME)
#undef SAME
			.limits = { h.cpu, h.memory, h.processes },
		.numbered = (h.flags & NUMBERED) != 0,
		.alone = (h.flags & ALONE) != 0,
		.once = (h.flags & ONCE) != 0,
		.interactive = (enum fl_interactive)((h.flags & INTERACTIVE) >> INTERACTIVE_AT),
	};
	char *at = bytes + sizeof h;
	s->devices = (const uint32_t *)(const void *)at;
	at += 4 * (size_t)h.n_devices;
	texts_of(s, texts);
	for (int i = 0; i < TEXTS; i++) {
		if (h.text_len[i] == 0 || !are_texts(at, h.text_len[i]))
			return not_whole(err);
		*texts[i] = at;
		at += h.text_len[i];
	}
	s->command = at;
	s->environment = at + h.command_len;
	s->hooks = s->environment + h.environment_len;
	if ((h.flags & RESOURCES) && !find_resources(s->hooks + h.hooks_len, bytes + n, s))
		return not_whole(err);
	return are_texts(s->command, h.command_len) &&
			       are_texts(s->environment, h.environment_len) &&
			       are_texts(s->hooks, h.hooks_len) ?
		       0 :
		       not_whole(err);
}

int fl_attempt_read(int fd, struct fl_attempt_spec *ret, fairlead_error *err)
{
	struct stat st;

	if (fstat(fd, &st) != 0 || st.st_size < SPEC_AT || st.st_size > MOST)
		return not_whole(err);
	size_t n = (size_t)st.st_size - SPEC_AT;
	struct fl_attempt_spec spec;
	char *bytes = malloc(n + 1);
	if (!bytes)
		return fl_fail_nomem(err);
	int rc = pread(fd, bytes, n, SPEC_AT) == (ssize_t)n ? decode(bytes, n, &spec, err) :
							      not_whole(err);
	if (rc != 0) {
		free(bytes);
		return rc;
	}
	spec.bytes = bytes;
	*ret = spec;
	return 0;
}

void fl_attempt_done(struct fl_attempt_spec *spec)
{
	free(spec->bytes);
	*spec = (struct fl_attempt_spec){ 0 };
}
