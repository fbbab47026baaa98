/* uprobe.h - probes on functions of programs and libraries: where a function lies in its file, and attaching programs there.
 *
 * A probe belongs to the file, not to a process: it works in every process that has the file mapped, now or later. All is held by
 * descriptors: closing them, or dying, takes the probes out. */
#ifndef RN_PROBES_UPROBE_H
#define RN_PROBES_UPROBE_H
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>
#include "lang/err.h"

enum { RN_TRACE_UPROBE_MULTI = 48 }; /* BPF_TRACE_UPROBE_MULTI of the kernel's ABI, from 6.6 on */

/* Offsets in the ELF file `fd` of functions by name; 0: it does not define that one. An endbr64 that a function begins with is skipped,
 * which makes a probe there an order of magnitude cheaper. The number found, or negative errno: -ENOEXEC if it is no ELF file. */
int rn_elf_functions(int fd, const char *const *names, unsigned n, uint64_t *off);

struct rn_uprobes { /* where to attach */
	int file;             /* descriptor of the file */
	const uint64_t *off;  /* offsets in it; 0: none */
	unsigned n;           /* at most 8; the program can ask for the index: bpf_get_attach_cookie */
	bool at_return;
};
/* Can this kernel have one link for many places? Programs must then be loaded for it: expected_attach_type RN_TRACE_UPROBE_MULTI. */
bool rn_uprobe_multi(void);
/* Attaches prog; links: room for u->n descriptors. Their number, or negative errno. multi: prog was loaded for
 * that; one link holds all then. */
int rn_uprobe_attach(int prog, bool multi, const struct rn_uprobes *u, int *links);
#endif
