/* build.h - the functions that the grammar's actions call: they make nodes, join spans, and keep
 * the limits. Internal to lang/.
 *
 * A builder belongs to one statement. It reports each kind of limit once. After `stop` the driver
 * feeds no more tokens. */
#ifndef RN_LANG_SYNTAX_BUILD_H
#define RN_LANG_SYNTAX_BUILD_H
#include "lang/syntax/ast.h"
#include "lang/syntax/token.h"

struct rn_builder {
	struct rn_arena *arena;
	struct rn_diag *diag;
	struct rn_span fed;       /* the token being fed */
	struct rn_ast_stmt *stmt; /* the result; NULL until the statement was accepted */
	bool quiet;               /* a second reading: report nothing */
	bool failed;              /* the parser met a syntax error */
	bool stop;                /* a limit was exceeded: give the statement up */
	bool limit_reported;
};

/* Lists under construction: their nodes have `next`. */
struct rn_exprs {
	struct rn_ast_expr *first, *last;
	unsigned n;
};
struct rn_items {
	struct rn_ast_item *first, *last;
	unsigned n;
};
struct rn_namelist {
	struct rn_ast_name *first, *last;
	unsigned n;
};
struct rn_params {
	struct rn_ast_param *first, *last;
	unsigned n;
};
struct rn_sources { /* args: of the last one */
	struct rn_ast_source *first, *last;
	unsigned n;
	struct rn_namelist args;
};

