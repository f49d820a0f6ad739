/*
 * How a run of `file` is told: a table of the large file, one of the small ones, and what the kernel said of copying.
 */
#include "load/fileload.h"

#include <stdio.h>
#include <string.h>

#define SOFTIRQ_TOLD 0.02
#define NEAR_FLOOR 0.85

static void cell(struct ta_load_table *t, double value, unsigned decimals)
{
	if (value > 0)
		ta_load_table_number(t, value, decimals);
	else
		ta_load_table_text(t, "-");
}

static double per(double what, uint64_t n, double scale)
{
	return n ? what * scale / (double)n : 0;
}

/* In a word or two. Only zero-copy sends are reported; of pages handed over by sendfile and splice the kernel says nothing. */
static void describe_copies(enum ta_file_way way, const struct ta_file_result *r, char *ret, size_t size)
{
	uint64_t told = r->copied + r->direct;

	if (way == TA_FILE_READ_WRITE)
		snprintf(ret, size, "twice");
	else if (way == TA_FILE_SENDFILE || way == TA_FILE_SPLICE)
		snprintf(ret, size, "not told");
	else if (!told)
		snprintf(ret, size, "not told");
	else
		snprintf(ret, size, "%s", !r->direct ? "all" : !r->copied ? "none" : "some");
}

static void tell_large(struct ta_file_run *run)
{
	char title[64];
	struct ta_load_table *t;

	snprintf(title, sizeof(title), "One file of %llu MiB", (unsigned long long)(run->large_bytes >> 20));
	t = ta_figures_table(&run->stage->result->figures, "large_file", title,
		"path|cold MB/s|cached MB/s|server us/MB|client us/MB|copied");
	for (unsigned way = 0; way < TA_FILE_WAYS; way++) {
		const struct ta_file_result *r = &run->ways[way];
		const struct ta_file_cell *c = &r->large[TA_FILE_CACHED];
		char copies[24];

		if (!r->has)
			continue;
		describe_copies(way, r, copies, sizeof(copies));
		ta_load_table_text(t, ta_file_way_label(way));
		cell(t, r->large[TA_FILE_COLD].bytes_per_second / 1e6, 0);
		cell(t, c->bytes_per_second / 1e6, 0);
		cell(t, per(c->server_s, c->bytes, 1e12), 0);
		cell(t, per(c->client_s, c->bytes, 1e12), 0);
		ta_load_table_text(t, copies);
	}
}

static void tell_small(struct ta_file_run *run)
{
	char title[64];
	struct ta_load_table *t;

	snprintf(title, sizeof(title), "%u files of %llu KiB", run->n_small, (unsigned long long)(run->small_bytes >> 10));
	t = ta_figures_table(&run->stage->result->figures, "small_files", title,
		"path|cold files/s|cached files/s|cached MB/s|server us/file|p99 us");
	for (unsigned way = 0; way < TA_FILE_WAYS; way++) {
		const struct ta_file_result *r = &run->ways[way];
		const struct ta_file_cell *c = &r->small[TA_FILE_CACHED];

		if (!r->has)
			continue;
		ta_load_table_text(t, ta_file_way_label(way));
		cell(t, r->small[TA_FILE_COLD].per_second, 0);
		cell(t, c->per_second, 0);
		cell(t, c->bytes_per_second / 1e6, 0);
		cell(t, per(c->server_s, c->replies, 1e6), 1);
		cell(t, (double)ta_hist_percentile(&r->hist, 99) / 1e3, 0);
	}
}

