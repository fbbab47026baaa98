/* attach.c - loads generated programs and attaches them. Only descriptors hold them; nothing is
 * pinned.
 *
 * System calls and processes: BPF_PROG_TYPE_TRACING on the raw tracepoint (tp_btf), which may
 * follow kernel pointers directly. In a search for tags: BPF_PROG_TYPE_RAW_TRACEPOINT, as tail
 * calls go only between programs of one type (probes/gen/handover.c). Tracepoints whose own fields
 * are read: BPF_PROG_TYPE_TRACEPOINT behind a perf event. Other tracepoints: by name, if the
 * kernel's types know them. Profiles: BPF_PROG_TYPE_PERF_EVENT on a clock of each CPU that is
 * online when the query begins. Functions of TLS libraries: BPF_PROG_TYPE_KPROBE. */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "lang/files/outfile.h"
#include "probes/kernel/btf.h"
#include "probes/live/parallel.h"
#include "probes/live/live_impl.h"
#include "probes/probes.h"
#include "probes/live/scope.h"
#include "probes/uprobe/uprobe.h"
#include "lang/base/memory.h"

int rn_live_denied(struct rn_err *err, int code, const char *what)
{
	struct rn_err why = {0};

	if ((code == -EPERM || code == -EACCES) && rn_probes_permitted(&why) < 0) {
		rn_err_set(err, code, "%s: %s", what, why.text);
		rn_err_hint(err, "%s", why.hint);
		return code;
	}
	return rn_err_set(err, code, "%s: %s", what, strerror(-code));
}

void rn_live_settle(void)
{
	if (syscall(__NR_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0)) /* refused with nohz_full */
		usleep(50000);
}

int32_t rn_live_self(void)
{
	enum { FIRST_PID_NS = 0xEFFFFFFC }; /* its inode: PROC_PID_INIT_INO of the kernel's ABI */
	static const struct bpf_insn code[] = {
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_current_pid_tgid},
		{.code = BPF_ALU64 | BPF_RSH | BPF_K, .dst_reg = BPF_REG_0, .imm = 32},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_test_run_opts, run);
	int32_t self = getpid();
	struct stat st;
	int fd;

	if (stat("/proc/self/ns/pid", &st) || st.st_ino == FIRST_PID_NS)
		return self;
	fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "rn_self", "Dual MIT/GPL", code,
			   sizeof(code) / sizeof(*code), NULL);
	if (fd < 0)
		return self; /* loading the query's programs will tell the reason */
	if (!bpf_prog_test_run_opts(fd, &run))
		self = (int32_t)run.retval;
	close(fd);
	return self;
}

int rn_live_check_ids(struct rn_err *err, const char *so, const char *hint)
{
	if (rn_live_self() == getpid())
		return 0;
	rn_err_set(err, -ENOTSUP,
		   "this node has a PID namespace of its own: its processes have other ids than "
		   "events "
		   "have, so %s",
		   so);
	rn_err_hint(err, "%s; or run it in the first PID namespace (docker run --pid=host)", hint);
	return -ENOTSUP;
}

static bool in_library(const struct rn_prog *p)
{
	return rn_hook_in_library(rn_hook_row(p->hook));
}

bool rn_live_has_nfsd(void)
{
	return !access("/sys/module/nfsd", F_OK) && !rn_btf_without("nfsd_read_start");
}

static bool in_kernel(const struct rn_prog *p)
{
	return rn_hook_in_kernel(rn_hook_row(p->hook));
}

/* Is it on functions that the query names? */
static bool names_functions(const struct rn_prog *p)
{
	return in_kernel(p) || rn_hook_row(p->hook)->at == RN_AT_USER_ENTRY ||
	       rn_hook_row(p->hook)->at == RN_AT_USER_RETURN;
}

static bool is_iterator(const struct rn_prog *p)
{
	return rn_hook_row(p->hook)->at == RN_AT_ITERATOR;
}

