/*
 * Link modes: what speed the bits of a mode mask stand for.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Speed of a mode by its name, "10000baseT/Full": 10000. 0: none ("Autoneg", "TP", "FIBRE"). */
int64_t ta_linkmode_speed_of_name(const char *name);

/*
 * The highest speed in a mask of `n_words` 32-bit words, lowest bits first; 0 if no bit stands for
 * one. `names[i]` is the kernel's name of bit i where it told them (n_names of them), else modes up
 * to those of Linux 6.1 are known.
 */
int64_t ta_linkmode_max(const uint32_t *words, size_t n_words, char *const *names, size_t n_names);
