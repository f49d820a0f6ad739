/*
 * Journals and saved plans as somebody may have made them: edited, cut, of newer versions, naming what is in no table.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fix/journal.h"
#include "fix/ownfile.h"
#include "fix/plan.h"
#include "report/change.h"

/* A line with its sum, as append() in journal.c makes it. */
static void add_line(struct ta_buf *b, const char *body)
{
	ta_buf_adds(b, body);
	ta_buf_printf(b, ",\"sum\":\"%016llx\"}\n", (unsigned long long)ta_sum_add(TA_SUM_INIT, body));
}

#define RUN                                                                                                   \
	"{\"entry\":\"run\",\"schema\":\"tuneaudit.journal/1\",\"run\":1,\"time\":5,\"who\":\"uid 0\",\"profile\":\"base\"," \
	"\"tool\":\"1\",\"host\":\"h\",\"machine\":\"m\",\"boot\":\"b\",\"netns\":\"n\",\"kernel\":\"k\""
#define INTENT_OF(knob, target, before, after)                                                                \
	"{\"entry\":\"intent\",\"change\":1,\"rule\":\"a.b\",\"disruption\":\"none\",\"knob\":\"" knob "\",\"target\":\"" target \
	"\",\"before\":\"" before "\",\"after\":\"" after "\""
#define INTENT INTENT_OF("sysctl", "net.core.somaxconn", "128", "4096")
#define DONE "{\"entry\":\"done\",\"change\":1,\"value\":\"4096\""
#define END "{\"entry\":\"end\",\"state\":\"applied\""

/* The journal of these lines, `cut` bytes less. */
static int parse_lines(const char *const *lines, size_t cut, struct ta_run *ret, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	memset(err, 0, sizeof(*err));
	for (; *lines; lines++)
		add_line(&b, *lines);
	return ta_run_parse(ta_buf_text(&b), b.len - cut, 1, ret, err);
}

static void refused(int rc, const char *why, const char *const *lines)
{
	ta_cleanup_run struct ta_run run = {0};
	struct ta_err err;

	assert_int_equal(parse_lines(lines, 0, &run, &err), rc);
	if (!strstr(err.text, why))
		assert_string_equal(err.text, why);
	assert_int_equal(run.n, 0);
}

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_whole(void **state)
{
	ta_cleanup_run struct ta_run run = {0};
	struct ta_err err;

	assert_int_equal(parse_lines(LINES(RUN, INTENT, DONE, END), 0, &run, &err), 0);
	assert_int_equal(run.n, 1);
	assert_int_equal(run.time, 5);
	assert_string_equal(run.state, "applied");
	assert_false(run.torn);
	assert_int_equal(run.changes[0].state, TA_CHANGE_DONE);
	assert_string_equal(run.changes[0].value, "4096");
	assert_ptr_equal(run.changes[0].knob, &ta_knob_sysctl);
}

/* At every byte: what is whole is read, the rest is known to be torn. */
static void test_cut(void **state)
{
	const char *const *lines = LINES(RUN, INTENT, DONE, END);
	size_t total = strlen(RUN INTENT DONE END) + 4 * strlen(",\"sum\":\"0123456789abcdef\"}\n");

	for (size_t cut = 1; cut < total; cut++) {
		ta_cleanup_run struct ta_run run = {0};
		struct ta_err err;
		int rc = parse_lines(lines, cut, &run, &err);

		if (rc == -ENODATA)
			continue;
		assert_int_equal(rc, 0);
		assert_null(run.state);
		assert_true(run.torn || run.whole == total - cut);
	}
}

static void test_edited(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_err err = {0};

	add_line(&b, RUN);
	add_line(&b, INTENT);
	for (size_t i = 0; i < b.len; i++) {
		ta_cleanup_run struct ta_run run = {0};
		char was = b.data[i];

		if (was == '\n')
			continue;
		b.data[i] = was == 'x' ? 'y' : 'x';
		assert_int_equal(ta_run_parse(b.data, b.len, 1, &run, &err), -EBADMSG);
		b.data[i] = was;
	}
	assert_non_null(strstr(err.text, "line 2: it was changed after it was written"));
}