static enum bpf_prog_type type_of(const struct rn_live *s, const struct rn_prog *p)
{
	if (p->raw || s->by_name[p - s->out.prog] || rn_hook_row(p->hook)->at == RN_AT_MODULE)
		return BPF_PROG_TYPE_RAW_TRACEPOINT;
	if (in_library(p) || in_kernel(p))
		return BPF_PROG_TYPE_KPROBE;
	if (rn_hook_row(p->hook)->at == RN_AT_CLOCK)
		return BPF_PROG_TYPE_PERF_EVENT;
	return p->hook == RN_HOOK_TP ? BPF_PROG_TYPE_TRACEPOINT : BPF_PROG_TYPE_TRACING;
}

static enum bpf_attach_type attach_type_of(const struct rn_prog *p)
{
	switch (rn_hook_row(p->hook)->at) {
	case RN_AT_ITERATOR: return BPF_TRACE_ITER;
	case RN_AT_RETURN: return BPF_TRACE_FEXIT;
	case RN_AT_ENTRY: return BPF_TRACE_FENTRY;
	default: return BPF_TRACE_RAW_TP;
	}
}

static uint32_t btf_id_of(const struct rn_live *s, const struct rn_btf *btf,
			  const struct rn_prog *p)
{
	if (in_library(p))
		return (names_functions(p) ? s->named[p->part].multi : s->tls_multi)
			       ? RN_TRACE_UPROBE_MULTI
			       : 0;
	if (in_kernel(p))
		return rn_kprobe_type(s->named[p->part].kprobe);
	return p->function ? p->function->id : btf->trace[p->hook];
}

static int load(const struct rn_live *live, const struct rn_prog *prog,
		const struct rn_spliced *code, uint32_t btf_id, char *log, uint32_t log_bytes)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .log_buf = log, .log_size = log_bytes,
		    .log_level = log ? 1 : 0);
	enum bpf_prog_type type = type_of(live, prog);
	int fd;

	if (type == BPF_PROG_TYPE_KPROBE)
		/* 0, or RN_TRACE_UPROBE_MULTI */
		opts.expected_attach_type = (enum bpf_attach_type)btf_id;
	if (type == BPF_PROG_TYPE_TRACING) {
		opts.expected_attach_type = attach_type_of(prog);
		opts.attach_btf_id = btf_id;
	}
	if (code->nfunc) {
		opts.prog_btf_fd = (uint32_t)code->btf_fd;
		opts.func_info = code->func;
		opts.func_info_cnt = code->nfunc;
		opts.func_info_rec_size = sizeof(*code->func);
	}
	fd = bpf_prog_load(type, prog->name, "Dual MIT/GPL", code->insn, code->ninsn, &opts);
	return fd < 0 ? -errno : fd;
}

/* The verifier refused one of our programs. Its last words go to the hint, all of them to the file
 * that RUNNEL_VERIFIER_LOG names. */
static int rejected(const struct rn_live *live, const struct rn_prog *prog,
		    const struct rn_spliced *code, uint32_t btf_id, int code_errno,
		    struct rn_err *err)
{
	uint32_t bytes = 16 << 20;
	char *log = rn_calloc(1, bytes), *end, *line;
	const char *path = getenv("RUNNEL_VERIFIER_LOG");
	FILE *to;

	rn_err_set(err, code_errno,
		   "the kernel's verifier refused the program %s that runnel generated: a fault of "
		   "runnel",
		   prog->name);
	load(live, prog, code, btf_id, log, bytes);
	if (path && (to = rn_out_create(path, NULL))) {
		fputs(log, to);
		(void)fclose(to);
	}
	end = log + strlen(log);
	while (end > log && end[-1] == '\n')
		*--end = 0;
	if ((line = strrchr(log, '\n')) && !strncmp(line + 1, "processed", 9)) {
		*line = 0;
		line = strrchr(log, '\n');
	}
	rn_err_hint(err, "please report it with this and --dump=bpf: %.200s",
		    line ? line + 1 : log);
	free(log);
	return code_errno;
}

/* Make the program with its precompiled functions. preempt: the program may lose the CPU, so try to
 * keep it; set to false if the kernel cannot. */
