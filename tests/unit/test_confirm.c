/*
 * Runs that wait to be confirmed, on a host in memory: what each state of a journal means for whoever looks at it, and that
 * confirming, undoing and a restart of the host lead where they are to lead from every one of them.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fix/confirm.h"
#include "fix/ownfile.h"
#include "tests/unit/fakehost.h"
#include "tests/unit/tree.h"

#define SOMAXCONN "/proc/sys/net/core/somaxconn"
#define SWAPPINESS "/proc/sys/vm/swappiness"
#define DROP_IN "/etc/systemd/system/a.service.d/50-tuneaudit.conf"
#define SECONDS 60
#define START_MS 5000

struct bed {
	struct fake_host *fake;
	struct fake_file *somaxconn, *swappiness, *file, *kept;
	struct ta_state *state;
	struct tree tree;
	char dir[80];
	unsigned armed; /* run that the supervisor was started for */
	unsigned written_before; /* changes by then */
	int arm_rc;
};

static int setup(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));
	struct ta_err err = {0};

	assert_non_null(b);
	b->fake = fake_new();
	b->fake->uptime_ms = START_MS;
	b->somaxconn = fake_add(b->fake, SOMAXCONN, "128");
	b->swappiness = fake_add(b->fake, SWAPPINESS, "60");
	b->file = fake_add(b->fake, DROP_IN, "");
	b->file->gone = true;
	fake_add(b->fake, "/etc/sysctl.d", ""); /* it is there */
	b->kept = fake_add(b->fake, TA_OWN_SYSCTL, "");
	b->kept->gone = true;
	assert_int_equal(tree_make(&b->tree), 0);
	snprintf(b->dir, sizeof(b->dir), "%s/state", b->tree.dir);
	assert_int_equal(ta_state_open(&b->fake->host, b->dir, true, &b->state, &err), 0);
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

static int arm(unsigned run, void *ctx, struct ta_err *err)
{
	struct bed *b = ctx;

	b->armed = run;
	b->written_before = b->somaxconn->writes + b->swappiness->writes + b->file->writes;
	return b->arm_rc < 0 ? ta_err_set(err, b->arm_rc, "no supervisor") : 0;
}

/* Two settings, a file that keeps them, and a setting that is a file. */
static enum ta_apply_end apply_on(struct bed *b, struct ta_host *h, unsigned seconds, struct ta_run *run, struct ta_err *err)
{
	ta_cleanup_steps struct ta_steps steps = TA_STEPS_INIT;
	struct ta_apply_item items[3];
	struct ta_apply a = {.host = h, .state = b->state, .who = "uid 0", .profile = "test", .tool = "test", .items = items,
		.n = 3, .confirm_within_s = seconds, .arm = arm, .arm_ctx = b};
	enum ta_apply_end end;

	ta_steps_add(&steps, &ta_knob_sysctl, "net.core.somaxconn", "4096")->before = strdup("128");
	ta_steps_add(&steps, &ta_knob_sysctl, "vm.swappiness", "10")->before = strdup("60");
	ta_steps_add(&steps, &ta_knob_nofile, "a.service", "65536")->before = strdup("none");
	for (size_t i = 0; i < 3; i++)
		items[i] = (struct ta_apply_item){.step = &steps.v[i], .rule = "a.rule", .why = "a title", .disruption = "none"};
	items[0].keep_file = items[1].keep_file = TA_OWN_SYSCTL;
	items[0].keep_text = "net.core.somaxconn = 4096\n";
	items[1].keep_text = "vm.swappiness = 10\n";
	memset(err, 0, sizeof(*err));
	assert_int_equal(ta_apply_run(&a, &end, run, err), 0);
	return end;
}

static void apply(struct bed *b)
{
	ta_cleanup_run struct ta_run run = {0};
	struct ta_err err;

	assert_int_equal(apply_on(b, &b->fake->host, SECONDS, &run, &err), TA_APPLY_DONE);
	assert_string_equal(run.state, "pending");
	assert_int_equal(run.due_ms, b->fake->uptime_ms + SECONDS * 1000);
}

