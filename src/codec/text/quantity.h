/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quantity - Kubernetes quantities, exactly
 *
 * Forms: [+-]digits[.digits][suffix], suffix one of n u m (none) k M G T P E,
 * Ki Mi Gi Ti Pi Ei, or e/E and a signed exponent.  Values round up (away from
 * zero), as the API server canonicalises and the scheduler reads them.
 */
#ifndef FL_CODEC_TEXT_QUANTITY_H
#define FL_CODEC_TEXT_QUANTITY_H

#include <stddef.h>

#include "base/amount.h"
#include "base/error.h"

/*
 * Amount in units of 10^-@decimals (3 for cpu, 0 for all else), rounded up.  FAIRLEAD_EINPUT on bad
 * syntax, or on a negative value unless @negative.  Too large for int64: INT64_MAX (a quota is then
 * unlimited, a request saturates); but FAIRLEAD_EINPUT for digits alone beyond 2^63, and for any
 * amount beyond 2^70.
 */
int fl_quantity_parse(const char *text, size_t len, int decimals, bool negative, fl_amount *ret,
		      fairlead_error *err);

/* As a double, for weights: the nearest to Kubernetes' approximate conversion ("500m" is 0.5). */
int fl_quantity_parse_double(const char *text, size_t len, double *ret, fairlead_error *err);

/* Amount in units of 10^-9, rounded up; capped at 2^100. Negative is refused. */
int fl_quantity_parse_nanos(const char *text, size_t len, fl_nanos *ret, fairlead_error *err);

/* A plain number of JSON or YAML, to the nearest double, whatever the locale. */
int fl_number_parse(const char *text, size_t len, double *ret, fairlead_error *err);

/*
 * Exact canonical text: "1500m", "8Gi", "3".  @cpu: the amount is in milli-units.  @binary: in powers
 * of two, unless those of ten take fewer digits: "4G", as it was written, and not "3906250Ki".
 */
const char *fl_quantity_format(char buffer[32], fl_amount amount, bool cpu, bool binary);

#endif