static int splice_one(struct rn_live *s, const struct rn_prog *p, struct bpf_insn *insn, unsigned n,
		      struct rn_spliced *code, bool *preempt, struct rn_err *err)
{
	int r = 0;

	rn_splice_session(&s->ids, insn, n);
	rn_splice_cast(&s->ids, insn, n);
	if (!s->intrinsics && !in_library(p)) {
		*code = (struct rn_spliced){.insn = insn, .ninsn = n, .btf_fd = -1};
		return 0;
	}
	r = rn_splice(s->intrinsics, insn, n, code, err);
	if (r >= 0 && in_library(p))
		*preempt = rn_splice_preempt(&s->ids, code, *preempt) && *preempt;
	return r;
}

/* Programs on their way into the kernel. Each is verified on its own, which takes the time. */
struct loading {
	struct rn_live *live;
	const struct rn_btf *btf;
	bool late;                    /* the late ones? */
	unsigned order[RN_PROGS_MAX]; /* the largest first: threads share them better */
	struct {
		struct bpf_insn *insn;
		unsigned n, size; /* size: with its precompiled functions */
		int fd;
		bool preempt;
		struct rn_err err;
	} progs[RN_PROGS_MAX];
};

static void load_one(void *self, unsigned nth)
{
	struct loading *l = self;
	unsigned i = l->order[nth];
	const struct rn_prog *p = &l->live->out.prog[i];
	struct rn_spliced code = {.btf_fd = -1};
	struct rn_err *err = &l->progs[i].err;
	uint32_t id = btf_id_of(l->live, l->btf, p);
	bool preempt = in_library(p);
	int r;

	if (p->attach_on_demand != l->late)
		return;
	r = splice_one(l->live, p, l->progs[i].insn, l->progs[i].n, &code, &preempt, err);

	if (r >= 0)
		r = load(l->live, p, &code, id, NULL, 0);
	/* kernels that allow no calls between bpf_preempt_disable and bpf_preempt_enable */
	if (r < 0 && r != -EPERM && preempt) {
		preempt = false;
		rn_spliced_free(&code);
		r = splice_one(l->live, p, l->progs[i].insn, l->progs[i].n, &code, &preempt, err);
		if (r >= 0)
			r = load(l->live, p, &code, id, NULL, 0);
	}
	if (r == -EPERM || r == -EMFILE)
		r = rn_live_denied(err, r, "cannot load a BPF program");
	else if (r < 0 && code.insn)
		r = rejected(l->live, p, &code, id, r, err);
	if (l->live->intrinsics || in_library(p))
		rn_spliced_free(&code);
	l->progs[i].fd = r;
	l->progs[i].preempt = preempt;
}

/* The quick part, which threads must not do at once. */
static int prepare(struct loading *l, unsigned i, struct rn_err *err)
{
	const struct rn_prog *p = &l->live->out.prog[i];

	if (p->attach_on_demand != l->late)
		return 0;
	if (type_of(l->live, p) == BPF_PROG_TYPE_TRACING && !btf_id_of(l->live, l->btf, p)) {
		rn_err_set(err, -ENOTSUP,
			   "this kernel has no tracepoint `%s`, which the query needs",
			   rn_hook_row(p->hook)->trace);
		rn_err_hint(err, "`runnel doctor` lists what this kernel has, and what cannot be "
				 "asked without it");
		return -ENOTSUP;
	}
	l->progs[i].insn = rn_emit_resolve(p->emit, l->live->maps.fd, &l->progs[i].n);
	if (!l->progs[i].insn)
		return rn_err_set(err, -E2BIG,
				  "the query becomes too large a program for the kernel: shorten "
				  "its conditions");
	l->progs[i].size = rn_splice_size(l->live->intrinsics, l->progs[i].insn, l->progs[i].n);
	return 0;
}

static void put_largest_first(struct loading *l, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned at = i;

		for (; at && l->progs[l->order[at - 1]].size < l->progs[i].size; at--)
			l->order[at] = l->order[at - 1];
		l->order[at] = i;
	}
}

