/* SPDX-License-Identifier: Apache-2.0 */
/*
 * people - callers that a cluster knows, and what they may see; filled in by a cluster (cluster/people.h)
 *
 * Tested in tests/unit/daemon/test_people.c and tests/kube/test_people.py.
 */
#ifndef FL_DAEMON_ENGINE_PEOPLE_H
#define FL_DAEMON_ENGINE_PEOPLE_H

#include "base/error.h"
#include "base/principal.h"

enum {
	FL_PEOPLE_NAMESPACES = 64, /* that are asked about for one answer, at most */
	FL_PEOPLE_NAMESPACE = 64,  /* bytes, with a NUL */
	FL_PEOPLE_TEXT = 1024,     /* bytes of a sentence, with a NUL */
};

/* What a caller may see. All false: nothing that has a name. */
struct fl_sees {
	bool limited; /* false: all; the rest does not count */
	bool queues;  /* names of ClusterQueues */
	bool one;     /* the Workload that was asked about */
	uint32_t n;   /* namespaces whose Workloads it may get, by name */
	char namespaces[FL_PEOPLE_NAMESPACES][FL_PEOPLE_NAMESPACE];
};

/* May it see Workloads of that namespace?  @s NULL here and below: it may see all. */
bool fl_sees_namespace(const struct fl_sees *s, const char *namespace);
/* The same of what is in a namespace: "namespace/name". */
bool fl_sees_inside(const struct fl_sees *s, const char *name);
bool fl_sees_queues(const struct fl_sees *s);
/* A sentence, whose names stand in quotes: without these where it may not see ClusterQueues. */
const char *fl_sees_text(const struct fl_sees *s, const char *text, char buffer[FL_PEOPLE_TEXT]);

struct fl_people_question {
	struct fl_principal who; /* as `bearer` made it */
	bool kai; /* Workloads are PodGroups of KAI's scheduler there, and ClusterQueues Queues */
	const char *namespace, *name; /* of a Workload; NULL: none is asked about */
	/* Namespaces that the answer may have names of, each once; copied. */
	const char *const *namespaces;
	uint32_t n;
	/* Without that right it has no names at all, and namespaces are not asked about: ClusterQueues; the Workload. */
	bool needs_queues, needs_one;
};

struct fl_people {
	/* Would `bearer` begin to ask the API server about it? */
	bool (*is_new)(const struct fl_people *p, const char *secret);
	/*
	 * Whose is this token?  0: *ret is a principal, whose name may not be known until `ask`
	 * answers.  FAIRLEAD_ESTATE: it is not valid; ELIMIT: too many others are being asked about;
	 * EIO: the API server cannot be asked.
	 */
	int (*bearer)(struct fl_people *p, const char *secret, struct fl_principal *ret);
	/*
	 * @done is called once, perhaps before this returns.  FAIRLEAD_ESTATE: the token is not valid;
	 * FAIRLEAD_EIO: the API server does not answer; both with err.
	 */
	void (*ask)(struct fl_people *p, const struct fl_people_question *q,
		    void (*done)(void *user, int code, const struct fl_principal *who,
				 const struct fl_sees *sees, const fairlead_error *err),
		    void *user);
	/* Is the token still believed? Otherwise the caller has to show it again. */
	bool (*is_known)(struct fl_people *p, const struct fl_principal *who);
};

#endif