#define WAITING RUN ",\"confirm_within\":60"
#define LATER "{\"entry\":\"later\",\"change\":1," REST
#define SAME "{\"entry\":\"intent\",\"change\":1," REST
#define REST                                                                                                  \
	"\"rule\":\"a.b\",\"disruption\":\"none\",\"knob\":\"nofile\",\"target\":\"a.service\",\"before\":\"none\",\"after\":\"65536\""
#define PENDING "{\"entry\":\"end\",\"state\":\"pending\",\"due_ms\":70000"

static void test_what_waits(void **state)
{
	ta_cleanup_run struct ta_run pending = {0}, unfinished = {0}, kept = {0};
	struct ta_err err;

	assert_int_equal(parse_lines(LINES(WAITING, LATER, PENDING), 0, &pending, &err), 0);
	assert_int_equal(pending.confirm_within_s, 60);
	assert_int_equal(pending.due_ms, 70000);
	assert_int_equal(pending.changes[0].state, TA_CHANGE_LATER);
	assert_false(pending.confirmed);
	assert_int_equal(parse_lines(LINES(WAITING, LATER, PENDING, END ",\"note\":\"confirmed by x\",\"unfinished\":true", SAME), 0,
				 &unfinished, &err), 0);
	assert_true(unfinished.confirmed && unfinished.unfinished);
	assert_null(unfinished.state); /* something has begun behind that end */
	assert_null(unfinished.note);
	assert_int_equal(unfinished.n, 1);
	assert_int_equal(unfinished.changes[0].state, TA_CHANGE_INTENT);
	assert_int_equal(parse_lines(LINES(WAITING, LATER, PENDING, END ",\"unfinished\":true", SAME,
					 "{\"entry\":\"done\",\"change\":1,\"value\":\"65536\"", END ",\"note\":\"n\""),
				 0, &kept, &err), 0);
	assert_true(kept.confirmed && !kept.unfinished);
	assert_string_equal(kept.note, "n");
	assert_string_equal(kept.changes[0].value, "65536");
}

static void test_what_waits_malformed(void **state)
{
	refused(-EBADMSG, "due_ms", LINES(WAITING, "{\"entry\":\"end\",\"state\":\"pending\""));
	refused(-EBADMSG, "due_ms", LINES(WAITING, "{\"entry\":\"end\",\"state\":\"pending\",\"due_ms\":-1"));
	refused(-EBADMSG, "due_ms", LINES(WAITING, "{\"entry\":\"end\",\"state\":\"pending\",\"due_ms\":9223372036854775807"));
	refused(-EBADMSG, "due_ms", LINES(WAITING, "{\"entry\":\"end\",\"state\":\"pending\",\"due_ms\":\"5\""));
	refused(-EBADMSG, "confirm_within", LINES(RUN ",\"confirm_within\":0"));
	refused(-EBADMSG, "confirm_within", LINES(RUN ",\"confirm_within\":3601"));
	/* only what was put off has a second intent, and only of the same thing */
	refused(-EBADMSG, "order", LINES(WAITING, SAME, SAME));
	refused(-EBADMSG, "order", LINES(WAITING, LATER, INTENT));
	refused(-EBADMSG, "order", LINES(WAITING, "{\"entry\":\"later\",\"change\":2," REST));
}

#define UNDO "{\"entry\":\"undo\",\"change\":1"
#define UNDONE "{\"entry\":\"undone\",\"change\":1,\"note\":\"n\""
#define OTHER INTENT_OF("sysctl", "net.core.netdev_max_backlog", "128", "4096")

/* A change of a trial goes on once more, and nothing of the time before counts: killed there, its value is not known. */
static void test_on_again(void **state)
{
	ta_cleanup_run struct ta_run on = {0}, off = {0};
	struct ta_err err;

	assert_int_equal(parse_lines(LINES(WAITING, INTENT, DONE, UNDO, UNDONE, INTENT), 0, &on, &err), 0);
	assert_int_equal(on.n, 1);
	assert_int_equal(on.changes[0].state, TA_CHANGE_INTENT);
	assert_null(on.changes[0].value);
	assert_null(on.changes[0].note);
	assert_null(on.state);
	assert_int_equal(parse_lines(LINES(WAITING, INTENT, DONE, UNDONE, INTENT, DONE, UNDO, UNDONE, INTENT, DONE, UNDONE,
					 "{\"entry\":\"end\",\"state\":\"rolled-back\""), 0, &off, &err), 0);
	assert_int_equal(off.changes[0].state, TA_CHANGE_UNDONE);
	assert_string_equal(off.state, "rolled-back");
	/* Not while it is on, nor as another thing, nor put off. */
	refused(-EBADMSG, "order", LINES(WAITING, INTENT, DONE, INTENT));
	refused(-EBADMSG, "order", LINES(WAITING, INTENT, DONE, UNDO, INTENT));
	refused(-EBADMSG, "order", LINES(WAITING, INTENT, DONE, UNDONE, OTHER));
	refused(-EBADMSG, "order", LINES(WAITING, SAME, "{\"entry\":\"undone\",\"change\":1", LATER));
}

