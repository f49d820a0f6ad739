/*
 * The PCIe link that a device is on.
 */
#pragma once

#include "facts/facts.h"
#include "host/host.h"

/*
 * COLLECTION.NAME.pcie.{speed_mts,width,max_speed_mts,max_width} from `dir`, the function's
 * directory: MT/s per lane (8.0 GT/s is 8000) and lanes. Devices without a PCIe link of their own:
 * `pcie` is absent.
 */
void ta_pcie_put(struct ta_host *h, struct ta_facts *f, const char *dir, const char *collection,
	const char *name);
