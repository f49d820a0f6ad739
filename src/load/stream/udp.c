/*
 * UDP: datagrams at a rate, from here to a server of ours or back, with the kernel cutting and joining them (GSO, GRO) and
 * without. Each stream has a control connection, a socket and a thread.
 */
#include <endian.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load/stream/client.h"
#include "load/stream/datagram.h"
#include "load/stream/session.h"

#define BUFFER_BYTES (4 << 20)

struct flow {
	int control, udp; /* -1: none */
	struct ta_stream_offer offer;
	struct ta_datagram_out out;
	struct ta_datagram_in *in;
	_Atomic bool ending;
	_Atomic uint64_t arrived; /* so far, for the line on the terminal */
	pthread_t thread;
	uint64_t cpu; /* of the thread, when the measured time began; ns */
	bool runs, open; /* the thread; the connection was made */
	int rc;
	uint64_t sent; /* that count */
	struct ta_stream_report report;
};

/* With the kernel's help or without. */
struct row {
	bool segments, joins; /* wanted: GSO at the sender, GRO at the receiver */
	int segments_rc, joins_rc; /* 0, or -errno: it is not there */
	unsigned n;
	double sent, packets, bytes, duplicates, reordered, jitter_ns, seconds, cpu_s;
	bool has_server_cpu;
};

struct run {
	struct ta_stage *stage;
	struct row *row;
	struct flow *flows;
	unsigned n;
};

static bool goes_down(const struct run *r)
{
	return r->stage->o->stream.direction == TA_STREAM_DOWN;
}

