/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frames - cuts the answer of a list or a watch into objects, as its bytes come; private to src/kube
 *
 * Each object is handed on as its text, with what names it; metadata.managedFields is passed over, its value
 * in the text is null.  One with more than FL_MAX_KUBE_OBJECT bytes, or nested deeper than FL_MAX_DEPTH, is handed on
 * without text.  Memory: the text of one object.
 *
 * Tested in tests/unit/kube/test_frames.c, cut at every byte.
 */
#ifndef FL_KUBE_FRAMES_H
#define FL_KUBE_FRAMES_H

#include "base/error.h"
#include "kube/reflect.h"
#include "kube/wire/scan.h"

enum fl_kube_form {
	FL_KUBE_LIST,   /* {"metadata": {...}, "items": [{...}, ...]} */
	FL_KUBE_EVENTS, /* {"type": "ADDED", "object": {...}}, one after another */
	FL_KUBE_STATUS, /* a Status, as refusals have */
	FL_KUBE_KINDS,  /* {"resources": [{"name": ...}, ...]}: an APIResourceList */
	FL_KUBE_FORMS
};

struct fl_kube_frame {
	const char
		*type; /* "ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"; "": item of a list */
	struct fl_kube_object object;
	bool initial_end; /* a bookmark: all initial events were sent */
	/* Of a Status: */
	unsigned code;
	const char *reason, *message;
};

struct fl_kube_frames {
	struct fl_scan scan;
	enum fl_kube_form form;
	int (*frame)(void *user, const struct fl_kube_frame *frame);
	void *user;
	char *json; /* of the object so far */
	size_t len, cap;
	const char *from; /* in the bytes at hand: not copied yet; NULL: nothing is copied */
	uint32_t base;    /* depth at which the object is */
	bool in_object, too_large, has_object, ended;
	uint8_t roles[8]; /* of open values, by depth; those below are without one */
	uint8_t role;     /* of the next value of a map */
	char type[16], name[254], namespace[254], uid[128], version[128];
	char mark[8], code[8], reason[64], message[400];
	/* Of a list: */
	char list_version[128], remaining[24], token[FL_SCAN_TEXT + 1];
};

void fl_kube_frames_init(struct fl_kube_frames *f, enum fl_kube_form form,
			 int (*frame)(void *user, const struct fl_kube_frame *frame), void *user);
void fl_kube_frames_done(struct fl_kube_frames *f);
/* For another answer of the same form; memory is kept. */
void fl_kube_frames_reset(struct fl_kube_frames *f);

/* Negative: FAIRLEAD_EINPUT: the answer is wrong; ENOMEM; or what @frame returned. */
int fl_kube_frames_take(struct fl_kube_frames *f, const char *bytes, size_t len,
			fairlead_error *err);
/* The answer has ended: was it whole? */
bool fl_kube_frames_whole(const struct fl_kube_frames *f);

#endif
