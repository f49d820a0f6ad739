/* Rows of /proc/interrupts as many kernels and architectures write them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/macros.h"
#include "probe/interrupts.h"

static void columns(void **state)
{
	struct ta_irq_columns c = {0};

	assert_int_equal(
		ta_irq_columns_parse("           CPU0       CPU2       CPU11      ", &c), 0);
	assert_true(c.known);
	assert_int_equal(c.n, 3);
	assert_int_equal(c.cpus[1], 2);
	assert_int_equal(c.cpus[2], 11);
	ta_irq_columns_done(&c);
	assert_int_equal(ta_irq_columns_parse(" 24:  1  0  IO-APIC", &c), -EINVAL);
	assert_int_equal(ta_irq_columns_parse("CPU0 CPU", &c), -EINVAL);
	assert_int_equal(ta_irq_columns_parse("CPU0x", &c), -EINVAL);
	assert_int_equal(ta_irq_columns_parse("", &c), -EINVAL);
	assert_int_equal(ta_irq_columns_parse("CPU65536", &c), -ERANGE);
	assert_int_equal(ta_irq_columns_parse("CPU99999999999999999999", &c), -ERANGE);
}

/* "chip|actions" of a row of two columns. */
static const char *texts_of(const char *line)
{
	static char out[256];
	struct ta_irq_columns c = {0};
	struct ta_irq_row row;

	assert_int_equal(ta_irq_columns_parse("CPU0 CPU1", &c), 0);
	if (ta_irq_row_parse(line, &c, &row))
		snprintf(out, sizeof(out), "%u %.*s|%.*s", row.irq, (int)row.chip_len, row.chip,
			(int)row.actions_len, row.actions);
	else
		snprintf(out, sizeof(out), "no row");
	ta_irq_columns_done(&c);
	return out;
}

static void texts(void **state)
{
	static const char *const pairs[][2] = {
		{" 24:   1   0  IO-APIC   5-edge      ACPI:Ged", "24 IO-APIC   5-edge|ACPI:Ged"},
		{" 38:   0 237 PCI-MSIX-0000:00:03.0   1-edge      virtio2-input.0",
			"38 PCI-MSIX-0000:00:03.0   1-edge|virtio2-input.0"},
		{" 30: 100 22  IR-PCI-MSI 524288-edge", "30 IR-PCI-MSI 524288-edge|"},
		{" 30: 100 22  IR-IO-APIC   2-edge", "30 IR-IO-APIC   2-edge|"},
		{" 30: 100 22  GICv3  25 Level", "30 GICv3  25 Level|"},
		{" 30: 100 22  GICv3  25 Level     arch_timer", "30 GICv3  25 Level|arch_timer"},
		{"  4:   1   0  IR-IO-APIC-edge    ", "4 IR-IO-APIC-edge|"},
		{" 11:   9   9  IO-APIC-fasteoi   uhci_hcd:usb1, eth0, eth1",
			"11 IO-APIC-fasteoi|uhci_hcd:usb1, eth0, eth1"},
		{"  9: 1 0  MIPS GIC  63  IPI call", "9 MIPS GIC  63|IPI call"},
		{"  9: 1 0  MIPS GIC  63", "9 MIPS GIC  63|"},
		{" 27: 1 0  armada_370_xp_irq  10  mvneta", "27 armada_370_xp_irq  10|mvneta"},
		{" 25: 1 0  1e000600.gpio  18  keys", "25 1e000600.gpio  18|keys"},
		{"  4: 1 0      MIPS   4  19000000.eth", "4 MIPS   4|19000000.eth"},
		{" 76: 6958 0  xen-dyn-event     eth0", "76 xen-dyn-event|eth0"},
		{" 92: 47781 0       GIC  MESON TIMER-F", "92 GIC|MESON TIMER-F"},
		{" 92: 47781 0", "92 |"},
		{" 92: 47781", "92 |"},
		{" 92:", "92 |"},
		{"NMI:  1 0   Non-maskable interrupts", "no row"},
		{"IPI0:  1 0  Rescheduling interrupts", "no row"},
		{"Err:   0", "no row"},
		{"92 1 2", "no row"},
		{"", "no row"},
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(pairs); i++)
		assert_string_equal(texts_of(pairs[i][0]), pairs[i][1]);
}

