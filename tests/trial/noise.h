/*
 * Noise of simulated rounds, from a generator with a fixed seed: symmetric, skewed, with heavy tails, and on a host that drifts.
 * What a round measures besides the truth, in ln.
 */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>

static uint64_t seed = 88172645463325252u;

static inline double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

static inline double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static inline double noise_normal(size_t round)
{
	return 0.02 * normal();
}

static inline double noise_skewed(size_t round) /* now and then a round is much slower */
{
	return -0.02 * -log(uniform());
}

static inline double noise_tails(size_t round)
{
	return uniform() < 0.1 ? 0.08 * normal() : 0.015 * normal();
}

static inline double noise_drift(size_t round) /* gets slower by 1 % a round, in a bent way */
{
	return -0.01 * (double)round - 0.0005 * (double)(round * round) + 0.02 * normal();
}

static const struct {
	const char *name;
	double (*noise)(size_t round);
} noises[] = {{"normal", noise_normal}, {"skewed", noise_skewed}, {"tails", noise_tails}, {"drift", noise_drift}};