/* As a later call of the program reads it. */
static void read_run(struct bed *b, struct ta_run *ret)
{
	struct ta_err err = {0};

	ta_run_done(ret);
	ta_run_read(b->state, 1, ret, &err);
	assert_string_equal(err.text, "");
}

static void is_changed(const struct bed *b)
{
	assert_string_equal(b->somaxconn->text, "4096");
	assert_string_equal(b->swappiness->text, "10");
}

static void is_as_before(const struct bed *b)
{
	assert_string_equal(b->somaxconn->text, "128");
	assert_string_equal(b->swappiness->text, "60");
	assert_true(b->file->gone);
	assert_true(b->kept->gone);
}

static void files_are_written(const struct bed *b)
{
	assert_string_equal(b->file->text, "# From tuneaudit, whose rollback takes it back.\n[Service]\nLimitNOFILE=65536\n");
	assert_false(b->file->gone);
	assert_false(b->kept->gone);
	assert_non_null(strstr(b->kept->text, "net.core.somaxconn = 4096\nvm.swappiness = 10\n"));
}

static void test_nothing_persistent_before_it_is_confirmed(void **state)
{
	struct bed *b = *state;
	ta_cleanup_run struct ta_run run = {0};
	struct ta_err err = {0};

	apply(b);
	is_changed(b);
	assert_int_equal(b->armed, 1);
	assert_int_equal(b->written_before, 0);
	assert_int_equal(b->file->writes + b->kept->writes, 0);
	read_run(b, &run);
	assert_int_equal(run.n, 3);
	assert_int_equal(run.changes[2].state, TA_CHANGE_LATER);
	assert_int_equal(run.confirm_within_s, SECONDS);
	assert_false(run.confirmed);
	/* One that belongs to no single change. */
	assert_non_null(ta_run_add_keep(&run, 0, TA_OWN_SYSCTL, "vm.vfs_cache_pressure = 50\n"));
	assert_int_equal(ta_confirm_keep(&b->fake->host, b->state, "uid 0", &run, &err), 0);
	is_changed(b);
	files_are_written(b);
	assert_non_null(strstr(b->kept->text, "vm.vfs_cache_pressure = 50\n"));
	read_run(b, &run);
	assert_string_equal(run.state, "applied");
	assert_string_equal(run.note, "confirmed by uid 0");
	assert_int_equal(run.changes[2].state, TA_CHANGE_DONE);
	assert_false(ta_confirm_is_unfinished(&run));
}

/* As every run did before. */
static void test_not_to_be_confirmed(void **state)
{
	struct bed *b = *state;
	ta_cleanup_run struct ta_run run = {0};
	struct ta_err err;

	assert_int_equal(apply_on(b, &b->fake->host, 0, &run, &err), TA_APPLY_DONE);
	assert_string_equal(run.state, "applied");
	assert_int_equal(b->armed, 0);
	files_are_written(b);
}

/* At the next start the values are there again: it was a line of ours that set them. One that is another by then is the host's. */
static void test_what_our_file_sets_at_a_start_is_ours(void **state)
{
	struct bed *b = *state;
	const struct ta_rollback r = {.host = &b->fake->host, .state = b->state};
	ta_cleanup_run struct ta_run run = {0};
	enum ta_rollback_end end;
	struct ta_err err;

	assert_int_equal(apply_on(b, &b->fake->host, 0, &run, &err), TA_APPLY_DONE);
	b->fake->boot = "boot-2";
	fake_put(b->swappiness, "35");
	read_run(b, &run);
	assert_int_equal(ta_rollback_run(&r, &run, 0, &end, &err), 0);
	assert_int_equal(end, TA_ROLLBACK_LEFT);
	assert_string_equal(b->somaxconn->text, "128");
	assert_string_equal(b->swappiness->text, "35");
	assert_non_null(strstr(run.changes[1].note, "35 is what came with that"));
	assert_true(b->file->gone);
	assert_true(b->kept->gone);
}

