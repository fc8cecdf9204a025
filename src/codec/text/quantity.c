/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/text/quantity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The parts of a quantity: digits (point removed) * 2^binary * 10^decimal. */
struct parts {
	const char *digits; /* with the point, if any */
	size_t n;           /* bytes at digits */
	uint32_t fraction;  /* digits behind the point */
	int binary;
	int64_t decimal; /* from the suffix or exponent alone */
	bool negative;
};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Beyond this the result is the same: too large, or the least amount above 0. */
enum { EXPONENT_CAP = 1000000 };

static bool parse_exponent(const char *text, size_t len, int64_t *ret)
{
	bool negative = len && text[0] == '-';
	int64_t value = 0;

	if (len && (text[0] == '-' || text[0] == '+')) {
		text++;
		len--;
	}
	for (size_t i = 0; i < len; i++) {
		if (!is_digit(text[i]))
			return false;
		if (value < EXPONENT_CAP)
			value = value * 10 + (text[i] - '0');
	}
	*ret = negative ? -value : value;
	return len > 0;
}

static bool parse_suffix(const char *text, size_t len, struct parts *p)
{
	static const char decimal[] =
		"numkMGTPE"; /* n is 10^-9, three more each, with 10^0 after m */
	static const char binary[] = "KMGTPE";
	const char *at;

	if (len == 0)
		return true;
	if (len > 1 && (text[0] == 'e' || text[0] == 'E') && text[1] != 'i')
		return parse_exponent(text + 1, len - 1, &p->decimal);
	at = text[0] ? strchr(len == 2 ? binary : decimal, text[0]) : NULL;
	if (!at || len > 2 || (len == 2 && text[1] != 'i'))
		return false;
	if (len == 2)
		p->binary = 10 * (int)(at - binary + 1);
	else
		p->decimal = 3 * (at - decimal) - (at - decimal < 3 ? 9 : 6);
	return true;
}

static bool take_apart(const char *text, size_t len, struct parts *p)
{
	size_t i = 0, digits = 0;
	bool point = false;

	*p = (struct parts){ 0 };
	if (len && (text[0] == '+' || text[0] == '-')) {
		p->negative = text[0] == '-';
		i++;
	}
	p->digits = text + i;
	for (; i < len && (is_digit(text[i]) || (text[i] == '.' && !point)); i++) {
		if (text[i] == '.')
			point = true;
		else
			digits++;
		p->fraction += point && text[i] != '.';
	}
	p->n = (size_t)(text + i - p->digits);
	return digits > 0 && parse_suffix(text + i, len - i, p);
}

__extension__ typedef unsigned __int128 wide;

/* An amount that is computed from its lowest digit up. */
struct sum {
	wide value, weight; /* weight 0: above 10^36, so any digit is too much */
	int64_t exponent;   /* of the next digit; below 0 it is rounded away */
	bool inexact, overflow;
};

static void next_weight(struct sum *s)
{
	const wide most = (wide)UINT64_C(1000000000000000000) * UINT64_C(1000000000000000000);

	s->weight = s->weight >= most ? 0 : s->weight * 10;
}

static void put_digit(struct sum *s, unsigned digit)
{
	if (s->exponent < 0) {
		s->inexact |= digit != 0;
	} else if (digit) {
		wide add;

		if (s->weight == 0 || __builtin_mul_overflow(s->weight, digit, &add) ||
		    __builtin_add_overflow(s->value, add, &s->value))
			s->overflow = true;
	}
	if (s->exponent++ >= 0)
		next_weight(s);
}

/* |value| in units of 10^-decimals, away from zero; @most when it is more. */
static wide magnitude(const struct parts *p, int decimals, wide most)
{
	struct sum s = { .weight = 1, .exponent = p->decimal + decimals - (int64_t)p->fraction };
	uint64_t carry = 0; /* at most 2^60, so a digit * 2^60 more still fits */

	for (int64_t e = 0; e < s.exponent && s.weight; e++)
		next_weight(&s);
	for (size_t i = p->n; i-- > 0;) {
		if (p->digits[i] == '.')
			continue;
		carry += (uint64_t)(p->digits[i] - '0') << p->binary;
		put_digit(&s, (unsigned)(carry % 10));
		carry /= 10;
	}
	for (; carry; carry /= 10)
		put_digit(&s, (unsigned)(carry % 10));
	return s.overflow || s.value >= most ? most : s.value + s.inexact;
}

