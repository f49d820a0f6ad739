# The network side of a live host: namespaces with listeners, users without rights, filters; and that reading
# changes nothing, and that what was changed is put back. Everything that is changed is changed in a namespace of its own.

CHECKS += check-net

.PHONY: check-net
check-net: all ## listeners, namespaces, filters, reading that changes nothing, changes that are undone (root; skipped otherwise)
	@python3 tests/net/check.py $(B)/tuneaudit
	@python3 tests/net/apply.py $(B)/tuneaudit
