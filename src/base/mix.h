/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mix - 128 bits that stand for all that was mixed into them, in its order
 *
 * For telling states apart; not against an attacker, as two that look alike can be made.
 */
#ifndef FL_BASE_MIX_H
#define FL_BASE_MIX_H

#include <stdint.h>

/* Two multiply-and-rotate lanes: fast, and good enough to tell states apart. */
static inline void fl_mix(uint64_t h[2], uint64_t v)
{
	h[0] = (h[0] ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	h[0] = h[0] << 31 | h[0] >> 33;
	h[1] = (h[1] + v + UINT64_C(0x7f4a7c15)) * UINT64_C(0xc2b2ae3d27d4eb4f);
	h[1] = (h[1] << 27 | h[1] >> 37) ^ h[0];
}

#endif
