/*
 * The requests of the workload, as bytes.
 */
#include "load/kv/kv.h"

#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "load/run.h"

void ta_kv_add_get(struct ta_buf *b, uint32_t key)
{
	ta_buf_printf(b, "*2\r\n$3\r\nGET\r\n$17\r\n" TA_KV_KEY_FORMAT "\r\n", key);
}

void ta_kv_add_set(struct ta_buf *b, uint32_t key, uint32_t value_bytes)
{
	static const char text[] = "abcdefghijklmnopqrstuvwxyz0123456789";

	ta_buf_printf(b, "*3\r\n$3\r\nSET\r\n$17\r\n" TA_KV_KEY_FORMAT "\r\n$%u\r\n", key, value_bytes);
	for (uint32_t left = value_bytes; left;) {
		uint32_t n = TA_MIN(left, (uint32_t)sizeof(text) - 1);

		ta_buf_add(b, text, n);
		left -= n;
	}
	ta_buf_add(b, "\r\n", 2);
}

void ta_kv_add_del(struct ta_buf *b, uint32_t first, uint32_t n)
{
	/* DEL, which every server has. */
	ta_buf_printf(b, "*%u\r\n$3\r\nDEL\r\n", n + 1);
	for (uint32_t i = first; i < first + n; i++)
		ta_buf_printf(b, "$17\r\n" TA_KV_KEY_FORMAT "\r\n", i);
}

static void add_word(struct ta_buf *b, const char *word)
{
	ta_buf_printf(b, "$%zu\r\n%s\r\n", strlen(word), word);
}

int ta_kv_greeting(const struct ta_workload_options *o, struct ta_buf *b, struct ta_err *err)
{
	const char *path = o->target->path, *password = o->load->kv.password;
	uint64_t db;
	int n = 0;

	if (password && *password) {
		ta_buf_adds(b, "*2\r\n");
		add_word(b, "AUTH");
		add_word(b, password);
		n++;
	}
	if (strcmp(path, "/") != 0) {
		if (ta_parse_u64(path + 1, &db) < 0 || db > 65535)
			return ta_err_set(err, -EINVAL, "'%.80s': the path is the number of a database, as in redis://HOST:PORT/3", path);
		ta_buf_adds(b, "*2\r\n");
		add_word(b, "SELECT");
		add_word(b, path + 1);
		n++;
	}
	return b->error ? b->error : n;
}
