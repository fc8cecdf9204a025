/* SPDX-License-Identifier: Apache-2.0 */
#include "base/random.h"

#include <math.h>

void fl_distribution_scale(struct fl_distribution *d, double factor)
{
	d->a *= factor;
	d->least *= factor;
	d->most *= factor;         /* may be without bound */
	if (d->kind == FL_UNIFORM) /* b of the others is a ratio or a shape */
		d->b *= factor;
}

static uint64_t rotate(uint64_t v, int by) { return v << by | v >> (64 - by); }

/* One step of splitmix64. */
static uint64_t spread(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* The stream is mixed before it meets the seed: (1, 2) and (2, 1) differ. */
void fl_random_init(struct fl_random *r, uint64_t seed, uint64_t stream)
{
	uint64_t state = seed ^ spread(&stream);

	for (int i = 0; i < 4; i++)
		r->s[i] = spread(&state);
}

/* FNV-1a, 64 bits. */
uint64_t fl_random_stream(const char *name)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return h;
}

uint64_t fl_random_bits(struct fl_random *r)
{
	uint64_t *s = r->s, result = rotate(s[1] * 5, 7) * 9, shifted = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= shifted;
	s[3] = rotate(s[3], 45);
	return result;
}

double fl_random_unit(struct fl_random *r) { return ldexp((double)(fl_random_bits(r) >> 11), -53); }

/* Above 0, up to 1: what a logarithm can take. */
static double positive_unit(struct fl_random *r) { return 1 - fl_random_unit(r); }

/* Marsaglia's polar method; the second number is not kept, so that a draw leaves nothing behind. */
static double normal(struct fl_random *r)
{
	double x, square;

	do {
		double y = 2 * fl_random_unit(r) - 1;

		x = 2 * fl_random_unit(r) - 1;
		square = x * x + y * y;
	} while (square >= 1 || square == 0);
	return x * sqrt(-2 * log(square) / square);
}

static double draw(struct fl_random *r, const struct fl_distribution *d)
{
	switch (d->kind) {
	case FL_CONSTANT:
		break;
	case FL_UNIFORM:
		return d->a + (d->b - d->a) * fl_random_unit(r);
	case FL_EXPONENTIAL:
		return -d->a * log(positive_unit(r));
	case FL_LOGNORMAL: /* the 84th percentile is one deviation above the median */
		return d->a * exp(log(d->b) * normal(r));
	case FL_PARETO:
		return d->a * pow(positive_unit(r), -1 / d->b);
	case FL_WEIBULL:
		return d->a * pow(-log(positive_unit(r)), 1 / d->b);
	}
	return d->a;
}

static double within(double v, double least, double most)
{
	return v < least ? least : v > most ? most : v;
}

double fl_random_draw(struct fl_random *r, const struct fl_distribution *d)
{
	return within(draw(r, d), d->least, d->most);
}

int32_t fl_random_count(struct fl_random *r, const struct fl_distribution *d, int32_t most)
{
	double v;

	if (d->kind == FL_UNIFORM) {
		v = floor(d->a + (d->b - d->a + 1) * fl_random_unit(r));
		v = within(v, d->least, d->most);
	} else {
		v = floor(fl_random_draw(r, d) + 0.5);
	}
	return (int32_t)within(v, 1, most);
}
