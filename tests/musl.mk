# Alpine and its kin: does every source compile against musl's headers? Their own libraries are not here to link
# with, so this is as far as it is known.

MUSL_CC ?= musl-gcc
MI := $(B)/musl-include

.PHONY: check-musl
check-musl: $(GEN) ## every source compiles against musl's headers (musl-gcc)
	@command -v $(MUSL_CC) >/dev/null || { echo "skip: $(MUSL_CC) is not installed (Debian: musl-tools)"; exit 77; }
	@mkdir -p $(MI); for d in linux asm-generic json-c libmnl zlib.h zconf.h liburing liburing.h; do ln -sfn /usr/include/$$d $(MI)/$$d; done
	@ln -sfn "$$(dirname "$$(echo '#include <asm/types.h>' | $(CC) -E -x c - | sed -n 's/.*"\(.*asm\/types.h\)".*/\1/p' | head -n 1)")" $(MI)/asm
	@fail=0; for f in $(SRC) $(GEN); do $(MUSL_CC) $(filter-out -I/usr/include/json-c,$(TA_CFLAGS)) -Werror=implicit-function-declaration \
		-idirafter $(MI) -fsyntax-only $$f || { echo "$$f"; fail=1; }; done; exit $$fail
	@echo "check-musl: $(words $(SRC)) sources compile"
