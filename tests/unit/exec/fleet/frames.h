/* frames.h - for tests of frames: an arena, queries as plans, frames as bytes. */
#ifndef RN_TESTS_UNIT_EXEC_FLEET_FRAMES_H
#define RN_TESTS_UNIT_EXEC_FLEET_FRAMES_H
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "exec/wire/codec.h"
#include "exec/groups/groups.h"
#include "exec/wire/wire.pb-c.h"
#include "planner/agg/state.h"
#include "lang/resolve/names.h"
#include "lang/resolve/resolve.h"
#include "lang/syntax/parse.h"
#include "tests/support/fake_catalog.h"

static struct rn_arena *arena;

static inline int setup(void **state)
{
	(void)state;
	arena = rn_arena_create(64 << 20);
	srand(11);
	return 0;
}
static inline int teardown(void **state)
{
	(void)state;
	rn_arena_destroy(arena);
	return 0;
}

static inline struct rn_catalog *catalog(void)
{
	return rn_fake_catalog();
}

struct bytes {
	unsigned char *p;
	size_t len, cap;
};

static inline int encode(struct bytes *b, const struct rn_frame *f, const struct rn_agg_call *aggs,
			 unsigned naggs, unsigned nkeys)
{
	return rn_frame_encode(f, aggs, naggs, nkeys, &b->p, &b->len, &b->cap);
}

static inline int decode(const struct bytes *b, struct rn_frame *f, const struct rn_agg_call *aggs,
			 unsigned naggs, unsigned nkeys, struct rn_err *err)
{
	assert_true(b->len >= 4);
	assert_int_equal(b->p[0] | b->p[1] << 8 | b->p[2] << 16 | b->p[3] << 24, b->len - 4);
	return rn_frame_decode(arena, b->p + 4, b->len - 4, aggs, naggs, nkeys, f, err);
}

static inline struct rn_plan *plan(const char *query)
{
	struct rn_diag *d = rn_diag_new(arena);
	struct rn_ast_file *file =
		rn_parse(arena, d, rn_diag_source(d, "query", query, strlen(query)));
	struct rn_names names = {.catalog = catalog()};
	struct rn_plan *p = NULL;

	if (!rn_diag_errors(d) && rn_resolve(arena, d, file->stmts->query, &names))
		p = rn_plan_query(arena, d, file->stmts->query, &names, &(struct rn_plan_opts){0});
	if (!p)
		fail_msg("%s: %s", query, rn_diag_render(d, arena, false));
	return p;
}
#endif
