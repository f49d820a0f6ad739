/*
 * http: answers GET and HEAD with a few bytes. serve.h is how.
 */
#include <errno.h>
#include <stdlib.h>

#include "load/serve.h"
#include "load/service.h"

static int start(const struct ta_server_options *o, struct ta_served *ret, struct ta_err *err)
{
	struct ta_serve *s = malloc(sizeof(*s));
	int rc = s ? ta_serve_start(o, s, err) : ta_err_set(err, -ENOMEM, "out of memory");

	if (rc < 0) {
		free(s);
		return rc;
	}
	*ret = (struct ta_served){.addr = s->addr, .addr_len = s->addr_len, .state = s};
	return 0;
}

static void stop(struct ta_served *served)
{
	ta_serve_stop(served->state);
	free(served->state);
}

const struct ta_service ta_service_http = {
	.name = "http",
	.start = start,
	.stop = stop,
};
