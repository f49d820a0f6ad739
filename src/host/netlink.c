/*
 * The parser of netlink answers. Bytes in; every length in them is checked by
 * libmnl before it is used.
 */
#include "host/netlink.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <limits.h>
#include <linux/netlink.h>
#include <string.h>

/* The error in an NLMSG_ERROR, or at the end of a dump. 0: none. */
static int error_of(const struct nlmsghdr *nlh)
{
	int error;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(error))
		return nlh->nlmsg_type == NLMSG_DONE ? 0 : -EBADMSG;
	memcpy(&error, mnl_nlmsg_get_payload(nlh), sizeof(error));
	if (error > 0 && nlh->nlmsg_type == NLMSG_DONE)
		return 0; /* some dumps leave a count of bytes there */
	return error > 0 || error < -4095 ? -EBADMSG : error;
}

/*
 * mnl_nlmsg_ok() of libmnl 1.0.4 takes lengths above 2^31 for negative ones, and lets them pass. Attributes are
 * looked for up to the aligned length (mnl_nlmsg_get_payload_tail()), so that must be there too; the kernel's always is.
 */
static bool is_whole(const struct nlmsghdr *nlh, int left)
{
	return left >= (int)sizeof(*nlh) && nlh->nlmsg_len <= TA_NL_CAP && (int)NLMSG_ALIGN(nlh->nlmsg_len) <= left &&
		mnl_nlmsg_ok(nlh, left);
}

static bool ends_answer(const struct nlmsghdr *nlh)
{
	return nlh->nlmsg_type == NLMSG_ERROR || nlh->nlmsg_type == NLMSG_DONE ||
		nlh->nlmsg_type == NLMSG_OVERRUN;
}

/* One message of an answer: 0 or what it says. */
static int take(const struct nlmsghdr *nlh, ta_nl_fn *fn, void *ctx)
{
	int rc;

	if (nlh->nlmsg_type == NLMSG_NOOP)
		return 0;
	if (nlh->nlmsg_type == NLMSG_OVERRUN)
		return -ENOBUFS;
	if (ends_answer(nlh))
		return error_of(nlh);
	if (nlh->nlmsg_type < NLMSG_MIN_TYPE)
		return -EBADMSG;
	rc = fn(nlh, ctx);
	return rc < 0 ? rc : 0;
}

int ta_nl_parse(const void *bytes, size_t len, ta_nl_fn *fn, void *ctx)
{
	const struct nlmsghdr *nlh = bytes;
	bool interrupted = false, ended = false;
	int left = (int)len, rc = 0;

	if (len > TA_NL_CAP)
		return -EFBIG;
	while (rc == 0 && left > 0) {
		if (!is_whole(nlh, left))
			return -EBADMSG;
		interrupted = interrupted || nlh->nlmsg_flags & NLM_F_DUMP_INTR;
		rc = take(nlh, fn, ctx);
		ended = ends_answer(nlh) || !(nlh->nlmsg_flags & NLM_F_MULTI);
		if (ends_answer(nlh))
			break;
		nlh = mnl_nlmsg_next(nlh, &left);
	}
	if (rc == 0 && !ended)
		return -EBADMSG;
	return rc == 0 && interrupted ? -EINTR : rc;
}

size_t ta_nl_scan(void *bytes, size_t len, uint32_t seq, struct ta_nl_progress *progress)
{
	char *from = bytes, *to = bytes;
	size_t left = len, size;

	for (; left > 0; from += size, left -= size) {
		struct nlmsghdr *nlh = (struct nlmsghdr *)(void *)from;
		bool whole = is_whole(nlh, (int)left);

		size = whole ? TA_MIN(NLMSG_ALIGN(nlh->nlmsg_len), left) : left;
		if (whole && nlh->nlmsg_seq != seq)
			continue;
		progress->interrupted |= whole && nlh->nlmsg_flags & NLM_F_DUMP_INTR;
		/* Of a malformed rest ta_nl_parse() will say so. */
		progress->done |= !whole || ends_answer(nlh);
		memmove(to, from, size);
		to += size;
	}
	return (size_t)(to - (char *)bytes);
}

/* The text in the attributes behind an error; the request stands between them unless the kernel left it out. */
static void words_of(const struct nlmsghdr *nlh, struct ta_buf *ret)
{
	const struct nlmsgerr *e = mnl_nlmsg_get_payload(nlh);
	size_t skip = sizeof(*e);
	const struct nlattr *attr;

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS) || mnl_nlmsg_get_payload_len(nlh) < sizeof(*e))
		return;
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED) && e->msg.nlmsg_len > sizeof(e->msg))
		skip += NLMSG_ALIGN(e->msg.nlmsg_len - sizeof(e->msg));
	if (skip >= mnl_nlmsg_get_payload_len(nlh))
		return;
	mnl_attr_for_each (attr, nlh, skip) {
		if (mnl_attr_get_type(attr) != NLMSGERR_ATTR_MSG || mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) < 0)
			continue;
		for (const char *s = mnl_attr_get_str(attr); *s; s++)
			ta_buf_addc(ret, (unsigned char)*s < ' ' || *s == 0x7f ? '?' : *s);
		return;
	}
}

void ta_nl_words(const void *bytes, size_t len, struct ta_buf *ret)
{
	const struct nlmsghdr *nlh = bytes;
	int left = (int)len;

	ta_buf_reset(ret);
	while (len <= TA_NL_CAP && left > 0 && is_whole(nlh, left)) {
		if (nlh->nlmsg_type == NLMSG_ERROR) {
			words_of(nlh, ret);
			return;
		}
		nlh = mnl_nlmsg_next(nlh, &left);
	}
}
