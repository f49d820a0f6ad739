/* Where a system runs: traces of engines, clouds and hypervisors, and what must not be taken for one. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "probe/place.h"
#include "tests/unit/probes.h"

extern const struct ta_probe ta_probe_place;

static struct tree t;
static struct ta_facts *f;

static int make(void **state)
{
	return tree_make(&t);
}

static int drop(void **state)
{
	f = ta_facts_free(f);
	tree_remove(&t);
	return 0;
}

static void collect(void)
{
	f = ta_facts_free(f);
	f = probe_tree(&t, (const struct ta_probe *const[]){&ta_probe_place, NULL},
		(const struct ta_derivation *const[]){NULL});
}

static void again(void)
{
	tree_remove(&t);
	tree_make(&t);
}

#define X86(flags) "processor : 0\nvendor_id : GenuineIntel\nflags : fpu" flags "\n\n"
#define DMI "sys/class/dmi/id/"

static void hardware(void **state)
{
	tree_file(&t, "proc/cpuinfo", X86(""));
	tree_file(&t, DMI "sys_vendor", "Dell Inc.\n");
	tree_file(&t, DMI "product_name", "PowerEdge R740\n");
	collect();
	FACT(f, "\"none\"", "place", "virtualization");
	FACT(f, "\"none\"", "place", "cloud");
	FACT(f, "false", "place", "burstable");
	FACT(f, "\"PowerEdge R740\"", "place", "product");
	HOLE(f, TA_MISSING, "place.instance_type");
	HOLE(f, TA_MISSING, "place.container");
	HOLE(f, TA_MISSING, "place.init");
}

static void firmware_that_nobody_filled_in(void **state)
{
	static const char *const empty[] = {"To Be Filled By O.E.M.", "Default string", "System Product Name", "\xff\xff\xff\xff",
		" . ", "Not Specified", "OEM", "0", "INVALID"};
	static const char *const real[] = {"OEMaster 3000", "Default string 2", "X10SLM-F", "None of us"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(empty); i++) {
		tree_file(&t, "proc/cpuinfo", X86(""));
		tree_file(&t, DMI "sys_vendor", empty[i]);
		tree_file(&t, DMI "product_name", empty[i]);
		collect();
		HOLE(f, TA_MISSING, "place.vendor");
		HOLE(f, TA_MISSING, "place.product");
		FACT(f, "\"none\"", "place", "virtualization");
		FACT(f, "\"none\"", "place", "cloud");
	}
	for (size_t i = 0; i < TA_ARRAY_SIZE(real); i++) {
		tree_file(&t, DMI "product_name", real[i]);
		collect();
		assert_string_equal(ta_facts_get_str(f, TA_KEYS("place", "product")), real[i]);
	}
	/* Bytes that are no text stay visible as such. */
	tree_bytes(&t, DMI "product_name", "Board \x1b[2J\x80\n", 13);
	collect();
	FACT(f, "\"Board \\\\x1b[2J\\\\x80\"", "place", "product");
}

static void burstable_families(void **state)
{
	static const char *const yes[][2] = {
		{"aws", "t3.micro"}, {"aws", "t3a.small"}, {"aws", "t4g.nano"}, {"aws", "t2.large"}, {"azure", "Standard_B2s"},
		{"azure", "Standard_B16als_v2"}, {"gce", "e2-micro"}, {"gce", "e2-medium"}, {"gce", "f1-micro"},
		{"gce", "g1-small"}, {"alibaba", "ecs.t5-lc1m1.small"}, {"alibaba", "ecs.t6-c1m2.large"}, {"huawei", "t6.large.2"},
		{NULL, "Standard_B1ms"},
	};
	static const char *const no[][2] = {
		{"aws", "c5.large"}, {"aws", "trn1.2xlarge"}, {"aws", "t6.large.2"}, {"azure", "Standard_D2s_v3"},
		{"azure", "Standard_Bx"}, {"gce", "e2-standard-2"}, {"gce", "n1-standard-1"}, {"alibaba", "ecs.g6.large"},
		{"gce", "t2d-standard-1"}, {"huawei", "s6.large.2"}, {"alibaba", "t3.micro"},
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(yes); i++)
		if (!ta_instance_is_burstable(yes[i][0], yes[i][1]))
			fail_msg("%s is burstable", yes[i][1]);
	for (size_t i = 0; i < TA_ARRAY_SIZE(no); i++)
		if (ta_instance_is_burstable(no[i][0], no[i][1]))
			fail_msg("%s is not burstable", no[i][1]);
}

