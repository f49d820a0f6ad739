"""What is true of single outputs of commands and files that other people published.

Each is put alone into a capture, where `facts` would find it. TRUTHS says of each of the statements that the
folder's index.json makes of a file, by number: what facts and findings say for it (a list of checks), or why none
can (a text). A check is (path, value), or (path, {"absent": reason}), or ("PROFILE RULE SUBJECT", verdict).
A value may be a function that tells whether what was found is right.
"""
import json
import pathlib

import hosts

# kind -> where an output of it is read; {nic} is the interface it is of.
PLACES = {
    "interrupts": "proc/interrupts", "softirqs": "proc/softirqs", "softnet_stat": "proc/net/softnet_stat",
    "snmp": "proc/net/snmp", "lscpu": "extra/lscpu", "netstat-s": "extra/netstat_-s", "nstat": "extra/nstat_-zas",
    "limits": "proc/4711/limits", "ethtool": "extra/ethtool/{nic}",
} | {f"ethtool-{o}": f"extra/ethtool-{o}/{{nic}}" for o in "lgckxSia"}

UNSURE = {"absent": "missing"}  # 0 in an answer of the ioctl: off, or not there


def nic(name, driver, cpus=8, queues=1, speed=1000):
    """Files that make an interface of `name` one that is judged."""
    base = f"sys/class/net/{name}"
    return {f"{base}/device/uevent": f"DRIVER={driver}\nPCI_SLOT_NAME=0000:01:00.0\n", f"{base}/flags": "0x1003\n",
            f"{base}/operstate": "up\n", f"{base}/type": "1\n", f"{base}/speed": f"{speed}\n",
            f"{base}/ifindex": "2\n", "sys/devices/system/cpu/online": f"0-{cpus - 1}\n",
            "sys/devices/system/cpu/possible": f"0-{cpus - 1}\n", "sys/devices/system/node/online": "0\n",
            "sys/devices/system/node/node0/cpulist": f"0-{cpus - 1}\n"} | {
                f"{base}/queues/rx-{q}/rps_cpus": "0\n" for q in range(queues)} | {
                f"sys/devices/system/cpu/cpu{c}/topology/{file}": f"{text}\n" for c in range(cpus)
                for file, text in (("core_id", c), ("physical_package_id", 0), ("thread_siblings_list", c))}


def irqs(first, last, **want):
    return [(f"irqs.{n}.{key}", value) for n in range(first, last + 1) for key, value in want.items()]


def n_irqs(count):
    return [("irqs", lambda v: len(v or {}) == count)]


