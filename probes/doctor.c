/* doctor.c - what this kernel and this user can do: each ability is tried, none is concluded from
 * version numbers.
 *
 * Every trial is undone before the function returns: programs are loaded and closed; a probe sits
 * only for a moment, on nothing that runs for long. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "lang/resolve/names.h"
#include "lang/resolve/resolve.h"
#include "lang/syntax/parse.h"
#include "planner/plan/plan.h"
#include "probes/kernel/btf.h"
#include "probes/live/live.h"
#include "probes/probes.h"
#include "probes/intrinsics/splice.h"
#include "probes/uprobe/tls.h"
#include "probes/catalog/tracefs.h"
#include "probes/kernel/trial.h"
#include "probes/uprobe/kprobe.h"
#include "probes/uprobe/uprobe.h"
#include "probes/gen/hooks.h"

#define CHECKS_MAX 64
#define ROOT_ADVICE "run as root, or give the program CAP_BPF and CAP_PERFMON"

struct doctor {
	struct rn_arena *arena;
	struct rn_check *checks;
	unsigned n;
	bool have_btf;
	struct rn_btf btf;
	/* why the kernel refuses a hook's program in a search for tags; NULL: it does not */
	const char *refused[RN_HOOK_MAX];
};

static const char dearer[] = "without it, a query of system calls makes all of them slower";

/* ret < 0: negative errno, and advice is shown. */
static void add(struct doctor *d, const char *what, int ret, const char *detail, const char *advice)
{
	bool denied = ret == -EPERM || ret == -EACCES;

	if (d->n + 1 >= CHECKS_MAX)
		return;
	d->checks[d->n++] = (struct rn_check){
		.what = what,
		.ok = ret >= 0,
		.detail = ret >= 0 ? detail
				   : rn_arena_printf(d->arena, "%s: %s", detail, strerror(-ret)),
		.advice = ret >= 0              ? NULL
			  : denied && geteuid() ? ROOT_ADVICE
						: advice,
		.optional = advice == dearer,
	};
}

static int load_only(enum bpf_prog_type type, enum bpf_attach_type attach, uint32_t btf_id)
{
	return rn_trial_close(rn_trial_load(type, attach, btf_id));
}

static int map_of(enum bpf_map_type type, unsigned key, unsigned value, unsigned n)
{
	int fd = bpf_map_create(type, "rn_doctor", key, value, n, NULL);

	return fd < 0 ? -errno : fd;
}

static void check_btf(struct doctor *d)
{
	struct rn_err err = {0};
	struct rn_btf_trace want[RN_HOOK_MAX];
	int ret = rn_btf_read(&d->btf, want, rn_hook_traces(want), &err);

	d->have_btf = !ret;
	add(d, "BTF: types of the running kernel", ret, ret ? "/sys/kernel/btf/vmlinux" : "found",
	    "needed by everything: use a kernel built with CONFIG_DEBUG_INFO_BTF=y");
}

static int perf_tracepoint(struct doctor *d, int root)
{
	struct rn_tp tp = {0};
	struct perf_event_attr at = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(at), .sample_period = 1};
	int ret = rn_tracefs_event(d->arena, root, "sched", "sched_process_exit", &tp, NULL), prog;
	int fd;

	if (ret)
		return ret;
	prog = rn_trial_load(BPF_PROG_TYPE_TRACEPOINT, 0, 0);
	if (prog < 0)
		return prog;
	at.config = (uint64_t)tp.id;
	fd = (int)syscall(SYS_perf_event_open, &at, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	ret = fd < 0 ? -errno : 0;
	if (!ret) {
		LIBBPF_OPTS(bpf_link_create_opts, o);
		int link = bpf_link_create(prog, fd, BPF_PERF_EVENT, &o);

		ret = link < 0 ? -errno : 0;
		rn_trial_close(link);
		close(fd);
	}
	close(prog);
	return ret;
}