static int open_socket(struct run *r, struct flow *f)
{
	struct sockaddr_storage to = r->stage->target.addr;
	int size = BUFFER_BYTES;

	*(to.ss_family == AF_INET ? &((struct sockaddr_in *)&to)->sin_port : &((struct sockaddr_in6 *)&to)->sin6_port) =
		htons((uint16_t)f->offer.port);
	f->udp = socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (f->udp < 0)
		return -errno;
	setsockopt(f->udp, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	setsockopt(f->udp, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	return connect(f->udp, (struct sockaddr *)&to, r->stage->target.addr_len) < 0 ? -errno : 0;
}

static int open_control(struct run *r, struct flow *f)
{
	const struct ta_load_options *o = r->stage->o;
	const struct ta_stream_order order = {
		.kind = TA_STREAM_DATAGRAMS,
		.to_client = goes_down(r),
		.bytes = o->stream.datagram_bytes,
		.rate = (unsigned)(o->rate / r->n),
		.segments = goes_down(r) ? r->row->segments : r->row->joins,
	};
	char line[TA_STREAM_LINE_MAX];
	int rc = ta_stream_order(&r->stage->target, o->timeout_ns, &order, &f->control);

	if (rc == 0)
		rc = ta_stream_read_line(f->control, line);
	if (rc == 0 && ta_stream_offer_read(line, &f->offer) < 0)
		rc = -EPROTO;
	if (rc == 0 && order.segments && !f->offer.segments)
		*(goes_down(r) ? &r->row->segments_rc : &r->row->joins_rc) = -ENOPROTOOPT;
	return rc;
}

/* What this end can do of what is wanted. */
static int use_kernel(struct run *r, struct flow *f)
{
	if (goes_down(r)) {
		if (r->row->joins)
			r->row->joins_rc = ta_datagram_join(f->udp);
		f->in = ta_datagram_in_new(f->udp, f->offer.token, r->row->joins && !r->row->joins_rc);
		return f->in ? 0 : -ENOMEM;
	}
	if (r->row->segments)
		r->row->segments_rc = ta_datagram_segments(f->udp, r->stage->o->stream.datagram_bytes);
	f->out.fd = f->udp;
	f->out.token = f->offer.token;
	f->out.bytes = r->stage->o->stream.datagram_bytes;
	f->out.rate = r->stage->o->rate / r->n;
	f->out.segments = r->row->segments && !r->row->segments_rc;
	return 0;
}

static void *send_main(void *arg)
{
	struct flow *f = arg;

	ta_datagram_send(&f->out);
	return NULL;
}

/* The first datagram tells the server where to send; it is said again until something comes. */
static void *receive_main(void *arg)
{
	struct flow *f = arg;
	const struct ta_stream_head knock = {.token = htobe64(f->offer.token)};

	while (!atomic_load_explicit(&f->ending, memory_order_relaxed)) {
		int n = atomic_load(&f->arrived) ? 0 : (int)send(f->udp, &knock, sizeof(knock), MSG_NOSIGNAL);

		n = ta_datagram_receive(f->in, 50);
		if (n > 0)
			atomic_store_explicit(&f->arrived, atomic_load_explicit(&f->arrived, memory_order_relaxed) + (unsigned)n,
				memory_order_relaxed);
	}
	return NULL;
}

static void count_failure(struct run *r, int rc)
{
	bool closed = rc == -ECONNRESET || rc == -EPROTO || rc == -EPIPE;
	enum ta_load_error e = closed ? TA_LOAD_CLOSED : rc == -EAGAIN ? TA_LOAD_TIMEOUT : ta_load_connect_error(-rc);

	r->stage->result->failures.errors[e]++;
}

static int open_flows(struct run *r, unsigned n, struct ta_err *err)
{
	r->flows = calloc(n, sizeof(*r->flows));
	if (!r->flows)
		return -ENOMEM;
	r->n = n;
	for (unsigned i = 0; i < n; i++)
		r->flows[i].control = r->flows[i].udp = -1;
	for (unsigned i = 0; i < n; i++) {
		struct flow *f = &r->flows[i];
		int rc = open_control(r, f);

		if (rc == 0)
			rc = open_socket(r, f);
		if (rc == 0)
			rc = use_kernel(r, f);
		if (rc < 0) {
			count_failure(r, rc);
			continue;
		}
		if (pthread_create(&f->thread, NULL, goes_down(r) ? receive_main : send_main, f))
			return ta_err_set(err, -EAGAIN, "no threads for %u streams", n);
		f->runs = true;
	}
	return 0;
}

/* The sender ends, wherever it is. */
static int end_sending(struct run *r, struct flow *f)
{
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;

	if (!goes_down(r)) {
		atomic_store(&f->out.ending, true);
		pthread_join(f->thread, NULL);
		f->runs = false;
		f->sent = atomic_load(&f->out.sent);
	}
	ta_buf_printf(&line, "END %llu\n", (unsigned long long)f->sent);
	return ta_stream_write(f->control, ta_buf_text(&line));
}

/* What the server counted comes back; of what comes down, the last of it. */
static int settle(struct run *r, struct flow *f)
{
	char text[TA_STREAM_LINE_MAX];
	uint64_t until = ta_load_now() + 2 * TA_NS_PER_S;
	int rc = ta_stream_read_line(f->control, text);

	if (rc < 0)
		return rc;
	if (!goes_down(r))
		return ta_stream_report_read(text, &f->report) < 0 ? -EPROTO : -atomic_load(&f->out.error);
	if (ta_stream_number_read(text, "SENT", &f->sent) < 0)
		return -EPROTO;
	for (uint64_t before = ~0ull; atomic_load(&f->arrived) != before && ta_load_now() < until;) {
		before = atomic_load(&f->arrived);
		usleep(100000);
	}
	atomic_store(&f->ending, true);
	pthread_join(f->thread, NULL);
	f->runs = false;
	ta_datagram_report(f->in, &f->report);
	return 0;
}

static void close_flows(struct run *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		struct flow *f = &r->flows[i];

		atomic_store(&f->ending, true);
		atomic_store(&f->out.ending, true);
		if (f->runs)
			pthread_join(f->thread, NULL);
		ta_datagram_in_free(f->in);
		if (f->udp >= 0)
			close(f->udp);
		if (f->control >= 0)
			close(f->control);
	}
	free(r->flows);
	r->flows = NULL;
	r->n = 0;
}

static double datagrams_so_far(void *ctx)
{
	const struct run *r = ctx;
	uint64_t n = 0;

	for (unsigned i = 0; i < r->n; i++)
		n += atomic_load(&r->flows[i].out.sent) + atomic_load(&r->flows[i].arrived);
	return (double)n;
}

/* From now on datagrams count. */
static void begin_counting(struct run *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		if (r->flows[i].runs)
			r->flows[i].cpu = ta_stream_cpu_of(r->flows[i].thread);
		if (goes_down(r) && r->flows[i].runs)
			ta_stream_write(r->flows[i].control, "COUNT\n");
		atomic_store(&r->flows[i].out.counts, true);
	}
}

