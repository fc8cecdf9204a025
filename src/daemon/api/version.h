/* SPDX-License-Identifier: Apache-2.0 */
/*
 * version - conditional requests (RFC 9110, section 13): the version of an answer is the number of a row of
 * the journal
 *
 * The configuration's is that of the row that it came with, and a strong one ("17"): the same bytes.  Lists of
 * jobs, pages of jobs, queues, shares and the tree follow from all rows that were applied, so the number of the
 * last one is their version, a weak one (W/"17"): two answers of one version say the same of jobs and
 * quota, while times that pass, as of how long a job has run, may differ.
 */
#ifndef FL_DAEMON_API_VERSION_H
#define FL_DAEMON_API_VERSION_H

#include "daemon/api/call.h"

/* Has the answer of a route the version of the state? */
bool fl_api_is_versioned(const struct fl_route *route);
/*
 * Of an answer that will be 200: true when the client has it (If-None-Match), and 304 was answered.  False,
 * too, for routes without a version, and for callers that see a part of the state.
 */
bool fl_api_is_known(const struct fl_call *call);
/* Adds that version to an answer of 200, where it has one. */
void fl_api_tag_state(const struct fl_call *call);

/* The same with a strong version. */
bool fl_api_is_same(const struct fl_call *call, uint64_t version);
/* A strong version, in the header ETag of the answer. */
void fl_api_tag(const struct fl_call *call, uint64_t version);
/*
 * Does the client know the version of what it changes (If-Match)?  False: it was answered, 428 where
 * nothing is said, 412 where it is another version.
 */
bool fl_api_match(const struct fl_call *call, uint64_t version);

#endif
