/* ast.h - the tree that the parser makes, and that name resolution and typing annotate in place.
 *
 * Plain data in the compilation's arena. Lists are singly linked in source order. `ty`, `field` and
 * `agg` are empty after parsing; lang/resolve/resolve.c fills them. lang/syntax/print.c prints the
 * canonical text. */
#ifndef RN_LANG_SYNTAX_AST_H
#define RN_LANG_SYNTAX_AST_H
#include "lang/base/arena.h"
#include "lang/catalog/flow_schema.h"
#include "lang/catalog/funcs.h"
#include "lang/base/diag.h"
#include "lang/values/tag.h"
#include "lang/values/value.h"

enum rn_ast_kind {
	RN_AST_LITERAL, /* value, ty */
	/* bareword: a field, an alias, a column, or a string (a LITERAL after resolution) */
	RN_AST_NAME,
	RN_AST_PARAM, /* $name */
	/* name(args): scalar function or aggregate; `count` and `rate` need no parentheses */
	RN_AST_CALL,
	RN_AST_UNARY,   /* op NOT, NEG */
	RN_AST_BINARY,  /* op */
	RN_AST_IN,      /* args[0] in (args[1..]) or in (query); negated by op NOT around it */
	RN_AST_BETWEEN, /* args[0] between args[1] and args[2] */
	RN_AST_ASKED,   /* (query): its one value */
};
enum rn_op {
	RN_OP_NONE,
	RN_OP_NOT,
	RN_OP_NEG,
	RN_OP_OR,
	RN_OP_AND,
	RN_OP_EQ,
	RN_OP_NE,
	RN_OP_LT,
	RN_OP_LE,
	RN_OP_GT,
	RN_OP_GE,
	RN_OP_GLOB,
	RN_OP_NGLOB,
	RN_OP_REGEX,
	RN_OP_ADD,
	RN_OP_SUB,
	RN_OP_MUL,
	RN_OP_DIV,
	RN_OP_MOD,
	/* of the bits of integers */
	RN_OP_BITOR,
	RN_OP_BITXOR,
	RN_OP_BITAND,
	RN_OP_SHL,
	RN_OP_SHR,
};

static inline bool rn_op_is_bits(enum rn_op op)
{
	return op >= RN_OP_BITOR && op <= RN_OP_SHR;
}

/* Returns the comparison that says the same once its sides are exchanged: a < b is b > a. */
static inline enum rn_op rn_op_mirrored(enum rn_op op)
{
	switch (op) {
	case RN_OP_LT: return RN_OP_GT;
	case RN_OP_LE: return RN_OP_GE;
	case RN_OP_GT: return RN_OP_LT;
	case RN_OP_GE: return RN_OP_LE;
	default: return op;
	}
}

/* ---- print.c ---- */

const char *rn_op_text(enum rn_op op); /* "and", "!=", "=~" */

/* the start of the window of a query with `every`: a column that is not in its items */
enum { RN_COLUMN_WINDOW = -2 };

struct rn_ast_expr {
	enum rn_ast_kind kind;
	enum rn_op op;
	struct rn_span span;
	const char *name; /* NAME, PARAM, CALL */
	bool quoted;      /* a LITERAL string in quotes: never a name */
	bool bare;        /* CALL without parentheses: count, rate */
	/* CALL of an aggregate of a part, sum(bytes where dir = out): the last of args is the
	 * condition */
	bool partial;
	struct rn_value value;    /* LITERAL */
	const char *text;         /* LITERAL number: as written ("10ms"), for the canonical form */
	struct rn_ast_expr *args; /* operands, linked by next */
	struct rn_ast_query *query; /* IN (query), ASKED */
	bool live;                  /* IN live (query): the set changes while the query runs */
	struct rn_span live_span;   /* of the word */
	struct rn_ast_expr *next;
	/* depth of the tree below, with this node: at most RN_MAX_DEPTH after parsing */
	uint16_t depth;
	/* filled by resolution */
	struct rn_ty ty;
	const struct rn_field *field; /* NAME that is a field of the source class */
	/* For a NAME that is a column of the nested query that is the source: its index in that
	 * query's items. In having, order and top: for any expression that is one of the query's
	 * own items, its index there (other names as elsewhere). Else -1; RN_COLUMN_WINDOW:
	 * `window`. */
	int column;
	const struct rn_agg_sig *agg; /* CALL of an aggregate */
	const struct rn_func *func;   /* CALL of a scalar function */
};

