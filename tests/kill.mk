# SIGKILL and errors at every writing call of apply and rollback (tests/kill/check.py).

CHECKS += check-kill-short

.PHONY: check-kill check-kill-short
check-kill: all $(B)/tests/killer ## kill test, whole: at every writing call of apply and rollback, every error
	@python3 tests/kill/check.py $(B)/tuneaudit $(B)/tests/killer

check-kill-short: all $(B)/tests/killer ## the same with every kill, but fewer errors
	@python3 tests/kill/check.py $(B)/tuneaudit $(B)/tests/killer --short

$(B)/tests/killer: tests/kill/killer.c
	@mkdir -p $(@D)
	@echo "  TEST $<"
	$(Q)$(CC) -std=gnu11 -O1 -Wall -Wextra -o $@ $<
