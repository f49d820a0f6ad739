/*
 * What an NVMe controller itself says of its power states: Identify Controller and Get Features (NVM Express Base
 * Specification 2.0, 5.17.2.1 and 5.27.1.10), asked by NVME_IOCTL_ADMIN_CMD of linux/nvme_ioctl.h. Both commands only
 * read.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ta_host;

#define TA_NVME_STATES 32

struct ta_nvme_state {
	uint32_t max_power_uw; /* 0: not told */
	bool operational;
	uint32_t entry_us, exit_us;
	/* Of the transition table: what it goes to after so long without a command; idle_ms 0: it stays. */
	unsigned next;
	uint32_t idle_ms;
};

struct ta_nvme_power {
	bool capable; /* autonomous transitions are there (APSTA) */
	size_t n; /* states */
	struct ta_nvme_state v[TA_NVME_STATES];
	bool enabled; /* they are on (APSTE); by ta_nvme_table_parse() */
};

/*
 * What is kept of the 4096 bytes of Identify Controller, which hold a serial number too: NPSS, APSTA, then the
 * descriptors of the states. 0, -EBADMSG (too short, more states than there can be).
 */
int ta_nvme_identify_parse(const void *data, size_t len, struct ta_nvme_power *ret);

/* Adds the answer to feature 0x0c: its first dword, then the table of 32 transitions. 0 or -EBADMSG. */
int ta_nvme_table_parse(const void *data, size_t len, struct ta_nvme_power *p);

/*
 * Asks /dev/NAME; what could not be asked leaves its part of `ret` zero. *ret_table: 0, -EOPNOTSUPP (the
 * controller does not know the feature) or -errno. Returns the same of Identify.
 */
int ta_nvme_ask(struct ta_host *h, const char *name, struct ta_nvme_power *ret, int *ret_table);