/* If other programs hand events to this one, they find it in the program array. */
static int put_tail(struct rn_live *s, unsigned i, struct rn_err *err)
{
	int place = s->out.prog[i].tail;

	if (place < 0 ||
	    !bpf_map_update_elem(s->maps.fd[RN_MAP_TAILS], &place, &s->prog_fd[i], BPF_ANY))
		return 0;
	return rn_err_set(err, -errno, "cannot link the query's programs: %s", strerror(errno));
}

/* The same for programs on functions. Never fails: there are the tracepoints. */
static int put_function(struct rn_live *s, unsigned i)
{
	int map = s->out.prog[i].tail;
	static const int first;
	struct rn_err err = {0};

	if (map >= 0 && bpf_map_update_elem(s->maps.fd[map], &first, &s->prog_fd[i], BPF_ANY)) {
		rn_err_set(&err, -errno, "this kernel does not link programs on functions: %s",
			   strerror(errno));
		rn_live_no_functions(s, err.code, &err);
	}
	return 0;
}

static int take_loaded(struct rn_live *s, const struct loading *l, unsigned i, struct rn_err *err)
{
	int r = l->progs[i].fd;

	if (s->out.prog[i].attach_on_demand != l->late)
		return 0;
	if (r >= 0) {
		if (in_library(&s->out.prog[i]) && !l->progs[i].preempt && s->maps.globals)
			s->maps.globals->guard = 1;
		s->prog_fd[i] = r;
		return s->out.prog[i].way == RN_WAY_FUNCTIONS ? put_function(s, i)
							      : put_tail(s, i, err);
	}
	if (s->out.prog[i].way == RN_WAY_FUNCTIONS) {
		rn_live_no_functions(s, r, &l->progs[i].err);
		return 0;
	}
	if (r != -EPERM && s->out.prog[i].tail >= 0)
		s->no_handover = true;
	if (r != -EPERM)
		s->refuses = (s->loads ? RN_REFUSES_LOADS : 0) |
			     (s->named[0].ntraced ? RN_REFUSES_TRACED : 0);
	if (r != -EPERM && (rn_hook_is_op(rn_hook_row(s->out.prog[i].hook)) ||
			    rn_hook_row(s->out.prog[i].hook)->way || is_iterator(&s->out.prog[i])))
		s->no_hook = s->out.prog[i].hook;
	if (err)
		*err = l->progs[i].err;
	return r;
}

static int load_some(struct rn_live *live, const struct rn_btf *btf, bool late, struct rn_err *err)
{
	struct loading *l = rn_calloc(1, sizeof(*l));
	int ret = 0;

	live->tls_multi = live->tls.n && rn_uprobe_multi();
	l->live = live;
	l->btf = btf;
	l->late = late;
	for (unsigned i = 0; i < live->out.nprogs && !ret; i++)
		ret = prepare(l, i, err);
	put_largest_first(l, live->out.nprogs);
	if (!ret)
		rn_parallel_for(live->out.nprogs, load_one, l);
	for (unsigned i = 0; i < live->out.nprogs && !ret; i++)
		ret = take_loaded(live, l, i, err);
	for (unsigned i = 0; i < live->out.nprogs; i++) /* programs after one that was refused */
		if (l->progs[i].fd > 0 && live->prog_fd[i] != l->progs[i].fd)
			close(l->progs[i].fd);
	free(l);
	return ret;
}

static const char *tracepoint_of(const struct rn_prog *p)
{
	return p->match >= 0 ? p->tp->match[p->match].name : p->tp->cls.arg;
}

/* Choose the tracepoints to attach to by name, which is quick to do and to undo. The end of a perf
 * event takes the kernel some 60 ms, one after the other. A tracepoint whose record is read needs
 * the perf event: only that puts the record in r6 (hooks.c). */
