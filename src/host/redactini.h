/*
 * The part of host/redact.h that knows files with sections and keys: systemd's units and .link files. Everything is an
 * allow-list here too.
 */
#pragma once

struct ta_buf;

/* Of units and their drop-ins: headers of sections, limits and what else bears on resources. No commands, no environment. */
void ta_redact_unit(struct ta_buf *b);

/* Of irqbalance's own unit also what it is started with: it has no secrets, and its bans stand there. */
void ta_redact_irqbalance_unit(struct ta_buf *b);

/* Of .link files: what they are for, and what they set; no password of Wake-on-LAN, no names. */
void ta_redact_link_file(struct ta_buf *b);
