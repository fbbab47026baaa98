/* trial.c - see trial.h; also: may this user trace at all? */
#include "probes/kernel/trial.h"
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "probes/probes.h"

int rn_trial_load(enum bpf_prog_type type, enum bpf_attach_type attach, uint32_t btf_id)
{
	static const struct bpf_insn nothing[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, o, .expected_attach_type = attach, .attach_btf_id = btf_id);
	int fd = bpf_prog_load(type, "rn_doctor", "Dual MIT/GPL", nothing, 2, &o);

	return fd < 0 ? -errno : fd;
}

int rn_trial_close(int fd)
{
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

int rn_trial_attach(int prog, const char *name)
{
	int link = prog < 0 ? prog : bpf_raw_tracepoint_open(name, prog),
	    err = link < 0 && prog >= 0 ? -errno : link;

	rn_trial_close(link);
	rn_trial_close(prog);
	return err < 0 ? err : 0;
}

int rn_probes_permitted(struct rn_err *err)
{
	int ret = rn_trial_attach(rn_trial_load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0), "sys_exit");

	if (!ret)
		return 0;
	if (ret == -EPERM || ret == -EACCES) {
		rn_err_set(err, ret, "this user may not trace: %s", strerror(-ret));
		if (geteuid())
			rn_err_hint(
				err,
				"run as root, or give the program the capabilities CAP_BPF and "
				"CAP_PERFMON: "
				"setcap cap_bpf,cap_perfmon,cap_sys_ptrace,cap_dac_read_search+ep "
				"runnel");
		else
			rn_err_hint(err, "root lacks CAP_BPF or CAP_SYS_ADMIN here (a container? "
					 "start it with --privileged), or the kernel "
					 "is locked down (see /sys/kernel/security/lockdown)");
		return ret;
	}
	rn_err_set(err, ret, "this kernel does not run tracing programs: %s", strerror(-ret));
	rn_err_hint(err, "it must be built with CONFIG_BPF_SYSCALL and CONFIG_BPF_EVENTS");
	return ret;
}