static void choose_names(struct rn_live *live)
{
	const char **v = rn_calloc(live->out.nprogs + 1, sizeof(*v));
	bool *has = rn_calloc(live->out.nprogs + 1, sizeof(*has));
	unsigned n = 0, k = 0;

	for (unsigned i = 0; i < live->out.nprogs; i++) {
		const struct rn_prog *p = &live->out.prog[i];

		live->by_name[i] =
			p->hook == RN_HOOK_TP && (p->typed || !rn_emit_reads(p->emit, BPF_REG_6));
		if (live->by_name[i])
			v[n++] = tracepoint_of(p);
	}
	if (n)
		rn_btf_traces(live->kernel, v, n, has);
	for (unsigned i = 0; n && i < live->out.nprogs; i++)
		if (live->by_name[i])
			live->by_name[i] = has[k++];
	free(v);
	free(has);
}

int rn_live_load(struct rn_live *live, const struct rn_btf *btf, struct rn_err *err)
{
	choose_names(live);
	live->btf = btf;
	live->functions = rn_live_has_functions(live);
	for (unsigned i = 0; i < live->out.nprogs; i++)
		live->late |= live->out.prog[i].attach_on_demand;
	return load_some(live, btf, false, err);
}

/* A perf event of the tracepoint on one CPU is enough: the program runs wherever the tracepoint is
 * hit. */
static int open_tracepoint(int id)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT,
				       .size = sizeof(attr),
				       .config = (uint64_t)id,
				       .sample_period = 1,
				       .wakeup_events = 1};

	return (int)syscall(__NR_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

static int attach_by_name(struct rn_live *s, unsigned i)
{
	s->link_fd[i] = bpf_raw_tracepoint_open(strchr(tracepoint_of(&s->out.prog[i]), ':') + 1,
						s->prog_fd[i]);
	return s->link_fd[i] < 0 ? -errno : 0;
}

static int attach_tracepoint(struct rn_live *s, unsigned i, struct rn_err *err)
{
	int r = s->by_name[i] ? attach_by_name(s, i) : 0;
	int fd = s->by_name[i] ? -1 : open_tracepoint(s->out.prog[i].tp->id);

	if (r)
		return rn_live_denied(err, r, "cannot attach to the tracepoint");
	if (s->by_name[i])
		return 0;
	if (fd < 0)
		return rn_live_denied(err, -errno, "cannot open the tracepoint");
	s->link_fd[i] = fd;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, s->prog_fd[i]) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return rn_live_denied(err, -errno, "cannot attach to the tracepoint");
	return 0;
}

/* Attach one tracepoint of a glob. If one refuses, the others still count. */
static int attach_match(struct rn_live *live, unsigned i, struct rn_err *err)
{
	const struct rn_tp_match *m = &live->out.prog[i].tp->match[live->out.prog[i].match];
	int fd, r;

	if (live->by_name[i]) {
		r = attach_by_name(live, i);
	} else {
		fd = m->id < 0 ? -1 : open_tracepoint(m->id);
		r = m->id < 0 ? -EACCES
		    : fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, live->prog_fd[i]) ||
				    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0)
			    ? -errno
			    : 0;
		live->link_fd[i] = r ? -1 : fd;
		if (r && fd >= 0)
			close(fd);
	}
	live->unattached += r != 0;
	if (r == -EMFILE || r == -ENOMEM ||
	    live->unattached == rn_class_tp(live->fragment->cls)->nmatch)
		return rn_live_denied(err, r, "cannot attach to the tracepoints");
	return 0;
}

int *rn_live_more_probes(struct rn_live *live, unsigned n)
{
	int *v = rn_realloc(live->probe_fd, (live->nprobes + n) * sizeof(*v));

	live->probe_fd = v;
	return v;
}

