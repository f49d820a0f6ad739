/*
 * "eth0 rx-gro": one offload by the kernel's name; "eth0": all that can be switched. What is written is what is asked for; what
 * is in effect then is the driver's and the kernel's to say (net/core/dev.c: netdev_fix_features()).
 */
#include <errno.h>
#include <string.h>

#include "fix/nicknob.h"
#include "fix/step.h"
#include "host/change.h"
#include "nic/abi.h"
#include "nic/featuretext.h"

#define BITS (TA_ETH_FEATURE_WORDS * 32)

static int check_all(const char *value)
{
	const char *name;
	size_t len;
	bool wanted;
	int rc;

	do
		rc = ta_feature_next(&value, &name, &len, &wanted);
	while (rc == 0);
	return rc == -ENODATA ? 0 : rc;
}

static int check(const char *target, const char *value, enum ta_value_use use, struct ta_err *err)
{
	struct ta_nic_target t;
	bool wanted;
	int rc = ta_nic_target_parse(target, true, &t, err);

	if (rc < 0)
		return rc;
	if (t.field && !ta_feature_name_valid(t.field, strlen(t.field)))
		return ta_err_set(err, -EPERM, "%s: '%.40s' is no offload", t.ifname, t.field);
	if (!value)
		return 0;
	/* only as a rule would wish it, not as it may be found */
	rc = t.field ? ta_feature_parse(value, strlen(value), &wanted) : check_all(value);
	if (rc < 0 || (t.field && use == TA_VALUE_WISHED && strchr(value, ':')))
		return ta_err_set(err, -EINVAL, "%s: '%.60s' is neither on nor off", target, value);
	return 0;
}

struct present {
	struct ta_eth_names names;
	struct ta_eth_features f;
	bool by_ioctl;
};

static void present_done(struct present *p)
{
	ta_eth_names_done(&p->names);
}

/* The number of the bit, -1: this kernel has none of that name. */
static int find_bit(const struct present *p, const char *name, size_t len)
{
	for (size_t i = 0; i < p->names.features.n && i < BITS; i++)
		if (strlen(p->names.features.v[i]) == len && memcmp(p->names.features.v[i], name, len) == 0)
			return (int)i;
	return -1;
}

static int read_present(struct ta_host *h, const char *ifname, struct present *ret, struct ta_err *err)
{
	int rc = ta_eth_features_read(h, ifname, &ret->names, &ret->f, &ret->by_ioctl);

	return rc < 0 ? ta_nic_fail(err, rc, ifname, "its offloads cannot be read") : 0;
}

static int no_offload(const char *ifname, const char *name, size_t len, struct ta_err *err)
{
	return ta_err_set(err, -EOPNOTSUPP, "%s: this kernel has no offload %.*s", ifname, (int)len, name);
}

static int read_value(struct ta_host *h, const char *target, struct ta_buf *ret, struct ta_err *err)
{
	ta_cleanup(present_done) struct present now = {0};
	struct ta_nic_target t;
	int rc = ta_nic_target_parse(target, true, &t, err), bit = 0;

	ta_buf_reset(ret);
	if (rc == 0)
		rc = read_present(h, t.ifname, &now, err);
	if (rc == 0 && t.field) {
		bit = find_bit(&now, t.field, strlen(t.field));
		if (bit < 0)
			rc = no_offload(t.ifname, t.field, strlen(t.field), err);
	}
	if (rc < 0)
		return rc;
	if (t.field)
		ta_feature_format(&now.f, (size_t)bit, ret);
	else
		ta_features_format(&now.f, &now.names.features, ret);
	return ret->error;
}

/* --- writing -------------------------------------------------------------------- */

struct change {
	uint32_t mask[TA_ETH_FEATURE_WORDS], wanted[TA_ETH_FEATURE_WORDS];
	bool any;
};

/* Notes a bit if something else is asked for now. */
static int add(const struct present *now, const char *ifname, const char *name, size_t len, bool wanted,
	struct change *c, struct ta_err *err)
{
	int bit = find_bit(now, name, len);

	if (bit < 0)
		return no_offload(ifname, name, len, err);
	if (ta_eth_has_bit(now->f.wanted, (size_t)bit) == wanted && ta_feature_changeable(&now->f, (size_t)bit))
		return 0;
	if (!ta_feature_changeable(&now->f, (size_t)bit)) {
		if (ta_eth_has_bit(now->f.active, (size_t)bit) == wanted)
			return 0;
		return ta_err_set(err, -EOPNOTSUPP, "%s: its driver does not let %.*s be switched", ifname, (int)len, name);
	}
	c->mask[bit / 32] |= 1u << (bit % 32);
	if (wanted)
		c->wanted[bit / 32] |= 1u << (bit % 32);
	c->any = true;
	return 0;
}

static int add_all(const struct present *now, const char *ifname, const char *value, struct change *c, struct ta_err *err)
{
	const char *name;
	size_t len;
	bool wanted;
	int rc;

	while ((rc = ta_feature_next(&value, &name, &len, &wanted)) == 0) {
		rc = add(now, ifname, name, len, wanted, c, err);
		if (rc < 0)
			return rc;
	}
	return rc == -ENODATA ? 0 : ta_err_set(err, rc, "%s: '%.60s' are no offloads", ifname, value);
}