struct rn_span rn_span_join(struct rn_span a, struct rn_span b);
struct rn_diag_item *rn_build_error(struct rn_builder *builder, const char *code,
				    struct rn_span span, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void rn_build_too_deep(struct rn_builder *builder, struct rn_span span);

struct rn_ast_expr *rn_build_literal(struct rn_builder *builder, struct rn_token token);
struct rn_ast_expr *rn_build_name(struct rn_builder *builder, struct rn_token token);
struct rn_ast_expr *rn_build_call(struct rn_builder *builder, struct rn_token name,
				  struct rn_exprs args, struct rn_token close);
/* Members of what a call gives the address of: `steps` is what follows it, ".a.b[2]". */
struct rn_ast_expr *rn_build_steps(struct rn_builder *builder, struct rn_ast_expr *call,
				   struct rn_token steps);
struct rn_ast_expr *rn_build_unary(struct rn_builder *builder, enum rn_op op, struct rn_token token,
				   struct rn_ast_expr *expr);
struct rn_ast_expr *rn_build_binary(struct rn_builder *builder, enum rn_op op,
				    struct rn_ast_expr *left, struct rn_ast_expr *right);
struct rn_ast_expr *rn_build_in(struct rn_builder *builder, struct rn_ast_expr *expr,
				struct rn_items list, struct rn_token close, bool negated);
struct rn_ast_expr *rn_build_in_query(struct rn_builder *builder, struct rn_ast_expr *expr,
				      struct rn_ast_query *query, struct rn_token close,
				      bool negated);
/* pid in live (query) */
struct rn_ast_expr *rn_build_in_live(struct rn_builder *builder, struct rn_ast_expr *expr,
				     struct rn_token live, struct rn_ast_query *query,
				     struct rn_token close, bool negated);
/* (query) as a value */
struct rn_ast_expr *rn_build_asked(struct rn_builder *builder, struct rn_token open,
				   struct rn_ast_query *query, struct rn_token close);
/* x is null, x is not null: a call that has no other form */
struct rn_ast_expr *rn_build_is_null(struct rn_builder *builder, struct rn_ast_expr *expr,
				     struct rn_token null, bool negated);
struct rn_ast_expr *rn_build_between(struct rn_builder *builder, struct rn_ast_expr *expr,
				     struct rn_ast_expr *lo, struct rn_ast_expr *hi, bool negated);
struct rn_ast_expr *rn_build_parens(struct rn_token open, struct rn_ast_expr *expr,
				    struct rn_token close);

struct rn_ast_item *rn_build_item(struct rn_builder *builder, struct rn_ast_expr *expr,
				  const struct rn_token *alias);
struct rn_ast_name *rn_build_word(struct rn_builder *builder, struct rn_token token);
struct rn_ast_param *rn_build_param(struct rn_builder *builder, struct rn_token name,
				    struct rn_ast_expr *deflt);
/* param NAME TYPE = VALUE; deflt: NULL if it has none. */
struct rn_ast_param *rn_build_declared(struct rn_builder *builder, struct rn_token name,
				       struct rn_token type, struct rn_ast_expr *deflt);
struct rn_exprs rn_exprs_add(struct rn_builder *builder, struct rn_exprs l,
			     struct rn_ast_expr *expr);
struct rn_items rn_items_add(struct rn_builder *builder, struct rn_items l,
			     struct rn_ast_item *item);
/* `on l except m`: marks the names of m and appends them to l. */
struct rn_ast_name *rn_names_except(struct rn_namelist l, struct rn_namelist m);
struct rn_namelist rn_names_add(struct rn_builder *builder, struct rn_namelist l,
				struct rn_ast_name *name);
struct rn_params rn_params_add(struct rn_builder *builder, struct rn_params l,
			       struct rn_ast_param *param);

struct rn_ast_source *rn_build_class(struct rn_builder *builder, struct rn_token name,
				     struct rn_namelist args);
struct rn_ast_source *rn_build_view(struct rn_builder *builder, struct rn_token name,
				    struct rn_exprs args, struct rn_token close);
/* A list of classes; a string belongs to the class before it. */
struct rn_sources rn_sources_add(struct rn_builder *builder, struct rn_sources l,
				 struct rn_ast_source *cls);
struct rn_sources rn_sources_add_string(struct rn_builder *builder, struct rn_sources l,
					struct rn_ast_name *string);
struct rn_ast_source *rn_build_nested(struct rn_builder *builder, struct rn_token open,
				      struct rn_ast_query *query, struct rn_token close);
struct rn_ast_source *rn_build_pair(struct rn_builder *builder, struct rn_token token,
				    struct rn_ast_source *from, struct rn_ast_source *to,
				    struct rn_namelist keys);

/* ---- clauses.c ---- */

struct rn_ast_query *rn_build_query(struct rn_builder *builder, enum rn_ast_what what,
				    struct rn_span start, struct rn_items items,
				    struct rn_ast_source *src);
/* `* of` the view or the result that stands alone. */
struct rn_ast_query *rn_build_alone(struct rn_builder *builder, struct rn_ast_source *src);
/* Claims a clause and records its place. Returns false, and reports, if the query already has
 * it. */
bool rn_build_clause(struct rn_builder *builder, struct rn_ast_query *query, enum rn_clause c,
		     struct rn_span span);
void rn_build_expr_clause(struct rn_builder *builder, struct rn_ast_query *query, enum rn_clause c,
			  struct rn_token token, struct rn_ast_expr *expr);
void rn_build_value_clause(struct rn_builder *builder, struct rn_ast_query *query, enum rn_clause c,
			   struct rn_token token, struct rn_ast_expr *expr);
/* `into "x.rnt"`, and what to do with an existing recording. */
struct rn_into_over {
	enum rn_into_how how;
	struct rn_span span;
};
void rn_build_into(struct rn_builder *builder, struct rn_ast_query *query, struct rn_token token,
		   struct rn_ast_expr *file, struct rn_into_over over);
/* `scan 4MiB` or `scan 500MiB/s`. */
void rn_build_scan(struct rn_builder *builder, struct rn_ast_query *query, struct rn_token token,
		   struct rn_ast_expr *expr);
void rn_build_top(struct rn_builder *builder, struct rn_ast_query *query, struct rn_token token,
		  struct rn_ast_expr *expr, struct rn_ast_expr *by);
void rn_build_items_clause(struct rn_builder *builder, struct rn_ast_query *query, enum rn_clause c,
			   struct rn_token token, struct rn_items items);

/* ---- build.c ---- */

struct rn_ast_stmt *rn_build_stmt(struct rn_builder *builder, enum rn_ast_stmt_kind kind,
				  struct rn_span start, struct rn_span end);

/* A query followed by `format NAME [to "FILE"]`; to: NULL if there is none. */
void rn_build_formatted(struct rn_builder *builder, struct rn_ast_query *query,
			struct rn_token format, const struct rn_token *to);

/* The parser that lemon makes of grammar.y, and questions to its tables. */
void *rn_grammar_Alloc(void *(*alloc)(size_t));
void rn_grammar_Free(void *parser, void (*release)(void *));
void rn_grammar_(void *parser, int kind, struct rn_token token, struct rn_builder *builder);
int rn_grammar_tokens(void); /* kinds are below this number */
/* True if a token of exactly this kind (no fallback to a name) can come next. */
bool rn_grammar_accepts(void *parser, int kind);
#endif
