CHECKS += check-fixtures

.PHONY: check-fixtures
check-fixtures: $(B)/tuneaudit ## the project's own hosts, held against what is true of them
	python3 tests/fixtures/check.py $(B)/tuneaudit fixtures
