#include "load/uring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "load/load.h"

#define SQ_ENTRIES 1024u
#define CQ_ENTRIES 8192u
#define BUFFERS 512u /* a power of two */

static int init_ring(struct io_uring *ring)
{
	struct io_uring_params params = {
		.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE,
		.cq_entries = CQ_ENTRIES,
	};

	return io_uring_queue_init_params(SQ_ENTRIES, ring, &params);
}

static void give(struct ta_uring *u, unsigned id)
{
	io_uring_buf_ring_add(u->buffers, u->memory + (size_t)id * TA_URING_BUFFER_BYTES, TA_URING_BUFFER_BYTES,
		(unsigned short)id, io_uring_buf_ring_mask(BUFFERS), (int)u->returned++);
}

static void publish(struct ta_uring *u)
{
	io_uring_buf_ring_advance(u->buffers, (int)u->returned);
	u->returned = 0;
}

static int init_buffers(struct ta_uring *u)
{
	struct io_uring_buf_reg reg = {.ring_entries = BUFFERS, .bgid = TA_URING_GROUP};
	void *ring = NULL;
	int rc;

	u->memory = malloc((size_t)BUFFERS * TA_URING_BUFFER_BYTES);
	if (!u->memory || posix_memalign(&ring, 4096, BUFFERS * sizeof(struct io_uring_buf)))
		return -ENOMEM;
	u->buffers = ring;
	io_uring_buf_ring_init(u->buffers);
	reg.ring_addr = (uint64_t)(uintptr_t)ring;
	rc = io_uring_register_buf_ring(&u->ring, &reg, 0);
	for (unsigned i = 0; rc == 0 && i < BUFFERS; i++)
		give(u, i);
	publish(u);
	return rc;
}

int ta_uring_init(struct ta_uring *u)
{
	int rc;

	*u = (struct ta_uring){.memory = NULL};
	rc = init_ring(&u->ring);
	if (rc < 0)
		return rc;
	rc = init_buffers(u);
	if (rc < 0)
		ta_uring_done(u);
	return rc;
}

void ta_uring_done(struct ta_uring *u)
{
	io_uring_queue_exit(&u->ring);
	free(u->buffers);
	free(u->memory);
}

int ta_uring_usable(struct ta_err *err)
{
	struct io_uring ring;
	int rc = init_ring(&ring);

	if (rc == 0) {
		io_uring_queue_exit(&ring);
		return 0;
	}
	if (rc == -ENOSYS)
		return ta_err_set(err, rc, "this kernel has no io_uring");
	if (rc == -EPERM)
		return ta_err_set(err, rc, "not permitted (kernel.io_uring_disabled, or a seccomp filter)");
	if (rc == -EINVAL)
		return ta_err_set(err, rc, "this kernel is older than 6.1");
	return ta_err_set(err, rc, "%s", ta_errno_text(rc));
}

struct io_uring_sqe *ta_uring_sqe(struct ta_uring *u)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&u->ring);

	if (sqe)
		return sqe;
	io_uring_submit(&u->ring);
	return io_uring_get_sqe(&u->ring);
}

int ta_uring_receive(struct ta_uring *u, int fd, uint64_t tag)
{
	struct io_uring_sqe *sqe = ta_uring_sqe(u);

	if (!sqe)
		return -EAGAIN;
	io_uring_prep_recv_multishot(sqe, fd, NULL, 0, 0);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = TA_URING_GROUP;
	io_uring_sqe_set_data64(sqe, tag);
	return 0;
}

const char *ta_uring_data(const struct ta_uring *u, const struct io_uring_cqe *cqe)
{
	if (!(cqe->flags & IORING_CQE_F_BUFFER))
		return NULL;
	return u->memory + (size_t)(cqe->flags >> IORING_CQE_BUFFER_SHIFT) * TA_URING_BUFFER_BYTES;
}

void ta_uring_return(struct ta_uring *u, const struct io_uring_cqe *cqe)
{
	if (cqe->flags & IORING_CQE_F_BUFFER)
		give(u, cqe->flags >> IORING_CQE_BUFFER_SHIFT);
}

int ta_uring_wait(struct ta_uring *u, unsigned completions, uint64_t ns)
{
	struct __kernel_timespec t = {(int64_t)(ns / TA_NS_PER_S), (long long)(ns % TA_NS_PER_S)};
	struct io_uring_cqe *cqe;
	int rc = io_uring_submit_and_wait_timeout(&u->ring, &cqe, completions, &t, NULL);

	return rc < 0 && rc != -ETIME && rc != -EINTR && rc != -EAGAIN && rc != -EBUSY ? rc : 0;
}

void ta_uring_advance(struct ta_uring *u, unsigned n)
{
	io_uring_cq_advance(&u->ring, n);
	publish(u);
}
