#include "load/service.h"

#include <string.h>

const struct ta_service *ta_service_find(const char *name)
{
	for (size_t i = 0; i < ta_n_services; i++)
		if (!strcmp(ta_services[i]->name, name))
			return ta_services[i];
	return NULL;
}
