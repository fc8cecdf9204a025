/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/job/streams.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "record/order.h"

void fl_streams_init(struct fl_streams *s, int (*open)(void *user, enum fl_stream stream),
		     void *user)
{
	*s = (struct fl_streams){ .open = open, .user = user, .fds = { -1, -1, -1 } };
}

void fl_streams_done(struct fl_streams *s)
{
	for (int i = 0; i < FL_STREAMS_FILES; i++)
		fl_fd_close(&s->fds[i]);
}

static int file_of(struct fl_streams *s, enum fl_stream stream)
{
	if (s->fds[stream] < 0)
		s->fds[stream] = s->open(s->user, stream);
	return s->fds[stream];
}

/* Bytes of it that have not been given. */
static uint64_t left_of(struct fl_streams *s, enum fl_stream stream)
{
	int fd = file_of(s, stream);
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && (uint64_t)st.st_size > s->place.at[stream] ?
		       (uint64_t)st.st_size - s->place.at[stream] :
		       0;
}

/* The next number of the record. false: there is none yet. */
static bool see_piece(struct fl_streams *s, uint64_t *ret)
{
	uint64_t piece = s->place.piece;

	if (piece >= FL_ORDER_BYTES / sizeof piece)
		return false;
	if (piece < s->first || piece >= s->first + s->n) {
		int fd = file_of(s, FL_STREAM_ORDER);
		ssize_t n = fd < 0 ? 0 :
				     pread(fd, s->pieces, sizeof s->pieces,
					   (off_t)(piece * sizeof piece));

		s->first = piece;
		s->n = n > 0 ? (uint64_t)n / sizeof piece : 0;
	}
	if (s->n == 0)
		return false;
	*ret = s->pieces[piece - s->first];
	return true;
}

/* What the next number tells. false: it tells nothing, or it does not fit. */
static bool follow(struct fl_streams *s, uint64_t piece, struct fl_streams_run *ret)
{
	enum fl_stream stream = (enum fl_stream)fl_order_stream(piece);
	uint64_t end = fl_order_end(piece), at = s->place.at[stream];

	s->place.astray = end < at || end - at > left_of(s, stream);
	if (s->place.astray)
		return false;
	*ret = (struct fl_streams_run){ stream, at, end - at };
	s->place.piece += ret->n == 0;
	return ret->n > 0;
}

bool fl_streams_next(struct fl_streams *s, struct fl_streams_run *ret)
{
	uint64_t left[2] = { 0 }, piece;

	while (!s->place.astray) {
		if (see_piece(s, &piece)) {
			if (follow(s, piece, ret))
				return true;
			continue;
		}
		/*
		 * What is seen before the record is found to have no more numbers is of one stream
		 * alone, unless the record has ended early.
		 */
		left[0] = left_of(s, FL_STREAM_OUT);
		left[1] = left_of(s, FL_STREAM_ERR);
		if (!see_piece(s, &piece))
			break;
	}
	if (s->place.astray) {
		left[0] = left_of(s, FL_STREAM_OUT);
		left[1] = left_of(s, FL_STREAM_ERR);
	}
	ret->stream = left[0] ? FL_STREAM_OUT : FL_STREAM_ERR;
	ret->at = s->place.at[ret->stream];
	ret->n = left[ret->stream];
	return ret->n > 0;
}

void fl_streams_took(struct fl_streams *s, const struct fl_streams_run *run, uint64_t n)
{
	s->place.at[run->stream] += n;
}

uint64_t fl_streams_left(struct fl_streams *s)
{
	return left_of(s, FL_STREAM_OUT) + left_of(s, FL_STREAM_ERR);
}
