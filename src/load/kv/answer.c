#include "load/kv/answer.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

static struct ta_kv_text arg(const struct ta_resp_request *r, unsigned i)
{
	return (struct ta_kv_text){r->args[i].at, r->args[i].len};
}

static bool is_word(const struct ta_resp_request *r, unsigned i, const char *word)
{
	return r->args[i].len == strlen(word) && !strncasecmp(r->args[i].at, word, r->args[i].len);
}

static void add_bulk(struct ta_buf *b, const char *at, size_t len)
{
	ta_buf_printf(b, "$%zu\r\n", len);
	ta_buf_add(b, at, len);
	ta_buf_add(b, "\r\n", 2);
}

static void add_ok(struct ta_buf *b)
{
	ta_buf_add(b, "+OK\r\n", 5);
}

static void get(struct ta_kv_table *t, const struct ta_resp_request *r, struct ta_buf *b)
{
	if (!ta_kv_table_get(t, arg(r, 1), b))
		ta_buf_add(b, "$-1\r\n", 5);
}

static void set(struct ta_kv_table *t, const struct ta_resp_request *r, struct ta_buf *b)
{
	int rc;

	if (r->n > 3) {
		ta_buf_adds(b, "-ERR syntax error: this server takes no options of SET\r\n");
		return;
	}
	if (r->args[1].len > TA_KV_KEY_MAX || r->args[2].len > TA_KV_VALUE_MAX) {
		ta_buf_printf(b, "-ERR keys have at most %u bytes here, values %u\r\n", TA_KV_KEY_MAX, TA_KV_VALUE_MAX);
		return;
	}
	rc = ta_kv_table_set(t, arg(r, 1), arg(r, 2));
	if (rc < 0)
		ta_buf_adds(b, "-OOM command not allowed when used memory > 'maxmemory'.\r\n");
	else
		add_ok(b);
}

static void del(struct ta_kv_table *t, const struct ta_resp_request *r, struct ta_buf *b)
{
	unsigned n = 0;

	for (unsigned i = 1; i < r->n; i++)
		n += ta_kv_table_remove(t, arg(r, i));
	ta_buf_printf(b, ":%u\r\n", n);
}

static void exists(struct ta_kv_table *t, const struct ta_resp_request *r, struct ta_buf *b)
{
	unsigned n = 0;

	for (unsigned i = 1; i < r->n; i++)
		n += ta_kv_table_has(t, arg(r, i));
	ta_buf_printf(b, ":%u\r\n", n);
}

static void ping(struct ta_kv_table *t, const struct ta_resp_request *r, struct ta_buf *b)
{
	if (r->n > 1)
		add_bulk(b, r->args[1].at, r->args[1].len);
	else
		ta_buf_add(b, "+PONG\r\n", 7);
}

static void echo(struct ta_kv_table *t, const struct ta_resp_request *r, struct ta_buf *b)
{
	add_bulk(b, r->args[1].at, r->args[1].len);
}

static void dbsize(struct ta_kv_table *t, const struct ta_resp_request *r, struct ta_buf *b)
{
	ta_buf_printf(b, ":%zu\r\n", ta_kv_table_keys(t));
}

static void flush(struct ta_kv_table *t, const struct ta_resp_request *r, struct ta_buf *b)
{
	ta_kv_table_clear(t);
	add_ok(b);
}

static void info(struct ta_kv_table *t, const struct ta_resp_request *r, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	ta_buf_printf(&text, "# Server\r\nserver_name:tuneaudit\r\ntuneaudit_version:%s\r\n\r\n# Memory\r\nused_memory:%zu\r\n"
			     "maxmemory:%zu\r\n\r\n# Keyspace\r\ndb0:keys=%zu,expires=0,avg_ttl=0\r\n",
		TA_VERSION, ta_kv_table_bytes(t), TA_KV_TABLE_BYTES, ta_kv_table_keys(t));
	add_bulk(b, ta_buf_text(&text), text.len);
}

