/* /proc/meminfo, the kernel's command line and its release from any bytes. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "probe/kcmdline.h"
#include "probe/meminfo.h"
#include "probe/version.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int word(const char *key, const char *value, void *ctx)
{
	if (!*key || strchr(key, '=') || strchr(key, '-') || strlen(key) + strlen(value) > 255)
		abort();
	return ++*(int *)ctx > 1024 ? abort(), 1 : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_meminfo m;
	int64_t v[3];
	int words = 0;

	ta_meminfo_parse((const char *)data, size, &m);
	for (int k = 0; k < TA_MEM_KEYS; k++)
		if (!m.has[k] && m.value[k])
			abort();
	(void)ta_kcmdline_parse((const char *)data, size, word, &words);
	ta_buf_add(&text, data, size);
	if (ta_version_parse(ta_buf_text(&text), v) == 0 && (v[0] < 0 || v[1] < 0 || v[2] < 0))
		abort();
	return 0;
}
