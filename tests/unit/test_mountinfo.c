/* Lines of mountinfo: what is kept, and what must not be. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "probe/mountinfo.h"

static void lines(void **state)
{
	ta_cleanup_mount struct ta_mount m = {0};

	assert_int_equal(ta_mount_parse("36 35 98:0 / /mnt\\0402 rw,noatime shared:1 master:2 - "
					"ext4 /dev/sd\\134a rw,barrier=0",
				 &m),
		0);
	assert_string_equal(ta_buf_text(&m.point), "/mnt 2");
	assert_string_equal(ta_buf_text(&m.source), "/dev/sd\\a");
	assert_string_equal(ta_buf_text(&m.fstype), "ext4");
	assert_false(m.is_part);
	assert_int_equal(m.options.n, 3);
	assert_string_equal(m.options.v[0], "rw");
	assert_string_equal(m.options.v[1], "noatime");
	assert_string_equal(m.options.v[2], "barrier=0");

	/* No optional fields; a bind mount; options that are nobody's business. */
	assert_int_equal(ta_mount_parse("1 2 3:4 /srv /mnt ro - cifs //host/share "
					"rw,username=me,password=secret,vers=3",
				 &m),
		0);
	assert_true(m.is_part);
	assert_int_equal(m.options.n, 2);
	assert_string_equal(m.options.v[1], "rw");

	assert_int_equal(ta_mount_parse("", &m), -EBADMSG);
	assert_int_equal(ta_mount_parse("36 35 98:0 /", &m), -EBADMSG);
	assert_int_equal(ta_mount_parse("36 35 98:0 / /mnt rw", &m), -EBADMSG);
	assert_int_equal(ta_mount_parse("36 35 98:0 / /mnt rw -", &m), -EBADMSG);
	assert_int_equal(ta_mount_parse("36 35 98:0 / /m\\9 rw, - ext4", &m), 0);
	assert_string_equal(ta_buf_text(&m.point), "/m\\9");
	assert_string_equal(ta_buf_text(&m.source), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
