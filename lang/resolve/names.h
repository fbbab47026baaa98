/* names.h - the sources of names for resolution. The layers above implement these interfaces. */
#ifndef RN_LANG_RESOLVE_NAMES_H
#define RN_LANG_RESOLVE_NAMES_H
#include "lang/resolve/params.h"

/* Views by name: the catalogue database and stdlib modules, behind one interface (repl/
 * implements it). */
struct rn_views {
	void *self;
	/* Returns the text of `view NAME(...) := ...` and its origin ("view slow_reads",
	 * "stdlib/io.rnl"); NULL: none. Text and origin live as long as the object. */
	const char *(*find)(void *self, const char *name, const char **origin);
	const char *const *(*names)(void *self); /* NULL-terminated, sorted */
	/* text of a module for `use`; NULL: none */
	const char *(*module)(void *self, const char *name);
};

/* The catalogue's set of tags, for `tag *`. */
struct rn_tagset {
	void *self;
	/* returns how many; in their order */
	unsigned (*all)(void *self, struct rn_arena *arena, const struct rn_tag **tags);
};

/* Results of `let`, by name. */
struct rn_lets {
	void *self;
	/* NULL: none; lives as long as the text that uses it */
	const struct rn_let *(*find)(void *self, const char *name);
	const char *const *(*names)(void *self); /* NULL-terminated */
};
/* What this machine knows of names in conditions, for notes on conditions that can never hold. */
struct rn_here {
	void *self;
	/* Is there a user with this text as its name? If not: *near is a user that was probably
	 * meant, or NULL. In the arena. */
	bool (*has_user)(void *self, struct rn_arena *arena, const char *text, const char **near);
	/* If no process has this very name: returns a process name that differs only in capitals.
	 * Else NULL. In the arena. */
	const char *(*proc_like)(void *self, struct rn_arena *arena, const char *name);
};

struct rn_names { /* everything that resolution looks names up in */
	const struct rn_catalog *catalog;
	const struct rn_views *views; /* may be NULL */
	/* results of lets: searched before all else, but not in views; may be NULL */
	const struct rn_lets *lets;
	const struct rn_tagset *tagset; /* NULL: empty */
	/* "name=value" of the command line, or "name:=text", which is always a string;
	 * NULL-terminated; may be NULL */
	const char *const *params;
	/* declared by the text, with values: searched before params; may be NULL */
	const struct rn_param *declared;
	const struct rn_catalog *(*trace)(void *self, const char *path,
					  const struct rn_catalog *base, char *why,
					  /* the catalogue of a trace file, for `from` */
					  size_t why_bytes);
	void *trace_self;
	const struct rn_catalog *snapshot; /* unused by resolution of live queries; may be NULL */
	/* formats of answers, for completion; NULL-terminated; may be NULL */
	const char *const *formats;
	const struct rn_here *here; /* NULL: other machines are asked, or none */
	/* what limits live queries to some processes, as the user calls it: "-c"; NULL: nothing
	 * does */
	const char *scope;
	/* queries for tags search all payload, also pages that are known to hold none */
	bool no_clean_cache;
	/* so many functions may be named by a source; 0: the default */
	uint32_t max_functions;
	/* True if a view is defined, not run. A view as a source then needs no values, and nothing
	 * that depends on them is checked. An empty set of tags, or a missing recording, is only a
	 * warning: that may change before the view runs. */
	bool unbound;
};
#endif
