#include "fix/boot.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "fix/identity.h"
#include "fix/journal.h"
#include "fix/ownfile.h"

void ta_boot_done(struct ta_boot *b)
{
	for (size_t i = 0; i < b->n; i++) {
		ta_boot_line_done(&b->v[i].line);
		free(b->v[i].text);
		free(b->v[i].why);
	}
	free(b->v);
	*b = (struct ta_boot){0};
}

/* --- the file ------------------------------------------------------------------------- */

static enum ta_knob_order order_of(const struct ta_boot_line *l)
{
	return l->irq ? TA_ORDER_IRQ : ta_knob_order(l->knob, l->target);
}

/* Into its place: as apply does it, queues before what points at them. */
static int add(struct ta_boot *b, const char *text, struct ta_err *err)
{
	struct ta_boot_item item = {0};
	size_t at = b->n;
	int rc = ta_boot_line_parse(text, TA_VALUE_FOUND, &item.line, err);

	if (rc < 0)
		return rc;
	item.text = strdup(text);
	for (; at && order_of(&item.line) < order_of(&b->v[at - 1].line); at--)
		b->v[at] = b->v[at - 1];
	b->v[at] = item;
	b->n++;
	return item.text ? 0 : -ENOMEM;
}

int ta_boot_read(struct ta_host *h, struct ta_boot *ret, struct ta_err *err)
{
	ta_cleanup_boot struct ta_boot b = {0};
	ta_cleanup_own struct ta_own own = {0};
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = ta_knob_file.read(h, TA_OWN_BOOT, &text, err);

	if (rc == 0 && !strncmp(ta_buf_text(&text), TA_OWN_FOREIGN, strlen(TA_OWN_FOREIGN)))
		rc = ta_err_set(err, -EBADMSG, TA_OWN_BOOT " is not as this program wrote it, and is not followed");
	if (rc == 0)
		rc = ta_own_parse(TA_OWN_BOOT, ta_buf_text(&text), &own, err);
	if (rc < 0)
		return rc;
	b.v = calloc(own.n + 1, sizeof(*b.v));
	if (!b.v)
		return -ENOMEM;
	for (size_t i = 0; rc == 0 && i < own.n; i++)
		rc = add(&b, own.v[i].text, err);
	if (rc < 0)
		return rc;
	*ret = b;
	b = (struct ta_boot){0};
	return 0;
}

/* --- what is meant, now ------------------------------------------------------------------ */

/* The name that the interface at `bus` has now; of several there the one of the old name. NULL: none. */
static const char *find_nic(const struct ta_facts *facts, const char *bus, const char *was)
{
	struct json_object *nics = ta_facts_at(facts, TA_KEYS("nics"));
	const char *found = NULL;

	if (!json_object_is_type(nics, json_type_object))
		return NULL;
	json_object_object_foreach(nics, name, nic)
	{
		const char *at = ta_facts_get_str(facts, TA_KEYS("nics", name, "bus"));

		(void)nic;
		if (!strcmp(name, was) && (!bus || (at && !strcmp(at, bus))))
			return name;
		if (bus && at && !strcmp(at, bus))
			found = found ? "" : name;
	}
	return found && *found ? found : NULL;
}

static int not_there(struct ta_err *err, const struct ta_boot_line *l, const char *name)
{
	return ta_err_set(err, -ENODEV, "there is no interface %s%s%s", l->bus ? "at " : "", l->bus ? l->bus : name,
		l->bus ? "" : " now");
}

/* The target as it is called now. */
static int find_target(const struct ta_facts *facts, const struct ta_boot_line *l, struct ta_buf *ret, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf was = TA_BUF_INIT;
	const char *now;

	if (ta_identity_ifname(l->knob, l->target, &was) < 0) {
		ta_buf_adds(ret, l->target);
		return ret->error;
	}
	now = find_nic(facts, l->bus, ta_buf_text(&was));
	if (!now)
		return not_there(err, l, ta_buf_text(&was));
	return ta_identity_rename(l->knob, l->target, now, ret);
}

static bool is_irq(const struct ta_facts *facts, const char *number, const char *ifname, const char *role, const char *queue)
{
	const char *device = ta_facts_get_str(facts, TA_KEYS("irqs", number, "device"));
	const char *is = ta_facts_get_str(facts, TA_KEYS("irqs", number, "role"));
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int64_t n;

	if (ta_facts_get_i64(facts, TA_KEYS("irqs", number, "queue"), &n))
		ta_buf_printf(&text, "%lld", (long long)n);
	else
		ta_buf_addc(&text, '-');
	return device && is && !strcmp(device, ifname) && !strcmp(is, role) && !strcmp(ta_buf_text(&text), queue);
}

