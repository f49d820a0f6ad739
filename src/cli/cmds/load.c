/*
 * tuneaudit load: a short load run, and the server for one.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <json-c/json.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/num.h"
#include "cli/peers.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "cli/system.h"
#include "cli/thishost.h"
#include "load/kv/answer.h"
#include "load/kv/kv.h"
#include "load/run.h"
#include "load/service.h"
#include "load/stream/wire.h"
#include "report/load.h"

struct values {
	int64_t connections, threads, duration, warmup, timeout, rate, repeat, pipeline, port, file_mib;
	int64_t set, keys, value_size; /* kv */
	int64_t backlog;
	const char *close;
	bool host_network, pin;
	int64_t datagram;	       /* stream */
	const char *direction;
	bool discard, udp;
	const char *engine, *format, *dir, *label, *listen, *token_file;
	struct ta_strv sweep, headers;
};

static const struct ta_option options[] = {
	{.name = "connections", .letter = 'c', .arg = "N", .kind = TA_OPT_NUMBER,
		.help = "how many are open at a time (default 50; hold: 10000, stream: 1)",
		.offset = offsetof(struct values, connections), .min = 1, .max = UINT32_MAX},
	{.name = "duration", .letter = 'd', .arg = "SECONDS", .kind = TA_OPT_SECONDS,
		.help = "how long is measured, each time (default 5; also 0.5)",
		.offset = offsetof(struct values, duration), .unset = 5000, .min = 50, .max = 3600000},
	{.name = "threads", .letter = 't', .arg = "N", .kind = TA_OPT_NUMBER,
		.help = "of the client (default: one for each CPU, half of them if the server is built in)",
		.offset = offsetof(struct values, threads), .min = 1, .max = TA_LOAD_THREADS_MAX},
	{.name = "rate", .arg = "PER_S", .kind = TA_OPT_NUMBER,
		.help = "requests per second, sent when they are due and not when the server is ready: a stall counts "
			"against every request that it delays (default: as fast as it goes)",
		.offset = offsetof(struct values, rate), .min = 1, .max = 100000000},
	{.name = "repeat", .arg = "N", .kind = TA_OPT_NUMBER,
		.help = "measure so often, and tell mean and standard deviation (default 1)",
		.offset = offsetof(struct values, repeat), .unset = 1, .min = 1, .max = TA_LOAD_REPEATS_MAX},
	{.name = "sweep", .arg = "C,C,...", .kind = TA_OPT_LIST,
		.help = "one line for each number of connections: 10,20,50,100,200",
		.offset = offsetof(struct values, sweep)},
	{.name = "pipeline", .arg = "N", .kind = TA_OPT_NUMBER,
		.help = "send so many requests at a time (default 1)",
		.offset = offsetof(struct values, pipeline), .unset = 1, .min = 1, .max = 1024},
	{.name = "header", .arg = "'NAME: VALUE'", .kind = TA_OPT_TEXTS, .help = "in each request; repeatable",
		.offset = offsetof(struct values, headers)},
	{.name = "set", .arg = "PERCENT", .kind = TA_OPT_NUMBER,
		.help = "kv: so many of the requests write, the others read (default 10). 0 writes nothing at all; else the keys are "
			"written before and removed after",
		.offset = offsetof(struct values, set), .unset = 10, .max = 100},
	{.name = "keys", .arg = "N", .kind = TA_OPT_NUMBER, .help = "kv: so many, tuneaudit:0000000 and on (default 10000)",
		.offset = offsetof(struct values, keys), .unset = 10000, .min = 1, .max = TA_KV_KEYS_MAX},
	{.name = "value-size", .arg = "BYTES", .kind = TA_OPT_NUMBER, .help = "kv: of the values that are written (default 3)",
		.offset = offsetof(struct values, value_size), .unset = 3, .max = TA_KV_VALUE_MAX},
	{.name = "direction", .arg = "up|down|both", .kind = TA_OPT_STRING,
		.help = "stream: which way bytes go, up to the target (default), down from it or both",
		.offset = offsetof(struct values, direction)},
	{.name = "discard", .kind = TA_OPT_FLAG, .help = "stream: who receives throws the bytes away uncopied (MSG_TRUNC)",
		.offset = offsetof(struct values, discard)},
	{.name = "udp", .kind = TA_OPT_FLAG,
		.help = "stream: datagrams, at --rate or as fast as it goes; with and without GSO and GRO, --duration each",
		.offset = offsetof(struct values, udp)},
	{.name = "datagram", .arg = "BYTES", .kind = TA_OPT_NUMBER, .help = "stream --udp: the size of each (default 1448)",
		.offset = offsetof(struct values, datagram), .unset = 1448, .min = TA_DATAGRAM_LEAST, .max = TA_DATAGRAM_MOST},
	{.name = "warmup", .arg = "SECONDS", .kind = TA_OPT_SECONDS,
		.help = "not measured before (default 1)",
		.offset = offsetof(struct values, warmup), .unset = 1000, .max = 600000},
	{.name = "timeout", .arg = "SECONDS", .kind = TA_OPT_SECONDS,
		.help = "a request fails that is not answered so long (default 10)",
		.offset = offsetof(struct values, timeout), .unset = 10000, .min = 50, .max = 600000},
	{.name = "engine", .arg = "ENGINE", .kind = TA_OPT_STRING,
		.help = "how connections are driven: epoll, io_uring (default auto: epoll, which costs the least)",
		.offset = offsetof(struct values, engine)},
	{.name = "dir", .arg = "DIR", .kind = TA_OPT_STRING,
		.help = "where floor and file make their files, which nobody else sees and which are gone afterwards (default: "
			"the first of /var/tmp, /tmp and this directory that is on a disk)",
		.offset = offsetof(struct values, dir)},
	{.name = "backlog", .arg = "N", .kind = TA_OPT_NUMBER,
		.help = "connections that wait to be accepted by the built-in server (connect, hold; default: as many as the "
			"host allows)",
		.offset = offsetof(struct values, backlog), .min = 1, .max = 65535},
	{.name = "close", .arg = "reset|server|client", .kind = TA_OPT_STRING,
		.help = "connect: who ends a connection, and so has it in TIME_WAIT for a minute (default reset: nobody)",
		.offset = offsetof(struct values, close)},
	{.name = "host-network", .kind = TA_OPT_FLAG,
		.help = "hold: in the network of this host, and not in a namespace made for the run",
		.offset = offsetof(struct values, host_network)},
	{.name = "file-mib", .arg = "MIB", .kind = TA_OPT_NUMBER, .help = "size of the large file of 'file' (default 256)",
		.offset = offsetof(struct values, file_mib), .unset = 256, .min = 1, .max = 4096},
	{.name = "label", .arg = "TEXT", .kind = TA_OPT_STRING,
		.help = "name of this configuration in the row of cold and warm MB/s that 'file' prints",
		.offset = offsetof(struct values, label)},
	{.name = "pin", .kind = TA_OPT_FLAG,
		.help = "the built-in server on the first half of the CPUs, the client on the others, each of its threads on one",
		.offset = offsetof(struct values, pin)},
	{.name = "listen", .arg = "ADDR[:PORT]", .kind = TA_OPT_STRING,
		.help = "of 'load serve': serves load runs on other machines (TARGET tuneaudit://ADDR:PORT), whatever workload they "
			"ask for; on an address that is not loopback only who knows the token",
		.offset = offsetof(struct values, listen)},
	{.name = "token-file", .arg = "FILE", .kind = TA_OPT_STRING,
		.help = "the token of 'load serve --listen', at both ends (default: TUNEAUDIT_TOKEN of the environment; 'serve' makes "
			"and prints one where it needs one)",
		.offset = offsetof(struct values, token_file)},
	{.name = "port", .arg = "PORT", .kind = TA_OPT_NUMBER, .help = "of 'load serve' (default: the kernel chooses)",
		.offset = offsetof(struct values, port), .max = 65535},
	{.name = "format", .arg = "text|json|hgrm", .kind = TA_OPT_STRING,
		.help = "text for people (default), json for programs, hgrm for plotters of HdrHistogram",
		.offset = offsetof(struct values, format)},
};

