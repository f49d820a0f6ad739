/*
 * Changing and putting back, on a host in memory: who a value belongs to, what moves along, what a failure leaves.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fix/apply.h"
#include "fix/rollback.h"
#include "tests/unit/fakehost.h"
#include "tests/unit/tree.h"

#define SOMAXCONN "/proc/sys/net/core/somaxconn"
#define FLOWS "/proc/sys/net/core/rps_sock_flow_entries"
#define BYTES "/proc/sys/vm/dirty_bytes"
#define RATIO "/proc/sys/vm/dirty_ratio"
#define SWAPPINESS "/proc/sys/vm/swappiness"

struct bed {
	struct fake_host *fake;
	struct fake_file *somaxconn, *flows, *bytes, *ratio, *swappiness;
	struct ta_state *state;
	struct tree tree;
	char dir[80];
};

static void open_state(struct bed *b)
{
	struct ta_err err = {0};

	b->state = ta_state_close(b->state);
	assert_int_equal(ta_state_open(&b->fake->host, b->dir, true, &b->state, &err), 0);
}

static int setup(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->fake = fake_new();
	b->somaxconn = fake_add(b->fake, SOMAXCONN, "128");
	b->flows = fake_add(b->fake, FLOWS, "0");
	b->bytes = fake_add(b->fake, BYTES, "0");
	b->ratio = fake_add(b->fake, RATIO, "20");
	b->swappiness = fake_add(b->fake, SWAPPINESS, "60");
	b->flows->clamps = true;
	b->bytes->makes_zero = RATIO;
	b->ratio->makes_zero = BYTES;
	assert_int_equal(tree_make(&b->tree), 0);
	snprintf(b->dir, sizeof(b->dir), "%s/state", b->tree.dir);
	open_state(b);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bed *b = *state;

	ta_state_close(b->state);
	ta_host_free(&b->fake->host);
	tree_remove(&b->tree);
	free(b);
	return 0;
}

struct wish {
	const char *target, *before, *after; /* a sysctl, or without a dot in its name a module */
};

/* Applies the wishes on `h`; the run is the caller's to free. */
static enum ta_apply_end apply_on(struct bed *b, struct ta_host *h, const struct wish *wishes, size_t n, struct ta_run *run,
	struct ta_err *err)
{
	ta_cleanup_steps struct ta_steps steps = TA_STEPS_INIT;
	struct ta_apply_item items[8];
	struct ta_apply a = {.host = h, .state = b->state, .who = "uid 0", .profile = "test", .tool = "test", .items = items,
		.n = n};
	enum ta_apply_end end;

	for (size_t i = 0; i < n; i++)
		ta_steps_add(&steps, strchr(wishes[i].target, '.') ? &ta_knob_sysctl : &ta_knob_module, wishes[i].target,
			wishes[i].after)->before = strdup(wishes[i].before);
	for (size_t i = 0; i < n; i++)
		items[i] = (struct ta_apply_item){.step = &steps.v[i], .rule = "a.rule", .why = "a title", .disruption = "none"};
	memset(err, 0, sizeof(*err));
	assert_int_equal(ta_apply_run(&a, &end, run, err), 0);
	return end;
}

static enum ta_apply_end apply(struct bed *b, const struct wish *wishes, size_t n)
{
	ta_cleanup_run struct ta_run run = {0};
	struct ta_err err;

	return apply_on(b, &b->fake->host, wishes, n, &run, &err);
}

#define APPLY(b, ...) apply((b), (const struct wish[]){__VA_ARGS__}, TA_ARRAY_SIZE(((const struct wish[]){__VA_ARGS__})))

/* Reads the run from the disk, as a later call of the program does. */
static enum ta_rollback_end roll_back(struct bed *b, unsigned number, unsigned only, bool force, struct ta_run *run)
{
	const struct ta_rollback r = {.host = &b->fake->host, .state = b->state, .force = force};
	enum ta_rollback_end end;
	struct ta_err err = {0};

	ta_run_read(b->state, number, run, &err);
	assert_string_equal(err.text, "");
	assert_int_equal(ta_rollback_run(&r, run, only, &end, &err), 0);
	assert_string_equal(err.text, "");
	return end;
}

static enum ta_rollback_end rollback(struct bed *b, unsigned number)
{
	ta_cleanup_run struct ta_run run = {0};

	return roll_back(b, number, 0, false, &run);
}