static void tell_reports(struct ta_file_run *run)
{
	struct ta_figures *f = &run->stage->result->figures;

	for (unsigned way = TA_FILE_ZEROCOPY; way < TA_FILE_WAYS; way++) {
		const struct ta_file_result *r = &run->ways[way];
		const char *label = ta_file_way_label(way);
		char key[48];

		if (!r->has)
			continue;
		snprintf(key, sizeof(key), "%s_copied", way == TA_FILE_ZEROCOPY ? "msg_zerocopy" : "send_zc");
		if (!r->copied && !r->direct)
			ta_figures_text(f, key, label, "the kernel did not say whether it copied (before 6.2 it cannot)");
		else
			ta_figures_number(f, key, label, (double)r->copied, "the kernel copied %llu of %llu sends all the same%s",
				(unsigned long long)r->copied, (unsigned long long)(r->copied + r->direct),
				r->direct ? "" : strcmp(run->stage->result->path, "wire") ? ": this path never does without" : "");
	}
	for (unsigned way = 0; way < TA_FILE_WAYS; way++) {
		const struct ta_file_result *r = &run->ways[way];
		char key[48];

		if (r->has)
			continue;
		snprintf(key, sizeof(key), "%s_missing", ta_file_way_name(way));
		ta_figures_text(f, key, ta_file_way_label(way), "not measured: %s", r->why);
	}
}

static void tell_place(struct ta_file_run *run)
{
	struct ta_figures *f = &run->stage->result->figures;
	uint64_t left = 0;

	for (unsigned way = 0; way < TA_FILE_WAYS; way++)
		left += run->ways[way].large[TA_FILE_COLD].cached_before + run->ways[way].small[TA_FILE_COLD].cached_before;
	ta_figures_text(f, "files", "Files", "in %s, %s%s%s; unnamed, of our own", run->dir, run->kind, run->device[0] ? " on " : "",
		run->device);
	if (run->in_memory)
		ta_figures_text(f, "cold", "Cold", "not measured: %s is in memory", run->dir);
	else
		ta_figures_number(f, "cold_left_bytes", "Cold", (double)left, left ? "%.0f bytes stayed in memory that were to be dropped"
			: "each file's pages were dropped before, and were gone", (double)left);
	if (run->loopback_bytes_per_second > 0)
		ta_figures_number(f, "floor_loopback_bytes_per_second", "Floor", run->loopback_bytes_per_second,
			"TCP over loopback without any file: %.0f MB/s", run->loopback_bytes_per_second / 1e6);
}

void ta_file_tell_row(struct ta_stage *s, double cold, double warm)
{
	const struct ta_load_result *r = s->result;
	ta_cleanup_buf struct ta_buf busy = TA_BUF_INIT;
	struct ta_load_table *t = ta_figures_table(&s->result->figures, "row", "As a row, to compare configurations",
		"configuration|cold MB/s|warm MB/s|softirq");

	ta_watch_read(s->host, s->result->after);
	for (unsigned i = 0; i < TA_MIN(r->before->n_cpus, r->after->n_cpus); i++) {
		double share = ta_watch_share(r->before, r->after, i).softirq;

		if (share >= SOFTIRQ_TOLD && busy.len < 40)
			ta_buf_printf(&busy, "%sCPU%u %.0f %%", busy.len ? ", " : "", i, share * 100);
	}
	ta_load_table_text(t, s->o->label ? s->o->label : "this run");
	cell(t, cold / 1e6, 0);
	cell(t, warm / 1e6, 0);
	ta_load_table_text(t, busy.len ? ta_buf_text(&busy) : "below 2 %");
}

/* The fastest way near what loopback takes without a file: then it is not the file that bounds it. */
static void tell_bound(struct ta_file_run *run)
{
	struct ta_load_result *r = run->stage->result;
	double best = 0;

	for (unsigned way = 0; way < TA_FILE_WAYS; way++)
		best = TA_MAX(best, run->ways[way].large[TA_FILE_CACHED].bytes_per_second);
	if (run->loopback_bytes_per_second > 0 && best >= NEAR_FLOOR * run->loopback_bytes_per_second)
		snprintf(r->bound, sizeof(r->bound), "TCP over loopback: the fastest way reaches %.0f %% of what it takes without a file",
			best / run->loopback_bytes_per_second * 100);
}

void ta_file_tell(struct ta_file_run *run)
{
	const struct ta_file_result *sendfile = &run->ways[TA_FILE_SENDFILE];

	tell_large(run);
	tell_small(run);
	ta_file_tell_row(run->stage, sendfile->large[TA_FILE_COLD].bytes_per_second,
		sendfile->large[TA_FILE_CACHED].bytes_per_second);
	tell_place(run);
	tell_reports(run);
	tell_bound(run);
}
