/* SPDX-License-Identifier: Apache-2.0 */
/* exchange - a request and its answer, for the files of a server */
#ifndef FL_NET_EXCHANGE_H
#define FL_NET_EXCHANGE_H

#include <microhttpd.h>

#include "net/connection.h"

enum { FL_HEADERS = 10 }; /* of an answer, beside its type */

/* Why the server itself answers a request (exchange.c has the words). */
enum fl_refusal {
	FL_REFUSE_NOTHING,
	FL_REFUSE_ZERO_BYTE,
	FL_REFUSE_NO_HOST,
	FL_REFUSE_TWO_LENGTHS,
	FL_REFUSE_STRANGER,
	FL_REFUSE_LARGE,
	FL_REFUSE_BODY,
	FL_REFUSE_RATE,
	FL_REFUSE_ENCODING,
	FL_REFUSE_BUSY,
	FL_REFUSE_TWICE,
	FL_REFUSE_HOST,
	FL_REFUSE_ORIGIN,
	FL_REFUSE_NO_TOKEN,
	FL_REFUSE_BAD_TOKEN,
	FL_REFUSE_ELSEWHERE,
};

struct fl_stream {
	struct fl_stream_callbacks callbacks;
	char *bytes; /* a ring of FL_STREAM_BYTES */
	size_t first, used;
	uint64_t moved;   /* ms: when it was empty, or bytes were read */
	bool ended;       /* ended by the owner, or because the server closes: no more writes */
	bool cut;         /* cut off before its end, which the client must notice */
	bool left;        /* the client has left: no answer any more */
	bool refused;     /* a write did not fit: `drained` will be called */
	uv_poll_t *watch; /* watches whether the client leaves, while nothing is written */
};

struct fl_exchange {
	struct fl_connection *connection;
	struct MHD_Connection *mhd;
	struct fl_http_request request;
	char *body;
	size_t body_len, body_room, body_most; /* most: bytes that are taken */
	enum fl_refusal refusal; /* an error, of a request that is read to its end all the same */
	bool suspended;
	bool last; /* nothing after it is read */

	struct MHD_Response *response; /* NULL: no answer yet */
	unsigned status;
	struct {
		const char *name, *constant; /* constant NULL: it has the value */
		char value[64];
	} headers[FL_HEADERS];
	uint32_t n_headers;
	bool streams;
	struct fl_stream stream;
	struct fl_upgraded *upgraded; /* upgrade.c; NULL: it is none */
};

struct fl_exchange *fl_exchange_new(struct fl_connection *c, struct MHD_Connection *mhd,
				    const char *method, const char *path);
/* Its body is not needed any more. */
void fl_exchange_drop_body(struct fl_exchange *x);
/* The request has ended, for whatever reason. */
void fl_exchange_free(struct fl_exchange *x);
/* Gives the answer of the owner to the library. */
enum MHD_Result fl_exchange_queue(struct fl_exchange *x);
/* There is an answer, or more of it. */
void fl_exchange_resume(struct fl_exchange *x);
/* As fl_exchange_write, but it is sent with what is written next, or by fl_exchange_resume. */
bool fl_exchange_add(struct fl_exchange *x, const char *bytes, size_t len);
/* 4xx or 5xx from the server itself. */
void fl_exchange_refuse(struct fl_exchange *x, enum fl_refusal refusal);
/*
 * The server closes: the bytes of the stream are sent, without an end, and the owner is told by
 * `gone`.
 */
void fl_exchange_cut(struct fl_exchange *x);

/* upgrade.c: its connection is suspended; the server closes; the request has ended. */
void fl_upgrade_begin(struct fl_exchange *x);
void fl_upgrade_cut(struct fl_exchange *x);
void fl_upgrade_free(struct fl_exchange *x);

#endif
