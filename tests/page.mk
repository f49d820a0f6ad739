# Pages in a browser. What it takes ./quickstart page installs; where it is not there, this is skipped.

CHROMIUM ?= $(or $(shell command -v chromium),$(shell command -v chromium-browser))
PAGE_ONLY ?=

.PHONY: check-page
check-page: all ## pages in headless Chromium: light, dark, narrow, printed, by keyboard, axe-core; PAGE_ONLY=NAME
	@command -v node >/dev/null || { echo "skip: node is not installed (./quickstart page)"; exit 77; }
	@[ -n "$(CHROMIUM)" ] || { echo "skip: chromium is not installed (./quickstart page)"; exit 77; }
	@[ -d $(B)/page/node_modules/playwright-core ] || { echo "skip: axe-core and playwright-core are not installed (./quickstart page)"; exit 77; }
	@CHROMIUM=$(CHROMIUM) node tests/page/check.mjs $(abspath $(B))/tuneaudit $(abspath $(B))/page $(PAGE_ONLY)

.PHONY: page-shots
page-shots: ## the screenshots of docs/page.md anew
	@$(MAKE) check-page PAGE_ONLY="bad 200 load"
	@mkdir -p docs/images; for n in bad 200 load; do cp $(B)/page/docs-$$n.png docs/images/page-$$n.png; done
