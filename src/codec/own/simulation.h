/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulation - lists of a Simulation, each in a file of its own; private to simulation*.c
 *
 * Each list replaces the list that was read before: so a Simulation is laid over another one field
 * by field (fl_kube_read_over).
 */
#ifndef FL_CODEC_OWN_SIMULATION_H
#define FL_CODEC_OWN_SIMULATION_H

#include "codec/own/values.h"

/* simulation_random.c: durations in seconds, or numbers of pods, all at least 1 */
#define FL_C_random_time struct fl_distribution
#define FL_C_random_pods struct fl_distribution
extern const struct fl_type fl_type_random_time, fl_type_random_pods;
extern const struct fl_field fl_fields_random_span[], fl_fields_random_pods[];

/* simulation_source.c */
extern const struct fl_field fl_fields_source[], fl_fields_template[];
fl_field_read fl_simulation_source, fl_simulation_template;
/* simulation_class.c */
extern const struct fl_field fl_fields_class[];
fl_field_read fl_simulation_class;
/* simulation_event.c */
extern const struct fl_field fl_fields_change[], fl_fields_failure[];
fl_field_read fl_simulation_change, fl_simulation_failure;

#endif
