/* test_columns.c - the tables of fields agree with one another: a flow's columns with the fields
 * that they show, and how columns are shown from the field to the answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "lang/catalog/flow_schema.h"
#include "lang/catalog/pair.h"
#include "lang/values/show.h"
#include "lang/resolve/names.h"
#include "lang/resolve/resolve.h"
#include "lang/syntax/parse.h"
#include "planner/plan/plan.h"
#include "planner/plan/agg.h"
#include "probes/probes.h"

static const struct rn_agg_sig *const no_aggs[] = {NULL};

static const struct rn_class *find(const struct rn_catalog *c, const char *name)
{
	return c->find(c->self, name, NULL, NULL, 0);
}

static void flow_needs_are_recorded_fields(void **state)
{
	static const char *const needs[] = {
#define X(id, name) name,
		RN_FLOW_NEEDS(X)
#undef X
	};
	struct rn_catalog *c = rn_probes_catalog(no_aggs);

	(void)state;
	for (unsigned i = 0; i < sizeof(needs) / sizeof(*needs); i++) {
		const struct rn_field *f = rn_class_field(find(c, "tag"), needs[i]);

		if (!f || !rn_field_in_recording(f))
			fail_msg("a flow needs %s, which a recording of tag does not have",
				 needs[i]);
	}
	rn_probes_catalog_free(c);
}

static void flow_shows_fields_as_they_are(void **state)
{
	static const struct {
		const char *name;
		struct rn_ty ty;
		unsigned show;
	} shows[] = {
#define X(id, name, type, unit, show) {name, {RN_T_##type, RN_U_##unit}, show},
		RN_FLOW_SHOWS(X)
#undef X
	};
	struct rn_catalog *c = rn_probes_catalog(no_aggs);
	unsigned same = 0;

	(void)state;
	for (unsigned i = 0; i < sizeof(shows) / sizeof(*shows); i++) {
		const struct rn_field *f = rn_class_field(find(c, "tag"), shows[i].name);

		if (!f)
			continue;
		same++;
		if (f->ty.type != shows[i].ty.type || f->ty.unit != shows[i].ty.unit ||
		    /* the name of a call says its direction: `events of` leaves it out */
		    (f->show != shows[i].show && strcmp(f->name, "dir") != 0))
			fail_msg("%s of a flow is not as that of its events", f->name);
	}
	assert_true(same >= 8);
	rn_probes_catalog_free(c);
}

/* Fields of one name are shown alike in every class and table; no two share a turn. */
static void a_name_is_shown_in_one_way(void **state)
{
	struct rn_catalog *c = rn_probes_catalog(no_aggs);
	const char *const *names = c->names(c->self);
	const struct rn_field *by_turn[RN_SHOW_TURN + 1] = {0};

	(void)state;
	for (; *names; names++) {
		const struct rn_class *cls = find(c, *names);

		for (unsigned i = 0; i < cls->nfields; i++) {
			const struct rn_field *f = cls->fields[i],
					      **of = &by_turn[f->show & RN_SHOW_TURN];

			if (f->show & RN_SHOW_TURN && *of && strcmp((*of)->name, f->name) != 0)
				fail_msg("%s and %s have one turn", f->name, (*of)->name);
			assert_true(!*of || !(f->show & RN_SHOW_TURN) || (*of)->show == f->show);
			*of = f;
		}
	}
	rn_probes_catalog_free(c);
}

/* What is about a pair itself is shown as the events' own. */
static void pairs_are_shown_as_events(void **state)
{
	struct rn_catalog *c = rn_probes_catalog(no_aggs);
	struct rn_arena *a = rn_arena_create(1 << 20);
	const struct rn_class *read = find(c, "read");
	const struct rn_class *pair =
		rn_pair_class(a, read, find(c, "write"), &(struct rn_pair_key){{"pid", "pid"}}, 1);
	static const char *const own[] = {"start", "latency", "time", "pid", "bytes"};

	(void)state;
	for (unsigned i = 0; i < sizeof(own) / sizeof(*own); i++)
		assert_int_equal(rn_class_field(pair, own[i])->show,
				 rn_class_field(read, own[i])->show);
	assert_int_equal(rn_class_field(pair, "end_bytes")->show, 0);
	rn_arena_destroy(a);
	rn_probes_catalog_free(c);
}

/* The columns of an answer, each with its `show`. */
static void assert_shown(const char *text, const unsigned *show, unsigned n)
{
	struct rn_catalog *c = rn_probes_catalog(rn_agg_sigs);
	struct rn_arena *a = rn_arena_create(1 << 22);
	struct rn_diag *d = rn_diag_new(a);
	struct rn_ast_file *f = rn_parse(a, d, rn_diag_source(d, "query", text, strlen(text)));
	struct rn_names names = {.catalog = c};
	struct rn_plan *p = NULL;

	if (!rn_diag_errors(d) && rn_resolve(a, d, f->stmts->query, &names))
		p = rn_plan_query(a, d, f->stmts->query, &names, &(struct rn_plan_opts){0});
	if (!p)
		fail_msg("%s: %s", text, rn_diag_render(d, a, false));
	assert_int_equal(p->nout - p->nhidden, n);
	for (unsigned i = 0; i < n; i++)
		if (p->out[i].show != show[i])
			fail_msg("%s: %s is shown as %x", text, p->out[i].label, p->out[i].show);
	rn_arena_destroy(a);
	rn_probes_catalog_free(c);
}
#define ASSERT_SHOWN(text, ...) \
	assert_shown(text, (const unsigned[]){__VA_ARGS__}, \
		     sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned))

static void columns_are_shown_as_their_fields(void **state)
{
	(void)state;
	ASSERT_SHOWN("time, pid, node, file of read", RN_SHOW_TIME, RN_SHOW_PID, RN_SHOW_NODE,
		     RN_SHOW_FILE);
	ASSERT_SHOWN("pid as p, tid as pid, bytes + 1 of read", 0, 0, 0);
	ASSERT_SHOWN("count of read by pid, node", RN_SHOW_PID, RN_SHOW_NODE, 0);
	ASSERT_SHOWN("max(latency) as latency of read by bytes as b", 0, 0);
	ASSERT_SHOWN("pid, n of (count as n of read by pid)", RN_SHOW_PID, 0);
	ASSERT_SHOWN("hop, object, link of (flow of tag fix283)", RN_SHOW_SUBJECT,
		     RN_SHOW_SUBJECT | RN_SHOW_OBJECT, 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flow_needs_are_recorded_fields),
		cmocka_unit_test(flow_shows_fields_as_they_are),
		cmocka_unit_test(a_name_is_shown_in_one_way),
		cmocka_unit_test(pairs_are_shown_as_events),
		cmocka_unit_test(columns_are_shown_as_their_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
