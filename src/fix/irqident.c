/*
 * Numbers of interrupts are given out anew when a card goes and comes back, or changes its queues, and what was saved of
 * one must never be written to another. The place at its controller stays: "PCI-MSI 524288", since 6.2 "PCI-MSIX-0000:01:00.0 3"
 * (kernel/irq/irqdesc.c: chip_name_show(), hwirq_show()). The name of its action does not: it holds the interface's.
 */
#include <errno.h>
#include <string.h>

#include "fix/identity.h"

#define DIR "/sys/kernel/irq"
#define HEAD "/proc/irq/"
#define TAIL "/smp_affinity_list"

/* The digits of "/proc/irq/24/smp_affinity_list"; 0: it is something else. */
static size_t number_len(const struct ta_knob *knob, const char *target)
{
	size_t n = knob != &ta_knob_attr || strncmp(target, HEAD, strlen(HEAD)) != 0
			   ? 0
			   : strspn(target + strlen(HEAD), "0123456789");

	return n && n <= 10 && !strcmp(target + strlen(HEAD) + n, TAIL) ? n : 0;
}

bool ta_identity_is_irq(const struct ta_knob *knob, const char *target)
{
	return number_len(knob, target) > 0;
}

static int add_word(struct ta_host *h, const char *number, size_t len, const char *name, struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT, text = TA_BUF_INIT;
	int rc;

	ta_buf_printf(&path, DIR "/%.*s/%s", (int)len, number, name);
	rc = path.error ?: ta_host_read(h, ta_buf_text(&path), 256, &text);
	if (rc < 0)
		return rc;
	for (const char *s = ta_strip(text.data); *s; s++)
		ta_buf_addc(ret, (unsigned char)*s <= ' ' || *s == 0x7f ? '_' : *s);
	return text.len ? ret->error : -ENODATA;
}

static int read_irq(struct ta_host *h, const char *number, size_t len, struct ta_buf *ret)
{
	int rc;

	ta_buf_reset(ret);
	rc = add_word(h, number, len, "chip_name", ret);
	ta_buf_addc(ret, ' ');
	return rc ?: add_word(h, number, len, "hwirq", ret);
}

int ta_identity_irq(struct ta_host *h, const char *target, struct ta_buf *ret)
{
	size_t len = number_len(&ta_knob_attr, target);

	return len ? read_irq(h, target + strlen(HEAD), len, ret) : -ENOENT;
}

int ta_identity_find_irq(struct ta_host *h, const char *identity, const char *target, struct ta_buf *ret, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf now = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	int rc = ta_identity_irq(h, target, &now);

	ta_buf_reset(ret);
	if (rc == 0 && !strcmp(identity, ta_buf_text(&now))) {
		ta_buf_adds(ret, target);
		return ret->error;
	}
	rc = ta_host_list(h, DIR, &names);
	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		size_t len = strspn(names.v[i], "0123456789");

		if (names.v[i][len] || read_irq(h, names.v[i], len, &now) < 0 || strcmp(identity, ta_buf_text(&now)) != 0)
			continue;
		ta_buf_printf(ret, HEAD "%s" TAIL, names.v[i]);
		return ret->error;
	}
	return ta_err_set(err, -ENODEV, "the interrupt %s (%.*s) is gone", identity,
		(int)number_len(&ta_knob_attr, target), target + strlen(HEAD));
}
