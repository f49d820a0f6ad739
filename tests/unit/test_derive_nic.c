/* Facts about interfaces that are computed from other facts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <json-c/json.h>

#include "derive/derive.h"

extern const struct ta_derivation ta_derive_nic_irq, ta_derive_nic_near, ta_derive_nic_steering;

/* Puts a document's facts: {"cpu":{…},"nics":{…}}. */
static struct ta_facts *facts_of(const char *facts)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_facts *f;
	struct ta_err err = {{0}};

	ta_buf_printf(&text,
		"{\"schema\":\"tuneaudit.facts/"
		"1\",\"host\":{},\"facts\":%s,\"absent\":{},\"incomplete\":{}}",
		facts);
	if (ta_facts_parse(ta_buf_text(&text), text.len, &f, &err) < 0)
		fail_msg("%s", err.text);
	return f;
}

static void is(const struct ta_facts *f, const char *const *path, const char *want)
{
	struct json_object *v = ta_facts_at(f, path);
	const char *got = v ? json_object_to_json_string_ext(v, JSON_C_TO_STRING_PLAIN) : "absent";

	if (strcmp(got, want) != 0) {
		ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

		ta_path_format(&text, path);
		fail_msg("%s is %s, wanted %s", ta_buf_text(&text), got, want);
	}
}

#define irq_is(f, nic, key, want) is(f, TA_KEYS("nics", nic, "irq", key), want)

#define HOST                                                                                       \
	"\"cpu\":{\"online_list\":[0,1,2,3,4,5,6,7],\"core_of\":[0,1,2,3,0,1,2,3],\"physical_"     \
	"cores\":4,"                                                                               \
	"\"isolated\":[6],\"nohz_full\":[]},\"numa_nodes\":2,"                                     \
	"\"numa\":{\"0\":{\"cpus\":[0,1,4,5]},\"1\":{\"cpus\":[2,3,6,7]}},"

static void spread(void **state)
{
	struct ta_facts *f =
		facts_of("{" HOST "\"nics\":{\"eth0\":{\"physical\":true,\"numa_node\":0},\"eth1\":"
				  "{\"physical\":true,\"numa_node\":1},"
			 "\"veth\":{\"physical\":false},\"usb0\":{\"physical\":true},\"eth2\":{\"physical\":true}},"
			 "\"irqs\":{"
			 "\"1\":{\"devices\":[\"eth0\"],\"role\":\"other\",\"effective\":[7],"
			 "\"counts_total\":5,\"fired\":[7]},"
			 "\"2\":{\"devices\":[\"eth0\"],\"role\":\"rx\",\"effective\":[0],\"counts_"
			 "total\":100,\"fired\":[0],\"top_cpu\":0,\"top_share\":1.0},"
			 "\"3\":{\"devices\":[\"eth0\"],\"role\":\"rx\",\"effective\":[0],\"counts_"
			 "total\":100,\"fired\":[0],\"top_cpu\":0,\"top_share\":1.0},"
			 "\"4\":{\"devices\":[\"eth0\"],\"role\":\"tx\",\"effective\":[2],\"counts_"
			 "total\":0,\"fired\":[]},"
			 "\"5\":{\"devices\":[\"eth1\"],\"role\":\"combined\",\"counts_total\":10,"
			 "\"fired\":[2,6],\"top_cpu\":2,\"top_share\":0.6},"
			 "\"6\":{\"devices\":[\"eth1\"],\"role\":\"combined\",\"counts_total\":0,"
			 "\"fired\":[]},"
			 "\"7\":{\"devices\":[\"veth\"],\"role\":\"rx\",\"effective\":[0],\"counts_"
			 "total\":1,\"fired\":[0]},"
			 "\"9\":{\"devices\":[\"eth2\"],\"role\":\"combined\",\"effective\":[1],\"node\":1,"
			 "\"counts_total\":7,\"fired\":[1],\"top_cpu\":1,\"top_share\":1.0},"
			 "\"8\":{\"devices\":[\"gone\"],\"role\":\"rx\",\"effective\":[0],\"counts_"
			 "total\":1,\"fired\":[0]}"
			 "}}");

	ta_derive_nic_irq.compute(f);
	irq_is(f, "eth0", "vectors", "3");
	irq_is(f, "eth0", "rx_vectors", "2");
	irq_is(f, "eth0", "cpus", "[0]");
	irq_is(f, "eth0", "source", "\"effective\"");
	irq_is(f, "eth0", "most_per_cpu", "2");
	irq_is(f, "eth0", "one_cpu", "true");
	irq_is(f, "eth0", "all_on_cpu0", "true");
	irq_is(f, "eth0", "off_node", "0"); /* what never fired harms nobody */
	irq_is(f, "eth0", "on_isolated", "[]");
	irq_is(f, "eth0", "counts_total", "200");
	irq_is(f, "eth0", "top_cpu", "0");
	irq_is(f, "eth1", "cpus", "[2,6]");
	irq_is(f, "eth1", "source", "\"fired\"");
	irq_is(f, "eth1", "most_per_cpu", "0");
	irq_is(f, "eth1", "one_cpu", "false");
	irq_is(f, "eth1", "off_node", "0");
	irq_is(f, "eth2", "off_node", "1"); /* the interrupt's own node, where the device's is not known */
	irq_is(f, "eth1", "on_isolated", "[6]");
	irq_is(f, "eth1", "top_share", "0.6");
	is(f, TA_KEYS("nics", "veth", "irq"), "absent");
	assert_int_equal(ta_facts_absence(f, "nics.veth.irq.vectors").reason, TA_UNSUPPORTED);
	is(f, TA_KEYS("irq_devices", "gone", "vectors"), "1");
	is(f, TA_KEYS("irq_devices", "gone", "all_on_cpu0"), "true");
	is(f, TA_KEYS("irq_devices", "eth0"), "absent");
	irq_is(f, "usb0", "vectors", "0");
	irq_is(f, "usb0", "cpus", "absent");
	irq_is(f, "usb0", "off_node", "absent");
	assert_int_equal(ta_facts_error(f), 0);
	ta_facts_free(f);
}

