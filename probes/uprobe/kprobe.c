/* kprobe.c - see kprobe.h. The requests are laid out here, since older headers lack them. */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "lang/base/memory.h"
#include "probes/uprobe/kprobe.h"

enum { KPROBE_MULTI = 42, KPROBE_SESSION = 56 }; /* enum bpf_attach_type of the kernel's ABI */
enum { AT_RETURN = 1 };                          /* BPF_F_KPROBE_MULTI_RETURN */

static int attach_multi(int prog, enum rn_kprobe_way way, bool at_return,
			const struct rn_probe_at *at, unsigned n)
{
	struct {
		uint32_t prog_fd, target_fd, attach_type, link_flags, flags, cnt;
		uint64_t syms, addrs, cookies;
	} attr = {.prog_fd = (uint32_t)prog,
		  .attach_type = rn_kprobe_type(way),
		  .flags = at_return ? AT_RETURN : 0,
		  .cnt = n};
	uint64_t *place = rn_malloc(2 * n * sizeof(*place)), *cookie = place + n;
	bool known = at[0].off != 0;
	long fd;
	int r;

	for (unsigned i = 0; i < n; i++) {
		place[i] = known ? at[i].off : (uintptr_t)at[i].name;
		cookie[i] = at[i].cookie;
	}
	*(known ? &attr.addrs : &attr.syms) = (uintptr_t)place;
	attr.cookies = (uintptr_t)cookie;
	fd = syscall(__NR_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
	r = fd < 0 ? -errno : (int)fd;
	free(place);
	return r;
}

uint32_t rn_kprobe_type(enum rn_kprobe_way way)
{
	return way == RN_KPROBE_SESSION ? KPROBE_SESSION
	       : way == RN_KPROBE_MULTI ? KPROBE_MULTI
					: 0;
}

const char *rn_kprobe_name(enum rn_kprobe_way way)
{
	static const char *const names[] = {"none", "kprobe", "kprobe.multi", "kprobe.session"};

	return names[way];
}

/* A kernel may load such a program, and refuse its link alone. So the trial is a link to a function
 * that no kernel has. */
static bool has(enum rn_kprobe_way way)
{
	static const struct bpf_insn nothing[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K},
						  {.code = BPF_JMP | BPF_EXIT}};
	LIBBPF_OPTS(bpf_prog_load_opts, o,
		    .expected_attach_type = (enum bpf_attach_type)rn_kprobe_type(way));
	const struct rn_probe_at none = {.name = "runnel no function"};
	int prog, link;

	prog = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "rn_kprobe", "Dual MIT/GPL", nothing, 2, &o);
	if (prog < 0)
		return false;
	link = attach_multi(prog, way, false, &none, 1);
	close(prog);
	return link == -ESRCH;
}

enum rn_kprobe_way rn_kprobe_best(enum rn_kprobe_way most)
{
	for (; most > RN_KPROBE_PERF; most--)
		if (has(most))
			return most;
	return most && !access("/sys/bus/event_source/devices/kprobe/type", F_OK) ? RN_KPROBE_PERF
										  : RN_KPROBE_NONE;
}

int rn_kprobe_attach(int prog, enum rn_kprobe_way way, bool at_return, const struct rn_probe_at *at,
		     unsigned n, int *links)
{
	if (way != RN_KPROBE_PERF) {
		links[0] = attach_multi(prog, way, at_return, at, n);
		return links[0] < 0 ? links[0] : 1;
	}
	for (unsigned i = 0; i < n; i++) {
		links[i] = rn_kprobe_perf(prog, at[i].name, at_return, at[i].cookie);
		if (links[i] < 0) {
			int r = links[i];

			while (i)
				close(links[--i]);
			return r;
		}
	}
	return (int)n;
}

/* The union of struct bpf_link_info begins at byte 16. */
int64_t rn_kprobe_missed(int link)
{
	enum { PERF = 7, MULTI = 8, AT_PERF = 48, AT_MULTI = 32 }; /* enum bpf_link_type */
	uint64_t info[16] = {0}, missed;
	uint32_t bytes = sizeof(info), type;

	if (bpf_obj_get_info_by_fd(link, info, &bytes))
		return 0;
	memcpy(&type, info, sizeof(type));
	memcpy(&missed, (char *)info + (type == PERF ? AT_PERF : AT_MULTI), sizeof(missed));
	return type == PERF || type == MULTI ? (int64_t)missed : 0;
}
