/* SPDX-License-Identifier: Apache-2.0 */
/* teller - what follow and lease share: a client of a cluster in a loop of its own, that tells in lines of JSON */
#ifndef FL_TESTS_KUBE_TELLER_H
#define FL_TESTS_KUBE_TELLER_H

#include <jansson.h>

#include "kube/client.h"

struct teller {
	uv_loop_t loop;
	struct fl_kube_config *config;
	struct fl_kube_client *client;
};

/* A number that an option NAME=NUMBER sets. */
struct teller_number {
	const char *name;
	uint32_t *to;
};

/* With the name of the program; ends it. */
_Noreturn void teller_fail(const char *text);
/* A line: {"what": @what, "at": @at}, and what is in @more, which is given away; NULL: nothing. */
void teller_say(const char *what, int64_t at, json_t *more);
/* @word is NAME=NUMBER of one of @names. */
void teller_read(const struct teller_number *names, size_t n, char *word);
void teller_listen(struct teller *t, uv_signal_t *handle, int number, uv_signal_cb told);
/* A client of the cluster of @kubeconfig; the loop is there already. */
void teller_open(struct teller *t, const char *kubeconfig, const struct fl_kube_options *options);
/* What used the client is freed; no handle may be left open. */
void teller_close(struct teller *t);

#endif
