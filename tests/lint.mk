# The tree against its own laws; the default suite runs all of it, it takes a second.

CHECKS += lint

.PHONY: lint
lint: all ## the laws of the tree: layers, sizes, banned functions, one door, facts named in the docs
	@sh tests/lint/selftest.sh $(abspath $(B))/lint-selftest
	@sh tests/lint/lint.sh . $(B)
