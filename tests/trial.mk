# Trials whose result is known beforehand.

.PHONY: check-trial-proofs
check-trial-proofs: all $(B)/trial/delay ## trials of changes with a known effect, over a path of 40 ms and in an accept storm; minutes, needs root
	@python3 tests/trial/proofs.py $(B)/tuneaudit $(B)/trial/delay $(PROOFS)

$(B)/trial/delay: tests/trial/delay.c
	@mkdir -p $(@D)
	@echo "  TOOL $<"
	$(Q)$(CC) $(TA_CFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $<