static int attach_clock(struct rn_live *live, unsigned i, struct rn_err *err)
{
	unsigned hz = rn_sample_hz(live->fragment->cls->arg);
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_CPU_CLOCK,
				       .freq = 1,
				       .sample_freq = hz};
	int *v = rn_live_more_probes(live, live->ncpus), code;

	for (unsigned cpu = 0; cpu < live->ncpus; cpu++) {
		int fd = (int)syscall(__NR_perf_event_open, &attr, -1, (int)cpu, -1,
				      PERF_FLAG_FD_CLOEXEC);

		if (fd < 0 && errno == ENODEV) /* it is offline */
			continue;
		if (fd >= 0)
			v[live->nprobes++] = fd;
		if (fd >= 0 && !ioctl(fd, PERF_EVENT_IOC_SET_BPF, live->prog_fd[i]))
			continue;
		code = -errno;
		rn_live_denied(err, code, "cannot sample the CPUs");
		if (code == -EINVAL)
			rn_err_hint(err, "the kernel's limit is in "
					 "/proc/sys/kernel/perf_event_max_sample_rate");
		return code;
	}
	return live->nprobes ? 0 : rn_err_set(err, -ENODEV, "no CPU can be sampled");
}

/* No library took its probes. A user may have made one that is refused: then a query that is about
 * other things too must not fail. */
static int attached_none(struct rn_live *s, int code, struct rn_err *err)
{
	if (code == -EPERM || code == -EACCES || (s->tls_alone && code < 0))
		return rn_live_denied(err, code, "cannot attach to the functions of a TLS library");
	return 0;
}

/* Attach to the functions of every library. One that is gone or refuses is counted, and the others
 * still count. */
static int attach_libraries(struct rn_live *live, unsigned i, struct rn_err *err)
{
	bool leave = rn_hook_row(live->out.prog[i].hook)->at == RN_AT_TLS_RETURN, any = false;
	unsigned room = live->tls.n * RN_TLS_PROBES;
	int worst = 0, *v = rn_live_more_probes(live, room);

	for (unsigned k = 0; k < live->tls.n; k++) {
		struct rn_tls_lib *l = &live->tls.list[k];
		const struct rn_uprobes uprobes = {.file = l->fd,
						   .at = leave ? l->leave : l->entry,
						   .n = leave ? l->nleave : l->nentry};
		int r = rn_uprobe_attach(live->prog_fd[i], live->tls_multi, &uprobes,
					 v + live->nprobes);

		worst = r < 0 ? r : worst;
		l->refused |= r < 0;
		live->nprobes += r > 0 ? (unsigned)r : 0;
		any |= r > 0;
	}
	return any ? 0 : attached_none(live, worst, err);
}

static int attach_one(struct rn_live *live, unsigned i, struct rn_err *err)
{
	int fd;

	if (rn_search_owner(live) && live->out.prog[i].hook == RN_HOOK_TAKER)
		return rn_search_enter(live, live->prog_fd[i], err);
	if (live->out.prog[i].chained)
		return rn_chain_enter(&live->place, live->prog_fd[i], &live->out, err);
	if (live->out.prog[i].match >= 0)
		return attach_match(live, i, err);
	if (live->out.prog[i].hook == RN_HOOK_TP)
		return attach_tracepoint(live, i, err);
	if (names_functions(&live->out.prog[i]))
		return rn_live_attach_functions(live, i, err);
	if (in_library(&live->out.prog[i]))
		return attach_libraries(live, i, err);
	if (rn_hook_row(live->out.prog[i].hook)->at == RN_AT_CLOCK)
		return attach_clock(live, i, err);
	/* a version of the module without the tracepoint: as if the module were not there */
	if (rn_hook_row(live->out.prog[i].hook)->at == RN_AT_MODULE) {
		live->link_fd[i] = bpf_raw_tracepoint_open(
			rn_hook_row(live->out.prog[i].hook)->trace, live->prog_fd[i]);
		return 0;
	}
	if (rn_hook_row(live->out.prog[i].hook)->at == RN_AT_NONE)
		return 0;
	fd = is_iterator(&live->out.prog[i])
		     ? bpf_link_create(live->prog_fd[i], 0, BPF_TRACE_ITER, NULL)
		     : bpf_raw_tracepoint_open(live->out.prog[i].raw
						       ? rn_hook_row(live->out.prog[i].hook)->trace
						       : NULL,
					       live->prog_fd[i]);
	if (fd < 0)
		return rn_live_denied(err, -errno, "cannot attach a BPF program");
	live->link_fd[i] = fd;
	return 0;
}

/* Run one pass of an iterator. Its program reports nothing in what is read, but after a million
 * files the kernel wants another read. */
