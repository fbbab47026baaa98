/* handover.c - a search for tags as one program that many hooks share.
 *
 * The search, and the fields of its rows, are most of the code of such a query, and verifying them
 * takes most of the time that the query needs to begin. So each hook has a small program. It drops
 * events that the query does not ask for, and describes the call or the operation in the scratch
 * memory of its CPU (struct rn_bpf_call). It ends with a tail call (bpf_tail_call) of the taker.
 * The taker searches, tests the other conditions and makes the result. Nothing else of the query
 * runs on that CPU meanwhile.
 *
 * A hit that stands for several operations comes back for the next one: the taker ends with a tail
 * call of the program that describes it.
 *
 * Queries of an agent can share a search (probes/live/search.h). The taker of the first one hands a
 * hit to that of the second one, that one to the third, and so on. The last one asks for the next
 * operation. If the kernel refuses to go on, since there were too many tail calls, all of them
 * count the hit as lost.
 *
 * Such programs must have one type, so they are on raw tracepoints, and cast the registers of a
 * call to their type (bpf_rdonly_cast, Linux 6.2). Functions of libraries are no tracepoints: their
 * program makes its results itself, as all programs do on older kernels. */
#include <asm/unistd.h>
#include <linux/bpf.h>
#include "probes/gen/gen_impl.h"

/* kernel: MAX_TAIL_CALL_CNT. The first operation takes one, each further one two, and the question
 * after the last one takes one. */
enum { TAIL_CALLS = 33 };
_Static_assert(2 * RN_AREAS <= (int)TAIL_CALLS && 2 * RN_CLONES <= (int)TAIL_CALLS, "tail calls");

bool rn_gen_hands_over(const struct rn_gen *gen)
{
	return gen->opts->regs_type && gen->fragment->cls->id == RN_CLS_TAG &&
	       (gen->hook == RN_HOOK_SYS_EXIT ||
		(rn_hook_is_op(rn_hook_row(gen->hook)) && !rn_hook_row(gen->hook)->auxiliary &&
		 rn_hook_row(gen->hook)->at == RN_AT_TRACE));
}

bool rn_gen_takes_over(const struct rn_gen *gen)
{
	return gen->hook == RN_HOOK_TAKER;
}

bool rn_gen_joined(const struct rn_gen *gen)
{
	return gen->opts->joins && rn_gen_takes_over(gen);
}

const char *rn_gen_search_key(struct rn_arena *arena, const struct rn_fragment *fragment)
{
	const struct rn_gen gen = {.fragment = fragment, .hook = RN_HOOK_TAKER};
	const char *key = rn_arena_printf(arena, "%u %llu %d %d", fragment->scan_cap_bytes,
					  (unsigned long long)fragment->scan_rate_bytes,
					  fragment->no_clean_cache, fragment->withhold.payload);

	for (unsigned i = 0; i < fragment->ntags; i++)
		key = rn_arena_printf(arena, "%s, %s", key,
				      rn_tag_source(arena, fragment->tags[i]));
	for (unsigned i = 0; i < fragment->nwhere; i++)
		if (rn_gen_of_task(&gen, &fragment->where[i]))
			key = rn_arena_printf(arena, "%s and %s", key,
					      rn_expr_text(arena, fragment->where[i].expr));
	return key;
}

/* Can queries share this one's search? */
static bool is_shareable(const struct rn_gen *g)
{
	for (unsigned i = 0; i < g->fragment->nwhere; i++)
		if (g->fragment->where[i].place == RN_AT_KERNEL &&
		    !rn_gen_of_task(g, &g->fragment->where[i]))
			return false;
	return g->opts->shares;
}

void rn_gen_if_call(struct rn_gen *gen, int reg, int label)
{
	rn_gen_nr(gen, reg);
	rn_emit_jmpi(gen->emit, BPF_JLT, reg, RN_OP_FIRST, label);
}

static struct rn_prog *last(struct rn_gen *g)
{
	return &g->out->prog[g->out->nprogs - 1];
}

/* Go on in another program, if it is there. */
static void tail_call(struct rn_gen *g, int to)
{
	rn_emit_ldx(g->emit, BPF_DW, BPF_REG_1, BPF_REG_10, g->ctx_off, NULL);
	rn_emit_map(g->emit, BPF_REG_2, RN_MAP_TAILS);
	rn_emit_movi(g->emit, BPF_REG_3, to);
	rn_emit_call(g->emit, BPF_FUNC_tail_call);
	g->out->map[RN_MAP_TAILS].used = true;
}