static volatile sig_atomic_t stopped; /* the signal */

static void stop(int signal)
{
	stopped = signal;
}

static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESETHAND};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

/* --- the line on a terminal -------------------------------------------------- */

/* In 78 columns: what does not fit is the least important. */
static void show_progress(const struct ta_load_progress *p, void *ctx)
{
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;
	const struct ta_workload *w = ctx;

	ta_buf_printf(&line, "%u connections, %s%.0f of %.0f s, %.0f %s/s", p->connections, p->warming_up ? "warming up, " : "",
		p->elapsed_s, p->total_s, p->per_second, p->unit ? p->unit : w->counts ? w->counts : "requests");
	if (p->generator_share > 0)
		ta_buf_printf(&line, ", client %.0f %%", p->generator_share * 100);
	if (p->softirq > 0)
		ta_buf_printf(&line, ", softirq %.0f %%", p->softirq * 100);
	if (p->mhz > 0)
		ta_buf_printf(&line, ", %.0f MHz", p->mhz);
	ta_progress_show(ta_buf_text(&line));
}

/* --- options ------------------------------------------------------------------ */

static const struct ta_workload *find_workload(const char *name)
{
	const struct ta_workload *found = ta_workload_find(name);
	struct ta_nearest near = TA_NEAREST(name);
	ta_cleanup_buf struct ta_buf list = TA_BUF_INIT;

	if (found)
		return found;
	for (size_t i = 0; i < ta_n_workloads; i++) {
		ta_nearest_try(&near, ta_workloads[i]->name);
		ta_buf_printf(&list, " %s", ta_workloads[i]->name);
	}
	ta_nearest_try(&near, "serve");
	if (near.best)
		ta_cli_fail(0, "no workload '%s'; did you mean '%s'?", name, near.best);
	else
		ta_cli_fail(0, "no workload '%s'; there are:%s, and serve", name, ta_buf_text(&list));
	return NULL;
}

