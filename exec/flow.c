/* flow.c - minimal */
#include "exec/flow.h"
struct rn_flow { int n; };
struct rn_flow *rn_flow_new(struct rn_arena *a, const struct rn_column *cols, unsigned ncols) { (void)cols; (void)ncols; return RN_NEW(a, struct rn_flow); }
void rn_flow_add(struct rn_flow *f, const struct rn_rows *r) { (void)f; (void)r; }
int rn_flow_visit(struct rn_flow *f, int (*visit)(void *self, const struct rn_value *v, int64_t time_ns), void *self) { (void)f; (void)visit; (void)self; return 0; }
