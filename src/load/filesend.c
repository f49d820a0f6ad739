/*
 * Ways to get a file into a socket. Those that could send without copying say afterwards whether the kernel did:
 * filesend_zc.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/macros.h"
#include "load/files.h"

#define BUFFER_BYTES (128u << 10)
#define PIPE_BYTES (1u << 20)
#define SENDFILE_BYTES (2u << 20)

void ta_file_sender_init(struct ta_file_sender *s, int sock, struct ta_files *files)
{
	*s = (struct ta_file_sender){.sock = sock, .files = files, .pipe = {-1, -1}};
}

static int make_pipe(struct ta_file_sender *s)
{
	if (s->pipe[0] >= 0)
		return 0;
	if (pipe2(s->pipe, O_CLOEXEC) < 0)
		return -errno;
	/* What the limit of a user's pipes leaves of it is enough. */
	fcntl(s->pipe[1], F_SETPIPE_SZ, PIPE_BYTES);
	return 0;
}

int ta_file_sender_ready(struct ta_file_sender *s, enum ta_file_way way, struct ta_err *err)
{
	int rc = 0;

	if (way == TA_FILE_ZEROCOPY || way == TA_FILE_SEND_ZC)
		return ta_file_zc_ready(s, way, err);
	if (way == TA_FILE_SPLICE)
		rc = make_pipe(s);
	if (way == TA_FILE_READ_WRITE && !s->buffer) {
		s->buffer = malloc(BUFFER_BYTES);
		rc = s->buffer ? 0 : -ENOMEM;
	}
	return rc < 0 ? ta_err_set(err, rc, "%s", ta_errno_text(rc)) : 0;
}

/* What is sent of `bytes`; a client that takes nothing within SO_SNDTIMEO is given up. */
static int send_all(int sock, const char *data, size_t bytes)
{
	while (bytes) {
		ssize_t n = send(sock, data, bytes, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		bytes -= (size_t)n;
	}
	return 0;
}

static int by_read_write(struct ta_file_sender *s, const struct ta_file *file)
{
	for (uint64_t at = 0; at < file->bytes;) {
		long n = ta_scratch_read(file->fd, s->buffer, BUFFER_BYTES, at);
		int rc = n < 0 ? (int)n : n == 0 ? -EIO : send_all(s->sock, s->buffer, (size_t)n);

		if (rc < 0)
			return rc;
		at += (uint64_t)n;
	}
	return 0;
}

static int by_sendfile(struct ta_file_sender *s, const struct ta_file *file)
{
	off_t at = 0;

	while ((uint64_t)at < file->bytes) {
		ssize_t n = sendfile(s->sock, file->fd, &at, (size_t)TA_MIN(file->bytes - (uint64_t)at, SENDFILE_BYTES));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
	}
	return 0;
}

static int drain_pipe(struct ta_file_sender *s, size_t bytes, bool more)
{
	while (bytes) {
		ssize_t n = splice(s->pipe[0], NULL, s->sock, NULL, bytes, SPLICE_F_MOVE | (more ? SPLICE_F_MORE : 0));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		bytes -= (size_t)n;
	}
	return 0;
}

static int by_splice(struct ta_file_sender *s, const struct ta_file *file)
{
	off_t at = 0;

	while ((uint64_t)at < file->bytes) {
		ssize_t n = splice(file->fd, &at, s->pipe[1], NULL, (size_t)TA_MIN(file->bytes - (uint64_t)at, PIPE_BYTES), SPLICE_F_MOVE);
		int rc;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		rc = drain_pipe(s, (size_t)n, (uint64_t)at < file->bytes);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* One mapping for all connections. */
static const char *mapping(struct ta_file_sender *s, struct ta_file *file)
{
	pthread_mutex_lock(&s->files->map_lock);
	if (!file->map)
		file->map = ta_scratch_map(file->fd, file->bytes);
	pthread_mutex_unlock(&s->files->map_lock);
	return file->map;
}

int ta_file_send(struct ta_file_sender *s, enum ta_file_way way, struct ta_file *file)
{
	const char *data;

	switch (way) {
	case TA_FILE_SENDFILE:
		return by_sendfile(s, file);
	case TA_FILE_SPLICE:
		return by_splice(s, file);
	case TA_FILE_ZEROCOPY:
		data = mapping(s, file);
		return data ? ta_file_send_msg_zerocopy(s, data, file->bytes) : -ENOMEM;
	case TA_FILE_SEND_ZC:
		data = mapping(s, file);
		return data ? ta_file_send_ring(s, data, file->bytes) : -ENOMEM;
	default:
		return by_read_write(s, file);
	}
}