/* What every hook tests: then the event is seen, and its process is one that the query is about. */
static void test_process(struct rn_gen *g)
{
	g->out->counts_seen = true;
	rn_emit_note(g->emit, "seen");
	rn_gen_stat(g, RN_STAT_SEEN);
	for (unsigned i = 0; i < g->fragment->nwhere; i++)
		if (rn_gen_of_task(g, &g->fragment->where[i]))
			rn_gen_where(g, &g->fragment->where[i], 1);
}

/* r6 = an operation: hand it over. */
static void hand_over(struct rn_gen *g)
{
	test_process(g);
	rn_emit_note(g->emit, "to the program that searches");
	tail_call(g, RN_TAIL_EVENT);
}

static bool is_among(unsigned nr, const uint16_t *list, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (list[i] == nr)
			return true;
	return false;
}

static enum rn_call_kind kind_of(const struct rn_gen *g, unsigned nr)
{
	static const uint16_t special[] = {__NR_splice, __NR_getsockopt};
	const uint16_t *copying;
	unsigned ncopying = rn_gen_copying(&copying);

	if (rn_gen_is_unsearched(nr) || is_among(nr, copying, ncopying) ||
	    (g->clones && nr == __NR_ioctl))
		return RN_CALL_SPECIAL;
	if (!is_among(nr, g->nr, g->nnr))
		return RN_CALL_OTHER;
	return is_among(nr, special, sizeof(special) / sizeof(*special)) ? RN_CALL_SPECIAL
									 : RN_CALL_SEARCHED;
}

void rn_gen_class_by_table(struct rn_gen *gen)
{
	struct rn_emit *e = gen->emit;
	int compat = rn_emit_label(e);

	for (unsigned nr = 0; nr < RN_SYS_FIRST_FREE; nr++)
		gen->out->calls[nr] = (uint8_t)kind_of(gen, nr);
	gen->out->map[RN_MAP_CALLS].used = true;
	gen->kind_off = rn_gen_stack(gen, 8);
	rn_emit_note(e, "calls of class %s; 32-bit programs have other numbers", gen->cls->name);
	rn_emit_sti(e, BPF_DW, BPF_REG_10, gen->kind_off, RN_CALL_SPECIAL);
	rn_gen_member(gen, BPF_H, BPF_REG_1, BPF_REG_6, RN_BM_REGS_CS);
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_1, RN_USER32_CS, compat);
	rn_gen_nr(gen, BPF_REG_1);
	rn_emit_jmpi(e, BPF_JGE, BPF_REG_1, RN_SYS_FIRST_FREE, gen->out_label);
	rn_emit_map_value(e, BPF_REG_2, RN_MAP_CALLS, 0);
	rn_emit_alu(e, BPF_ADD, BPF_REG_2, BPF_REG_1);
	rn_emit_ldx(e, BPF_B, BPF_REG_1, BPF_REG_2, 0, NULL);
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_1, RN_CALL_OTHER, gen->out_label);
	rn_emit_stx(e, BPF_DW, BPF_REG_10, gen->kind_off, BPF_REG_1);
	rn_emit_bind(e, compat);
}

/* The cast registers are read with a check at each load. These need none. */
static void trusted_registers(struct rn_gen *g)
{
	rn_emit_note(g->emit, "r6 = the same registers, which are quicker to read");
	rn_emit_mov(g->emit, BPF_REG_1, BPF_REG_8);
	rn_emit_call(g->emit, BPF_FUNC_task_pt_regs);
	rn_emit_mov(g->emit, BPF_REG_6, BPF_REG_0);
}