static void test_what_is_not_followed(void **state)
{
	refused(-EPROTO, "tuneaudit.journal/2", LINES("{\"entry\":\"run\",\"schema\":\"tuneaudit.journal/2\""));
	refused(-EBADMSG, "kind", LINES("{\"entry\":\"run\",\"schema\":\"other/1\""));
	refused(-EBADMSG, "begin with a run", LINES(INTENT));
	refused(-EBADMSG, "begin with a run", LINES(RUN, RUN));
	refused(-EBADMSG, "order", LINES(RUN, INTENT, INTENT));
	refused(-EBADMSG, "\"change\"", LINES(RUN, DONE));
	refused(-EBADMSG, "no entry", LINES(RUN, INTENT, "{\"entry\":\"redone\",\"change\":1"));
	refused(-EBADMSG, "no text", LINES(RUN, "{\"entry\":5"));
	refused(-EBADMSG, "no text", LINES(RUN, INTENT, "{\"entry\":\"done\",\"change\":1,\"value\":\"1\\u00002\""));
	refused(-EBADMSG, "no JSON", LINES(RUN, "[1"));
	refused(-EBADMSG, "is no list", LINES(RUN, INTENT ",\"coupled\":\"x\""));
	refused(-EBADMSG, "is no list", LINES(RUN, INTENT, DONE ",\"coupled\":{}"));
	refused(-EBADMSG, "no state", LINES(RUN, INTENT, DONE, "{\"entry\":\"end\",\"state\":\"applied\\n\""));
	refused(-EINVAL, "not 1 number", LINES(RUN, INTENT, DONE, "{\"entry\":\"stuck\",\"change\":1,\"value\":\"x\""));
	refused(-EBADMSG, "\"time\"",
		LINES("{\"entry\":\"run\",\"schema\":\"tuneaudit.journal/1\",\"run\":1,\"time\":9223372036854775808"));
	refused(-EBADMSG, "not about what was intended",
		LINES(RUN, INTENT, "{\"entry\":\"done\",\"change\":1,\"value\":\"1\",\"coupled\":[{\"target\":\"vm.x\"}]"));
}

/* Whoever can write there could write these himself; but no accident makes us do it. */
static void test_outside_the_tables(void **state)
{
	refused(-EPERM, "kernel.core_pattern", LINES(RUN, INTENT_OF("sysctl", "kernel.core_pattern", "core", "|/tmp/x")));
	refused(-EPERM, "no kind", LINES(RUN, INTENT_OF("program", "/etc/passwd", "a", "b")));
	refused(-EPERM, "no file that", LINES(RUN, INTENT_OF("file", "/etc/passwd", "absent", "absent")));
	refused(-EPERM, "no file that", LINES(RUN, INTENT_OF("file", "/etc/sysctl.d/../passwd", "absent", "absent")));
	refused(-EINVAL, "not from this program", LINES(RUN, INTENT_OF("file", TA_OWN_SYSCTL, "absent", "vm.swappiness = 1")));
	refused(-EPERM, "table of attributes", LINES(RUN, INTENT_OF("attr", "/sys/block/../../etc/passwd", "a", "b")));
	refused(-EPERM, "table of attributes", LINES(RUN, INTENT_OF("attr", "/proc/sys/kernel/modprobe", "a", "b")));
	refused(-EINVAL, "control characters", LINES(RUN, INTENT_OF("sysctl", "net.core.somaxconn", "128\\n1", "4096")));
	refused(-EINVAL, "not 1 number", LINES(RUN, INTENT_OF("sysctl", "net.core.somaxconn", "128;$(id)", "4096")));
	refused(-EINVAL, "not 1 number",
		LINES(RUN, INTENT, "{\"entry\":\"done\",\"change\":1,\"value\":\"/bin/sh\""));
	refused(-EPERM, "table of sysctls",
		LINES(RUN, INTENT ",\"coupled\":[{\"knob\":\"sysctl\",\"target\":\"kernel.modprobe\",\"before\":\"/x\"}]"));
}

