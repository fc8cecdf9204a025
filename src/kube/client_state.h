/* SPDX-License-Identifier: Apache-2.0 */
/* client_state - what a client consists of; private to src/kube */
#ifndef FL_KUBE_CLIENT_STATE_H
#define FL_KUBE_CLIENT_STATE_H

#include <sys/queue.h>

#include "base/random.h"
#include "kube/client.h"
#include "kube/credentials.h"
#include "kube/exec.h"
#include "kube/wire/lane.h"
#include "kube/wire/pem_file.h"

TAILQ_HEAD(fl_kube_calls, fl_kube_call);

struct fl_kube_call {
	TAILQ_ENTRY(fl_kube_call) link;
	struct fl_kube_client *client;
	struct fl_kube_request request; /* its path is NULL */
	char *url, *body;
	CURL *easy; /* NULL: it waits in client->waiting */
	struct curl_slist *headers, *connect;
	uint64_t due, deadline;  /* ms of the loop's clock: not before, and not after */
	uint64_t started, heard; /* when it was sent, and of its last byte */
	uint64_t order;          /* of having been asked */
	unsigned generation,
		refused; /* of credentials: that it was sent with, that a 401 was for */
	int64_t date;    /* of the answer, in seconds; -1: it says none */
	unsigned status;
	uint32_t put_off; /* times that the server has said "later" */
	bool sent;        /* it is in client->sent */
	bool streams;     /* its bytes go to request.piece */
	bool ended_by_piece, too_long, cancelled, ignored;
	char *bytes; /* what is kept of the answer */
	size_t len, cap;
};

struct fl_kube_client {
	uv_loop_t *loop;
	struct fl_kube_config *config;
	struct fl_kube_options options;
	char *agent;
	struct fl_curl curl;
	struct fl_lane *lanes[FL_KUBE_LANES];
	uint64_t heard[FL_KUBE_LANES];                     /* of the last byte of a lane */
	struct fl_kube_calls sent[FL_KUBE_LANES], waiting; /* waiting: in order */
	uv_timer_t *turn, *guard;                          /* freed when they are closed */
	struct fl_random random;
	double tokens;
	uint64_t filled; /* when tokens were counted */
	uint64_t orders;
	uint32_t calls;                /* that have not ended */
	struct fl_kube_plugin *plugin; /* runs now; NULL: none does */
	uint64_t plugged;              /* when it was started */
	unsigned generation;           /* whose certificate and key are in the files */
	struct fl_pem_file ca, certificate, key;
	struct fl_kube_counts counts;
	bool told, marked; /* by any watch: a change; a bookmark */
	void (*dated)(void *user, int64_t date, uint64_t ago); /* NULL */
	void *dated_user;
};

#endif
