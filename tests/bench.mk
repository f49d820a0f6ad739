# How long a check takes, as ratios measured in one run: docs/benchmarks.md.

BENCH_ROUNDS ?= $(if $(filter short,$(BENCH)),60,300)

.PHONY: bench
bench: all $(B)/bench/bench ## check against its floor and sysctl -a (BENCH=short: fewer rounds)
	@sh tests/bench/bench.sh $(B) $(BENCH_ROUNDS)

$(B)/bench/bench: tests/bench/bench.c $(B)/libtuneaudit.a
	@mkdir -p $(@D)
	@echo "  TOOL $<"
	$(Q)$(CC) $(TA_CFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(B)/libtuneaudit.a
