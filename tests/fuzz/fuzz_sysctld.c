/*
 * Files of sysctl.d and profiles of TuneD: any bytes. The first byte chooses; behind it a sysctl file, or a profile.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "probe/setters.h"
#include "probe/sysctld.h"
#include "probe/tuned.h"

static const char *const names[] = {"net.core.somaxconn", "vm.swappiness", "net.ipv4.conf.all.rp_filter", "net.ipv4.ip_forward",
	"net.ipv4.conf.all.forwarding"};

/* Keys come as clean paths; what holds is found without a crash. */
static int take(const struct ta_sysctl_line *line, void *ctx)
{
	size_t n = strlen(line->key);

	if (!n || line->key[0] == '/' || line->key[n - 1] == '/' || strstr(line->key, "//"))
		abort();
	if (!line->pattern && !strchr(line->key, '\\') && !ta_sysctl_matches(line->key, line->key) && line->key[0] != '.' &&
		!strstr(line->key, "/."))
		abort();
	return ta_setters_line(ctx, TA_SET_FILE, line->number, line->key, line->pattern, line->value);
}

static int count(const char *section, const char *key, const char *value, unsigned line, void *ctx)
{
	*(size_t *)ctx += strlen(section) + strlen(key) + strlen(value) + line;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ta_cleanup_setters struct ta_setters s = {0};
	size_t n = 0;

	if (!size)
		return 0;
	if (data[0] & 1) {
		ta_tuned_parse((const char *)data + 1, size - 1, count, &n);
		return 0;
	}
	if (ta_setters_init(&s, names, TA_ARRAY_SIZE(names)) || ta_setters_file(&s, "/etc/sysctl.d/a.conf"))
		return 0;
	ta_sysctld_parse((const char *)data + 1, size - 1, take, &s);
	for (size_t i = 0; i < s.n_keys; i++) {
		ta_cleanup_buf struct ta_buf place = TA_BUF_INIT;
		struct ta_set_result r;

		ta_setters_result(&s, &s.keys[i], &r);
		if (r.winner)
			ta_setter_place(&s, r.winner, &place);
		if (r.winner && !r.winner->value)
			abort();
	}
	return 0;
}
