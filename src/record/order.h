/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order - in which order the two streams of a task came: the numbers in a file beside them
 *
 * One number for each change from one stream to the other: up to which byte the first of them
 * belongs before what follows.  It is written before the first byte of the other one, so what no
 * number tells yet is of one stream alone.  Numbers of a stream rise; one that does not, or is
 * beyond the end of its stream, was not written as it is read, and is not to be believed, nor is
 * any behind it.
 */
#ifndef FL_RECORD_ORDER_H
#define FL_RECORD_ORDER_H

#include <stdint.h>

enum { FL_ORDER_BYTES = 1 << 20 /* of the file, at most */ };

/* @stream: 0: standard output, 1: standard error; @end: bytes of it. */
static inline uint64_t fl_order_piece(unsigned stream, uint64_t end) { return end << 1 | stream; }
static inline unsigned fl_order_stream(uint64_t piece) { return (unsigned)(piece & 1); }
static inline uint64_t fl_order_end(uint64_t piece) { return piece >> 1; }

#endif