static void add_flow(struct row *row, const struct flow *f)
{
	row->sent += (double)f->sent;
	row->packets += (double)f->report.packets;
	row->bytes += (double)f->report.bytes;
	row->duplicates += (double)f->report.duplicates;
	row->reordered += (double)f->report.reordered;
	row->jitter_ns = TA_MAX(row->jitter_ns, (double)f->report.jitter_ns); /* of the worst */
}

/* For what bounded the run: the line with the most. */
static void take_point(struct run *r, const struct ta_load_point *measured)
{
	struct ta_load_point *best = &r->stage->result->points[0];
	const struct row *row = r->row;
	double mean = row->packets / row->seconds;

	if (mean < best->mean)
		return;
	best->cpu = measured->cpu;
	best->generator_share = measured->generator_share;
	best->measured_s = measured->measured_s;
	best->connections = r->n;
	best->mean = mean;
}

static void end_all(struct run *r, uint64_t start, const struct ta_stage_mark *from)
{
	struct ta_load_point cpu = {0};
	double wall_ns = (double)(ta_load_now() - start);

	for (unsigned i = 0; i < r->n; i++) {
		const struct flow *f = &r->flows[i];
		uint64_t used = f->runs ? ta_stream_cpu_of(f->thread) : 0;

		if (used > f->cpu)
			cpu.generator_share = TA_MAX(cpu.generator_share, (double)(used - f->cpu) / wall_ns);
	}
	for (unsigned i = 0; i < r->n; i++) {
		struct flow *f = &r->flows[i];

		f->open = f->runs;
		f->rc = f->open ? end_sending(r, f) : 0;
	}
	cpu.measured_s = (double)(ta_load_now() - start) / 1e9;
	r->row->seconds += cpu.measured_s;
	ta_stage_end(r->stage, from, &cpu);
	for (unsigned i = 0; i < r->n; i++) {
		struct flow *f = &r->flows[i];

		if (f->open && f->rc == 0)
			f->rc = settle(r, f);
		if (f->rc < 0)
			count_failure(r, f->rc);
		add_flow(r->row, f);
	}
	r->row->cpu_s += cpu.cpu.client_user_s + cpu.cpu.client_system_s + cpu.cpu.server_user_s + cpu.cpu.server_system_s;
	r->row->has_server_cpu = cpu.cpu.has_server;
	r->row->n++;
	take_point(r, &cpu);
}

static void measure(struct run *r, unsigned repeat)
{
	const struct ta_load_options *o = r->stage->o;
	uint64_t begin = ta_load_now(), start = begin + o->warmup_ns;
	const struct ta_stream_wait w = {r->stage, begin, start, start + o->duration_ns, r->n, repeat, datagrams_so_far, r, "datagrams"};
	struct ta_stage_mark from;

	ta_stream_wait(&w, start);
	if (ta_stage_stopped(r->stage))
		return;
	ta_stage_begin(r->stage, &from);
	begin_counting(r);
	start = ta_load_now();
	ta_stream_wait(&w, w.end_ns);
	end_all(r, start, &from);
}

/* --- what is told ------------------------------------------------------------------- */

static const char *word(bool wanted, int rc)
{
	return !wanted ? "off" : rc ? "none" : "on";
}

