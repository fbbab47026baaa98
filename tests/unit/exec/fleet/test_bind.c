/* test_bind.c - a node refuses fragments that no planner makes, however they came. */
#include "tests/unit/exec/fleet/frames.h"

/* What a node must refuse, made from a good fragment. */
static void spoil(struct rn_fragment *f, int how)
{
	struct rn_field *other = RN_NEW(arena, struct rn_field);
	struct rn_agg *agg = RN_NEW(arena, struct rn_agg);

	switch (how) {
	case 0: f->class_name = "raed"; break;
	case 1:
		*other = *f->fields[0];
		other->name = "flie";
		f->fields[0] = other;
		break;
	case 2:
		*other = *f->fields[0];
		other->ty.type = RN_T_IP;
		f->fields[0] = other;
		break;
	case 3: f->where[0].expr->arg[0]->name = "flie"; break;
	case 4: f->where[0].expr->arg[1]->ty.type = RN_T_IP; break;
	case 5: f->where[0].expr->op = RN_OP_ADD; break;
	case 6: f->where[0].expr->arg[0]->kind = RN_E_AGG; break;
	case 7: f->keys[0]->name = "no_function"; break;
	case 8: f->keys[0]->narg = 0; break;
	case 9:
		agg->sig.name = "median";
		f->aggs[0].def = agg;
		break;
	case 10: f->aggs[0].arg = NULL; break;
	case 11: f->aggs[0].param[0] = 7; break;
	case 12: f->agg_place = RN_AT_KERNEL; break; /* lower() is not for the kernel */
	case 13: f->where[0].expr->ty.type = RN_T_ERROR; break;
	case 14: f->nfields = 0; break;
	case 15: f->where[0].expr->arg[1]->value = rn_int(7); break;
	case 16: f->where[0].judged = true; break; /* no name with a number */
	}
}

/* The same of one with keys that the node computes from what its kernel groups by. */
static void spoil_derived(struct rn_fragment *f, int how)
{
	switch (how) {
	case 0: f->derived = 0; break;
	case 1: f->derived = 1 << 7; break;
	case 2: f->nfine = 1000; break;
	case 3: f->nfine = 0; break;
	case 4: f->agg_place = RN_AT_NODE; break;
	case 5: f->grouped = false; break;
	case 6: f->fields[0] = rn_class_field(f->cls, "data"); break;
	}
}

static void nodes_refuse_keys_from_nothing(void **state)
{
	(void)state;
	for (int how = -1; how < 7; how++) {
		struct rn_plan *p = plan("count of read by ext(file), user, bytes > 1");
		struct rn_frame in = {.kind = RN_FRAME_FRAGMENT, .fragment = &p->frag}, out;
		struct rn_err err = {0};
		struct bytes b = {0};
		int bad;

		assert_int_equal(p->frag.derived, 3);
		assert_int_equal(p->frag.nfine, 2);
		spoil_derived(&p->frag, how);
		assert_int_equal(encode(&b, &in, NULL, 0, 0), 0);
		assert_int_equal(decode(&b, &out, NULL, 0, 0, &err), 0);
		bad = rn_fragment_bind(arena, out.fragment, catalog(), &err);
		if (how < 0 ? bad : !bad)
			fail_msg("case %d: %s", how, bad ? err.text : "accepted");
		free(b.p);
	}
}

/* The same of one with a live set. */
static void spoil_live(struct rn_fragment *f, int how)
{
	struct rn_live_set *set = f->live[0];

	switch (how) {
	case 0: set->exec->class_name = "read"; break;
	case 1: set->exec->grouped = true; break;
	case 2: set->exec->where[0].place = RN_AT_NODE; break;
	case 3: set->exec->where[0].judged = true; break;
	case 4: set->begin->class_name = "clocks"; break;
	case 5: set->begin->cols[0].expr = rn_expr_clone(arena, set->begin->where[0].expr); break;
	case 6: f->nlive = 0; break; /* the condition on it stays */
	case 7: set->field = rn_class_field(f->cls, "data"); break;
	case 8: f->class_name = "processes"; break;
	case 9: f->live[f->nlive++] = set; break;
	case 10:
		set->exec->live = f->live;
		set->exec->nlive = 1;
		break;
	}
}

