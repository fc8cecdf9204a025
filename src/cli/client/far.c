/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/client/far.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/fd.h"
#include "cli/client/attach.h"

struct fl_far *fl_far_new(bool terminal)
{
	struct fl_far *f = calloc(1, sizeof *f);

	if (f)
		f->terminal = terminal;
	return f;
}

struct fl_far *fl_far_free(struct fl_far *f)
{
	if (f)
		fl_far_close(f);
	free(f);
	return NULL;
}

int fl_far_open(struct fl_far *f, struct fl_client *c, const char *path,
		struct fl_answer *ret_refusal, fairlead_error *err)
{
	int rc = fl_client_stream_open(c, path, "fairlead-run", &f->stream, ret_refusal, err);

	if (rc < 0 || !f->stream)
		return rc;
	f->reader = (struct fl_frame_reader){ .kinds = FL_FRAMES_OF_DAEMON };
	f->resumed = f->blocked = false;
	f->tell = true;
	f->resize = f->terminal;
	f->end_in = f->in_ended;
	for (int i = 0; i < 2; i++)
		f->end_out[i] = f->shut[i];
	f->wire_at = f->wire_n = f->n_bytes = 0;
	return 0;
}

void fl_far_close(struct fl_far *f) { f->stream = fl_client_stream_free(f->stream); }

/* --- to the job --- */

bool fl_far_may_type(const struct fl_far *f)
{
	return !f->in_ended && sizeof f->typed - f->end >= FL_FAR_PIECE;
}

void fl_far_type(struct fl_far *f)
{
	ssize_t n = read(STDIN_FILENO, f->typed + f->end, FL_FAR_PIECE);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n > 0)
		f->end += (size_t)n;
	else
		f->in_ended = f->end_in = true;
}

void fl_far_resize(struct fl_far *f) { f->resize = f->terminal; }

/* Bytes of the frame that tells it; 0: it has none. */
static size_t put_size(struct fl_far *f)
{
	struct winsize size;

	f->resize = false;
	if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) != 0 &&
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
		return 0;
	fl_frame_size((unsigned char *)f->wire, size.ws_row, size.ws_col);
	return FL_FRAME_SIZE_BYTES;
}

static size_t put_taken(struct fl_far *f)
{
	f->tell = false;
	f->told = f->got;
	fl_frame_taken((unsigned char *)f->wire, f->got);
	return FL_FRAME_TAKEN_BYTES;
}

static size_t put_end(struct fl_far *f, enum fl_frame_kind kind, bool *due)
{
	*due = false;
	fl_frame_head((unsigned char *)f->wire, kind, 0);
	return FL_FRAME_HEAD;
}

static size_t put_typed(struct fl_far *f)
{
	size_t n = f->end - f->sent;

	n = n < FL_FAR_PIECE ? n : FL_FAR_PIECE;
	fl_frame_head((unsigned char *)f->wire, FL_FRAME_IN, (uint32_t)n);
	memcpy(f->wire + FL_FRAME_HEAD, f->typed + f->sent, n);
	f->sent += n;
	return FL_FRAME_HEAD + n;
}

/* The next frame; its length; 0: there is none. */
static size_t put_next(struct fl_far *f)
{
	size_t n = 0;

	if (f->tell || f->got - f->told >= FL_FRAME_TELL)
		return put_taken(f);
	if (f->resize)
		n = put_size(f);
	if (n > 0)
		return n;
	for (int i = 0; i < 2; i++)
		if (f->end_out[i])
			return put_end(f, i == 0 ? FL_FRAME_OUT : FL_FRAME_ERR, &f->end_out[i]);
	if (f->resumed && f->sent < f->end)
		return put_typed(f);
	if (f->resumed && f->end_in)
		return put_end(f, FL_FRAME_IN, &f->end_in);
	return 0;
}

void fl_far_speak(struct fl_far *f)
{
	f->blocked = false;
	while (f->stream && !f->blocked) {
		if (f->wire_at == f->wire_n) {
			f->wire_at = 0;
			f->wire_n = put_next(f);
		}
		if (f->wire_n == 0)
			return;
		ssize_t n = fl_client_stream_write(f->stream, f->wire + f->wire_at,
						   f->wire_n - f->wire_at);
		if (n < 0)
			fl_far_close(f);
		else
			f->wire_at += (size_t)n;
		f->blocked = n == 0;
	}
}

/* --- from it --- */

static void hear_taken(struct fl_far *f, uint64_t n)
{
	uint64_t more = n - f->taken;

	if (n < f->taken || more > f->end)
		more = 0; /* it would be wrong */
	memmove(f->typed, f->typed + more, f->end - more);
	f->taken += more;
	f->end -= more;
	f->sent = f->resumed && f->sent > more ? f->sent - more : 0;
	f->resumed = true;
}

static void print(struct fl_far *f, const struct fl_frame_piece *p)
{
	int i = p->kind == FL_FRAME_OUT ? 0 : 1;

	f->got += p->len;
	if (f->shut[i] ||
	    fl_fd_write(i == 0 ? STDOUT_FILENO : STDERR_FILENO, p->bytes, p->len) == 0)
		return;
	f->shut[i] = f->end_out[i] = true;
}

/* true: it is a state. */
static bool take(struct fl_far *f, const struct fl_frame_piece *p)
{
	switch (p->kind) {
	case FL_FRAME_OUT:
	case FL_FRAME_ERR:
		if (f->runs) {
			print(f, p);
			return false;
		}
		/* The terminal is made ready for it first. */
		f->first = *p;
		f->runs = true;
		f->state = FL_JOB_RUNS;
		return true;
	case FL_FRAME_TAKEN:
		hear_taken(f, fl_frame_number(p->bytes, 8));
		return false;
	case FL_FRAME_STATE:
		f->state = fl_attach_state(p->bytes, p->len);
		return f->state != FL_JOB_STATES;
	case FL_FRAME_IN:
	case FL_FRAME_SIZE:
	case FL_FRAME_BEGIN:
	case FL_FRAME_KINDS:
		break;
	}
	return false;
}

bool fl_far_hear(struct fl_far *f)
{
	struct fl_frame_piece piece;

	if (f->first.len > 0)
		print(f, &f->first);
	f->first.len = 0;
	while (f->stream) {
		while (fl_frame_next(&f->reader, &f->bytes, &f->n_bytes, &piece))
			if (take(f, &piece))
				return true;
		fl_far_speak(f);
		if (!f->stream)
			break;
		ssize_t n = fl_client_stream_read(f->stream, f->read, sizeof f->read);
		if (n < 0 || f->reader.bad)
			fl_far_close(f);
		if (n <= 0)
			break;
		f->bytes = f->read;
		f->n_bytes = (size_t)n;
	}
	return false;
}