/* The unit that "4GB", "4 gb" or "4GIB" means, as it is to be written; '\0': it is no such slip. */
static char meant_unit(const char *text, size_t len, size_t *ret_digits)
{
	static const char any[] = "kKmMgGtTpPeE", written[] = "kkMMGGTTPPEE";
	size_t i = 0;
	const char *unit;

	while (i < len && (is_digit(text[i]) || text[i] == '.'))
		i++;
	*ret_digits = i;
	if (i < len && text[i] == ' ')
		i++;
	unit = *ret_digits > 0 && i < len ? strchr(any, text[i]) : NULL;
	if (!unit || *ret_digits > 20)
		return '\0';
	i++;
	if (i < len && (text[i] == 'i' || text[i] == 'I'))
		i++;
	if (i < len && (text[i] == 'b' || text[i] == 'B'))
		i++;
	return i == len ? written[unit - any] : '\0';
}

static int bad(const char *text, size_t len, fairlead_error *err)
{
	int shown = len < 60 ? (int)len : 60;
	size_t digits;
	char unit = meant_unit(text, len, &digits);

	fl_fail(err, FAIRLEAD_EINPUT, "'%.*s%s' is not a quantity", shown, text,
		len > 60 ? "..." : "");
	if (unit)
		fl_fail_hint(err, "write %.*s%c for powers of 1000, %.*s%ci for powers of 1024",
			     (int)digits, text, unit, (int)digits, text, unit == 'k' ? 'K' : unit);
	else
		fl_fail_hint(err,
			     "write a number with an optional suffix, such as 500m, 1.5Gi or 1e3");
	return FAIRLEAD_EINPUT;
}

static int below_zero(const char *text, size_t len, fairlead_error *err)
{
	int shown = len < 60 ? (int)len : 60;

	return fl_fail(err, FAIRLEAD_EINPUT, "the quantity '%.*s%s' is negative", shown, text,
		       len > 60 ? "..." : "");
}

/*
 * A result that does not fit 64 bits means unlimited ("1E" of cpu, "16Ei").  But digits alone
 * beyond 2^63, or any amount beyond 2^70, are taken for a typing error.
 */
static bool overflows(const struct parts *p)
{
	bool plain = p->decimal == 0 && p->binary == 0;
	wide most = plain ? (wide)INT64_MAX : (wide)1 << 70;

	return magnitude(p, /* decimals= */ 0, most + 1) > most;
}

static int overflow(const char *text, size_t len, fairlead_error *err)
{
	int shown = len < 60 ? (int)len : 60;

	(void)fl_fail(err, FAIRLEAD_EINPUT, "the quantity '%.*s%s' overflows", shown, text,
		      len > 60 ? "..." : "");
	(void)fl_fail_hint(err, "for no limit leave the limit out, or write 1E");
	return FAIRLEAD_EINPUT;
}

int fl_quantity_parse(const char *text, size_t len, int decimals, bool negative, fl_amount *ret,
		      fairlead_error *err)
{
	struct parts p;
	int64_t value;

	if (!take_apart(text, len, &p))
		return bad(text, len, err);
	value = (int64_t)magnitude(&p, decimals, INT64_MAX);
	if (p.negative && value && !negative)
		return below_zero(text, len, err);
	if (value == INT64_MAX && overflows(&p))
		return overflow(text, len, err);
	*ret = p.negative ? -value : value;
	return 0;
}

int fl_quantity_parse_nanos(const char *text, size_t len, fl_nanos *ret, fairlead_error *err)
{
	struct parts p;
	wide value;

	if (!take_apart(text, len, &p))
		return bad(text, len, err);
	value = magnitude(&p, /* decimals= */ 9, (wide)1 << 100);
	if (p.negative && value)
		return below_zero(text, len, err);
	*ret = (fl_nanos)value;
	return 0;
}

