/* walk.c - members of what arguments of the kernel point to (probes/catalog/members.h).
 *
 * A null pointer on the way, or an address that cannot be read, gives 0 or the empty text, and is
 * counted. There are two ways to read a step:
 *
 * Loads. bpf_rdonly_cast (Linux 6.2) makes any number a pointer from which the verifier lets a
 * program load; it leaves no instruction behind. The JIT gives such a load an entry in the table of
 * exceptions: at an address that cannot be read it gives 0. So 0 on the way is counted in any case.
 * If the number at the end is 0, the program finds out whether it was read (not_read).
 *
 * Without the cast: bpf_probe_read_kernel, which tells by its result. */
#include <linux/bpf.h>
#include "probes/gen/gen_impl.h"

static const struct rn_arg_member *member_of(const struct rn_field *field)
{
	return field->id == RN_F_MEMBER ? field->own : NULL;
}

static void look(void *self, const struct rn_expr *e)
{
	*(bool *)self |= e->kind == RN_E_FIELD && member_of(e->field);
}

bool rn_gen_has_members(const struct rn_fragment *fragment)
{
	bool any = false;

	for (unsigned i = 0; i < fragment->nwhere; i++)
		rn_expr_look(fragment->where[i].expr, look, &any);
	for (unsigned i = 0; i < fragment->nkeys; i++)
		rn_expr_look(fragment->keys[i], look, &any);
	for (unsigned i = 0; i < fragment->naggs; i++) {
		rn_expr_look(fragment->aggs[i].arg, look, &any);
		rn_expr_look(fragment->aggs[i].where, look, &any);
	}
	for (unsigned i = 0; i < fragment->nfields; i++)
		any |= member_of(fragment->fields[i]) != NULL;
	return any;
}

const struct rn_arg_member *rn_gen_member_field(struct rn_gen *gen, const struct rn_field *field)
{
	struct rn_pair_capture *kept;

	field = rn_gen_resolve_pair_field(gen, field, &kept);
	return kept ? NULL : member_of(field);
}

/* A program at a tracepoint has its record, or its arguments. */
static void not_both(struct rn_gen *g)
{
	if (g->of_record && g->of_arguments)
		rn_gen_fail(g,
			    "`%s` is in the record of the tracepoint, `%s` among its arguments: a "
			    "query can have one of them",
			    g->of_record, g->of_arguments);
}

void rn_gen_of_record(struct rn_gen *gen, const char *name)
{
	gen->of_record = name;
	not_both(gen);
}

static void of_arguments(struct rn_gen *g, const char *name)
{
	g->of_arguments = name;
	g->out->prog[g->out->nprogs - 1].typed = true;
	not_both(g);
}

/* dst = the value that the way starts with */
static void root(struct rn_gen *g, const struct rn_arg_member *m, int dst)
{
	switch (m->root) {
	case RN_ROOT_ARG: rn_gen_arg(g, m->n, dst); return;
	case RN_ROOT_RET: rn_emit_mov(g->emit, dst, BPF_REG_7); return;
	case RN_ROOT_TASK: rn_emit_mov(g->emit, dst, BPF_REG_8); return;
	case RN_ROOT_RECORD:
		rn_gen_of_record(g, m->field.name);
		rn_emit_ldx(g->emit, BPF_DW, dst, BPF_REG_6, m->record->offset, NULL);
		return;
	case RN_ROOT_TRACE:
		of_arguments(g, m->field.name);
		rn_emit_ldx(g->emit, BPF_DW, dst, BPF_REG_6, 8 * m->n, NULL);
		return;
	}
}

/* r0 = 0 if n bytes at r3 + off are in the stack slot now */
static void read_at(struct rn_gen *g, int slot, int32_t off, uint32_t n)
{
	rn_emit_alui(g->emit, BPF_ADD, BPF_REG_3, off);
	rn_emit_mov(g->emit, BPF_REG_1, BPF_REG_10);
	rn_emit_alui(g->emit, BPF_ADD, BPF_REG_1, slot);
	rn_emit_movi(g->emit, BPF_REG_2, n);
	rn_emit_call(g->emit, BPF_FUNC_probe_read_kernel);
}

/* r3 = what size (BPF_DW ...) says at r3 + off; 0 if that cannot be read. Clobbers r0..r5. */
static void load_at(struct rn_gen *g, int32_t off, int size)
{
	rn_emit_mov(g->emit, BPF_REG_1, BPF_REG_3);
	if (off)
		rn_emit_alui(g->emit, BPF_ADD, BPF_REG_1, off);
	rn_gen_cast(g, g->opts->regs_type, "struct pt_regs");
	rn_emit_ldx(g->emit, size, BPF_REG_3, BPF_REG_0, 0, NULL);
}

/* r3 = the pointer at r3 + off, which a further one lies behind: jumps to fault if it was not read.
 * A pointer that is null may do so, too, since nothing can be read behind it. */
