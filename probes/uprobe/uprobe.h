/* uprobe.h - probes on functions of programs and libraries: attaches programs to places in a file
 * (probes/process/elf.h finds them).
 *
 * A probe belongs to the file, not to a process: it works in every process that has the file
 * mapped, now or later. No probe is on returns, as the kernel makes them: those change the stack of
 * the program (leaves.h). Only descriptors hold it: closing them, or dying, takes the probes out.
 */
#ifndef RN_PROBES_UPROBE_UPROBE_H
#define RN_PROBES_UPROBE_UPROBE_H
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>
#include "lang/base/err.h"
#include "probes/process/elf.h"

enum { RN_TRACE_UPROBE_MULTI = 48 }; /* BPF_TRACE_UPROBE_MULTI of the kernel's ABI, from 6.6 on */

struct rn_probe_at {
	uint64_t off;     /* in the file; of the kernel: its address, 0: not known */
	uint64_t cookie;  /* what the program gets from bpf_get_attach_cookie */
	const char *name; /* of a function of the kernel */
	/* a counter of 16 bits in the file, which the kernel counts up in each process that maps it
	 * while the probe is there; 0: none */
	uint64_t counter;
};
struct rn_uprobes { /* where to attach */
	int file;   /* descriptor of the file */
	const struct rn_probe_at *at;
	unsigned n;
};
/* Can this kernel have one link for many places? Then load programs for it: expected_attach_type
 * RN_TRACE_UPROBE_MULTI. */
bool rn_uprobe_multi(void);
/* Attaches prog. links: room for uprobes->n descriptors; returns their number, or negative errno.
 * multi: prog was loaded for that; one link then holds all. */
int rn_uprobe_attach(int prog, bool multi, const struct rn_uprobes *uprobes, int *links);
/* The same for one function of the kernel, by a perf event: kprobe.h. Returns the link. */
int rn_kprobe_perf(int prog, const char *name, bool at_return, uint64_t cookie);
#endif
