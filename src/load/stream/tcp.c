/*
 * TCP: n streams, up, down or both. What went up is what the other kernel acknowledged (bytes_acked), what came down is what was
 * read here; both over the measured time alone.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load/stream/bulk.h"
#include "load/stream/client.h"
#include "load/stream/tcpinfo.h"

struct flow {
	int fd; /* -1: it could not be made */
	bool sends, receives;
	unsigned number;
	struct ta_bulk out, in;
	pthread_t sender, receiver;
	/* at the start and at the end of the measured time */
	struct ta_tcp_facts from, to;
	uint64_t in_from, out_from, up, down; /* up, down: bytes between */
	uint64_t sender_cpu, receiver_cpu; /* ns; at the start, then between */
};

/* One direction of one number of streams. */
struct row {
	unsigned streams, n;
	double per_second[TA_LOAD_REPEATS_MAX]; /* bytes */
	double evenness; /* of the slowest stream to the fastest, the worst of the repetitions */
	double retransmits, cwnd_bytes, rtt_us; /* sum; means over streams */
};

struct run {
	struct ta_stage *stage;
	bool peer;
	struct flow *flows;
	unsigned n; /* flows */
	double bytes;		  /* both directions, all runs */
	double seconds;
	struct ta_stream_link link;
};

static bool goes_up(const struct run *r)
{
	return r->stage->o->stream.direction != TA_STREAM_DOWN;
}

static bool goes_down(const struct run *r)
{
	return r->stage->o->stream.direction != TA_STREAM_UP;
}

static void *send_main(void *arg)
{
	struct flow *f = arg;

	ta_bulk_send(&f->out);
	return NULL;
}

static void *receive_main(void *arg)
{
	struct flow *f = arg;

	ta_bulk_receive(&f->in);
	return NULL;
}

static void count_failure(struct run *r, enum ta_load_error e)
{
	r->stage->result->failures.errors[e]++;
}

static enum ta_load_error broken_by(int error)
{
	return error == 0 || error == EPIPE ? TA_LOAD_CLOSED : error == EAGAIN || error == ETIMEDOUT ? TA_LOAD_TIMEOUT : TA_LOAD_RESET;
}

static int open_flow(struct run *r, struct flow *f)
{
	const struct ta_load_options *o = r->stage->o;
	const struct ta_stream_order order = {.kind = goes_up(r) && goes_down(r) ? TA_STREAM_BOTH :
						      goes_down(r)		     ? TA_STREAM_RECEIVE :
						      o->stream.discard		     ? TA_STREAM_DISCARD :
										       TA_STREAM_SEND};

	return r->peer ? ta_stream_order(&r->stage->target, o->timeout_ns, &order, &f->fd) :
			 ta_stream_dial(&r->stage->target, o->timeout_ns, &f->fd);
}

static int start_flow(struct run *r, struct flow *f)
{
	f->out.fd = f->in.fd = f->fd;
	f->in.discard = r->stage->o->stream.discard;
	if (goes_up(r) && pthread_create(&f->sender, NULL, send_main, f))
		return -EAGAIN;
	f->sends = goes_up(r);
	if (goes_down(r) && pthread_create(&f->receiver, NULL, receive_main, f))
		return -EAGAIN;
	f->receives = goes_down(r);
	return 0;
}

static int open_flows(struct run *r, unsigned n, struct ta_err *err)
{
	unsigned made = 0;
	int rc = 0;

	r->flows = calloc(n, sizeof(*r->flows));
	if (!r->flows)
		return -ENOMEM;
	for (r->n = 0; r->n < n; r->n++) {
		struct flow *f = &r->flows[r->n];

		f->number = r->n;
		rc = open_flow(r, f);
		if (rc < 0) {
			f->fd = -1;
			count_failure(r, rc == -ECONNRESET || rc == -EPROTO ? TA_LOAD_CLOSED : ta_load_connect_error(-rc));
		}
		made += f->fd >= 0;
	}
	for (unsigned i = 0; i < n && made; i++)
		if (r->flows[i].fd >= 0 && start_flow(r, &r->flows[i]) < 0)
			return ta_err_set(err, -EAGAIN, "no threads for %u streams", n);
	return 0;
}

static void close_flows(struct run *r)
{
	for (unsigned i = 0; i < r->n; i++)
		if (r->flows[i].fd >= 0)
			shutdown(r->flows[i].fd, SHUT_RDWR);
	for (unsigned i = 0; i < r->n; i++) {
		struct flow *f = &r->flows[i];

		if (f->sends)
			pthread_join(f->sender, NULL);
		if (f->receives)
			pthread_join(f->receiver, NULL);
		if (f->fd >= 0)
			close(f->fd);
	}
	free(r->flows);
	r->flows = NULL;
	r->n = 0;
}

/* --- one measurement ------------------------------------------------------------- */

static double bytes_so_far(void *ctx)
{
	const struct run *r = ctx;
	uint64_t n = 0;

	for (unsigned i = 0; i < r->n; i++)
		n += atomic_load(&r->flows[i].out.bytes) + atomic_load(&r->flows[i].in.bytes);
	return (double)n;
}

