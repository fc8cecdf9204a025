/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spark - a row of numbers as a line of small bars
 */
#ifndef FL_REPORT_OUT_SPARK_H
#define FL_REPORT_OUT_SPARK_H

#include <stdbool.h>
#include <stdint.h>

enum { FL_SPARK = 64 }; /* characters at most */

/*
 * @n numbers in @columns bars (fewer when there are fewer numbers), each the mean of its part;
 * @top, which is above 0, is a full bar.  Nothing is a blank, and only nothing.  What is not
 * finite counts as nothing.  With @ascii one byte a bar.
 */
const char *fl_spark(const double *values, uint32_t n, double top, unsigned columns, bool ascii,
		     char buffer[3 * FL_SPARK + 1]);

#endif
