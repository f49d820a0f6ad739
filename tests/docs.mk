# References made from the code, kept in the tree so that they can be read without building. The fragments of
# other references add their files to DOCS and say how each is made.

DOCS += docs/facts.md docs/rules.md README.md
CHECKS += check-docs

.PHONY: docs
docs: ## make the references in docs/ anew from the code
	@$(MAKE) $(B)/tools/mkdocs $(DOCS:%=$(B)/%)
	@mkdir -p docs; for d in $(DOCS); do cmp -s $(B)/$$d $$d || { cp $(B)/$$d $$d; echo "  DOC  $$d"; }; done

.PHONY: check-docs
check-docs: $(B)/tools/mkdocs $(DOCS:%=$(B)/%) ## the references in docs/ are current, the facts named in texts exist
	@for d in $(DOCS); do diff -u $$d $(B)/$$d || { echo "$$d is not current: make docs"; exit 1; }; done
	@$(B)/tools/mkdocs paths $(wildcard README.md CONTRIBUTING.md) $(filter-out docs/facts.md,$(wildcard docs/*.md))
	@echo "check-docs: ok"

$(B)/docs/facts.md: $(B)/tools/mkdocs
	@mkdir -p $(@D)
	$(Q)$(B)/tools/mkdocs facts > $@

# Only the table of rules in it is made.
$(B)/docs/rules.md: docs/rules.md $(B)/tools/mkdocs
	@mkdir -p $(@D)
	$(Q)$(B)/tools/mkdocs rules docs/rules.md > $@.tmp && mv $@.tmp $@

# README.md is its own source: only the screens in it are made.
$(B)/README.md: README.md tools/screen.sh $(B)/tuneaudit FORCE
	$(Q)sh tools/screen.sh $(B) README.md fixtures/captures/vm-server-6.1.tar.gz > $@.tmp && mv $@.tmp $@

$(B)/tools/%: tools/%.c $(B)/libtuneaudit.a
	@mkdir -p $(@D)
	@echo "  TOOL $<"
	$(Q)$(CC) $(TA_CFLAGS) $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< $(B)/libtuneaudit.a $(TA_LIBS)

-include $(wildcard $(B)/tools/*.d)
