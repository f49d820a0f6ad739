/*
 * Before the first change: rounds until the load is steady, and what is usual on this host meanwhile.
 */
#include <errno.h>
#include <stdlib.h>

#include "trial/trial.h"

#define ALIKE 3		 /* so many rounds in a row … */
#define ALIKE_SPREAD 0.1 /* … that differ by no more are steady */
#define ROUNDS_MAX 12	 /* then what there is has to do: */
#define LAST 8		 /* of the last so many */
#define AGAINST 3	 /* more pairs than that go against the way that they all go (Kendall's tau; 5 of 1000 series by chance have fewer) */
#define DRIFT 0.2	 /* or they do not go far: from one half to the other */
#define WILD 1.0	 /* and none is more than twice another, unless it is others who make it so: */
#define BUSY 0.2	 /* they have so much of the CPUs */

static double spread(const double *v, size_t n)
{
	double low = v[0], high = v[0];

	for (size_t i = 1; i < n; i++) {
		low = TA_MIN(low, v[i]);
		high = TA_MAX(high, v[i]);
	}
	return high / low - 1;
}

/* How far they go, should they go one way: the change from the mean of the first half to that of the second; else 0. */
static double trend(const double *v)
{
	unsigned up = 0, pairs = LAST * (LAST - 1) / 2;
	double first = 0, second = 0;

	for (unsigned i = 0; i < LAST; i++) {
		for (unsigned k = i + 1; k < LAST; k++)
			up += v[k] > v[i];
		*(i < LAST / 2 ? &first : &second) += v[i];
	}
	return up <= AGAINST || up >= pairs - AGAINST ? second / first - 1 : 0;
}

/* Others who are in the way hide effects, and the intervals tell it; a load that does so by itself cannot be measured. */
static int not_steady(const double *v, const struct ta_trial_env *usual, struct ta_err *err)
{
	double s = spread(v, LAST), t = trend(v);

	if (t > DRIFT || t < -DRIFT)
		return ta_err_set(err, -ETIME, "the load does not get steady: its throughput goes from %.4g to %.4g a second in %d rounds", v[0],
			v[LAST - 1], LAST);
	if (s > WILD && usual->others < BUSY && usual->steal < BUSY)
		return ta_err_set(err, -ETIME, "the load does not get steady: the throughput of like rounds differs by %.0f %%, and nothing else "
			"on this host explains it", s * 100);
	return 0;
}

static void tell(const struct ta_trial_load *l, unsigned round)
{
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;

	ta_buf_printf(&line, "without changes, until it is steady: round %u", round);
	if (l->tell)
		l->tell(l->tell_ctx, ta_buf_text(&line));
}

struct rounds {
	double throughput[ROUNDS_MAX];
	struct ta_trial_env env[ROUNDS_MAX];
	unsigned n;
};

static int measure(const struct ta_trial_load *l, struct rounds *r, struct ta_trial_round *round, struct ta_trial_env *usual,
	struct ta_err *err)
{
	bool steady = false;

	while (!steady && r->n < ROUNDS_MAX) {
		int rc;

		tell(l, r->n + 1);
		rc = l->measure(l->ctx, round, err);
		if (rc < 0)
			return rc;
		r->env[r->n] = round->env;
		r->throughput[r->n++] = round->value[TA_TRIAL_THROUGHPUT];
		/* The first warms up more than a round does. */
		steady = r->n > ALIKE && spread(&r->throughput[r->n - ALIKE], ALIKE) <= ALIKE_SPREAD;
	}
	ta_trial_env_usual(r->env, r->n, usual);
	return steady ? 0 : not_steady(&r->throughput[r->n - LAST], usual, err);
}

int ta_trial_calm(struct ta_host *h, const struct ta_trial_load *l, struct ta_trial_calm *ret, struct ta_err *err)
{
	struct rounds r = {.n = 0};
	struct ta_trial_round *round = calloc(1, sizeof(*round));
	int rc;

	*ret = (struct ta_trial_calm){0};
	rc = round ? measure(l, &r, round, &ret->usual, err) : ta_err_set(err, -ENOMEM, "out of memory");
	ret->rounds = r.n;
	if (rc == 0) {
		ret->path = round->path;
		ret->unit = round->unit;
		ret->spread = spread(&r.throughput[r.n - ALIKE], ALIKE);
		ta_trial_env_warn(r.env, r.n, &ret->warnings);
	}
	free(round);
	return rc;
}

void ta_trial_calm_done(struct ta_trial_calm *c)
{
	ta_strv_done(&c->warnings);
	*c = (struct ta_trial_calm){0};
}
