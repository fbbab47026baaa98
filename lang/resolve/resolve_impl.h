/* resolve_impl.h - shared by the files of name resolution; no other file includes it.
 *
 * One struct rn_resolver per rn_resolve, one struct rn_resolve_scope per query (views and nested
 * queries have their own). Each query goes through the same steps. Params are substituted, labels
 * are taken from the text as written, and the source is resolved (inner queries first). Then come
 * where, by, items, having, order, top. An expression with a reported error has type RN_T_ERROR,
 * and no expression that contains it reports anything. */
#ifndef RN_LANG_RESOLVE_RESOLVE_IMPL_H
#define RN_LANG_RESOLVE_RESOLVE_IMPL_H
#include <string.h>
#include "lang/resolve/names.h"
#include "lang/resolve/resolve.h"
#include "lang/base/limits.h"

struct rn_binding {
	const char *name;
	struct rn_ast_expr *value;
	bool placed; /* value is a query, which stands for a source already */
	struct rn_binding *next;
};

struct rn_resolver {
	struct rn_arena *arena;
	struct rn_diag *diag;
	const struct rn_names *names;
	const char *view_stack[RN_MAX_VIEW_DEPTH]; /* views being expanded, outermost first */
	unsigned nviews;
	/* where the names of the view that is being expanded are searched first; NULL: nowhere */
	const char *const *modules;
	/* path of the last `from`, and its catalogue: NULL if it cannot be read */
	const char *trace_path;
	const struct rn_catalog *trace;
	/* the file is missing, which is no error here (rn_names.unbound) */
	bool trace_gone;
	/* the last resolved query reads such a recording: its columns are not known */
	bool gone;
	/* the query that is being resolved, or one around it, has `every` */
	bool windowed;
	struct rn_span view_span; /* place of the outermost view */
	bool scope_told;          /* one W-SCOPE is enough */
	/* number of views so far: with `in (query)` they could grow exponentially */
	unsigned expansions;
};

/* The place of an expression decides the meaning of its names, and whether it can hold
 * aggregates. */
enum rn_name_context {
	IN_WHERE,
	IN_KEY,
	IN_ITEM,
	IN_AGG_ARG,
	IN_OUTPUT /* having, order, top */,
	IN_CONSTANT
};

struct rn_resolve_scope {
	struct rn_resolver *resolver;
	struct rn_ast_query *query;
	const struct rn_catalog *catalog; /* live, or the trace's */
	const struct rn_class *cls;       /* the source is a class: its fields; NULL otherwise */
	struct rn_ast_query *inner;       /* the source is a query: its columns; NULL otherwise */
	bool lost;                        /* the source is unknown: names cannot be checked */
	bool gone;                        /* because its recording is not there */
	bool windowed;                    /* it, or a query around it, has `every` */
	bool later_reported;              /* E-LATER was reported for this source */
	/* `count` in the list means the inner query's column of that name */
	bool bare_count_is_column;
	enum rn_name_context place;
	/* the expression is part of another one; so are those below it */
	bool within, deep;
	/* how many items of the list stand before the expression: it may use their aliases */
	unsigned before;
	/* canonical text of each item after resolution, once items are resolved */
	const char **item_text;
	unsigned nitems;
	const char **key_text; /* the same for each key */
	unsigned nkeys;
};

/* resolve.c */
void rn_resolve_query(struct rn_resolver *resolver, struct rn_ast_query *query,
		      const struct rn_catalog *catalog);
/* Adds a warning of which one is enough, however many views it is about; NULL: it is there
 * already. */
struct rn_diag_item *rn_resolve_warn_once(struct rn_resolve_scope *scope, const char *code,
					  struct rn_span span, const char *text);

/* source.c: sets cls, inner or lost. */
void rn_resolve_source(struct rn_resolve_scope *scope);
void rn_resolve_class(struct rn_resolve_scope *scope, struct rn_ast_source *src);
/* report that nothing is called so; that the class has no such argument, with the catalogue's
 * reason */
