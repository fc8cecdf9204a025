/* SPDX-License-Identifier: Apache-2.0 */
/*
 * streams - the two streams of a task as one, in the order in which they came (record/order.h)
 *
 * Every byte is given once, whatever became of the record of the order: where it ends, because it
 * is full, damaged or was cut off, the rest of standard output comes before that of standard error.
 * Reads a piece of the record at a time, so its memory is the struct.
 */
#ifndef FL_DAEMON_API_STREAMS_H
#define FL_DAEMON_API_STREAMS_H

#include "backend/backend.h"

enum { FL_STREAMS_FILES = FL_STREAM_ORDER + 1, FL_STREAMS_PIECES = 128 };

struct fl_streams {
	/* Opens what is there by now of a stream, for us to close; -1: nothing yet. */
	int (*open)(void *user, enum fl_stream stream);
	void *user;
	int fds[FL_STREAMS_FILES]; /* -1: not open */
	struct fl_streams_place {
		uint64_t at[2]; /* bytes of each that were given */
		uint64_t piece; /* numbers of the record that were used up */
		bool astray;    /* the next one is not to be believed */
	} place;
	uint64_t first, n, pieces[FL_STREAMS_PIECES]; /* numbers that were read, from `first` on */
};

/* Bytes that come next: all of one stream. */
struct fl_streams_run {
	enum fl_stream stream;
	uint64_t at, n;
};

void fl_streams_init(struct fl_streams *s, int (*open)(void *user, enum fl_stream stream),
		     void *user);
void fl_streams_done(struct fl_streams *s);
/* false: there is nothing more now. */
bool fl_streams_next(struct fl_streams *s, struct fl_streams_run *ret);
/* So many bytes of it were given. */
void fl_streams_took(struct fl_streams *s, const struct fl_streams_run *run, uint64_t n);
/* Bytes of both that have not been given. */
uint64_t fl_streams_left(struct fl_streams *s);

#endif
