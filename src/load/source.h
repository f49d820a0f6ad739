/*
 * Sockets that connect: which address they come from, and how they end. Towards one address and port a source address has as
 * many connections as there are local ports; on loopback all of 127/8 are sources.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/*
 * A socket that does not block and has begun to connect. `source`: 0 for the one that the kernel takes, else the n-th of
 * 127/8 that a run may use (IPv4 loopback only). `reset`: it will end by RST and leave no TIME_WAIT. A descriptor, or
 * -errno: what connect() said at once, too.
 */
int ta_source_connect(const struct sockaddr *to, socklen_t len, unsigned source, bool reset);

/* How that went, asked once: 0 it stands, -EINPROGRESS, or -errno. */
int ta_source_connected(int fd, const struct sockaddr *to, socklen_t len);

/* True for an address of 127/8, which such sources reach. */
bool ta_source_is_many(const struct sockaddr *to);