void rn_resolve_report_class(struct rn_resolve_scope *scope, const struct rn_ast_source *src);
void rn_resolve_report_argument(struct rn_resolve_scope *scope, const struct rn_ast_source *src,
				const struct rn_ast_name *arg, const char *why);
/* finds "sched:sched_switch" for "sched_switch"; NULL: there is none */
const char *rn_resolve_tracepoint_called(struct rn_resolve_scope *scope, const char *name);

/* The text in which a view is defined, and where that is; NULL: there is no such view. */
const char *rn_resolve_view_text(struct rn_resolve_scope *scope, const char *name,
				 const char **origin);
/* Expands and resolves the view src->name of that text, with the values that src gives it. NULL,
 * reported, and the scope is lost: it cannot be expanded. */
struct rn_ast_query *rn_resolve_view(struct rn_resolve_scope *scope,
				     const struct rn_ast_source *src, const char *text,
				     const char *origin);

/* class_list.c: src, the first of several classes, or of a class with several arguments */
void rn_resolve_class_list(struct rn_resolve_scope *scope, struct rn_ast_source *src);
/* Why a field that some classes of the list have is none of the list: for a hint; NULL: it is no
 * such field. */
const char *rn_resolve_lacked(struct rn_resolve_scope *scope, const char *field);

/* alone.c: reports a name alone that is no view and no result. */
void rn_resolve_report_alone(struct rn_resolve_scope *scope, const struct rn_ast_source *src);

/* ---- scope_warning.c ---- */

void rn_resolve_warn_scope(struct rn_resolve_scope *scope,
			   const struct rn_ast_source *src); /* scope_warning.c */
/* pair.c: the same for `between`. */
void rn_resolve_between(struct rn_resolve_scope *scope, struct rn_ast_source *src);
/* tags.c: fills src->tags. cls: the class `tag` here; for a recording it knows which tags were
 * searched. */
void rn_resolve_tags(struct rn_resolve_scope *scope, struct rn_ast_source *src,
		     const struct rn_class *cls);

/* substitute.c */
void rn_resolve_substitute_params(struct rn_resolver *resolver, struct rn_ast_query *query,
				  struct rn_binding *binding);
void rn_resolve_substitute_words(struct rn_resolver *resolver, struct rn_ast_name *words,
				 struct rn_binding *binding);
struct rn_ast_expr *rn_resolve_copy_expr(struct rn_arena *arena, const struct rn_ast_expr *expr);
struct rn_binding *rn_resolve_bind_param(struct rn_resolver *resolver);

/* expr.c: names, operators, calls. */
void rn_resolve_expr(struct rn_resolve_scope *scope, struct rn_ast_expr *expr,
		     enum rn_name_context place);
void rn_resolve_condition(struct rn_resolve_scope *scope, struct rn_ast_expr *expr,
			  enum rn_name_context place, const char *clause);
/* Reports a constant that is no regular expression, or one beyond the limits. */
bool rn_resolve_check_regex(struct rn_resolve_scope *scope, const struct rn_ast_expr *pattern);
void rn_resolve_compare(struct rn_resolve_scope *scope, struct rn_ast_expr *expr,
			struct rn_ast_expr *left, struct rn_ast_expr *right);

/* barewords.c: a name alone. */
bool rn_resolve_knows_name(struct rn_resolve_scope *scope, const struct rn_ast_expr *expr);
void rn_resolve_name(struct rn_resolve_scope *scope, struct rn_ast_expr *expr);
/* for a call whose text is the label of a column */
bool rn_resolve_as_column(struct rn_resolve_scope *scope, struct rn_ast_expr *expr);
bool rn_resolve_is_label(const struct rn_resolve_scope *scope, const char *name);
bool rn_resolve_is_inner_column(const struct rn_resolve_scope *scope,
				const struct rn_ast_expr *expr);
