/* parse.h - text to AST, AST to canonical text, and name resolution with types. */
#ifndef RN_LANG_PARSE_H
#define RN_LANG_PARSE_H
#include "lang/syntax/ast.h"

/* Limits; exceeding one is a diagnosed error, each has a test. */
enum {
	RN_MAX_TEXT = 1 << 20,
	RN_MAX_DEPTH = 100,
	RN_MAX_STMTS = 10000,
	RN_MAX_LIST = 1000,
	RN_MAX_STRING = 4096,
	RN_MAX_VIEW_DEPTH = 16,
	RN_ARENA_CAP = 64 << 20
};

/* Parses statements separated by `;`. Always returns a file; look at rn_diag_errors. src: from
 * rn_diag_source. */
struct rn_ast_file *rn_parse(struct rn_arena *a, struct rn_diag *d, uint16_t src);
/* The same for --dump=tokens: one line a token, "1:1 NAME count". */
const char *rn_dump_tokens(struct rn_arena *a, struct rn_diag *d, uint16_t src);
/* True if text is one or more whole statements (ends outside strings and comments with `;`): for
 * interactive input. */
bool rn_parse_complete(const char *text, size_t len);

/* Gives a clause (top, limit, every, for, last, sample, from, into, RN_C_WHAT_TOP) its value from a
 * literal: the parser does it, and resolution once it knows what q->value[c], a $parameter, stands
 * for. False: diagnosed. */
bool rn_clause_set(struct rn_diag *d, struct rn_ast_query *q, enum rn_clause c,
		   struct rn_ast_expr *literal);
const char *rn_clause_text(enum rn_clause c); /* "order by" */

/* Canonical text: parses back to the same tree, and prints back to itself. */
const char *rn_print_expr(struct rn_arena *a, const struct rn_ast_expr *e);
const char *rn_print_query(struct rn_arena *a, const struct rn_ast_query *q);
const char *rn_print_stmt(struct rn_arena *a, const struct rn_ast_stmt *s);
/* An indented tree of the AST (typed: with types after resolution), for --dump=ast and
 * --dump=types. */
const char *rn_dump_ast(struct rn_arena *a, const struct rn_ast_query *q, bool typed);

/* Scalar functions: one table in lang/catalog/funcs.c. */
struct rn_func {
	const char *name;
	uint8_t min_args, max_args;
	uint8_t arg[3];      /* enum rn_arg_kind of each argument */
	struct rn_ty result; /* RN_T_ERROR: the type of the first argument */
	bool kernel;         /* has an emitter in probes/ */
	const char *doc;
};
extern const struct rn_func rn_funcs[]; /* ends with name NULL */
const struct rn_func *rn_func_find(const char *name);
/* May its argument number i be of this type? */
bool rn_func_takes(const struct rn_func *f, unsigned i, struct rn_ty have);

/* Views by name: the catalogue database and stdlib modules, behind one interface (exec/ and repl/
 * implement it). */
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

/* A parameter that a text declares. Its value is a literal of its type, without a place of its
 * own. */
struct rn_param {
	const struct rn_ast_stmt *stmt; /* PARAM: name, doc, place */
	const char *name;
	struct rn_ty ty;
	struct rn_ast_expr *deflt; /* NULL: a value must be given */
	/* set by rn_params_bind; NULL: none, and that has been reported */
	struct rn_ast_expr *value;
	struct rn_param *next;
};
/* The parameters of a text in their order; what is wrong with their types and defaults is
 * reported. */
struct rn_param *rn_params_declared(struct rn_arena *a, struct rn_diag *d,
				    const struct rn_ast_file *f);
/* Gives them their values: the last NAME=VALUE or NAME:=TEXT of given (NULL-terminated, or NULL),
 * or the default. */
void rn_params_bind(struct rn_arena *a, struct rn_diag *d, struct rn_param *all,
		    const char *const *given);
/* NULL: not declared */
const struct rn_param *rn_params_find(const struct rn_param *all, const char *name, size_t len);
/* How a value is given to a text of this name ("query", "stdin", "file.rnl"): the hint of
 * messages. */
