/* scope.c - programs test which tasks a query watches. Processes: a bit for each id, kept current
 * on fork and release. A network namespace; a cgroup. Two kinds are never watched: the watching
 * process and the asking ones.
 *
 * A bitmap over all possible ids is as cheap to test as a constant (a hash costs 20 ns more per
 * event). Fork copies the parent's bit before the child first runs. The bit is cleared when the
 * group's leader is released, so that events during exit are still in scope. A cgroup is tested by
 * its object, in a map; a namespace may hide its path or depth. */
#include "probes/gen/gen_impl.h"

/* r2 = address of the word in the map with the bit of the process id in reg, r3 = the bit; reg is
 * kept; clobbers r0. */
static void bit_address(struct rn_gen *g, int map, int reg)
{
	struct rn_emit *e = g->emit;

	rn_emit_mov(e, BPF_REG_0, reg);
	rn_emit_alui(e, BPF_RSH, BPF_REG_0, 6);
	rn_emit_alui(e, BPF_AND, BPF_REG_0, RN_SCOPE_PIDS / 64 - 1);
	rn_emit_alui(e, BPF_LSH, BPF_REG_0, 3);
	rn_emit_map_value(e, BPF_REG_2, map, 0);
	rn_emit_alu(e, BPF_ADD, BPF_REG_2, BPF_REG_0);
	rn_emit_movi(e, BPF_REG_3, 1);
	rn_emit_mov(e, BPF_REG_0, reg);
	rn_emit_alui(e, BPF_AND, BPF_REG_0, 63);
	rn_emit_alu(e, BPF_LSH, BPF_REG_3, BPF_REG_0);
	g->out->map[map].used = true;
}

/* Jump to out unless the bit of the process id in reg is set; clobbers r0, r2, r3. */
static void test_bit(struct rn_gen *g, int map, int reg, int out)
{
	int in = rn_emit_label(g->emit);

	bit_address(g, map, reg);
	rn_emit_ldx(g->emit, BPF_DW, BPF_REG_2, BPF_REG_2, 0, NULL);
	rn_emit_jmp(g->emit, BPF_JSET, BPF_REG_2, BPF_REG_3, in);
	rn_emit_ja(g->emit, out);
	rn_emit_bind(g->emit, in);
}

/* A task that ends has no namespaces any more: following its null pointer gives 0, which is no
 * namespace. */
static void test_netns(struct rn_gen *g)
{
	const int32_t *off = g->opts->btf->off;

	rn_emit_note(g->emit, "only this network namespace");
	if (off[RN_BM_NET_NS] < 0 || off[RN_BM_NSC_INUM] < 0)
		rn_gen_fail(
			g,
			"this kernel has no net.ns.inum, by which a node is a network namespace");
	rn_gen_member(g, BPF_DW, BPF_REG_1, BPF_REG_8, RN_BM_TASK_NSPROXY);
	rn_gen_member(g, BPF_DW, BPF_REG_1, BPF_REG_1, RN_BM_NSPROXY_NET);
	rn_emit_ldx(g->emit, BPF_W, BPF_REG_1, BPF_REG_1, off[RN_BM_NET_NS] + off[RN_BM_NSC_INUM],
		    "net.ns.inum");
	rn_emit_movi(g->emit, BPF_REG_2, (int64_t)g->opts->netns_ino);
	rn_emit_jmp(g->emit, BPF_JNE, BPF_REG_1, BPF_REG_2, g->out_label);
}

/* For a task other than the current one: go up from its cgroup, to the depth of nesting that tests
 * exist for. */
