# Against the real thing, where it is installed: what systemd-sysctl writes for random files is what `facts` says it will.

CHECKS += check-oracle

ORACLE_TREES ?= 60
.PHONY: check-oracle
check-oracle: $(B)/tuneaudit ## random sysctl.d trees against systemd-sysctl itself, in a mount namespace (ORACLE_TREES=60)
	@python3 tests/oracle/sysctl.py $(B)/tuneaudit $(ORACLE_TREES)