const char *rn_params_way(struct rn_arena *a, const char *text_name, const char *param);

/* The result of a `let` as a source: what is known of it at once; its rows come when the statement
 * has run. */
struct rn_let {
	const char *name;
	unsigned line; /* of its text */
	/* NULL: it is wrong, which has been reported. For resolution: items with label and type,
	 * those made of aggregates with `agg`; every_ns */
	struct rn_ast_query *shape;
	/* for the planner: "(query)"; the number of a field is that of its column */
	const struct rn_class *cls;
	struct rn_kept *rows; /* exec/coord/let_result.h; NULL: it has not run */
	/* the column that says the window of a row, and how long that is; 0: none does */
	unsigned window;
	int64_t window_ns;
};
struct rn_lets {
	void *self;
	/* NULL: none; lives as long as the text that asks */
	const struct rn_let *(*find)(void *self, const char *name);
	const char *const *(*names)(void *self); /* NULL-terminated */
};
/* The shape of a resolved query's answer, in an arena of its own. */
struct rn_ast_query *rn_let_shape(struct rn_arena *a, const struct rn_ast_query *q);
/* An aggregate in e; NULL: there is none. */
const struct rn_agg_sig *rn_ast_agg(const struct rn_ast_expr *e);
/* The column of that label; NULL: there is none. */
const struct rn_ast_item *rn_ast_column(const struct rn_ast_query *q, const char *label);
/* It (NULL: not) says which window a row of q is of: `window` of a nested query that has windows,
 * as it is. */
bool rn_ast_is_window(const struct rn_ast_query *q, const struct rn_ast_item *it);

/* After rn_resolve, of the query of an `assert`: its items must be conditions, and what they
 * compare becomes further columns, so that a failure can be told with its values. *conditions: how
 * many there are; they are the columns from the one with number *first on (`window` not counted).
 * True if there were no errors. */
bool rn_assert_columns(struct rn_arena *a, struct rn_diag *d, struct rn_ast_query *q,
		       unsigned *first, unsigned *conditions);

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
	const struct rn_here *here;        /* NULL: other machines are asked, or none */
	/* what limits live queries to some processes, as the user calls it: "-c"; NULL: nothing
	 * does */
	const char *scope;
	/* A view is defined, not run. As a source it needs no values, and what depends on them is
	 * not checked; that the set of tags is empty, or a recording is not there, is a warning:
	 * both may be otherwise when it runs. */
	bool unbound;
};

/* Resolves names, expands views (source becomes RN_SRC_QUERY), substitutes $params, decides
 * bareword-or-string, types every expression and checks units, fills items of `events of`, labels
 * of columns, defaults, `grouped`. Errors go to d; true if there were none. Afterwards no NAME is
 * unresolved, no PARAM is left, and no expression has type ERROR. */
bool rn_resolve(struct rn_arena *a, struct rn_diag *d, struct rn_ast_query *q,
		const struct rn_names *names);

/* Every class or view that q names as a source, in nested queries and pairs too; before
 * resolution. */
void rn_query_sources(const struct rn_ast_query *q,
		      void (*visit)(void *self, const struct rn_ast_source *src), void *self);
/* True if a $parameter stands in q where no expression can: in a tag, in the argument of a class,
 * in `on`. */
bool rn_query_has_word_params(const struct rn_ast_query *q);

/* Gives the operands of a `tags` statement the values of their $parameters; true if there were no
 * errors. */
bool rn_resolve_words(struct rn_arena *a, struct rn_diag *d, struct rn_ast_name *words,
		      const struct rn_names *names);
/* True if the tag can be searched; what is wrong is reported. */
bool rn_tag_check(struct rn_diag *d, struct rn_span span, struct rn_tag t);

/* The nearest of names (NULL-terminated) within a third of the length of s by Damerau-Levenshtein;
 * NULL if none. */
const char *rn_nearest(const char *s, const char *const *names);
#endif