#define INSTANCE_DATA "run/cloud-init/instance-data.json"

/* Clouds that do not tell it in the firmware; the file has much more in it, which is not read. */
static void instance_types_of_cloud_init(void **state)
{
	tree_file(&t, "proc/cpuinfo", X86(" hypervisor"));
	tree_file(&t, DMI "sys_vendor", "Microsoft Corporation\n");
	tree_file(&t, DMI "product_name", "Virtual Machine\n");
	tree_file(&t, DMI "chassis_asset_tag", "7783-7084-3265-9085-8269-3286-77\n");
	collect();
	HOLE(f, TA_MISSING, "place.instance_type");
	HOLE(f, TA_MISSING, "place.burstable");
	tree_file(&t, INSTANCE_DATA,
		"{\n \"ds\": {\n  \"meta_data\": {\n   \"imds\": {\n    \"compute\": {\n     \"name\": \"secret\",\n"
		"     \"vmSize\": \"Standard_B2s\",\n     \"zone\": \"\"\n}}}}}\n");
	collect();
	FACT(f, "\"Standard_B2s\"", "place", "instance_type");
	FACT(f, "true", "place", "burstable");
	tree_file(&t, INSTANCE_DATA, "{\n  \"instance-type\": \"ecs.g6.large\"\n}\n");
	collect();
	FACT(f, "\"ecs.g6.large\"", "place", "instance_type");
	FACT(f, "false", "place", "burstable");
	tree_file(&t, INSTANCE_DATA, "{\n  \"vmSize\": 5,\n \"vmSize\": \"a b\",\n \"vmSizes\": \"x\"\n}\n");
	collect();
	HOLE(f, TA_MISSING, "place.instance_type");
}

static void what_cannot_be_changed(void **state)
{
	static const char mounts[] = "22 1 0:21 / /sys rw,nosuid - sysfs sysfs rw\n23 1 0:22 / /proc rw,relatime - proc proc rw\n";

	tree_file(&t, "proc/self/status", "Uid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\n");
	tree_file(&t, "proc/self/uid_map", "         0          0 4294967295\n");
	tree_file(&t, "proc/self/mountinfo", mounts);
	tree_link(&t, "proc/self/ns/pid", "pid:[4026531836]");
	tree_file(&t, "proc/cpuinfo", X86(""));
	tree_file(&t, DMI "sys_vendor", "Dell Inc.\n");
	collect();
	FACT(f, "[]", "place", "cannot");
	/* A container of docker's: /proc/sys is bound over itself, read-only, and so is /sys. */
	tree_file(&t, "proc/self/mountinfo",
		"22 1 0:21 / /sys ro,nosuid,nodev,noexec,relatime - sysfs sysfs ro\n23 1 0:22 / /proc rw,relatime - proc proc rw\n"
		"24 23 0:22 /sys /proc/sys ro,nosuid,nodev,noexec,relatime - proc proc rw\n");
	tree_file(&t, "proc/self/status", "Uid:\t0\t0\t0\t0\nCapEff:\t00000000a80425fb\n");
	tree_file(&t, "proc/sys/kernel/modules_disabled", "1\n");
	tree_file(&t, ".dockerenv", "");
	collect();
	FACT(f, "[\"interfaces: no capability net_admin\",\"modules: no capability sys_module\","
		"\"mounts and other network namespaces: no capability sys_admin\","
		"\"limits above the hard ones: no capability sys_resource\",\"sysctls: /proc/sys is mounted read-only\","
		"\"CPUs and drives and queues: /sys is mounted read-only\","
		"\"modules: loading them was switched off until the next boot (kernel.modules_disabled)\"]", "place", "cannot");
	tree_file(&t, "proc/self/mountinfo", mounts);
	tree_file(&t, "proc/self/status", "Uid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\n");
	tree_file(&t, "proc/self/uid_map", "         0       1000          1\n");
	tree_file(&t, "proc/sys/kernel/modules_disabled", "0\n");
	collect();
	FACT(f, "[\"the host: capabilities of a user namespace hold only inside of it\"]", "place", "cannot");
	tree_file(&t, "proc/self/uid_map", "         0          0 4294967295\n");
	tree_file(&t, "proc/self/status", "Uid:\t7\t7\t7\t7\nCapEff:\t000001fffffffffc\n");
	collect();
	FACT(f, "[\"sysctls and /sys: their files are root's\"]", "place", "cannot");
	tree_file(&t, "proc/self/status", "Uid:\t0\t0\t0\t0\n");
	collect();
	HOLE(f, TA_MALFORMED, "place.cannot");
}

