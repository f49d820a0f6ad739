/*
 * How often trials are right, counted: counts SIMULATED SAME SLOWER SECONDS [ROUND_MS]
 *
 * SIMULATED trials of each kind of noise (noise.h), by the statistics alone. Then real ones: a load over loopback in a network
 * namespace of our own, with everything that a trial does (journal, disturbed rounds, verdict), but rounds of a few hundredths of
 * a second unless ROUND_MS says otherwise: 3000, with the warm-up that is usual then, is the default length. The change that
 * goes on and off is net.core.somaxconn, which nothing here depends on; of SAME trials the server replies as soon with it as without, of SLOWER trials a request takes 1/0.95 of the time while the change is on; where the host is too
 * uneven for so little, so much longer as trials there say they would see. On a
 * slow or busy machine they are fewer: as many as begin within SECONDS.
 *
 * Exit 1 if the counts are not what docs/trials.md promises. 77: this kernel lets us have no namespace.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fix/knob.h"
#include "tests/trial/noise.h"
#include "trial/loadround.h"

#define SLOWER 5.0	   /* percent of the throughput */
#define SLOWEST 50.0	   /* more, and a round would end before the first reply */
#define WAIT_NS 10000000u  /* that the server waits before it replies, on average */
#define CONNECTIONS 64
#define FDS 256
#define ROUND_MS 60
#define WARMUP_MS_MAX 300u /* of usual rounds; of shorter ones a third */
#define TRIES 20
#define TRIALS_MAX 1000u
#define PAIRS TA_TRIAL_PAIRS

static bool failed;

static void check(bool ok, const char *what)
{
	printf("%s  %s\n", ok ? "ok    " : "not ok", what);
	fflush(stdout);
	failed = failed || !ok;
}

static _Noreturn void die(const char *what, const struct ta_err *err)
{
	fprintf(stderr, "counts: %s: %s\n", what, err && *err->text ? err->text : strerror(errno));
	exit(1);
}

/* --- simulated ------------------------------------------------------------------------- */

static void fill(struct ta_pair *pairs, double (*noise)(size_t round), double effect)
{
	for (size_t i = 0; i < PAIRS; i++) {
		bool first = ta_trial_with_first(i);

		pairs[i] = (struct ta_pair){.with_first = first};
		pairs[i].with = 1000 * (1 + effect / 100) * exp(noise(2 * i + !first));
		pairs[i].without = 1000 * exp(noise(2 * i + first));
	}
}

static struct ta_effect simulate(double (*noise)(size_t round), double effect)
{
	struct ta_pair pairs[PAIRS];
	struct ta_effect e = {0};

	fill(pairs, noise, effect);
	if (ta_effect_of(pairs, PAIRS, &e) < 0)
		die("simulate", NULL);
	return e;
}

/* A verdict on four measures that do not know of each other: the worst case for "no effect". */
static bool says_something(double (*noise)(size_t round))
{
	struct ta_pair pairs[TA_TRIAL_MEASURES][PAIRS];
	struct ta_trial_unit u = {.n_pairs = PAIRS};

	for (unsigned m = 0; m < TA_TRIAL_MEASURES; m++) {
		fill(pairs[m], noise, 0);
		u.pairs[m] = pairs[m];
	}
	if (ta_trial_judge(&u) < 0)
		die("judge", NULL);
	return u.verdict != TA_TRIAL_NO_EFFECT;
}

static void count_simulated(unsigned n)
{
	static const double effects[] = {0, 5, -30};

	printf("%u simulated trials of %d pairs each, of 100:\n        %-10s %18s %14s %12s %22s\n", n, PAIRS, "noise", "effects of nothing",
		"verdicts of it", "5 % seen", "intervals that hold it");
	for (size_t k = 0; k < TA_ARRAY_SIZE(noises); k++) {
		double (*noise)(size_t round) = noises[k].noise;
		double nothing = 0, verdicts = 0, seen = 0, held = 0, part = 100.0 / n;
		char text[120];

		for (unsigned i = 0; i < n; i++) {
			struct ta_effect slower = simulate(noise, -SLOWER);

			nothing += simulate(noise, 0).seen * part;
			verdicts += says_something(noise) * part;
			seen += (slower.seen && slower.percent < 0) * part;
			for (size_t e = 0; e < TA_ARRAY_SIZE(effects); e++) {
				struct ta_effect x = simulate(noise, effects[e]);

				held += (x.low <= effects[e] && effects[e] <= x.high) * part / TA_ARRAY_SIZE(effects);
			}
		}
		snprintf(text, sizeof(text), "%-10s %18.1f %14.1f %12.1f %22.1f", noises[k].name, nothing, verdicts, seen, held);
		check(nothing <= 5 && verdicts <= 5 && seen >= 90 && held >= 90 && held <= 99, text);
	}
}

