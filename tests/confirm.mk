# Runs that undo themselves unless they are confirmed: timers, terminals, killed processes (tests/confirm/check.py).

CHECKS += check-confirm

.PHONY: check-confirm
check-confirm: all $(B)/tests/killer $(B)/tests/confirm-shim.so ## changes that undo themselves: timers, terminals, killed processes; CONFIRM_ONLY=NAME
	@python3 tests/confirm/check.py $(B)/tuneaudit $(B)/tests/killer $(B)/tests/confirm-shim.so $(CONFIRM_ONLY)

$(B)/tests/confirm-shim.so: tests/confirm/shim.c
	@mkdir -p $(@D)
	@echo "  TEST $<"
	$(Q)$(CC) -std=gnu11 -O1 -Wall -Wextra -shared -fPIC -o $@ $< -ldl
