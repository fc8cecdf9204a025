/* SPDX-License-Identifier: Apache-2.0 */
/* entitle - what a proof needs to know of the entitle policy */
#include "ask/prove/face.h"

/* --- time --- */

/* The longest that anything of @m lasts that depends on time. */
static fl_time longest(const struct fl_model *m, fl_time now)
{
	const struct fl_entitle_settings *s = &m->entitle;
	fl_time span = fl_prove_later(s->default_preempt_min_run, s->default_reclaim_min_run);

	(void)now;
	if (s->stale_grace != FL_NEVER)
		span = fl_prove_later(span, s->stale_grace);
	for (uint32_t i = 0; i < m->n_entitlements; i++)
		span = fl_prove_later(span, fl_prove_later(m->entitlements[i].preempt_min_run,
							   m->entitlements[i].reclaim_min_run));
	return fl_prove_later(span, 0);
}

/* --- doubts --- */

static enum fl_doubt doubt(const struct fl_model *m)
{
	bool usage_decides = m->entitle.has_budgets ||
			     (m->entitle.k > 0 && (m->n_samples > 0 || m->n_usages > 0));

	return usage_decides ? FL_DOUBT_USAGE : FL_DOUBT_NONE;
}

/* --- settings that could end a loop --- */

static int lay_protect_quota(struct fl_model *m, struct fl_arena *a, fairlead_error *err)
{
	bool is = m->entitle.protect_quota;

	(void)a;
	(void)err;
	m->entitle.protect_quota = true;
	return is;
}

static int lay_keep_below(struct fl_model *m, struct fl_arena *a, fairlead_error *err)
{
	bool is = m->entitle.keep_below_quota;

	(void)a;
	(void)err;
	m->entitle.keep_below_quota = true;
	return is;
}

static int lay_multiplier(struct fl_model *m, struct fl_arena *a, fairlead_error *err)
{
	bool is = m->entitle.multiplier >= FL_REMEDY_MULTIPLIER_TRIED;

	(void)a;
	(void)err;
	m->entitle.multiplier = FL_REMEDY_MULTIPLIER_TRIED;
	return is;
}

static const struct fl_prove_remedy remedies[] = {
	{ FL_REMEDY_PROTECT_QUOTA, lay_protect_quota },
	{ FL_REMEDY_KEEP_BELOW, lay_keep_below },
	{ FL_REMEDY_MULTIPLIER, lay_multiplier },
};

extern const struct fl_prove_face fl_entitle_proves;
const struct fl_prove_face fl_entitle_proves = {
	.longest = longest,
	.elastic = true,
	.doubt = doubt,
	.remedies = remedies,
	.n_remedies = sizeof remedies / sizeof *remedies,
};