/* --- a server that takes its time ------------------------------------------------------------ */

static _Atomic uint32_t *wait_ns; /* shared with the server */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t due_ns[FDS]; /* of the reply of each connection; 0: none is wanted */

/* Between half the time and one and a half of it: connections that all began at once would stay in step otherwise. */
static void take_request(int fd)
{
	char request[4096];

	if (read(fd, request, sizeof(request)) > 0) /* one at a time, as our load sends them */
		due_ns[fd] = now_ns() + (uint64_t)(*wait_ns * (0.5 + uniform()));
	else
		close(fd);
}

/* The replies that are due. How long until the next one is. */
static uint64_t reply(void)
{
	static const char text[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
	uint64_t now = now_ns(), next = now + 1000000000u;

	for (int fd = 0; fd < FDS; fd++) {
		if (due_ns[fd] > now)
			next = TA_MIN(next, due_ns[fd]);
		if (!due_ns[fd] || due_ns[fd] > now)
			continue;
		due_ns[fd] = 0;
		if (write(fd, text, sizeof(text) - 1) < 0)
			close(fd);
	}
	return next - now;
}

static void take_connection(int epoll, int listener)
{
	struct epoll_event e = {.events = EPOLLIN, .data.fd = accept(listener, NULL, NULL)};
	int one = 1;

	if (e.data.fd < 0 || e.data.fd >= FDS) {
		close(e.data.fd);
		return;
	}
	due_ns[e.data.fd] = 0;
	setsockopt(e.data.fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	epoll_ctl(epoll, EPOLL_CTL_ADD, e.data.fd, &e);
}

static _Noreturn void serve(int listener)
{
	struct epoll_event e = {.events = EPOLLIN, .data.fd = listener}, events[64];
	int epoll = epoll_create1(0);

	epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &e);
	prctl(PR_SET_TIMERSLACK, 1);
	for (;;) {
		uint64_t ns = reply();
		struct timespec t = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
		struct pollfd p = {.fd = epoll, .events = POLLIN};
		int n = ppoll(&p, 1, &t, NULL) > 0 ? epoll_wait(epoll, events, TA_ARRAY_SIZE(events), 0) : 0;

		for (int i = 0; i < n; i++)
			if (events[i].data.fd == listener)
				take_connection(epoll, listener);
			else
				take_request(events[i].data.fd);
	}
}

static pid_t start_server(unsigned *ret_port)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(in);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	pid_t parent = getpid(), pid;

	if (listener < 0 || bind(listener, (struct sockaddr *)&in, sizeof(in)) < 0 || listen(listener, 64) < 0 ||
		getsockname(listener, (struct sockaddr *)&in, &len) < 0)
		die("listen", NULL);
	*ret_port = ntohs(in.sin_port);
	pid = fork();
	if (pid < 0)
		die("fork", NULL);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGPIPE, SIG_IGN);
		if (getppid() == parent)
			serve(listener);
		_exit(0);
	}
	close(listener);
	return pid;
}

/* --- real trials ------------------------------------------------------------------------------------ */

struct real {
	struct ta_trial_loading loading;
	struct ta_load_options load;
	uint32_t slower_ns; /* what is waited while the change is on */
	char target[64];
	struct ta_apply apply;
	struct ta_apply_item item;
	struct ta_step step;
	struct ta_trial_calm calm;
	unsigned connections;
};

static const volatile sig_atomic_t never;

static bool is_on(void)
{
	char text[16] = "";
	int fd = open("/proc/sys/net/core/somaxconn", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 1)
		die("/proc/sys/net/core/somaxconn", NULL);
	close(fd);
	return !strncmp(text, "9000", 4);
}

static int measure(void *ctx, struct ta_trial_round *ret, struct ta_err *err)
{
	struct real *r = ctx;

	int rc = -ECONNREFUSED;

	*wait_ns = is_on() ? r->slower_ns : WAIT_NS;
	/* On a busy host so short a round may pass before the server is on a CPU at all: it says nothing, on either side. */
	for (int i = 0; i < TRIES && rc == -ECONNREFUSED; i++)
		rc = ta_trial_measure_load(&r->loading, ret, err);
	return rc;
}

