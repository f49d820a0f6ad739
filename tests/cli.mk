# What a person and a script see: commands, options, exit codes, outputs. A target for each file, so that they run side by side.

CHECKS += check-cli
BATS ?= bats
CLI := $(patsubst tests/cli/%.bats,check-cli-%,$(wildcard tests/cli/*.bats))

.PHONY: check-cli $(CLI)
check-cli: $(CLI) ## the commands from outside: options, exit codes, outputs (bats); check-cli-NAME for one file

$(CLI): check-cli-%: all
	@TUNEAUDIT=$(abspath $(B))/tuneaudit $(BATS) tests/cli/$*.bats