static void tell_row(struct ta_load_table *t, const struct row *row)
{
	double lost = row->sent > row->packets ? row->sent - row->packets : 0;

	ta_load_table_text(t, word(row->segments, row->segments_rc));
	ta_load_table_text(t, word(row->joins, row->joins_rc));
	ta_load_table_number(t, row->sent / row->seconds, 0);
	ta_load_table_number(t, row->packets / row->seconds, 0);
	ta_load_table_number(t, row->bytes * 8 / 1e9 / row->seconds, 3);
	ta_load_table_number(t, row->sent > 0 ? lost / row->sent * 100 : 0, 3);
	ta_load_table_number(t, row->reordered, 0);
	ta_load_table_number(t, row->duplicates, 0);
	ta_load_table_number(t, row->jitter_ns / 1e3, 1);
	ta_load_table_number(t, row->packets > 0 ? row->cpu_s * 1e6 / row->packets : 0, 2);
}

static void tell_missing(struct ta_figures *f, const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (rows[i].segments_rc) {
			ta_figures_text(f, "gso_missing", "GSO", "not used: the sender's kernel refuses UDP_SEGMENT (%s)",
				ta_errno_text(rows[i].segments_rc));
			break;
		}
	}
	for (size_t i = 0; i < n; i++) {
		if (rows[i].joins_rc) {
			ta_figures_text(f, "gro_missing", "GRO", "not used: the receiver's kernel refuses UDP_GRO (%s)",
				ta_errno_text(rows[i].joins_rc));
			break;
		}
	}
}

static void tell(struct ta_stage *s, const struct row *rows, size_t n)
{
	struct ta_figures *f = &s->result->figures;
	struct ta_load_table *t = ta_figures_table(f, "datagrams", "Datagrams, by what the kernel cuts (GSO) and joins (GRO)",
		"GSO|GRO|sent/s|arrived/s|Gbit/s|lost %|reordered|twice|jitter us|CPU us");
	const struct row *best = NULL;

	for (size_t i = 0; i < n; i++) {
		if (!rows[i].n)
			continue;
		tell_row(t, &rows[i]);
		if (!best || rows[i].packets / rows[i].seconds > best->packets / best->seconds)
			best = &rows[i];
	}
	if (!best)
		return;
	ta_figures_number(f, "packets_per_second", "Most", best->packets / best->seconds, "%.0f datagrams/s of %u bytes %s (GSO %s, GRO %s)",
		best->packets / best->seconds, s->o->stream.datagram_bytes, s->o->stream.direction == TA_STREAM_DOWN ? "down" : "up",
		word(best->segments, best->segments_rc), word(best->joins, best->joins_rc));
	ta_figures_number(f, "datagram_bytes", NULL, s->o->stream.datagram_bytes, "%u", s->o->stream.datagram_bytes);
	ta_figures_text(f, "cpu_of", "CPU us", "%s, for each datagram that arrived",
		best->has_server_cpu ? "of both ends" : "of this end alone");
	tell_missing(f, rows, n);
}

int ta_stream_udp(struct ta_stage *s, struct ta_err *err)
{
	struct row rows[] = {{0}, {.segments = true}, {.joins = true}, {.segments = true, .joins = true}};
	const struct ta_load_options *o = s->o;
	struct run r = {.stage = s};
	double seconds = 0;
	int rc = 0;

	for (size_t i = 0; i < TA_ARRAY_SIZE(rows) && rc == 0; i++) {
		r.row = &rows[i];
		for (unsigned k = 0; k < o->repeats && rc == 0 && !ta_stage_stopped(s); k++) {
			r.n = o->sweep[0];
			rc = open_flows(&r, o->sweep[0], err);
			if (rc == 0)
				measure(&r, k + 1);
			close_flows(&r);
		}
		seconds += rows[i].seconds;
	}
	s->result->interrupted = ta_stage_stopped(s);
	if (rc == 0 && seconds <= 0)
		rc = ta_err_set(err, -EINTR, "stopped before anything was measured");
	if (rc == 0)
		tell(s, rows, TA_ARRAY_SIZE(rows));
	return rc;
}