TRUTHS = {
    "irq-xsk-multiqueue-no-action.txt": {
        # The index says 21 columns and no names; the file has 24 columns, and names on every line.
        0: irqs(93, 116, device="NIC", role="combined") + [("irqs.93.counts_total", 3847)],
        1: [("cpu.online", 24)],
    },
    "irq-i40e-iavf-isolated-cpu4.txt": {
        "files": {"sys/devices/system/cpu/isolated": "2-11\n", "sys/devices/system/cpu/online": "0-47\n",
                  "sys/devices/system/cpu/possible": "0-47\n"} | {
            f"proc/irq/{n}/smp_affinity_list": "0-1,24-25\n" for n in (941, 942, 943, 944, 945, 961, 962, 963, 964, 965)
        } | {"sys/class/net/net1/device/uevent": "DRIVER=iavf\n", "sys/class/net/net1/flags": "0x1003\n",
             "sys/class/net/net1/operstate": "up\n"},
        0: irqs(941, 945, wanted=[0, 1, 24, 25]) + [("cpu.isolated", list(range(2, 12)))],
        1: irqs(942, 945, top_cpu=4, top_share=1.0, fired=[4]) + [("gateway irq.nic.isolated net1", "fail")],
    },
    "irq-laptop-8cpu.txt": {
        # 974462 of 1692237 are 58 %, not the 65 % that the index says.
        0: [("cpu.online", 8), ("irqs.29.device", "enp0s25"), ("irqs.29.top_cpu", 0),
            ("irqs.29.top_share", lambda v: abs(v - 974462 / 1692237) < 0.001), ("irqs.30", None)],
    },
    "irq-vm-1cpu.txt": {0: [("cpu.online", 1), ("irqs", {})]},
    "irq-header-only.txt": {0: [("irqs", {})]},
    "irq-e5645-ixgbe-12cpu.txt": {
        0: [("cpu.online", 12)] + irqs(66, 73, device="eth0", role="combined", top_cpu=0) +
           irqs(75, 82, device="eth1") + [("irqs.66.queue", 0), ("irqs.73.queue", 7), ("irqs.65.role", "other")],
    },
    "irq-e5606-igb-4cpu.txt": {
        0: [("cpu.online", 4)] + irqs(58, 61, device="eth0", role="rx") + irqs(62, 65, device="eth0", role="tx"),
    },
    "irq-q6700-mlx5-4cpu.txt": {
        0: [("cpu.online", 4)] + irqs(30, 33, device="0000:01:00.0", role="combined") +
           [("irqs.31.queue", 1), ("irqs.28.role", "other")],
    },
    "irq-singlequeue-8cpu.txt": {0: [("cpu.online", 8)] + n_irqs(2) + irqs(17, 18, role="combined", queue=0, top_cpu=0) +
           [("gateway first", "irq.device.one_cpu")]},
    "irq-mvebu-wrt1900ac.txt": {
        0: [("cpu.online", 2), ("irqs.88.top_cpu", 0), ("irqs.88.top_share", 1.0), ("irqs.88.counts_total", 3792826),
            ("irqs.27.top_cpu", 0), ("irqs.27.counts_total", 150549), ("irqs.26.counts_total", 111),
            ("gateway first", "irq.load.shared"), ("small-device first", "irq.load.shared")],
        1: irqs(26, 27, device="mvneta", name="mvneta"),
    },
    "irq-mt7621-4vpe.txt": {
        0: [("cpu.online", 4), ("irqs.23.counts_total", 11584496), ("irqs.23.top_cpu", 0), ("irqs.23.top_share", 1.0),
            ("irqs.26.counts_total", 3501910), ("irqs.26.top_cpu", 0), ("irqs.9", None), ("irqs.16", None),
            ("small-device first", "irq.load.shared")],
    },
    "irq-odroid-c1-spread.txt": {
        0: [("cpu.online", 4), ("irqs.40.device", "eth0"), ("irqs.40.top_cpu", 1)],
    },
    "irq-gve-2cpu.txt": {
        0: irqs(24, 25, device="0000:00:04.0", queue=0) + [("irqs.24.role", "tx"), ("irqs.25.role", "rx"), ("irqs.26.role", "other")],
    },
    "rss-ixgbe-63rings-table16.txt": {
        "nic": "eno5", "files": nic("eno5", "ixgbe", 64, 63),
        0: [("nics.eno5.rss.queues", list(range(16))), ("nics.eno5.rss.slots", 128), ("nics.eno5.queues.rx", 63),
            ("gateway nic.rss", "fail"), ("gateway first", "nic.rss")],
        1: [("nics.eno5.rss.slots_fewest", 8), ("nics.eno5.rss.slots_most", 8)],
    },
    "rss-12rings-only-2to7.txt": {
        "nic": "eth2", "files": nic("eth2", "mlx5_core", 12, 12),
        0: [("nics.eth2.rss.queues", list(range(2, 8))), ("nics.eth2.rss.slots", 512), ("gateway nic.rss", "fail")],
    },
    "rss-igb-4rings-only-0to2.txt": {
        "nic": "enp2s0", "files": nic("enp2s0", "igb", 4, 4),
        0: [("nics.enp2s0.rss.queues", [0, 1, 2]), ("nics.enp2s0.rss.slots", 128), ("nics.enp2s0.rss.key_bytes", 0),
            ("gateway nic.rss", "fail")],
    },
    "coalesce-ixgbe-rxusecs1.txt": {
        "files": nic("eth0", "ixgbe"),
        0: [("nics.eth0.coalesce.adaptive_rx", UNSURE), ("nics.eth0.coalesce.adaptive_tx", UNSURE),
            ("nics.eth0.coalesce.rx_usecs", 1), ("nics.eth0.coalesce.tx_usecs", UNSURE), ("gateway nic.moderation eth0", "pass")],
    },
    "coalesce-i40e-adaptive50.txt": {
        "files": nic("eth0", "i40e"),
        0: [("nics.eth0.coalesce.adaptive_rx", True), ("nics.eth0.coalesce.adaptive_tx", True),
            ("nics.eth0.coalesce.rx_usecs", 50), ("nics.eth0.coalesce.tx_usecs", 50), ("gateway nic.moderation", "pass")],
    },
    "channels-ice-64of64.txt": {
        "files": nic("eth0", "ice", 64),
        0: [("nics.eth0.channels.combined.current", 64), ("nics.eth0.channels.combined.max", 64),
            ("nics.eth0.channels.other.current", {"absent": "unsupported"})],
    },
    "channels-virtio-1of8.txt": {
        "nic": "ens3", "files": nic("ens3", "virtio_net"),
        0: [("nics.ens3.channels.combined.current", 1), ("nics.ens3.channels.combined.max", 8),
            ("gateway nic.channels.combined", "fail"), ("gateway first", "nic.channels.combined")],
    },
    "channels-mlx5-current-only-8.txt": {
        "files": nic("eth0", "mlx5_core", 16),
        0: [("nics.eth0.channels.combined.current", 8), ("nics.eth0.channels.combined.max", {"absent": "not-asked"}),
            ("nics.eth0.channels.rx.current", {"absent": "unsupported"}), ("gateway nic.channels.combined", "unknown")],
    },
    "channels-ice-256of288.txt": {
        # Two threads a core; sending on the combined queues and on 32 of its own.
        "files": nic("eth0", "ice", 288, 256) | {
            f"sys/devices/system/cpu/cpu{c}/topology/{file}": text for c in range(288)
            for file, text in (("core_id", f"{c % 144}\n"), ("thread_siblings_list", f"{c % 144},{c % 144 + 144}\n"))
        } | {f"sys/class/net/eth0/queues/tx-{q}/xps_cpus": "0\n" for q in range(288)},
        0: [("nics.eth0.channels.combined.current", 256), ("nics.eth0.channels.combined.max", 288),
            ("nics.eth0.channels.tx.current", 32), ("gateway first", "nic.channels.many"), ("gateway nic.channels.separate eth0", "pass"),
            ("gateway nic.channels.transmit eth0", "pass")],
        1: "the counters are not in the file",
    },
    "channels-i40e-63of63-80vcpu.txt": {
        "files": nic("eth0", "i40e", 80),
        0: [("nics.eth0.channels.combined.current", 63), ("nics.eth0.channels.combined.max", 63)],
    },
    "channels-fail-eth0-veth.txt": {0: [("nics.eth0.channels", {"absent": "unsupported"})]},
    "ring-mlx5-blank-lines.txt": {
        0: [("nics.eth0.rings.rx.current", 4096), ("nics.eth0.rings.rx.max", 8192),
            ("nics.eth0.rings.tx.current", 4096), ("nics.eth0.rings.tx.max", 8192)],
    },
    "ring-tg3-200of2047.txt": {
        "nic": "eth2", "files": nic("eth2", "tg3"),
        0: [("nics.eth2.rings.rx.current", 200), ("nics.eth2.rings.rx.max", 2047), ("nics.eth2.rings.tx.current", 511),
            ("nics.eth2.rings.tx.max", 511), ("gateway nic.rings.rx", "fail")],
    },
    "ring-256of256-virtio.txt": {
        "nic": "ens3", "files": nic("ens3", "virtio_net"),
        0: [("nics.ens3.rings.rx.current", 256), ("nics.ens3.rings.rx.max", 256), ("nics.ens3.rings.tx.current", 256),
            ("gateway nic.rings.rx", "pass"), ("gateway nic.rings.tiny", "pass")],
    },
    "ring-fail-flannel.txt": {
        "nic": "flannel.1",
        0: [('nics["flannel.1"].rings', {"absent": "unsupported"})],
    },
    "stats-igb-rx-missed-270102.txt": {
        "files": nic("eth0", "igb") | {"sys/class/net/eth0/statistics/rx_missed_errors": "270102\n",
                                       "sys/class/net/eth0/statistics/rx_fifo_errors": "270102\n",
                                       "sys/class/net/eth0/statistics/rx_packets": "15920618\n",
                                       "sys/class/net/eth0/statistics/tx_packets": "17846725\n"},
        0: [("counters.nic_driver.eth0.rx_missed_errors", 270102), ("counters.nic_driver.eth0.rx_fifo_errors", 270102),
            ("gateway nic.drops.ring", "fail"), ("gateway first", "nic.drops.ring")],
        1: [("counters.nic_driver.eth0.rx_no_buffer_count", None)],
    },
    "stats-igb-nat-full.txt": {0: [("counters.nic_driver.eth0.rx_missed_errors", 270844)]},
    "stats-igc-long-byte.txt": {0: [("counters.nic_driver.eth0", {})]},
    "stats-ixgbe-353.txt": {0: [("counters.nic_driver.eth0", lambda v: len(v) > 5 and not any(v.values()))]},
    "stats-igb-clean.txt": {0: [("counters.nic_driver.eth0", lambda v: len(v) > 5 and not any(v.values()))]},
    "stats-ena-queue0.txt": {0: [("counters.nic_driver.eth0", lambda v: len(v) > 1 and not any(v.values()))]},
    "lscpu-i7-10710u.txt": {
        "files": {"sys/devices/system/cpu/online": "0-5\n"},
        0: [("cpu.online", 6), ("cpu.physical_cores", 6), ("cpu.threads_per_core", 1), ("cpu.sockets", 1)],
    },
    "softnet-4cpu-drops.txt": {
        "files": {"sys/devices/system/cpu/online": "0-3\n"},
        0: [("counters.softnet.dropped", 274), ("counters.softnet.time_squeeze", 10),
            ("counters.softnet.received_rps", 5 + 6 + 7 + 8), ("counters.softnet.dropped_by_cpu", [0x12, 0xff, 0, 1])],
    },
    "softnet-dpi-8cpu-t1.txt": {0: [("counters.softnet.dropped", 0), ("counters.softnet.time_squeeze", 1913),
                                    ("counters.softnet.processed_by_cpu", lambda v: len(v) == 8)]},
    "softnet-dpi-8cpu-t5.txt": {0: [("counters.softnet.dropped", 0), ("counters.softnet.time_squeeze", 1913)]},
    "netstat-s-old-kernel.txt": {
        0: [("counters.tcp.RetransSegs", 428), ("counters.tcp.OutSegs", 2890303), ("counters.ip.OutDiscards", 456),
            ("counters.tcpext.ListenOverflows", 0), ("gateway net.listen.overflow", "pass")],
    },
    "netstat-s-timewait-overflow.txt": {
        0: [("counters.tcpext.TCPTimeWaitOverflow", 27360), ("gateway tcp.tw_overflow", "fail")],
        1: "the kernel's log is not read",
    },
    "nstat-zas-k8s.txt": {
        0: [("counters.tcp.PassiveOpens", 1579), ("counters.tcpext.TCPAbortOnData", 2049),
            ("counters.ip.OutDiscards", 46), ("counters.udp.InDatagrams", 1405)],
    },
    "proc-net-snmp.txt": {
        0: [("counters.tcp.OutSegs", 1520), ("counters.tcp.RetransSegs", 1), ("counters.udp.RcvbufErrors", 1),
            ("counters.udp.SndbufErrors", 4), ("counters.ip.InAddrErrors", 2)],
    },
    "proc-limits.txt": {
        "files": {"proc/4711/comm": "nginx\n", "proc/4711/stat": "4711 (nginx) S 1 4711 4711 0 -1 4194560 0 0 0 0\n",
                  "proc/4711/status": "Name:\tnginx\nPid:\t4711\nPPid:\t1\nThreads:\t1\nCpus_allowed_list:\t0\n",
                  "proc/4711/cgroup": "0::/system.slice/nginx.service\n"},
        0: [("processes.4711.nofile_soft", 1024), ("processes.4711.nofile_hard", 4096)],
    },
    "softirqs-i7.txt": {0: [("counters.softirq.cpus", list(range(8))),
                            ("counters.softirq.net_tx_by_cpu", [20940277, 4040, 2917, 1538, 16915, 338057, 1696, 1191])]},
    "features-bond0-lro-on.txt": {
        "nic": "bond0",
        0: [('nics.bond0.features["rx-lro"]', True), ('nics.bond0.features["tx-generic-segmentation"]', False),
            ("nics.bond0.features_refused", ["tx-generic-segmentation"]), ('nics.bond0.features["rx-gro"]', True),
            ('nics.bond0.features["rx-checksum"]', False),
            ("nics.bond0.features_changeable", lambda v: "rx-checksum" not in v and "rx-lro" in v)],
    },
    "features-virtio-ens3.txt": {
        "nic": "ens3", "files": nic("ens3", "virtio_net"),
        0: [('nics.ens3.features["tx-tcp-segmentation"]', True), ('nics.ens3.features["tx-generic-segmentation"]', True),
            ('nics.ens3.features["rx-gro"]', True), ('nics.ens3.features["rx-lro"]', False),
            ("gateway nic.offload.gro", "pass"), ("gateway nic.offload.tso", "pass")],
    },
    "drvinfo-virtio.txt": {0: [("nics.eth0.driver", "virtio_net"), ("nics.eth0.driver_version", "1.0.0"),
                               ("nics.eth0.bus", "0000:00:03.0")]},
    "link-eth1-1000.txt": {
        "nic": "eth1",
        0: [("nics.eth1.speed_mbps", 1000), ("nics.eth1.duplex", "full"), ("nics.eth1.autoneg", True),
            ("nics.eth1.supported_max_mbps", 1000)],
    },
    "thp-madvise-redis.txt": {
        "files": {"sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
                  "sys/kernel/mm/transparent_hugepage/defrag": "always [madvise] never\n"},
        0: [("memory.thp.enabled", "madvise"), ("redis memory.thp.enabled", "pass"), ("redis memory.thp.defrag", "pass")],
    },
    "prlimit-pid1-centos-arch.txt": {0: "limits of two hosts in one text, by a command that tells nothing else of them"},
    "nvme-apst-all-zero.txt": {0: "no fact holds the table of transitions"},
    "nvme-apst-275ms-ps3.txt": {0: "no fact holds the table of transitions"},
}


def examine(program, folder, entry, work):
    truth = TRUTHS.get(entry["file"], {})
    tree = work / entry["file"]
    files = dict(truth.get("files", {}))
    place = PLACES.get(entry["kind"])
    if place:
        files[place.format(nic=truth.get("nic", "eth0"))] = (folder / entry["file"]).read_bytes()
    hosts.lay_out(tree, files)
    output = hosts.Judged(entry["file"], program, tree)
    output.read()
    for number, statement in enumerate(entry["true"]):
        checks = truth.get(number)
        if checks is None:
            output.untold.append(statement)
        elif isinstance(checks, str):
            output.inexpressible.append(f"{statement} ({checks})")
        else:
            output.begin(statement)
            for path, want in checks:
                output.check(path, want)
    output.end()
    return output


def all_of(program, folder, work):
    index = json.loads((pathlib.Path(folder) / "index.json").read_text())
    return [examine(program, pathlib.Path(folder), entry, work) for entry in index]
