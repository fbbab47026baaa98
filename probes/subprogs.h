/* subprogs.h - inside probes/: which function of the precompiled object a piece of relocated code is.
 *
 * The kernel describes the functions of a loaded program only after it has removed those that can never run, so their BTF ids
 * are taken from the object file itself. */
#ifndef RN_PROBES_SUBPROGS_H
#define RN_PROBES_SUBPROGS_H
#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>
#include "lang/err.h"

struct btf;
/* Sets type[i] to the BTF id of the function at in[start[i]], which ends where the next one starts (the last at n). elf: the object. */
int rn_subprog_types(const void *elf, size_t elf_bytes, const struct btf *btf, const struct bpf_insn *in, unsigned n,
		     const unsigned *start, unsigned nsubs, uint32_t *type, struct rn_err *err);
#endif
