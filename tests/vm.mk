# Debian kernels in emulated machines (QEMU, software emulation): slow, so apart from the default suite.

.PHONY: test-vm test-vm-short
test-vm: $(B)/tuneaudit ## every kernel and machine shape in QEMU (slow)
	TUNEAUDIT=$(B)/tuneaudit tests/vm/run.sh all
	TUNEAUDIT=$(B)/tuneaudit tests/vm/profiles.sh all
	TUNEAUDIT=$(B)/tuneaudit tests/vm/apply.sh all
	TUNEAUDIT=$(B)/tuneaudit tests/vm/systemd.sh all || [ $$? = 77 ]

test-vm-short: $(B)/tuneaudit ## this release's own kernel in one machine
	TUNEAUDIT=$(B)/tuneaudit tests/vm/run.sh short
	TUNEAUDIT=$(B)/tuneaudit tests/vm/profiles.sh short
	TUNEAUDIT=$(B)/tuneaudit tests/vm/apply.sh short
	TUNEAUDIT=$(B)/tuneaudit tests/vm/systemd.sh short || [ $$? = 77 ]

.PHONY: test-vm-systemd test-vm-systemd-short
test-vm-systemd: $(B)/tuneaudit ## what is kept over restarts, confirmed, or undone by itself, under systemd (slow)
	TUNEAUDIT=$(B)/tuneaudit tests/vm/systemd.sh all

test-vm-systemd-short: $(B)/tuneaudit ## the same with one profile
	TUNEAUDIT=$(B)/tuneaudit tests/vm/systemd.sh short

.PHONY: test-vm-profiles test-vm-profiles-short
test-vm-profiles: $(B)/tuneaudit ## profiles, knobs, interrupts, kills and power cuts, undone exactly (slow)
	TUNEAUDIT=$(B)/tuneaudit tests/vm/profiles.sh all

test-vm-profiles-short: $(B)/tuneaudit ## one profile, and interrupts beside irqbalance
	TUNEAUDIT=$(B)/tuneaudit tests/vm/profiles.sh short

.PHONY: test-vm-apply test-vm-apply-short
test-vm-apply: $(B)/tuneaudit ## cards of four kinds are changed and put back, under every kernel (slow)
	TUNEAUDIT=$(B)/tuneaudit tests/vm/apply.sh all

test-vm-apply-short: $(B)/tuneaudit ## the same under this release's own kernel
	TUNEAUDIT=$(B)/tuneaudit tests/vm/apply.sh short

.PHONY: environments
environments: $(B)/tuneaudit ## what is read on this machine: by root, by nobody, in a container, from a capture
	@d=$$(mktemp -d) && chmod 755 $$d && install -m 755 $(B)/tuneaudit $$d && python3 tests/vm/environments.py --here $$d/tuneaudit; rm -rf $$d