static void virtual_machines(void **state)
{
	tree_file(&t, "proc/cpuinfo", X86(" hypervisor"));
	collect();
	FACT(f, "\"other\"", "place", "virtualization");
	HOLE(f, TA_MISSING, "place.cloud");

	tree_file(&t, DMI "sys_vendor", "QEMU\n");
	collect();
	FACT(f, "\"qemu\"", "place", "virtualization");
	HOLE(f, TA_MISSING, "place.cloud");
	HOLE(f, TA_MISSING, "place.burstable");

	tree_file(&t, "sys/devices/system/clocksource/clocksource0/available_clocksource", "kvm-clock tsc\n");
	collect();
	FACT(f, "\"kvm\"", "place", "virtualization");

	tree_file(&t, DMI "sys_vendor", "VMware, Inc.\n");
	collect();
	FACT(f, "\"vmware\"", "place", "virtualization");

	tree_file(&t, "sys/hypervisor/type", "xen\n");
	collect();
	FACT(f, "\"xen\"", "place", "virtualization");
	tree_file(&t, "proc/xen/capabilities", "control_d\n");
	collect();
	FACT(f, "\"none\"", "place", "virtualization");
}

static void clouds(void **state)
{
	tree_file(&t, "proc/cpuinfo", X86(" hypervisor"));
	tree_file(&t, DMI "sys_vendor", "Amazon EC2\n");
	tree_file(&t, DMI "product_name", "t3.large\n");
	tree_file(&t, "sys/devices/system/clocksource/clocksource0/available_clocksource", "kvm-clock tsc\n");
	collect();
	FACT(f, "\"aws\"", "place", "cloud");
	FACT(f, "\"t3.large\"", "place", "instance_type");
	FACT(f, "true", "place", "burstable");
	FACT(f, "\"kvm\"", "place", "virtualization");

	/* The same strings on bare metal: the bit is not set. */
	tree_file(&t, DMI "product_name", "m5.metal\n");
	tree_file(&t, "proc/cpuinfo", X86(""));
	collect();
	FACT(f, "\"none\"", "place", "virtualization");
	FACT(f, "\"aws\"", "place", "cloud");
	FACT(f, "false", "place", "burstable");

	/* Graviton has no such bit at all. */
	tree_file(&t, "proc/cpuinfo", "processor : 0\nFeatures : asimd\nCPU implementer : 0x41\nCPU part : 0xd0c\n");
	tree_file(&t, DMI "product_name", "t4g.nano\n");
	collect();
	FACT(f, "\"kvm\"", "place", "virtualization");
	FACT(f, "true", "place", "burstable");

	again();
	tree_file(&t, "proc/cpuinfo", X86(" hypervisor"));
	tree_file(&t, DMI "sys_vendor", "Microsoft Corporation\n");
	tree_file(&t, DMI "product_name", "Virtual Machine\n");
	collect();
	FACT(f, "\"hyperv\"", "place", "virtualization");
	HOLE(f, TA_MISSING, "place.cloud");
	tree_file(&t, DMI "chassis_asset_tag", "7783-7084-3265-9085-8269-3286-77\n");
	collect();
	FACT(f, "\"azure\"", "place", "cloud");
	HOLE(f, TA_MISSING, "place.instance_type");
}

