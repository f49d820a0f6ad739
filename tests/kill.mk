# SIGKILL and errors at every writing call of apply and rollback (tests/kill/check.py).

CHECKS += check-kill-short

.PHONY: check-kill check-kill-short
check-kill: all $(B)/tests/killer $(B)/tests/onoff ## kill test, whole: at every writing call of apply, rollback and a trial, every error
	@python3 tests/kill/check.py $(B)/tuneaudit $(B)/tests/killer $(B)/tests/onoff

check-kill-short: all $(B)/tests/killer $(B)/tests/onoff ## the same with every kill, but fewer errors
	@python3 tests/kill/check.py $(B)/tuneaudit $(B)/tests/killer $(B)/tests/onoff --short

$(B)/tests/killer: tests/kill/killer.c
	@mkdir -p $(@D)
	@echo "  TEST $<"
	$(Q)$(CC) -std=gnu11 -O1 -Wall -Wextra -o $@ $<

$(B)/tests/onoff: tests/kill/onoff.c $(B)/libtuneaudit.a
	@mkdir -p $(@D)
	@echo "  TEST $<"
	$(Q)$(CC) $(TA_CFLAGS) $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< $(B)/libtuneaudit.a $(TA_LIBS)
