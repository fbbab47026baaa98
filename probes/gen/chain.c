/* chain.c - programs of several queries at the return of system calls, as a chain.
 *
 * Only the head of the chain is attached (probes/live/chain.h). It looks up the route of the call:
 * which programs want it. If none does, it ends. Otherwise it notes the route, and when the call
 * began, in the memory of its CPU. Then each program ends with a tail call of the next one on the
 * route. So a call that no query wants costs one look at a table, however many queries there are.
 * The beginning of a call is noted once for all of them.
 *
 * A query about some processes, or about files that calls close, notes beginnings itself: it keeps
 * more than the time, or less often. */
#include <asm/unistd.h>
#include <linux/bpf.h>
#include "probes/gen/gen_impl.h"

bool rn_gen_chained(const struct rn_gen *gen)
{
	return gen->opts->chained && gen->hook == RN_HOOK_SYS_EXIT && !gen->fragment->cls->pair &&
	       gen->fragment->cls->id != RN_CLS_TAG;
}

bool rn_gen_chain_begins(const struct rn_gen *gen)
{
	bool closes = false;

	for (unsigned i = 0; i < gen->nnr; i++)
		closes |= (rn_sys_trait(gen->nr[i])->families & RN_FAM_CLOSE) != 0;
	return rn_gen_chained(gen) && !closes && !gen->opts->scoped && !gen->opts->netns_ino &&
	       !gen->opts->cgroup;
}

void rn_gen_chain_wants(struct rn_gen *gen)
{
	gen->out->prog[gen->out->nprogs - 1].chained = true;
	gen->out->all_calls = gen->all_nr;
	for (unsigned nr = 0; nr < RN_SYS_FIRST_FREE; nr++)
		gen->out->calls[nr] = gen->all_nr || (gen->clones && nr == __NR_ioctl);
	for (unsigned i = 0; i < gen->nnr; i++)
		gen->out->calls[gen->nr[i]] = true;
	gen->out->map[RN_MAP_CHAIN].used = gen->out->map[RN_MAP_ROUTES].used = true;
}

/* Behind the routes each CPU has a line of memory with its struct rn_passed. */
enum { PASSED_OFF = RN_ROUTES * sizeof(struct rn_route), PASSED_STRIDE = 64 };
_Static_assert(sizeof(struct rn_passed) <= PASSED_STRIDE, "no room for what is passed on");

/* r0 = this CPU's struct rn_passed */
static void passed(struct rn_gen *g, int miss)
{
	rn_gen_cpu_part(g, RN_MAP_ROUTES, PASSED_OFF, PASSED_STRIDE, miss);
}

/* Go on in the program at the place in r3, if there is one. */
static void go_on(struct rn_gen *g)
{
	rn_emit_ldx(g->emit, BPF_DW, BPF_REG_1, BPF_REG_10, g->ctx_off, NULL);
	rn_emit_map(g->emit, BPF_REG_2, RN_MAP_CHAIN);
	rn_emit_call(g->emit, BPF_FUNC_tail_call);
}

void rn_gen_chain_next(struct rn_gen *gen)
{
	enum { LAST = (RN_ROUTES - 1) * sizeof(struct rn_route) };
	struct rn_emit *e = gen->emit;
	int none = rn_emit_label(e);

	if (gen->opts->place + 1 == RN_CHAIN_PLACES)
		return;
	rn_emit_note(e, "on to the next query that wants the call");
	passed(gen, none);
	rn_emit_ldx(e, BPF_DW, BPF_REG_1, BPF_REG_0, offsetof(struct rn_passed, route), NULL);
	rn_emit_jmpi(e, BPF_JGT, BPF_REG_1, LAST, none);
	rn_emit_map_value(e, BPF_REG_2, RN_MAP_ROUTES, 0);
	rn_emit_alu(e, BPF_ADD, BPF_REG_2, BPF_REG_1);
	rn_emit_ldx(e, BPF_B, BPF_REG_3, BPF_REG_2,
		    (int)offsetof(struct rn_route, next) + (int)gen->opts->place + 1, "next");
	rn_emit_jmpi(e, BPF_JGE, BPF_REG_3, RN_CHAIN_PLACES, none);
	go_on(gen);
	rn_emit_bind(e, none);
}

void rn_gen_chain_begin(struct rn_gen *gen, int dst, int unknown)
{
	gen->out->chain_begins = true;
	passed(gen, unknown);
	rn_emit_ldx(gen->emit, BPF_DW, dst, BPF_REG_0, offsetof(struct rn_passed, begin_ns), NULL);
}

/* ---- the head ---- */

/* r7 = the route's offset, r8 = its address; r6 = registers of the call. */
static void find_route(struct rn_gen *g)
{
	struct rn_emit *e = g->emit;
	int native = rn_emit_label(e), other = rn_emit_label(e), found = rn_emit_label(e);

	rn_emit_note(e, "the route of the call");
	rn_gen_member(g, BPF_H, BPF_REG_1, BPF_REG_6, RN_BM_REGS_CS);
	rn_emit_jmpi(e, BPF_JNE, BPF_REG_1, RN_USER32_CS, native);
	rn_emit_movi(e, BPF_REG_7, RN_ROUTE_COMPAT);
	rn_emit_ja(e, found);
	rn_emit_bind(e, native);
	rn_gen_member(g, BPF_DW, BPF_REG_7, BPF_REG_6, RN_BM_REGS_ORIG_AX);
	rn_emit_jmpi(e, BPF_JGE, BPF_REG_7, RN_SYS_FIRST_FREE, other);
	rn_emit_ja(e, found);
	rn_emit_bind(e, other);
	rn_emit_movi(e, BPF_REG_7, RN_ROUTE_OTHER);
	rn_emit_bind(e, found);
	rn_emit_alui(e, BPF_LSH, BPF_REG_7, 6);
	rn_emit_map_value(e, BPF_REG_8, RN_MAP_ROUTES, 0);
	rn_emit_alu(e, BPF_ADD, BPF_REG_8, BPF_REG_7);
}
_Static_assert(sizeof(struct rn_route) == 1 << 6, "routes are found by a shift");