static void nodes_refuse_sets_that_no_kernel_keeps(void **state)
{
	(void)state;
	for (int how = -1; how < 11; how++) {
		struct rn_plan *p = plan("count of read where pid in live (pid of processes where "
					 "proc = java) by proc");
		struct rn_frame in = {.kind = RN_FRAME_FRAGMENT, .fragment = &p->frag}, out;
		struct rn_live_set *room[2];
		struct rn_err err = {0};
		struct bytes b = {0};
		int bad;

		assert_int_equal(p->frag.nlive, 1);
		room[0] = p->frag.live[0];
		p->frag.live = room;
		spoil_live(&p->frag, how);
		if (how == 10) { /* sets within sets without end are never sent */
			struct rn_fragment inner = *p->frag.live[0]->exec;

			inner.live = NULL;
			inner.nlive = 0;
			room[1] = RN_NEW(arena, struct rn_live_set);
			*room[1] = *room[0];
			room[1]->exec = RN_NEW(arena, struct rn_fragment);
			*room[1]->exec = inner;
			p->frag.live[0]->exec->live = &room[1];
		}
		assert_int_equal(encode(&b, &in, NULL, 0, 0), 0);
		bad = decode(&b, &out, NULL, 0, 0, &err);
		if (!bad)
			bad = rn_fragment_bind(arena, out.fragment, catalog(), &err);
		if (how < 0 ? bad : how == 9 ? 0 : !bad)
			fail_msg("case %d: %s", how, bad ? err.text : "accepted");
		if (how < 0)
			assert_true(out.fragment->live[0]->exec->adds);
		free(b.p);
	}
}

/* The same of a pair. */
static void spoil_pair(struct rn_fragment *f, int how)
{
	switch (how) {
	case 0: f->class_name = "(query)"; break;
	case 1:
		f->ends[0].class_name = "processes";
		f->ends[0].class_arg = NULL;
		break;
	case 2: f->ends[1].class_arg = "sched:nothing"; break;
	case 3: f->ends[1].class_arg = NULL; break;
	case 4: f->ends[0].where[0].place = RN_AT_NODE; break;
	case 5: f->ends[0].where[0].expr->arg[0]->name = "next_pid"; break;
	case 6: f->pair_keys[0].name[1] = "next_comm"; break;
	case 7: f->pair_keys[0].name[0] = "next_pid"; break;
	case 8: f->npair_keys = 0; break;
	case 9: f->ends[0].where[0].expr->arg[0]->name = "user"; break;
	}
}

static void nodes_refuse_pairs_that_are_none(void **state)
{
	(void)state;
	for (int how = -1; how < 10; how++) {
		struct rn_plan *p = plan("count of between (events of sched_wakeup where pid > 1) "
					 "and sched_switch on pid = next_pid");
		struct rn_frame in = {.kind = RN_FRAME_FRAGMENT, .fragment = &p->frag}, out;
		struct rn_err err = {0};
		struct bytes b = {0};
		int bad;

		spoil_pair(&p->frag, how);
		assert_int_equal(encode(&b, &in, NULL, 0, 0), 0);
		bad = decode(&b, &out, NULL, 0, 0, &err);
		if (!bad)
			bad = rn_fragment_bind(arena, out.fragment, catalog(), &err);
		if ((how < 0) == (bad != 0))
			fail_msg("case %d: %s", how, bad ? err.text : "accepted");
		free(b.p);
	}
}

static void nodes_refuse_what_they_do_not_know(void **state)
{
	(void)state;
	for (int how = -1; how < 17; how++) {
		struct rn_plan *p =
			plan("p99(latency) of read where file =~ \"^/etc\" by lower(proc)");
		struct rn_frame in = {.kind = RN_FRAME_FRAGMENT, .fragment = &p->frag}, out;
		struct rn_err err = {0};
		struct bytes b = {0};
		int bad;

		p->frag.class_arg = NULL;
		assert_int_equal(encode(&b, &in, NULL, 0, 0), 0);
		assert_int_equal(decode(&b, &out, NULL, 0, 0, &err), 0);
		spoil(out.fragment, how);
		bad = rn_fragment_bind(arena, out.fragment, catalog(), &err);
		if (how < 0 ? bad : !bad)
			fail_msg("case %d: %s", how, bad ? err.text : "accepted");
		assert_true(how < 0 || strlen(err.text) > 20);
		free(b.p);
	}
}

/* A class that needs a choice is nothing without it. */
static void nodes_refuse_half_a_class(void **state)
{
	struct rn_plan *p = plan("count of sample 99hz by proc");
	struct rn_err err = {0};

	(void)state;

	assert_int_equal(rn_fragment_bind(arena, &p->frag, catalog(), &err), 0);
	p->frag.class_arg = NULL;
	assert_int_equal(rn_fragment_bind(arena, &p->frag, catalog(), &err), -EINVAL);
	assert_non_null(strstr(err.text, "does not say which"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nodes_refuse_keys_from_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(nodes_refuse_sets_that_no_kernel_keeps, setup,
						teardown),
		cmocka_unit_test_setup_teardown(nodes_refuse_pairs_that_are_none, setup, teardown),
		cmocka_unit_test_setup_teardown(nodes_refuse_what_they_do_not_know, setup,
						teardown),
		cmocka_unit_test_setup_teardown(nodes_refuse_half_a_class, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
