/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client - requests to one API server, in the caller's loop
 *
 * Guarantees: each request ends once, with an answer or a problem, within its time, in which a plugin for credentials
 * does not count; a server that says
 * "later" (429, 503 with Retry-After) is asked later, within that time; one that refuses credentials (401) is asked once
 * more with new credentials; requests begin at most as fast as a token bucket allows.  What is kept of
 * an answer is bounded by its request.  Certificates and keys that came as bytes never are on a disk.
 *
 * Three lanes, each with connections of its own: a long list delays no watch, and neither delays a Lease.
 * Watches share one connection where the server has HTTP/2; a lane from which no byte has come for too
 * long is closed and connected anew.
 *
 * Cannot: redirections are not followed, and no answer is compressed (it would cost both sides processor
 * time).  Callbacks must not free the client.
 *
 * Tested in tests/kube, against a server whose faults come from a seed.
 */
#ifndef FL_KUBE_CLIENT_H
#define FL_KUBE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "kube/config.h"

struct fl_kube_client;
struct fl_kube_call; /* a request that has not ended */

enum fl_kube_lane {
	FL_KUBE_ASK,   /* lists and all that ends soon */
	FL_KUBE_WATCH, /* what lasts for minutes */
	FL_KUBE_LEASE, /* waits for no other, and not for the bucket */
	FL_KUBE_LANES
};

/* Times in milliseconds; 0 of any: as said here. */
struct fl_kube_options {
	uint64_t seed;    /* of jitter: equal ones wait equally long */
	uint32_t qps;     /* requests a second: 50 */
	uint32_t burst;   /* at once: 100 */
	uint32_t timeout; /* of a request that says none: 30 s */
	uint32_t
		silence; /* a watch without a byte for so long is dead: 90 s, as bookmarks come each minute */
	uint32_t first; /* wait after a failure, doubled after each: 500 ms */
	uint32_t most;  /* and at most: 30 s */
	uint32_t
		again; /* a kind that is not there is looked for, and one that may not be read at most: 60 s */
	uint32_t page;     /* objects of a page of a list: 500 */
	uint32_t objects;  /* of a list, at most: FL_MAX_KUBE_LIST */
	const char *agent; /* User-Agent: "fairlead" */
};

/* @config outlives the client. FAIRLEAD_EIO: libcurl is not there; ENOMEM. */
int fl_kube_new(uv_loop_t *loop, struct fl_kube_config *config,
		const struct fl_kube_options *options, struct fl_kube_client **ret,
		fairlead_error *err);
/*
 * Requests end without a call of theirs.  Handles of the loop are closed in its next turns, so the loop has
 * to turn before it is closed, until nothing is left in it.
 */
struct fl_kube_client *fl_kube_free(struct fl_kube_client *k);

/* Where it asks: "https://host:6443". */
const char *fl_kube_server(const struct fl_kube_client *k);

/*
 * Told with each answer that has a Date, from now on: the server's clock showed the second @date, since 1970, at some moment
 * of the last @ago milliseconds.  From within libcurl: it asks for nothing.
 */
void fl_kube_hear_dates(struct fl_kube_client *k,
			void (*dated)(void *user, int64_t date, uint64_t ago), void *user);

/* What was sent since the beginning. */
struct fl_kube_counts {
	uint64_t requests, retries, failures, connections, bytes;
};
const struct fl_kube_counts *fl_kube_counts(const struct fl_kube_client *k);

struct fl_kube_answer {
	unsigned status;   /* 0: none, and problem says why */
	const char *bytes; /* followed by a NUL; of a refusal its first 64 KiB; valid in the call */
	size_t len;
	uint32_t retry_after; /* seconds, as the server said; 0: not */
	/* NULL, or for people: no answer, or a refusal (status >= 300, and all but 200 where there is `piece`) */
	const fairlead_error *problem;
};

struct fl_kube_request {
	const char *method; /* a constant: "GET" */
	const char *path;   /* with its query: "/api/v1/pods?limit=500"; `timeout` is added */
	const char *body;   /* NULL: none */
	size_t len;
	const char *type; /* of the body: "application/json"; a constant */
	enum fl_kube_lane lane;
	uint32_t timeout; /* ms, in all; 0: that of the options */
	size_t most;      /* bytes of an answer; 0: FL_MAX_KUBE_ANSWER */
	/*
	 * NULL: the answer is kept.  Else it gets the bytes of an answer with status 200 as they come; false ends
	 * the request, with FAIRLEAD_ESTATE as its problem.
	 */
	bool (*piece)(void *user, const char *bytes, size_t len);
	bool (*begun)(void *user); /* NULL, or called before the first piece: the answer is 200 */
	void (*done)(void *user, const struct fl_kube_answer *answer);
	void *user;
};

/* The texts are copied, but for the constants. @done is never called from here. ENOMEM, ELIMIT. */
int fl_kube_ask(struct fl_kube_client *k, const struct fl_kube_request *request,
		struct fl_kube_call **ret, fairlead_error *err);
/* Before its done, which is then not called. Returns NULL. */
struct fl_kube_call *fl_kube_cancel(struct fl_kube_call *call);
/*
 * As fl_kube_cancel, where the server may go on with it: what is sent already ends by itself, so that its connection
 * serves others.
 */
struct fl_kube_call *fl_kube_ignore(struct fl_kube_call *call);

#endif