static void test_no_supervisor_no_change(void **state)
{
	struct bed *b = *state;
	ta_cleanup_run struct ta_run run = {0}, read = {0};
	struct ta_err err;

	b->arm_rc = -EAGAIN;
	assert_int_equal(apply_on(b, &b->fake->host, SECONDS, &run, &err), TA_APPLY_NOTHING);
	assert_string_equal(err.text, "no supervisor");
	assert_int_equal(b->somaxconn->writes + b->swappiness->writes + b->file->writes + b->kept->writes, 0);
	read_run(b, &read);
	assert_string_equal(read.state, "failed");
	assert_string_equal(read.note, "no supervisor");
}

static void undo(struct bed *b, struct ta_run *run, const char *why, enum ta_rollback_end expected)
{
	enum ta_rollback_end end;
	struct ta_err err = {0};

	assert_int_equal(ta_confirm_undo(&b->fake->host, b->state, run, why, &end, &err), 0);
	assert_int_equal(end, expected);
	assert_string_equal(err.text, "");
}

static void test_undone(void **state)
{
	struct bed *b = *state;
	ta_cleanup_run struct ta_run run = {0};

	apply(b);
	read_run(b, &run);
	undo(b, &run, NULL, TA_ROLLBACK_DONE);
	is_as_before(b);
	assert_int_equal(b->file->writes + b->kept->writes, 0);
	read_run(b, &run);
	assert_string_equal(run.state, "rolled-back");
	assert_string_equal(run.note, "it was not confirmed within 60 s");
	assert_false(ta_run_is_open(&run));
}

static void test_undone_but_for_what_is_stuck(void **state)
{
	struct bed *b = *state;
	ta_cleanup_run struct ta_run run = {0};

	apply(b);
	b->swappiness->write_error = -EBUSY;
	b->swappiness->errors_left = 100;
	read_run(b, &run);
	undo(b, &run, NULL, TA_ROLLBACK_STUCK);
	read_run(b, &run);
	assert_string_equal(run.state, "partly-restored");
	assert_string_equal(b->somaxconn->text, "128");
	assert_int_equal(run.changes[1].state, TA_CHANGE_STUCK);
	assert_int_equal(ta_confirm_next(&run, INT64_MAX, false), TA_CONFIRM_OVER);
	/* the supervisor tries again what it has in memory */
	b->swappiness->errors_left = 0;
	undo(b, &run, "again", TA_ROLLBACK_DONE);
	is_as_before(b);
}

/* Who sets a value while it waits keeps it, whether it is kept or undone. */
static void test_somebody_else_sets_it(void **state)
{
	struct bed *b = *state;
	ta_cleanup_run struct ta_run run = {0};

	apply(b);
	fake_put(b->swappiness, "33");
	read_run(b, &run);
	undo(b, &run, NULL, TA_ROLLBACK_LEFT);
	assert_string_equal(b->swappiness->text, "33");
	assert_string_equal(b->somaxconn->text, "128");
}

static void test_one_change_is_taken_out(void **state)
{
	struct bed *b = *state;
	const struct ta_rollback r = {.host = &b->fake->host, .state = b->state};
	ta_cleanup_run struct ta_run run = {0};
	enum ta_rollback_end end;
	struct ta_err err = {0};

	apply(b);
	read_run(b, &run);
	assert_int_equal(ta_rollback_run(&r, &run, 1, &end, &err), 0);
	read_run(b, &run);
	assert_string_equal(run.state, "pending"); /* the rest still waits, not longer than before */
	assert_int_equal(run.due_ms, START_MS + SECONDS * 1000);
	assert_int_equal(ta_confirm_next(&run, run.due_ms, false), TA_CONFIRM_UNDO);
	undo(b, &run, NULL, TA_ROLLBACK_DONE);
	is_as_before(b);
}

