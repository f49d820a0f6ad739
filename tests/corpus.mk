# Hosts that other people captured, where a folder of them is at hand: CORPUS/hosts/NAME/facts.json holds what is
# true of each. Their files are not ours, so none of them is in the tree, and this is not in the default suite.

CORPUS ?=

.PHONY: check-corpus
check-corpus: all ## captured hosts against what is true of them: CORPUS=DIR (skipped without)
	@if [ -d "$(CORPUS)/hosts" ]; then python3 tests/corpus/check.py $(B)/tuneaudit "$(CORPUS)/hosts"; \
	else echo "skip: no folder of captured hosts at CORPUS=$(CORPUS)"; fi
