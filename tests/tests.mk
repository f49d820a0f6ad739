# The test targets. Each can be run by hand; CI runs the same ones.

UNIT_SRC := $(wildcard tests/unit/test_*.c)
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(B)/tests/%)

.PHONY: check-unit
check-unit: $(UNIT_BIN) ## unit tests (cmocka)
	@fail=0; for t in $(UNIT_BIN); do $$t > $$t.log 2>&1 || { cat $$t.log; fail=1; }; done; \
	[ $$fail = 1 ] || echo "check-unit: $(words $(UNIT_BIN)) programs passed"; exit $$fail

$(B)/tests/%: tests/unit/%.c $(B)/libtuneaudit.a
	@mkdir -p $(@D)
	@echo "  TEST $<"
	$(Q)$(CC) $(TA_CFLAGS) $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< $(B)/libtuneaudit.a $(TA_LIBS) -lcmocka

-include $(UNIT_BIN:=.d)

# A kind of test brings its own fragment, tests/NAME.mk, with its targets; what belongs into the default
# suite it adds to CHECKS. One file more, nothing to edit here.
CHECKS := check-unit
include $(filter-out tests/tests.mk,$(sort $(wildcard tests/*.mk)))

.PHONY: check
check: $(CHECKS) ## the default test suite
