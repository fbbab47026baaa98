/* describe.h - what the parts of `runnel describe` share: the listing that they fill. */
#ifndef RN_REPL_CLI_DESCRIBE_H
#define RN_REPL_CLI_DESCRIBE_H
#include "repl/cli/commands.h"
#include "repl/cli/listing.h"
#include "repl/cli/session.h"

struct rn_describe {
	struct rn_session *s;
	struct rn_arena *a;
	struct rn_listing *l;
	struct rn_trace_catalogs *traces;
	bool refused; /* and said why */
};

/* One row; what does not apply is "". doc may be NULL. */
void rn_describe_put(struct rn_describe *d, const char *kind, const char *name, const char *type,
		     const char *where, const char *doc);
/* A class or table and its fields. */
void rn_describe_class(struct rn_describe *d, const struct rn_class *c);

/* describe_file.c: a query file, or a recording, told by what is in it. Returns an exit status;
 * what is wrong has been told. */
int rn_describe_file(struct rn_describe *d, const char *path);
#endif
