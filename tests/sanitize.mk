# The suite once more with the compiler's and valgrind's eyes on it.

SANITIZE := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined

# Not what looks at texts, nor the kill test: it runs the program hundreds of times and ends it in the middle.
NOT_SANITIZED := lint check-docs check-man check-quickstart check-install check-kill-short

.PHONY: check-asan
check-asan: ## the default suite under AddressSanitizer and UBSan
	ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1 \
		$(MAKE) $(filter-out $(NOT_SANITIZED),$(CHECKS)) B=$(B)/asan CFLAGS="$(SANITIZE)"

# Unit tests that measure time or memory see valgrind's, so they may leave themselves out by TA_VALGRIND.
VALGRIND := valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite --child-silent-after-fork=yes

.PHONY: check-valgrind
check-valgrind: all $(UNIT_BIN:%=%.valgrind) ## unit tests and the main commands under valgrind
	@for c in check facts "rules list"; do \
		$(VALGRIND) $(B)/tuneaudit $$c >$(B)/valgrind.log 2>&1; code=$$?; \
		case $$code in 0|1|3) continue ;; esac; cat $(B)/valgrind.log; echo "valgrind: tuneaudit $$c: exit $$code"; exit 1; \
	done; echo "valgrind: $(words $(UNIT_BIN)) test programs and 3 commands without an error"

$(B)/tests/%.valgrind: $(B)/tests/% FORCE
	@TA_VALGRIND=1 $(VALGRIND) $< >$@ 2>&1 || { cat $@; echo "valgrind: $< failed"; exit 1; }
