/* Mount tables, cgroup paths and container names from any bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "probe/place.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_mounts m;
	struct ta_dmi dmi = {0};
	char type[16];

	ta_mountinfo_parse((const char *)data, size, &m);
	if (m.cgroup2_is_top && !m.cgroup2)
		abort();
	(void)ta_cgroup_container((const char *)data, size);
	ta_buf_add(&text, data, size);
	(void)ta_container_name(ta_buf_text(&text));
	(void)ta_instance_is_burstable(NULL, ta_buf_text(&text));
	(void)ta_dmi_is_placeholder(ta_buf_text(&text));
	if (ta_cloud_init_instance_type(ta_buf_text(&text), text.len, type, sizeof(type)) && strlen(type) > 15)
		abort();
	memcpy(&dmi, data, size < sizeof(dmi) ? size : sizeof(dmi));
	for (size_t i = 0; i < 6; i++)
		((char *)&dmi)[i * 96 + 95] = '\0';
	(void)ta_dmi_hypervisor(&dmi);
	(void)ta_dmi_cloud(&dmi);
	(void)ta_dmi_instance_type(&dmi);
	return 0;
}
