/* SPDX-License-Identifier: Apache-2.0 */
#include "mirror/essence.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mix.h"

static void mix_bytes(uint64_t h[2], const void *bytes, size_t n)
{
	fl_mix(h, n);
	fl_mix(h, fl_shared_hash(bytes, (uint32_t)n));
}

void fl_mirror_essence_of(const struct fl_mirror_object *o, uint64_t ret[2])
{
	ret[0] = o->n_own;
	ret[1] = o->fate;
	mix_bytes(ret, o->text, 3U + o->n_namespace + o->n_name + o->n_uid + o->n_own);
	fl_mix(ret, o->pods ? o->pods->hash : 0);
	fl_mix(ret, o->held ? o->held->hash : 0);
}

uint64_t fl_mirror_form(void)
{
	uint64_t h[2] = { FL_MIRROR_FORM, 0 };

	mix_bytes(h, FAIRLEAD_VERSION, sizeof FAIRLEAD_VERSION);
	for (enum fl_mirror_kind k = 0; k < FL_MIRROR_KINDS; k++) {
		const struct fl_mirror_kind_row *row = fl_mirror_kind(k);
		const char *const texts[] = { row->group, row->versions, row->name, row->plural,
					      row->keep };

		fl_mix(h, (uint64_t)row->use);
		for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
			mix_bytes(h, texts[i], strlen(texts[i]));
	}
	return h[0];
}

const char *fl_mirror_essence_text(const struct fl_mirror_object *o, char ret[FL_MIRROR_DIGEST])
{
	uint64_t h[2];

	fl_mirror_essence_of(o, h);
	(void)snprintf(ret, FL_MIRROR_DIGEST, "%016" PRIx64 "%016" PRIx64, h[0], h[1]);
	return ret;
}

const char *fl_mirror_form_text(char ret[FL_MIRROR_DIGEST])
{
	(void)snprintf(ret, FL_MIRROR_DIGEST, "%016" PRIx64, fl_mirror_form());
	return ret;
}