static void check_hooks(struct doctor *d)
{
	struct rn_err err = {0};
	int root = rn_tracefs_open(&err);

	add(d, "raw tracepoints",
	    rn_trial_attach(rn_trial_load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0), "sys_exit"),
	    "attached to sys_exit",
	    "needed by every query: check that the kernel has CONFIG_BPF_EVENTS and that lockdown "
	    "is off");
	add(d, "typed raw tracepoints (tp_btf)",
	    rn_trial_attach(rn_trial_load(BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP,
					  d->btf.trace[RN_HOOK_SYS_EXIT]),
			    NULL),
	    "attached to sys_exit",
	    "needed by queries of system calls: a kernel from 5.5 on with BTF");
	add(d, "tracefs", root < 0 ? root : 0, root < 0 ? "the tracing file system" : "readable",
	    "needed by tracepoint \"...\": mount it with: mount -t tracefs tracefs "
	    "/sys/kernel/tracing");
	if (root >= 0) {
		add(d, "tracepoints through perf events", perf_tracepoint(d, root),
		    "attached to sched:sched_process_exit",
		    "needed by tracepoint \"...\": check /proc/sys/kernel/perf_event_paranoid and "
		    "CONFIG_PERF_EVENTS");
		close(root);
	}
}

/* Tracepoints that classes of events need, and some queries cannot do without. */
static void check_sources(struct doctor *d)
{
	static const struct {
		uint16_t cls;
		const char *name;
	} classes[] = {
#define X(id, name, ...) {RN_CLS_##id, name},
		RN_CLASSES(X)
#undef X
	};
	const struct rn_hook_row *hook;

	for (unsigned k = 0; (hook = rn_hook_row(k)); k++) {
		const char *what = k == RN_HOOK_SYS_ENTER ? "latency of system calls"
				   : k == RN_HOOK_SCOPE_FORK || k == RN_HOOK_SCOPE_FREE
					   ? "queries about some processes (-c, -p)"
					   : NULL;

		for (unsigned i = 0; hook->trace && hook->cls != RN_CLS_NONE &&
				     i < sizeof(classes) / sizeof(*classes);
		     i++)
			if (classes[i].cls == hook->cls)
				what = rn_arena_printf(d->arena, "events of %s", classes[i].name);
		if (!what)
			continue;
		add(d, what,
		    !d->btf.trace[k]
			    ? -ENOENT
			    : rn_trial_attach(rn_trial_load(BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP,
							    d->btf.trace[k]),
					      NULL),
		    rn_arena_printf(d->arena, "tracepoint %s", hook->trace),
		    rn_arena_printf(d->arena, "%s cannot be asked for", what));
	}
}

static void check_maps(struct doctor *d)
{
	int fd, cpus = libbpf_num_possible_cpus();
	uint32_t n = 1, keys[1];
	uint64_t values[1024], out;
	int ret;

	add(d, "ring buffer", rn_trial_close(map_of(BPF_MAP_TYPE_RINGBUF, 0, 0, 4096)), "created",
	    "needed for rows: a kernel from 5.8 on");
	fd = map_of(BPF_MAP_TYPE_PERCPU_HASH, 4, 8, 16);
	ret = fd < 0 ? fd : 0;
	if (fd >= 0) {
		if (cpus > 0 && cpus <= 1024 &&
		    bpf_map_lookup_batch(fd, NULL, &out, keys, values, &n, NULL) && errno != ENOENT)
			ret = -errno;
		close(fd);
	}
	add(d, "per-CPU hash tables read in batches", ret, "created and read",
	    "needed for groups: a kernel from 5.6 on");
	add(d, "LRU hash tables", rn_trial_close(map_of(BPF_MAP_TYPE_LRU_HASH, 8, 8, 64)),
	    "created", "a kernel from 4.10 on");
}

/* Iterator over open files. */
static void check_iterator(struct doctor *d)
{
	uint32_t id = 0;

	for (unsigned k = 0; rn_hook_row(k); k++)
		if (rn_hook_row(k)->at == RN_AT_ITERATOR)
			id = d->btf.trace[k];
	add(d, "iterators over open files",
	    id ? load_only(BPF_PROG_TYPE_TRACING, BPF_TRACE_ITER, id) : -ENOENT, "loaded",
	    "rings of packet sockets that were made before a query for tags began are not counted "
	    "as uncovered");
}