static void test_there_and_back(void **state)
{
	struct bed *b = *state;
	ta_cleanup_run struct ta_run run = {0};

	assert_int_equal(APPLY(b, {"net.core.somaxconn", "128", "4096"}, {"vm.swappiness", "60", "10"}), TA_APPLY_DONE);
	assert_string_equal(b->somaxconn->text, "4096");
	assert_int_equal(roll_back(b, 1, 0, false, &run), TA_ROLLBACK_DONE);
	assert_string_equal(b->somaxconn->text, "128");
	assert_string_equal(b->swappiness->text, "60");
	assert_string_equal(run.state, "rolled-back");
	assert_string_equal(run.who, "uid 0");
	assert_int_equal(run.time, 1800000000);
	/* once more: nothing is written */
	b->somaxconn->writes = 0;
	assert_int_equal(rollback(b, 1), TA_ROLLBACK_DONE);
	assert_int_equal(b->somaxconn->writes, 0);
}

static void test_one_change_of_a_run(void **state)
{
	struct bed *b = *state;
	ta_cleanup_run struct ta_run run = {0};

	APPLY(b, {"net.core.somaxconn", "128", "4096"}, {"vm.swappiness", "60", "10"});
	assert_int_equal(roll_back(b, 1, 2, false, &run), TA_ROLLBACK_DONE);
	assert_string_equal(b->swappiness->text, "60");
	assert_string_equal(b->somaxconn->text, "4096");
	assert_string_equal(run.state, "applied");
	assert_int_equal(rollback(b, 1), TA_ROLLBACK_DONE);
	assert_string_equal(b->somaxconn->text, "128");
}

/* Ours is what the kernel made of it. */
static void test_clamped(void **state)
{
	struct bed *b = *state;

	assert_int_equal(APPLY(b, {"net.core.rps_sock_flow_entries", "0", "1000"}), TA_APPLY_DONE);
	assert_string_equal(b->flows->text, "1024");
	b->flows->clamps = false;
	assert_int_equal(rollback(b, 1), TA_ROLLBACK_DONE);
	assert_string_equal(b->flows->text, "0");
}

static void test_somebody_else_has_it(void **state)
{
	struct bed *b = *state;
	ta_cleanup_run struct ta_run run = {0}, forced = {0};

	APPLY(b, {"net.core.somaxconn", "128", "4096"}, {"vm.swappiness", "60", "10"});
	fake_put(b->somaxconn, "9000");
	assert_int_equal(roll_back(b, 1, 0, false, &run), TA_ROLLBACK_LEFT);
	assert_string_equal(b->somaxconn->text, "9000");
	assert_string_equal(b->swappiness->text, "60");
	assert_string_equal(run.changes[0].note, "changed since: we had set 4096, it is 9000 now");
	assert_string_equal(run.state, "partly-restored");
	assert_int_equal(roll_back(b, 1, 0, true, &forced), TA_ROLLBACK_DONE);
	assert_string_equal(b->somaxconn->text, "128");
	assert_string_equal(forced.state, "rolled-back");
}

static void test_a_later_run_has_it(void **state)
{
	struct bed *b = *state;

	APPLY(b, {"net.core.somaxconn", "128", "4096"});
	APPLY(b, {"net.core.somaxconn", "4096", "8192"});
	assert_int_equal(rollback(b, 1), TA_ROLLBACK_LEFT);
	assert_string_equal(b->somaxconn->text, "8192");
	assert_int_equal(rollback(b, 2), TA_ROLLBACK_DONE);
	assert_int_equal(rollback(b, 1), TA_ROLLBACK_DONE);
	assert_string_equal(b->somaxconn->text, "128");
}

/* 0 cannot be written as bytes: the ratio brings it. */
static void test_the_dirty_pair(void **state)
{
	struct bed *b = *state;

	assert_int_equal(APPLY(b, {"vm.dirty_bytes", "0", "500000000"}), TA_APPLY_DONE);
	assert_string_equal(b->ratio->text, "0");
	assert_int_equal(rollback(b, 1), TA_ROLLBACK_DONE);
	assert_string_equal(b->ratio->text, "20");
	assert_string_equal(b->bytes->text, "0");
}

static struct fake_file *add_qdisc(struct bed *b)
{
	struct fake_file *module = fake_add(b->fake, "/sys/module/sch_fq", "");

	module->gone = true;
	fake_add(b->fake, "/proc/sys/net/core/default_qdisc", "pfifo_fast")->loads = "/sys/module/sch_fq";
	return module;
}