/* nginx-worker, if `nginx` or `worker` names nothing */
bool rn_resolve_is_dashed(struct rn_resolve_scope *scope, const struct rn_ast_expr *expr);
bool rn_resolve_report_dashed(struct rn_resolve_scope *scope, struct rn_ast_expr *expr,
			      const struct rn_ast_expr *other, enum rn_op op);
void rn_resolve_note_call(struct rn_resolve_scope *scope, const struct rn_ast_expr *expr,
			  const struct rn_ast_expr *other);
void rn_resolve_adopt_bareword(struct rn_resolve_scope *scope, struct rn_ast_expr *expr,
			       const struct rn_ast_expr *other);
void rn_resolve_note_bareword(struct rn_resolve_scope *scope, const struct rn_ast_expr *expr,
			      const struct rn_ast_expr *other);
const char *rn_resolve_source_text(
	const struct rn_resolve_scope *scope); /* "`read`", "the nested query": for messages */

/* never.c. The field that expr, an expression of query, shows, perhaps through nested queries,
 * views and lets; NULL: none. *cls: the field's class; NULL: not known. */
const struct rn_field *rn_resolve_find_field(const struct rn_ast_query *query,
					     const struct rn_ast_expr *expr,
					     const struct rn_class **cls);
/* Adds a note if `left op right`, of which one side is a constant, can never be true or is always
 * true. NONE: right is in a list after `in`. */
void rn_resolve_note_never(struct rn_resolve_scope *scope, enum rn_op op,
			   const struct rn_ast_expr *left, const struct rn_ast_expr *right);

/* calls.c: aggregates and scalar functions. */
void rn_resolve_call(struct rn_resolve_scope *scope, struct rn_ast_expr *expr);
const struct rn_agg_sig *rn_resolve_find_agg(const struct rn_resolve_scope *scope,
					     const char *name);
bool rn_resolve_has_agg(const struct rn_resolve_scope *scope, const struct rn_ast_expr *expr);

/* ---- functions.c ---- */

unsigned rn_resolve_count_args(const struct rn_ast_expr *expr);
/* Reports a call with too few or too many arguments, with the doc of what is called as the hint. */
void rn_resolve_report_arity(struct rn_resolve_scope *scope, const struct rn_ast_expr *expr,
			     unsigned min, unsigned max, const char *doc);
void rn_resolve_function(struct rn_resolve_scope *scope, struct rn_ast_expr *expr,
			 const struct rn_func *func);
/* Reports a call of what is neither a function nor an aggregate. */
void rn_resolve_report_function(struct rn_resolve_scope *scope, struct rn_ast_expr *expr);

/* group_functions.c: share and delta */
void rn_resolve_group_function(struct rn_resolve_scope *scope, struct rn_ast_expr *expr,
			       const struct rn_func *func);

/* ---- named_words.c ---- */

/* The set of names that a field in expr has, alone or across operators of bits; RN_U_NONE: none. */
enum rn_unit rn_resolve_named_unit(const struct rn_resolve_scope *scope,
				   const struct rn_ast_expr *expr);
/* Makes the words of expr that are names of the set their numbers. */
void rn_resolve_adopt_named(struct rn_resolve_scope *scope, struct rn_ast_expr *expr,
			    enum rn_unit unit);
/* Makes a word, or a string, beside a field whose names each kernel numbers for itself such a name:
 * in its short form (rn_numbering_short). */
void rn_resolve_adopt_numbered(struct rn_resolve_scope *scope, struct rn_ast_expr *expr,
			       const struct rn_ast_expr *beside);
/* gfp_flags & (__GFP_IO | __GFP_FS): makes the words the text of their bits, and puts the field on
 * the left side. No other operator of bits is for texts. False: no side is a field of flags that
 * each kernel numbers for itself. */
bool rn_resolve_mask(struct rn_resolve_scope *scope, struct rn_ast_expr *expr);
/* Both for either side of an operator, if one of them has such a field. right: or NULL. */
void rn_resolve_named_words(struct rn_resolve_scope *scope, struct rn_ast_expr *left,
			    struct rn_ast_expr *right);

