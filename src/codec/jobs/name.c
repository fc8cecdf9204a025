/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/jobs/name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "codec/jobs/object/digest.h"

enum { NAME_DIGITS = 5 };

static void add(struct fl_digest *d, const char *text, size_t len) { fl_digest_add(d, text, len); }

static void add_line(struct fl_digest *d, const char *text)
{
	add(d, "\n", 1);
	add(d, text, strlen(text));
}

static void hash(const struct fl_job_owner *owner, char ret[FL_DIGEST_HEX])
{
	const char *slash = strchr(owner->api_version, '/');
	struct fl_digest d;
	char generation[24];

	fl_digest_begin(&d, FL_SHA1);
	add(&d, owner->kind, strlen(owner->kind));
	add(&d, "\n", 1);
	if (slash) /* the core group has no name */
		add(&d, owner->api_version, (size_t)(slash - owner->api_version));
	add_line(&d, owner->name);
	add_line(&d, owner->uid);
	if (owner->elastic) {
		snprintf(generation, sizeof(generation), "%" PRId64, owner->generation);
		add_line(&d, generation);
	}
	fl_digest_hex(&d, ret);
}

void fl_job_workload_name(const struct fl_job_owner *owner, uint32_t limit, char ret[FL_JOB_NAME])
{
	char digits[FL_DIGEST_HEX];
	uint32_t n = 0;

	hash(owner, digits);
	for (const char *p = owner->kind; *p && n < limit; p++)
		ret[n++] = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;
	if (n < limit)
		ret[n++] = '-';
	for (const char *p = owner->name; *p && n < limit; p++)
		ret[n++] = *p;
	/* A dash or dot where it was cut stays. */
	ret[n++] = '-';
	memcpy(ret + n, digits, NAME_DIGITS);
	ret[n + NAME_DIGITS] = '\0';
}