/* BPF programs on functions. */
static void check_functions(struct doctor *d)
{
	static const struct {
		const char *what, *path, *target, *advice;
	} pmus[] = {
		{"kernel functions (kprobe)", "/sys/bus/event_source/devices/kprobe/type",
		 "vfs_read", "needed by the source kernel: a kernel with CONFIG_KPROBE_EVENTS"},
		{"user functions (uprobe)", "/sys/bus/event_source/devices/uprobe/type",
		 "/proc/self/exe",
		 "needed by the sources tls and user: a kernel with CONFIG_UPROBE_EVENTS"},
	};
	struct perf_event_attr at = {.size = sizeof(at)};
	enum rn_kprobe_way way;
	int type = -1, fd;
	char buf[16] = "";
	long mask;

	check_iterator(d);
	add(d, "kernel functions by trampoline (fentry)",
	    load_only(BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, rn_btf_find("vfs_read", 12)),
	    "loaded", dearer);
	add(d, "program type kprobe", load_only(BPF_PROG_TYPE_KPROBE, 0, 0), "loaded",
	    "needed by the source tls");
	for (unsigned i = 0; i < 2; i++) {
		int ret;

		fd = open(pmus[i].path, O_RDONLY | O_CLOEXEC);
		ret = fd < 0 ? -errno : 0;
		if (fd >= 0 && read(fd, buf, sizeof(buf) - 1) > 0)
			type = (int)strtol(buf, NULL, 10);
		rn_trial_close(fd);
		if (!ret) {
			at.type = (uint32_t)type;
			at.config1 = (uintptr_t)pmus[i].target;
			fd = (int)syscall(SYS_perf_event_open, &at, -1, 0, -1,
					  PERF_FLAG_FD_CLOEXEC);
			ret = fd < 0 ? -errno : 0;
			rn_trial_close(fd);
		}
		add(d, pmus[i].what, ret, ret ? pmus[i].path : "opened", pmus[i].advice);
	}
	way = rn_kprobe_best(RN_KPROBE_SESSION);
	add(d, "kernel functions, many at once", way > RN_KPROBE_PERF ? 0 : -ENOTSUP,
	    rn_kprobe_name(way > RN_KPROBE_PERF ? way : RN_KPROBE_MULTI),
	    "the source kernel probes at most 64 functions, and sees the ends of few calls at "
	    "once");
	mask = syscall(SYS_membarrier, 0, 0, 0);
	add(d, "membarrier", mask < 0 ? -errno : 0,
	    mask < 0 ? "windows that flip exactly" : "available",
	    "windows wait a little longer instead");
}

/* A whole query for tags, loaded and attached to nothing: the kernel may accept programs one by one
 * and refuse them together. */
static void check_search(struct doctor *d)
{
	static const char text[] = "events of tag \"runnel-doctor-tag\"";
	static const struct rn_agg_sig *const none[] = {NULL};
	static const struct rn_plan_opts opts;
	struct rn_catalog *catalog = rn_probes_catalog(none);
	struct rn_live_kernel *k = rn_live_create("doctor", NULL);
	struct rn_diag *diag = rn_diag_new(d->arena);
	struct rn_names names = {.catalog = catalog};
	struct rn_ast_file *file =
		rn_parse(d->arena, diag, rn_diag_source(diag, "query", text, strlen(text)));
	struct rn_plan *plan = NULL;
	struct rn_source *src = NULL;
	struct rn_err err = {0};
	int ret = -EINVAL;

	if (!rn_diag_errors(diag) && rn_resolve(d->arena, diag, file->stmts->query, &names))
		plan = rn_plan_query(d->arena, diag, file->stmts->query, &names, &opts);
	if (plan)
		ret = rn_live_open(k, &plan->frag, NULL, &src, &err);
	add(d, "a search for tags in all data", ret, "loaded", "the source tag cannot be used");
	if (ret < 0)
		d->checks[d->n - 1].detail =
			rn_arena_printf(d->arena, "%s: %s", err.text, err.hint);
	for (unsigned h = 0; rn_hook_row(h); h++)
		if (rn_live_refused(k, h))
			d->refused[h] = rn_arena_strdup(d->arena, rn_live_refused(k, h));
	if (src)
		src->ops->close(src);
	rn_live_destroy(k);
	rn_probes_catalog_free(catalog);
}

