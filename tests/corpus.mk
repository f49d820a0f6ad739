# Hosts that other people captured, where a folder of them is at hand: NAME/facts.json holds what is true of each.
# Their files are not ours, so none of them is in the tree, and this is not in the default suite.

CORPUS ?=

.PHONY: check-corpus
check-corpus: all ## captured hosts and outputs against what is true of them: CORPUS=DIR, with DIR/hosts/NAME or DIR/NAME, DIR/outputs
	@ls "$(CORPUS)"/*/facts.json "$(CORPUS)"/hosts/*/facts.json 2>/dev/null | grep -q . || \
		{ echo "skip: no captured hosts at CORPUS=$(CORPUS)"; exit 77; }; \
	python3 tests/corpus/check.py $(B)/tuneaudit "$(CORPUS)"
