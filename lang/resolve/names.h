/* names.h - all that resolution looks names up in. The layers above implement these interfaces. */
#ifndef RN_LANG_RESOLVE_NAMES_H
#define RN_LANG_RESOLVE_NAMES_H
#include "lang/resolve/params.h"

/* Views by name: the catalogue database and stdlib modules, behind one interface (repl/
 * implements it). */
struct rn_views {
	void *self;
	/* The text of `view NAME(...) := ...` and where it comes from ("view slow_reads",
	 * "stdlib/io.rnl"); NULL: none. Text and origin live as long as the object. */
	const char *(*find)(void *self, const char *name, const char **origin);
	const char *const *(*names)(void *self); /* NULL-terminated, sorted */
	/* text of a module for `use`; NULL: none */
	const char *(*module)(void *self, const char *name);
};

/* The catalogue's set of tags, for `tag *`. */
struct rn_tagset {
	void *self;
	/* how many; in their order */
	unsigned (*all)(void *self, struct rn_arena *a, const struct rn_tag **tags);
};

/* Results of `let`, by name. */
struct rn_lets {
	void *self;
	/* NULL: none; lives as long as the text that asks */
	const struct rn_let *(*find)(void *self, const char *name);
	const char *const *(*names)(void *self); /* NULL-terminated */
};
/* What this machine knows of names that conditions have, for notes of those that can never hold. */
struct rn_here {
	void *self;
	/* Is a user shown by this text? If not: *near is a user that was probably meant, or NULL.
	 * In the arena. */
	bool (*has_user)(void *self, struct rn_arena *a, const char *text, const char **near);
	/* The name of a process that differs from this one by capitals only, if no process has this
	 * very name; NULL. In the arena. */
	const char *(*proc_like)(void *self, struct rn_arena *a, const char *name);
};

struct rn_names { /* all that resolution looks names up in */
	const struct rn_catalog *catalog;
	const struct rn_views *views; /* may be NULL */
	/* results of lets: found before all else, but not in views; may be NULL */
	const struct rn_lets *lets;
	const struct rn_tagset *tagset; /* NULL: empty */
	/* "name=value" of the command line, or "name:=text", a string whatever it looks like;
	 * NULL-terminated; may be NULL */
	const char *const *params;
	/* by the text, with values: they go before params; may be NULL */
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
	/* A view is defined, not run. As a source it needs no values, and what depends on them is
	 * not checked; that the set of tags is empty, or a recording is not there, is a warning:
	 * both may be otherwise when it runs. */
	bool unbound;
};
#endif