/* Ways of payload that need more than the return of a call: tracepoints that some kernels lack,
 * with programs that some kernels refuse. */
static void check_ways(struct doctor *d)
{
	static const struct {
		const char *trace, *what, *advice;
	} ways[] = {
		{"io_uring_complete", "completions of io_uring",
		 "what io_uring moves is not seen: its use is counted as uncovered"},
		{"io_uring_submit_", "submissions of io_uring",
		 "latency of io_uring's operations is not known"},
		{"sock_send_length", "what splice sends from a pipe",
		 "what the pipe holds when the call begins is searched instead; what comes later "
		 "is counted as faulted"},
		{"mm_filemap_map_pages", "tags in files read through memory",
		 "mmap_read does not exist: maps of files are counted as uncovered"},
		{"mm_filemap_fault", "tags in pages that are read in to be written",
		 "of mmap_read, pages that are first touched by a store are missed: maps of files "
		 "are counted as uncovered"},
		{"mmap_lock_acquire_returned", "tags in files written through memory",
		 "mmap_write does not exist: maps that share what is written are counted as "
		 "uncovered"},
		{"block_bio_queue", "use of loop devices and nbd",
		 "it is not counted as uncovered by a search for tags"},
		{"writeback_dirty_inode_start", "what overlayfs copies up",
		 "it is not counted as uncovered by a search for tags"},
	};

	for (unsigned i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		const struct rn_hook_row *h;
		int hook = -1, ret = -ENOENT;
		bool refused;

		for (unsigned k = 0; (h = rn_hook_row(k)); k++)
			if (h->trace && d->btf.trace[k] &&
			    !strncmp(h->trace, ways[i].trace, strlen(ways[i].trace)))
				hook = (int)k;
		if (hook >= 0)
			ret = rn_trial_attach(rn_trial_load(BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP,
							    d->btf.trace[hook]),
					      NULL);
		refused = !ret && d->refused[hook];
		add(d, ways[i].what, refused ? -ENOTSUP : ret,
		    rn_arena_printf(d->arena, "tracepoint %s",
				    ret ? ways[i].trace : rn_hook_row((unsigned)hook)->trace),
		    ways[i].advice);
		if (refused)
			d->checks[d->n - 1].detail = d->refused[hook];
	}
}

/* Probes in the first TLS library found, for a moment. */
static void check_tls(struct doctor *d)
{
	int prog, links[RN_TLS_PROBES], n = 0, ret = 0;
	bool multi = rn_uprobe_multi();
	const char *refused = NULL;
	struct rn_tls_libs libs;

	for (unsigned h = 0; rn_hook_row(h); h++)
		if (rn_hook_in_library(rn_hook_row(h)) && d->refused[h])
			refused = d->refused[h];
	rn_tls_find(&libs);
	prog = rn_trial_load(BPF_PROG_TYPE_KPROBE,
			     multi ? (enum bpf_attach_type)RN_TRACE_UPROBE_MULTI : 0, 0);
	for (int i = 0; libs.n && prog >= 0 && i < 2 && ret >= 0; i++) {
		const struct rn_tls_lib *v = &libs.list[0];
		const struct rn_uprobes uprobes[2] = {{v->fd, v->entry, v->nentry},
						      {v->fd, v->leave, v->nleave}};

		ret = rn_uprobe_attach(prog, multi, &uprobes[i], links + n);
		n += ret > 0 ? ret : 0;
	}
	while (n)
		close(links[--n]);
	if (!libs.n)
		add(d, "plaintext of TLS", -ENOENT, "libssl",
		    "the source tls cannot be used: no process has a libssl in use, and none lies "
		    "in the usual places");
	else
		add(d, "plaintext of TLS",
		    prog < 0  ? prog
		    : ret < 0 ? ret
		    : refused ? -ENOTSUP
			      : 0,
		    rn_arena_printf(d->arena, "%u %s of libssl found%s", libs.n,
				    libs.n == 1 ? "copy" : "copies",
				    prog < 0 || ret < 0 ? ", probes" : ", probes attached"),
		    "the source tls cannot be used, and tag does not see what is encrypted");
	if (libs.n && prog >= 0 && ret >= 0 && refused)
		d->checks[d->n - 1].detail = refused;
	rn_trial_close(prog);
	rn_tls_free(&libs);
}

