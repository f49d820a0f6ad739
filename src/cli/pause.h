/*
 * Waiting, with a word to whoever sits before it.
 */
#pragma once

#include <stdbool.h>

void ta_pause_ms(unsigned ms); /* a signal that is caught ends it */

/*
 * Returns after `seconds`. With `tell`, if stderr is a terminal and it takes more than a second, a line there counts
 * down and is gone at the end. A signal ends the program as it always does.
 */
void ta_pause(unsigned seconds, bool tell);