static int read_sweep(const struct values *v, const struct ta_workload *w, unsigned *ret, size_t *ret_n)
{
	unsigned most = w->max_connections ? w->max_connections : TA_LOAD_CONNECTIONS_MAX;

	if (v->sweep.n > TA_LOAD_POINTS_MAX)
		return ta_cli_fail(TA_EXIT_USAGE, "--sweep takes at most %u numbers", TA_LOAD_POINTS_MAX);
	if (v->sweep.n && v->connections)
		return ta_cli_fail(TA_EXIT_USAGE, "either --connections or --sweep");
	if (v->connections > most)
		return ta_cli_fail(TA_EXIT_USAGE, "%s takes at most %u connections", w->name, most);
	ret[0] = w->default_connections ? w->default_connections : 50;
	if (v->connections)
		ret[0] = (unsigned)v->connections;
	*ret_n = 1;
	for (size_t i = 0; i < v->sweep.n; i++) {
		uint64_t n;

		if (ta_parse_u64(v->sweep.v[i], &n) < 0 || n < 1 || n > most)
			return ta_cli_fail(TA_EXIT_USAGE, "--sweep: '%s' is no number from 1 to %u", v->sweep.v[i],
				most);
		ret[i] = (unsigned)n;
		*ret_n = i + 1;
	}
	return TA_EXIT_OK;
}

/* An option that the workload would not look at is a mistake, not a wish that comes true. */
static int check_owner(const struct values *v, const struct ta_workload *w)
{
	const struct {
		bool given;
		const char *name, *owner;
	} all[] = {
		{v->set != 10, "set", "kv"},
		{v->keys != 10000, "keys", "kv"},
		{v->value_size != 3, "value-size", "kv"},
		{v->direction, "direction", "stream"},
		{v->discard, "discard", "stream"},
		{v->udp, "udp", "stream"},
		{v->datagram != 1448, "datagram", "stream"},
		{v->headers.n, "header", "http"},
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(all); i++)
		if (all[i].given && strcmp(all[i].owner, w->name) != 0)
			return ta_cli_fail(TA_EXIT_USAGE, "--%s is an option of 'load %s'", all[i].name, all[i].owner);
	return TA_EXIT_OK;
}

/* In the order of enum ta_stream_direction. */
static const char *const directions[] = {"up", "down", "both", NULL};

static const char *const formats[] = {"text", "json", "hgrm", NULL};

/* The host is read when the load is over, so that it does not disturb it. */
static void print(struct ta_cli *cli, int format, const struct ta_load_result *r)
{
	struct json_object *fingerprint = NULL;

	if (format < 2)
		ta_cli_fingerprint(&fingerprint);
	if (format == 0)
		ta_report_load_text(r, fingerprint, cli->columns, &cli->out);
	else if (format == 1)
		ta_report_load_json(r, fingerprint, &cli->out);
	else
		ta_report_load_hgrm(r, &cli->out);
	json_object_put(fingerprint);
}