/* What was taken out of it while it waited does not come with the next start. */
static void test_the_rest_is_kept(void **state)
{
	struct bed *b = *state;
	const struct ta_rollback r = {.host = &b->fake->host, .state = b->state};
	ta_cleanup_run struct ta_run run = {0};
	enum ta_rollback_end end;
	struct ta_err err = {0};

	apply(b);
	read_run(b, &run);
	assert_int_equal(ta_rollback_run(&r, &run, 1, &end, &err), 0);
	read_run(b, &run);
	assert_int_equal(ta_confirm_keep(&b->fake->host, b->state, "uid 0", &run, &err), 0);
	assert_string_equal(b->somaxconn->text, "128");
	assert_string_equal(b->swappiness->text, "10");
	assert_null(strstr(b->kept->text, "somaxconn"));
	assert_non_null(strstr(b->kept->text, "vm.swappiness = 10\n"));
}

static void test_what_the_supervisor_does(void **state)
{
	char pending[] = "pending", applied[] = "applied", failed[] = "failed", back[] = "rolled-back", part[] = "partly-restored";
	struct ta_run r = {.confirm_within_s = SECONDS, .due_ms = 1000};
	char *const over[] = {applied, failed, back, part};

	/* being made, or put back by somebody */
	assert_int_equal(ta_confirm_next(&r, 5000, true), TA_CONFIRM_WAIT);
	assert_int_equal(ta_confirm_next(&r, 0, false), TA_CONFIRM_UNDO);
	r.state = pending;
	assert_int_equal(ta_confirm_next(&r, 999, false), TA_CONFIRM_WAIT);
	assert_int_equal(ta_confirm_next(&r, 1000, false), TA_CONFIRM_UNDO);
	assert_int_equal(ta_confirm_next(&r, 1000, true), TA_CONFIRM_UNDO);
	for (size_t i = 0; i < TA_ARRAY_SIZE(over); i++) {
		r.state = over[i];
		assert_int_equal(ta_confirm_next(&r, INT64_MAX, false), TA_CONFIRM_OVER);
	}
	/* confirmed, and its files are being written, by somebody who may die of it */
	r.state = NULL;
	r.confirmed = true;
	assert_int_equal(ta_confirm_next(&r, INT64_MAX, false), TA_CONFIRM_OVER);
}

static void test_seconds_left(void **state)
{
	const struct ta_run r = {.due_ms = 10000};

	assert_int_equal(ta_confirm_left_s(&r, 0), 10);
	assert_int_equal(ta_confirm_left_s(&r, 1), 10);
	assert_int_equal(ta_confirm_left_s(&r, 9999), 1);
	assert_int_equal(ta_confirm_left_s(&r, 10000), 0);
	assert_int_equal(ta_confirm_left_s(&r, 10999), 0);
	assert_int_equal(ta_confirm_left_s(&r, 12000), -2);
}

/* The machine is another one inside: all is as at its start. */
static void restart(struct bed *b)
{
	fake_put(b->somaxconn, "128");
	fake_put(b->swappiness, "60");
	b->somaxconn->writes = b->swappiness->writes = 0;
	b->fake->boot = "another-boot";
	b->fake->uptime_ms = 100;
}

static unsigned settle(struct bed *b)
{
	struct ta_err err = {0};
	unsigned run = 99;

	assert_int_equal(ta_confirm_settle_after_boot(&b->fake->host, b->state, &run, &err), 0);
	return run;
}

static void test_a_restart_undoes_it(void **state)
{
	struct bed *b = *state;
	ta_cleanup_where struct ta_where now = {0};
	ta_cleanup_run struct ta_run run = {0};

	apply(b);
	assert_int_equal(settle(b), 0); /* not yet */
	restart(b);
	assert_int_equal(ta_where_read(&b->fake->host, &now), 0);
	read_run(b, &run);
	assert_int_equal(ta_confirm_refresh(&run, &now, 100), 0); /* who may not write sees it too */
	assert_string_equal(run.state, "rolled-back");
	assert_int_equal(settle(b), 1);
	assert_int_equal(settle(b), 0);
	read_run(b, &run);
	assert_string_equal(run.state, "rolled-back");
	assert_string_equal(run.note, TA_CONFIRM_LOST_NOTE);
	assert_false(ta_run_is_open(&run));
	assert_string_equal(run.changes[0].note, "it went with a restart of the host");
	assert_null(run.changes[2].note);
	assert_int_equal(b->somaxconn->writes + b->swappiness->writes + b->file->writes + b->kept->writes, 0);
}