static int add_one(const struct present *now, const struct ta_nic_target *t, const char *value, struct change *c,
	struct ta_err *err)
{
	size_t len = strlen(t->field);
	bool wanted;
	int bit, rc;

	if (ta_feature_parse(value, strlen(value), &wanted) < 0)
		return ta_err_set(err, -EINVAL, "%s: '%.60s' is neither on nor off", t->ifname, value);
	rc = add(now, t->ifname, t->field, len, wanted, c, err);
	bit = find_bit(now, t->field, len);
	if (rc < 0 || c->any || strchr(value, ':') || ta_eth_has_bit(now->f.active, (size_t)bit) == wanted)
		return rc;
	return ta_err_set(err, -EOPNOTSUPP, "%s: %s %s is asked for already, but its driver or another offload stands against it",
		t->ifname, t->field, value);
}

static int send_netlink(struct ta_host *h, const char *ifname, const struct present *now, const struct change *c,
	struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf attrs = TA_BUF_INIT;
	struct ta_genl request = {.family = "ethtool", .cmd = TA_ETH_FEATURES_SET, .version = 1};

	ta_eth_features_request(ifname, TA_MIN(now->names.features.n, (size_t)BITS), c->mask, c->wanted, &attrs);
	if (attrs.error)
		return attrs.error;
	request.attrs = attrs.data;
	request.attrs_len = attrs.len;
	return ta_host_set_genl(h, &request, err);
}

/* struct ethtool_sfeatures: command, blocks of valid and requested */
static int send_ioctl(struct ta_host *h, const char *ifname, const struct present *now, const struct change *c)
{
	size_t blocks = TA_MIN((now->names.features.n + 31) / 32, (size_t)TA_ETH_FEATURE_WORDS);
	uint32_t words[2 + 2 * TA_ETH_FEATURE_WORDS] = {TA_ETHTOOL_SFEATURES, (uint32_t)blocks};

	for (size_t i = 0; i < blocks; i++) {
		words[2 + 2 * i] = c->mask[i];
		words[3 + 2 * i] = c->wanted[i];
	}
	return ta_host_set_ethtool(h, ifname, words, (2 + 2 * blocks) * sizeof(*words));
}

static int write_value(struct ta_host *h, const char *target, const char *value, struct ta_err *err)
{
	ta_cleanup(present_done) struct present now = {0};
	struct change c = {0};
	struct ta_nic_target t;
	int rc = ta_nic_target_parse(target, true, &t, err);

	if (rc == 0)
		rc = read_present(h, t.ifname, &now, err);
	if (rc == 0)
		rc = t.field ? add_one(&now, &t, value, &c, err) : add_all(&now, t.ifname, value, &c, err);
	if (rc < 0 || !c.any)
		return rc;
	rc = now.by_ioctl ? send_ioctl(h, t.ifname, &now, &c) : send_netlink(h, t.ifname, &now, &c, err);
	return rc < 0 ? ta_nic_fail(err, rc, t.ifname, "its offloads cannot be switched") : 0;
}

/* The kernel takes a wish for what depends on another offload that is off. */
static void remark(struct ta_host *h, const char *target, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf now = TA_BUF_INIT;

	if (!strchr(target, ' ') || read_value(h, target, &now, NULL) < 0 || !strchr(ta_buf_text(&now), ':'))
		return;
	ta_buf_adds(b, "asked for, and not in effect: its driver or another offload stands against it");
}

static void command(const char *target, const char *value, struct ta_buf *b)
{
	const char *name;
	struct ta_nic_target t;
	size_t len;
	bool wanted;

	if (ta_nic_target_parse(target, true, &t, NULL) < 0 || !ta_nic_add_ethtool(b, "-K", t.ifname))
		return;
	if (t.field && ta_feature_parse(value, strlen(value), &wanted) == 0)
		ta_buf_printf(b, " %s %s", t.field, wanted ? "on" : "off");
	while (!t.field && ta_feature_next(&value, &name, &len, &wanted) == 0)
		ta_buf_printf(b, " %.*s %s", (int)len, name, wanted ? "on" : "off");
	ta_buf_addc(b, '\n');
}

/* Offloads depend on each other, and for some a driver builds its queues anew. */
static int coupled(struct ta_host *h, const char *target, struct ta_steps *ret, struct ta_err *err)
{
	struct ta_nic_target t;
	int rc = ta_nic_target_parse(target, true, &t, err);

	if (rc < 0)
		return rc;
	if (t.field)
		ta_steps_add(ret, &ta_knob_features, t.ifname, NULL);
	return ta_nic_coupled_queues(h, t.ifname, &ta_knob_features, ret);
}

const struct ta_knob ta_knob_features = {
	.name = "features",
	.order = TA_ORDER_NIC,
	.nic = true,
	.check = check,
	.read = read_value,
	.may = ta_nic_may,
	.write = write_value,
	.remark = remark,
	.command = command,
	.coupled = coupled,
};
