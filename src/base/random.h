/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random - numbers that look random and are the same in every run
 *
 * xoshiro256** (Blackman and Vigna), its state spread from seed and stream by splitmix64.
 * Each user has a stream of its own, so that drawing more from one does not change another.
 *
 * Bits, units and the uniform distribution are the same on every machine.  The others go
 * through log, exp and pow of the C library, which differ in the last bit between libraries:
 * the same on machines with the same one.
 *
 * Not against an attacker: the next number can be guessed.
 */
#ifndef FL_BASE_RANDOM_H
#define FL_BASE_RANDOM_H

#include <stdint.h>

/* A random duration or size. */
enum fl_distribution_kind {
	FL_CONSTANT,    /* a */
	FL_UNIFORM,     /* from a to b */
	FL_EXPONENTIAL, /* mean a */
	FL_LOGNORMAL,   /* median a, and b: the 84th percentile over the median */
	FL_PARETO,      /* least a, exponent b */
	FL_WEIBULL,     /* scale a, shape b */
};
struct fl_distribution {
	enum fl_distribution_kind kind;
	double a, b;        /* times in seconds */
	double least, most; /* cut off there; 0, INFINITY */
};

/* All that is drawn, and its bounds, times @factor (above 0). */
void fl_distribution_scale(struct fl_distribution *d, double factor);

struct fl_random {
	uint64_t s[4];
};

/* Streams of one seed are independent of each other. */
void fl_random_init(struct fl_random *r, uint64_t seed, uint64_t stream);

/* The stream that belongs to a name. */
uint64_t fl_random_stream(const char *name);

/* Of 64 bits each, then from 0 to below 1 in steps of 2^-53. */
uint64_t fl_random_bits(struct fl_random *r);
double fl_random_unit(struct fl_random *r);

/* What falls outside [least, most] becomes the nearer of them. Never NaN for sensible a and b. */
double fl_random_draw(struct fl_random *r, const struct fl_distribution *d);

/*
 * A whole number, at least 1 and at most @most: uniform ones are as likely each, a and b
 * among them; others are rounded to the nearest.
 */
int32_t fl_random_count(struct fl_random *r, const struct fl_distribution *d, int32_t most);

#endif
