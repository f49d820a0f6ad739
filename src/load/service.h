/*
 * What the built-in server can answer. One file each in src/load/services/:
 *     const struct ta_service ta_service_NAME;
 * A service runs in the server's own process, in threads of its own.
 */
#pragma once

#include "load/server.h"

/* A service that runs. */
struct ta_served {
	struct sockaddr_storage addr; /* where it listens */
	socklen_t addr_len;
	void *state; /* the service's own */
};

struct ta_service {
	const char *name; /* of the workload that it answers: "http" */
	/* Listens; its threads run. 0 or -errno with the text. */
	int (*start)(const struct ta_server_options *o, struct ta_served *ret, struct ta_err *err);
	/* Its threads have ended and nothing is open when it returns. */
	void (*stop)(struct ta_served *s);
	/* CPU time of all its processes so far, ns; NULL: it is one. */
	void (*times)(struct ta_served *s, uint64_t *ret_user, uint64_t *ret_system);
};

extern const struct ta_service *const ta_services[]; /* generated */
extern const size_t ta_n_services;

const struct ta_service *ta_service_find(const char *name); /* NULL: none */