/* Does for a special call what comes before the search, or all. */
static void special_calls(struct rn_gen *g)
{
	int plain = rn_emit_label(g->emit), clone = 0;
	struct rn_gen before;

	rn_emit_ldx(g->emit, BPF_DW, BPF_REG_1, BPF_REG_10, g->kind_off, NULL);
	rn_emit_jmpi(g->emit, BPF_JEQ, BPF_REG_1, RN_CALL_SEARCHED, plain);
	before = *g;
	rn_gen_of_class(g);
	if (g->clones)
		clone = rn_gen_clone_branch(g);
	rn_gen_take_pipe_capture(g);
	rn_gen_unsearched(g);
	rn_emit_ja(g->emit, plain);
	rn_gen_forget(g, &before);
	if (g->clones) {
		rn_gen_clone_begin(g, clone);
		hand_over(g);
		rn_gen_forget(g, &before);
		rn_emit_ja(g->emit, g->out_label);
	}
	rn_emit_bind(g->emit, plain);
}

/* The same for a call, with its registers in r6. */
static void hand_call_over(struct rn_gen *g)
{
	special_calls(g);
	test_process(g);
	trusted_registers(g);
	rn_emit_note(g->emit, "the call, to the program that searches");
	rn_gen_call_in_r1(g);
	rn_emit_sti(g->emit, BPF_DW, BPF_REG_1, offsetof(struct rn_bpf_call, begin_ns), 0);
	tail_call(g, RN_TAIL_EVENT);
}

void rn_gen_hook_program(struct rn_gen *gen, unsigned hook)
{
	rn_gen_begin(gen, hook, hook == RN_HOOK_SYS_EXIT ? "rn_call" : "rn_operation");
	last(gen)->raw = true;
	rn_gen_context(gen);
	rn_gen_filter_task(gen, false);
	if (gen->shared && !gen->is_op)
		rn_gen_check_cpu(gen);
	if (gen->is_op)
		hand_over(gen);
	else
		hand_call_over(gen);
	rn_gen_end(gen);
}

/* All events that programs on tracepoints make. */
static void list_numbers(struct rn_gen *g)
{
	uint16_t *nr = RN_NEWN(g->arena, uint16_t, RN_SYS_MAX);
	unsigned n = 0;

	rn_gen_numbers(g, 0, RN_OP_FIRST);
	for (unsigned i = 0; i < g->nnr; i++)
		if (rn_class_covers(g->cls, g->nr[i]))
			nr[n++] = g->nr[i];
	rn_gen_numbers(g, RN_OP_FIRST, RN_SYS_MAX);
	for (unsigned i = 0; i < g->nnr; i++)
		if (g->nr[i] != RN_OP_TLS_READ && g->nr[i] != RN_OP_TLS_WRITE)
			nr[n++] = g->nr[i];
	g->nr = nr;
	g->nnr = n;
}

/* r6 = the record that another program has filled, r8 = current task. */
static void begin_taker(struct rn_gen *g, const char *name, int tail)
{
	rn_gen_begin(g, RN_HOOK_TAKER, name);
	g->is_op = true;
	last(g)->raw = true;
	last(g)->tail = tail;
	rn_gen_context(g);
}

/* The kernel did not go on: count it in the memory that the queries of a search share. */
static void not_passed(struct rn_gen *g)
{
	enum { AT = (int)RN_SCRATCH_UNPASSED - (int)RN_SCRATCH_CALL };

	rn_emit_ldx(g->emit, BPF_DW, BPF_REG_1, BPF_REG_6, AT, NULL);
	rn_emit_alui(g->emit, BPF_ADD, BPF_REG_1, 1);
	rn_emit_stx(g->emit, BPF_DW, BPF_REG_6, AT, BPF_REG_1);
}

/* To the query that shares the search and comes after this one, if there is one. */
static void pass_hit(struct rn_gen *g)
{
	int none = rn_emit_label(g->emit);

	rn_emit_note(g->emit, "the hit, to the next query");
	rn_emit_map_value(g->emit, BPF_REG_1, RN_MAP_GLOBALS, 0);
	rn_emit_ldx(g->emit, BPF_DW, BPF_REG_1, BPF_REG_1, offsetof(struct rn_globals, next), NULL);
	rn_emit_jmpi(g->emit, BPF_JEQ, BPF_REG_1, 0, none);
	tail_call(g, RN_TAIL_NEXT + (int)(g->opts->joins ? g->opts->place : 0));
	not_passed(g);
	rn_emit_bind(g->emit, none);
	g->out->map[RN_MAP_GLOBALS].used = true;
}

