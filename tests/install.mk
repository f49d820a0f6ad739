# What a packager does.

CHECKS += check-install

.PHONY: check-install
check-install: all ## `make install` with DESTDIR and PREFIX puts a program there that runs
	@rm -rf $(B)/dest
	@$(MAKE) --no-print-directory install B=$(B) DESTDIR=$(abspath $(B))/dest PREFIX=/opt/tuneaudit
	@[ "$$(find $(B)/dest -type f)" = $(B)/dest/opt/tuneaudit/bin/tuneaudit ]
	@$(B)/dest/opt/tuneaudit/bin/tuneaudit --version >/dev/null && echo "check-install: ok"
