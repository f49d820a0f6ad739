#include "fix/where.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "host/change.h"

void ta_where_done(struct ta_where *w)
{
	free(w->host);
	free(w->machine);
	free(w->boot);
	free(w->netns);
	free(w->kernel);
	*w = (struct ta_where){0};
}

uint64_t ta_sum_add(uint64_t sum, const char *text)
{
	const unsigned char *s = (const unsigned char *)(text ? text : "");

	/* the NUL too, so that "a" "bc" is not "ab" "c" */
	do
		sum = (sum ^ *s) * 0x100000001b3u;
	while (*s++);
	return sum;
}

#define SUM_KEY ",\"sum\":\""
#define SUM_DIGITS 16
#define SUM_END "\"}"
#define SUM_TAIL (sizeof(SUM_KEY) - 1 + SUM_DIGITS + sizeof(SUM_END) - 1)

void ta_sum_close(struct ta_buf *b, size_t start)
{
	uint64_t sum = ta_sum_add(TA_SUM_INIT, b->error ? NULL : b->data + start);

	ta_buf_printf(b, SUM_KEY "%016llx" SUM_END, (unsigned long long)sum);
}

bool ta_sum_is_right(const char *text, size_t len)
{
	ta_cleanup_buf struct ta_buf body = TA_BUF_INIT, digits = TA_BUF_INIT;
	uint64_t sum;

	if (len <= SUM_TAIL || memchr(text, '\0', len))
		return false;
	ta_buf_add(&body, text, len - SUM_TAIL);
	text += len - SUM_TAIL;
	if (strncmp(text, SUM_KEY, strlen(SUM_KEY)) != 0 || strncmp(text + SUM_TAIL - strlen(SUM_END), SUM_END, strlen(SUM_END)) != 0)
		return false;
	ta_buf_add(&digits, text + strlen(SUM_KEY), SUM_DIGITS);
	return !body.error && ta_parse_hex(ta_buf_text(&digits), &sum) == 0 && ta_sum_add(TA_SUM_INIT, body.data) == sum;
}

/* A file of one word. */
static char *word_of(struct ta_host *h, const char *path)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	if (ta_host_read(h, path, 4096, &b) < 0)
		return strdup("");
	return strdup(b.data ? ta_strip(b.data) : "");
}

/* Of a capture the id is not known: /etc is kept back there. */
static char *machine_of(struct ta_host *h)
{
	ta_cleanup_buf struct ta_buf id = TA_BUF_INIT, text = TA_BUF_INIT;

	if (ta_host_own(h, "/etc/machine-id", 4096, &id) < 0 || id.len < 32)
		return strdup("");
	ta_buf_printf(&text, "%016llx", (unsigned long long)ta_sum_add(ta_sum_add(TA_SUM_INIT, "tuneaudit"), ta_strip(id.data)));
	return ta_buf_steal(&text);
}

static char *netns_of(struct ta_host *h)
{
	ta_cleanup_buf struct ta_buf id = TA_BUF_INIT;

	return strdup(ta_host_netns_id(h, &id) < 0 ? "" : ta_buf_text(&id));
}

int ta_where_read(struct ta_host *h, struct ta_where *ret)
{
	struct ta_where w = {
		.host = word_of(h, "/proc/sys/kernel/hostname"),
		.machine = machine_of(h),
		.boot = word_of(h, "/proc/sys/kernel/random/boot_id"),
		.netns = netns_of(h),
		.kernel = word_of(h, "/proc/sys/kernel/osrelease"),
	};

	if (!w.host || !w.machine || !w.boot || !w.netns || !w.kernel) {
		ta_where_done(&w);
		return -ENOMEM;
	}
	*ret = w;
	return 0;
}

bool ta_where_same_boot(const struct ta_where *a, const struct ta_where *b)
{
	return *a->boot && strcmp(a->boot, b->boot) == 0;
}

int ta_where_check(const struct ta_where *made, const struct ta_where *now, struct ta_err *err)
{
	if (strcmp(made->machine, now->machine) != 0)
		return ta_err_set(err, -EXDEV, "it was made on another host (%s), this is %s", made->host, now->host);
	/* Without machine ids the name is all there is. */
	if (!*now->machine && strcmp(made->host, now->host) != 0)
		return ta_err_set(err, -EXDEV, "it was made on the host %s, this is %s", made->host, now->host);
	if (ta_where_same_boot(made, now) && strcmp(made->netns, now->netns) != 0)
		return ta_err_set(err, -EXDEV, "it was made in another network namespace (%s), this is %s", made->netns,
			now->netns);
	return 0;
}