/* r0 = where the thread's call began is kept, or a jump to miss */
static void kept(struct rn_gen *g, bool create, int miss)
{
	rn_emit_call(g->emit, BPF_FUNC_get_current_task_btf);
	rn_emit_mov(g->emit, BPF_REG_2, BPF_REG_0);
	rn_emit_map(g->emit, BPF_REG_1, RN_MAP_START);
	rn_emit_movi(g->emit, BPF_REG_3, 0);
	rn_emit_movi(g->emit, BPF_REG_4, create ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	rn_emit_call(g->emit, BPF_FUNC_task_storage_get);
	rn_emit_jmpi(g->emit, BPF_JEQ, BPF_REG_0, 0, miss);
	g->out->map[RN_MAP_START].used = true;
}

/* r9 = the memory that is passed on. It gets the time when the call began. A time before since_ns
 * belongs to an earlier call. */
static void pass_begin(struct rn_gen *g)
{
	enum { SINCE = offsetof(struct rn_route, since_ns) };
	struct rn_emit *e = g->emit;
	int none = rn_emit_label(e);

	rn_emit_note(e, "when it began");
	rn_emit_sti(e, BPF_DW, BPF_REG_9, offsetof(struct rn_passed, begin_ns), 0);
	rn_emit_ldx(e, BPF_DW, BPF_REG_1, BPF_REG_8, SINCE, "since_ns");
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_1, 0, none);
	kept(g, false, none);
	rn_emit_ldx(e, BPF_DW, BPF_REG_1, BPF_REG_0, 0, NULL);
	rn_emit_sti(e, BPF_DW, BPF_REG_0, 0, 0);
	rn_emit_ldx(e, BPF_DW, BPF_REG_2, BPF_REG_8, SINCE, "since_ns");
	rn_emit_jmp(e, BPF_JLT, BPF_REG_1, BPF_REG_2, none);
	rn_emit_stx(e, BPF_DW, BPF_REG_9, offsetof(struct rn_passed, begin_ns), BPF_REG_1);
	rn_emit_bind(e, none);
}

static void at_return(struct rn_gen *g)
{
	struct rn_emit *e = g->emit;

	rn_emit_ldx(e, BPF_B, BPF_REG_1, BPF_REG_8, offsetof(struct rn_route, next), "next");
	rn_emit_jmpi(e, BPF_JGE, BPF_REG_1, RN_CHAIN_PLACES, g->out_label);
	passed(g, g->out_label);
	rn_emit_mov(e, BPF_REG_9, BPF_REG_0);
	rn_emit_stx(e, BPF_DW, BPF_REG_9, offsetof(struct rn_passed, route), BPF_REG_7);
	pass_begin(g);
	rn_emit_note(e, "to the first query that wants it");
	rn_emit_ldx(e, BPF_B, BPF_REG_3, BPF_REG_8, offsetof(struct rn_route, next), "next");
	go_on(g);
}

static void at_entry(struct rn_gen *g)
{
	struct rn_emit *e = g->emit;

	rn_emit_ldx(e, BPF_DW, BPF_REG_1, BPF_REG_8, offsetof(struct rn_route, since_ns),
		    "since_ns");
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_1, 0, g->out_label);
	rn_emit_note(e, "time of entry");
	kept(g, true, g->out_label);
	rn_emit_mov(e, BPF_REG_9, BPF_REG_0);
	rn_emit_call(e, BPF_FUNC_ktime_get_ns);
	rn_emit_stx(e, BPF_DW, BPF_REG_9, 0, BPF_REG_0);
}

struct rn_emit *rn_gen_chain_head(struct rn_arena *arena, const struct rn_btf *btf, unsigned ncpus,
				  bool entry, struct rn_err *err)
{
	struct rn_gen_opts opts = {.btf = btf, .ncpus = ncpus};
	struct rn_gen gen = {.arena = arena,
			     .opts = &opts,
			     .out = RN_NEW(arena, struct rn_gen_out),
			     .emit = rn_emit_new(arena),
			     .err = err};

	gen.out_label = rn_emit_label(gen.emit);
	gen.ctx_off = rn_gen_stack(&gen, 8);
	rn_emit_stx(gen.emit, BPF_DW, BPF_REG_10, gen.ctx_off, BPF_REG_1);
	rn_emit_ldx(gen.emit, BPF_DW, BPF_REG_6, BPF_REG_1, 0, NULL);
	find_route(&gen);
	if (entry)
		at_entry(&gen);
	else
		at_return(&gen);
	rn_emit_bind(gen.emit, gen.out_label);
	rn_emit_movi(gen.emit, BPF_REG_0, 0);
	rn_emit_exit(gen.emit);
	return gen.rc ? NULL : gen.emit;
}

void rn_gen_chain_specs(struct rn_map_spec map[RN_MAP_COUNT], unsigned ncpus)
{
	map[RN_MAP_CHAIN] =
		(struct rn_map_spec){BPF_MAP_TYPE_PROG_ARRAY, 4, 4, RN_CHAIN_PLACES, 0, false};
	map[RN_MAP_ROUTES] = (struct rn_map_spec){
		BPF_MAP_TYPE_ARRAY, 4,    PASSED_OFF + ncpus * PASSED_STRIDE, 1,
		BPF_F_MMAPABLE,     false};
}
