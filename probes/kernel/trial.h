/* trial.h - inside probes/: an empty program, which is loaded and attached to learn what this
 * kernel and this user can do. Nothing stays: the caller closes what it gets. */
#ifndef RN_PROBES_KERNEL_TRIAL_H
#define RN_PROBES_KERNEL_TRIAL_H
#include <bpf/bpf.h>

/* Load the empty program; return its descriptor, or a negative errno. btf_id: the target, for types
 * that need one; 0: none. */
int rn_trial_load(enum bpf_prog_type type, enum bpf_attach_type attach, uint32_t btf_id);
/* Attach such a program to a raw tracepoint, and close both. prog: from rn_trial_load, errors too.
 * Return 0, or a negative errno. */
int rn_trial_attach(int prog, const char *name);
/* Close a descriptor, and pass an error on: 0, or the negative errno. */
int rn_trial_close(int fd);
#endif
