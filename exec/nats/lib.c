/* lib.c - see lib_impl.h. */
#include "exec/nats/lib_impl.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

struct rn_nats_lib rn_nats_lib;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool loaded;

static void load(void)
{
	static const char *const names[] = {
#define NAME(name) #name,
		NATS_CALLS(NAME)};
	void *nats = dlopen("libnats.so.3.4", RTLD_NOW | RTLD_LOCAL),
	     *crypto = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
	void **call = (void **)&rn_nats_lib; /* the struct has only pointers */

	loaded = nats && crypto;
	for (unsigned i = 0; loaded && i < sizeof(names) / sizeof(*names); i++) {
		call[i] = dlsym(strncmp(names[i], "nats", 4) ? crypto : nats, names[i]);
		loaded = call[i] != NULL;
	}
}

int rn_nats_lib_load(struct rn_err *err)
{
	pthread_once(&once, load);
	if (loaded)
		return 0;
	rn_err_set(err, -ENOENT,
		   "libnats and libcrypto, by which clusters of NATS servers are reached, are not "
		   "here");
	rn_err_hint(err, "install the packages libnats3.4 and libssl3");
	return -ENOENT;
}
