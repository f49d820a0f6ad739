/*
 * What the files in src/fix/fixers/ are made of: arguments read strictly, the grammars of the files and shells
 * that their text is for, and the places where an interface's work belongs.
 */
#pragma once

#include "fix/fixer.h"

/* --- arguments ------------------------------------------ */

/* An argument by name, or NULL. */
struct json_object *ta_fix_arg(const struct ta_fix_call *call, const char *name);

/*
 * Typed arguments: 0 or -EINVAL with the text for the user. A real number counts as the next higher integer;
 * outside min … max is an error. `_opt`: *ret stays as it is where the argument was not given.
 */
int ta_fix_arg_i64(const struct ta_fix_call *call, const char *name, int64_t min, int64_t max, int64_t *ret,
	struct ta_err *err);
int ta_fix_arg_i64_opt(const struct ta_fix_call *call, const char *name, int64_t min, int64_t max, int64_t *ret,
	struct ta_err *err);
int ta_fix_arg_str(const struct ta_fix_call *call, const char *name, const char **ret, struct ta_err *err);

/* The same for a name that stands in a path: not empty, no '/', no blank or control character, not "." or "..". */
int ta_fix_arg_name(const struct ta_fix_call *call, const char *name, const char **ret, struct ta_err *err);

/* A JSON number as integer, real ones rounded up; -EINVAL if it is none, -ERANGE if it does not fit. */
int ta_fix_json_i64(struct json_object *v, int64_t *ret);

/* --- grammars -------------------------------------------- */

/* Appends what a person would type for each step, so that text and write cannot say different things. */
void ta_steps_commands(const struct ta_steps *s, struct ta_buf *b);

/* Appends a line "echo VALUE > FILE", both quoted. */
void ta_shell_write(struct ta_buf *b, const char *value, const char *file);

/*
 * Appends `text` in double quotes as udev(7) reads it in matches and assignments alike. -EINVAL for what one of
 * them would take as more than a letter: quotes, backslashes, $, %, globs, control characters.
 */
int ta_udev_quote(struct ta_buf *b, const char *text, struct ta_err *err);

/* True for a name that systemd takes for a unit of the type `suffix` (".service"): src/basic/unit-name.c. */
bool ta_unit_name_valid(const char *name, const char *suffix);

/*
 * What keeps the steps over a restart (keep.h): the file of the last of them, and its lines; what goes into other files is told among
 * the commands. Nothing where nothing does.
 */
void ta_fix_keep_steps(struct ta_fix_text *ret, const struct ta_steps *steps, const struct ta_facts *facts);

/* The file of the nofile knob's target ("nginx.service", "login") and what stands in it for `value`. */
void ta_nofile_file(const char *target, const char *value, struct ta_buf *path, struct ta_buf *text);

/*
 * For `what`, which comes with `module`: 0 where the kernel has it or the facts do not say, with loading it as a step where it is there
 * to be loaded and ours to load; -EINVAL where the kernel has none. `who` begins the text.
 */
int ta_fix_need_module(const char *who, const struct ta_facts *facts, const char *module, const char *what,
	struct ta_steps *ret, struct ta_err *err);

/* -EINVAL where a kernel without modules does not tell whether it has `what`, else 0. */
int ta_fix_module_told(const char *who, const struct ta_facts *facts, const char *module, const char *what,
	struct ta_err *err);

/* --- places ------------------------------------------------ */

/* True if the facts say that this host is a container ("docker", "lxc" … in place.container). */
bool ta_fix_in_container(const struct ta_facts *facts);

/* Appends where the next boot takes a sysctl from: "/etc/sysctl.d/90-x.conf:3", or nothing if that is not known. */
void ta_setting_place(const struct ta_facts *facts, const char *key, struct ta_buf *b);

/*
 * CPUs for the work of an interface, best first: of its NUMA node (all online ones where that is not known), no
 * isolated ones, one thread of each physical core before their siblings, fast cores before small ones.
 * The caller frees *ret. -EINVAL where the facts do not say which CPUs there are.
 */
int ta_fix_nic_cpus(const struct ta_facts *facts, const char *ifname, unsigned **ret, size_t *ret_n,
	struct ta_err *err);