/* Up to 40 digits and an exponent: without a decimal point, so that the locale has no effect. */
static double nearest(const struct parts *p)
{
	char decimal[80];
	int64_t exponent = p->decimal - (int64_t)p->fraction;
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		if (p->digits[i] == '.' || (n == 0 && p->digits[i] == '0'))
			continue;
		if (n < 40)
			decimal[n++] = p->digits[i];
		else
			exponent++;
	}
	if (n == 0)
		decimal[n++] = '0';
	(void)snprintf(decimal + n, sizeof decimal - n, "e%lld", (long long)exponent);
	return strtod(decimal, NULL) * (double)(INT64_C(1) << p->binary);
}

int fl_number_parse(const char *text, size_t len, double *ret, fairlead_error *err)
{
	struct parts p;
	double value;

	/* A suffix ends in a letter, a number does not. */
	if (!take_apart(text, len, &p) || !(is_digit(text[len - 1]) || text[len - 1] == '.'))
		return fl_fail(err, FAIRLEAD_EINPUT, "'%.*s' is not a number",
			       len < 60 ? (int)len : 60, text);
	value = nearest(&p);
	*ret = p.negative ? -value : value;
	return 0;
}

/*
 * Kubernetes keeps the digits as one integer and multiplies its double by the
 * double nearest to the power of ten: two roundings ("0.3" is 3 * 0.1).  The
 * same is done here wherever it takes that path: 18 digits, down to 10^-9.
 */
int fl_quantity_parse_double(const char *text, size_t len, double *ret, fairlead_error *err)
{
	static const double powers[] = { 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0,
					 1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10,
					 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18 };
	struct parts p;
	int64_t units = 0, exponent;
	size_t n = 0;
	double value;

	if (!take_apart(text, len, &p))
		return bad(text, len, err);
	for (size_t i = 0; i < p.n; i++) {
		if (p.digits[i] == '.' || (n == 0 && p.digits[i] == '0'))
			continue;
		if (++n <= 18)
			units = units * 10 + (p.digits[i] - '0');
	}
	exponent = p.decimal - (int64_t)p.fraction;
	if (n <= 18 && exponent >= -9 && exponent <= 18) {
		value = (double)units * (double)(INT64_C(1) << p.binary);
		value = exponent == 0 ? value : value * powers[exponent + 9];
	} else {
		value = nearest(&p);
	}
	if (p.negative && value != 0)
		return below_zero(text, len, err);
	*ret = value;
	return 0;
}

/* How often @amount can be divided by @base, at most six times; *ret: what is left. */
static unsigned divide(fl_amount amount, fl_amount base, fl_amount *ret)
{
	unsigned step = 0;

	for (; amount && amount % base == 0 && step < 6; step++)
		amount /= base;
	*ret = amount;
	return step;
}

const char *fl_quantity_format(char buffer[32], fl_amount amount, bool cpu, bool binary)
{
	static const char *const decimals[] = { "", "k", "M", "G", "T", "P", "E" };
	static const char *const binaries[] = { "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei" };
	char other[32];
	fl_amount left;
	unsigned step;

	if (amount == FL_UNLIMITED) {
		(void)snprintf(buffer, 32, "unlimited");
		return buffer;
	}
	if (cpu && amount % 1000) {
		(void)snprintf(buffer, 32, "%lldm", (long long)amount);
		return buffer;
	}
	step = divide(cpu ? amount / 1000 : amount, 1000, &left);
	int digits = snprintf(buffer, 32, "%lld", (long long)left);
	(void)snprintf(buffer + digits, 32 - (size_t)digits, "%s", decimals[step]);
	if (cpu || !binary)
		return buffer;
	step = divide(amount, 1024, &left);
	if (snprintf(other, sizeof other, "%lld", (long long)left) <= digits)
		(void)snprintf(buffer, 32, "%s%s", other, binaries[step]);
	return buffer;
}
