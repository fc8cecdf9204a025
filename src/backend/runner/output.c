/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_output - the output of tasks is kept up to a limit; beyond it it is read and dropped
 *
 * A task does not wait when its log takes no more: output beyond the limit, or when the disk is
 * full, is read and counted.  Such a file ends with a line that says so.  A task does wait, once
 * its pipe is full, while the log cannot be written at all: because of a file system that does not
 * answer, or a writer (runner_writer) that was stopped.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "backend/runner/runner.h"
#include "record/order.h"

enum {
	NOT_YET = -1,
	NEVER = -2,
	RESERVED = 1 << 30,
	LAST_OF_PIPE = 1 << 20, /* bytes read after the end: no pipe holds more */
};

int fl_output_path(const struct fl_attempt_spec *spec, uint32_t task, char ret[4096],
		   fairlead_error *err)
{
	size_t n = 0;

	for (const char *at = spec->output; *at; at++) {
		char number[24] = { *at, 0 };

		if (*at == '%') {
			at++;
			if (*at == 'j')
				snprintf(number, sizeof number, "%llu",
					 (unsigned long long)spec->job);
			else if (*at == 't')
				snprintf(number, sizeof number, "%u", task);
			else if (*at == 'a')
				snprintf(number, sizeof number, "%u", spec->array_index);
			else if (*at != '%')
				return fl_fail(err, FAIRLEAD_EINPUT,
					       "output '%s': after %% comes j, t, a or %%",
					       spec->output);
		}
		if (n + strlen(number) >= 4096)
			return fl_fail(err, FAIRLEAD_EINPUT, "the path of the output is too long");
		memcpy(ret + n, number, strlen(number));
		n += strlen(number);
	}
	ret[n] = 0;
	return 0;
}

/* File systems whose files are commands to the kernel, or not really files. */
static bool is_of_kernel(int fd)
{
	static const unsigned long kinds[] = {
		PROC_SUPER_MAGIC,     SYSFS_MAGIC,   CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC,
		DEBUGFS_MAGIC,        TRACEFS_MAGIC, SECURITYFS_MAGIC,   SELINUX_MAGIC,
		SMACK_MAGIC,          BPF_FS_MAGIC,  EFIVARFS_MAGIC,     BINFMTFS_MAGIC,
		RDTGROUP_SUPER_MAGIC, NSFS_MAGIC,    PSTOREFS_MAGIC,     0x62656570 /* configfs */,
	};
	struct statfs fs;

	if (fstatfs(fd, &fs) != 0)
		return true;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if ((unsigned long)fs.f_type == kinds[i])
			return true;
	return false;
}

static int open_named(const char *path, struct fl_output_file *sink, fairlead_error *err)
{
	struct stat st = { 0 };
	int fd = open(path,
		      O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY |
			      O_NONBLOCK,
		      0644);
	bool is_none = fd < 0 &&
		       (errno == ENXIO || errno == ENODEV); /* a pipe, a socket, a device */

	if (fd < 0 && !is_none)
		return fl_fail(err, fl_start_code(errno), "cannot write output to '%s': %s", path,
			       errno == ELOOP ? "it is a symbolic link" : strerror(errno));
	if (!is_none && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && !is_of_kernel(fd)) {
		sink->fd = fd;
		return 0;
	}
	if (!is_none && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3)) {
		sink->fd = fd;
		sink->is_null = true;
		return 0;
	}
	if (fd >= 0)
		close(fd);
	return fl_fail(err, FAIRLEAD_EINPUT, "cannot write output to '%s': %s", path,
		       S_ISREG(st.st_mode) ? "it is a file of the kernel" : "it is not a file");
}

/* One file may be for both streams of a task, or for those of all tasks. */
int fl_outputs_name(struct fl_outputs *o, const struct fl_attempt_spec *spec,
		    struct fl_output_count *count, fairlead_error *err)
{
	char first[4096], path[4096];
	int rc = fl_output_path(spec, 0, first, err);

	o->count = count;
	for (uint32_t i = 0; i < o->n_output_files; i++)
		o->output_files[i].fd = NOT_YET;
	for (uint32_t task = 0; rc == 0 && task < spec->tasks; task++) {
		struct fl_output_file *sink = &o->output_files[task];

		rc = fl_output_path(spec, task, path, err);
		if (rc == 0 && task > 0 && strcmp(path, first) == 0)
			sink = &o->output_files[0];
		if (rc == 0 && sink->fd == NOT_YET)
			rc = open_named(path, sink, err);
		o->ends[2 * task].sink = o->ends[2 * task + 1].sink = sink;
	}
	return rc;
}

int fl_outputs_open(struct fl_outputs *o, int first, const struct fl_attempt_spec *spec,
		    fairlead_error *err)
{
	uint32_t n = spec->interactive ? 0 : 2 * spec->tasks;
	char path[4096];

	o->limit = spec->output_limit;
	o->count = &o->own;
	o->output_files = calloc(n + 1, sizeof *o->output_files);
	o->ends = calloc(n + 1, sizeof *o->ends);
	o->orders = calloc(spec->tasks, sizeof *o->orders);
	if (!o->output_files || !o->ends || !o->orders)
		return fl_fail_nomem(err);
	o->n_output_files = o->n_ends = n;
	for (uint32_t task = 0; task < spec->tasks; task++)
		o->orders[task].fd = *spec->output || spec->interactive ?
					     NEVER :
					     first + FL_ATTEMPT_STREAMS * (int)task + 2;
	for (uint32_t i = 0; i < n; i++) {
		o->output_files[i].fd = *spec->output ? NEVER :
							first + FL_ATTEMPT_STREAMS * (int)(i / 2) +
								(int)(i % 2);
		o->ends[i] = (struct fl_stream_end){ .fd = -1, .sink = &o->output_files[i] };
	}
	/* A wrong path is reported before any task begins. */
	return *spec->output ? fl_output_path(spec, 0, path, err) : 0;
}