/* Nobody asked for the module: the kernel loaded it because it was named. */
static void test_a_module_came_along(void **state)
{
	struct bed *b = *state;
	struct fake_file *module = add_qdisc(b);

	assert_int_equal(APPLY(b, {"net.core.default_qdisc", "pfifo_fast", "fq"}), TA_APPLY_DONE);
	assert_false(module->gone);
	assert_int_equal(rollback(b, 1), TA_ROLLBACK_DONE);
	assert_true(module->gone);
}

/* As after a kill in the middle of a rollback: the value is back, the module is still there. */
static void test_a_module_is_left_over(void **state)
{
	struct bed *b = *state;
	struct fake_file *module = add_qdisc(b);

	assert_int_equal(APPLY(b, {"net.core.default_qdisc", "pfifo_fast", "fq"}), TA_APPLY_DONE);
	fake_put(fake_find(&b->fake->host, "/proc/sys/net/core/default_qdisc"), "pfifo_fast");
	assert_int_equal(rollback(b, 1), TA_ROLLBACK_DONE);
	assert_true(module->gone);
}

static void test_a_module_is_in_use(void **state)
{
	ta_cleanup_run struct ta_run run = {0};
	struct bed *b = *state;
	struct fake_file *module = add_qdisc(b);

	assert_int_equal(APPLY(b, {"net.core.default_qdisc", "pfifo_fast", "fq"}), TA_APPLY_DONE);
	module->write_error = -EAGAIN;
	module->errors_left = 1;
	assert_int_equal(roll_back(b, 1, 0, false, &run), TA_ROLLBACK_DONE);
	assert_false(module->gone);
	assert_int_equal(module->writes, 1); /* not tried again and again */
	assert_string_equal(run.changes[0].note, "the module sch_fq came with it and is in use: it stays");
	assert_string_equal(fake_find(&b->fake->host, "/proc/sys/net/core/default_qdisc")->text, "pfifo_fast");
}

/* The same where loading it was a step of its own. */
static void test_a_loaded_module_is_in_use(void **state)
{
	ta_cleanup_run struct ta_run run = {0};
	struct bed *b = *state;
	struct fake_file *module = add_qdisc(b);

	assert_int_equal(APPLY(b, {"sch_fq", "absent", "loaded"}, {"net.core.default_qdisc", "pfifo_fast", "fq"}),
		TA_APPLY_DONE);
	assert_false(module->gone);
	module->write_error = -EAGAIN;
	module->errors_left = 1;
	assert_int_equal(roll_back(b, 1, 0, false, &run), TA_ROLLBACK_DONE);
	assert_false(module->gone);
	assert_string_equal(run.changes[0].note, "it is in use, and stays");
	assert_string_equal(fake_find(&b->fake->host, "/proc/sys/net/core/default_qdisc")->text, "pfifo_fast");
}

/* Somebody has chosen a ratio since: it is his, and the bytes are as before by that. */
static void test_the_dirty_pair_is_somebody_elses(void **state)
{
	struct bed *b = *state;

	APPLY(b, {"vm.dirty_bytes", "0", "500000000"});
	fake_set(&b->fake->host, RATIO, "35");
	assert_int_equal(rollback(b, 1), TA_ROLLBACK_DONE);
	assert_string_equal(b->ratio->text, "35");
	assert_string_equal(b->bytes->text, "0");
}

static void test_after_a_restart(void **state)
{
	struct bed *b = *state;
	ta_cleanup_run struct ta_run run = {0};

	APPLY(b, {"net.core.somaxconn", "128", "4096"}, {"vm.swappiness", "60", "10"});
	b->fake->boot = "boot-2";
	fake_put(b->swappiness, "60"); /* the boot's own */
	assert_int_equal(roll_back(b, 1, 0, false, &run), TA_ROLLBACK_LEFT);
	assert_string_equal(b->somaxconn->text, "4096"); /* somebody's file sets it: not ours to take */
	assert_non_null(strstr(run.changes[0].note, "the host was restarted since"));
	assert_int_equal(run.changes[1].state, TA_CHANGE_UNDONE);
	assert_int_equal(b->swappiness->writes, 1);
}