/* Makes constants that are joined by operators of bits one constant: O_CREAT | O_EXCL. */
void rn_resolve_fold_bits(struct rn_resolve_scope *scope, struct rn_ast_expr *expr);

/* units.c: the algebra of types and units. */
void rn_resolve_coerce_literal(struct rn_resolve_scope *scope, struct rn_ast_expr *lit,
			       const struct rn_ast_expr *other);
bool rn_resolve_check_comparable(struct rn_resolve_scope *scope, const struct rn_ast_expr *expr,
				 const struct rn_ast_expr *left, const struct rn_ast_expr *right);
void rn_resolve_type_arithmetic(struct rn_resolve_scope *scope, struct rn_ast_expr *expr);
void rn_resolve_type_bits(struct rn_resolve_scope *scope, struct rn_ast_expr *expr);
/* true, and reported: expr is a hash or a pointer, but an order or a sum needs another type */
/* Hints how to get a whole number instead of a float. */
void rn_resolve_hint_whole(struct rn_resolve_scope *scope, struct rn_diag_item *it,
			   const struct rn_ast_expr *expr);
bool rn_resolve_refuse_hex(struct rn_resolve_scope *scope, const struct rn_ast_expr *expr);
bool rn_resolve_units_agree(const struct rn_ast_expr *left, const struct rn_ast_expr *right);
void rn_resolve_report_units(struct rn_resolve_scope *scope, const struct rn_ast_expr *left,
			     const struct rn_ast_expr *right);

/* columns.c: the list, keys, labels, and references to them. */
void rn_resolve_label_columns(struct rn_resolve_scope *scope);
void rn_resolve_columns(struct rn_resolve_scope *scope);

/* Small helpers for all. */
/* code, span, format...: returns the item */
#define scope_error(s, ...) rn_diag_add((s)->resolver->diag, RN_ERROR, __VA_ARGS__)
#define scope_hint(s, ...) rn_diag_hint((s)->resolver->diag, __VA_ARGS__) /* item, format... */
static inline bool is_error(const struct rn_ast_expr *expr)
{
	return expr->ty.type == RN_T_ERROR;
}
static inline bool is_number(struct rn_ty t)
{
	return t.type == RN_T_INT || t.type == RN_T_FLOAT;
}
static inline bool is_text(struct rn_ty t)
{
	return t.type == RN_T_STR || t.type == RN_T_TAGS || t.type == RN_T_BYTES;
}
static inline bool is_string_literal(const struct rn_ast_expr *expr)
{
	return expr->kind == RN_AST_LITERAL && expr->value.kind == RN_STR &&
	       expr->ty.type == RN_T_STR;
}
static inline struct rn_ty ty(enum rn_type type, enum rn_unit unit)
{
	return (struct rn_ty){.type = (uint8_t)type, .unit = (uint8_t)unit};
}
static inline struct rn_ty ty_error(void)
{
	return ty(RN_T_ERROR, RN_U_NONE);
}
static inline void make_literal(struct rn_ast_expr *expr, struct rn_value value, struct rn_ty t,
				const char *text)
{
	expr->kind = RN_AST_LITERAL;
	expr->value = value;
	expr->ty = t;
	expr->text = text;
	expr->args = NULL;
	expr->column = -1;
}

/* ---- units.c ---- */

const char *rn_resolve_type_phrase(struct rn_ty t); /* "a duration", "a string": units.c */
/* a literal, or minus one; units.c */
bool rn_resolve_constant_number(const struct rn_ast_expr *expr, double *out);

/* ---- resolve.c ---- */

const char *const *rn_resolve_join_names(struct rn_arena *arena, const char *const *x,
					 const char *const *y);
/* Hints "did you mean `x`?", or else the fallback, which may be NULL. */
void rn_resolve_hint_nearest(struct rn_resolve_scope *scope, struct rn_diag_item *it,
			     const char *name, const char *const *candidates, const char *fallback);
#endif