/* The search, then the result; but not once this query has ended, while others share the search. */
static void search_and_share(struct rn_gen *g)
{
	int none = g->out_label, others = rn_emit_label(g->emit);

	rn_gen_cache(g, RN_CACHED_TAGS);
	rn_emit_ldx(g->emit, BPF_DW, BPF_REG_1, BPF_REG_10, g->cached[RN_CACHED_TAGS], NULL);
	rn_emit_jmpi(g->emit, BPF_JEQ, BPF_REG_1, 0, none);
	rn_emit_map_value(g->emit, BPF_REG_1, RN_MAP_GLOBALS, 0);
	rn_emit_ldx(g->emit, BPF_DW, BPF_REG_1, BPF_REG_1, offsetof(struct rn_globals, over), NULL);
	rn_emit_jmpi(g->emit, BPF_JNE, BPF_REG_1, 0, others);
	g->out_label = others;
	rn_gen_result(g);
	rn_emit_bind(g->emit, others);
	pass_hit(g);
	g->out_label = none;
}

/* A hit of another query's search. */
static void take_hit(struct rn_gen *g)
{
	int end = g->out_label;

	g->out_label = rn_emit_label(g->emit);
	g->out->counts_seen = true;
	if (g->shared)
		rn_gen_check_cpu(g);
	rn_gen_of_event(g);
	rn_emit_bind(g->emit, g->out_label);
	pass_hit(g);
	g->out_label = end;
}

/* After an operation of a hit that stands for several: on to the next one. */
static void next_operation(struct rn_gen *g, const uint16_t *nr, unsigned n, enum rn_tail again)
{
	int other = rn_emit_label(g->emit);

	rn_emit_note(g->emit, "is there another one?");
	rn_gen_nr_test(g, nr, n, false, other);
	rn_emit_sti(g->emit, BPF_DW, BPF_REG_6, (int)offsetof(struct rn_bpf_call, arg[5]),
		    RN_AGAIN);
	tail_call(g, again);
	if (g->out->shareable || g->opts->joins)
		not_passed(g);
	rn_emit_bind(g->emit, other);
}

static void again(struct rn_gen *g, enum rn_intrinsic next, enum rn_tail tail)
{
	begin_taker(g, "rn_again", tail);
	rn_emit_mov(g->emit, BPF_REG_1, BPF_REG_6);
	rn_gen_intrinsic(g, next);
	rn_emit_jmpi(g->emit, BPF_JEQ, BPF_REG_0, 0, g->out_label);
	hand_over(g);
	rn_gen_end(g);
}

void rn_gen_takers(struct rn_gen *gen)
{
	static const uint16_t locks[] = {RN_OP_MMAP_WRITE};
	bool needed = gen->opts->joins, locked = gen->opts->joins;
	const uint16_t *clones;
	unsigned nclones = rn_gen_clone_ops(&clones);
	int end;

	for (unsigned i = 0; i < gen->out->nprogs; i++) {
		needed |= gen->out->prog[i].raw;
		locked |= gen->out->prog[i].raw &&
			  rn_hook_row(gen->out->prog[i].hook)->max_ops_per_hit;
	}
	if (!needed)
		return;
	list_numbers(gen);
	begin_taker(gen, "rn_event", gen->opts->joins ? -1 : (int)RN_TAIL_EVENT);
	gen->out->shareable = !gen->opts->joins && is_shareable(gen);
	rn_emit_note(gen->emit, "r7 = its result");
	rn_emit_ldx(gen->emit, BPF_DW, BPF_REG_7, BPF_REG_6, offsetof(struct rn_bpf_call, ret),
		    NULL);
	end = gen->out_label;
	gen->out_label = rn_emit_label(gen->emit);
	if (gen->opts->joins)
		take_hit(gen);
	else if (gen->out->shareable)
		search_and_share(gen);
	else
		rn_gen_of_event(gen);
	rn_emit_bind(gen->emit, gen->out_label);
	gen->out_label = end;
	if (locked)
		next_operation(gen, locks, 1, RN_TAIL_LOCK_AGAIN);
	if (gen->clones)
		next_operation(gen, clones, nclones, RN_TAIL_CLONE_AGAIN);
	rn_gen_end(gen);
	if (gen->opts->joins)
		return;
	if (locked)
		again(gen, RN_I_OP_LOCK, RN_TAIL_LOCK_AGAIN);
	if (gen->clones)
		again(gen, RN_I_OP_CLONE, RN_TAIL_CLONE_AGAIN);
}
