# The examples of CONTRIBUTING.md are built and run.

CHECKS += check-examples

.PHONY: check-examples
check-examples: all ## the probe and the rule of CONTRIBUTING.md build, and do what the page says
	@sh tests/lint/examples.sh $(abspath $(B))/examples $(abspath $(B))
