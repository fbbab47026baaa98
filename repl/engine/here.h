/* here.h - what this machine knows of users and processes, for notes about conditions that can
 * never hold. */
#ifndef RN_REPL_ENGINE_HERE_H
#define RN_REPL_ENGINE_HERE_H
#include "lang/resolve/names.h"

/* Names of processes, read at once for all conditions of a text. */
struct rn_here_names {
	struct rn_arena *arena;
	const char **comm;
	unsigned n, cap;
	int64_t read_ns; /* 0: not yet; after a second they are read again */
};

/* What this machine knows. names: zeros, with an arena; it must live as long. */
struct rn_here rn_here_of(struct rn_here_names *names);
#endif