static void mark_start(struct run *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		struct flow *f = &r->flows[i];

		if (f->fd < 0)
			continue;
		ta_tcp_facts_read(f->fd, &f->from);
		f->out_from = atomic_load(&f->out.bytes);
		f->in_from = atomic_load(&f->in.bytes);
		f->sender_cpu = f->sends ? ta_stream_cpu_of(f->sender) : 0;
		f->receiver_cpu = f->receives ? ta_stream_cpu_of(f->receiver) : 0;
	}
}

static struct ta_load_point *point_of(const struct run *r)
{
	return &r->stage->result->points[0];
}

/* The busiest thread's share of a CPU. One that ended early has no clock any more. */
static void add_generator_share(struct run *r, double wall_ns)
{
	struct ta_load_point *p = point_of(r);

	for (unsigned i = 0; i < r->n; i++) {
		struct flow *f = &r->flows[i];
		uint64_t out = f->sends ? ta_stream_cpu_of(f->sender) : 0, in = f->receives ? ta_stream_cpu_of(f->receiver) : 0;

		if (out > f->sender_cpu)
			p->generator_share = TA_MAX(p->generator_share, (double)(out - f->sender_cpu) / wall_ns);
		if (in > f->receiver_cpu)
			p->generator_share = TA_MAX(p->generator_share, (double)(in - f->receiver_cpu) / wall_ns);
	}
}

static void mark_end(struct run *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		struct flow *f = &r->flows[i];

		if (f->fd < 0)
			continue;
		f->down = atomic_load(&f->in.bytes) - f->in_from;
		f->up = atomic_load(&f->out.bytes) - f->out_from;
		if (ta_tcp_facts_read(f->fd, &f->to) == 0 && f->to.has_acked && f->from.has_acked)
			f->up = f->to.acked - f->from.acked;
	}
}

/* A stream that ended by itself, before its time. */
static void count_broken(struct run *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		struct flow *f = &r->flows[i];
		char c;
		ssize_t n;

		if (f->fd < 0)
			continue;
		if (atomic_load(&f->out.error))
			count_failure(r, broken_by(atomic_load(&f->out.error)));
		else if (f->receives && atomic_load(&f->in.error))
			count_failure(r, broken_by(atomic_load(&f->in.error)));
		else if ((n = recv(f->fd, &c, 1, MSG_PEEK | MSG_DONTWAIT)) == 0 || (n < 0 && errno != EAGAIN))
			count_failure(r, broken_by(n < 0 ? errno : 0));
		else if (!f->up && !f->down)
			count_failure(r, TA_LOAD_TIMEOUT); /* nothing moved at all */
	}
}

static void add_row(const struct run *r, struct row *row, bool up, double seconds)
{
	double sum = 0, least = -1, most = 0, cwnd = 0, rtt = 0;
	unsigned live = 0;

	for (unsigned i = 0; i < r->n; i++) {
		const struct flow *f = &r->flows[i];
		double bytes = (double)(up ? f->up : f->down);

		sum += bytes;
		most = TA_MAX(most, bytes);
		least = least < 0 ? bytes : TA_MIN(least, bytes);
		if (f->fd < 0)
			continue;
		live++;
		row->retransmits += f->to.retransmits - f->from.retransmits;
		cwnd += (double)f->to.cwnd_bytes;
		rtt += f->to.rtt_us;
	}
	row->per_second[row->n++] = sum / seconds;
	row->evenness = TA_MIN(row->n == 1 ? 1 : row->evenness, most > 0 ? least / most : 0);
	row->cwnd_bytes = live ? cwnd / live : 0;
	row->rtt_us = live ? rtt / live : 0;
}

static int measure(struct run *r, struct row *up, struct row *down, unsigned repeat, struct ta_err *err)
{
	const struct ta_load_options *o = r->stage->o;
	uint64_t begin = ta_load_now(), start = begin + o->warmup_ns, now;
	const struct ta_stream_wait w = {r->stage, begin, start, start + o->duration_ns, r->n, repeat, bytes_so_far, r, "bytes"};
	struct ta_stage_mark from;
	double seconds;

	ta_stream_wait(&w, start);
	if (ta_stage_stopped(r->stage))
		return 0;
	ta_stage_begin(r->stage, &from);
	mark_start(r);
	start = ta_load_now();
	ta_stream_wait(&w, w.end_ns);
	mark_end(r);
	now = ta_load_now();
	add_generator_share(r, (double)(now - start));
	ta_stage_end(r->stage, &from, point_of(r));
	count_broken(r);
	seconds = (double)(now - start) / 1e9;
	if (goes_up(r))
		add_row(r, up, true, seconds);
	if (goes_down(r))
		add_row(r, down, false, seconds);
	r->seconds += seconds;
	point_of(r)->measured_s += seconds;
	point_of(r)->connections = r->n;
	for (unsigned i = 0; i < r->n; i++)
		r->bytes += (double)r->flows[i].up + (double)r->flows[i].down;
	return 0;
}

