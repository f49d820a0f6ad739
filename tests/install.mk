# What a packager does.

CHECKS += check-install

.PHONY: check-install
check-install: all ## `make install` with DESTDIR and PREFIX puts a program there that runs
	@rm -rf $(B)/dest
	@$(MAKE) --no-print-directory install B=$(B) DESTDIR=$(abspath $(B))/dest PREFIX=/opt/tuneaudit
	@[ "$$(find $(B)/dest -type f | grep -v /man/ | sort)" = "$$(printf '$(B)/dest/opt/tuneaudit/%s\n' bin/tuneaudit \
		share/bash-completion/completions/tuneaudit share/fish/vendor_completions.d/tuneaudit.fish share/zsh/site-functions/_tuneaudit)" ]
	@[ "$$(cd $(B)/dest/opt/tuneaudit/share/man && ls -d man?/* | sed 's,.*/,,' | sort)" = "$$(ls docs/man | sort)" ]
	@[ -z "$$(find $(B)/dest -type f ! -perm 644 ! -path '*/bin/*')" ]
	@$(B)/dest/opt/tuneaudit/bin/tuneaudit --version >/dev/null && echo "check-install: ok"