static void test_elsewhere(void **state)
{
	struct bed *b = *state;
	const struct ta_rollback r = {.host = &b->fake->host, .state = b->state};
	ta_cleanup_run struct ta_run run = {0};
	enum ta_rollback_end end;
	struct ta_err err = {0};

	APPLY(b, {"net.core.somaxconn", "128", "4096"});
	b->fake->netns = "net:[2]";
	assert_int_equal(ta_run_read(b->state, 1, &run, &err), 0);
	assert_int_equal(ta_rollback_run(&r, &run, 0, &end, &err), -EXDEV);
	assert_non_null(strstr(err.text, "network namespace"));
	assert_string_equal(b->somaxconn->text, "4096");
	b->fake->netns = "net:[1]";
	assert_int_equal(ta_rollback_run(&r, &run, 2, &end, &err), -ENOENT);
}

static void test_stale(void **state)
{
	struct bed *b = *state;
	ta_cleanup_run struct ta_run run = {0};
	struct ta_err err;
	const struct wish wishes[] = {{"net.core.somaxconn", "128", "4096"}, {"vm.swappiness", "59", "10"}};

	assert_int_equal(apply_on(b, &b->fake->host, wishes, 2, &run, &err), TA_APPLY_STALE);
	assert_string_equal(err.text, "vm.swappiness was 59 and is 60 now");
	assert_int_equal(b->somaxconn->writes, 0);
}

static void test_outside_the_tables(void **state)
{
	struct bed *b = *state;
	ta_cleanup_run struct ta_run run = {0};
	struct ta_err err;
	const struct wish key[] = {{"net.core.somaxconn", "128", "4096"}, {"kernel.modprobe", "/sbin/modprobe", "/tmp/x"}};
	const struct wish value[] = {{"net.core.somaxconn", "128", "4096\n"}};

	assert_int_equal(apply_on(b, &b->fake->host, key, 2, &run, &err), TA_APPLY_STALE);
	assert_int_equal(apply_on(b, &b->fake->host, value, 1, &run, &err), TA_APPLY_STALE);
	assert_int_equal(b->somaxconn->writes, 0);
}

static void test_a_failure_takes_all_back(void **state)
{
	struct bed *b = *state;
	ta_cleanup_run struct ta_run run = {0};
	struct ta_err err;
	const struct wish wishes[] = {{"net.core.somaxconn", "128", "4096"}, {"vm.dirty_bytes", "0", "500000000"},
		{"vm.swappiness", "60", "10"}};

	b->swappiness->write_error = -EBUSY;
	b->swappiness->errors_left = 1;
	assert_int_equal(apply_on(b, &b->fake->host, wishes, 3, &run, &err), TA_APPLY_FAILED);
	assert_non_null(strstr(err.text, "vm.swappiness"));
	assert_string_equal(b->somaxconn->text, "128");
	assert_string_equal(b->ratio->text, "20");
	assert_string_equal(run.state, "failed");
	assert_int_equal(run.n, 3);
	assert_int_equal(rollback(b, 1), TA_ROLLBACK_DONE);
}

static void test_what_cannot_be_put_back(void **state)
{
	struct bed *b = *state;
	ta_cleanup_run struct ta_run run = {0};
	struct ta_err err;
	const struct wish wishes[] = {{"net.core.somaxconn", "128", "4096"}, {"vm.swappiness", "60", "10"}};
	unsigned interrupted = 9;

	b->swappiness->gone = true; /* it vanishes between looking and writing: no read, no write */
	assert_int_equal(apply_on(b, &b->fake->host, wishes, 2, &run, &err), TA_APPLY_STALE);
	b->swappiness->gone = false;
	APPLY(b, {"net.core.somaxconn", "128", "4096"});
	b->somaxconn->write_error = -EIO;
	b->somaxconn->errors_left = 100;
	assert_int_equal(rollback(b, 1), TA_ROLLBACK_STUCK);
	assert_int_equal(ta_apply_interrupted(b->state, &interrupted, &err), 0);
	assert_int_equal(interrupted, 0);
	b->somaxconn->errors_left = 0;
	assert_int_equal(rollback(b, 1), TA_ROLLBACK_DONE);
	assert_string_equal(b->somaxconn->text, "128");
}

