# The network side of a live host: namespaces with listeners, users without rights, filters; and that reading
# changes nothing. Everything that is changed is changed in a namespace of its own.

CHECKS += check-net

.PHONY: check-net
check-net: all ## listeners, namespaces, filters, and that reading changes nothing (root; skipped otherwise)
	@python3 tests/net/check.py $(B)/tuneaudit