static void an_interface_called_nvme0(void **state)
{
	struct ta_facts *f = facts_of(
		"{" HOST
		"\"nics\":{\"nvme0\":{\"physical\":true}},\"nvme\":{\"nvme0\":{\"model\":\"x\"}},"
		"\"irqs\":{\"1\":{\"devices\":[\"nvme0\"],\"role\":\"io\",\"effective\":[3],"
		"\"counts_total\":5,\"fired\":[3]}}}");

	ta_derive_nic_irq.compute(f);
	irq_is(f, "nvme0", "vectors", "0");
	is(f, TA_KEYS("nvme", "nvme0", "irq", "vectors"), "1");
	is(f, TA_KEYS("nvme", "nvme0", "irq", "cpus"), "[3]");
	ta_facts_free(f);
}

static void no_table(void **state)
{
	struct ta_facts *f = facts_of("{" HOST "\"nics\":{\"eth0\":{\"physical\":true}}}");

	ta_facts_put_absent(f, TA_KEYS("irqs"), TA_DENIED, "no");
	ta_derive_nic_irq.compute(f);
	assert_int_equal(ta_facts_absence(f, "nics.eth0.irq.vectors").reason, TA_DENIED);
	ta_facts_free(f);
}

static void near(void **state)
{
	struct ta_facts *f = facts_of(
		"{" HOST
		"\"nics\":{\"eth0\":{\"numa_node\":1},\"eth1\":{\"numa_node\":9},\"lo\":{}}}");

	ta_derive_nic_near.compute(f);
	is(f, TA_KEYS("nics", "eth0", "local_cpus"), "[2,3,6,7]");
	is(f, TA_KEYS("nics", "eth0", "local_cores"), "2");
	is(f, TA_KEYS("nics", "eth1", "local_cpus"), "absent");
	is(f, TA_KEYS("nics", "lo", "local_cores"), "absent");
	ta_facts_free(f);

	/* One node is near as a whole, also to a device whose node is not known; a node of memory
	 * only is near to none. */
	f = facts_of("{\"cpu\":{\"online_list\":[0,2],\"physical_cores\":1},\"numa_nodes\":1,"
		     "\"numa\":{\"0\":{\"cpus\":[0,2]}},"
		     "\"nics\":{\"eth0\":{\"numa_node\":0},\"lo\":{}}}");
	ta_derive_nic_near.compute(f);
	is(f, TA_KEYS("nics", "eth0", "local_cores"), "1");
	is(f, TA_KEYS("nics", "lo", "local_cpus"), "[0,2]");
	ta_facts_free(f);
	f = facts_of("{\"cpu\":{\"online_list\":[0,1],\"core_of\":[0,1]},\"numa_nodes\":2,"
		     "\"numa\":{\"0\":{\"cpus\":[0,1]},\"1\":{\"cpus\":[]}},\"nics\":{\"eth0\":{"
		     "\"numa_node\":1}}}");
	ta_derive_nic_near.compute(f);
	is(f, TA_KEYS("nics", "eth0", "local_cores"), "2");
	ta_facts_free(f);
}

static void steering(void **state)
{
	struct ta_facts *f = facts_of("{\"nics\":{\"eth0\":{\"rps\":{\"0\":[],\"1\":[1,3]},\"rps_"
				      "flow_cnt\":{\"0\":4096,\"1\":0},"
				      "\"xps\":{\"0\":[0]}},\"eth1\":{\"rps\":{\"0\":[]}}}}");

	ta_facts_put_absent(
		f, TA_KEYS("nics", "eth1", "xps"), TA_UNSUPPORTED, "one transmit queue");
	ta_derive_nic_steering.compute(f);
	is(f, TA_KEYS("nics", "eth0", "rps_cpus"), "[1,3]");
	is(f, TA_KEYS("nics", "eth0", "rps_queues"), "1");
	is(f, TA_KEYS("nics", "eth0", "rps_flow_cnt_sum"), "4096");
	is(f, TA_KEYS("nics", "eth0", "xps_queues"), "1");
	is(f, TA_KEYS("nics", "eth1", "rps_cpus"), "[]");
	is(f, TA_KEYS("nics", "eth1", "xps_cpus"), "absent");
	assert_int_equal(ta_facts_absence(f, "nics.eth1.xps_cpus").reason, TA_UNSUPPORTED);
	ta_facts_free(f);
}

static void nothing(void **state)
{
	struct ta_facts *f = facts_of("{}");

	ta_derive_nic_irq.compute(f);
	ta_derive_nic_near.compute(f);
	ta_derive_nic_steering.compute(f);
	assert_int_equal(ta_facts_error(f), 0);
	ta_facts_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spread),
		cmocka_unit_test(an_interface_called_nvme0),
		cmocka_unit_test(no_table),
		cmocka_unit_test(near),
		cmocka_unit_test(steering),
		cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
