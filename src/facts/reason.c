/*
 * Why there is no value: five reasons, and which of them an errno is.
 */
#include <errno.h>
#include <string.h>

#include "facts/facts.h"

static const char *const reason_names[] = {
	[TA_MISSING] = "missing",
	[TA_DENIED] = "denied",
	[TA_UNSUPPORTED] = "unsupported",
	[TA_MALFORMED] = "malformed",
	[TA_NOT_ASKED] = "not-asked",
};

const char *ta_reason_name(enum ta_reason r)
{
	return reason_names[r];
}

int ta_reason_parse(const char *name, enum ta_reason *ret)
{
	for (size_t i = 0; i < TA_ARRAY_SIZE(reason_names); i++) {
		if (strcmp(reason_names[i], name) == 0) {
			*ret = (enum ta_reason)i;
			return 0;
		}
	}
	return -EINVAL;
}

enum ta_reason ta_reason_of(int rc)
{
	switch (-rc) {
	case ENOENT:
	case ENOTDIR:
	case ESRCH:
	case ESTALE:
		return TA_MISSING;
	case EACCES:
	case EPERM:
		return TA_DENIED;
	case EOPNOTSUPP:
	case EAFNOSUPPORT:
	case EPROTONOSUPPORT:
	case ENOPROTOOPT:
	case ENOTTY:
	case ENODEV:
	case EINVAL:
	case ENOSYS:
	case ENXIO:
		return TA_UNSUPPORTED;
	case ENODATA:
	/* We had no descriptor, no memory, no time to ask with: nothing is known of the thing itself. */
	case EMFILE:
	case ENFILE:
	case ENOMEM:
	case ENOBUFS:
	case EAGAIN:
	case EBUSY:
	case ETIMEDOUT:
		return TA_NOT_ASKED;
	/* It is there, and what it gave cannot be used: EIO, EBADMSG, EFBIG, EISDIR, ELOOP, a torn dump … */
	default:
		return TA_MALFORMED;
	}
}
