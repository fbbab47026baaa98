/* named.c - functions that a query names, of programs or of the kernel: found when the source is
 * opened, and attached to. */
#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "probes/catalog/members.h"
#include "probes/catalog/tracefs.h"
#include "probes/live/live_impl.h"
#include "probes/uprobe/usdt.h"

/* Parameters by their names: a function of which the kernel does not tell them has no probe. */
static void leave_out_unknown(struct rn_live *live, const struct rn_class *cls)
{
	struct rn_user *u = &live->user;
	unsigned n = 0;

	for (unsigned i = 0; i < u->n; i++)
		if (rn_types_fits(cls->member_self, cls, u->at[i].name))
			u->at[n++] = u->at[i];
	u->left_out += u->n - n;
	u->n = n;
}

static int find_kernel(struct rn_live *live, const char *arg, struct rn_err *err)
{
	int root = rn_tracefs_open(err), fd, r;
	FILE *list;

	if (root < 0)
		return root;
	fd = openat(root, "available_filter_functions", O_RDONLY | O_CLOEXEC);
	close(root);
	list = fd < 0 ? NULL : fdopen(fd, "r");
	if (!list ||
	    (access("/sys/bus/event_source/devices/kprobe/type", F_OK) && !rn_kprobe_multi())) {
		if (list)
			(void)fclose(list);
		rn_err_set(err, -ENOTSUP, "this kernel is built without probes on its functions");
		rn_err_hint(err, "its tracepoints are there: `runnel list 'tcp:*'` shows those of "
				 "tcp; and system calls by name");
		return -ENOTSUP;
	}
	r = rn_user_find_kernel(&live->user, list, arg, err);
	(void)fclose(list);
	if (!r && rn_gen_has_members(live->fragment))
		leave_out_unknown(live, live->fragment->cls);
	return r;
}

int rn_live_find_functions(struct rn_live *live, const struct rn_fragment *fragment,
			   struct rn_err *err)
{
	live->dec.user = &live->user;
	switch (fragment->cls->id) {
	case RN_CLS_USER:
		return rn_user_find(&live->user, fragment->cls->arg, rn_hook_at_return(fragment),
				    err);
	case RN_CLS_USDT:
		return rn_usdt_find(&live->user, fragment->cls->arg, rn_gen_arguments(fragment),
				    err);
	case RN_CLS_KERNEL: return find_kernel(live, fragment->cls->arg, err);
	default: return 0;
	}
}

int rn_live_write_places(struct rn_live *live, struct rn_err *err)
{
	for (uint32_t i = 0; i < live->user.n; i++)
		if (bpf_map_update_elem(live->maps.fd[RN_MAP_PLACES], &i, &live->user.operands[i],
					BPF_ANY))
			return rn_err_set(err, -errno, "cannot fill the map of places: %s",
					  strerror(errno));
	return 0;
}

/* Is it this function that the kernel does not probe? Two notes of one place may name different
 * counters, and others may probe the place already with another one: -EINVAL. */
static bool is_refusal(const struct rn_live *live, int file, int code)
{
	enum { ENOTSUPP = 524 }; /* of the kernel alone */

	return code == -ENOTSUPP || (live->user.operands && code == -EINVAL) ||
	       (file < 0 &&
		(code == -EINVAL || code == -ESRCH || code == -ENOENT || code == -EADDRNOTAVAIL));
}

/* Attaches to n functions of a file, or of the kernel (file -1). One that cannot be probed fails
 * the link that holds it: halves tell which it is. Returns the functions left out, or negative
 * errno. */
static int attach_functions(struct rn_live *live, int prog, int file, const struct rn_probe_at *at,
			    unsigned n)
{
	const struct rn_uprobes uprobes = {.file = file, .at = at, .n = n};
	int *links = rn_live_more_probes(live, n) + live->nprobes, left, right;
	int r = file < 0 ? rn_kprobe_attach(prog, live->multi, at, n, links)
			 : rn_uprobe_attach(prog, live->multi, &uprobes, links);

	if (r > 0)
		live->nprobes += (unsigned)r;
	if (!is_refusal(live, file, r) || n == 1)
		return is_refusal(live, file, r) ? 1 : r < 0 ? r : 0;
	left = attach_functions(live, prog, file, at, n / 2);
	right = left < 0 ? 0 : attach_functions(live, prog, file, at + n / 2, n - n / 2);
	return left < 0 ? left : right < 0 ? right : left + right;
}

/* Without links that hold many, each probe is a perf event, which the kernel takes 110 ms to end.
 */
static int few_enough(const struct rn_live *live, struct rn_err *err)
{
	enum { FEW = 64 };

	if (live->multi || live->user.n <= FEW)
		return 0;
	rn_err_set(err, -E2BIG,
		   "%u functions: this kernel attaches to each alone, and ends that so slowly that "
		   "at most %d are probed [E-LIMIT-FUNCTIONS]",
		   live->user.n, FEW);
	rn_err_hint(err, "ask for fewer: a longer glob; or use Linux 6.6 or later");
	return -E2BIG;
}

int rn_live_attach_functions(struct rn_live *live, unsigned i, struct rn_err *err)
{
	bool leave = live->out.prog[i].hook == RN_HOOK_USER_RETURN,
	     kernel = live->fragment->cls->id == RN_CLS_KERNEL;
	struct rn_user *u = &live->user;
	int r = few_enough(live, err), prog = live->prog_fd[i];

	if (!r && kernel) {
		r = attach_functions(live, prog, -1, u->at, u->n);
		u->left_out += r > 0 ? (unsigned)r : 0;
	}
	for (unsigned k = 0; k < u->nfiles && !kernel && r >= 0; k++) {
		const struct rn_user_file *f = &u->file[k];
		unsigned n = leave ? f->nleave : f->n;

		if (!n)
			continue;
		r = attach_functions(live, prog, f->fd,
				     leave ? u->leave + f->leave_from : u->at + f->from, n);
		u->left_out += r > 0 ? (unsigned)r : 0;
	}
	if (r == -E2BIG)
		return r;
	if (r < 0)
		return rn_live_denied(err, r, "cannot attach to the functions");
	return 0;
}
