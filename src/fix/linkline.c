#include "fix/linkline.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "fix/nicknob.h"

#define DIR "/etc/systemd/network/"
#define NAME "00-tuneaudit-"
#define SUFFIX ".link"

enum form { NUMBER, SWITCH, USECS };

/* With the version of systemd that reads it first (systemd.link(5), "Added in version"). */
static const struct setting {
	const struct ta_knob *knob;
	const char *field; /* of the knob's target; NULL: it has none */
	const char *key;
	int64_t since;
	enum form form;
} settings[] = {
	{&ta_knob_channels, "rx", "RxChannels", 239, NUMBER},
	{&ta_knob_channels, "tx", "TxChannels", 239, NUMBER},
	{&ta_knob_channels, "combined", "CombinedChannels", 239, NUMBER},
	{&ta_knob_rings, "rx", "RxBufferSize", 244, NUMBER},
	{&ta_knob_rings, "tx", "TxBufferSize", 244, NUMBER},
	{&ta_knob_txqueuelen, NULL, "TransmitQueueLength", 248, NUMBER},
	{&ta_knob_features, "rx-gro", "GenericReceiveOffload", 239, SWITCH},
	{&ta_knob_features, "rx-lro", "LargeReceiveOffload", 239, SWITCH},
	{&ta_knob_features, "rx-checksum", "ReceiveChecksumOffload", 245, SWITCH},
	{&ta_knob_features, "tx-generic-segmentation", "GenericSegmentationOffload", 239, SWITCH},
	{&ta_knob_features, "tx-tcp-segmentation", "TCPSegmentationOffload", 239, SWITCH},
	{&ta_knob_features, "tx-tcp6-segmentation", "TCP6SegmentationOffload", 239, SWITCH},
	{&ta_knob_coalesce, "adaptive-rx", "UseAdaptiveRxCoalesce", 250, SWITCH},
	{&ta_knob_coalesce, "adaptive-tx", "UseAdaptiveTxCoalesce", 250, SWITCH},
	{&ta_knob_coalesce, "rx-usecs", "RxCoalesceSec", 250, USECS},
	{&ta_knob_coalesce, "tx-usecs", "TxCoalesceSec", 250, USECS},
};

/* --- lines ----------------------------------------------------------------------------- */

static void add_value(struct ta_buf *b, const struct setting *s, const char *value)
{
	if (s->form == SWITCH)
		ta_buf_adds(b, strcmp(value, "on") ? "no" : "yes");
	else
		ta_buf_printf(b, "%s%s", value, s->form == USECS ? "us" : "");
}

size_t ta_link_key(const char *line)
{
	return strcspn(line, "=");
}

static int no_line(struct ta_err *err, const char *line)
{
	return ta_err_set(err, -EINVAL, "'%.200s' is no line that this program writes", line);
}

/* The knob's own word for it. */
static void add_wish(struct ta_buf *b, const struct setting *s, const char *text)
{
	if (s->form == SWITCH)
		ta_buf_adds(b, strcmp(text, "yes") ? "off" : "on");
	else
		ta_buf_add(b, text, strspn(text, "0123456789"));
}

int ta_link_check(const char *line, enum ta_value_use use, struct ta_err *err)
{
	size_t n = ta_link_key(line);

	for (size_t i = 0; i < TA_ARRAY_SIZE(settings); i++) {
		const struct setting *s = &settings[i];
		ta_cleanup_buf struct ta_buf target = TA_BUF_INIT, value = TA_BUF_INIT, again = TA_BUF_INIT;
		int rc;

		if (!line[n] || strlen(s->key) != n || strncmp(line, s->key, n) != 0)
			continue;
		ta_buf_printf(&target, "x%s%s", s->field ? " " : "", s->field ? s->field : "");
		add_wish(&value, s, line + n + 1);
		rc = ta_knob_check(s->knob->name, ta_buf_text(&target), ta_buf_text(&value), use, err);
		ta_buf_printf(&again, "%s=", s->key);
		add_value(&again, s, ta_buf_text(&value));
		return rc ?: target.error ?: again.error ?: strcmp(ta_buf_text(&again), line) ? no_line(err, line) : 0;
	}
	return no_line(err, line);
}