static void own_network(void)
{
	struct ifreq lo = {.ifr_flags = IFF_UP | IFF_RUNNING};
	int fd;

	if (unshare(CLONE_NEWNET) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0) {
		printf("skip: there are no network namespaces here (%s)\n", strerror(errno));
		exit(77);
	}
	snprintf(lo.ifr_name, sizeof(lo.ifr_name), "lo");
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &lo) < 0)
		die("lo", NULL);
	close(fd);
}

static void prepare(struct real *r, struct ta_host *h, struct ta_state *state, unsigned port, unsigned round_ms)
{
	static const struct ta_strv none = TA_STRV_INIT;
	static char target[] = "net.core.somaxconn", before[] = "4096", after[] = "9000";
	const struct ta_trial_load l = {.measure = measure, .ctx = r, .stop = &never};
	struct ta_err err = {0};

	snprintf(r->target, sizeof(r->target), "http://127.0.0.1:%u/", port);
	r->connections = CONNECTIONS;
	r->load = (struct ta_load_options){.target = r->target, .headers = &none, .sweep = &r->connections, .n_sweep = 1, .threads = 1,
		.pipeline = 1, .repeats = 1, .warmup_ns = TA_MIN(round_ms / 3, WARMUP_MS_MAX) * TA_NS_PER_MS, .duration_ns = round_ms * TA_NS_PER_MS,
		.timeout_ns = 2 * TA_NS_PER_S, .stop = &never};
	r->load.workload = ta_workload_find("http");
	r->loading = (struct ta_trial_loading){h, &r->load};
	r->step = (struct ta_step){.knob = ta_knob_find("sysctl"), .target = target, .before = before, .after = after};
	r->item = (struct ta_apply_item){.step = &r->step, .rule = "test", .why = "counted", .disruption = "none"};
	r->apply = (struct ta_apply){.host = h, .state = state, .who = "check-trial-stats", .profile = "test", .tool = "test",
		.stop = &never, .items = &r->item, .n = 1, .runtime_only = true};
	r->slower_ns = WAIT_NS;
	/* A busy host is no reason to stop here: what can be told in spite of it is what is counted. */
	if (ta_trial_calm(h, &l, &r->calm, &err) < 0)
		printf("        %s\n", err.text);
}

static void add_sorted(double *v, size_t n, double x)
{
	for (; n > 0 && v[n - 1] > x; n--)
		v[n] = v[n - 1];
	v[n] = x;
}

/* So long a wait that the same connections get 5 % less done: from what a request takes altogether. */
static uint32_t wait_for(struct real *r, double percent)
{
	struct ta_trial_round *round = calloc(1, sizeof(*round));
	double each_ns[9];
	struct ta_err err = {0};

	r->slower_ns = WAIT_NS;
	for (size_t i = 0; i < TA_ARRAY_SIZE(each_ns); i++) {
		if (!round || measure(r, round, &err) < 0)
			die("measure", &err);
		add_sorted(each_ns, i, CONNECTIONS * 1e9 / round->value[TA_TRIAL_THROUGHPUT]);
	}
	free(round);
	/* The quickest third: others who are in the way are no part of the request. */
	return (uint32_t)(WAIT_NS + each_ns[1] * (1 / (1 - percent / 100) - 1));
}

struct tally {
	unsigned n, worse, better, held, claimed, claimed_seen;
	double smallest[TRIALS_MAX]; /* that each said it would see, percent, rising */
};

static void real_trials(struct real *r, unsigned n, double effect, uint64_t until_ns, struct tally *t)
{
	const struct ta_trial_load l = {.measure = measure, .ctx = r, .stop = &never};
	const struct ta_trial_options o = {.apply = &r->apply, .calm = &r->calm, .pairs = PAIRS};

	*t = (struct tally){0};
	while (t->n < n && (t->n < 2 || now_ns() < until_ns)) {
		struct ta_trial trial = {0};
		struct ta_trial_unit *u;
		struct ta_err err = {0};
		bool claims;

		r->slower_ns = effect < 0 ? wait_for(r, -effect) : WAIT_NS;
		if (ta_trial_run(&o, &l, &trial, &err) < 0 || trial.n_units != 1)
			die("trial", &err);
		u = &trial.units[0];
		t->n++;
		t->worse += u->verdict == TA_TRIAL_WORSE;
		t->better += u->verdict == TA_TRIAL_IMPROVED;
		t->held += u->effect[TA_TRIAL_THROUGHPUT].low <= effect && effect <= u->effect[TA_TRIAL_THROUGHPUT].high;
		add_sorted(t->smallest, t->n - 1, u->smallest);
		/* What is slower by 1 % is, the other way round, faster by a little more. */
		claims = u->smallest <= (1 / (1 + effect / 100) - 1) * 100;
		t->claimed += claims;
		t->claimed_seen += claims && u->verdict == TA_TRIAL_WORSE;
		ta_trial_done(&trial);
	}
}

