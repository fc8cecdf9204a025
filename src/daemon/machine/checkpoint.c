/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkpoint - an image of the state, now and then, so that a start need not begin at row 1
 *
 * While the daemon goes on, a copy of the process (aside.h) has the state of the moment when it was
 * made: it writes the image into a pipe, and a thread hands it to the store.
 */
#include "daemon/machine/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "daemon/engine/process/aside.h"
#include "daemon/machine/inside.h"
#include "daemon/machine/replay.h"

enum {
	MOST_ROWS = 20000,  /* rows of the journal between two checkpoints, at most */
	AGAIN_S = 10,       /* seconds after one that failed */
	OLD_S = 24 * 3600,  /* seconds: an older one keeps rows that should be deleted */
	COPY_SECONDS = 300, /* seconds of processor time for a copy */
	PIECE = 1 << 20     /* bytes of the image that are synced at a time */
};
/*
 * The time that applying again would take, by the time that applying took; with more a start takes
 * too long.
 */
static const uint64_t most_replay_ns = 2 * (uint64_t)FL_SECOND;

bool fl_core_checkpoint_due(const struct fl_core *c)
{
	return (c->must_checkpoint || c->seq - c->checkpointed >= MOST_ROWS ||
		c->replay_ns >= most_replay_ns) &&
	       !c->drafter.draft && /* an image has no draft */
	       !c->has_given_up && !c->checkpointing && fl_core_loop_ns(c) >= c->checkpoint_at;
}

static int made(struct fl_core *c, uint64_t seq, int r, const fairlead_error *err)
{
	if (r < 0) {
		fl_core_log(c, "no checkpoint was made: %s", err->text);
		c->checkpoint_at = fl_core_loop_ns(c) + AGAIN_S * (uint64_t)FL_SECOND;
		c->must_checkpoint = true;
		return r;
	}
	c->checkpointed = seq;
	c->checkpoint_made = fl_core_loop_ns(c);
	return 0;
}

void fl_core_age(struct fl_core *c)
{
	if (c->seq == c->checkpointed ||
	    fl_core_loop_ns(c) - c->checkpoint_made < OLD_S * (uint64_t)FL_SECOND)
		return;
	c->must_checkpoint = true;
	fl_core_soon(c);
}

/* Changes from now on are not in it. */
static void begin(struct fl_core *c)
{
	c->must_checkpoint = false;
	c->replay_ns = 0;
}

int fl_core_checkpoint(struct fl_core *c, fairlead_error *err)
{
	begin(c);
	return made(c, c->seq, fl_store_checkpoint(c->daemon.store, c->seq, fl_core_save, c, err),
		    err);
}

/* --- by a copy --- */

static _Noreturn void save(struct fl_core *c)
{
	fairlead_error err;

	_exit(fl_core_save(c, FL_ASIDE_PIPE, &err) < 0 ? 1 : 0);
}

static int not_written(fairlead_error *err)
{
	return fl_fail(err, FAIRLEAD_EIO, "the image cannot be written: %s", strerror(errno));
}

/* The copy has ended, or is killed now. Did it succeed? */
static bool reap(struct fl_image_copy *copy)
{
	int status = -1;

	while (waitpid(copy->pid, &status, 0) < 0 && errno == EINTR)
		;
	copy->pid = 0;
	return status == 0;
}

/*
 * Of fl_store_checkpoint: from the pipe to the file.  Each piece is written to the disk before the
 * next one, as a commit made meanwhile waits for all data given to the disk before it.  The file
 * itself is synced by the store, at the end.
 */
static int take_image(void *user, int fd, fairlead_error *err)
{
	struct fl_core *c = user;
	const struct fl_image_copy *copy = &c->copy;
	char bytes[1 << 16];
	size_t piece = 0;
	ssize_t n;
	int r = 0;

	while (r == 0) {
		struct pollfd readable = { .fd = copy->fd, .events = POLLIN };

		if (poll(&readable, 1, c->stalled_ms) == 0)
			return fl_fail(err, FAIRLEAD_EIO, "the copy that writes it stands still");
		n = read(copy->fd, bytes, sizeof bytes);
		if (n == 0)
			break;
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue; /* poll was interrupted */
		if (n < 0)
			return fl_fail(err, FAIRLEAD_EIO, "the image cannot be read: %s",
				       strerror(errno));
		r = fl_fd_write(fd, bytes, (size_t)n) == 0 ? 0 : not_written(err);
		piece += (size_t)n;
		if (r == 0 && piece >= PIECE) {
			piece = 0;
			r = sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE_AND_WAIT) == 0 ?
				    0 :
				    not_written(err);
		}
	}
	if (r < 0)
		return r;
	return reap(&c->copy) ? 0 :
				fl_fail(err, FAIRLEAD_EIO, "the copy that writes it has failed");
}

static void take_on_thread(uv_work_t *work)
{
	struct fl_core *c = work->data;
	struct fl_image_copy *copy = &c->copy;

	copy->code = fl_store_checkpoint(c->daemon.store, copy->seq, take_image, c, &copy->error);
	(void)close(copy->fd);
	if (copy->pid > 0) {
		(void)kill(copy->pid, SIGKILL);
		(void)reap(copy);
	}
}

static void taken(uv_work_t *work, int status)
{
	struct fl_core *c = work->data;

	(void)status;
	c->checkpointing = false;
	(void)made(c, c->copy.seq, c->copy.code, &c->copy.error);
	fl_core_soon(c);
}

void fl_core_checkpoint_aside(struct fl_core *c)
{
	struct fl_image_copy *copy = &c->copy;
	const int made = fl_aside_new(&(struct fl_aside){ .seconds = COPY_SECONDS }, &copy->pid,
				      &copy->fd);
	fairlead_error err;

	if (made > 0)
		save(c);
	copy->seq = c->seq;
	copy->work.data = c;
	if (made == 0 && uv_queue_work(c->loop, &copy->work, take_on_thread, taken) == 0) {
		c->checkpointing = true;
		begin(c);
		return;
	}
	/* No memory for a copy of the process, or no thread. */
	if (made == 0) {
		(void)close(copy->fd);
		(void)fl_aside_end(copy->pid);
		copy->pid = 0;
	}
	(void)fl_core_checkpoint(c, &err);
}
