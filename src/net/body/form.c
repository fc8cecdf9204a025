/* SPDX-License-Identifier: Apache-2.0 */
#include "net/body/form.h"

#include <string.h>
#include <strings.h>

#include "net/exchange.h"

enum { DECODER = 1024, NAME = 64, VALUE = 4096 };

/* A field comes in pieces: it is whole when the next one begins, or at the end. */
struct form {
	bool (*field)(void *user, const char *name, const char *value);
	void *user;
	char name[NAME], value[VALUE + 1];
	size_t len;
	bool any, refused;
};

static bool end_field(struct form *f)
{
	if (f->any && !f->refused) {
		f->value[f->len] = '\0';
		f->refused = strlen(f->value) != f->len || !f->field(f->user, f->name, f->value);
	}
	f->any = false;
	f->len = 0;
	return !f->refused;
}

static enum MHD_Result take(void *user, enum MHD_ValueKind kind, const char *key, const char *file,
			    const char *type, const char *encoding, const char *bytes,
			    uint64_t offset, size_t n)
{
	struct form *f = user;

	(void)kind;
	(void)file;
	(void)type;
	(void)encoding;
	if (offset == 0 && !end_field(f))
		return MHD_NO;
	f->refused |= strlen(key) >= sizeof f->name || n > VALUE - f->len;
	if (f->refused)
		return MHD_NO;
	f->any = true;
	(void)strcpy(f->name, key);
	memcpy(f->value + f->len, bytes, n);
	f->len += n;
	return MHD_YES;
}

bool fl_request_form(const struct fl_http_request *r,
		     bool (*field)(void *user, const char *name, const char *value), void *user)
{
	static const char form[] = MHD_HTTP_POST_ENCODING_FORM_URLENCODED;
	const struct fl_exchange *x = r->private;
	const char *type = fl_request_header(r, "Content-Type");
	struct form f = { .field = field, .user = user };
	struct MHD_PostProcessor *decoder = NULL;
	bool whole;

	if (type && strncasecmp(type, form, sizeof form - 1) == 0)
		decoder = MHD_create_post_processor(x->mhd, DECODER, take, &f);
	if (!decoder)
		return false;
	whole = MHD_post_process(decoder, r->body, r->body_len) == MHD_YES;
	whole &= MHD_destroy_post_processor(decoder) == MHD_YES;
	return end_field(&f) && whole;
}
