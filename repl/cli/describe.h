/* describe.h - what the files of `runnel describe` share: the listing that they fill. */
#ifndef RN_REPL_CLI_DESCRIBE_H
#define RN_REPL_CLI_DESCRIBE_H
#include "repl/cli/commands.h"
#include "repl/cli/listing.h"
#include "repl/cli/session.h"

struct rn_describe {
	struct rn_session *session;
	struct rn_arena *arena;
	struct rn_listing *listing;
	struct rn_trace_catalogs *traces;
	bool refused; /* the reason is on stderr */
	bool told;    /* so is why there is no such thing */
};

/* Puts one row; a cell that does not apply is "". doc may be NULL. */
void rn_describe_put(struct rn_describe *describe, const char *kind, const char *name,
		     const char *type, const char *where, const char *doc);
/* Puts a class or table and its fields. */
void rn_describe_class(struct rn_describe *describe, const struct rn_class *cls);

/* ---- functions.c ---- */

/* Is the text functions of a class: `user:libc:mem*`, `user "libc:malloc", "libc:free"`? Gives the
 * class, and its argument in the arena. */
bool rn_functions_named(const struct rn_catalog *catalog, struct rn_arena *arena, const char *text,
			const char **class_name, const char **arg);
/* Lists them, each as a query may name it; an exit status. */
int rn_list_functions(struct rn_session *session, struct rn_listing *listing,
		      const char *class_name, const char *arg);
/* Describes them: the fields of the class, the files, how many functions. False: it has
 * said why there are none. */
bool rn_describe_functions(struct rn_describe *describe, const char *class_name, const char *arg);

/* describe_file.c: describes a query file, or a recording, by its content. Returns an exit status;
 * it reports errors itself. */
int rn_describe_file(struct rn_describe *describe, const char *path);
#endif