#define KEEP(file, text) "{\"entry\":\"keep\",\"change\":1,\"file\":\"" file "\",\"text\":\"" text "\""

static void test_what_is_to_be_kept(void **state)
{
	ta_cleanup_run struct ta_run run = {0};
	struct ta_err err;

	assert_int_equal(parse_lines(LINES(RUN, KEEP(TA_OWN_SYSCTL, "vm.swappiness = 10\\n"), INTENT), 0, &run, &err), 0);
	assert_int_equal(run.n_keeps, 1);
	assert_int_equal(run.keeps[0].change, 1);
	assert_string_equal(run.keeps[0].file, TA_OWN_SYSCTL);
	assert_string_equal(run.keeps[0].text, "vm.swappiness = 10\n");
	refused(-EPERM, "no file that", LINES(RUN, KEEP("/etc/shadow", "x\\n")));
	refused(-EPERM, "table of sysctls", LINES(RUN, KEEP(TA_OWN_SYSCTL, "kernel.core_pattern = x\\n")));
	refused(-EINVAL, "not 1 number", LINES(RUN, KEEP(TA_OWN_SYSCTL, "vm.swappiness = 10;id\\n")));
	refused(-EINVAL, "no line", LINES(RUN, KEEP(TA_OWN_UDEV, "RUN+=\\\"/bin/sh\\\"\\n")));
	refused(-EBADMSG, "\"change\"", LINES(RUN, "{\"entry\":\"keep\",\"file\":\"a\",\"text\":\"b\""));
}

static void test_long(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	ta_cleanup_run struct ta_run run = {0};
	struct ta_err err = {0};

	add_line(&b, RUN);
	for (size_t i = 0; i < 6u << 20; i++)
		ta_buf_addc(&b, 'a');
	ta_buf_addc(&b, '\n');
	assert_int_equal(ta_run_parse(ta_buf_text(&b), b.len, 1, &run, &err), -EBADMSG);
	ta_buf_reset(&b);
	add_line(&b, RUN);
	for (size_t i = 0; i < 100000; i++)
		ta_buf_adds(&b, "[[[[[[[[");
	assert_int_equal(ta_run_parse(ta_buf_text(&b), b.len, 1, &run, &err), 0); /* one torn line */
	assert_true(run.torn);
}

/* --- plans ---------------------------------------------------------------------------------- */

static char *copy(const char *text)
{
	char *s = strdup(text);

	assert_non_null(s);
	return s;
}

static void make_plan(struct ta_plan *p, const char *target, const char *after)
{
	struct ta_action *a = calloc(1, sizeof(*a));

	assert_non_null(a);
	*p = (struct ta_plan){.profile = copy("base"), .actions = a, .n_actions = 1,
		.where = {copy("h"), copy("m"), copy("b"), copy("n"), copy("k")}};
	ta_strv_add(&a->rules, "a.b");
	ta_strv_add(&a->owners, "TuneD (profile `x` $(id) \\ \"'%*)");
	a->fixer = copy("sysctl.set");
	a->command = copy("sysctl -w x\n");
	a->step = (struct ta_step){
		.knob = &ta_knob_sysctl, .target = copy(target), .before = copy("128"), .after = copy(after)};
}

static void test_a_plan_comes_back(void **state)
{
	ta_cleanup_plan struct ta_plan plan = {0}, again = {0};
	ta_cleanup_buf struct ta_buf first = TA_BUF_INIT, second = TA_BUF_INIT;
	struct ta_err err = {0};

	make_plan(&plan, "net.core.somaxconn", "4096");
	plan.actions[0].trusted = true;
	ta_report_plan_json(&plan, "1", &first);
	assert_int_equal(ta_plan_parse(ta_buf_text(&first), first.len, &again, &err), 0);
	ta_report_plan_json(&again, "1", &second);
	assert_string_equal(ta_buf_text(&first), ta_buf_text(&second));
}

