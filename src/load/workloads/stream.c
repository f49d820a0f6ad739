/*
 * stream: bytes over TCP or datagrams over UDP, as many as it takes or at a rate. Of a target that is no server of ours nothing is known
 * but that it takes bytes, or sends some.
 */
#include <errno.h>
#include <unistd.h>

#include "load/stream/client.h"

static int check(const struct ta_load_options *o, struct ta_err *err)
{
	const struct ta_stream_options *so = &o->stream;

	if (!so->udp && o->rate > 0)
		return ta_err_set(err, -EINVAL, "--rate is for datagrams (--udp): TCP sends as much as it takes");
	if (so->udp && so->direction == TA_STREAM_BOTH_WAYS)
		return ta_err_set(err, -EINVAL, "datagrams go one way at a time: --direction up or down");
	if (so->udp && o->n_sweep > 1)
		return ta_err_set(err, -EINVAL, "--sweep is for TCP; with --udp the lines are those with and without GSO and GRO");
	if (so->udp && so->discard)
		return ta_err_set(err, -EINVAL, "--discard is for TCP: datagrams have to be looked at");
	if (so->udp && o->rate > 0 && o->rate < o->sweep[0])
		return ta_err_set(err, -EINVAL, "--rate is of all streams together: at least one a second for each");
	return 0;
}

/* 1, 0, or -errno with the failure counted. */
static int ask_who(struct ta_stage *s)
{
	int fd, rc = ta_stream_dial(&s->target, s->o->timeout_ns, &fd);

	if (rc < 0) {
		s->result->failures.errors[ta_load_connect_error(-rc)]++;
		return rc;
	}
	rc = ta_stream_greeted(fd, s->o->timeout_ns);
	close(fd);
	if (rc < 0 && rc != -EPROTONOSUPPORT)
		s->result->failures.errors[rc == -ECONNRESET ? TA_LOAD_CLOSED : TA_LOAD_RESET]++;
	return rc;
}

static int run(struct ta_stage *s, struct ta_err *err)
{
	struct ta_figures *f = &s->result->figures;
	int rc = check(s->o, err), peer;

	if (rc == 0)
		rc = ta_stage_open(s, NULL, err);
	if (rc < 0)
		return rc;
	peer = ask_who(s);
	if (peer == -EPROTONOSUPPORT)
		return ta_err_set(err, peer, "the server there is tuneaudit's of another version");
	ta_figures_text(f, "protocol", NULL, "%s", s->o->stream.udp ? "udp" : "tcp");
	if (peer < 0) {
		ta_figures_text(f, "other_end", "Other end", "%s", ta_errno_text(peer));
		return 0;
	}
	if (!peer && s->o->stream.udp)
		return ta_err_set(err, -EINVAL, "no server of ours is there: datagrams need one (tuneaudit load serve stream)");
	if (!peer)
		ta_figures_text(f, "other_end", "Other end", "no server of ours: it takes what is sent, or sends what it likes%s",
			s->o->stream.discard ? "; how it reads is its own matter" : "");
	else if (s->o->stream.udp)
		ta_figures_text(f, "other_end", NULL, "a server of ours");
	else
		ta_figures_text(f, "other_end", "Other end", "a server of ours; what is received is %s",
			s->o->stream.discard ? "thrown away by the kernel without being copied" : "copied to the program");
	ta_figures_number(f, "duration_s", "Measured", (double)s->o->duration_ns / 1e9, "%g s for each line%s",
		(double)s->o->duration_ns / 1e9, s->o->repeats > 1 ? " and repetition" : "");
	return s->o->stream.udp ? ta_stream_udp(s, err) : ta_stream_tcp(s, peer, err);
}

const struct ta_workload ta_workload_stream = {
	.name = "stream",
	.summary = "bytes over TCP, or datagrams over UDP, both ways",
	.scheme = "tcp",
	.default_port = NULL,
	.default_connections = 1,
	.max_connections = TA_STREAMS_MAX,
	.no_latencies = true,
	.run = run,
};
