# Completion in the shells themselves.

CHECKS += check-complete

.PHONY: check-complete
check-complete: all ## completion in bash, zsh and fish: keys typed at their prompts (tests/complete/check.py)
	@python3 tests/complete/check.py $(B)/tuneaudit .
