/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proof - is it one, where time decides too?
 *
 * An exploration (prove.h) waits until all is over that time ends, or does not wait.  A loop found
 * so is one in fact.  That there is none is no proof yet where time may lift one refusal
 * before another: then all is explored once more, each lifted alone, in every order, which is more
 * than any clock can do.  No loop there is a proof.  If there is one, or the policy cannot lift one
 * alone, or decides by what was used over time, the result says why there is no proof.
 */
#ifndef FL_ASK_PROVE_PROOF_H
#define FL_ASK_PROVE_PROOF_H

#include "ask/prove/prove.h"

/*
 * As fl_prover_run with a new one, and judged; with @prover (NULL allowed) what was explored before
 * counts and is kept, in a part of the bytes that @options allow.  A loop is forced only if it is in
 * every order in which time may lift what it does.  0, an error of the policy, or FAIRLEAD_ENOMEM.
 */
int fl_proof(const struct fl_policy_ops *ops, struct fl_policy *p, const struct fl_model *m,
	     const struct fl_prove_options *options, struct fl_prover *prover,
	     struct fl_prove_result *ret, fairlead_error *err);

/* Is it a proof that there is no loop? */
static inline bool fl_proof_is_one(const struct fl_prove_result *r)
{
	return r->loop == FL_LOOP_NONE && r->complete && r->doubt == FL_DOUBT_NONE;
}

#endif
