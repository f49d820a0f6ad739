# What a person and a script see: commands, options, exit codes, outputs.

CHECKS += check-cli
BATS ?= bats

.PHONY: check-cli
check-cli: all ## the commands from outside: options, exit codes, outputs (bats), BATS_ONLY=NAME for one file
	@TUNEAUDIT=$(abspath $(B))/tuneaudit $(BATS) $(if $(BATS_ONLY),tests/cli/$(BATS_ONLY).bats,tests/cli)
