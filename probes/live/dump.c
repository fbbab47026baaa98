/* dump.c - the programs of a query as text, for --dump=bpf. */
#include <stddef.h>
#include "probes/gen/gen.h"
#include "probes/live/live.h"

static const char *how_of(const struct rn_prog *prog, const struct rn_hook_row *hook)
{
	switch (hook->at) {
	case RN_AT_TLS_RETURN: return "return of ";
	case RN_AT_USER_RETURN: return "ends of ";
	case RN_AT_KERNEL_RETURN: return "return of ";
	case RN_AT_KERNEL_SESSION: return "entry and return of ";
	case RN_AT_TLS_ENTRY:
	case RN_AT_USER_ENTRY:
	case RN_AT_KERNEL_ENTRY: return "entry of ";
	case RN_AT_CLOCK: return "the clock of each CPU, ";
	case RN_AT_ITERATOR: return "the kernel's iterator ";
	case RN_AT_NONE: return "events of the others";
	default: break;
	}
	return prog->raw       ? "raw_tp/"
	       : prog->chained ? "the chain of programs at "
	       : hook->trace   ? "tp_btf/"
			       : "tracepoint ";
}

const char *rn_live_dump(const char *node, const struct rn_fragment *fragment,
			 struct rn_arena *arena, struct rn_err *err)
{
	struct rn_btf none = {0}; /* offsets are shown by name, so this needs no kernel */
	struct rn_gen_opts opts = {.btf = &none,
				   .node = node,
				   .ncpus = 2,
				   .regs_type = !rn_btf_without("bpf_rdonly_cast"),
				   .task_type = 1,
				   .tls = fragment->cls->id == RN_CLS_TLS};
	struct rn_fragment fine = rn_fragment_fine(arena, fragment);
	struct rn_gen_out out;
	const char *text = "";

	for (unsigned i = 0; i < RN_HOOK_MAX; i++)
		none.trace[i] = 1;
	if (fragment->cls->kind == RN_CLASS_TABLE)
		return NULL;
	if (rn_gen_fragment(arena, &fine, &opts, &out, err))
		return NULL;
	for (unsigned i = 0; i < fragment->nlive; i++)
		text = rn_arena_printf(arena, "%slive set %u\n%s", text, i,
				       rn_live_dump(node, fragment->live[i]->exec, arena, err));
	for (unsigned i = 0; i < RN_MAP_MADE; i++)
		if (out.map[i].used)
			text = rn_arena_printf(arena, "%smap %s: key %u, value %u, entries %u\n",
					       text, rn_map_name((int)i), out.map[i].key_bytes,
					       out.map[i].value_bytes, out.map[i].entries);
	for (unsigned i = 0; i < out.nprogs; i++) {
		const struct rn_prog *prog = &out.prog[i];
		const struct rn_hook_row *hook = rn_hook_row(prog->hook);
		const char *how = how_of(prog, hook);
		const struct rn_class *cls =
			fine.cls->pair ? fine.cls->pair->end[prog->part] : fine.cls;

		if (prog->match >= 0)
			text = rn_arena_printf(arena, "%sprogram %s on tracepoint %s\n%s", text,
					       prog->name, prog->tp->match[prog->match].name,
					       prog->match && !rn_emit_reads(prog->emit, BPF_REG_6)
						       ? "\t(as the first)\n"
						       : rn_emit_dump(prog->emit, arena));
		else
			text = rn_arena_printf(
				arena, "%sprogram %s on %s%s\n%s", text, prog->name, how,
				hook->trace              ? hook->trace
				: hook->at == RN_AT_NONE ? ""
				: hook->at == RN_AT_TLS_RETURN || hook->at == RN_AT_TLS_ENTRY
					? "functions of TLS libraries"
				: prog->tp ? prog->tp->cls.arg
					   : cls->arg,
				rn_emit_dump(prog->emit, arena));
	}
	return text;
}