static void step(struct rn_gen *g, int slot, int32_t off, int fault)
{
	if (g->opts->regs_type) {
		load_at(g, off, BPF_DW);
		rn_emit_jmpi(g->emit, BPF_JEQ, BPF_REG_3, 0, fault);
		return;
	}
	read_at(g, slot, off, 8);
	rn_emit_jmpi(g->emit, BPF_JNE, BPF_REG_0, 0, fault);
	rn_emit_ldx(g->emit, BPF_DW, BPF_REG_3, BPF_REG_10, slot, NULL);
}

/* r3 = the address behind the last pointer; jumps to fault. */
static void follow(struct rn_gen *g, const struct rn_arg_member *m, int slot, int fault)
{
	root(g, m, BPF_REG_3);
	for (unsigned i = 0; i < m->walk.nload; i++)
		step(g, slot, m->walk.off[i], fault);
}

/* r3 is what was read: gives it its width, its sign, its order of bytes. */
static void shape(struct rn_gen *g, const struct rn_walk *w)
{
	struct rn_emit *e = g->emit;
	unsigned bits = w->bits ? w->bits : 8 * w->bytes;

	if (w->big_endian && !w->bits && w->bytes > 1)
		rn_emit_raw(e,
			    (struct bpf_insn){.code = BPF_ALU | BPF_END | BPF_TO_BE,
					      .dst_reg = BPF_REG_3,
					      .imm = (int)bits},
			    -1, NULL);
	if (w->bits && w->first_bit)
		rn_emit_alui(e, BPF_RSH, BPF_REG_3, w->first_bit);
	if (bits >= 64)
		return;
	rn_emit_alui(e, BPF_LSH, BPF_REG_3, (int)(64 - bits));
	rn_emit_alui(e, w->is_signed ? BPF_ARSH : BPF_RSH, BPF_REG_3, (int)(64 - bits));
}

/* The number at the address in the slot is 0, or it was not read: r3 = 0 and a jump to read, or a
 * jump to fault. Memory can be read by whole pages. So if anything in the same line of the cache,
 * which is at hand, is not 0, the number was read. Else the helper tells. */
static void not_read(struct rn_gen *g, uint32_t bytes, int slot, int read, int fault)
{
	enum { LINE = 64 };
	struct rn_emit *e = g->emit;
	int ask = rn_emit_label(e);

	rn_emit_note(e, "0: is it there, or can it not be read?");
	rn_emit_ldx(e, BPF_DW, BPF_REG_1, BPF_REG_10, slot, NULL);
	rn_emit_mov(e, BPF_REG_2, BPF_REG_1);
	rn_emit_alui(e, BPF_AND, BPF_REG_2, LINE - 1);
	rn_emit_jmpi(e, BPF_JGT, BPF_REG_2, LINE - (int32_t)bytes, ask);
	rn_emit_alui(e, BPF_AND, BPF_REG_1, -LINE);
	rn_gen_cast(g, g->opts->regs_type, "struct pt_regs");
	rn_emit_movi(e, BPF_REG_3, 0);
	for (int i = 0; i < LINE; i += 8) {
		rn_emit_ldx(e, BPF_DW, BPF_REG_1, BPF_REG_0, i, NULL);
		rn_emit_jmpi(e, BPF_JNE, BPF_REG_1, 0, read);
	}
	rn_emit_bind(e, ask);
	rn_emit_ldx(e, BPF_DW, BPF_REG_3, BPF_REG_10, slot, NULL);
	rn_emit_sti(e, BPF_DW, BPF_REG_10, slot, 0);
	read_at(g, slot, 0, bytes);
	rn_emit_jmpi(e, BPF_JNE, BPF_REG_0, 0, fault);
	rn_emit_ldx(e, BPF_DW, BPF_REG_3, BPF_REG_10, slot, NULL);
}

/* r3 = the number at r3 + off; jumps to fault. The bytes of a bit field may be fewer than those of
 * the load: the surplus is none of it, and does no harm. */
static void load_number(struct rn_gen *g, const struct rn_arg_member *m, int slot, int fault)
{
	uint32_t bytes = m->walk.bytes;
	int size = bytes > 4   ? BPF_DW
		   : bytes > 2 ? BPF_W
		   : bytes > 1 ? BPF_H
			       : BPF_B,
	    read = rn_emit_label(g->emit);

	if (m->root == RN_ROOT_TASK && !m->walk.nload) { /* it is there as long as it runs */
		load_at(g, m->walk.off[0], size);
		return;
	}
	rn_emit_alui(g->emit, BPF_ADD, BPF_REG_3, m->walk.off[m->walk.nload]);
	rn_emit_stx(g->emit, BPF_DW, BPF_REG_10, slot, BPF_REG_3);
	load_at(g, 0, size);
	rn_emit_jmpi(g->emit, BPF_JNE, BPF_REG_3, 0, read);
	not_read(g, bytes, slot, read, fault);
	rn_emit_bind(g->emit, read);
}

