/* Facts and hooks of cJSON, for those who must not see it. */
#ifndef QKV_LOAD_JSON_LIBRARY_H
#define QKV_LOAD_JSON_LIBRARY_H

/* the version of cJSON in use */
const char *qkv_json_version(void);

/* lets cJSON allocate through base/mem: for programs and tests, since it holds for all of the process */
void qkv_json_hook(void);

#endif
