/* rowtable_impl.h - rows kept in memory, for nested queries and for results. */
#ifndef RN_EXEC_COORD_ROWTABLE_IMPL_H
#define RN_EXEC_COORD_ROWTABLE_IMPL_H
#include "exec/coord/coord_impl.h"

struct rn_table;
struct rn_table *rn_table_create(unsigned ncols); /* never NULL */
void rn_table_destroy(struct rn_table *table);
struct rn_answer_sink rn_table_to(struct rn_table *table);
/* Reads the table as the class "(query)": fields are columns by their id. One reader at a time. The
 * source ends when the table is closed. */
struct rn_provider rn_table_provider(struct rn_table *table);
/* when the query that fills table ran: span outlives table, and may be filled in later */
void rn_table_ran(struct rn_table *table, const struct rn_ran *span);
void rn_table_close(struct rn_table *table); /* no row follows */
size_t rn_table_unread(const struct rn_table *table);
void rn_table_forget(struct rn_table *table); /* forgets the rows that have been read */
/* Makes each source that is opened read the whole table from the beginning, and forgets nothing. */
/* limits; a row too many is -E2BIG */
void rn_table_keep(struct rn_table *table, size_t rows, size_t bytes);
/* Puts the first column of the table into every `in (query)` of plan with this number (from 0). */
int rn_table_into_set(struct rn_arena *arena, const struct rn_table *table, struct rn_plan *plan,
		      unsigned number, struct rn_err *err);
/* Calls visit for every expression of a plan, and for everything below it. */
void rn_plan_visit(struct rn_plan *plan, void (*visit)(void *self, struct rn_expr *expr),
		   void *self);
#endif
