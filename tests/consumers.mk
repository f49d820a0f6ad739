# Each format of check read by programs that it is for: ./quickstart consumers installs them.

CONSUMERS ?=

.PHONY: check-consumers
check-consumers: all ## each format in the hands of programs that read it; what is not installed is left out (CONSUMERS=all: a failure)
	@python3 tests/consumers/check.py $(B)/tuneaudit . build/bench-tools $(CONSUMERS)
