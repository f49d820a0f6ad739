/*
 * Hypervisors, as systemd's detect-virt looks for them, with two differences:
 * bare-metal instances of clouds (their firmware strings are those of the
 * virtual ones, the hypervisor bit is not set) are hardware, and "nothing
 * found" is not "none" where the architecture has no way to tell.
 */
#include "probe/virt.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "probe/cpuinfo.h"
#include "probe/lscpu.h"
#include "probe/probe.h"

#define CLOCKS "/sys/devices/system/clocksource/clocksource0/available_clocksource"

static bool read_text(struct ta_host *h, const char *file, struct ta_buf *ret)
{
	if (ta_host_read(h, file, TA_READ_CAP, ret))
		return false;
	ta_buf_rtrim(ret);
	return true;
}

static bool read_dmi(struct ta_host *h, const char *name, char *ret, size_t size)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char path[512];

	*ret = '\0';
	/* The second is what the first points to, for trees copied without links. */
	if (!read_text(h, ta_fmt(&path, "/sys/class/dmi/id/%s", name), &text) &&
		!read_text(h, ta_fmt(&path, "/sys/devices/virtual/dmi/id/%s", name), &text))
		return false;
	snprintf(ret, size, "%s", ta_buf_text(&text));
	return true;
}

/* Asset tags are people's own, but of these makers: there it is the cloud's mark. */
static bool tag_is_a_mark(const char *vendor)
{
	return !strncmp(vendor, "Microsoft", 9) || !strncmp(vendor, "QEMU", 4) || !strncmp(vendor, "OpenStack", 9) ||
	       !strncmp(vendor, "Xen", 3) || !strncmp(vendor, "Oracle", 6);
}

bool ta_dmi_read(struct ta_host *h, struct ta_dmi *ret)
{
	bool vendor, product;

	*ret = (struct ta_dmi){0};
	vendor = read_dmi(h, "sys_vendor", ret->sys_vendor, sizeof(ret->sys_vendor));
	product = read_dmi(h, "product_name", ret->product_name, sizeof(ret->product_name));
	if (!vendor && !product)
		return false;
	(void)read_dmi(h, "board_vendor", ret->board_vendor, sizeof(ret->board_vendor));
	(void)read_dmi(h, "bios_vendor", ret->bios_vendor, sizeof(ret->bios_vendor));
	(void)read_dmi(h, "bios_version", ret->bios_version, sizeof(ret->bios_version));
	if (tag_is_a_mark(ret->sys_vendor))
		(void)read_dmi(h, "chassis_asset_tag", ret->chassis_asset_tag, sizeof(ret->chassis_asset_tag));
	return true;
}

/* "" and 0: this CPU runs on no hypervisor; else the 12 bytes of its signature. */
static int call_cpuid(void *arg, struct ta_buf *ret)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned a, b, c, d, sign[3];

	if (!__get_cpuid(1, &a, &b, &c, &d))
		return -EOPNOTSUPP;
	if (!(c >> 31))
		return 0;
	__cpuid(0x40000000, a, sign[0], sign[1], sign[2]);
	/* KVM that speaks Hyper-V too keeps its own signature 0x100 further on. */
	if (!memcmp(sign, "Microsoft Hv", 12)) {
		__cpuid(0x40000100, a, b, c, d);
		if (b == 0x4b4d564b && c == 0x564b4d56 && d == 0x4d)
			memcpy(sign, (unsigned[]){b, c, d}, sizeof(sign));
	}
	ta_buf_add(ret, sign, sizeof(sign));
	return ret->error;
#else
	return -EOPNOTSUPP;
#endif
}

/* dom0 sees the hardware; what runs beside it is no concern of its tuning. */
static bool is_xen_dom0(struct ta_host *h)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	return read_text(h, "/proc/xen/capabilities", &text) && strstr(ta_buf_text(&text), "control_d");
}

static const char *from_cpuid(struct ta_host *h)
{
	ta_cleanup_buf struct ta_buf sign = TA_BUF_INIT;
	const char *name;

	if (ta_host_call(h, "cpuid_hypervisor", call_cpuid, NULL, &sign))
		return NULL;
	if (sign.len != 12)
		return sign.len ? NULL : "none";
	name = ta_cpuid_hypervisor(sign.data);
	if (name && !strcmp(name, "xen") && is_xen_dom0(h))
		return "none";
	return name ? name : "other";
}

static const char *from_clocks(struct ta_host *h)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	if (!read_text(h, CLOCKS, &text))
		return NULL;
	if (strstr(ta_buf_text(&text), "kvm-clock"))
		return "kvm";
	if (strstr(ta_buf_text(&text), "hyperv"))
		return "hyperv";
	return strstr(ta_buf_text(&text), "xen") ? "xen" : NULL;
}

