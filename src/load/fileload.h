/*
 * What a run of the workload `file` measures, and how it is told.
 */
#pragma once

#include "load/files.h"
#include "load/stage.h"

/* Replies of one kind. */
struct ta_file_cell {
	uint64_t replies, bytes; /* whole ones */
	double seconds; /* measured, all repetitions */
	double per_second, bytes_per_second; /* of all connections together */
	double server_s, client_s; /* CPU */
	uint64_t cached_before; /* cold: bytes that were in memory all the same */
};

enum { TA_FILE_COLD, TA_FILE_CACHED, TA_FILE_STATES };

struct ta_file_result {
	bool has;
	char why[200]; /* not */
	struct ta_file_cell large[TA_FILE_STATES], small[TA_FILE_STATES];
	struct ta_hist hist; /* of cached small replies, ns */
	uint64_t sends, copied, direct; /* what the kernel reported */
};

struct ta_file_run {
	struct ta_stage *stage;
	unsigned connections;
	uint64_t large_bytes, small_bytes;
	unsigned n_small;
	char dir[256], kind[24], device[64];
	bool in_memory;
	struct ta_file_result ways[TA_FILE_WAYS];
	struct ta_load_counts counts; /* of all */
	double loopback_bytes_per_second; /* of the floor; 0: not measured */
};

/* Into the figures of the result. */
void ta_file_tell(struct ta_file_run *run);

/* One line in the shape of tables that compare configurations: cold and warm MB/s, softirq. */
void ta_file_tell_row(struct ta_stage *s, double cold, double warm);
