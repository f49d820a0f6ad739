/*
 * Integers as sign and magnitude, so that −2^63 … 2^64−1 is one range: counters
 * of the kernel are unsigned, limits are signed, and neither may be rounded.
 */
#include <math.h>

#include "rule/value.h"

#define TWO_63 9223372036854775808.0
#define TWO_64 18446744073709551616.0

bool ta_int_make(uint64_t mag, bool negative, struct ta_int *ret)
{
	if (negative && mag > UINT64_C(1) << 63)
		return false;
	*ret = (struct ta_int){mag, negative && mag};
	return true;
}

bool ta_int_add(struct ta_int a, struct ta_int b, struct ta_int *ret)
{
	uint64_t sum;

	if (a.negative == b.negative)
		return !__builtin_add_overflow(a.mag, b.mag, &sum) && ta_int_make(sum, a.negative, ret);
	if (a.mag >= b.mag)
		return ta_int_make(a.mag - b.mag, a.negative, ret);
	return ta_int_make(b.mag - a.mag, b.negative, ret);
}

bool ta_int_sub(struct ta_int a, struct ta_int b, struct ta_int *ret)
{
	b.negative = !b.negative && b.mag;
	return ta_int_add(a, b, ret);
}

bool ta_int_mul(struct ta_int a, struct ta_int b, struct ta_int *ret)
{
	uint64_t product;

	return !__builtin_mul_overflow(a.mag, b.mag, &product) && ta_int_make(product, a.negative != b.negative, ret);
}

bool ta_int_mod(struct ta_int a, struct ta_int b, struct ta_int *ret)
{
	return b.mag && ta_int_make(a.mag % b.mag, a.negative, ret);
}

bool ta_int_from_real(double r, struct ta_int *ret)
{
	if (!isfinite(r) || r != trunc(r) || r >= TWO_64 || r < -TWO_63)
		return false;
	return ta_int_make((uint64_t)fabs(r), r < 0, ret);
}

int ta_int_cmp(struct ta_int a, struct ta_int b)
{
	if (a.negative != b.negative)
		return a.negative ? -1 : 1;
	if (a.mag == b.mag)
		return 0;
	return (a.mag < b.mag) != a.negative ? -1 : 1;
}

int ta_int_cmp_real(struct ta_int a, double b)
{
	struct ta_int whole;
	int c;

	if (b >= TWO_64)
		return -1;
	if (b < -TWO_63)
		return 1;
	ta_int_from_real(trunc(b), &whole);
	c = ta_int_cmp(a, whole);
	if (c || b == trunc(b))
		return c;
	return b > trunc(b) ? -1 : 1;
}

double ta_int_real(struct ta_int a)
{
	return a.negative ? -(double)a.mag : (double)a.mag;
}
