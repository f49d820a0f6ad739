/* limits.conf and limits.d: whom a line means, and which one holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/probes.h"

extern const struct ta_probe ta_probe_logins;

static struct ta_facts *look(struct tree *t)
{
	static const struct ta_probe *const probes[] = {&ta_probe_logins, NULL};
	static const struct ta_derivation *const none[] = {NULL};

	return probe_tree(t, probes, none);
}

static void lines(void **state)
{
	struct tree t = {{0}};
	struct ta_facts *f;

	assert_int_equal(tree_make(&t), 0);
	f = look(&t);
	HOLE(f, TA_NOT_ASKED, "limits.login");
	ta_facts_free(f);
	tree_file(&t, "etc/security/limits.conf",
		"# * soft nofile 1\n*\tsoft\tnofile  4096 # x\n* hard nofile 8192\nweb - nofile 5\n@adm soft nofile 6\n"
		"* soft nproc 7\nroot soft nofile\n* soft nofile lots\n");
	f = look(&t);
	FACT(f, "4096", "limits", "login", "others", "nofile_soft");
	FACT(f, "8192", "limits", "login", "others", "nofile_hard");
	FACT(f, "\"/etc/security/limits.conf:2\"", "limits", "login", "others", "nofile_set_by");
	/* limits.conf(5): wildcards and groups do not mean root. */
	HOLE(f, TA_MISSING, "limits.login.root.nofile_soft");
	HOLE(f, TA_MISSING, "limits.login.root.nofile_set_by");
	FACT(f, "true", "limits", "login_more");
	ta_facts_free(f);

	tree_file(&t, "etc/security/limits.d/20-b.conf", "root - nofile unlimited\n* - nofile 65536\n");
	tree_file(&t, "etc/security/limits.d/10-a.conf", "* - nofile 1\n");
	tree_file(&t, "etc/security/limits.d/99-c.conf.bak", "* - nofile 2\n");
	f = look(&t);
	FACT(f, "65536", "limits", "login", "others", "nofile_soft");
	FACT(f, "\"/etc/security/limits.d/20-b.conf:2\"", "limits", "login", "others", "nofile_set_by");
	FACT(f, "\"unlimited\"", "limits", "login", "root", "nofile_hard");
	ta_facts_free(f);
	tree_file(&t, "calls.json", "{\"errors\":{\"read\":{\"/etc/security/limits.d/10-a.conf\":\"EACCES\"}}}");
	f = look(&t);
	HOLE(f, TA_DENIED, "limits.login");
	ta_facts_free(f);
	tree_remove(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(lines)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
