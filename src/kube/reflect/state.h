/* SPDX-License-Identifier: Apache-2.0 */
/* state - where a reflector is; private to src/kube */
#ifndef FL_KUBE_REFLECT_STATE_H
#define FL_KUBE_REFLECT_STATE_H

#include "kube/client_state.h"
#include "kube/discover.h"
#include "kube/frames.h"
#include "kube/reflect.h"

/* What it does next, or is doing. */
enum fl_reflect_step {
	FL_REFLECT_LOOK, /* which version is there? */
	FL_REFLECT_LIST,
	FL_REFLECT_WATCH,
};

/* Why it ended an answer. */
enum fl_reflect_end {
	FL_REFLECT_ON,      /* it has not */
	FL_REFLECT_WRONG,   /* not what a server sends */
	FL_REFLECT_REFUSED, /* an event ERROR: see code and error */
	FL_REFLECT_FULL,    /* the listener could not take an object */
	FL_REFLECT_ENDLESS, /* a list has more objects than any */
	FL_REFLECT_PLAIN,   /* initial events were asked for, and are not sent */
};

struct fl_kube_reflector {
	struct fl_kube_client *client;
	struct fl_kube_source source; /* texts from malloc */
	const struct fl_kube_listener *listener;
	void *user;
	uv_timer_t *timer; /* freed when it is closed */
	enum fl_reflect_step step;
	const char *version; /* one of the source's; NULL: not known */
	char *kind;          /* "workloads.kueue.x-k8s.io" */
	struct fl_kube_call *call;
	struct fl_kube_discovery *discovery;
	struct fl_kube_frames frames;
	char at[128];                 /* all up to this was told; "": a list is due */
	char token[FL_SCAN_TEXT + 1]; /* of the next page; "": the first one */
	uint64_t listed;              /* objects of this list; an empty page counts as a full one */
	bool items;                   /* this page has some */
	bool initial;                 /* what the watch sends are the objects of a list */
	bool no_initial;              /* the server does not send such */
	bool whole;                   /* pages end before a list does: all at once */
	bool missed;                  /* it was not found when it was looked for once */
	uint64_t opened, events;      /* of a watch: when, and how many */
	uint32_t silent;              /* watches, up to the last one, from which no event came */
	bool mute;                    /* that is a trouble, which an event ends */
	enum fl_reflect_end end;
	unsigned code;
	fairlead_error error;
	uint32_t failures; /* since something has succeeded */
	bool in_trouble;
	struct fl_kube_trouble trouble;
	struct fl_kube_standing standing;
};

#endif
