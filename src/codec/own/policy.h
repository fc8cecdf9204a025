/* SPDX-License-Identifier: Apache-2.0 */
/* policy - the fields of a Policy for KAI's queues (policy_entitle.c); private to policy*.c */
#ifndef FL_CODEC_OWN_POLICY_H
#define FL_CODEC_OWN_POLICY_H

#include "codec/own/values.h"

/* .spec.entitlement and .spec.budgets; row: struct fl_entitle_settings */
extern const struct fl_field fl_fields_entitlement[], fl_fields_budgets[];
fl_field_read fl_policy_read_budgets; /* row: any */

#endif
