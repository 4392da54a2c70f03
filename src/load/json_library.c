/* Facts and hooks of cJSON. */
#include "load/json_library.h"

#include "base/mem.h"

#include <cjson/cJSON.h>

const char *
qkv_json_version(void)
{
	return cJSON_Version();
}

void
qkv_json_hook(void)
{
	cJSON_Hooks hooks = {qkv_mem_hook, qkv_mem_free};

	cJSON_InitHooks(&hooks);
}
