# Trials whose result is known beforehand.

.PHONY: check-trial-proofs
check-trial-proofs: all $(B)/trial/delay ## trials of changes with a known effect, over a path of 40 ms and in an accept storm; minutes, needs root
	@python3 tests/trial/proofs.py $(B)/tuneaudit $(B)/trial/delay $(PROOFS)

$(B)/trial/delay: tests/trial/delay.c
	@mkdir -p $(@D)
	@echo "  TOOL $<"
	$(Q)$(CC) $(TA_CFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $<

# SIMULATED SAME SLOWER SECONDS [ROUND_MS]: see counts.c. TRIAL=long: rounds of the default length, half an hour.
COUNTS_ := 400 60 40 270
COUNTS_short := 100 5 3 20
COUNTS_long := 400 5 10 2400 3000
COUNTS := $(COUNTS_$(TRIAL))

.PHONY: check-trial-stats
check-trial-stats: $(B)/trial/counts ## how often trials are right: simulated ones, and real ones with and without 5 % more work (TRIAL=short, long)
	@$(B)/trial/counts $(COUNTS)

$(B)/trial/counts: tests/trial/counts.c tests/trial/noise.h $(B)/libtuneaudit.a
	@mkdir -p $(@D)
	@echo "  TOOL $<"
	$(Q)$(CC) $(TA_CFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(B)/libtuneaudit.a $(TA_LIBS)