static void other_architectures(void **state)
{
	tree_file(&t, "proc/cpuinfo", "vendor_id : IBM/S390\nprocessor 0: version = FF, machine = 3906\n");
	tree_file(&t, "proc/sysinfo", "LPAR Number: 1\nVM00 Control Program: z/VM    6.4.0\n");
	collect();
	FACT(f, "\"zvm\"", "place", "virtualization");
	tree_file(&t, "proc/sysinfo", "LPAR Number: 1\n");
	collect();
	FACT(f, "\"lpar\"", "place", "virtualization");

	again();
	tree_file(&t, "proc/cpuinfo", "processor : 0\ncpu : POWER8\nplatform : pSeries\nmachine : CHRP IBM,8286\n");
	collect();
	FACT(f, "\"powervm\"", "place", "virtualization");

	again();
	tree_file(&t, "proc/cpuinfo", "processor : 0\nCPU implementer : 0x41\nCPU part : 0xd0b\n");
	collect();
	HOLE(f, TA_MISSING, "place.virtualization");
	tree_file(&t, "proc/device-tree/compatible", "vendor,board");
	tree_bytes(&t, "proc/device-tree/model", "A Board 5\0", 10);
	collect();
	FACT(f, "\"none\"", "place", "virtualization");
	FACT(f, "\"A Board 5\"", "place", "product");
	tree_file(&t, "proc/device-tree/hypervisor/compatible", "linux,kvm");
	collect();
	FACT(f, "\"kvm\"", "place", "virtualization");
}

static void containers_by_trace(void **state)
{
	tree_file(&t, ".dockerenv", "");
	collect();
	FACT(f, "\"docker\"", "place", "container");
	tree_file(&t, "run/secrets/kubernetes.io/serviceaccount/namespace", "x");
	collect();
	FACT(f, "\"kubernetes\"", "place", "container");

	again();
	tree_file(&t, "run/.containerenv", "");
	collect();
	FACT(f, "\"podman\"", "place", "container");

	again();
	tree_file(&t, "run/systemd/container", "systemd-nspawn\n");
	collect();
	FACT(f, "\"systemd-nspawn\"", "place", "container");

	again();
	tree_file(&t, "proc/1/cgroup", "3:memory:/lxc/web\n0::/lxc/web\n");
	collect();
	FACT(f, "\"lxc\"", "place", "container");
}

static void containers_by_namespace(void **state)
{
	tree_link(&t, "proc/self/ns/pid", "pid:[4026532201]");
	collect();
	FACT(f, "\"other\"", "place", "container");

	again();
	tree_link(&t, "proc/self/ns/pid", "pid:[4026531836]");
	collect();
	FACT(f, "\"none\"", "place", "container");

	/* A machine booted from a container image. */
	tree_file(&t, ".dockerenv", "");
	collect();
	FACT(f, "\"none\"", "place", "container");

	/* docker run --pid=host: the first PID namespace, but the mounts are a container's. */
	tree_file(&t, "proc/self/mountinfo",
		"90 80 8:1 /var/lib/docker/containers/ab/hosts /etc/hosts rw - ext4 /dev/sda1 rw\n");
	collect();
	FACT(f, "\"docker\"", "place", "container");
	tree_link(&t, "proc/self/ns/mnt", "mnt:[4026531841]");
	tree_link(&t, "proc/1/ns/mnt", "mnt:[4026531841]");
	collect();
	FACT(f, "\"none\"", "place", "container");
}

static void mounts(void **state)
{
	static const char v2[] = "26 22 0:23 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n";
	static const char hybrid[] = "26 22 0:23 / /sys/fs/cgroup ro - tmpfs tmpfs ro\n"
				     "27 26 0:24 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
				     "28 26 0:25 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n";
	/* The node itself: pods are mounted here, but nothing over its own /etc. */
	static const char node[] = "99 22 0:44 / /var/lib/kubelet/pods/ab/volumes/x rw - tmpfs tmpfs rw\n";
	static const char pod[] = "99 22 8:1 /var/lib/kubelet/pods/ab/etc-hosts /etc/hosts rw - ext4 /dev/sda rw\n"
				  "99 22 8:1 /var/lib/docker/containers/c/hostname /etc/hostname rw - ext4 /dev/sda rw\n";
	static const char lxcfs[] = "50 22 0:50 /proc/cpuinfo /proc/cpuinfo rw - fuse.lxcfs lxcfs rw\n";
	struct ta_mounts m;

	ta_mountinfo_parse(v2, sizeof(v2) - 1, &m);
	assert_true(m.cgroup2 && m.cgroup2_is_top && !m.cgroup1);
	ta_mountinfo_parse(hybrid, sizeof(hybrid) - 1, &m);
	assert_true(m.cgroup2 && !m.cgroup2_is_top && m.cgroup1);
	assert_null(m.container);
	ta_mountinfo_parse(node, sizeof(node) - 1, &m);
	assert_null(m.container);
	ta_mountinfo_parse(pod, sizeof(pod) - 1, &m);
	assert_string_equal(m.container, "kubernetes");
	ta_mountinfo_parse(lxcfs, sizeof(lxcfs) - 1, &m);
	assert_string_equal(m.container, "lxc");
	ta_mountinfo_parse("- - - -\n\0 - cgroup", 18, &m);
	assert_false(m.cgroup1);
}