/*
 * Logs of all users are on the disk of the daemon's state, and without room there no job is taken
 * or started; files that users name may be on the same disk.  So the last GiB of a disk, or its
 * last 5 %, whichever is less, is not used for output. false: errno.
 */
static bool leaves_room(int fd, size_t n)
{
	struct statvfs disk;

	/* A file system without blocks does not say how full it is. */
	if (fstatvfs(fd, &disk) != 0 || disk.f_blocks == 0)
		return true;
	fsblkcnt_t kept = disk.f_blocks / 20, most = RESERVED / disk.f_frsize;
	errno = ENOSPC;
	return disk.f_bavail > (kept < most ? kept : most) + n / disk.f_frsize + 1;
}

static void keep(struct fl_outputs *o, struct fl_output_file *sink, const char *bytes, size_t n)
{
	/* After a gap nothing more is kept: a log without its middle would mislead. */
	while (n > 0 && sink->lost == 0 && sink->fd >= 0) {
		uint64_t room = (uint64_t)o->limit - sink->written;
		ssize_t done = 0;

		sink->full = room < n;
		if (room > 0) {
			done = sink->is_null || leaves_room(sink->fd, n) ?
				       write(sink->fd, bytes, room < n ? (size_t)room : n) :
				       -1;
			if (done < 0 && errno == EINTR)
				continue;
			if (done < 0)
				sink->full = false;
		}
		if (done <= 0)
			break;
		sink->written += (uint64_t)done;
		bytes += done;
		n -= (size_t)done;
	}
	sink->lost += n;
	o->count->lost += n;
}

/*
 * The next bytes are of stream @i.  If that cannot be noted, nothing is from then on: a reader then
 * gives first the rest of the one stream and then that of the other.
 */
static void note_order(const struct fl_outputs *o, uint32_t i)
{
	struct fl_output_order *order = &o->orders[i / 2];
	const struct fl_output_file *other = &o->output_files[i ^ 1];
	uint64_t piece = fl_order_piece((i ^ 1) % 2, other->written);

	if (order->last == i % 2 || o->output_files[i].lost > 0)
		return;
	order->last = i % 2;
	if (other->written == 0 || order->fd < 0)
		return;
	if (order->size + sizeof piece <= FL_ORDER_BYTES && leaves_room(order->fd, sizeof piece) &&
	    write(order->fd, &piece, sizeof piece) == sizeof piece) {
		order->size += sizeof piece;
		return;
	}
	close(order->fd);
	order->fd = NEVER;
}

static void close_end(struct fl_stream_end *end)
{
	close(end->fd);
	end->fd = -1;
}

/* false: there is no output now. */
static bool take(struct fl_outputs *o, struct fl_stream_end *end, size_t *ret_n)
{
	ssize_t n = read(end->fd, o->buffer, sizeof o->buffer);

	if (n > 0) {
		note_order(o, (uint32_t)(end - o->ends));
		keep(o, end->sink, o->buffer, (size_t)n);
		o->count->taken += (size_t)n;
		*ret_n += (size_t)n;
		return true;
	}
	if (n == 0 || (errno != EAGAIN && errno != EINTR))
		close_end(end);
	return false;
}

void fl_outputs_take(struct fl_outputs *o, uint32_t i)
{
	size_t n = 0;

	if (o->ends[i].fd >= 0)
		take(o, &o->ends[i], &n);
}

static void say_lost(const struct fl_outputs *o, const struct fl_output_file *sink)
{
	char line[160], limit[64] = "the disk was full or failed";

	if (sink->full)
		snprintf(limit, sizeof limit, "the limit is %lld bytes", (long long)o->limit);
	int n = snprintf(line, sizeof line, "\n[fairlead: %llu more bytes were not kept: %s]\n",
			 (unsigned long long)sink->lost, limit);
	if (write(sink->fd, line, (size_t)n) != n)
		return; /* the disk is still full; the status has the number all the same */
}

void fl_outputs_close(struct fl_outputs *o)
{
	for (uint32_t i = 0; i < o->n_ends; i++) {
		size_t n = 0;

		while (o->ends[i].fd >= 0 && n < LAST_OF_PIPE && take(o, &o->ends[i], &n))
			continue;
		if (o->ends[i].fd >= 0)
			close_end(&o->ends[i]);
	}
	for (uint32_t i = 0; i < o->n_output_files; i++) {
		struct fl_output_file *sink = &o->output_files[i];

		if (sink->lost > 0 && sink->fd >= 0)
			say_lost(o, sink);
		if (sink->fd >= 0)
			close(sink->fd);
		sink->fd = NEVER;
	}
	for (uint32_t task = 0; task < o->n_ends / 2; task++) {
		if (o->orders[task].fd >= 0)
			close(o->orders[task].fd);
		o->orders[task].fd = NEVER;
	}
}
