/* here.h - what this machine knows of users and processes, for notes about conditions that can
 * never hold. */
#ifndef RN_REPL_ENGINE_HERE_H
#define RN_REPL_ENGINE_HERE_H
#include "lang/resolve/names.h"

extern const struct rn_here rn_here;
#endif
