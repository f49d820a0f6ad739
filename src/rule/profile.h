/*
 * Profiles: rules with weights and parameters, those of its parents included. Comes with rule/rule.h.
 */
#pragma once

struct ta_profile;

const struct ta_profile *ta_rules_profile(const struct ta_rules *rs, const char *name); /* NULL: none */
void ta_rules_profile_names(const struct ta_rules *rs, struct ta_strv *ret);
const char *ta_profile_name(const struct ta_profile *p);
const char *ta_profile_title(const struct ta_profile *p);
/* That shows best what its host is for, by its name: "http", also where the profile does not say. */
const char *ta_profile_workload(const struct ta_profile *p);
bool ta_profile_has(const struct ta_profile *p, const struct ta_rule *r);
unsigned ta_profile_weight(const struct ta_profile *p, const struct ta_rule *r);
enum ta_severity ta_profile_severity(const struct ta_profile *p, const struct ta_rule *r);

/*
 * Reads and checks the sleeping rules that `profile` has, or all (NULL), after resolve. Others may be looked up, matched and
 * counted, not judged. 0, -EBADMSG, -ENOMEM.
 */
int ta_rules_wake(struct ta_rules *rs, const struct ta_profile *profile, struct ta_diags *diags);
