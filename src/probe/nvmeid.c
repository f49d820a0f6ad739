/*
 * A command that takes too long makes the driver reset the controller (nvme_timeout(), drivers/nvme/host/pci.c): the
 * time-out is left at the driver's own, so that we never cause what would not have come anyway.
 */
#include "probe/nvmeid.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "host/host.h"

#define ADMIN_IDENTIFY 0x06
#define ADMIN_GET_FEATURES 0x0a
#define CNS_CONTROLLER 1
#define FEATURE_APST 0x0c
#define IDENTIFY_SIZE 4096
#define TABLE_SIZE 256 /* 32 entries of 8 bytes */
#define NPSS 263
#define APSTA 265
#define STATES 2048
#define STATE_SIZE 32
#define KEPT_HEAD 2 /* NPSS, APSTA */

static uint32_t le32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void state_parse(const uint8_t *d, struct ta_nvme_state *ret)
{
	uint32_t power = (uint32_t)d[0] | (uint32_t)d[1] << 8;

	*ret = (struct ta_nvme_state){
		.max_power_uw = power * (d[3] & 1 ? 100 : 10000), /* MXPS: 0.0001 W instead of 0.01 W */
		.operational = !(d[3] & 2),			  /* NOPS */
		.entry_us = le32(d + 4),
		.exit_us = le32(d + 8),
	};
}

int ta_nvme_identify_parse(const void *data, size_t len, struct ta_nvme_power *ret)
{
	const uint8_t *d = data;
	struct ta_nvme_power p = {0};

	if (len < KEPT_HEAD || d[0] >= TA_NVME_STATES || len < KEPT_HEAD + (d[0] + 1u) * STATE_SIZE)
		return -EBADMSG;
	p.capable = d[1] & 1;
	p.n = d[0] + 1u;
	for (size_t i = 0; i < p.n; i++)
		state_parse(d + KEPT_HEAD + i * STATE_SIZE, &p.v[i]);
	*ret = p;
	return 0;
}

int ta_nvme_table_parse(const void *data, size_t len, struct ta_nvme_power *p)
{
	const uint8_t *d = data;

	if (len < 4 + TABLE_SIZE)
		return -EBADMSG;
	p->enabled = d[0] & 1;
	/* Bits 3 to 7 are the state, 8 to 31 the time; the other half of an entry is reserved. */
	for (size_t i = 0; i < p->n; i++) {
		uint32_t entry = le32(d + 4 + i * 8);

		p->v[i].next = entry >> 3 & 31;
		p->v[i].idle_ms = entry >> 8;
	}
	return 0;
}

/* A positive result is the controller's: it does not know the command or its field. */
static int call_admin(const char *name, struct nvme_admin_cmd *cmd)
{
	char path[64];
	int fd, rc;

	snprintf(path, sizeof(path), "/dev/%.40s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	rc = ioctl(fd, NVME_IOCTL_ADMIN_CMD, cmd);
	rc = rc < 0 ? -errno : rc ? -EOPNOTSUPP : 0;
	close(fd);
	return rc;
}

static int call_identify(void *arg, struct ta_buf *ret)
{
	uint8_t data[IDENTIFY_SIZE] = {0};
	struct nvme_admin_cmd cmd = {.opcode = ADMIN_IDENTIFY, .addr = (uintptr_t)data, .data_len = sizeof(data),
		.cdw10 = CNS_CONTROLLER};
	int rc = call_admin(arg, &cmd);
	size_t n = TA_MIN(data[NPSS] + 1u, TA_NVME_STATES);

	if (rc)
		return rc;
	ta_buf_add(ret, &data[NPSS], 1);
	ta_buf_add(ret, &data[APSTA], 1);
	ta_buf_add(ret, &data[STATES], n * STATE_SIZE);
	return ret->error;
}

static int call_table(void *arg, struct ta_buf *ret)
{
	uint8_t data[TABLE_SIZE] = {0}, first[4];
	struct nvme_admin_cmd cmd = {.opcode = ADMIN_GET_FEATURES, .addr = (uintptr_t)data, .data_len = sizeof(data),
		.cdw10 = FEATURE_APST};
	int rc = call_admin(arg, &cmd);

	if (rc)
		return rc;
	for (int i = 0; i < 4; i++)
		first[i] = (uint8_t)(cmd.result >> 8 * i);
	ta_buf_add(ret, first, sizeof(first));
	ta_buf_add(ret, data, sizeof(data));
	return ret->error;
}

int ta_nvme_ask(struct ta_host *h, const char *name, struct ta_nvme_power *ret, int *ret_table)
{
	ta_cleanup_buf struct ta_buf answer = TA_BUF_INIT;
	struct ta_nvme_power p = {0};
	char key[96];
	int rc;

	snprintf(key, sizeof(key), "nvme/%.40s/identify", name);
	rc = ta_host_call(h, key, call_identify, (void *)name, &answer);
	if (!rc)
		rc = ta_nvme_identify_parse(ta_buf_text(&answer), answer.len, &p);
	*ret_table = rc;
	if (!rc) {
		snprintf(key, sizeof(key), "nvme/%.40s/apst", name);
		*ret_table = ta_host_call(h, key, call_table, (void *)name, &answer);
	}
	if (!*ret_table)
		*ret_table = ta_nvme_table_parse(ta_buf_text(&answer), answer.len, &p);
	*ret = p;
	return rc;
}