/* Sections, comments, and what another file of this host said: no program is named in any of it. A backslash would join lines. */
int ta_link_check_base(const char *line, struct ta_err *err)
{
	size_t n = strcspn(line, "="), len = strlen(line);

	if (!strcmp(line, "[Match]") || !strcmp(line, "[Link]") || *line == '#')
		return 0;
	if (!n || !line[n] || line[len - 1] == '\\' ||
		strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") != n)
		return no_line(err, line);
	return 0;
}

/* --- the file --------------------------------------------------------------------------- */

/* "0000:01:00.0" */
static bool is_pci(const char *bus)
{
	static const char form[] = "xxxx:xx:xx.x";

	for (size_t i = 0; form[i]; i++)
		if (form[i] == 'x' ? !bus[i] || !strchr("0123456789abcdef", bus[i]) : bus[i] != form[i])
			return false;
	return !bus[sizeof(form) - 1];
}

/* Ports of one function have one path. */
static bool is_shared(const struct ta_facts *facts, const char *ifname, const char *bus)
{
	struct json_object *nics = ta_facts_at(facts, TA_KEYS("nics"));

	json_object_object_foreach(nics, name, nic)
	{
		const char *other = ta_facts_get_str(facts, TA_KEYS("nics", name, "bus"));

		(void)nic;
		if (strcmp(name, ifname) != 0 && other && !strcmp(other, bus))
			return true;
	}
	return false;
}

/*
 * Where a .link file finds it again: by its path, which udev makes of the address of PCI functions. What it makes of other devices, and of
 * virtio's, differs from version to version.
 */
static const char *pci_of(const struct ta_facts *facts, const char *ifname)
{
	const char *bus = ta_facts_get_str(facts, TA_KEYS("nics", ifname, "bus"));
	const char *driver = ta_facts_get_str(facts, TA_KEYS("nics", ifname, "driver"));

	if (!bus || !driver || !is_pci(bus) || !strncmp(driver, "virtio", 6) || is_shared(facts, ifname, bus))
		return NULL;
	return bus;
}

/* "Key=value (FILE:LINE)" of the fact. */
static int add_carried(struct ta_buf *b, const char *set)
{
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;
	const char *end = NULL;

	for (const char *s = set; (s = strstr(s, " (")); s++)
		end = s;
	if (!end)
		return -ENOENT;
	ta_buf_add(&line, set, (size_t)(end - set));
	if (line.error || ta_link_check_base(ta_buf_text(&line), NULL) < 0 || strpbrk(line.data, "\n\r\t"))
		return line.error ?: -ENOENT;
	ta_buf_printf(b, "%s\n", line.data);
	return b->error;
}

/* What applies now, so that it goes on to do so. */
static int add_base(struct ta_buf *b, const struct ta_facts *facts, const char *ifname, const char *pci, const char *now)
{
	struct json_object *sets = ta_facts_at(facts, TA_KEYS("nics", ifname, "boot", "sets"));
	int rc = json_object_is_type(sets, json_type_array) ? 0 : -ENOENT;

	ta_buf_printf(b, "[Match]\nPath=pci-%s\n[Link]\n# as %s sets it, in whose place this file is read:\n", pci, now);
	for (size_t i = 0; rc == 0 && i < json_object_array_length(sets); i++)
		rc = add_carried(b, json_object_get_string(json_object_array_get_idx(sets, i)));
	return rc ?: b->error;
}

static const struct setting *find(const struct ta_step *s, struct ta_nic_target *ret)
{
	if (!s->knob->nic || ta_nic_target_parse(s->target, true, ret, NULL) < 0)
		return NULL;
	for (size_t i = 0; i < TA_ARRAY_SIZE(settings); i++) {
		const char *field = settings[i].field;

		if (settings[i].knob == s->knob && (field && ret->field ? !strcmp(field, ret->field) : field == ret->field))
			return &settings[i];
	}
	return NULL;
}

int ta_link_make(const struct ta_step *s, const struct ta_facts *facts, struct ta_buf *ret_file, struct ta_buf *ret_lines)
{
	ta_cleanup_buf struct ta_buf file = TA_BUF_INIT, lines = TA_BUF_INIT, line = TA_BUF_INIT;
	struct ta_nic_target t;
	const struct setting *set = find(s, &t);
	const char *pci = set ? pci_of(facts, t.ifname) : NULL;
	const char *now = pci ? ta_facts_get_str(facts, TA_KEYS("nics", t.ifname, "boot", "file")) : NULL;
	int64_t version;
	bool whole;
	int rc = 0;

	if (!now || !strrchr(now, '/') || !ta_facts_get_i64(facts, TA_KEYS("boot", "systemd"), &version) || version < set->since ||
		!ta_facts_get_bool(facts, TA_KEYS("nics", t.ifname, "boot", "whole"), &whole))
		return -ENOENT;
	ta_buf_printf(&file, DIR NAME "%s" SUFFIX, pci);
	/* Ours is there already, with its base; or it has to come before what applies now. */
	if (strcmp(now, ta_buf_text(&file)) != 0) {
		if (!whole || strcmp(strrchr(now, '/') + 1, strrchr(ta_buf_text(&file), '/') + 1) < 0)
			return -ENOENT;
		rc = add_base(&lines, facts, t.ifname, pci, now);
	}
	ta_buf_printf(&line, "%s=", set->key);
	add_value(&line, set, s->after);
	if (rc < 0 || ta_link_check(ta_buf_text(&line), TA_VALUE_FOUND, NULL) < 0)
		return rc == -ENOMEM ? rc : -ENOENT;
	ta_buf_printf(&lines, "%s\n", ta_buf_text(&line));
	ta_buf_adds(ret_file, ta_buf_text(&file));
	ta_buf_adds(ret_lines, ta_buf_text(&lines));
	return file.error ?: lines.error ?: line.error ?: ret_file->error ?: ret_lines->error;
}
