# The examples for other people's pipelines, run as they stand.

CHECKS += check-usage

.PHONY: check-usage
check-usage: all ## examples/: the workflow's steps and the benchmark script, here and on captured hosts
	@python3 tests/usage/check.py $(B)/tuneaudit . $(B)/usage