/* What was confirmed is not undone by one, nor is a run that had not to be. */
static void test_a_restart_leaves_what_holds(void **state)
{
	struct bed *b = *state;
	ta_cleanup_run struct ta_run run = {0};
	struct ta_err err = {0};

	apply(b);
	read_run(b, &run);
	assert_int_equal(ta_confirm_keep(&b->fake->host, b->state, "uid 0", &run, &err), 0);
	restart(b);
	assert_int_equal(settle(b), 0);
	read_run(b, &run);
	assert_string_equal(run.state, "applied");
}

static void test_another_host(void **state)
{
	struct bed *b = *state;
	ta_cleanup_where struct ta_where now = {0};
	ta_cleanup_run struct ta_run run = {0};

	apply(b);
	read_run(b, &run);
	b->fake->boot = "another-boot";
	assert_int_equal(ta_where_read(&b->fake->host, &now), 0);
	assert_true(ta_confirm_is_lost(&run, &now));
	assert_true(ta_set_text(&now.machine, "ffffffffffffffff"));
	assert_false(ta_confirm_is_lost(&run, &now)); /* a state directory that was copied says nothing of this host */
	assert_true(ta_set_text(&now.boot, ""));
	assert_false(ta_confirm_is_lost(&run, &now));
}

/* One that is killed leaves a run that is undone in part: it is to be ended, not to be kept again. */
static void test_a_rollback_that_was_begun(void **state)
{
	struct bed *b = *state;
	ta_cleanup_run struct ta_run run = {0}, begun = {0};
	struct ta_undo u = {.host = &b->fake->host, .state = b->state, .same_boot = true};
	struct ta_err err = {0};

	apply(b);
	read_run(b, &run);
	b->kept->write_error = -ENOSPC;
	b->kept->errors_left = 1;
	assert_int_equal(ta_confirm_keep(&b->fake->host, b->state, "uid 0", &run, &err), -EIO);
	assert_true(ta_confirm_is_unfinished(&run));
	assert_int_equal(ta_undo_change(&u, 1, &run.changes[1]), 0);
	read_run(b, &begun);
	assert_null(begun.state);
	assert_true(begun.confirmed);
	assert_false(ta_confirm_is_unfinished(&begun));
	undo(b, &begun, "test", TA_ROLLBACK_DONE);
	is_as_before(b);
}

/* The first file, or the second, finds a full disk. */
static void fills_up(void **state, int full)
{
	struct bed *b = *state;
	ta_cleanup_run struct ta_run run = {0};
	struct ta_err err = {0};
	struct fake_file *file = full == 1 ? b->file : b->kept;

	apply(b);
	file->write_error = -ENOSPC;
	file->errors_left = 1;
	read_run(b, &run);
	assert_int_equal(ta_confirm_keep(&b->fake->host, b->state, "uid 0", &run, &err), -EIO);
	assert_true(run.confirmed);
	read_run(b, &run);
	assert_string_equal(run.state, "applied"); /* it is kept all the same */
	assert_int_equal(run.changes[2].state, full == 1 ? TA_CHANGE_LATER : TA_CHANGE_DONE);
	assert_true(ta_confirm_is_unfinished(&run));
	assert_true(file->gone);
	assert_int_equal(ta_confirm_keep(&b->fake->host, b->state, "uid 0", &run, &err), 0);
	files_are_written(b);
	is_changed(b);
}

static void test_the_file_cannot_be_written(void **state)
{
	fills_up(state, 1);
}

static void test_the_keeping_file_cannot_be_written(void **state)
{
	fills_up(state, 2);
}

