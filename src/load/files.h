/*
 * The files of the built-in file server, and the ways to send one. They are unnamed (host/scratch.h), made when a client asks
 * for them, and gone with the process.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "base/buf.h"
#include "host/scratch.h"

#define TA_FILES_LARGE_MAX (4ull << 30)
#define TA_FILES_SMALL_MAX (1ull << 20)
#define TA_FILES_MAX 512u

/* How a file gets into a socket. */
enum ta_file_way {
	TA_FILE_READ_WRITE, /* into memory of ours and out of it: what the others are held against */
	TA_FILE_SENDFILE,
	TA_FILE_SPLICE,	   /* by a pipe */
	TA_FILE_ZEROCOPY,  /* MSG_ZEROCOPY, from a mapping of the file */
	TA_FILE_SEND_ZC,   /* io_uring's, from a mapping of the file */
	TA_FILE_WAYS
};

const char *ta_file_way_name(enum ta_file_way way); /* "read-write": in requests and the JSON */
const char *ta_file_way_label(enum ta_file_way way); /* "read + write" */

struct ta_file {
	int fd;
	uint64_t bytes;
	void *map; /* NULL until somebody needs it */
};

/* What the kernel said of sends that it was to make without copying. */
struct ta_file_counts {
	_Atomic uint64_t sends, copied, direct;
};

struct ta_files {
	pthread_rwlock_t lock; /* written: the set changes, pages are dropped */
	pthread_mutex_t map_lock;
	const char *dir; /* where; NULL: chosen */
	struct ta_scratch_dir place;
	struct ta_file large, *small;
	unsigned n_small;
	struct ta_file_counts counts[TA_FILE_WAYS];
};

void ta_files_init(struct ta_files *f, const char *dir);
void ta_files_done(struct ta_files *f);

/* Replaces what there is. 0 or -errno with the text; then there are none. Takes as long as the disk does. */
int ta_files_make(struct ta_files *f, uint64_t large_bytes, unsigned n_small, uint64_t small_bytes, struct ta_err *err);

/* Drops the pages of all of them (or of the small ones); what is cached still. */
int ta_files_drop(struct ta_files *f, bool small, uint64_t *ret_left);

/* --- sending --------------------------------------------------------------------- */

struct ta_file_ring;

/* A connection's means. */
struct ta_file_sender {
	int sock; /* blocking, with SO_SNDTIMEO */
	struct ta_files *files;
	char *buffer;
	int pipe[2]; /* -1: none */
	struct ta_file_ring *ring;
	bool has_zerocopy;    /* SO_ZEROCOPY is set */
	uint32_t zc_sent, zc_done; /* of MSG_ZEROCOPY */
};

void ta_file_sender_init(struct ta_file_sender *s, int sock, struct ta_files *files);
void ta_file_sender_done(struct ta_file_sender *s);

/* Whether this kernel has it: 0 or -errno with the reason; what it needs is there then. */
int ta_file_sender_ready(struct ta_file_sender *s, enum ta_file_way way, struct ta_err *err);

/* The whole file. 0 or -errno; then the connection is of no use any more. After …_ready(). */
int ta_file_send(struct ta_file_sender *s, enum ta_file_way way, struct ta_file *file);

/* Takes what completions there are, so that the counts are whole. Waits up to `ms` for those that are missing. */
void ta_file_settle(struct ta_file_sender *s, unsigned ms);

/* --- of filesend_zc.c --- */
int ta_file_zc_ready(struct ta_file_sender *s, enum ta_file_way way, struct ta_err *err);
int ta_file_send_msg_zerocopy(struct ta_file_sender *s, const char *data, uint64_t bytes);
int ta_file_send_ring(struct ta_file_sender *s, const char *data, uint64_t bytes);
