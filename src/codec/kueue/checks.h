/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checks - the admission checks of a ClusterQueue, and whether fairlead has taken them over
 *
 * Those of spec.admissionChecksStrategy; spec.admissionChecks, which v1beta1 has, is one of undecided.def.
 * Cannot: tell what the AdmissionCheck of a name is.
 * Tested in tests/unit/codec/test_checks.c.
 */
#ifndef FL_CODEC_KUEUE_CHECKS_H
#define FL_CODEC_KUEUE_CHECKS_H

#include "codec/text/doc.h"
#include "model/model.h"

/* Of the ClusterQueue in @doc. */
enum fl_checks fl_checks_read(const struct fl_doc *doc);
/*
 * The next name behind @after (0: the first one) that is not that of fairlead's own, NULL behind the last one;
 * @ret_at for the next call.
 */
const char *fl_checks_next(const struct fl_doc *doc, uint32_t after, uint32_t *ret_at);

#endif
