/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/credentials_kept.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/time.h"
#include "codec/text/doc.h"
#include "kube/config_file.h"

enum {
	MINUTE = 60 * 1000, /* ms */
	AGAIN = 10 * 1000,  /* ms: after a renewal that has failed */
	PART = 10, /* of its life: so long before its end it is renewed, a minute at most */
};

int fl_kube_kept_new(struct fl_kube_kept **ret, fairlead_error *err)
{
	struct fl_kube_kept *kept = calloc(1, sizeof *kept);

	if (!kept)
		return fl_fail_nomem(err);
	fl_arena_init(&kept->arena, &fl_mem_heap);
	*ret = kept;
	return 0;
}

void fl_kube_kept_free(struct fl_kube_kept *kept)
{
	if (kept)
		fl_arena_done(&kept->arena);
	free(kept);
}

bool fl_kube_is_token(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] <= ' ' || text[i] > '~')
			return false;
	return len > 0;
}

int64_t fl_kube_ms(int clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static const char *find(const struct fl_doc *doc, uint32_t map, const char *key)
{
	uint32_t v = map == FL_NONE ? FL_NONE : fl_doc_find(doc, map, key);
	bool text = v != FL_NONE && doc->values[v].kind == FL_TOKEN_SCALAR &&
		    doc->values[v].type != FL_SCALAR_NULL && doc->values[v].len > 0;

	return text ? fl_doc_text(doc, v) : NULL;
}

static int take_pem(struct fl_kube_kept *kept, const char *text, struct fl_kube_pem *ret,
		    fairlead_error *err)
{
	if (!text)
		return 0;
	ret->len = strlen(text);
	ret->bytes = fl_kube_copy(&kept->arena, text, ret->len, err);
	return ret->bytes ? 0 : FAIRLEAD_ENOMEM;
}

/*
 * The plugin is run again before the end that it says.  One in the past is of a clock that goes otherwise, here
 * or there: the server decides then.
 */
static void take_end(struct fl_kube_kept *kept, const char *ends)
{
	uint64_t now = (uint64_t)fl_kube_ms(CLOCK_MONOTONIC);
	fl_time end;
	int64_t left, early;

	kept->due = kept->ends = UINT64_MAX;
	if (!ends || fl_time_parse(ends, strlen(ends), &end, NULL) < 0)
		return;
	left = end / (FL_SECOND / 1000) - fl_kube_ms(CLOCK_REALTIME);
	early = left / PART < MINUTE ? left / PART : MINUTE;
	kept->ends = now + (uint64_t)(left > 0 ? left : MINUTE);
	kept->due = now + (uint64_t)(left > 0 ? left - early : MINUTE);
}

bool fl_kube_kept_lasts(struct fl_kube_kept *kept)
{
	uint64_t now = (uint64_t)fl_kube_ms(CLOCK_MONOTONIC);

	if (!kept->generation || now >= kept->ends)
		return false;
	kept->due = kept->ends - now > AGAIN ? now + AGAIN : kept->ends;
	return true;
}

static int take(struct fl_kube_config *c, const struct fl_doc *doc, fairlead_error *err)
{
	struct fl_kube_kept *kept = c->kept;
	const char *kind = find(doc, 0, "kind"), *version = find(doc, 0, "apiVersion");
	uint32_t status = fl_doc_find(doc, 0, "status");
	const char *token = find(doc, status, "token");
	const char *certificate = find(doc, status, "clientCertificateData");
	const char *key = find(doc, status, "clientKeyData");
	int rc;

	if (!kind || strcmp(kind, "ExecCredential") != 0)
		return fl_fail(err, FAIRLEAD_EIO, "did not print an ExecCredential");
	if (!version || strcmp(version, c->exec->api_version) != 0)
		return fl_fail(err, FAIRLEAD_EIO, "was asked for %s, and printed another version",
			       c->exec->api_version);
	if (!token && !(certificate && key))
		return fl_fail(err, FAIRLEAD_EIO,
			       "printed neither a token nor a certificate with its key");
	if (token && !fl_kube_is_token(token, strlen(token)))
		return fl_fail(err, FAIRLEAD_EIO, "printed what is not a token");
	fl_arena_reset(&kept->arena);
	kept->token = NULL;
	kept->certificate = kept->key = (struct fl_kube_pem){ 0 };
	kept->generation++;
	take_end(kept, find(doc, status, "expirationTimestamp"));
	if (token && !(kept->token = fl_kube_copy(&kept->arena, token, strlen(token), err)))
		return FAIRLEAD_ENOMEM;
	rc = take_pem(kept, certificate && key ? certificate : NULL, &kept->certificate, err);
	return rc < 0 ? rc : take_pem(kept, certificate && key ? key : NULL, &kept->key, err);
}

int fl_kube_kept_take(struct fl_kube_config *c, const char *text, size_t len, fairlead_error *err)
{
	struct fl_reader *reader = NULL;
	struct fl_doc doc;
	struct fl_token t;
	int rc = fl_reader_new(&fl_mem_heap, text, len, &reader, NULL);

	fl_doc_init(&doc, &fl_mem_heap);
	if (rc == 0)
		rc = fl_reader_next(reader, &t, NULL);
	if (rc == 0 && t.kind == FL_TOKEN_DOCUMENT)
		rc = fl_reader_next(reader, &t, NULL);
	if (rc == 0 && t.kind == FL_TOKEN_MAP)
		rc = fl_doc_read(&doc, reader, &t, NULL);
	/* The reader's message could have a part of a secret. */
	if (rc == FAIRLEAD_ENOMEM)
		fl_fail_nomem(err);
	else if (rc < 0 || doc.n == 0)
		rc = fl_fail(err, FAIRLEAD_EIO, "did not print an ExecCredential");
	else
		rc = take(c, &doc, err);
	fl_doc_done(&doc);
	fl_reader_free(reader);
	return rc;
}
