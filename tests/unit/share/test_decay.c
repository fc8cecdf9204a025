/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "share/decay.h"

struct wide {
	uint64_t high, low;
};

static fl_nanos nanos(struct wide w) { return (fl_nanos)w.high << 64 | (fl_nanos)w.low; }

/* Random amounts and factors; the products were made with 80-digit decimals and cut. */
static const struct {
	struct wide amount;
	double factor;
	struct wide product;
} rows[] = {
	{ { UINT64_C(0), UINT64_C(5) }, 1.0, { UINT64_C(0), UINT64_C(5) } },
	{ { UINT64_C(0), UINT64_C(13955769177) },
	  0.13876741839890316,
	  { UINT64_C(0), UINT64_C(1936606060) } },
	{ { UINT64_C(170), UINT64_C(16093082754760413529) },
	  0.5,
	  { UINT64_C(85), UINT64_C(8046541377380206764) } },
	{ { UINT64_C(0), UINT64_C(182170637201) }, 0.5, { UINT64_C(0), UINT64_C(91085318600) } },
	{ { UINT64_C(0), UINT64_C(338522957466) }, 0.5, { UINT64_C(0), UINT64_C(169261478733) } },
	{ { UINT64_C(0), UINT64_C(446010367290) },
	  0.03814662662724255,
	  { UINT64_C(0), UINT64_C(17013790952) } },
	{ { UINT64_C(0), UINT64_C(0) }, 1.0, { UINT64_C(0), UINT64_C(0) } },
	{ { UINT64_C(41936378), UINT64_C(1698453461018775374) },
	  6.268057685261074e-10,
	  { UINT64_C(0), UINT64_C(484890445090025599) } },
	{ { UINT64_C(0), UINT64_C(9) }, 0.1, { UINT64_C(0), UINT64_C(0) } },
	{ { UINT64_C(33), UINT64_C(11775006403331327306) },
	  9.497985626218988e-10,
	  { UINT64_C(0), UINT64_C(589366687363) } },
	{ { UINT64_C(0), UINT64_C(0) }, 1.0, { UINT64_C(0), UINT64_C(0) } },
	{ { UINT64_C(64295989), UINT64_C(5860572209549989719) },
	  1.0,
	  { UINT64_C(64295989), UINT64_C(5860572209549989719) } },
	{ { UINT64_C(0), UINT64_C(1) }, 0.5, { UINT64_C(0), UINT64_C(0) } },
	{ { UINT64_C(41030236), UINT64_C(14012861395017210221) },
	  7.69747473157619e-10,
	  { UINT64_C(0), UINT64_C(582602062056152713) } },
	{ { 0, 1 }, 0.5, { 0, 0 } },
	{ { 0, 3 }, 0.5, { 0, 1 } },
	{ { 0, 0 }, 0.25, { 0, 0 } },
	{ { 0, 1000000000 }, 0, { 0, 0 } },
};

static void products_are_exact_and_cut(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_true(fl_decay_scale(nanos(rows[i].amount), rows[i].factor) ==
			    nanos(rows[i].product));
		/* Towards zero on both sides. */
		assert_true(fl_decay_scale(-nanos(rows[i].amount), rows[i].factor) ==
			    -nanos(rows[i].product));
	}
}

static void half_is_forgotten_every_half_life(void **unused)
{
	(void)unused;
	assert_true(fl_decay_alpha(3600 * FL_SECOND, 3600 * FL_SECOND) == 0.5);
	assert_true(fl_decay_alpha(7200 * FL_SECOND, 3600 * FL_SECOND) == 0.75);
	assert_true(fl_decay_alpha(0, 3600 * FL_SECOND) == 0);
	assert_true(fl_decay_alpha(3600 * FL_SECOND, 0) == 0);
	assert_true(fabs(fl_decay_alpha(60 * FL_SECOND, 3600 * FL_SECOND) - 0.0114863) < 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(products_are_exact_and_cut),
		cmocka_unit_test(half_is_forgotten_every_half_life),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