static void check_intrinsics(struct doctor *d)
{
	static const struct rn_tag tag[] = {{"runnel-doctor-tag", 17}};
	static const char *const pattern[] = {"*"};
	static const struct {
		enum rn_intrinsic i;
		const char *what, *advice;
	} list[] = {
		{RN_I_FILE, "files of descriptors", "the fields file, dev and ino cannot be used"},
		{RN_I_EXE, "executables", "the field file of exec cannot be used"},
		{RN_I_NAME, "names given by callers",
		 "the field file of calls that failed cannot be used"},
		{RN_I_MATCH, "globs on paths", "globs on file run on the node"},
		{RN_I_GLOB, "globs on strings", "globs on strings run on the node"},
		{RN_I_GLOB_ARGS, "globs on command lines", "globs on cmdline run on the node"},
		{RN_I_SOCK, "ends of sockets", "the fields local and peer cannot be used"},
		{RN_I_TLS_ENTER, "calls of TLS libraries", "the source tls cannot be used"},
		{RN_I_OFFSET, "positions of data", "the field offset cannot be used"},
		{RN_I_END, "what pairs ends of sockets",
		 "the fields seq, peer_ino, fuse_dev, fuse_node and fuse_tid, and with them flows, "
		 "cannot be used"},
		{RN_I_SCAN, "tags in data", "the source tag cannot be used"},
		{RN_I_HASH, "hash of data", "the field hash cannot be used"},
		{RN_I_SKETCH, "sketch of data", "similar() cannot be used"},
		{RN_I_DATA, "beginning of data", "the field data cannot be used"},
	};

	for (unsigned i = 0; i < sizeof(list) / sizeof(*list); i++) {
		struct rn_intrinsics_opts opts = {.wanted = 1ull << list[i].i,
						  .tags = tag,
						  .ntags = 1,
						  .patterns = pattern,
						  .npatterns = 1,
						  .verify = true};
		struct rn_intrinsics *intrinsics = NULL;
		struct rn_err err = {0};
		int ret = rn_intrinsics_open(&opts, &intrinsics, &err);
		bool scan = list[i].i == RN_I_SCAN && !ret,
		     paged = scan && rn_intrinsics_pages(intrinsics);

		rn_intrinsics_close(intrinsics);
		add(d, list[i].what, ret, "loaded", list[i].advice);
		if (ret)
			/* it names the error */
			d->checks[d->n - 1].detail = rn_arena_strdup(d->arena, err.text);
		if (scan)
			add(d, "tags in copies inside the kernel", paged ? 0 : -ENOTSUP,
			    paged ? "loaded" : "the page cache cannot be located",
			    "tags moved by sendfile, splice, copy_file_range are not seen");
	}
}

struct rn_check *rn_probes_doctor(struct rn_arena *arena)
{
	struct doctor d = {.arena = arena, .checks = RN_NEWN(arena, struct rn_check, CHECKS_MAX)};
	struct rn_err err = {0};
	int ret = rn_probes_permitted(&err);

	add(&d, "permission to trace", ret, ret ? err.text : "programs can be loaded and attached",
	    err.hint);
	if (ret) { /* the others would only repeat it */
		d.checks[0].detail = rn_arena_strdup(arena, err.text);
		d.checks[0].advice = rn_arena_strdup(arena, err.hint);
		return d.checks;
	}
	check_btf(&d);
	check_hooks(&d);
	check_sources(&d);
	check_maps(&d);
	check_functions(&d);
	check_intrinsics(&d);
	check_search(&d);
	check_tls(&d);
	check_ways(&d);
	add(&d, "pages that are known to hold no tag", 0,
	    "not searched again on ext4, XFS, Btrfs; what comes into them by the device beneath, "
	    "by XFS "
	    "without a time of change, or by DMA into a mapping that is gone, is missed "
	    "(--no-clean-cache searches everything)",
	    NULL);
	return d.checks;
}