/* Their numbers: mostly one. */
static int find_irqs(const struct ta_facts *facts, const struct ta_boot_line *l, struct ta_strv *ret, struct ta_err *err)
{
	struct json_object *irqs = ta_facts_at(facts, TA_KEYS("irqs"));
	ta_cleanup_strv struct ta_strv w = TA_STRV_INIT;
	const char *now;

	ta_strv_split(&w, l->target, " ");
	if (w.error || w.n != 3)
		return w.error ?: -EINVAL;
	now = find_nic(facts, l->bus, w.v[0]);
	if (!now)
		return not_there(err, l, w.v[0]);
	if (json_object_is_type(irqs, json_type_object)) {
		json_object_object_foreach(irqs, number, irq)
		{
			(void)irq;
			if (is_irq(facts, number, now, w.v[1], w.v[2]))
				ta_strv_add(ret, number);
		}
	}
	return ret->error ?: ret->n ? 0 : ta_err_set(err, -ENODEV, "%s has no such interrupt (it may have to be up)", now);
}

/* --- setting ---------------------------------------------------------------------------------- */

/* The kernel gives a queueing discipline that was asked for without one a handle, which is no difference. */
static bool is_so(const char *present, const char *value)
{
	size_t n = strlen(value);

	return !strncmp(present, value, n) && (!present[n] || !strncmp(present + n, " handle=", 8));
}

static int set(struct ta_host *h, const struct ta_knob *knob, const char *target, const char *value, bool *ret_was,
	struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf present = TA_BUF_INIT;
	int rc = knob->read(h, target, &present, err);

	*ret_was = rc == 0 && is_so(ta_buf_text(&present), value);
	if (rc < 0 || *ret_was)
		return rc;
	return knob->write(h, target, value, err);
}

static int set_irqs(struct ta_host *h, const struct ta_facts *facts, const struct ta_boot_line *l, bool *ret_was, struct ta_err *err)
{
	ta_cleanup_strv struct ta_strv irqs = TA_STRV_INIT;
	int rc = find_irqs(facts, l, &irqs, err);

	*ret_was = true;
	for (size_t i = 0; rc == 0 && i < irqs.n; i++) {
		ta_cleanup_buf struct ta_buf target = TA_BUF_INIT;
		bool was = false;

		ta_buf_printf(&target, "/proc/irq/%s/smp_affinity_list", irqs.v[i]);
		rc = target.error ?: set(h, l->knob, ta_buf_text(&target), l->value, &was, err);
		*ret_was = *ret_was && was;
	}
	return rc;
}

static int set_item(struct ta_host *h, const struct ta_facts *facts, const struct ta_boot_line *l, bool *ret_was, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf target = TA_BUF_INIT;
	int rc;

	if (l->irq)
		return set_irqs(h, facts, l, ret_was, err);
	rc = find_target(facts, l, &target, err);
	return rc ?: set(h, l->knob, ta_buf_text(&target), l->value, ret_was, err);
}

/* It may be there, or be willing, in a moment. */
static bool is_passing(int rc)
{
	return rc == -ENODEV || rc == -ENOENT || rc == -EBUSY || rc == -EAGAIN || rc == -ENETDOWN;
}

static int try_item(struct ta_host *h, const struct ta_facts *facts, struct ta_boot_item *item)
{
	struct ta_err err = {0};
	bool was = false;
	int rc = set_item(h, facts, &item->line, &was, &err);

	if (rc == -ENOMEM || !ta_set_text(&item->why, rc < 0 ? (*err.text ? err.text : ta_errno_text(rc)) : NULL))
		return -ENOMEM;
	if (rc < 0)
		item->state = is_passing(rc) ? TA_BOOT_WAITS : TA_BOOT_FAILED;
	else
		item->state = was ? TA_BOOT_WAS : TA_BOOT_SET;
	return 0;
}

/* It would move them back within seconds. That it cannot be told shows in what the interrupts do, and in its own log. */
static void ban(struct ta_host *h, const struct ta_facts *facts, const struct ta_boot *b)
{
	ta_cleanup_buf struct ta_buf present = TA_BUF_INIT, numbers = TA_BUF_INIT, all = TA_BUF_INIT;

	for (size_t i = 0; i < b->n; i++) {
		ta_cleanup_strv struct ta_strv irqs = TA_STRV_INIT;

		if (!b->v[i].line.irq || find_irqs(facts, &b->v[i].line, &irqs, NULL) < 0)
			continue;
		for (size_t k = 0; k < irqs.n; k++)
			ta_buf_printf(&numbers, "%s ", irqs.v[k]);
	}
	if (!numbers.len || ta_knob_irqban.read(h, "irqbalance", &present, NULL) < 0 ||
		ta_knob_irqban.join(ta_buf_text(&present), ta_buf_text(&numbers), &all) < 0 ||
		!strcmp(ta_buf_text(&all), ta_buf_text(&present)))
		return;
	ta_knob_irqban.write(h, "irqbalance", ta_buf_text(&all), NULL);
}

int ta_boot_try(struct ta_host *h, const struct ta_facts *facts, struct ta_boot *b)
{
	int waiting = 0;

	/* Before: what is placed while it looks on may be moved at once. */
	ban(h, facts, b);
	for (size_t i = 0; i < b->n; i++) {
		if (b->v[i].state != TA_BOOT_WAITS)
			continue;
		if (try_item(h, facts, &b->v[i]) < 0)
			return -ENOMEM;
		waiting += b->v[i].state == TA_BOOT_WAITS;
	}
	return waiting;
}