/* Without the bit only names that no cloud gives to its hardware count. */
static bool is_sure(const char *name)
{
	static const char *const sure[] = {"vmware", "virtualbox", "parallels", "bochs", "qemu", "xen", "bhyve"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(sure); i++)
		if (!strcmp(name, sure[i]))
			return true;
	return false;
}

static const char *on_x86(struct ta_host *h, const struct ta_cpuinfo *ci, const char *firmware)
{
	const char *clock;

	if (!ci->has_flags)
		return firmware;
	if (!ci->hypervisor)
		return firmware && is_sure(firmware) ? firmware : "none";
	clock = from_clocks(h);
	/* "QEMU" is the machine; whether KVM runs it the clock tells. */
	if (firmware && (strcmp(firmware, "qemu") || !clock))
		return firmware;
	return clock ? clock : "other";
}

/* "VM00 Control Program: z/VM    6.4.0", "VM00 Control Program: KVM/Linux" */
static const char *on_s390(struct ta_host *h)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	if (!read_text(h, "/proc/sysinfo", &text))
		return NULL;
	if (strstr(ta_buf_text(&text), "KVM/Linux"))
		return "kvm";
	if (strstr(ta_buf_text(&text), "z/VM"))
		return "zvm";
	return strstr(ta_buf_text(&text), "LPAR Number") ? "lpar" : NULL;
}

static const char *from_device_tree(struct ta_host *h)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	if (read_text(h, "/proc/device-tree/hypervisor/compatible", &text)) {
		if (!strncmp(ta_buf_text(&text), "linux,kvm", 9))
			return "kvm";
		return strstr(ta_buf_text(&text), "xen") ? "xen" : "other";
	}
	if (ta_host_exists(h, "/proc/device-tree/ibm,partition-name"))
		return "powervm";
	if (!read_text(h, "/proc/device-tree/compatible", &text))
		return NULL;
	if (!strncmp(ta_buf_text(&text), "linux,dummy-virt", 16) || !strncmp(ta_buf_text(&text), "qemu", 4))
		return ta_host_exists(h, "/sys/firmware/qemu_fw_cfg") ? "qemu" : "other";
	return "none";
}

static const char *on_other(struct ta_host *h, const struct ta_dmi *dmi, const struct ta_cpuinfo *ci)
{
	const char *type = dmi ? ta_dmi_instance_type(dmi) : NULL;
	const char *tree;

	if (type)
		return strstr(type, ".metal") ? "none" : "kvm";
	if (strstr(ci->machine, "emulated by qemu"))
		return "qemu";
	tree = from_device_tree(h);
	if (tree)
		return tree;
	if (ci->layout == TA_CPU_PPC)
		return !strncmp(ci->machine, "CHRP IBM", 8) ? "powervm" :
		       !strncmp(ci->machine, "PowerNV", 7)  ? "none" :
							      NULL;
	/* Firmware strings of a maker of hardware. */
	return dmi && ci->layout == TA_CPU_ARM && *dmi->sys_vendor && !ta_dmi_cloud(dmi) ? "none" : NULL;
}

/* The output of lscpu, which asked CPUID there (hv_vendors[] in util-linux sys-utils/lscpu-virt.c). */
static const char *from_lscpu(struct ta_host *h)
{
	static const char *const names[][2] = {{"KVM", "kvm"}, {"Xen", "xen"}, {"Microsoft", "hyperv"}, {"VMware", "vmware"},
		{"Innotek GmbH", "virtualbox"}, {"Oracle", "virtualbox"}, {"Parallels", "parallels"}, {"pHyp", "powervm"}};
	struct ta_lscpu lscpu;

	if (!ta_lscpu_read(h, &lscpu) || !*lscpu.hypervisor)
		return NULL;
	for (size_t i = 0; i < TA_ARRAY_SIZE(names); i++)
		if (!strcmp(lscpu.hypervisor, names[i][0]))
			return names[i][1];
	return "other";
}

const char *ta_virt_find(struct ta_host *h, const struct ta_dmi *dmi)
{
	ta_cleanup_cpuinfo struct ta_cpuinfo ci = TA_CPUINFO_INIT;
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	const char *name = from_cpuid(h), *firmware = dmi ? ta_dmi_hypervisor(dmi) : NULL;

	if (name)
		return name;
	if (read_text(h, "/sys/hypervisor/type", &text) && !strcmp(ta_buf_text(&text), "xen"))
		return is_xen_dom0(h) ? "none" : "xen";
	name = from_lscpu(h);
	if (name)
		return name;
	(void)ta_cpuinfo_read(h, true, &ci);
	if (ci.layout == TA_CPU_X86)
		return on_x86(h, &ci, firmware);
	if (firmware)
		return firmware;
	if (ci.layout == TA_CPU_S390)
		return on_s390(h);
	return on_other(h, dmi, &ci);
}