static void fetch_number(struct rn_gen *g, const struct rn_arg_member *m, int slot)
{
	int fault = rn_emit_label(g->emit), done = rn_emit_label(g->emit);

	if (m->walk.in_register) {
		root(g, m, BPF_REG_3);
	} else {
		follow(g, m, slot, fault);
		if (g->opts->regs_type) {
			load_number(g, m, slot, fault);
		} else {
			rn_emit_sti(g->emit, BPF_DW, BPF_REG_10, slot, 0);
			read_at(g, slot, m->walk.off[m->walk.nload], m->walk.bytes);
			rn_emit_jmpi(g->emit, BPF_JNE, BPF_REG_0, 0, fault);
			rn_emit_ldx(g->emit, BPF_DW, BPF_REG_3, BPF_REG_10, slot, NULL);
		}
	}
	shape(g, &m->walk);
	rn_emit_stx(g->emit, BPF_DW, BPF_REG_10, slot, BPF_REG_3);
	if (!m->walk.in_register) {
		rn_emit_ja(g->emit, done);
		rn_emit_bind(g->emit, fault);
		rn_gen_stat(g, RN_STAT_FAULTED);
		rn_emit_sti(g->emit, BPF_DW, BPF_REG_10, slot, 0);
		rn_emit_bind(g->emit, done);
	}
}

int rn_gen_walk(struct rn_gen *gen, const struct rn_arg_member *member)
{
	for (unsigned i = 0; i < gen->nwalks; i++)
		if (gen->walk[i].member == member)
			return gen->walk[i].slot;
	if (gen->nwalks == RN_WALKS_MAX) {
		rn_gen_fail(gen, "more than %d members of arguments in one query", RN_WALKS_MAX);
		return gen->walk[0].slot;
	}
	gen->walk[gen->nwalks].member = member;
	gen->walk[gen->nwalks].slot = rn_gen_stack(gen, 8);
	rn_emit_note(gen->emit, "%s", member->field.name);
	fetch_number(gen, member, gen->walk[gen->nwalks].slot);
	return gen->walk[gen->nwalks++].slot;
}

void rn_gen_walk_text(struct rn_gen *gen, const struct rn_arg_member *member, int base, int off)
{
	struct rn_emit *e = gen->emit;
	const struct rn_walk *w = &member->walk;
	int room = sizeof(((struct rn_bpf_str *)0)->text), none = rn_emit_label(e),
	    done = rn_emit_label(e), read = rn_emit_label(e);

	if (!gen->walk_slot)
		gen->walk_slot = rn_gen_stack(gen, 8);
	for (int i = 0; i < (int)sizeof(struct rn_bpf_str); i += 8)
		rn_emit_sti(e, BPF_DW, base, off + i, 0);
	follow(gen, member, gen->walk_slot, none);
	if (w->kind == RN_WALK_STRING && !w->in_register) {
		step(gen, gen->walk_slot, w->off[w->nload], none);
	} else if (w->kind == RN_WALK_CHARS) {
		rn_emit_alui(e, BPF_ADD, BPF_REG_3, w->off[w->nload]);
		room = (int)w->bytes < room ? (int)w->bytes : room;
	}
	rn_emit_mov(e, BPF_REG_1, base);
	rn_emit_alui(e, BPF_ADD, BPF_REG_1, off + (int)offsetof(struct rn_bpf_str, text));
	rn_emit_movi(e, BPF_REG_2, room);
	if (w->kind == RN_WALK_STRING) /* compilers do not tell on which side it points */
		rn_emit_stx(e, BPF_DW, BPF_REG_10, gen->walk_slot, BPF_REG_3);
	rn_emit_call(e, BPF_FUNC_probe_read_kernel_str);
	if (w->kind == RN_WALK_STRING) {
		rn_emit_jmpi(e, BPF_JSGE, BPF_REG_0, 1, read);
		rn_emit_ldx(e, BPF_DW, BPF_REG_3, BPF_REG_10, gen->walk_slot, NULL);
		rn_emit_mov(e, BPF_REG_1, base);
		rn_emit_alui(e, BPF_ADD, BPF_REG_1, off + (int)offsetof(struct rn_bpf_str, text));
		rn_emit_movi(e, BPF_REG_2, room);
		rn_emit_call(e, BPF_FUNC_probe_read_user_str);
	}
	rn_emit_bind(e, read);
	rn_emit_jmpi(e, BPF_JSLT, BPF_REG_0, 1, none);
	rn_emit_alui(e, BPF_SUB, BPF_REG_0, 1);
	rn_emit_stx(e, BPF_W, base, off, BPF_REG_0);
	if (w->kind == RN_WALK_STRING) {
		rn_emit_jmpi(e, BPF_JNE, BPF_REG_0, room - 1, done);
		rn_gen_stat(gen, RN_STAT_TRUNCATED);
	}
	rn_emit_ja(e, done);
	rn_emit_bind(e, none);
	rn_gen_stat(gen, RN_STAT_FAULTED);
	rn_emit_bind(e, done);
}
