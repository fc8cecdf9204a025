/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/credentials.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/limits.h"
#include "kube/config_file.h"
#include "kube/credentials_kept.h"

enum { MINUTE = 60 * 1000 }; /* ms */

static int take_token(struct fl_kube_kept *kept, const char *path, char *text, size_t len,
		      fairlead_error *err)
{
	while (len > 0 && strchr(" \t\r\n", text[len - 1]))
		len--;
	if (!fl_kube_is_token(text, len)) {
		fl_fail(err, FAIRLEAD_EINPUT, "has no token");
		if (err)
			(void)snprintf(err->file, sizeof err->file, "%s", path);
		return FAIRLEAD_EINPUT;
	}
	if (kept->token && strlen(kept->token) == len && memcmp(kept->token, text, len) == 0)
		return 0;
	fl_arena_reset(&kept->arena);
	kept->token = fl_kube_copy(&kept->arena, text, len, err);
	kept->generation++;
	return kept->token ? 0 : FAIRLEAD_ENOMEM;
}

/* What was read before goes on when it cannot be read now; then what stands beside it. */
static int read_token(struct fl_kube_config *c, unsigned refused, fairlead_error *err)
{
	struct fl_kube_kept *kept = c->kept;
	uint64_t now = (uint64_t)fl_kube_ms(CLOCK_MONOTONIC);
	struct fl_arena scratch;
	fairlead_error failed = { 0 };
	char *text;
	size_t len;

	if (kept->token && refused != kept->generation && now - kept->due < MINUTE)
		return 0;
	fl_arena_init(&scratch, &fl_mem_heap);
	int rc = fl_kube_file_bytes(c->token_file, FL_MAX_TOKEN, &scratch, &text, &len, &failed);
	if (rc == 0)
		rc = take_token(kept, c->token_file, text, len, &failed);
	fl_arena_done(&scratch);
	if (rc < 0 && !kept->token && !c->token) {
		*err = failed;
		return rc;
	}
	kept->due = now;
	if (!kept->generation)
		kept->generation = 1;
	return 0;
}

int fl_kube_credentials(struct fl_kube_config *c, unsigned refused, struct fl_kube_credentials *ret,
			fairlead_error *err)
{
	struct fl_kube_kept *kept = c->kept;
	int rc = 0;

	if (c->exec && (!kept->generation || kept->generation == refused ||
			(uint64_t)fl_kube_ms(CLOCK_MONOTONIC) >= kept->due))
		return FL_KUBE_RUN_PLUGIN;
	if (c->token_file)
		rc = read_token(c, refused, err);
	if (rc < 0)
		return rc;
	*ret = (struct fl_kube_credentials){
		.generation = kept->generation ? kept->generation : 1,
		.token = kept->token ? kept->token : c->token,
		.user = c->user,
		.password = c->password,
		.certificate = c->certificate,
		.key = c->key,
	};
	if (kept->certificate.bytes) {
		ret->certificate = kept->certificate;
		ret->key = kept->key;
	}
	return 0;
}
