# The project's own hosts: what is true of them, and what damage does to them.

CHECKS += check-fixtures check-mutated

$(B)/tests/validate: tests/fixtures/validate.c $(B)/libtuneaudit.a
	@mkdir -p $(@D)
	@echo "  CC   $<"
	$(Q)$(CC) $(TA_CFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(B)/libtuneaudit.a $(TA_LIBS)

.PHONY: check-fixtures
check-fixtures: $(B)/tuneaudit $(B)/tests/validate ## the project's own hosts, held against what is true of them
	python3 tests/fixtures/check.py $(B)/tuneaudit $(B)/tests/validate fixtures

MUTATIONS ?= 150
.PHONY: check-mutated
check-mutated: $(B)/tuneaudit ## damaged captures: no crash, no hang, nothing of this machine (MUTATIONS=150)
	python3 tests/fixtures/mutate.py $(B)/tuneaudit fixtures $(MUTATIONS)

# With sanitizers, since what they see is what it is for; niced, since it takes its time.
MUTATION_ROUNDS ?= 1
.PHONY: check-mutated-each
check-mutated-each: ## every file of every host damaged by itself, under sanitizers (MUTATION_ROUNDS=1; long)
	@$(MAKE) B=$(B)/asan CFLAGS="$(SANITIZE)" $(B)/asan/tuneaudit
	nice -n 19 python3 tests/fixtures/mutate.py $(B)/asan/tuneaudit fixtures each $(MUTATION_ROUNDS)
