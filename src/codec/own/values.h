/* SPDX-License-Identifier: Apache-2.0 */
/* values - types of fields that only documents of ours have; private to src/codec */
#ifndef FL_CODEC_OWN_VALUES_H
#define FL_CODEC_OWN_VALUES_H

#include "codec/object/types.h"

/* Durations, also in days and weeks; and one that is longer than 0. */
#define FL_C_period fl_time
#define FL_C_length fl_time
/* A number above 0. */
#define FL_C_positive double
/* The name of a file, not empty. */
#define FL_C_file struct fl_sym
extern const struct fl_type fl_type_period, fl_type_length, fl_type_positive, fl_type_file;

int fl_own_period(struct fl_kube *k, uint32_t v, fl_time *ret);
int fl_own_length(struct fl_kube *k, uint32_t v, fl_time *ret);
int fl_own_positive(struct fl_kube *k, uint32_t v, double *ret);
int fl_own_file(struct fl_kube *k, uint32_t v, struct fl_sym *ret);
/* A number or a text as a text: "7" of 7. */
int fl_own_name(struct fl_kube *k, uint32_t v, struct fl_sym *ret);

/*
 * The error for a second object of a kind that may exist once: "a second KIND", with the place of
 * the @first.
 */
int fl_own_second(struct fl_kube *k, const char *kind, struct fl_place first);

#define FL_PERIOD_SCHEMA                                                                           \
	"\"oneOf\": [{ \"type\": \"string\", \"pattern\": "                                        \
	"\"^([0-9]*\\\\.?[0-9]*(ns|us|\\u00b5s|\\u03bcs|ms|s|m|h|d|w))+$|^0$\" }, { \"const\": 0 }]"
#define FL_OBJECT_NAME_SCHEMA "\"type\": \"string\", \"minLength\": 1, \"maxLength\": 253"
#define FL_NOT_EMPTY_SCHEMA "\"type\": \"string\", \"minLength\": 1"

#endif