static struct ta_irq_counts count(const char *header, const char *line)
{
	struct ta_irq_columns c = {0};
	struct ta_irq_counts ret;
	struct ta_irq_row row;

	if (header)
		assert_int_equal(ta_irq_columns_parse(header, &c), 0);
	assert_true(ta_irq_row_parse(line, &c, &row));
	assert_int_equal(ta_irq_count(&row, &c, &ret), 0);
	ta_irq_columns_done(&c);
	return ret;
}

static void counts(void **state)
{
	struct ta_irq_counts c = count("CPU0 CPU2 CPU5", "7: 4294967295 4294967295 1 X  eth0");

	assert_int_equal(c.total, 8589934591);
	assert_int_equal(c.top_cpu, 0);
	assert_true(ta_cpuset_has(&c.fired, 0) && ta_cpuset_has(&c.fired, 2));
	assert_false(ta_cpuset_has(&c.fired, 5));
	ta_cpuset_done(&c.fired);

	/* The largest there is, and one more: no sum that began anew at 0. */
	c = count("CPU0 CPU2", "7: 18446744073709551615 0 X  eth0");
	assert_false(c.huge);
	assert_true(c.total == UINT64_MAX && c.top == UINT64_MAX && c.top_cpu == 0);
	assert_int_equal(ta_cpuset_count(&c.fired), 1);
	ta_cpuset_done(&c.fired);
	c = count("CPU0 CPU2", "7: 18446744073709551615 1 X  eth0");
	assert_true(c.huge && c.top_cpu == -1);
	ta_cpuset_done(&c.fired);
	c = count("CPU0 CPU2", "7: 1 18446744073709551616 X  eth0");
	assert_true(c.huge && c.top_cpu == -1);
	ta_cpuset_done(&c.fired);

	c = count("CPU0 CPU2", "7: 0 0 X  eth0");
	assert_int_equal(c.total, 0);
	assert_int_equal(c.top_cpu, -1);
	assert_int_equal(ta_cpuset_count(&c.fired), 0);
	ta_cpuset_done(&c.fired);

	/* Without a header the sum is known, the CPUs are not. */
	c = count(NULL, " 24:  65  6   PCI-MSI 65536-edge      gve-ntfy-blk0@pci:0000:00:04.0");
	assert_int_equal(c.total, 71);
	assert_int_equal(c.top_cpu, -1);
	assert_int_equal(ta_cpuset_count(&c.fired), 0);
	ta_cpuset_done(&c.fired);
}

static const char *pci_of(const char *line)
{
	static char out[24];
	struct ta_irq_columns c = {0};
	struct ta_irq_row row;

	assert_int_equal(ta_irq_columns_parse("CPU0", &c), 0);
	assert_true(ta_irq_row_parse(line, &c, &row));
	if (!ta_irq_row_pci(&row, out, sizeof(out)))
		out[0] = '\0';
	ta_irq_columns_done(&c);
	return out;
}

static void pci_function(void **state)
{
	assert_string_equal(pci_of("29: 1  IR-PCI-MSI 409600-edge      enp0s25"), "0000:00:19.0");
	assert_string_equal(
		pci_of("56: 1  PCI-MSI 5767168-edge      ens192-rxtx-0"), "0000:0b:00.0");
	assert_string_equal(pci_of("56: 1  ITS-MSI 81921 Edge      eth0-Tx-Rx-0"), "0000:00:05.0");
	assert_string_equal(
		pci_of("75: 1  IR-PCI-MSIX-0000:1a:00.0   0-edge      eno3"), "0000:1a:00.0");
	assert_string_equal(
		pci_of("75: 1  PCI-MSIX-10000:01:00.0   0-edge      nvme0q0"), "10000:01:00.0");
	assert_string_equal(pci_of("113: 1  PCI-MSI-edge      eth6-0"), "");
	assert_string_equal(pci_of("9: 1  IO-APIC   9-fasteoi   acpi"), "");
	assert_string_equal(pci_of("24: 1  DMAR-MSI   0-edge      dmar0"), "");
	assert_string_equal(pci_of("24: 1"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns),
		cmocka_unit_test(texts),
		cmocka_unit_test(counts),
		cmocka_unit_test(pci_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