struct rn_ast_item { /* one output column: expr [as alias] */
	struct rn_ast_expr *expr;
	const char *alias; /* NULL: its canonical text names it */
	const char *label; /* alias or canonical text: the column's name; set by resolution */
	struct rn_span span;
	bool desc; /* in `order by` */
	struct rn_ast_item *next;
	/* a condition of an assertion: leave out a row for which it is unknown */
	bool asserted;
	bool extra; /* of a list that the user did not write: a table shows it only for `* of` */
};

enum rn_ast_what { RN_WHAT_LIST, RN_WHAT_EVENTS, RN_WHAT_FLOW, RN_WHAT_SPANS, RN_WHAT_TOP };

/* A name or a quoted string that is not an expression: nodes, keys, tags, arguments of a class. */
struct rn_ast_name {
	const char *text; /* ends in NUL; x"00ff" may hold more NULs: see len */
	uint32_t len;
	struct rn_span span;
	bool quoted;
	bool hex;    /* written x"00ff"; text holds the bytes */
	bool except; /* in `on`: stands after `except`, so it is left out */
	/* for a key of `between`: its name in the second event; NULL: the same name */
	const char *match;
	bool param; /* written $text: resolution replaces it with the parameter's value */
	struct rn_ast_name *next;
};

enum rn_ast_src { RN_SRC_CLASS, RN_SRC_QUERY, RN_SRC_BETWEEN };
struct rn_ast_source {
	enum rn_ast_src kind;
	struct rn_span span;
	const char *name; /* CLASS: event class, table or view */
	struct rn_span name_span;
	/* quoted arguments: tracepoint "x:y", line GLOB, sample 99hz; tags of `tag` */
	struct rn_ast_name *args;
	bool param;                    /* $name: resolution puts a source in its place */
	bool all;                      /* tag * */
	bool from_file;                /* tag from "f": args holds the name of a file of tags */
	struct rn_ast_expr *view_args; /* view(10ms, x) */
	struct rn_ast_source *next;    /* in a list of classes: the next; each has its own span */
	struct rn_ast_query *query;    /* QUERY */
	/* BETWEEN a AND b: CLASS, or QUERY for (events of a where c) */
	struct rn_ast_source *from, *to;
	struct rn_ast_name *keys; /* ON keys */
	/* filled by resolution */
	/* CLASS that is not a view (views become QUERY); BETWEEN: the class from rn_pair_class */
	const struct rn_class *cls;
	const struct rn_let *let; /* QUERY that is the shape of a let's result */
	const char *view;         /* the view's name when QUERY came from one */
	/* CLASS, in a list of classes: the query of the view of events that stands there; else
	 * NULL */
	struct rn_ast_query *events;
	/* CLASS, the first of a list with such views: which of the events are meant; else NULL */
	struct rn_ast_expr *only;
	/* for `tag`: its tags from all places, each once */
	const struct rn_tag *tags;
	unsigned ntags;
};

/* What `into` does with an existing recording. */
enum rn_into_how { RN_INTO_NEW /* an error */, RN_INTO_REPLACE, RN_INTO_APPEND };

/* ---- clauses.c ---- */

const char *rn_into_text(enum rn_into_how how); /* "replace", "append"; NEW: "" */

enum rn_clause {
	RN_C_WHERE,
	RN_C_BY,
	RN_C_HAVING,
	RN_C_ORDER,
	RN_C_TOP,
	RN_C_LIMIT,
	RN_C_EVERY,
	RN_C_FOR,
	RN_C_LAST,
	RN_C_SAMPLE,
	RN_C_SCAN,
	RN_C_SCAN_RATE,
	RN_C_ON,
	RN_C_FROM,
	RN_C_INTO,
	RN_C_WHAT_TOP,
	RN_C_THROUGH, /* the conditions of a flow, as enum rn_flow_condition */
	RN_C_STARTING,
	RN_C_ENDING,
	RN_C_OVER,
	RN_CLAUSES
};

