/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/prove/proof.h"

#include "ask/prove/face.h"

/* What @kept leaves of so many bytes at most; 0 would be no limit. */
static size_t left_of(size_t bytes, const struct fl_prover *kept)
{
	size_t held = kept ? fl_prover_bytes(kept) : 0;

	return bytes == 0 ? 0 : bytes > held ? bytes - held : 1;
}

/* Once more, with what time will lift lifted one by one, beside what @kept keeps. */
static int lift(const struct fl_policy_ops *ops, struct fl_policy *p, const struct fl_model *m,
		const struct fl_prove_options *options, const struct fl_prover *kept,
		struct fl_prove_result *ret, fairlead_error *err)
{
	struct fl_prove_options each = *options;
	struct fl_prove_result r = { 0 };
	int rc;

	each.lifts = true;
	each.bytes = left_of(options->bytes, kept);
	rc = fl_prove(ops, p, m, &each, &r, err);
	if (rc < 0)
		return rc;
	fl_prove_done(options->mem, &r);
	r.moves = NULL;
	r.n = r.prefix = 0;
	if (ret->loop != FL_LOOP_NONE) {
		if (r.loop != FL_LOOP_FORCED)
			ret->loop = FL_LOOP_POSSIBLE;
		ret->always &= r.always;
	} else if (r.loop != FL_LOOP_NONE) {
		ret->doubt = FL_DOUBT_LIFTED;
	} else {
		*ret = r; /* what was explored so is a part of this */
		ret->lifting = !r.complete;
	}
	return 0;
}

static int judge(const struct fl_policy_ops *ops, struct fl_policy *p, const struct fl_model *m,
		 const struct fl_prove_options *options, const struct fl_prover *kept,
		 struct fl_prove_result *ret, fairlead_error *err)
{
	bool forced = ret->loop == FL_LOOP_FORCED;
	enum fl_doubt doubt = m->settings.eviction_timeout > 0 ? FL_DOUBT_EVICTIONS :
								 fl_prove_face_of(ops)->doubt(m);
	int rc = 0;

	if (doubt == FL_DOUBT_NONE && ret->timed && !ops->lift)
		doubt = FL_DOUBT_TIME;

	if (ret->loop != FL_LOOP_NONE ? !forced : !ret->complete)
		return 0;
	if (ret->timed && ops->lift)
		rc = lift(ops, p, m, options, kept, ret, err);
	if (doubt == FL_DOUBT_NONE || rc < 0)
		return rc;
	if (ret->loop == FL_LOOP_NONE && ret->complete)
		ret->doubt = doubt;
	if (ret->loop == FL_LOOP_FORCED)
		ret->loop = FL_LOOP_POSSIBLE;
	ret->always = false;
	return rc;
}

int fl_proof(const struct fl_policy_ops *ops, struct fl_policy *p, const struct fl_model *m,
	     const struct fl_prove_options *options, struct fl_prover *prover,
	     struct fl_prove_result *ret, fairlead_error *err)
{
	struct fl_prove_result result = { 0 };
	int rc = prover ? fl_prover_run(prover, ops, p, m, options, &result, err) :
			  fl_prove(ops, p, m, options, &result, err);

	if (rc < 0)
		return rc;
	rc = judge(ops, p, m, options, prover, &result, err);
	if (rc < 0)
		fl_prove_done(options->mem, &result);
	else
		*ret = result;
	return rc;
}