static void select_db(struct ta_kv_table *t, const struct ta_resp_request *r, struct ta_buf *b)
{
	if (is_word(r, 1, "0"))
		add_ok(b);
	else
		ta_buf_adds(b, "-ERR DB index is out of range\r\n");
}

static void auth(struct ta_kv_table *t, const struct ta_resp_request *r, struct ta_buf *b)
{
	ta_buf_adds(b, "-ERR AUTH <password> called without any password configured for the default user.\r\n");
}

static void hello(struct ta_kv_table *t, const struct ta_resp_request *r, struct ta_buf *b)
{
	if (r->n > 1 && !is_word(r, 1, "2"))
		ta_buf_adds(b, "-NOPROTO unsupported protocol version\r\n");
	else
		ta_buf_adds(b, "*6\r\n$6\r\nserver\r\n$9\r\ntuneaudit\r\n$5\r\nproto\r\n:2\r\n$4\r\nmode\r\n$10\r\nstandalone\r\n");
}

/* Settings are there by any name, and empty: redis-benchmark asks for two of them. */
static void config(struct ta_kv_table *t, const struct ta_resp_request *r, struct ta_buf *b)
{
	if (r->n != 3 || !is_word(r, 1, "get")) {
		ta_buf_adds(b, "-ERR this server has no settings\r\n");
		return;
	}
	ta_buf_adds(b, "*2\r\n");
	add_bulk(b, r->args[2].at, r->args[2].len);
	ta_buf_adds(b, "$0\r\n\r\n");
}

/* The table of commands: none. */
static void nothing(struct ta_kv_table *t, const struct ta_resp_request *r, struct ta_buf *b)
{
	ta_buf_add(b, "*0\r\n", 4);
}

static void ok(struct ta_kv_table *t, const struct ta_resp_request *r, struct ta_buf *b)
{
	add_ok(b);
}

static const struct {
	const char *name;
	unsigned least, most; /* words, with the name */
	void (*answer)(struct ta_kv_table *t, const struct ta_resp_request *r, struct ta_buf *b);
} commands[] = {
	{"get", 2, 2, get},
	{"set", 3, TA_RESP_ARGS_MAX, set},
	{"ping", 1, 2, ping},
	{"del", 2, TA_RESP_ARGS_MAX, del},
	{"unlink", 2, TA_RESP_ARGS_MAX, del},
	{"exists", 2, TA_RESP_ARGS_MAX, exists},
	{"echo", 2, 2, echo},
	{"dbsize", 1, 1, dbsize},
	{"flushdb", 1, 2, flush},
	{"flushall", 1, 2, flush},
	{"info", 1, TA_RESP_ARGS_MAX, info},
	{"select", 2, 2, select_db},
	{"auth", 2, 3, auth},
	{"hello", 1, TA_RESP_ARGS_MAX, hello},
	{"config", 2, TA_RESP_ARGS_MAX, config},
	{"command", 1, TA_RESP_ARGS_MAX, nothing},
	{"client", 2, TA_RESP_ARGS_MAX, ok},
	{"quit", 1, 1, ok},
};

/* An unknown name goes back with what could end the line taken out. */
static void refuse(const struct ta_resp_request *r, struct ta_buf *b)
{
	ta_buf_adds(b, "-ERR unknown command '");
	for (size_t i = 0; i < TA_MIN(r->args[0].len, (size_t)64); i++) {
		char c = r->args[0].at[i];

		ta_buf_addc(b, c > ' ' && c < 0x7f ? c : '?');
	}
	ta_buf_adds(b, "'\r\n");
}

bool ta_kv_answer(struct ta_kv_table *t, const struct ta_resp_request *r, struct ta_buf *b)
{
	if (!r->n)
		return true;
	for (size_t i = 0; i < TA_ARRAY_SIZE(commands); i++) {
		if (!is_word(r, 0, commands[i].name))
			continue;
		if (r->n < commands[i].least || r->n > commands[i].most)
			ta_buf_printf(b, "-ERR wrong number of arguments for '%s' command\r\n", commands[i].name);
		else
			commands[i].answer(t, r, b);
		return strcmp(commands[i].name, "quit") != 0;
	}
	refuse(r, b);
	return true;
}
