/* SPDX-License-Identifier: Apache-2.0 */
/*
 * far - the standard files of an interactive job that runs elsewhere: frames (record/frame.h) from our
 * standard input, and to our standard output and error
 *
 * What was typed and is not taken by the job is kept, and sent again on the next connection; what was
 * printed is counted, so that the other side does the same.
 */
#ifndef FL_CLI_CLIENT_FAR_H
#define FL_CLI_CLIENT_FAR_H

#include "net/stream/client_stream.h"
#include "record/frame.h"
#include "record/job.h"

enum { FL_FAR_PIECE = 16 * 1024 };

struct fl_far {
	bool terminal;                   /* its job has one */
	struct fl_client_stream *stream; /* NULL: not connected */
	struct fl_frame_reader reader;

	char typed[FL_FRAME_WINDOW];
	size_t sent, end;   /* in it; what was taken is moved out */
	uint64_t taken;     /* bytes before it */
	bool in_ended;      /* nothing more is typed */
	uint64_t got, told; /* bytes that were printed; of which the other side was told */
	bool shut[2];       /* standard output, error: it is read no more */

	/* of this connection */
	bool resumed;              /* the other side has said what it has taken */
	bool tell, resize, end_in; /* has to be sent, and of the outputs: */
	bool end_out[2];
	bool blocked;
	char wire[FL_FRAME_HEAD + FL_FAR_PIECE]; /* what is on its way */
	size_t wire_at, wire_n;
	const char *bytes; /* what was read and not looked at */
	size_t n_bytes;
	char read[FL_FAR_PIECE];

	enum fl_job_state state;     /* the last that was heard; FL_JOB_STATES: none */
	bool runs;                   /* something was printed: */
	struct fl_frame_piece first; /* this, which is still to be; of no bytes: none */
};

/* NULL: no memory. */
struct fl_far *fl_far_new(bool terminal);
struct fl_far *fl_far_free(struct fl_far *f);
/* A new connection. 0 with no `stream`: refused, see fl_client_stream_open. */
int fl_far_open(struct fl_far *f, struct fl_client *c, const char *path,
		struct fl_answer *ret_refusal, fairlead_error *err);
void fl_far_close(struct fl_far *f);

/* Standard input has something; call it only if it may be read. */
bool fl_far_may_type(const struct fl_far *f);
void fl_far_type(struct fl_far *f);
/* Our terminal has another size. */
void fl_far_resize(struct fl_far *f);
/* Sends what there is, as far as it is taken; `blocked`: wait until it takes more. */
void fl_far_speak(struct fl_far *f);
/*
 * Prints what comes, until a state comes, which is `state`, or that it runs, before anything is printed:
 * true; false: nothing more now, or the
 * connection has ended, and is closed.
 */
bool fl_far_hear(struct fl_far *f);

#endif
