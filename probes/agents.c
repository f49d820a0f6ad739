/*
 * Programs of clouds, containers and firewalls that write settings by themselves, so that a value which nobody
 * wrote into a file may well be theirs, and one that was set may be set back.
 */
#include <errno.h>

#include "probe/probe.h"
#include "probe/service.h"

static const struct ta_field fields[] = {
	{"agents.*.installed", TA_T_BOOL, "", "its program is there", TA_F_WRITTEN, {}},
	{"agents.*.running", TA_T_BOOL, "", "it runs", TA_F_WRITTEN, {}},
	{"agents.*.writes", TA_T_STRING, "", "what it sets by itself", TA_F_WRITTEN, {}},
};

#define PROGRAMS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const struct {
	const char *name, *writes;
	struct ta_service service;
} agents[] = {
	{"amazon-ec2-net-utils", "routes and rules of interfaces",
		{NULL, NULL, PROGRAMS("/usr/bin/setup-policy-routes", "/usr/sbin/ec2ifup"), NULL}},
	{"auto-cpufreq", "governor, EPP and turbo of CPUs",
		{"auto-cpufreq.service", "auto-cpufreq", PROGRAMS("/usr/local/bin/auto-cpufreq", "/usr/bin/auto-cpufreq"), NULL}},
	{"cpupower", "governor and clock limits of CPUs (/etc/default/cpupower, /etc/sysconfig/cpupower)",
		{NULL, NULL, PROGRAMS("/etc/systemd/system/multi-user.target.wants/cpupower.service"), NULL}},
	{"cpufrequtils", "governor and clock limits of CPUs (/etc/default/cpufrequtils)",
		{NULL, NULL, PROGRAMS("/etc/init.d/cpufrequtils"), NULL}},
	{"docker", "net.ipv4.ip_forward, bridge-nf-call",
		{"docker.service", "dockerd", PROGRAMS("/usr/bin/dockerd"), "/run/docker.pid"}},
	{"google-guest-agent", "interrupts, transmit steering and queues of interfaces",
		{"google-guest-agent.service", "google_guest_ag",
			PROGRAMS("/usr/bin/google_guest_agent", "/usr/bin/google_guest_agent_manager"), NULL}},
	{"ksmtuned", "merging of equal pages (KSM)", {"ksmtuned.service", "ksmtuned", PROGRAMS("/usr/sbin/ksmtuned"), NULL}},
	{"kubelet", "vm.overcommit_memory, kernel.panic, kernel.panic_on_oops, kernel.keys",
		{"kubelet.service", "kubelet", PROGRAMS("/usr/bin/kubelet", "/usr/local/bin/kubelet"), NULL}},
	{"libvirt", "net.ipv4.ip_forward", {"libvirtd.service", "libvirtd", PROGRAMS("/usr/sbin/libvirtd"), "/run/libvirtd.pid"}},
	{"numad", "CPUs and memory of processes", {"numad.service", "numad", PROGRAMS("/usr/bin/numad"), "/run/numad.pid"}},
	{"oracle-cloud-agent", "tuning of the network of the instance",
		{"oracle-cloud-agent.service", "agent", PROGRAMS("/usr/libexec/oracle-cloud-agent/agent"), NULL}},
	{"power-profiles-daemon", "EPP of CPUs, power profile of the firmware",
		{"power-profiles-daemon.service", "power-profiles-", PROGRAMS("/usr/libexec/power-profiles-daemon"), NULL}},
	{"thermald", "clock limits of CPUs when it gets warm", {"thermald.service", "thermald", PROGRAMS("/usr/sbin/thermald"), NULL}},
	{"tlp", "governor, EPP and turbo of CPUs, power saving of devices", {NULL, NULL, PROGRAMS("/usr/sbin/tlp", "/usr/bin/tlp"), NULL}},
	{"ufw", "what /etc/ufw/sysctl.conf names", {NULL, NULL, PROGRAMS("/usr/sbin/ufw"), NULL}},
	{"walinuxagent", "time-outs of disks",
		{"walinuxagent.service", "waagent", PROGRAMS("/usr/sbin/waagent", "/usr/bin/waagent"), "/run/waagent.pid"}},
};

static void put_running(struct ta_host *h, struct ta_facts *f, const char *name, const struct ta_service *s)
{
	int runs = s->unit ? ta_service_runs(h, s) : -EOPNOTSUPP;

	if (!s->unit)
		ta_facts_put_absent(f, TA_KEYS("agents", name, "running"), TA_UNSUPPORTED, "it works and ends: no process stays");
	else if (runs < 0)
		ta_put_errno(f, runs, name, "agents", name, "running");
	else
		ta_put_bool(f, runs, "agents", name, "running");
}

/* Those that are there; of the others there is nothing to say. */
static void collect(struct ta_host *h, struct ta_facts *f)
{
	bool any = false;

	for (size_t i = 0; i < TA_ARRAY_SIZE(agents); i++) {
		const char *name = agents[i].name;

		if (ta_service_installed(h, &agents[i].service) <= 0)
			continue;
		any = true;
		ta_put_bool(f, true, "agents", name, "installed");
		ta_put_str(f, agents[i].writes, "agents", name, "writes");
		put_running(h, f, name, &agents[i].service);
	}
	if (!any && ta_host_is_whole(h))
		ta_put_object(f, "agents");
	else if (!any)
		ta_facts_put_absent(f, TA_KEYS("agents"), TA_NOT_ASKED, "a copied tree does not show which programs are installed");
}

const struct ta_probe ta_probe_agents = {
	.name = "agents",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
