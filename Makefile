# tuneaudit. `make help` lists the targets.

VERSION := 0.1.0
PREFIX ?= /usr/local
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
DESTDIR ?=
CC ?= gcc
PKG_CONFIG ?= pkg-config
B ?= build
# V=1 shows the commands.
Q := $(if $(V),,@)

LIBS := libnl-3.0 libnl-genl-3.0 libmnl json-c
CFLAGS ?= -O2 -g
WARN := -Wall -Wextra -Wshadow -Wvla -Wmissing-prototypes -Wstrict-prototypes -Wold-style-definition \
	-Wpointer-arith -Wwrite-strings -Wundef -Wformat=2 -Wno-unused-parameter $(if $(DEVELOPER),-Werror)
TA_CFLAGS := -std=gnu11 -D_GNU_SOURCE -DTA_VERSION='"$(VERSION)"' -Isrc -I. $(WARN) $(shell $(PKG_CONFIG) --cflags $(LIBS))
# zlib unpacks one file that few kernels need it for, liburing is for load runs: linked in where that is possible, so that
# no start pays for them.
ZLIB := $(if $(filter /%,$(shell $(CC) -print-file-name=libz.a)),-l:libz.a,-lz)
URING := $(if $(filter /%,$(shell $(CC) -print-file-name=liburing.a)),-l:liburing.a,-luring)
TA_LIBS := $(shell $(PKG_CONFIG) --libs $(LIBS)) $(ZLIB) $(URING) -lm -pthread

SRC := $(sort $(wildcard src/*/*.c src/*/*/*.c probes/*.c))
GEN := $(B)/gen/registry.c $(B)/gen/rules.c $(B)/gen/page.c $(B)/gen/builtin.c
OBJ := $(SRC:%.c=$(B)/%.o) $(GEN:.c=.o)
LIB_OBJ := $(filter-out $(B)/src/cli/main.o,$(OBJ))

.DEFAULT_GOAL := all
.PHONY: all
all: $(if $(wildcard src/cli/main.c),$(B)/tuneaudit,$(B)/libtuneaudit.a) ## build the program (default)

include tests/tests.mk

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-18s %s\n", $$1, $$2}' | sort

$(B)/tuneaudit: $(B)/src/cli/main.o $(B)/libtuneaudit.a
	@echo "  LINK $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(B)/libtuneaudit.a $(TA_LIBS)

$(B)/libtuneaudit.a: $(LIB_OBJ)
	@rm -f $@
	$(Q)$(AR) rcs $@ $(LIB_OBJ)

$(B)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC   $<"
	$(Q)$(CC) $(TA_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(B)/gen/%.o: $(B)/gen/%.c
	@echo "  CC   $<"
	$(Q)$(CC) $(TA_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# Registries: tables made from the file list, so that adding a thing adds one file.
REGISTERED := $(wildcard probes/*.c src/derive/*.c src/fix/fixers/*.c src/fix/knobs/*.c src/load/engines/*.c src/load/workloads/*.c src/load/services/*.c src/report/formats/*.c src/cli/cmds/*.c)
$(B)/gen/registry.c: tools/mkregistry.sh $(B)/gen/registry.list
	$(Q)sh tools/mkregistry.sh $(REGISTERED) > $@.tmp && mv $@.tmp $@

RULE_FILES := $(sort $(wildcard rules/*.rules rules/profiles/*.rules))
$(B)/gen/rules.c: tools/mkrules.sh $(B)/gen/rules.list $(RULE_FILES)
	$(Q)sh tools/mkrules.sh $(RULE_FILES) > $@.tmp && mv $@.tmp $@

PAGE_FILES := src/report/page/page.css src/report/page/page.js
$(B)/gen/page.c: tools/mkpage.sh $(PAGE_FILES)
	@mkdir -p $(@D)
	$(Q)sh tools/mkpage.sh $(PAGE_FILES) > $@.tmp && mv $@.tmp $@

# Field tables and rules as data, by a program that is built from all the rest. BUILTIN=no for a compiler whose programs
# do not run here: then every start reads the rules.
BUILTIN ?= yes
CORE_OBJ := $(filter-out $(B)/gen/builtin.o,$(LIB_OBJ))
ifeq ($(BUILTIN),yes)
$(B)/gen/builtin.c: $(B)/tools/mkbuiltin
	$(Q)$(B)/tools/mkbuiltin > $@.tmp && mv $@.tmp $@
else
$(B)/gen/builtin.c:
	@mkdir -p $(@D)
	@printf '%s\n' '#include "facts/schema.h"' '#include "rule/embedded.h"' 'struct ta_schema *const ta_builtin_schema = NULL;' \
		'struct ta_rules *const ta_builtin_rules = NULL;' > $@
endif

$(B)/tools/mkbuiltin: tools/mkbuiltin.c $(CORE_OBJ)
	@mkdir -p $(@D)
	@echo "  TOOL $<"
	$(Q)$(CC) $(TA_CFLAGS) $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< $(CORE_OBJ) $(TA_LIBS)

# The lists change only when files come or go.
$(B)/gen/registry.list: FORCE
	@mkdir -p $(@D); echo '$(REGISTERED)' | cmp -s - $@ || echo '$(REGISTERED)' > $@
$(B)/gen/rules.list: FORCE
	@mkdir -p $(@D); echo '$(RULE_FILES)' | cmp -s - $@ || echo '$(RULE_FILES)' > $@
.PHONY: FORCE
FORCE:

.PHONY: install
install: all ## install program, manual and completions under DESTDIR and PREFIX (DATADIR, MANDIR)
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(B)/tuneaudit $(DESTDIR)$(PREFIX)/bin/tuneaudit
	install -d $(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(MANDIR)/man5
	install -m 644 docs/man/*.1 $(DESTDIR)$(MANDIR)/man1
	install -m 644 docs/man/*.5 $(DESTDIR)$(MANDIR)/man5
	install -d $(DESTDIR)$(DATADIR)/bash-completion/completions $(DESTDIR)$(DATADIR)/zsh/site-functions \
		$(DESTDIR)$(DATADIR)/fish/vendor_completions.d
	install -m 644 completions/tuneaudit.bash $(DESTDIR)$(DATADIR)/bash-completion/completions/tuneaudit
	install -m 644 completions/_tuneaudit $(DESTDIR)$(DATADIR)/zsh/site-functions/_tuneaudit
	install -m 644 completions/tuneaudit.fish $(DESTDIR)$(DATADIR)/fish/vendor_completions.d/tuneaudit.fish

.PHONY: clean
clean: ## remove what was built
	rm -rf $(B)

-include $(OBJ:.o=.d)
