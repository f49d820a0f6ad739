/*
 * Who may reach a socket of the built-in server, when it serves a peer: its address alone.
 */
#pragma once

#include <sys/socket.h>

/*
 * From now on the kernel drops what reaches `fd` from any other address than that of `only`, before it becomes a connection
 * (SO_ATTACH_FILTER, socket(7); connections inherit it). ss_family 0: nothing is done. 0 or -errno.
 */
int ta_admit_only(int fd, const struct sockaddr_storage *only);