static void test_cgroup_of_task(struct rn_gen *gen)
{
	enum { NESTED = 16 };
	int in = rn_emit_label(gen->emit);

	rn_emit_note(gen->emit, "only this cgroup and those below");
	rn_emit_movi(gen->emit, BPF_REG_2, (int64_t)gen->opts->cgroup);
	rn_gen_member(gen, BPF_DW, BPF_REG_1, BPF_REG_8, RN_BM_TASK_CGROUPS);
	rn_gen_member(gen, BPF_DW, BPF_REG_1, BPF_REG_1, RN_BM_CSS_SET_DFL);
	for (int i = 0; i < NESTED; i++) {
		rn_gen_member(gen, BPF_DW, BPF_REG_3, BPF_REG_1, RN_BM_CGROUP_KN);
		rn_gen_member(gen, BPF_DW, BPF_REG_3, BPF_REG_3, RN_BM_KN_ID);
		rn_emit_jmp(gen->emit, BPF_JEQ, BPF_REG_3, BPF_REG_2, in);
		rn_emit_ldx(gen->emit, BPF_DW, BPF_REG_1, BPF_REG_1,
			    gen->opts->btf->off[RN_BM_CGROUP_SELF] +
				    gen->opts->btf->off[RN_BM_CSS_PARENT],
			    "cgroup.self.parent");
		rn_gen_member(gen, BPF_DW, BPF_REG_1, BPF_REG_1, RN_BM_CSS_CGROUP);
	}
	rn_emit_ja(gen->emit, gen->out_label);
	rn_emit_bind(gen->emit, in);
}

static void test_cgroup(struct rn_gen *g)
{
	if (rn_hook_row(g->hook)->at == RN_AT_ITERATOR) {
		test_cgroup_of_task(g);
		return;
	}
	rn_emit_note(g->emit, "only this cgroup and those below");
	rn_emit_map(g->emit, BPF_REG_1, RN_MAP_CGROUP);
	rn_emit_movi(g->emit, BPF_REG_2, 0);
	rn_emit_call(g->emit, BPF_FUNC_current_task_under_cgroup);
	rn_emit_jmpi(g->emit, BPF_JNE, BPF_REG_0, 1, g->out_label);
	g->out->map[RN_MAP_CGROUP].used = true;
}

bool rn_gen_scope_any(const struct rn_gen *gen)
{
	return gen->opts->scoped || gen->opts->netns_ino || gen->opts->cgroup || gen->opts->naskers;
}

bool rn_gen_task_is_cast(const struct rn_gen *gen)
{
	return gen->opts->task_type &&
	       (rn_gen_takes_over(gen) || rn_hook_in_library(rn_hook_row(gen->hook)));
}

void rn_gen_current(struct rn_gen *gen)
{
	rn_emit_note(gen->emit, "r8 = current task");
	rn_emit_call(gen->emit, BPF_FUNC_get_current_task_btf);
	if (rn_gen_task_is_cast(gen)) {
		/* For each pointer that is read through a trusted one, the verifier compares a name
		 * with those of all types (kernel/bpf/btf.c: btf_nested_type_is_trusted). */
		rn_emit_mov(gen->emit, BPF_REG_1, BPF_REG_0);
		rn_gen_cast(gen, gen->opts->task_type, "struct task_struct");
	}
	rn_emit_mov(gen->emit, BPF_REG_8, BPF_REG_0);
}

/* r1 = process id of the current task. */
static void not_tracer(struct rn_gen *g)
{
	rn_emit_note(g->emit, "not the tracer itself");
	rn_emit_jmpi_sym(g->emit, BPF_JEQ, BPF_REG_1, g->opts->self_pid, "self", g->out_label);
	for (unsigned i = 0; i < g->opts->naskers; i++)
		rn_emit_jmpi_sym(g->emit, BPF_JEQ, BPF_REG_1, g->opts->askers[i], "asker",
				 g->out_label);
}

void rn_gen_scope(struct rn_gen *gen)
{
	rn_gen_current(gen);
	rn_gen_scope_task(gen);
}

void rn_gen_scope_task(struct rn_gen *gen)
{
	struct rn_emit *e = gen->emit;

	rn_gen_member(gen, BPF_W, BPF_REG_1, BPF_REG_8, RN_BM_TASK_TGID);
	/* the task of an end of a pair is often not the current one */
	if (!gen->fragment->cls->pair || gen->hook != RN_HOOK_TP)
		not_tracer(gen);
	if (gen->opts->scoped) {
		rn_emit_note(e, "only processes in scope");
		test_bit(gen, RN_MAP_SCOPE, BPF_REG_1, gen->out_label);
	}
	if (gen->opts->netns_ino)
		test_netns(gen);
	if (gen->opts->cgroup)
		test_cgroup(gen);
}

