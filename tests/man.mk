# Manual pages, made from the tables of the commands and from pages of docs/; kept in the tree, so that installing takes no tool.

RELEASED := November 30, 2026
MAN1 := $(patsubst src/cli/cmds/%.c,docs/man/tuneaudit-%.1,$(wildcard src/cli/cmds/*.c))
MAN := docs/man/tuneaudit.1 $(MAN1) docs/man/tuneaudit.rules.5
DOCS += $(MAN)
CHECKS += check-man
check-docs: $(MAN:%=$(B)/%)

$(B)/docs/man/tuneaudit.1: $(B)/tools/mkman docs/exit-codes.md tools/mdman.awk
	@mkdir -p $(@D)
	$(Q)(set -e; $(B)/tools/mkman '$(RELEASED)' program; echo '.Sh EXIT STATUS'; LC_ALL=C awk -f tools/mdman.awk docs/exit-codes.md; \
		echo '.Sh SEE ALSO'; for p in $(sort $(MAN1:docs/man/%.1=%)); do echo ".Xr $$p 1 ,"; done; echo '.Xr tuneaudit.rules 5') > $@.tmp
	$(Q)mv $@.tmp $@

$(MAN1:%=$(B)/%): $(B)/docs/man/tuneaudit-%.1: $(B)/tools/mkman
	@mkdir -p $(@D)
	$(Q)$(B)/tools/mkman '$(RELEASED)' $* > $@.tmp && mv $@.tmp $@

$(B)/docs/man/tuneaudit.rules.5: docs/language.md tools/mdman.awk tests/man.mk
	@mkdir -p $(@D)
	$(Q)(printf '%s\n' '.\" Made from docs/language.md: make docs' '.Dd $(RELEASED)' '.Dt TUNEAUDIT.RULES 5' .Os '.Sh NAME' \
		'.Nm tuneaudit.rules' '.Nd the language of rules for tuneaudit' '.Sh DESCRIPTION'; \
		LC_ALL=C awk -f tools/mdman.awk docs/language.md; printf '%s\n' '.Sh SEE ALSO' '.Xr tuneaudit 1 ,' '.Xr tuneaudit-rules 1') > $@.tmp
	$(Q)mv $@.tmp $@

.PHONY: check-man
check-man: all ## the manual pages are clean (mandoc), show what they should, and refer to each other
	@sh tests/man/check.sh $(B)/tuneaudit docs/man $(abspath $(B))/man