/* A device that is pulled in the middle of it. */
static void test_something_vanishes(void **state)
{
	struct bed *b = *state;
	ta_cleanup_run struct ta_run run = {0}, again = {0};
	struct ta_err err;
	const struct wish wishes[] = {{"net.core.somaxconn", "128", "4096"}, {"vm.swappiness", "60", "10"}};

	b->somaxconn->takes_away = SWAPPINESS;
	assert_int_equal(apply_on(b, &b->fake->host, wishes, 2, &run, &err), TA_APPLY_FAILED);
	assert_non_null(strstr(err.text, "vm.swappiness"));
	assert_string_equal(b->somaxconn->text, "128");
	assert_int_equal(run.n, 1);
	/* and one that is gone when it is to be put back */
	b->swappiness->gone = false;
	b->somaxconn->takes_away = NULL;
	APPLY(b, {"net.core.somaxconn", "128", "4096"}, {"vm.swappiness", "60", "10"});
	b->swappiness->gone = true;
	assert_int_equal(roll_back(b, 2, 0, false, &again), TA_ROLLBACK_LEFT);
	assert_string_equal(b->somaxconn->text, "128");
	assert_non_null(strstr(again.changes[1].note, "No such file"));
}

static void test_silently_refused(void **state)
{
	struct bed *b = *state;
	ta_cleanup_run struct ta_run run = {0};
	struct ta_err err;
	const struct wish wishes[] = {{"net.core.somaxconn", "128", "4096"}};

	b->somaxconn->errors_left = 1; /* and an answer of 0 */
	assert_int_equal(apply_on(b, &b->fake->host, wishes, 1, &run, &err), TA_APPLY_FAILED);
	assert_string_equal(err.text, "net.core.somaxconn was set to 4096 and stays 128");
}

static void test_a_signal(void **state)
{
	struct bed *b = *state;
	const volatile sig_atomic_t stop = SIGTERM;
	struct ta_step step = {.knob = &ta_knob_sysctl, .target = (char *)"net.core.somaxconn", .before = (char *)"128",
		.after = (char *)"4096"};
	const struct ta_apply_item item = {.step = &step, .rule = "a.rule", .why = "a title", .disruption = "none"};
	const struct ta_apply a = {.host = &b->fake->host, .state = b->state, .who = "", .profile = "", .tool = "", .stop = &stop,
		.items = &item, .n = 1};
	ta_cleanup_run struct ta_run run = {0};
	enum ta_apply_end end;
	struct ta_err err = {0};

	assert_int_equal(ta_apply_run(&a, &end, &run, &err), 0);
	assert_int_equal(end, TA_APPLY_FAILED);
	assert_int_equal(b->somaxconn->writes, 0);
}

/* Every change of the door fails in turn, those of the journal too: the host is as before in the end. */
static void test_each_change_fails(void **state)
{
	struct bed *b = *state;
	const struct wish wishes[] = {{"net.core.somaxconn", "128", "4096"}, {"vm.dirty_bytes", "0", "500000000"},
		{"net.core.rps_sock_flow_entries", "0", "1000"}};
	static const int errors[] = {-EIO, -ENOSPC, -EROFS, -EPERM, -EBUSY};
	unsigned last = 0;

	for (size_t e = 0; e < TA_ARRAY_SIZE(errors); e++) {
		for (unsigned at = 1;; at++) {
			const struct ta_fault plan = {.change_at = at, .rc = errors[e]};
			ta_cleanup_run struct ta_run run = {0};
			struct ta_host *faulty;
			struct ta_err err;
			enum ta_apply_end end;

			assert_int_equal(ta_host_fault(&b->fake->host, &plan, &faulty), 0);
			b->state = ta_state_close(b->state);
			if (ta_state_open(faulty, b->dir, true, &b->state, &err) == 0) {
				end = apply_on(b, faulty, wishes, 3, &run, &err);
				if (end == TA_APPLY_DONE) {
					last = at;
					open_state(b);
					assert_int_equal(rollback(b, run.number), TA_ROLLBACK_DONE);
				} else {
					assert_in_range(end, TA_APPLY_NOTHING, TA_APPLY_FAILED);
				}
			}
			free(faulty); /* not what it wraps */
			assert_string_equal(b->somaxconn->text, "128");
			assert_string_equal(b->ratio->text, "20");
			assert_string_equal(b->bytes->text, "0");
			assert_string_equal(b->flows->text, "0");
			if (last == at)
				break;
		}
	}
	assert_true(last > 12);
}