struct rn_ast_query {
	struct rn_span span;
	enum rn_ast_what what;
	bool all;                  /* EVENTS: written as `* of` */
	bool alone;                /* the same, written as the name of a view alone */
	int64_t what_top;          /* top N of SOURCE */
	struct rn_ast_item *items; /* LIST; EVENTS: filled by resolution with all fields */
	struct rn_ast_source *source;
	struct rn_ast_expr *where, *having;
	/* of a flow: which flows are shown, which paths of them */
	struct rn_ast_expr *flow_if[RN_FLOW_IFS];
	struct rn_ast_item *by, *order;
	bool has_top;
	int64_t top;
	struct rn_ast_expr *top_by;
	struct rn_span top_span;
	bool has_limit;
	int64_t limit;
	int64_t every_ns, for_ns, last_ns; /* 0: absent */
	int64_t over_ns; /* every 1s over 10s: the length of each window; 0: absent */
	/* for a query that is kept running: as every_ns, but its rows do not show their window; 0:
	 * absent */
	int64_t rows_every_ns;
	double sample;               /* fraction in (0, 1]; 0: absent */
	int64_t scan_cap, scan_rate; /* bytes of a call, bytes a second; 0: absent */
	struct rn_ast_name *on;      /* nodes */
	const char *from;
	struct rn_span from_span; /* trace file */
	/* for a query after `in`: its `from` is that of the query around it, unless its sources
	 * name another */
	bool from_outside;
	const char *into;
	struct rn_span into_span;
	bool into_table;
	enum rn_into_how into_how;
	struct rn_span clause[RN_CLAUSES]; /* span of each clause by enum rn_clause, for messages */
	/* the literal of top, limit, every, for, last, sample, scan, from, into, `top N of`; or its
	 * $parameter, until resolution replaces it by rn_clause_set */
	struct rn_ast_expr *value[RN_CLAUSES];
	/* nesting of queries and expressions below, with this one */
	uint16_t depth;
	bool grouped; /* set by resolution: has `by` or an aggregate in items */
	/* for the shape of a let: its rows are groups without a window */
	bool timeless;
};

enum rn_ast_stmt_kind {
	RN_STMT_QUERY,
	RN_STMT_VIEW,
	RN_STMT_USE,
	RN_STMT_DROP,
	RN_STMT_EXPLAIN,
	RN_STMT_TAGS,
	RN_STMT_PARAM,
	RN_STMT_LET,
	RN_STMT_ASSERT
};
/* What a parameter of a view stands for: lang/resolve/param_kinds.h. */
enum rn_param_kind {
	RN_PARAM_ANY, /* it is not used, or only as the argument of another view or function */
	RN_PARAM_VALUE,
	RN_PARAM_FIELD,
	RN_PARAM_CONDITION,
	RN_PARAM_SOURCE
};
struct rn_ast_param {
	const char *name;
	struct rn_ast_expr *deflt; /* NULL: none */
	const char *type;          /* PARAM: the type's name; NULL: the type of the default */
	struct rn_span span, name_span, type_span;
	/* VIEW, once rn_param_kinds has looked: enum rn_param_kind, and a place that shows it; the
	 * first query whose events it is about, NULL if it stands for no part of an expression */
	uint8_t kind;
	struct rn_span kind_span;
	const struct rn_ast_query *user;
	struct rn_ast_param *next;
};
struct rn_ast_stmt {
	enum rn_ast_stmt_kind kind;
	struct rn_span span;
	/* view, module, (the first) dropped view, parameter, or let; TAGS: add, list, drop */
	const char *name;
	struct rn_span name_span;    /* LET, TAGS */
	struct rn_ast_name *names;   /* TAGS: its operands; DROP: the views */
	struct rn_ast_param *params; /* VIEW; PARAM: the declared one */
	/* VIEW, PARAM, LET: the `--|` comment lines above it; NULL if none */
	const char *doc;
	struct rn_ast_query *query;     /* QUERY, VIEW, EXPLAIN, LET, ASSERT */
	const char *message;            /* ASSERT: else "..."; NULL if none */
	const char *format, *format_to; /* QUERY: format NAME to "FILE"; NULL: absent */
	struct rn_span format_span, to_span;
	struct rn_ast_stmt *next;
};
struct rn_ast_file {
	struct rn_ast_stmt *stmts;
};

/* The result of a `let` as a source. Its shape is known at once; its rows come once the statement
 * has run. */
struct rn_let {
	const char *name;
	unsigned line; /* line in its text */
	/* NULL: the let is wrong, which has been reported. For resolution: items with label and
	 * type, and `agg` for items made by aggregates; every_ns */
	struct rn_ast_query *shape;
	/* for the planner: "(query)"; a field has the number of its column */
	const struct rn_class *cls;
	struct rn_let_result *rows; /* exec/coord/let_result.h; NULL: it has not run */
	/* index of the column with a row's window, and the window's length; 0: no such column */
	unsigned window;
	int64_t window_ns;
};
#endif
