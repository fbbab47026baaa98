/* main_bench_probe.c - an empty program at a place of a file, until a signal: what a probe costs
 * the program that runs there, whatever a query then does. `attached` is printed once it is there.
 *
 *     bench_probe FILE OFFSET */
#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "probes/uprobe/uprobe.h"

static int empty_program(bool multi)
{
	const struct bpf_insn code[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts);

	opts.expected_attach_type = (enum bpf_attach_type)(multi ? RN_TRACE_UPROBE_MULTI : 0);
	return bpf_prog_load(BPF_PROG_TYPE_KPROBE, "empty", "GPL", code,
			     sizeof(code) / sizeof(*code), &opts);
}

int main(int argc, char **argv)
{
	struct rn_probe_at at = {.off = argc > 2 ? strtoull(argv[2], NULL, 0) : 0};
	struct rn_uprobes u = {.at = &at, .n = 1};
	bool multi = rn_uprobe_multi();
	sigset_t ends;
	int sig, link, r, prog;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	if (argc < 3) {
		fprintf(stderr, "usage: bench_probe FILE OFFSET\n");
		return 2;
	}
	u.file = open(argv[1], O_RDONLY | O_CLOEXEC);
	prog = empty_program(multi);
	r = u.file < 0 || prog < 0 ? -errno : rn_uprobe_attach(prog, multi, &u, &link);
	if (r < 0) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(-r));
		return 1;
	}
	puts("attached");
	fflush(stdout);
	sigwait(&ends, &sig);
	return 0;
}
