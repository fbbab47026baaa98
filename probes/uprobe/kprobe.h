/* kprobe.h - probes on functions of the kernel: attaches programs to functions by their names or
 * addresses. Only descriptors hold the probes: closing them, or dying, takes them out. */
#ifndef RN_PROBES_UPROBE_KPROBE_H
#define RN_PROBES_UPROBE_KPROBE_H
#include <stdbool.h>
#include <stdint.h>
#include "probes/uprobe/uprobe.h"

/* Ways to attach, the best one last. The expected_attach_type that a program is loaded with is in
 * rn_kprobe_type. */
enum rn_kprobe_way {
	RN_KPROBE_NONE,
	RN_KPROBE_PERF,   /* a perf event for each function */
	RN_KPROBE_MULTI,  /* one link for all: from 5.18 on, if built in */
	RN_KPROBE_SESSION /* the same, and one program at entry and return: from 6.10 on */
};
/* Finds the best way of this kernel by trying it, at most this one. */
enum rn_kprobe_way rn_kprobe_best(enum rn_kprobe_way most);
uint32_t rn_kprobe_type(enum rn_kprobe_way way);
const char *rn_kprobe_name(enum rn_kprobe_way way); /* "kprobe.multi" */
/* Attaches prog, which was loaded for that way, to the entry of n functions, or to their return. A
 * session is at both. at: names, and addresses in `off`; all have one, or all have 0. links: room
 * for n descriptors. Returns their number, or negative errno. */
int rn_kprobe_attach(int prog, enum rn_kprobe_way way, bool at_return, const struct rn_probe_at *at,
		     unsigned n, int *links);
/* Calls that the kernel did not report to the program of this link, as far as the link counts. */
int64_t rn_kprobe_missed(int link);
#endif
