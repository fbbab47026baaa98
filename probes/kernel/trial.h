/* trial.h - inside probes/: an empty program, loaded and attached to learn what this kernel and
 * this user can do. Nothing stays: the caller closes what it was given. */
#ifndef RN_PROBES_KERNEL_TRIAL_H
#define RN_PROBES_KERNEL_TRIAL_H
#include <bpf/bpf.h>

/* Loads the empty program: its descriptor, or a negative errno. btf_id: what it is attached to, for
 * types that ask for it; 0: nothing. */
int rn_trial_load(enum bpf_prog_type type, enum bpf_attach_type attach, uint32_t btf_id);
/* Attaches such a program to a raw tracepoint, and closes both. prog: from rn_trial_load, errors
 * too. 0, or a negative errno. */
int rn_trial_attach(int prog, const char *name);
/* Closes a descriptor, and passes an error on: 0, or the negative errno. */
int rn_trial_close(int fd);
#endif
