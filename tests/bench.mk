# How long a check takes, as ratios measured in one run: docs/benchmarks.md.

BENCH_ROUNDS ?= $(if $(filter short,$(BENCH)),60,300)
# The short run is for CI machines that do other things too: it fails only on what is far off.
BENCH_MARGIN ?= $(if $(filter short,$(BENCH)),1.5,1)

.PHONY: bench
bench: all $(B)/bench/bench ## check against its floor and sysctl -a (BENCH=short: fewer rounds)
	@sh tests/bench/bench.sh $(B) $(BENCH_ROUNDS) $(BENCH_MARGIN)

$(B)/bench/bare: tests/bench/bare.c
	@mkdir -p $(@D)
	@echo "  TOOL $<"
	$(Q)$(CC) $(TA_CFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $<

$(B)/bench/bench: tests/bench/bench.c $(B)/libtuneaudit.a
	@mkdir -p $(@D)
	@echo "  TOOL $<"
	$(Q)$(CC) $(TA_CFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(B)/libtuneaudit.a

# Made hosts of 512 CPUs; the short run is a part of the default suite.
.PHONY: bench-scale
bench-scale: all $(B)/bench/bench ## a host of 512 CPUs, 16 NICs with 64 queues, 2,000 processes: time and memory (BENCH=short)
	@python3 tests/bench/scale.py $(B) $(if $(filter short,$(BENCH)),3,15) $(if $(filter short,$(BENCH)),3,1)

# Against the tools of the field, which ./quickstart bench installs: docs/benchmarks.md. LOAD="client server": only those.
.PHONY: bench-load
bench-load: all $(B)/bench/bare ## load runs against wrk, nginx and others, ratios in one run (BENCH=short; LOAD=NAME: only that)
	@BENCH_TOOLS=$(B)/bench-tools/usr/sbin:$(B)/bench-tools/usr/bin python3 tests/bench/load.py $(B)/tuneaudit \
		$(if $(filter short,$(BENCH)),3 1 2,9 3 1) $(LOAD)
