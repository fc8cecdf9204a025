/* SPDX-License-Identifier: Apache-2.0 */
#include "report/out/spark.h"

#include <math.h>
#include <string.h>

/* Of the numbers in [from, to), which need not be whole. */
static double mean(const double *values, double from, double to)
{
	double sum = 0;

	for (uint32_t i = (uint32_t)from; (double)i < to; i++) {
		double left = (double)i > from ? (double)i : from;
		double right = (double)i + 1 < to ? (double)i + 1 : to;

		if (isfinite(values[i]))
			sum += values[i] * (right - left);
	}
	return sum / (to - from);
}

const char *fl_spark(const double *values, uint32_t n, double top, unsigned columns, bool ascii,
		     char buffer[3 * FL_SPARK + 1])
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const letters[] = { " ", ".", ":", "-", "=", "+", "*", "#", "@" };
	char *at = buffer;

	if (columns > n)
		columns = n;
	for (unsigned c = 0; c < columns; c++) {
		double part = mean(values, (double)n * c / columns, (double)n * (c + 1) / columns);
		double level = part > 0 ? ceil(8 * part / top) : 0;

		at = stpcpy(at, (ascii ? letters : blocks)[level > 8 ? 8 : (int)level]);
	}
	*at = '\0';
	return buffer;
}
