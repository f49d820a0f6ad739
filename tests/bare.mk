# The newcomer's commands in a minimal Debian: slow, needs root and a mirror, so it is run by itself.

SUITE ?= bookworm
BARE_DIR ?= $(or $(TMPDIR),/tmp)/tuneaudit-bare-$(SUITE)

.PHONY: test-bare
test-bare: ## quickstart in a minimal Debian root, SUITE=bookworm or trixie (slow; root, mmdebstrap)
	sh tests/bare/bare.sh $(SUITE) $(BARE_DIR)
	rm -rf --one-file-system $(BARE_DIR)

CHECKS += check-quickstart

.PHONY: check-quickstart
check-quickstart: ## quickstart with stand-ins for the package managers of four distributions
	@sh tests/bare/quickstart.sh $(abspath $(B))/quickstart
