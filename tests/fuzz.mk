# Every tests/fuzz/fuzz_NAME.c is a libFuzzer target; tests/fuzz/seeds/NAME/ holds what it starts from.
# Inputs that broke something are kept there as seeds, so that every run tries them again.

FUZZ_SECONDS ?= 60
FUZZ_ONLY ?=
FB := $(B)/fuzz
FUZZ_FLAGS := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
FUZZ_TARGETS := $(if $(FUZZ_ONLY),$(FUZZ_ONLY),$(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c))))

.PHONY: fuzz
fuzz: ## every parser under libFuzzer, FUZZ_SECONDS=60 each, FUZZ_ONLY=NAME for one (clang)
	@[ -n "$(FUZZ_TARGETS)" ] || { echo "fuzz: no targets"; exit 1; }
	@$(MAKE) CC=clang B=$(FB) CFLAGS="$(FUZZ_FLAGS) -fsanitize=fuzzer-no-link" $(FUZZ_TARGETS:%=fuzz-run-%)
	@echo "fuzz: $(words $(FUZZ_TARGETS)) targets held for $(FUZZ_SECONDS) s each"

FUZZ_GOAL ?= 1000000

.PHONY: fuzz-million
fuzz-million: ## every parser until it took FUZZ_GOAL=1000000 inputs; stopped and run again it goes on (clang)
	@[ -n "$(FUZZ_TARGETS)" ] || { echo "fuzz: no targets"; exit 1; }
	@$(MAKE) CC=clang B=$(FB) CFLAGS="$(FUZZ_FLAGS) -fsanitize=fuzzer-no-link" $(FUZZ_TARGETS:%=fuzz-goal-%)
	@echo "fuzz: $(words $(FUZZ_TARGETS)) targets held for $(FUZZ_GOAL) inputs each"

.PHONY: $(FUZZ_TARGETS:%=fuzz-goal-%)
$(FUZZ_TARGETS:%=fuzz-goal-%): fuzz-goal-%: $(B)/fuzz_%
	@sh tests/fuzz/million.sh $< tests/fuzz/seeds/$* $(FUZZ_GOAL)

.PHONY: $(FUZZ_TARGETS:%=fuzz-run-%)
$(FUZZ_TARGETS:%=fuzz-run-%): fuzz-run-%: $(B)/fuzz_%
	@sh tests/fuzz/run.sh $< tests/fuzz/seeds/$* $(FUZZ_SECONDS)

$(B)/fuzz_%: tests/fuzz/fuzz_%.c $(B)/libtuneaudit.a
	@echo "  FUZZ $<"
	$(Q)$(CC) $(TA_CFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer -MMD -MP -o $@ $< $(B)/libtuneaudit.a $(TA_LIBS)

-include $(wildcard $(B)/fuzz_*.d)
