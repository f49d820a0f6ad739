/*
 * Rows of /proc/interrupts (kernel/irq/proc.c show_interrupts()), one line at a
 * time: the table of a large machine is larger than we want to hold.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpuset.h"

/* The header line names the CPUs of the columns: only online ones have one. */
struct ta_irq_columns {
	unsigned *cpus;
	size_t n;
	bool known; /* false: the table has no header line */
};

#define ta_cleanup_irq_columns ta_cleanup(ta_irq_columns_done)

/* 0, -EINVAL (not a header), -ERANGE (a CPU at or above TA_CPU_LIMIT), -ENOMEM. */
int ta_irq_columns_parse(const char *line, struct ta_irq_columns *ret);
void ta_irq_columns_done(struct ta_irq_columns *c);

/* A numbered row; all texts are borrowed from the line. */
struct ta_irq_row {
	unsigned irq;
	const char *counts; /* where the numbers begin */
	const char *chip;   /* controller, hardware number, trigger: "IR-PCI-MSI 524288-edge" */
	size_t chip_len;
	const char *actions; /* "eth0-rx-0" or "uhci_hcd:usb1, eth0"; "" if nobody asked for the
				interrupt */
	size_t actions_len;
};

/* False for rows without a number (NMI:, IPI0:, Err:) and lines that are no row. */
bool ta_irq_row_parse(
	const char *line, const struct ta_irq_columns *columns, struct ta_irq_row *ret);

struct ta_irq_counts {
	uint64_t total; /* each column is 32 bits wide in the kernel and wraps */
	uint64_t top;   /* the largest of them … */
	int top_cpu;    /* … and its CPU; -1 if nothing fired or the columns are not known */
	struct ta_cpuset fired; /* CPUs with at least a twentieth of the total */
	bool huge; /* a number or the total is beyond 64 bits: nothing else is known */
};

/* 0 or -ENOMEM. ta_cpuset_done(&ret->fired) when finished. */
int ta_irq_count(const struct ta_irq_row *row, const struct ta_irq_columns *columns,
	struct ta_irq_counts *ret);

/*
 * The PCI function of a message-signalled interrupt as "0000:1a:00.0": since 6.2 it stands in the
 * controller's name, before that in the hardware number (drivers/pci/msi/irqdomain.c
 * pci_msi_domain_calc_hwirq()). False: not told.
 */
bool ta_irq_row_pci(const struct ta_irq_row *row, char *ret, size_t size);