static bool any_errors(const struct ta_load_result *r)
{
	if (ta_load_counts_errors(&r->failures))
		return true;
	for (size_t i = 0; i < r->n_points; i++)
		if (ta_load_counts_errors(&r->points[i].counts))
			return true;
	return false;
}

static int run_load(struct ta_cli *cli, const struct ta_load_options *o, int format)
{
	ta_cleanup_session struct ta_session s = TA_SESSION_INIT;
	struct ta_load_result result;
	struct ta_err err;
	int rc = ta_host_live(&s.host, &err);

	if (rc == 0)
		rc = ta_load_run(s.host, o, &result, &err);
	ta_progress_erase();
	if (rc < 0 && stopped)
		return 128 + stopped;
	if (rc == -ENOMEM)
		return ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
	if (rc < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "%s", err.text);
	print(cli, format, &result);
	rc = any_errors(&result) ? TA_EXIT_FINDINGS : TA_EXIT_OK;
	ta_load_result_done(&result);
	return stopped ? 128 + stopped : rc;
}

static int load(struct ta_cli *cli, const struct values *v, const struct ta_workload *workload, const char *target)
{
	ta_cleanup_buf struct ta_buf token = TA_BUF_INIT;
	unsigned sweep[TA_LOAD_POINTS_MAX];
	struct ta_load_options o = {
		.workload = workload,
		.target = target,
		.headers = &v->headers,
		.stream = {.discard = v->discard, .udp = v->udp, .datagram_bytes = (unsigned)v->datagram},
		.kv = {(unsigned)v->set, (uint32_t)v->keys, (uint32_t)v->value_size, getenv("REDISCLI_AUTH")},
		.sweep = sweep,
		.threads = (unsigned)v->threads,
		.pipeline = (unsigned)v->pipeline,
		.repeats = (unsigned)v->repeat,
		.rate = (double)v->rate,
		.warmup_ns = (uint64_t)v->warmup * TA_NS_PER_MS,
		.duration_ns = (uint64_t)v->duration * TA_NS_PER_MS,
		.timeout_ns = (uint64_t)v->timeout * TA_NS_PER_MS,
		.engine = v->engine && strcmp(v->engine, "auto") ? v->engine : NULL,
		.dir = v->dir,
		.backlog = (unsigned)v->backlog,
		.close = v->close,
		.host_network = v->host_network,
		.pin = v->pin,
		.file_bytes = (uint64_t)v->file_mib << 20,
		.label = v->label,
		.stop = &stopped,
	};
	int format = ta_cli_choose("format", v->format, formats);
	int direction = ta_cli_choose("direction", v->direction, directions);
	int code = format < 0 || direction < 0 ? TA_EXIT_USAGE : read_sweep(v, workload, sweep, &o.n_sweep);

	if (code == TA_EXIT_OK)
		code = check_owner(v, workload);
	if (code == TA_EXIT_OK && format == 2 && workload->no_latencies)
		return ta_cli_fail(TA_EXIT_USAGE, "--format hgrm: %s measures no latencies; text or json", workload->name);
	o.stream.direction = (enum ta_stream_direction)direction;
	if (code == TA_EXIT_OK)
		code = ta_cli_token(v->token_file, &token);
	if (code != TA_EXIT_OK)
		return code;
	o.token = token.len ? ta_buf_text(&token) : NULL;
	if (ta_progress_is_wanted(cli->quiet))
		o.progress = show_progress;
	o.progress_ctx = (void *)(uintptr_t)workload;
	catch_signals();
	return run_load(cli, &o, format);
}

/* --- load serve ---------------------------------------------------------------- */

static void tell_address(const struct sockaddr *addr, socklen_t len, void *ctx)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)addr;
	char line[64];
	int n = snprintf(line, sizeof(line), "%s://127.0.0.1:%u/\n", (const char *)ctx, (unsigned)ntohs(in->sin_port));

	ta_system_write(STDOUT_FILENO, line, (size_t)n);
}

static int serve(const struct values *v, const struct ta_workload *workload)
{
	struct ta_server_options o = {.service = ta_service_find(workload->name), .body_bytes = 2,
		.threads = v->threads ? (unsigned)v->threads : 1, .dir = v->dir};
	struct ta_err err;

	if (!o.service)
		return ta_cli_fail(TA_EXIT_USAGE, "%s has no server of its own", workload->name);
	ta_server_on_loopback(&o, (unsigned)v->port);
	catch_signals();
	if (ta_server_run(&o, &stopped, tell_address, (void *)workload->scheme, &err) < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "%s", err.text);
	return 128 + stopped;
}

