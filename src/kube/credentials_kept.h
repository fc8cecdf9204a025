/* SPDX-License-Identifier: Apache-2.0 */
/*
 * credentials_kept - what was read of a token's file, or printed by a plugin; private to kube
 *
 * Times are of the clock that never goes back.
 */
#ifndef FL_KUBE_CREDENTIALS_KEPT_H
#define FL_KUBE_CREDENTIALS_KEPT_H

#include "kube/config.h"

struct fl_kube_kept {
	unsigned generation;   /* 0: nothing yet */
	struct fl_arena arena; /* of the texts */
	const char *token;     /* NULL: none */
	struct fl_kube_pem certificate, key;
	uint64_t due;  /* ms: when a token's file was read; when the plugin is run again */
	uint64_t ends; /* ms: what the plugin gave is valid until then */
};

int fl_kube_kept_new(struct fl_kube_kept **ret, fairlead_error *err);
void fl_kube_kept_free(struct fl_kube_kept *kept);

/*
 * What the plugin of @c printed, instead of what was kept.  FAIRLEAD_EIO: it is not an ExecCredential
 * of its version, or it has no credentials; nothing of it is in the message.
 */
int fl_kube_kept_take(struct fl_kube_config *c, const char *text, size_t len, fairlead_error *err);

/*
 * The plugin has failed: is what it gave before still valid?  Then that goes on being used, and the plugin
 * is run again after some seconds.
 */
bool fl_kube_kept_lasts(struct fl_kube_kept *kept);

/* A token is one word, since it stands in a header. */
bool fl_kube_is_token(const char *text, size_t len);
/* Milliseconds of a clock, such as CLOCK_MONOTONIC. */
int64_t fl_kube_ms(int clock);

#endif
