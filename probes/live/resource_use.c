/* resource_use.c - what a running query takes of the machine. The kernel measures the run time of
 * its programs while a process asks for that, and accounts for the memory of its programs and
 * maps. */
#include "probes/live/live_impl.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include "probes/probes.h"

unsigned rn_live_cpus(void)
{
	int n = libbpf_num_possible_cpus();

	return n > 0 ? (unsigned)n : 1;
}

static void add_cost(const struct rn_live *live, struct rn_cost *cost)
{
	for (unsigned i = 0; i < live->out.nprogs; i++) {
		struct bpf_prog_info info = {0};
		uint32_t len = sizeof(info);

		cost->memory_bytes += rn_map_memory(live->prog_fd[i]);
		if (live->prog_fd[i] >= 0 && !bpf_obj_get_info_by_fd(live->prog_fd[i], &info, &len))
			cost->cpu_ns += (int64_t)info.run_time_ns;
	}
	for (int i = 0; i < RN_MAP_MADE;
	     i++) /* the other maps belong to the precompiled functions */
		cost->memory_bytes += rn_map_memory(live->maps.fd[i]);
	if (live->intrinsics)
		cost->memory_bytes += rn_intrinsics_memory(live->intrinsics);
}

/* A search that outlives its own query is a cost of each query that shares it. */
void rn_live_cost(const struct rn_live *live, struct rn_cost *cost)
{
	const struct rn_live *owner = rn_search_owner(live);

	add_cost(live, cost);
	if (owner && owner->left)
		add_cost(owner, cost);
}

int rn_probes_measure(struct rn_err *err)
{
	int fd = bpf_enable_stats(BPF_STATS_RUN_TIME), r = fd < 0 ? -errno : fd;

	if (r < 0) {
		rn_err_set(err, r, "the run time of BPF programs cannot be measured: %s",
			   strerror(-r));
		rn_err_hint(err, "it needs CAP_SYS_ADMIN; `sysctl kernel.bpf_stats_enabled=1` does "
				 "it for the whole machine");
	}
	return r;
}