static int serve_peers(const struct values *v)
{
	catch_signals();
	return ta_cli_serve_peers(v->listen, v->token_file, v->dir, &stopped);
}

static int run(struct ta_cli *cli, void *values, const struct ta_strv *args)
{
	const struct ta_workload *workload;

	if (!strcmp(args->v[0], "serve")) {
		if (((const struct values *)values)->listen && args->n > 1)
			return ta_cli_fail(TA_EXIT_USAGE, "with --listen the other end says which workload it is");
		if (((const struct values *)values)->listen)
			return serve_peers(values);
		workload = find_workload(args->n > 1 ? args->v[1] : "http");
		return workload ? serve(values, workload) : TA_EXIT_USAGE;
	}
	workload = find_workload(args->v[0]);
	if (!workload)
		return TA_EXIT_USAGE;
	return load(cli, values, workload, args->n > 1 ? args->v[1] : NULL);
}

const struct ta_command ta_command_load = {
	.name = "load",
	.args = "WORKLOAD [TARGET] | serve [WORKLOAD] | serve --listen ADDR[:PORT]",
	.summary = "measures how much a server takes, and what bounds it",
	.about = "Sends requests to TARGET, or to a server of its own on loopback that is started for the run, and tells requests "
		 "per second, latencies, and what the machine did meanwhile. WORKLOAD is one of\n\n"
		 "http: GET requests over connections that stay open; TARGET is http://HOST:PORT/PATH.\n\n"
		 "kv: GET and SET of a Redis or its kin, redis://HOST:PORT/DB; a password is taken from the environment variable "
		 "REDISCLI_AUTH.\n\n"
		 "connect: how many new connections a second, and how they are accepted best; TARGET is tcp://HOST:PORT.\n\n"
		 "hold: how many connections stay open, and what each takes; TARGET is tcp://HOST:PORT, http://HOST:PORT/PATH or a peer.\n\n"
		 "file: one large file and many small ones by sendfile, splice, MSG_ZEROCOPY and io_uring's zero-copy send, cold and "
		 "cached; with TARGET (http://HOST:PORT/PATH) that file of another server.\n\n"
		 "stream: bytes over TCP, or datagrams over UDP, tcp://HOST:PORT; the other end is 'tuneaudit load serve stream', or "
		 "anything that takes what is sent.\n\n"
		 "floor: what this machine gives at best, layer by layer.\n\n"
		 "'load serve' runs the built-in server of a workload (http if none is named) on loopback until it is ended; with --listen it "
		 "serves load runs on other machines, whose TARGET is then tuneaudit://ADDR:PORT.",
	.exits = "0\tmeasured, and every request was answered\n"
		 "1\tmeasured, and requests failed: the first line says how many and how\n"
		 "2\twrong usage, or nothing could be measured\n"
		 "70\tinternal error\n"
		 "128+n\tended by signal n; what was measured until then is printed\n",
	.examples = "tuneaudit load http\twhat this machine's own loopback takes\n"
		    "tuneaudit load http http://127.0.0.1:8080/ --sweep 10,20,50,100,200\twhere the peak of a server is\n"
		    "tuneaudit load http http://127.0.0.1:8080/ --rate 2000 -c 100\tlatencies at a fixed rate\n"
		    "tuneaudit load kv redis://127.0.0.1 --pipeline 16\tas redis-benchmark -P 16, one request in ten writes\n"
		    "tuneaudit load connect --backlog 16\twhat a short accept queue costs\n"
		    "tuneaudit load hold -c 100000\twhether this host holds that many\n"
		    "tuneaudit load file --dir /srv\tfiles from that disk, in each way to send them\n"
		    "tuneaudit load stream -c 4 --direction both\thow many bytes a second this machine's TCP moves\n"
		    "tuneaudit load stream --udp --rate 100000\tdatagrams, with what is lost and how evenly they come\n"
		    "tuneaudit load serve --listen 192.0.2.1:7411\tthe other end for runs over the wire; prints the token they need\n"
		    "tuneaudit load http tuneaudit://192.0.2.1:7411\tsuch a run, with the token in TUNEAUDIT_TOKEN\n"
		    "tuneaudit load floor\twhat loopback, memory, disk and wake-ups give here\n",
	.options = options,
	.n_options = TA_ARRAY_SIZE(options),
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = 2,
	.run = run,
};
