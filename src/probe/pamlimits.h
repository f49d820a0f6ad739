/*
 * What a login gets: limits.conf(5) and limits.d, as pam_limits reads them (modules/pam_limits/pam_limits.c of
 * Linux-PAM 1.4 to 1.7). Services of systemd do not pass through it.
 */
#pragma once

#include "host/host.h"

struct ta_pam_limit {
	bool given, unlimited;
	uint64_t value;
	char place[300]; /* FILE:LINE */
};

struct ta_pam_limits {
	/* Soft and hard descriptor limits: of root, whom neither '*' nor groups mean, and of everybody else. */
	struct ta_pam_limit root[2], others[2];
	bool more; /* lines for users or groups that are not told of */
	int rc;	   /* a file that could not be read: 0 or -errno, and which */
	char hole[256];
};

/* Lines of one file on top of those before. Bytes in. */
void ta_pam_limits_parse(const char *text, const char *file, struct ta_pam_limits *ret);

/* 0 or -ENOMEM. */
int ta_pam_limits_read(struct ta_host *h, struct ta_pam_limits *ret);
