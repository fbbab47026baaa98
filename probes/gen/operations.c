/* operations.c - operations of a class that are no system calls: io_uring, mapped pages, libraries.
 *
 * A row of hooks.c says where the kernel reports them. A kernel may lack the place. Then the class
 * goes without these operations, and a search for tags counts the call that asks for them. */
#include <asm/unistd.h>
#include <linux/bpf.h>
#include "probes/gen/gen_impl.h"

/* Can the hook of an operation be attached here? */
static bool available(const struct rn_gen *g, unsigned hook)
{
	return rn_hook_row(hook)->at == RN_AT_TRACE ? g->opts->btf->trace[hook] != 0 : g->opts->tls;
}

/* Does a hook on this kernel make events of these operations? If not, a program that helps it has
 * nothing to do. */
static bool made(const struct rn_gen *g, unsigned op)
{
	for (unsigned i = 0; rn_hook_row(i); i++)
		if (rn_hook_row(i)->op == op && rn_hook_is_op(rn_hook_row(i)) &&
		    !rn_hook_row(i)->auxiliary && available(g, i))
			return true;
	return false;
}

/* Is there a hook of these operations that this kernel lacks? Then some of them are not
 * reported. */
static bool op_lacks_hook(const struct rn_gen *g, unsigned op)
{
	for (unsigned i = 0; rn_hook_row(i); i++)
		if (rn_hook_row(i)->op == op && rn_hook_is_op(rn_hook_row(i)) &&
		    !rn_hook_row(i)->auxiliary && !available(g, i))
			return true;
	return false;
}

static bool is_every_call(const struct rn_class *cls)
{
	bool every = cls->id == RN_CLS_SYSCALL;

	for (const struct rn_class *const *m = cls->list; m && *m; m++)
		every |= is_every_call(*m);
	return every;
}

void rn_gen_numbers(struct rn_gen *gen, unsigned from, unsigned to)
{
	uint16_t *nr = RN_NEWN(gen->arena, uint16_t, RN_SYS_MAX);
	/* If no hook reports what io_uring does, or what is done through maps, a search for tags
	 * counts the call that asks for it as uncovered. It always does so for calls that take a
	 * message from a queue. */
	bool tag = from == 0 && gen->cls->id == RN_CLS_TAG,
	     reads = !op_lacks_hook(gen, RN_OP_MMAP_READ);
	bool uring = tag && !made(gen, RN_OP_URING_READ),
	     maps = tag && (!reads || op_lacks_hook(gen, RN_OP_MMAP_WRITE));

	gen->all_nr = is_every_call(gen->cls);
	gen->nnr = 0;
	for (unsigned i = from; i < to; i++)
		if ((rn_class_covers(gen->cls, i) || (uring && i == __NR_io_uring_enter) ||
		     (maps && i == __NR_mmap) ||
		     (tag && (i == __NR_msgrcv || i == __NR_mq_timedreceive ||
			      rn_gen_is_unsearched(i)))) &&
		    rn_sys_name(i))
			nr[gen->nnr++] = (uint16_t)i;
	gen->nr = nr;
	gen->out->no_map_reads |= maps && !reads;
}

/* Does the query search payload for tags? */
static bool searches(const struct rn_gen *g)
{
	return g->fragment->cls->id == RN_CLS_TAG || g->out->intrinsics >> RN_I_SCAN & 1;
}

void rn_gen_operations(struct rn_gen *gen)
{
	const struct rn_hook_row *hook;
	unsigned helped = 0;

	for (unsigned i = 0; (hook = rn_hook_row(i)); i++) {
		if (!rn_hook_is_op(hook) || !available(gen, i) ||
		    (hook->op >= RN_OP_FIRST && !made(gen, hook->op)))
			continue;
		gen->attach_on_demand = hook->attach_on_demand && hook->op == helped;
		if (hook->only_with_search &&
		    ((hook->op == helped && !gen->attach_on_demand) || !searches(gen)))
			continue;
		rn_gen_numbers(gen, hook->op, hook->op + hook->nops);
		if (!gen->nnr || gen->rc)
			continue;
		if (hook->auxiliary && hook->at == RN_AT_TRACE && gen->opts->joins)
			continue;
		if (hook->auxiliary)
			rn_gen_plain_program(gen, i, "rn_begin");
		else
			rn_gen_event_program(gen, i);
		if (gen->out->nprogs)
			gen->out->prog[gen->out->nprogs - 1].attach_on_demand =
				gen->attach_on_demand;
		if (hook->only_with_search)
			helped = hook->op;
	}
}
