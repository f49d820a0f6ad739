#include "fix/bootline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fix/describe.h"
#include "fix/identity.h"

#define IRQ "irq"
#define IRQ_HEAD "/proc/irq/"
#define IS " = "

void ta_boot_line_done(struct ta_boot_line *l)
{
	free(l->bus);
	free(l->target);
	free(l->value);
	*l = (struct ta_boot_line){0};
}

/* --- made ---------------------------------------------------------------------------- */

/* As one word, or none. */
static const char *bus_of(const struct ta_facts *facts, const char *ifname)
{
	const char *bus = facts ? ta_facts_get_str(facts, TA_KEYS("nics", ifname, "bus")) : NULL;

	return bus && *bus && !bus[strcspn(bus, " \t\n")] ? bus : NULL;
}

static int make_irq(const struct ta_step *s, const struct ta_facts *facts, struct ta_buf *ret)
{
	const char *at = s->target + strlen(IRQ_HEAD), *ifname, *role, *bus;
	ta_cleanup_buf struct ta_buf number = TA_BUF_INIT;
	int64_t queue;

	ta_buf_add(&number, at, strcspn(at, "/"));
	if (number.error)
		return number.error;
	ifname = ta_facts_get_str(facts, TA_KEYS("irqs", ta_buf_text(&number), "device"));
	role = ta_facts_get_str(facts, TA_KEYS("irqs", ta_buf_text(&number), "role"));
	bus = ifname ? bus_of(facts, ifname) : NULL;
	if (!ifname || !role || !bus)
		return -ENOENT; /* what is not an interface's, or one that may be another tomorrow */
	ta_buf_printf(ret, IRQ " %s %s %s ", bus, ifname, role);
	if (ta_facts_get_i64(facts, TA_KEYS("irqs", ta_buf_text(&number), "queue"), &queue))
		ta_buf_printf(ret, "%lld", (long long)queue);
	else
		ta_buf_addc(ret, '-');
	ta_buf_printf(ret, IS "%s\n", s->after);
	return ret->error;
}

int ta_boot_line_make(const struct ta_step *s, const struct ta_facts *facts, struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf ifname = TA_BUF_INIT;
	const char *bus = NULL;

	if (!facts || strchr(s->after, '\n') || ta_knob_order(s->knob, s->target) == TA_ORDER_FILE)
		return -ENOENT;
	if (ta_identity_is_irq(s->knob, s->target))
		return make_irq(s, facts, ret);
	if (ta_identity_ifname(s->knob, s->target, &ifname) == 0)
		bus = bus_of(facts, ta_buf_text(&ifname));
	ta_buf_printf(ret, "%s %s %s" IS "%s\n", s->knob->name, bus ? bus : "-", s->target, s->after);
	return ifname.error ?: ret->error;
}

/* --- taken apart ------------------------------------------------------------------------ */

/* Of "knob bus a b = value": names may be "=", so the sign is looked for behind the third word. */
static const char *find_is(const char *line)
{
	const char *bus = strchr(line, ' '), *target = bus ? strchr(bus + 1, ' ') : NULL;
	const char *behind = target && target[1] ? strchr(target + 2, ' ') : NULL;

	return behind ? strstr(behind, IS) : NULL;
}

size_t ta_boot_line_key(const char *line)
{
	const char *is = find_is(line);

	return is ? (size_t)(is - line) : strlen(line);
}

static int no_line(struct ta_err *err, const char *line)
{
	return ta_err_set(err, -EINVAL, "'%.200s' is no line that this program writes", line);
}

/* "IFNAME ROLE QUEUE" */
static bool is_irq_target(const char *target)
{
	static const char *const roles[] = {"rx", "tx", "combined", "io", "other"};
	ta_cleanup_strv struct ta_strv w = TA_STRV_INIT;
	bool known = false;

	ta_strv_split(&w, target, " ");
	for (size_t i = 0; w.n == 3 && i < TA_ARRAY_SIZE(roles); i++)
		known = known || !strcmp(w.v[1], roles[i]);
	return known && strlen(w.v[0]) < 16 && !strchr(w.v[0], '/') &&
	       (!strcmp(w.v[2], "-") || (strlen(w.v[2]) < 8 && !w.v[2][strspn(w.v[2], "0123456789")]));
}

static int check(const char *line, const struct ta_boot_line *l, enum ta_value_use use, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf again = TA_BUF_INIT;
	int rc;

	if (l->irq)
		rc = is_irq_target(l->target) ? ta_knob_check("attr", IRQ_HEAD "0/smp_affinity_list", l->value, use, err)
					      : no_line(err, line);
	else
		rc = ta_knob_check(l->knob->name, l->target, l->value, use, err);
	if (rc == 0 && !l->irq && (ta_knob_order(l->knob, l->target) == TA_ORDER_FILE || ta_identity_is_irq(l->knob, l->target)))
		rc = ta_err_set(err, -EPERM, "%.200s is nothing that is set when the host starts", l->target);
	ta_buf_printf(&again, "%s %s %s" IS "%s", l->irq ? IRQ : l->knob->name, l->bus ? l->bus : "-", l->target, l->value);
	return rc ?: again.error ?: strcmp(ta_buf_text(&again), line) ? no_line(err, line) : 0;
}

int ta_boot_line_parse(const char *line, enum ta_value_use use, struct ta_boot_line *ret, struct ta_err *err)
{
	ta_cleanup_boot_line struct ta_boot_line l = {0};
	ta_cleanup_buf struct ta_buf knob = TA_BUF_INIT;
	const char *bus = line + strcspn(line, " "), *target, *is = find_is(line);
	int rc;

	if (!is)
		return no_line(err, line);
	ta_buf_add(&knob, line, (size_t)(bus - line));
	bus++;
	target = strchr(bus, ' ') + 1;
	l.irq = !strcmp(ta_buf_text(&knob), IRQ);
	l.knob = l.irq ? &ta_knob_attr : ta_knob_find(ta_buf_text(&knob));
	l.bus = strndup(bus, (size_t)(target - bus) - 1);
	l.target = strndup(target, (size_t)(is - target));
	l.value = strdup(is + strlen(IS));
	if (knob.error || !l.bus || !l.target || !l.value)
		return ta_err_set(err, -ENOMEM, "out of memory");
	if (!l.knob)
		return no_line(err, line);
	if (!strcmp(l.bus, "-")) {
		free(l.bus);
		l.bus = NULL;
	}
	rc = check(line, &l, use, err);
	if (rc < 0)
		return rc;
	*ret = l;
	l = (struct ta_boot_line){0};
	return 0;
}
