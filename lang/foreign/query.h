/* query.h - a query of this language in the making, while one of another language is read.
 *
 * The readers (sql.c, ...) take a text apart and fill it in clause by clause. If a
 * clause does not fit into the query so far, such as a condition after a limit, that query becomes
 * the source of another. Internal to lang/foreign/. */
#ifndef RN_LANG_FOREIGN_QUERY_H
#define RN_LANG_FOREIGN_QUERY_H
#include "lang/foreign/text.h"

enum { RN_FOREIGN_LIST = 16, RN_FOREIGN_DEPTH = 32 };

struct rn_foreign_item {
	const char *expr, *name; /* name: "" if it has none of its own */
};
struct rn_foreign_list {
	struct rn_foreign_item item[RN_FOREIGN_LIST];
	unsigned n;
};

/* All texts are in the arena; "" for what is not there. */
struct rn_foreign_query {
	const char *source, *where, *having, *order, *limit, *top, *top_by, *windows;
	struct rn_foreign_list list, by;
	bool grouped;
};

/* The state of a reader amid a text. */
struct rn_reading {
	struct rn_arena *arena;
	const char *row, *other;      /* names of a row, and of one of a second source */
	const char *group, *key;      /* name of a group, and the expression of its key */
	struct rn_foreign_list names; /* names that stand for an expression */
	unsigned lets;                /* the first of them stay for the whole text */
	bool probes;                  /* names of fields are those of bpftrace */
	bool no_arguments;            /* arg0 to arg5 are those of another function */
	bool failed;                  /* there is no translation */
	unsigned depth;
	const char *remarks; /* sentences on what differs */
	struct rn_foreign_query query;
};

/* ---- query.c ---- */

/* A remark on what is in the past. */
#define RN_FOREIGN_PAST "A query sees what happens while it runs, or a recording: `from \"x.rnt\"`"
void rn_foreign_begin(struct rn_reading *reading, struct rn_arena *arena);
/* Adds a sentence, without its dot, unless it is there. */
void rn_foreign_remark(struct rn_reading *reading, const char *sentence);
void rn_foreign_add(struct rn_reading *reading, struct rn_foreign_list *list, const char *expr,
		    const char *name);
/* Adds a name that stands for an expression from now on. */
void rn_foreign_name_as(struct rn_reading *reading, const char *name, const char *expr);

/* The source: a name of another language may have one here. */
void rn_foreign_from(struct rn_reading *reading, const char *name);
void rn_foreign_where(struct rn_reading *reading, const char *condition);
/* Groups by `by`; list holds the aggregates. The keys are shown first. */
void rn_foreign_group(struct rn_reading *reading, const struct rn_foreign_list *by,
		      const struct rn_foreign_list *list);
/* Shows these columns and no others. */
void rn_foreign_columns(struct rn_reading *reading, const struct rn_foreign_list *list);
/* Shows each row of the columns once. */
void rn_foreign_distinct(struct rn_reading *reading);
/* A single number about all rows so far: count, sum(bytes). */
void rn_foreign_total(struct rn_reading *reading, const char *aggregate);
/* Adds a key to the order. */
void rn_foreign_order(struct rn_reading *reading, const char *expr, bool descending);
void rn_foreign_limit(struct rn_reading *reading, const char *n);
/* The n greatest, or the n least, by an expression. */
void rn_foreign_top(struct rn_reading *reading, const char *n, const char *expr, bool greatest);
/* Makes the query so far the source of the next. */
void rn_foreign_nest(struct rn_reading *reading);
/* Returns the text of the query, not yet canonical. */
const char *rn_foreign_text(struct rn_reading *reading);
/* The query in parentheses, as a value or a set: one about events ends after 5 s. */
const char *rn_foreign_ended(struct rn_reading *reading, const char *source, const char *query);
/* Joins the source with another one. The keys have as `name` the field of the other one, or "" for
 * one that is called the same. */
void rn_foreign_join(struct rn_reading *reading, const char *source,
		     const struct rn_foreign_list *keys);
/* Is that source a table? */
bool rn_foreign_is_table(const char *source);

/* ---- expr.c ---- */

/* Returns an expression of this language for one of another. Sets failed if it finds none. */
const char *rn_foreign_expr(struct rn_reading *reading, struct rn_phrase phrase);
/* The same for x => EXPRESSION of C#, where x is a row. */
const char *rn_foreign_lambda(struct rn_reading *reading, struct rn_phrase phrase);
/* A number without the `_` of 10_000. */
const char *rn_foreign_number(struct rn_arena *arena, const struct rn_word *word);

/* The readers return false if the text is none of their language, or has no translation. */

/* ---- sql.c ---- */

bool rn_foreign_sql(struct rn_reading *reading, struct rn_phrase phrase);
/* The query for a SELECT that stands in parentheses, with those; sets failed if there is none. */
const char *rn_foreign_subquery(struct rn_reading *reading, struct rn_phrase phrase);

/* ---- kql.c ---- */

bool rn_foreign_kql(struct rn_reading *reading, struct rn_phrase phrase);

/* ---- linq.c ---- */

bool rn_foreign_linq(struct rn_reading *reading, struct rn_phrase phrase);

/* ---- promql.c ---- */

bool rn_foreign_promql(struct rn_reading *reading, struct rn_phrase phrase);
#endif
