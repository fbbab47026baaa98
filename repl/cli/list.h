/* list.h - what there is to ask for, by kind and name. */
#ifndef RN_REPL_CLI_LIST_H
#define RN_REPL_CLI_LIST_H
#include "repl/cli/session.h"

enum {
	RN_LIST_SOURCES = 1,
	RN_LIST_VIEWS = 2,
	RN_LIST_FUNCTIONS = 4,
	RN_LIST_LATER = 8,
	RN_LIST_RESULTS = 16,
	RN_LIST_ALL = 31
};
int rn_list_kinds(struct rn_session *s, const char *glob, unsigned kinds);
/* Of everything that `list` shows, the name that is nearest; NULL: none is near. a: for
 * what is made on the way. */
const char *rn_list_nearest(struct rn_session *s, struct rn_arena *a, const char *name);
#endif
