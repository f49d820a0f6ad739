/*
 * The PCIe link that a device is on.
 */
#pragma once

#include "facts/facts.h"
#include "host/host.h"

/*
 * COLLECTION.NAME.pcie.{speed_mts,width,max_speed_mts,max_width} from `dir`, the function's
 * directory: MT/s per lane (8.0 GT/s is 8000) and lanes. Devices without a PCIe link of their own:
 * `pcie` is absent. And COLLECTION.NAME.pcie.aspm: the states of rest that the link may fall into, of l0s, l1, l1.1,
 * l1.2; empty: none. Unsupported where the kernel does not control them (Documentation/ABI/testing/sysfs-bus-pci,
 * link/l1_aspm).
 */
void ta_pcie_put(struct ta_host *h, struct ta_facts *f, const char *dir, const char *collection,
	const char *name);

/*
 * COLLECTION.NAME.iommu: how the function's addresses are translated: none, identity, DMA (each unmapping waits),
 * DMA-FQ (unmapped in batches) or another type of its group (Documentation/ABI/testing/sysfs-kernel-iommu_groups, since
 * 5.11).
 */
void ta_iommu_put(struct ta_host *h, struct ta_facts *f, const char *dir, const char *collection, const char *name);