/* The largest count that a share `p` of `n` gives more often than once in a thousand series: chance alone must not fail a build. */
static unsigned at_most(unsigned n, double p)
{
	double each = pow(1 - p, n), sum = each;
	unsigned k = 0;

	while (sum < 0.999 && k < n) {
		each *= (double)(n - k) / (k + 1) * p / (1 - p);
		sum += each;
		k++;
	}
	return k;
}

static int drop(const char *path, const struct stat *s, int type, struct FTW *at)
{
	return remove(path);
}

static void count_real(unsigned same, unsigned slower, unsigned seconds, unsigned round_ms)
{
	uint64_t from = now_ns(), all_ns = seconds * TA_NS_PER_S;
	char directory[] = "/tmp/tuneaudit-counts.XXXXXX", text[200];
	struct ta_host *h = NULL;
	struct ta_state *state = NULL;
	struct ta_err err = {0};
	struct real r = {0};
	double smallest, percent;
	struct tally t;
	unsigned port;
	pid_t server;

	own_network();
	wait_ns = mmap(NULL, sizeof(*wait_ns), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (wait_ns == MAP_FAILED || !mkdtemp(directory))
		die("memory, /tmp", NULL);
	*wait_ns = WAIT_NS;
	server = start_server(&port);
	if (ta_host_live(&h, &err) < 0 || ta_state_open(h, directory, true, &state, &err) < 0)
		die("host", &err);
	prepare(&r, h, state, port, round_ms);
	printf("real trials of %d pairs, rounds of %u ms; other programs use %.0f %% of the CPUs\n", PAIRS, round_ms, r.calm.usual.others * 100);
	real_trials(&r, same, 0, from + all_ns * same / (same + slower), &t);
	snprintf(text, sizeof(text), "same against same: %u of %u say something (%u better, %u worse), %u intervals hold 0", t.better + t.worse,
		t.n, t.better, t.worse, t.held);
	check(t.better + t.worse <= TA_MAX(at_most(t.n, TA_TRIAL_LEVEL), t.n / 20) && t.n - t.held <= at_most(t.n, 0.1), text);
	smallest = t.smallest[t.n / 2];
	printf("        smallest effect that they said they would see: %.1f %% (median)\n", smallest);
	/* Where the host is too uneven for that, what they say they would see there. */
	percent = TA_MIN(TA_MAX(SLOWER, (1 - 1 / (1 + smallest / 100)) * 100), SLOWEST);
	real_trials(&r, slower, -percent, from + all_ns, &t);
	snprintf(text, sizeof(text), "%.0f %% slower: %u of %u called worse, %u better; of %u that said they would see that, %u did", percent, t.worse,
		t.n, t.better, t.claimed, t.claimed_seen);
	check(t.better <= at_most(t.n, TA_TRIAL_LEVEL) && t.claimed - t.claimed_seen <= at_most(t.claimed, 1 - TA_TRIAL_POWER), text);
	ta_trial_calm_done(&r.calm);
	state = ta_state_close(state);
	h = ta_host_free(h);
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	nftw(directory, drop, 8, FTW_DEPTH | FTW_PHYS);
}

int main(int argc, char **argv)
{
	unsigned n[5] = {[4] = ROUND_MS};

	for (int i = 0; i < 5 && i + 1 < argc; i++)
		n[i] = (unsigned)strtoul(argv[i + 1], NULL, 10);
	if (argc < 5 || argc > 6 || !n[0] || !n[4] || n[1] > TRIALS_MAX || n[2] > TRIALS_MAX) {
		fprintf(stderr, "usage: counts SIMULATED SAME SLOWER SECONDS [ROUND_MS]\n");
		return 2;
	}
	count_simulated(n[0]);
	if (n[1] && n[2]) {
		pid_t pid = fork(); /* in a namespace of its own, and with an end of its own */
		int status;

		if (pid == 0) {
			failed = false;
			count_real(n[1], n[2], n[3], n[4]);
			_exit(failed);
		}
		if (pid < 0 || waitpid(pid, &status, 0) < 0 || status)
			return WIFEXITED(status) && WEXITSTATUS(status) == 77 ? 77 : 1;
	}
	return failed;
}
