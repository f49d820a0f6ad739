/*
 * errno by name, so that a capture of one architecture reads right on another
 * (ENODATA is 61 on x86, 96 on SPARC; EOPNOTSUPP 95, and 122 on MIPS).
 */
#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "host/internal.h"

#define E(name) {name, #name}

static const struct {
	int number;
	const char *name;
} names[] = {
	E(EPERM), E(ENOENT), E(ESRCH), E(EINTR), E(EIO), E(ENXIO), E(E2BIG), E(ENOEXEC), E(EBADF),
	E(ECHILD), E(EAGAIN), E(ENOMEM), E(EACCES), E(EFAULT), E(ENOTBLK), E(EBUSY), E(EEXIST),
	E(EXDEV), E(ENODEV), E(ENOTDIR), E(EISDIR), E(EINVAL), E(ENFILE), E(EMFILE), E(ENOTTY),
	E(ETXTBSY), E(EFBIG), E(ENOSPC), E(ESPIPE), E(EROFS), E(EMLINK), E(EPIPE), E(EDOM),
	E(ERANGE), E(EDEADLK), E(ENAMETOOLONG), E(ENOLCK), E(ENOSYS), E(ENOTEMPTY), E(ELOOP),
	E(ENOMSG), E(EIDRM), E(EL2HLT), E(ENODATA), E(ETIME), E(EPROTO), E(EBADMSG), E(EOVERFLOW),
	E(ENOTUNIQ), E(EBADFD), E(EILSEQ), E(EUSERS), E(ENOTSOCK), E(EDESTADDRREQ), E(EMSGSIZE),
	E(EPROTOTYPE), E(ENOPROTOOPT), E(EPROTONOSUPPORT), E(ESOCKTNOSUPPORT), E(EOPNOTSUPP),
	E(EPFNOSUPPORT), E(EAFNOSUPPORT), E(EADDRINUSE), E(EADDRNOTAVAIL), E(ENETDOWN),
	E(ENETUNREACH), E(ENETRESET), E(ECONNABORTED), E(ECONNRESET), E(ENOBUFS), E(EISCONN),
	E(ENOTCONN), E(ESHUTDOWN), E(ETIMEDOUT), E(ECONNREFUSED), E(EHOSTDOWN), E(EHOSTUNREACH),
	E(EALREADY), E(EINPROGRESS), E(ESTALE), E(EUCLEAN), E(EREMOTEIO), E(EDQUOT), E(ENOMEDIUM),
	E(EMEDIUMTYPE), E(ECANCELED), E(ENOKEY), E(EKEYEXPIRED), E(EKEYREVOKED), E(EKEYREJECTED),
	E(EOWNERDEAD), E(ENOTRECOVERABLE), E(ERFKILL), E(EHWPOISON),
};

void ta_errno_format(int error, struct ta_buf *b)
{
	for (size_t i = 0; i < TA_ARRAY_SIZE(names); i++) {
		if (names[i].number == error) {
			ta_buf_adds(b, names[i].name);
			return;
		}
	}
	ta_buf_printf(b, "E%d", error);
}

int ta_errno_parse(const char *name)
{
	uint64_t number;

	for (size_t i = 0; i < TA_ARRAY_SIZE(names); i++)
		if (strcmp(names[i].name, name) == 0)
			return names[i].number;
	if (name[0] != 'E' || ta_parse_u64(name + 1, &number) < 0 || number < 1 || number > 4095)
		return -EINVAL;
	return (int)number;
}
