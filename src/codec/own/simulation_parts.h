/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulation_parts - what the readers of a Simulation share; private to simulation*.c
 *
 * Each list replaces what was read of it before: so a Simulation is laid over another one
 * field by field (fl_kube_read_over).
 */
#ifndef FL_CODEC_OWN_SIMULATION_PARTS_H
#define FL_CODEC_OWN_SIMULATION_PARTS_H

#include "codec/own/values.h"

/* Each item of the list @v. */
int fl_simulation_each(struct fl_kube *k, uint32_t v,
		       int (*item)(struct fl_kube *k, uint32_t item));

/* simulation_random.c: lengths of time in seconds, or numbers of pods, all at least 1 */
enum fl_simulation_unit { FL_OF_TIME, FL_OF_PODS };
extern const struct fl_field fl_fields_distribution[];
int fl_simulation_distribution(struct fl_kube *k, uint32_t v, enum fl_simulation_unit unit,
			       struct fl_distribution *ret);

/* simulation_source.c */
extern const struct fl_field fl_fields_source[], fl_fields_template[];
fl_field_read fl_simulation_sources, fl_simulation_templates;
/* simulation_class.c */
extern const struct fl_field fl_fields_class[];
fl_field_read fl_simulation_classes;
/* simulation_event.c */
extern const struct fl_field fl_fields_change[], fl_fields_failure[];
fl_field_read fl_simulation_changes, fl_simulation_failures;

#endif
