/* main_bench_empty.c - an empty program on each of the named tracepoints, until a signal: what it
 * costs to be called at all, whatever a query then does. `attached` is printed once all are
 * attached that the kernel has. It makes no difference that Runnel's programs are of another type
 * on some of them: the kernel calls raw and typed programs in the same way.
 *
 *     bench_empty TRACEPOINT... */
#include <bpf/bpf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int attach_empty(const char *tracepoint)
{
	const struct bpf_insn code[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	int prog = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "empty", "GPL", code,
				 sizeof(code) / sizeof(*code), NULL);
	int link;

	if (prog < 0)
		return prog;
	link = bpf_raw_tracepoint_open(tracepoint, prog);
	close(prog);
	return link;
}

int main(int argc, char **argv)
{
	sigset_t ends;
	int sig;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	if (argc < 2) {
		fprintf(stderr, "usage: bench_empty TRACEPOINT...\n");
		return 2;
	}
	for (int i = 1; i < argc; i++)
		/* the links stay open until the end; no kernel has all of the tracepoints */
		if (attach_empty(argv[i]) < 0 && errno != ENOENT) {
			fprintf(stderr, "%s: %s\n", argv[i], strerror(errno));
			return 1;
		}
	puts("attached");
	fflush(stdout);
	sigwait(&ends, &sig);
	return 0;
}
