/*
 * A result comes in: what kind it is, whether it looks like one, and facts to the host that they are of.
 */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "facts/text.h"
#include "base/strv.h"
#include "report/page/reads.h"

#define MAX_HOSTS 20000
#define FACTS_BEGIN "{\"schema\":\"tuneaudit.facts/1\","

static const struct kind {
	const char *schema;
	const struct shape *shape;
	int (*check)(struct json_object *doc, struct ta_err *err); /* NULL: the shape is all */
	void (*read)(struct ta_page *p, const char *file, struct json_object *doc);
} kinds[] = {
	{"tuneaudit.check/1", page_shape_check, page_words_check, page_read_check},
	{"tuneaudit.load/1", page_shape_load, NULL, page_read_load},
	{"tuneaudit.trial/1", page_shape_trial, NULL, page_read_trial},
};

/* "8 CPUs, 2 nodes; eth0 ixgbe": what hosts of one kind have in common. */
static void describe(const struct ta_facts *f, struct ta_buf *b)
{
	const char *model = ta_facts_get_str(f, TA_KEYS("cpu", "model"));
	struct json_object *nics = ta_facts_at(f, TA_KEYS("nics"));
	ta_cleanup_strv struct ta_strv drivers = TA_STRV_INIT;
	int64_t n;

	if (ta_facts_get_i64(f, TA_KEYS("cpu", "online"), &n))
		ta_buf_printf(b, "%lld CPU%s", (long long)n, n == 1 ? "" : "s");
	if (model && *model)
		ta_buf_printf(b, "%s%s", b->len ? " " : "", model);
	if (ta_facts_get_i64(f, TA_KEYS("numa_nodes"), &n) && n > 1)
		ta_buf_printf(b, "%s%lld nodes", b->len ? ", " : "", (long long)n);
	if (!json_object_is_type(nics, json_type_object))
		return;
	json_object_object_foreach (nics, name, nic) {
		const char *driver = shape_text(nic, "driver");

		(void)name;
		if (shape_bool(nic, "physical") == 1 && driver && !ta_strv_has(&drivers, driver) && drivers.n < 16)
			ta_strv_add(&drivers, driver);
	}
	for (size_t i = 0; i < drivers.n; i++)
		ta_buf_printf(b, "%s%s", b->len ? ", " : "", drivers.v[i]);
}

/* The first host of that name that lacks facts: several results of one host come in the same order as their facts. */
static struct page_host *host_of(struct ta_page *p, const char *name)
{
	for (size_t i = 0; name && i < p->hosts.n; i++)
		if (!page_host(p, i)->has_facts && strcmp(page_host(p, i)->name, name) == 0)
			return page_host(p, i);
	return NULL;
}

static struct page_host *new_host(struct ta_page *p, const char *file, const struct ta_facts *f)
{
	const char *name = ta_facts_get_str(f, TA_KEYS("host", "name"));
	struct page_host *h = page_room(p, 1, sizeof(*h));

	if (!h)
		return NULL;
	h->file = page_keep(p, file);
	h->name = page_keep(p, name ? name : file);
	h->os = page_keep(p, ta_facts_get_str(f, TA_KEYS("host", "os")) ?: "");
	h->kernel = page_keep(p, ta_facts_get_str(f, TA_KEYS("kernel", "release")) ?: "");
	h->arch = page_keep(p, ta_facts_get_str(f, TA_KEYS("kernel", "arch")) ?: "");
	h->score = -1;
	if (!ta_facts_get_i64(f, TA_KEYS("host", "time"), &h->time))
		h->time = -1;
	page_push(p, &p->hosts, h);
	return h;
}

int ta_page_add_facts(struct ta_page *p, const char *file, const struct ta_facts *f)
{
	ta_cleanup_buf struct ta_buf machine = TA_BUF_INIT;
	const char *name = ta_facts_get_str(f, TA_KEYS("host", "name"));
	struct page_host *h = host_of(p, name ? name : file);

	/* Facts and a check of nobody, in two files, are one another's only if nobody else is there. */
	if (!h && p->hosts.n == 1 && !name && !page_host(p, 0)->has_facts)
		h = page_host(p, 0);
	if (!h)
		h = new_host(p, file, f);
	if (p->error || ta_way_of(f, &h->way) < 0)
		return -ENOMEM;
	h->has_facts = true;
	describe(f, &machine);
	h->machine = page_keep(p, ta_buf_text(&machine));
	return p->error;
}

static int add_document(struct ta_page *p, const char *file, struct json_object *doc, struct ta_err *err)
{
	const char *schema = shape_text(doc, "schema");

	for (size_t i = 0; schema && i < TA_ARRAY_SIZE(kinds); i++) {
		int rc;

		if (strcmp(kinds[i].schema, schema) != 0)
			continue;
		rc = shape_check(doc, kinds[i].shape, err);
		if (rc == 0 && kinds[i].check)
			rc = kinds[i].check(doc, err);
		if (rc == 0)
			kinds[i].read(p, file, doc);
		return rc == 0 ? p->error : rc;
	}
	if (!schema)
		return ta_err_set(err, -EBADMSG, "it is no result of tuneaudit: there is no \"schema\" in it");
	return ta_err_set(err, -EBADMSG, "it is %.100s, of which there is no page here", schema);
}

static int add_facts(struct ta_page *p, const char *file, const char *text, size_t len, struct ta_err *err)
{
	ta_cleanup_facts struct ta_facts *f = NULL;
	int rc = ta_facts_parse(text, len, &f, err);

	return rc < 0 ? rc : ta_page_add_facts(p, file, f);
}

int ta_page_add(struct ta_page *p, const char *file, const char *text, size_t len, struct ta_err *err)
{
	struct json_object *doc;
	const char *schema;
	int rc;

	if (p->hosts.n >= MAX_HOSTS)
		return ta_err_set(err, -EFBIG, "there are more than %d hosts before it", MAX_HOSTS);
	/* As facts are written, so that the longest of results are not parsed twice. */
	if (len > strlen(FACTS_BEGIN) && strncmp(text, FACTS_BEGIN, strlen(FACTS_BEGIN)) == 0)
		return add_facts(p, file, text, len, err);
	rc = ta_json_parse(text, len, &doc, err);
	if (rc < 0)
		return rc;
	schema = shape_text(doc, "schema");
	if (schema && strcmp(schema, "tuneaudit.facts/1") == 0)
		rc = add_facts(p, file, text, len, err);
	else
		rc = add_document(p, file, doc, err);
	json_object_put(doc);
	return rc;
}