static void cgroup_versions(void **state)
{
	tree_file(&t, "proc/self/mountinfo", "26 22 0:23 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	collect();
	FACT(f, "\"v2\"", "place", "cgroup");
	tree_file(&t, "proc/self/mountinfo",
		"26 22 0:23 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw\n27 22 0:24 / /x rw - cgroup2 cgroup2 rw\n");
	collect();
	FACT(f, "\"hybrid\"", "place", "cgroup");
	tree_file(&t, "proc/self/mountinfo", "26 22 0:23 / / rw - ext4 /dev/sda rw\n");
	collect();
	FACT(f, "\"none\"", "place", "cgroup");
	again();
	collect();
	HOLE(f, TA_MISSING, "place.cgroup");
	tree_file(&t, "sys/fs/cgroup/cpuset/cpuset.cpus", "0\n");
	collect();
	FACT(f, "\"v1\"", "place", "cgroup");
}

static void init_systems(void **state)
{
	tree_file(&t, "proc/1/comm", "systemd\n");
	collect();
	FACT(f, "\"systemd\"", "place", "init");
	tree_file(&t, "proc/1/comm", "init\n");
	collect();
	FACT(f, "\"other\"", "place", "init");
	tree_link(&t, "sbin/init", "/bin/busybox");
	collect();
	FACT(f, "\"busybox\"", "place", "init");
	tree_file(&t, "run/openrc/softlevel", "");
	collect();
	FACT(f, "\"openrc\"", "place", "init");
	again();
	tree_file(&t, "proc/1/status", "Name:\tprocd\nPid:\t1\n");
	collect();
	FACT(f, "\"procd\"", "place", "init");
}

static void who_we_are(void **state)
{
	tree_file(&t, "proc/self/status", "Name:\tx\nUid:\t1000\t0\t0\t0\nCapEff:\t0000000000001001\n");
	collect();
	FACT(f, "0", "place", "uid");
	FACT(f, "[\"chown\",\"net_admin\"]", "place", "capabilities");
	tree_file(&t, "proc/self/status", "Name:\tx\n");
	collect();
	HOLE(f, TA_MALFORMED, "place.uid");
	HOLE(f, TA_MALFORMED, "place.capabilities");
}

static void small_tables(void **state)
{
	assert_true(ta_instance_is_burstable("aws", "t4g.micro"));
	assert_false(ta_instance_is_burstable("aws", "trn1.2xlarge"));
	assert_string_equal(ta_cpuid_hypervisor("KVMKVMKVM\0\0\0"), "kvm");
	assert_null(ta_cpuid_hypervisor("GenuineIntel"));
	assert_string_equal(ta_container_name("lxc-libvirt"), "lxc");
	assert_string_equal(ta_container_name("whatever"), "other");
	assert_string_equal(ta_cgroup_container("0::/kubepods.slice/kubepods-pod1/docker-a.scope", 47), "kubernetes");
	assert_null(ta_cgroup_container("0::/init.scope\n1:cpu:/user.slice\nno colon here", 46));
	assert_string_equal(ta_dmi_cloud(&(struct ta_dmi){.sys_vendor = "Xen", .bios_version = "4.11.amazon"}), "aws");
	assert_null(ta_dmi_instance_type(&(struct ta_dmi){.sys_vendor = "Xen", .product_name = "HVM domU"}));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)
	const struct CMUnitTest tests[] = {
		TEST(hardware), TEST(firmware_that_nobody_filled_in), TEST(burstable_families),
		TEST(instance_types_of_cloud_init), TEST(what_cannot_be_changed), TEST(virtual_machines), TEST(clouds), TEST(other_architectures), TEST(containers_by_trace),
		TEST(containers_by_namespace), TEST(mounts), TEST(cgroup_versions), TEST(init_systems), TEST(who_we_are),
		TEST(small_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
