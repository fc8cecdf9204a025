/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kai_world - a recorded cluster as a model: nodes, queues, jobs
 *
 * All jobs are in the namespace "ns"; tasks are named as the recorder did, JOB-NUMBER.
 */
#ifndef CONFORMANCE_KAI_WORLD_H
#define CONFORMANCE_KAI_WORLD_H

#include "codec/text/doc.h"
#include "model/model.h"

/*
 * Sealed, with the settings that all cases have in common and the arguments of this one;
 * jobs that run began before @now.  The caller frees it.
 */
int kai_model(const struct fl_doc *d, fl_time now, struct fl_model **ret,
	      fairlead_error *err) FL_MUST_CHECK;

/* Before seal, for who has more to say; kai_model is this, then seal. */
int kai_model_unsealed(const struct fl_doc *d, fl_time now, struct fl_model **ret,
		       fairlead_error *err) FL_MUST_CHECK;

#endif