/* --- what is told ------------------------------------------------------------------- */

/* Of what comes down the sender is at the other end: its windows and losses are not known here. */
static void tell_row(struct ta_load_table *t, const struct row *row, bool up)
{
	double mean = ta_stream_mean(row->per_second, row->n);

	ta_load_table_number(t, row->streams, 0);
	ta_load_table_text(t, up ? "up" : "down");
	ta_load_table_number(t, mean * 8 / 1e9, 3);
	if (row->n > 1 && mean > 0)
		ta_load_table_number(t, ta_stream_stddev(row->per_second, row->n) / mean * 100, 1);
	else
		ta_load_table_text(t, "-");
	ta_load_table_number(t, mean / 1e6, 1);
	ta_load_table_number(t, row->evenness, 2);
	if (up) {
		ta_load_table_number(t, row->retransmits, 0);
		ta_load_table_number(t, row->cwnd_bytes / 1024, 0);
	} else {
		ta_load_table_text(t, "-");
		ta_load_table_text(t, "-");
	}
	ta_load_table_number(t, row->rtt_us, 0);
}

static void tell_cpu(const struct run *r)
{
	struct ta_figures *f = &r->stage->result->figures;
	const struct ta_load_cpu *c = &point_of(r)->cpu;
	double gb = r->bytes / 1e9, client = c->client_user_s + c->client_system_s, server = c->server_user_s + c->server_system_s;

	if (gb <= 0)
		return;
	ta_figures_number(f, "client_cpu_s_per_gb", "CPU", client / gb, "%.3f s a GB for the client%s", client / gb,
		c->has_server ? "" : "; the server's is not known");
	if (c->has_server)
		ta_figures_number(f, "server_cpu_s_per_gb", "", server / gb, "%.3f s a GB for the server", server / gb);
}

static void tell(const struct run *r, const struct row *up, const struct row *down, size_t n)
{
	struct ta_figures *f = &r->stage->result->figures;
	struct ta_load_table *t = ta_figures_table(f, "streams", "Streams", "streams|way|Gbit/s|+- %|MB/s|min/max|sent again|cwnd KiB|rtt us");
	double best = -1, best_up = 0, best_down = 0;
	unsigned streams = 0;

	for (size_t i = 0; i < n; i++) {
		double a = ta_stream_mean(up[i].per_second, up[i].n), b = ta_stream_mean(down[i].per_second, down[i].n);

		if (up[i].n)
			tell_row(t, &up[i], true);
		if (down[i].n)
			tell_row(t, &down[i], false);
		if (a + b <= best)
			continue;
		best = a + b;
		best_up = a;
		best_down = b;
		streams = TA_MAX(up[i].streams, down[i].streams);
	}
	ta_figures_number(f, "bits_per_second", "Most", best * 8, "%.2f Gbit/s (%.0f MB/s)%s with %u stream%s", best * 8 / 1e9, best / 1e6,
		goes_up(r) && goes_down(r) ? ", both ways together," : "", streams, streams == 1 ? "" : "s");
	if (goes_up(r))
		ta_figures_number(f, "up_bytes_per_second", NULL, best_up, "%.0f", best_up);
	if (goes_down(r))
		ta_figures_number(f, "down_bytes_per_second", NULL, best_down, "%.0f", best_down);
	ta_figures_number(f, "streams_at_most", NULL, streams, "%u", streams);
	ta_stream_link_tell(&r->link, TA_MAX(best_up, best_down), f);
	tell_cpu(r);
}

static int run_point(struct run *r, unsigned streams, struct row *up, struct row *down, struct ta_err *err)
{
	int rc = 0;

	up->streams = down->streams = streams;
	for (unsigned k = 0; k < r->stage->o->repeats && rc == 0 && !ta_stage_stopped(r->stage); k++) {
		rc = open_flows(r, streams, err);
		if (rc == 0)
			rc = measure(r, up, down, k + 1, err);
		if (rc == 0 && r->flows[0].fd >= 0)
			ta_stream_link_read(r->stage, r->flows[0].fd, &r->link);
		close_flows(r);
	}
	return rc;
}

int ta_stream_tcp(struct ta_stage *s, bool peer, struct ta_err *err)
{
	const struct ta_load_options *o = s->o;
	struct run r = {.stage = s, .peer = peer};
	struct row *up = calloc(o->n_sweep, sizeof(*up)), *down = calloc(o->n_sweep, sizeof(*down));
	int rc = up && down ? 0 : -ENOMEM;

	for (size_t i = 0; i < o->n_sweep && rc == 0 && !ta_stage_stopped(s); i++)
		rc = run_point(&r, o->sweep[i], &up[i], &down[i], err);
	s->result->interrupted = ta_stage_stopped(s);
	if (rc == 0 && !r.seconds)
		rc = ta_err_set(err, -EINTR, "stopped before anything was measured");
	if (rc == 0)
		tell(&r, up, down, o->n_sweep);
	free(up);
	free(down);
	return rc;
}