/* And of putting back: it goes on, and says so. */
static void test_each_change_of_a_rollback_fails(void **state)
{
	struct bed *b = *state;
	const struct wish wishes[] = {{"net.core.somaxconn", "128", "4096"}, {"vm.dirty_bytes", "0", "500000000"}};
	bool reached = true;

	for (unsigned at = 2; reached; at++) {
		const struct ta_fault plan = {.change_at = at, .rc = -ENOSPC};
		ta_cleanup_run struct ta_run run = {0}, again = {0};
		struct ta_host *faulty;
		struct ta_rollback r = {0};
		enum ta_rollback_end end;
		struct ta_err err = {0};

		open_state(b);
		assert_int_equal(apply_on(b, &b->fake->host, wishes, 2, &again, &err), TA_APPLY_DONE);
		b->state = ta_state_close(b->state);
		assert_int_equal(ta_host_fault(&b->fake->host, &plan, &faulty), 0);
		assert_int_equal(ta_state_open(faulty, b->dir, true, &b->state, &err), 0);
		assert_int_equal(ta_run_read(b->state, again.number, &run, &err), 0);
		r = (struct ta_rollback){.host = faulty, .state = b->state};
		assert_int_equal(ta_rollback_run(&r, &run, 0, &end, &err), 0);
		assert_int_equal(end, TA_ROLLBACK_DONE);
		reached = ta_host_changes(faulty) >= at;
		free(faulty);
		assert_string_equal(b->somaxconn->text, "128");
		assert_string_equal(b->ratio->text, "20");
	}
}

static void test_the_state_directory(void **state)
{
	struct bed *b = *state;
	struct ta_state *second = NULL;
	struct ta_err err = {0};
	char link[100], path[120];

	assert_int_equal(ta_state_open(&b->fake->host, b->dir, true, &second, &err), -EWOULDBLOCK);
	assert_int_equal(ta_state_open(&b->fake->host, b->dir, false, &second, &err), 0);
	second = ta_state_close(second);
	snprintf(link, sizeof(link), "%s/link", b->tree.dir);
	assert_int_equal(symlink(b->dir, link), 0);
	assert_int_equal(ta_state_open(&b->fake->host, link, true, &second, &err), -EKEYREJECTED);
	assert_int_equal(chmod(b->dir, 0770), 0);
	assert_int_equal(ta_state_open(&b->fake->host, b->dir, false, &second, &err), -EKEYREJECTED);
	assert_non_null(strstr(err.text, "can be written by others"));
	assert_int_equal(chmod(b->dir, 0700), 0);
	snprintf(path, sizeof(path), "%s/missing/state", b->tree.dir);
	assert_int_equal(ta_state_open(&b->fake->host, path, true, &second, &err), -ENOENT);
	assert_int_equal(ta_state_open(&b->fake->host, path, false, &second, &err), -ENOENT);
	/* a run that is a link, or has a second name, is not ours */
	APPLY(b, {"net.core.somaxconn", "128", "4096"});
	snprintf(path, sizeof(path), "%s/1.jsonl", b->dir);
	snprintf(link, sizeof(link), "%s/2.jsonl", b->dir);
	assert_int_equal(symlink(path, link), 0);
	{
		ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

		assert_int_equal(ta_state_read(b->state, 2, &text, &err), -EKEYREJECTED);
		assert_int_equal(unlink(link), 0);
		assert_int_equal(ta_state_read(b->state, 1, &text, &err), 0);
		assert_int_equal(chmod(path, 0620), 0);
		assert_int_equal(ta_state_read(b->state, 1, &text, &err), -EKEYREJECTED);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_there_and_back, setup, teardown),
		cmocka_unit_test_setup_teardown(test_one_change_of_a_run, setup, teardown),
		cmocka_unit_test_setup_teardown(test_clamped, setup, teardown),
		cmocka_unit_test_setup_teardown(test_somebody_else_has_it, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_later_run_has_it, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_dirty_pair, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_module_came_along, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_module_is_left_over, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_module_is_in_use, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_loaded_module_is_in_use, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_dirty_pair_is_somebody_elses, setup, teardown),
		cmocka_unit_test_setup_teardown(test_after_a_restart, setup, teardown),
		cmocka_unit_test_setup_teardown(test_elsewhere, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stale, setup, teardown),
		cmocka_unit_test_setup_teardown(test_outside_the_tables, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_failure_takes_all_back, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_cannot_be_put_back, setup, teardown),
		cmocka_unit_test_setup_teardown(test_something_vanishes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_silently_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_signal, setup, teardown),
		cmocka_unit_test_setup_teardown(test_each_change_fails, setup, teardown),
		cmocka_unit_test_setup_teardown(test_each_change_of_a_rollback_fails, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_state_directory, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
