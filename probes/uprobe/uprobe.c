/* uprobe.c - see uprobe.h. There are two ways to attach: one link for all places in a file (kernels
 * from 6.6 on: taking it out waits once), or a perf event for each. Our own descriptor names the
 * file, since its path may lie in another mount namespace or be deleted. */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "lang/base/memory.h"
#include "probes/uprobe/uprobe.h"

static int attach_multi(int prog, const char *path, const struct rn_uprobes *uprobes)
{
	/* The part of union bpf_attr that older headers do not have. */
	struct {
		uint32_t prog_fd, target_fd, attach_type, link_flags;
		uint64_t path, offsets, ref_ctr_offsets, cookies;
		uint32_t cnt, flags, pid, spare;
	} attr = {.prog_fd = (uint32_t)prog,
		  .attach_type = RN_TRACE_UPROBE_MULTI,
		  .path = (uintptr_t)path};
	uint64_t *off = rn_malloc(3 * uprobes->n * sizeof(*off)), *cookie = off + uprobes->n,
		 *counter = cookie + uprobes->n;
	long fd;
	int r;

	for (; attr.cnt < uprobes->n; attr.cnt++) {
		off[attr.cnt] = uprobes->at[attr.cnt].off;
		cookie[attr.cnt] = uprobes->at[attr.cnt].cookie;
		counter[attr.cnt] = uprobes->at[attr.cnt].counter;
	}
	attr.offsets = (uintptr_t)off;
	attr.cookies = (uintptr_t)cookie;
	attr.ref_ctr_offsets = (uintptr_t)counter;
	fd = syscall(__NR_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
	r = fd < 0 ? -errno : (int)fd;
	free(off);
	return r;
}

/* Number of a dynamic source of perf events; negative errno. */
static int perf_type(const char *file)
{
	FILE *f = fopen(file, "re");
	int type = -ENOTSUP;

	if (!f)
		return -errno;
	if (fscanf(f, "%d", &type) != 1) // NOLINT(cert-err34-c): the kernel wrote this number
		type = -ENOTSUP;
	(void)fclose(f);
	return type;
}

/* of: the source of events; what: a path, or the name of a function of the kernel */
static int attach_perf(int prog, const char *of, const char *what, const struct rn_probe_at *at,
		       bool at_return)
{
	enum { COUNTER_SHIFT = 32 }; /* kernel/events/core.c: PERF_UPROBE_REF_CTR_OFFSET_SHIFT */
	struct perf_event_attr attr = {.size = sizeof(attr),
				       .config = at_return | at->counter << COUNTER_SHIFT,
				       .config1 = (uintptr_t)what,
				       .config2 = at->off};
	LIBBPF_OPTS(bpf_link_create_opts, o, .perf_event.bpf_cookie = at->cookie);
	int type = perf_type(of), fd, link;

	if (type < 0)
		return type;
	attr.type = (uint32_t)type;
	fd = (int)syscall(__NR_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	link = bpf_link_create(prog, fd, BPF_PERF_EVENT, &o);
	if (link < 0)
		link = -errno;
	close(fd); /* the link holds it */
	return link;
}

static const char user[] = "/sys/bus/event_source/devices/uprobe/type",
		  kernel[] = "/sys/bus/event_source/devices/kprobe/type";

bool rn_uprobe_multi(void)
{
	static const struct bpf_insn nothing[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K},
						  {.code = BPF_JMP | BPF_EXIT}};
	LIBBPF_OPTS(bpf_prog_load_opts, o,
		    .expected_attach_type = (enum bpf_attach_type)RN_TRACE_UPROBE_MULTI);
	struct rn_uprobes u = {.file = -1, .at = &(struct rn_probe_at){1, 0}, .n = 1};
	int prog = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "rn_uprobe", "Dual MIT/GPL", nothing, 2, &o),
	    link;

	if (prog < 0)
		return false;
	/* A kernel with such links looks for the file, which does not exist; others call the
	 * request invalid. */
	link = attach_multi(prog, "/proc/self/fd/none", &u);
	close(prog);
	return link == -ENOENT;
}

int rn_uprobe_attach(int prog, bool multi, const struct rn_uprobes *uprobes, int *links)
{
	char path[40];
	int n = 0;

	if (!uprobes->n)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", uprobes->file);
	if (multi) {
		links[0] = attach_multi(prog, path, uprobes);
		return links[0] < 0 ? links[0] : 1;
	}
	for (unsigned i = 0; i < uprobes->n; i++) {
		int fd = attach_perf(prog, user, path, &uprobes->at[i], false);

		if (fd < 0) {
			while (n)
				close(links[--n]);
			return fd;
		}
		links[n++] = fd;
	}
	return n;
}

int rn_kprobe_perf(int prog, const char *name, bool at_return, uint64_t cookie)
{
	const struct rn_probe_at named = {.cookie = cookie};

	return attach_perf(prog, kernel, name, &named, at_return);
}
