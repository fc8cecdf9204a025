/* SPDX-License-Identifier: Apache-2.0 */
/*
 * review - the two questions that the API server is asked about people; private to this folder
 *
 * `create` of a TokenReview and of a SubjectAccessReview, which change nothing there.
 * Tested in tests/kube/test_people.py.
 */
#ifndef FL_DAEMON_CLUSTER_PEOPLE_REVIEW_H
#define FL_DAEMON_CLUSTER_PEOPLE_REVIEW_H

#include "daemon/cluster/people/known.h"
#include "kube/client.h"

/* Of fl_kube_request: which server is asked, and what is called with the answer. */
struct fl_reviewer {
	struct fl_kube_client *client;
	void (*done)(void *user, const struct fl_kube_answer *answer);
	void *user;
};

/* Whose is this token?  May the person of @spec_of_person get that?  Negative: the question was not asked. */
int fl_review_token(const struct fl_reviewer *by, const char *secret, struct fl_kube_call **ret);
int fl_review_right(const struct fl_reviewer *by, const char *spec_of_person,
		    const struct fl_right *right, struct fl_kube_call **ret);

/* Was it answered? */
bool fl_review_is_there(const struct fl_kube_answer *answer);
/* Fills in the standing, the name and the spec of @one, for a while from @now on. */
void fl_review_take_token(const struct fl_kube_answer *answer, uint64_t now, struct fl_person *one);
bool fl_review_is_allowed(const struct fl_kube_answer *answer);

#endif