/* Processes in scope, and members of a live set: their children are, too. */
static bool follows(const struct rn_gen *g, int map)
{
	return map == RN_MAP_SCOPE ? g->opts->scoped && g->opts->follow : g->fragment->adds;
}

static const int followed[] = {RN_MAP_SCOPE, RN_MAP_MEMBERS};

bool rn_gen_follows(const struct rn_gen *gen)
{
	return follows(gen, RN_MAP_SCOPE) || follows(gen, RN_MAP_MEMBERS);
}

void rn_gen_scope_fork(struct rn_gen *gen)
{
	struct rn_emit *e = gen->emit;

	rn_emit_ldx(e, BPF_DW, BPF_REG_7, BPF_REG_1, 0, NULL);
	rn_emit_ldx(e, BPF_DW, BPF_REG_6, BPF_REG_1, 8, NULL);
	for (unsigned i = 0; i < sizeof(followed) / sizeof(*followed); i++) {
		int next = rn_emit_label(e);

		if (!follows(gen, followed[i]))
			continue;
		rn_emit_note(e, "a child of a process in %s is in it", rn_map_name(followed[i]));
		rn_gen_member(gen, BPF_W, BPF_REG_1, BPF_REG_7, RN_BM_TASK_TGID);
		test_bit(gen, followed[i], BPF_REG_1, next);
		rn_gen_member(gen, BPF_W, BPF_REG_1, BPF_REG_6, RN_BM_TASK_TGID);
		bit_address(gen, followed[i], BPF_REG_1);
		rn_emit_atomic(e, BPF_OR, BPF_REG_2, 0, BPF_REG_3);
		rn_emit_bind(e, next);
	}
}

void rn_gen_scope_free(struct rn_gen *gen)
{
	struct rn_emit *e = gen->emit;

	rn_emit_note(e, "a released process leaves the scope: its id may be given again");
	rn_emit_ldx(e, BPF_DW, BPF_REG_6, BPF_REG_1, 0, NULL);
	rn_gen_member(gen, BPF_W, BPF_REG_1, BPF_REG_6, RN_BM_TASK_TGID);
	rn_gen_member(gen, BPF_W, BPF_REG_2, BPF_REG_6, RN_BM_TASK_PID);
	rn_emit_jmp(e, BPF_JNE, BPF_REG_1, BPF_REG_2, gen->out_label);
	for (unsigned i = 0; i < sizeof(followed) / sizeof(*followed); i++) {
		if (!follows(gen, followed[i]))
			continue;
		bit_address(gen, followed[i], BPF_REG_1);
		rn_emit_movi(e, BPF_REG_4, -1);
		rn_emit_alu(e, BPF_XOR, BPF_REG_3, BPF_REG_4);
		rn_emit_atomic(e, BPF_AND, BPF_REG_2, 0, BPF_REG_3);
	}
}

/* ---- live sets ---- */

void rn_gen_add_member(struct rn_gen *gen)
{
	struct rn_emit *e = gen->emit;

	rn_emit_note(e, "the process is a member, unless it failed to begin the program");
	rn_emit_jmpi(e, BPF_JNE, BPF_REG_7, 0, gen->out_label);
	rn_gen_member(gen, BPF_W, BPF_REG_1, BPF_REG_8, RN_BM_TASK_TGID);
	bit_address(gen, RN_MAP_MEMBERS, BPF_REG_1);
	rn_emit_atomic(e, BPF_OR, BPF_REG_2, 0, BPF_REG_3);
}

void rn_gen_is_member(struct rn_gen *gen, unsigned set, int pid, int dst)
{
	struct rn_emit *e = gen->emit;
	int in = rn_emit_label(e), done = rn_emit_label(e);

	bit_address(gen, RN_MAP_LIVE0 + (int)set, pid);
	rn_emit_ldx(e, BPF_DW, BPF_REG_2, BPF_REG_2, 0, NULL);
	rn_emit_jmp(e, BPF_JSET, BPF_REG_2, BPF_REG_3, in);
	rn_emit_movi(e, dst, 0);
	rn_emit_ja(e, done);
	rn_emit_bind(e, in);
	rn_emit_movi(e, dst, 1);
	rn_emit_bind(e, done);
}
