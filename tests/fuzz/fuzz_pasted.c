/* Pasted outputs from any bytes: no crash, no name or value from beyond the text, and what is told keeps its bounds. */
#include <stdlib.h>
#include <string.h>

#include "host/sysctltext.h"
#include "probe/counttext.h"
#include "probe/iptext.h"
#include "probe/lscpu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(const struct ta_mib *m, void *ctx)
{
	if (m->name_len == 0 || m->group_len == 0 || m->negative)
		abort();
	++*(size_t *)ctx;
}

static void links(const char *text, size_t len)
{
	ta_cleanup_links struct ta_links links = TA_LINKS_INIT;

	if (ta_iptext_parse(text, len, &links) == 0 && (links.n == 0 || !links.by_index))
		abort();
}

static void sysctls(const char *text, size_t len)
{
	ta_cleanup_buf struct ta_buf in = TA_BUF_INIT, out = TA_BUF_INIT;
	struct ta_sysctl_text s = {0};

	ta_buf_add(&in, text, len);
	if (ta_sysctl_text_parse(&in, &s) < 0)
		return;
	if (ta_sysctl_text_get(&s, "/proc/sys/net/core/somaxconn", &out) == 0 &&
		!ta_sysctl_text_has(&s, "/proc/sys/net/core"))
		abort();
	ta_sysctl_text_has(&s, "/proc/sys/net/ipv4/conf/eth0.1");
	ta_sysctl_text_done(&s);
}

/* The first byte says what the rest is an output of. */
static void one(char kind, const char *text, size_t size)
{
	struct ta_lscpu lscpu;
	size_t n = 0;
	int rc = 0;

	if (kind == 'n')
		rc = ta_nstat_each(text, size, look, &n);
	else if (kind == 's')
		rc = ta_netstat_each(text, size, look, &n);
	else if (kind == 'i')
		links(text, size);
	else if (kind == 'c')
		ta_lscpu_parse(text, size, &lscpu);
	else if (kind == 'y')
		sysctls(text, size);
	if (rc > 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size == 0 || size > 16384)
		return 0;
	/* Exactly as many bytes, so that a look behind them is seen. */
	text = malloc(size);
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	one((char)data[0], text, size - 1);
	free(text);
	return 0;
}
