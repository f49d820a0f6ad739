# Hosts that other people captured, where a folder of them is at hand: NAME/facts.json holds what is true of each.
# Their files are not ours, so none of them is in the tree, and this is not in the default suite.

CORPUS ?=

.PHONY: check-corpus
check-corpus: all ## captured hosts against what is true of them: CORPUS=DIR, with DIR/hosts/NAME or DIR/NAME
	@d="$(CORPUS)/hosts"; [ -d "$$d" ] || d="$(CORPUS)"; \
	ls "$$d"/*/facts.json >/dev/null 2>&1 || { echo "skip: no captured hosts at CORPUS=$(CORPUS)"; exit 77; }; \
	python3 tests/corpus/check.py $(B)/tuneaudit "$$d"