/* The plan's text with `from` replaced; what parse says. */
static int edited(const char *from, const char *to, struct ta_err *err)
{
	ta_cleanup_plan struct ta_plan plan = {0}, again = {0};
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT, changed = TA_BUF_INIT;
	const char *at;

	make_plan(&plan, "net.core.somaxconn", "4096");
	ta_report_plan_json(&plan, "1", &text);
	at = strstr(ta_buf_text(&text), from);
	assert_non_null(at);
	ta_buf_add(&changed, text.data, (size_t)(at - text.data));
	ta_buf_adds(&changed, to);
	ta_buf_adds(&changed, at + strlen(from));
	return ta_plan_parse(ta_buf_text(&changed), changed.len, &again, err);
}

static void test_edited_plans(void **state)
{
	struct ta_err err = {0};

	assert_int_equal(edited("\"after\":\"4096\"", "\"after\":\"9000\"", &err), -EBADMSG);
	assert_non_null(strstr(err.text, "edited"));
	assert_int_equal(edited("\"disruption\":\"none\"", "\"disruption\":\"reboot\"", &err), -EBADMSG);
	assert_int_equal(edited("\"machine\":\"m\"", "\"machine\":\"other\"", &err), -EBADMSG);
	assert_int_equal(edited("\"rules\":[\"a.b\"]", "\"rules\":[]", &err), -EBADMSG);
	assert_int_equal(edited("net.core.somaxconn", "kernel.modprobe", &err), -EBADMSG);
	assert_non_null(strstr(err.text, "kernel.modprobe"));
	assert_int_equal(edited("\"after\":\"4096\"", "\"after\":\"4096\\n\"", &err), -EBADMSG);
	assert_int_equal(edited("\"knob\":\"sysctl\"", "\"knob\":\"attr\"", &err), -EBADMSG);
	assert_int_equal(edited("tuneaudit.plan/1", "tuneaudit.plan/2", &err), -EPROTO);
	assert_int_equal(edited("\"conflicts\"", "\"conflicts", &err), -EBADMSG);
	assert_int_equal(edited("{\"schema\"", "[{\"schema\"", &err), -EBADMSG);
	assert_int_equal(edited("sysctl -w x", "sysctl -w y", &err), -EBADMSG);
	assert_int_equal(edited("\"name\":\"h\"", "\"name\":\"g\"", &err), -EBADMSG);
	/* what is not gone by, what is not understood, and what would be read as it was */
	assert_int_equal(edited("\"management\":false", "\"management\":true", &err), -EBADMSG);
	assert_int_equal(edited("{\"rule\"", "{\"skip\":true,\"rule\"", &err), -EBADMSG);
	assert_non_null(strstr(err.text, "edited"));
	assert_int_equal(edited("\"target\":", "\"target\":\"kernel.modprobe\",\"target\":", &err), -EBADMSG);
	assert_int_equal(edited("\"schema\":", "\"schema\": ", &err), -EBADMSG);
	assert_int_equal(edited("\"sum\":", "\"sum\" :", &err), -EBADMSG);
	assert_int_equal(edited("\"}\n", "\"}\n\n", &err), -EBADMSG);
	assert_int_equal(edited("\"}\n", "\"}", &err), 0);
}

static void test_a_nul_ends_nothing(void **state)
{
	ta_cleanup_plan struct ta_plan plan = {0}, again = {0};
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	make_plan(&plan, "net.core.somaxconn", "4096");
	ta_report_plan_json(&plan, "1", &text);
	ta_buf_add(&text, "\0more", 5);
	assert_int_equal(ta_plan_parse(ta_buf_text(&text), text.len, &again, NULL), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_edited),
		cmocka_unit_test(test_what_waits),
		cmocka_unit_test(test_what_waits_malformed),
		cmocka_unit_test(test_on_again),
		cmocka_unit_test(test_what_is_not_followed),
		cmocka_unit_test(test_outside_the_tables),
		cmocka_unit_test(test_what_is_to_be_kept),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_a_plan_comes_back),
		cmocka_unit_test(test_edited_plans),
		cmocka_unit_test(test_a_nul_ends_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
