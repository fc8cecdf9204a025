/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame - what an interactive job and a client over the network say to each other: pieces, each with a
 * head of eight bytes: its kind, three zeros, how many bytes follow, the highest first
 *
 * A stream of frames comes in pieces that may be cut anywhere.  A reader gives the bytes of a long one
 * as they come, and a short one whole; it keeps no more than that.  Whatever comes, it stays within its
 * memory; after what no sender may send it gives nothing more.
 *
 * doc/guide/api.md has the kinds for others.
 */
#ifndef FL_RECORD_FRAME_H
#define FL_RECORD_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fl_frame_kind {
	FL_FRAME_IN,    /* standard input; of no bytes: its end */
	FL_FRAME_OUT,   /* standard output; from a client, of no bytes: it is read no more */
	FL_FRAME_ERR,   /* standard error, the same */
	FL_FRAME_SIZE,  /* of the terminal: rows and columns, two bytes each, the higher first */
	FL_FRAME_STATE, /* of the job: {"state":"waits"} and a line end */
	FL_FRAME_TAKEN, /* how many bytes of the other side's data were taken, in all: eight bytes */
	FL_FRAME_BEGIN, /* between daemon and runner: frames follow */
	FL_FRAME_KINDS
};

enum {
	FL_FRAME_HEAD = 8,
	FL_FRAME_MOST = 64 * 1024, /* bytes of one, behind its head */
	FL_FRAME_SHORT = 256,      /* of one that is given whole, at most */
	/*
	 * Bytes that a side may have sent which the other has not taken, as frame TAKEN says: it keeps
	 * them, and sends them again on the next connection.
	 */
	FL_FRAME_WINDOW = 256 * 1024,
	/* TAKEN is sent when so many bytes were taken since it was sent last. */
	FL_FRAME_TELL = 32 * 1024,
};

/* Bits for kinds that a side may send. */
#define FL_FRAME_BIT(kind) (1U << (kind))
enum {
	FL_FRAMES_OF_CLIENT = FL_FRAME_BIT(FL_FRAME_IN) | FL_FRAME_BIT(FL_FRAME_OUT) |
			      FL_FRAME_BIT(FL_FRAME_ERR) | FL_FRAME_BIT(FL_FRAME_SIZE) |
			      FL_FRAME_BIT(FL_FRAME_TAKEN),
	FL_FRAMES_OF_RUNNER = FL_FRAME_BIT(FL_FRAME_OUT) | FL_FRAME_BIT(FL_FRAME_ERR) |
			      FL_FRAME_BIT(FL_FRAME_TAKEN),
	FL_FRAMES_OF_DAEMON = FL_FRAMES_OF_RUNNER | FL_FRAME_BIT(FL_FRAME_STATE),
	/* What a client may send, behind what the daemon sends first. */
	FL_FRAMES_TO_RUNNER = FL_FRAMES_OF_CLIENT | FL_FRAME_BIT(FL_FRAME_BEGIN),
};

void fl_frame_head(unsigned char ret[FL_FRAME_HEAD], enum fl_frame_kind kind, uint32_t len);
/* Whole frames; their lengths. */
enum { FL_FRAME_SIZE_BYTES = FL_FRAME_HEAD + 4, FL_FRAME_TAKEN_BYTES = FL_FRAME_HEAD + 8 };
void fl_frame_size(unsigned char ret[FL_FRAME_SIZE_BYTES], uint16_t rows, uint16_t columns);
void fl_frame_taken(unsigned char ret[FL_FRAME_TAKEN_BYTES], uint64_t n);
/* A number of @n bytes, the highest first. */
uint64_t fl_frame_number(const void *bytes, size_t n);

/* A part of a frame. */
struct fl_frame_piece {
	enum fl_frame_kind kind;
	const char *bytes; /* in what was read, or of the reader; valid until the next call */
	size_t len;        /* 0: a frame of no bytes */
};

/* Starts as { .kinds = ... }. */
struct fl_frame_reader {
	unsigned kinds; /* bits of those that may come */
	bool bad;       /* a head came that none may send */
	bool inside;    /* behind a head whose bytes have not all come */
	enum fl_frame_kind kind;
	uint32_t len, left; /* of the frame; bytes of it that have not come */
	uint32_t n;         /* bytes of the head, or of a short frame */
	unsigned char head[FL_FRAME_HEAD];
	char whole[FL_FRAME_SHORT];
};

/*
 * The next part of a frame in *@bytes, which is moved behind what was read.  False: nothing more is in
 * it, or `bad`.
 */
bool fl_frame_next(struct fl_frame_reader *r, const char **bytes, size_t *len,
		   struct fl_frame_piece *ret);
/* Nothing of a frame has come that has not come whole. */
static inline bool fl_frame_is_between(const struct fl_frame_reader *r)
{
	return !r->inside && r->n == 0;
}

#endif