void rn_live_iterate(int link_fd)
{
	int fd = bpf_iter_create(link_fd);
	char nothing[64];
	ssize_t n;

	do
		n = fd < 0 ? 0 : read(fd, nothing, sizeof(nothing));
	while (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)));
	if (fd >= 0)
		close(fd);
}

void rn_live_look(const struct rn_live *live)
{
	for (unsigned i = 0; i < live->out.nprogs; i++)
		if (is_iterator(&live->out.prog[i]) && live->out.prog[i].way == RN_WAY_ANY &&
		    live->link_fd[i] >= 0)
			rn_live_iterate(live->link_fd[i]);
}

int rn_live_attach_way(struct rn_live *live, enum rn_way way, struct rn_err *err)
{
	/* Scope first, then entries, events last: an event that is seen was seen from its
	 * beginning. */
	for (unsigned i = live->out.nprogs; i-- > 0;) {
		const struct rn_prog *p = &live->out.prog[i];
		int r = p->attach_on_demand || p->way != way ? 0 : attach_one(live, i, err);

		if (r < 0)
			return r;
		if (p->hook == RN_HOOK_SCOPE_FORK && live->maps.scope)
			rn_scope_fill_tree(live->maps.scope, live->scope);
	}
	return 0;
}

int rn_live_attach(struct rn_live *live, struct rn_err *err)
{
	int r = rn_live_attach_way(live, RN_WAY_ANY, err);

	r = r < 0 ? r : rn_live_attach_calls(live, err);
	if (live->taken && rn_live_named(live->fragment))
		snprintf(live->taken, RN_TAKEN_BYTES, "%s", rn_live_named_text(live, live->arena));
	if (r < 0)
		return r;
	rn_tls_close_files(&live->tls);
	rn_live_close_named(live);
	return 0;
}

void rn_live_attach_late(struct rn_live *live)
{
	struct rn_err err = {0};

	if (!live->late || !live->started || live->stopped ||
	    !rn_intrinsics_missed(live->intrinsics))
		return;
	live->late = false; /* whatever the result: without them more is counted as uncovered */
	if (load_some(live, live->btf, true, &err))
		return;
	for (unsigned i = 0; i < live->out.nprogs; i++)
		if (live->out.prog[i].attach_on_demand)
			attach_one(live, i, &err);
}

static void close_link(void *self, unsigned i)
{
	close(((int *)self)[i]);
}

/* Is it behind a perf event of a tracepoint, which the kernel takes some 60 ms to end? */
static bool is_slow(const struct rn_live *s, unsigned i)
{
	return s->out.prog[i].hook == RN_HOOK_TP && !s->by_name[i];
}

/* Is the program part of a search that queries share? */
static bool searches(const struct rn_prog *p)
{
	return !in_library(p) && p->hook != RN_HOOK_SYS_ENTER;
}

void rn_live_detach(struct rn_live *live, bool all)
{
	int fd[RN_PROGS_MAX], n = 0;
	bool shared;

	if (live->maps.globals)
		__atomic_store_n(&live->maps.globals->over, 1, __ATOMIC_SEQ_CST);
	shared = rn_search_leave(live);
	for (unsigned i = 0; i < live->out.nprogs; i++)
		if (live->link_fd[i] >= 0 && (all || !is_slow(live, i)) &&
		    !(shared && searches(&live->out.prog[i]))) {
			fd[n++] = live->link_fd[i];
			live->link_fd[i] = -1;
		}
	rn_chain_leave(&live->place);
	for (unsigned part = 0; part < 2; part++) {
		struct rn_named *named = &live->named[part];

		for (unsigned i = 0; i < named->nentry; i++)
			live->link_misses +=
				rn_kprobe_missed(live->probe_fd[named->entry_from + i]);
		named->nentry = 0;
	}
	/* each waits until no task is in its program any more */
	rn_parallel_for((unsigned)n, close_link, fd);
	rn_each_waiting(live->nprobes, close_link, live->probe_fd);
	live->nprobes = 0;
}