/* Every write of a confirmation fails in turn, journal and files; then once more, or a rollback. */
static void test_each_write_of_a_confirmation_fails(void **state)
{
	static const bool again[] = {true, false};
	unsigned writes = 0;

	for (size_t i = 0; i < 2 * 20; i++) {
		unsigned at = (unsigned)i / 2 + 1;
		struct ta_fault plan = {.change_at = at, .rc = -EIO, .all_after = true};
		struct ta_host *fault;
		struct ta_err err = {0};
		struct bed *b;
		int rc;

		assert_int_equal(setup(state), 0);
		b = *state;
		apply(b);
		ta_state_close(b->state);
		assert_int_equal(ta_host_fault(&b->fake->host, &plan, &fault), 0);
		b->state = NULL;
		rc = ta_state_open(fault, b->dir, true, &b->state, &err);
		if (rc == 0) {
			ta_cleanup_run struct ta_run run = {0};

			read_run(b, &run);
			rc = ta_confirm_keep(fault, b->state, "uid 0", &run, &err);
			if (rc == 0)
				writes = ta_host_changes(fault);
			b->state = ta_state_close(b->state);
		}
		free(fault);
		if (rc < 0)
			is_changed(b);
		assert_int_equal(ta_state_open(&b->fake->host, b->dir, true, &b->state, &err), 0);
		{
			ta_cleanup_run struct ta_run run = {0};

			read_run(b, &run);
			assert_true(rc < 0 || run.confirmed);
			if (again[i % 2]) {
				if (!run.confirmed || ta_confirm_is_unfinished(&run))
					assert_int_equal(ta_confirm_keep(&b->fake->host, b->state, "uid 0", &run, &err), 0);
				is_changed(b);
				files_are_written(b);
				read_run(b, &run);
				assert_false(ta_confirm_is_unfinished(&run));
			} else {
				undo(b, &run, "test", TA_ROLLBACK_DONE);
				is_as_before(b);
			}
		}
		teardown(state);
		*state = NULL;
	}
	assert_in_range(writes, 9, 19); /* all of them were reached */
}

static void test_which_run(void **state)
{
	struct bed *b = *state;
	ta_cleanup_run struct ta_run none = {0}, pending = {0}, kept = {0};
	struct ta_err err = {0};

	assert_int_equal(ta_confirm_find(b->state, &none, &err), 0);
	assert_int_equal(none.number, 0);
	apply(b);
	assert_int_equal(ta_confirm_find(b->state, &pending, &err), 0);
	assert_int_equal(pending.number, 1);
	assert_true(ta_confirm_is_pending(&pending));
	assert_int_equal(ta_confirm_keep(&b->fake->host, b->state, "uid 0", &pending, &err), 0);
	assert_int_equal(ta_confirm_find(b->state, &kept, &err), 0);
	assert_string_equal(kept.note, "confirmed by uid 0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_nothing_persistent_before_it_is_confirmed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_our_file_sets_at_a_start_is_ours, setup, teardown),
		cmocka_unit_test_setup_teardown(test_not_to_be_confirmed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_supervisor_no_change, setup, teardown),
		cmocka_unit_test_setup_teardown(test_undone, setup, teardown),
		cmocka_unit_test_setup_teardown(test_undone_but_for_what_is_stuck, setup, teardown),
		cmocka_unit_test_setup_teardown(test_somebody_else_sets_it, setup, teardown),
		cmocka_unit_test_setup_teardown(test_one_change_is_taken_out, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_rest_is_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_rollback_that_was_begun, setup, teardown),
		cmocka_unit_test(test_what_the_supervisor_does),
		cmocka_unit_test(test_seconds_left),
		cmocka_unit_test_setup_teardown(test_a_restart_undoes_it, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_restart_leaves_what_holds, setup, teardown),
		cmocka_unit_test_setup_teardown(test_another_host, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_file_cannot_be_written, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_keeping_file_cannot_be_written, setup, teardown),
		cmocka_unit_test(test_each_write_of_a_confirmation_fails),
		cmocka_unit_test_setup_teardown(test_which_run, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
