/* loop_jumps.c - see loop_jumps.h. Suppose that an instruction runs into a jump target, and that a
 * jump back crosses the two. Then it may end a loop. If it only leads to an inner loop, it gets a
 * needless jump, which does no harm. */
#include <stdbool.h>
#include <stdlib.h>
#include "probes/intrinsics/loop_jumps.h"
#include "lang/base/memory.h"

static bool is_jump(const struct bpf_insn *i)
{
	unsigned cls = BPF_CLASS(i->code), op = BPF_OP(i->code);

	return cls == BPF_JMP32 || (cls == BPF_JMP && op != BPF_CALL && op != BPF_EXIT);
}

static bool runs_on(const struct bpf_insn *i)
{
	return !is_jump(i) && i->code != (BPF_JMP | BPF_EXIT);
}

bool rn_calls_ours(const struct bpf_insn *insn)
{
	return (insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL) ||
	       (insn->code == (BPF_LD | BPF_IMM | BPF_DW) && insn->src_reg == BPF_PSEUDO_FUNC);
}

/* Set to[]; return the new number of instructions. */
static unsigned place(const struct bpf_insn *in, unsigned n, uint32_t *to, int *back,
		      bool *aimed_at)
{
	unsigned at = 0;
	int across = 0; /* jumps back from here or later to before here */

	for (unsigned i = 0; i < n; i++) {
		unsigned t;

		if (!is_jump(&in[i]))
			continue;
		t = i + 1 + (unsigned)in[i].off;
		aimed_at[t] = true;
		if (t <= i) {
			back[t + 1]++;
			back[i + 1]--;
		}
	}
	for (unsigned i = 0; i < n; i++) {
		across += back[i];
		at += i && across && aimed_at[i] && runs_on(&in[i - 1]);
		to[i] = at++;
	}
	return at;
}

/* Write the code to the places of to[]. */
static bool rewrite(const struct bpf_insn *in, unsigned n, const uint32_t *to, struct bpf_insn *out,
		    unsigned nout)
{
	static const struct bpf_insn jump = {.code = BPF_JMP | BPF_JA};

	for (unsigned i = 0; i < nout; i++)
		out[i] = jump;
	for (unsigned i = 0; i < n; i++) {
		struct bpf_insn *o = &out[to[i]];

		*o = in[i];
		if (is_jump(o)) {
			int off = (int)to[i + 1 + (unsigned)in[i].off] - (int)to[i] - 1;

			o->off = (int16_t)off;
			if (o->off != off)
				return false;
		} else if (rn_calls_ours(o)) {
			o->imm = (int32_t)to[i + 1 + (unsigned)in[i].imm] - (int32_t)to[i] - 1;
		}
	}
	return true;
}

struct bpf_insn *rn_backedge_mend(const struct bpf_insn *in, unsigned n, uint32_t *to,
				  unsigned *nout)
{
	int *back = rn_calloc(n + 2, sizeof(*back));
	bool *aimed_at = rn_calloc(n + 1, sizeof(*aimed_at));
	struct bpf_insn *out;

	*nout = place(in, n, to, back, aimed_at);
	out = rn_malloc((*nout ? *nout : 1) * sizeof(*out));
	if (!rewrite(in, n, to, out, *nout)) {
		free(out);
		out = NULL;
	}
	free(back);
	free(aimed_at);
	return out;
}
