#include "nic/featuretext.h"

#include <errno.h>
#include <string.h>

bool ta_feature_name_valid(const char *name, size_t len)
{
	if (len == 0 || len > TA_FEATURE_NAME_MAX)
		return false;
	for (size_t i = 0; i < len; i++)
		if (!((name[i] >= 'a' && name[i] <= 'z') || (name[i] >= '0' && name[i] <= '9') || name[i] == '-'))
			return false;
	return true;
}

int ta_feature_parse(const char *text, size_t len, bool *ret_wanted)
{
	static const struct {
		const char *text;
		bool wanted;
	} values[] = {{"on", true}, {"off", false}, {"off:wanted", true}, {"on:unwanted", false}};

	for (size_t i = 0; i < TA_ARRAY_SIZE(values); i++) {
		if (strlen(values[i].text) == len && memcmp(values[i].text, text, len) == 0) {
			*ret_wanted = values[i].wanted;
			return 0;
		}
	}
	return -EINVAL;
}

void ta_feature_format(const struct ta_eth_features *f, size_t bit, struct ta_buf *b)
{
	bool active = ta_eth_has_bit(f->active, bit), wanted = ta_eth_has_bit(f->wanted, bit);

	ta_buf_adds(b, active ? "on" : "off");
	if (active != wanted && ta_feature_changeable(f, bit))
		ta_buf_adds(b, wanted ? ":wanted" : ":unwanted");
}

int ta_feature_next(const char **text, const char **ret_name, size_t *ret_len, bool *ret_wanted)
{
	const char *name = *text, *value;
	size_t len = strcspn(name, "= "), value_len;

	if (!*name)
		return -ENODATA;
	if (!ta_feature_name_valid(name, len) || name[len] != '=')
		return -EINVAL;
	value = name + len + 1;
	value_len = strcspn(value, " ");
	if (ta_feature_parse(value, value_len, ret_wanted) < 0 || (value[value_len] && !value[value_len + 1]))
		return -EINVAL;
	*ret_name = name;
	*ret_len = len;
	*text = value + value_len + (value[value_len] == ' ');
	return 0;
}

/* NETIF_F_NEVER_CHANGE and what the driver does not offer (net/ethtool/features.c). */
bool ta_feature_changeable(const struct ta_eth_features *f, size_t bit)
{
	return ta_eth_has_bit(f->hw, bit) && !ta_eth_has_bit(f->nochange, bit);
}

void ta_features_format(const struct ta_eth_features *f, const struct ta_strv *names, struct ta_buf *b)
{
	const char *blank = "";

	for (size_t i = 0; i < names->n && i < TA_ETH_FEATURE_WORDS * 32; i++) {
		if (!ta_feature_changeable(f, i) || !ta_feature_name_valid(names->v[i], strlen(names->v[i])))
			continue;
		ta_buf_printf(b, "%s%s=", blank, names->v[i]);
		ta_feature_format(f, i, b);
		blank = " ";
	}
}
