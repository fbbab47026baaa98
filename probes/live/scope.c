/* scope.c - whom a query is about: processes by a bit for each id, kept current by programs on fork
 * and release; those of a network namespace; those of a cgroup. And whom it is never about: who
 * watches and who asks.
 *
 * A bitmap over all possible ids is as cheap to test as a constant (a hash costs 20 ns more per
 * event). Fork copies the parent's bit before the child first runs; the bit goes when the group's
 * leader is released, so that events during exit are still in scope. A cgroup is asked for by its
 * object, in a map, not by its path or depth, which a namespace may hide. */
#include "probes/live/scope.h"
#include <bpf/bpf.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "probes/gen/gen_impl.h"

/* r2 = address of the bit's word, r3 = the bit; reg is kept. */
static void bit_address(struct rn_gen *g, int reg)
{
	struct rn_emit *e = g->e;

	rn_emit_mov(e, BPF_REG_0, reg);
	rn_emit_alui(e, BPF_RSH, BPF_REG_0, 6);
	rn_emit_alui(e, BPF_AND, BPF_REG_0, RN_SCOPE_PIDS / 64 - 1);
	rn_emit_alui(e, BPF_LSH, BPF_REG_0, 3);
	rn_emit_map_value(e, BPF_REG_2, RN_MAP_SCOPE, 0);
	rn_emit_alu(e, BPF_ADD, BPF_REG_2, BPF_REG_0);
	rn_emit_movi(e, BPF_REG_3, 1);
	rn_emit_mov(e, BPF_REG_0, reg);
	rn_emit_alui(e, BPF_AND, BPF_REG_0, 63);
	rn_emit_alu(e, BPF_LSH, BPF_REG_3, BPF_REG_0);
	g->out->map[RN_MAP_SCOPE].used = true;
}

/* Jumps to out unless the bit of the process id in reg is set; clobbers r0, r2, r3. */
static void test_bit(struct rn_gen *g, int reg, int out)
{
	int in = rn_emit_label(g->e);

	bit_address(g, reg);
	rn_emit_ldx(g->e, BPF_DW, BPF_REG_2, BPF_REG_2, 0, NULL);
	rn_emit_jmp(g->e, BPF_JSET, BPF_REG_2, BPF_REG_3, in);
	rn_emit_ja(g->e, out);
	rn_emit_bind(g->e, in);
}

/* A task that ends has no namespaces any more: following its null pointer gives 0, which is
 * none. */
static void test_netns(struct rn_gen *g)
{
	const int32_t *off = g->o->btf->off;

	rn_emit_note(g->e, "only this network namespace");
	if (off[RN_BM_NET_NS] < 0 || off[RN_BM_NSC_INUM] < 0)
		rn_gen_fail(
			g,
			"this kernel has no net.ns.inum, by which a node is a network namespace");
	rn_gen_member(g, BPF_DW, BPF_REG_1, BPF_REG_8, RN_BM_TASK_NSPROXY);
	rn_gen_member(g, BPF_DW, BPF_REG_1, BPF_REG_1, RN_BM_NSPROXY_NET);
	rn_emit_ldx(g->e, BPF_W, BPF_REG_1, BPF_REG_1, off[RN_BM_NET_NS] + off[RN_BM_NSC_INUM],
		    "net.ns.inum");
	rn_emit_movi(g->e, BPF_REG_2, (int64_t)g->o->netns_ino);
	rn_emit_jmp(g->e, BPF_JNE, BPF_REG_1, BPF_REG_2, g->out_label);
}

/* Of a task that is not the current one: goes up from its cgroup, as far as those are nested that a
 * test has been made for. */
static void test_cgroup_of_task(struct rn_gen *g)
{
	enum { NESTED = 16 };
	int in = rn_emit_label(g->e);

	rn_emit_note(g->e, "only this cgroup and those below");
	rn_emit_movi(g->e, BPF_REG_2, (int64_t)g->o->cgroup);
	rn_gen_member(g, BPF_DW, BPF_REG_1, BPF_REG_8, RN_BM_TASK_CGROUPS);
	rn_gen_member(g, BPF_DW, BPF_REG_1, BPF_REG_1, RN_BM_CSS_SET_DFL);
	for (int i = 0; i < NESTED; i++) {
		rn_gen_member(g, BPF_DW, BPF_REG_3, BPF_REG_1, RN_BM_CGROUP_KN);
		rn_gen_member(g, BPF_DW, BPF_REG_3, BPF_REG_3, RN_BM_KN_ID);
		rn_emit_jmp(g->e, BPF_JEQ, BPF_REG_3, BPF_REG_2, in);
		rn_emit_ldx(g->e, BPF_DW, BPF_REG_1, BPF_REG_1,
			    g->o->btf->off[RN_BM_CGROUP_SELF] + g->o->btf->off[RN_BM_CSS_PARENT],
			    "cgroup.self.parent");
		rn_gen_member(g, BPF_DW, BPF_REG_1, BPF_REG_1, RN_BM_CSS_CGROUP);
	}
	rn_emit_ja(g->e, g->out_label);
	rn_emit_bind(g->e, in);
}

static void test_cgroup(struct rn_gen *g)
{
	if (rn_hook_row(g->hook)->at == RN_AT_FILES) {
		test_cgroup_of_task(g);
		return;
	}
	rn_emit_note(g->e, "only this cgroup and those below");
	rn_emit_map(g->e, BPF_REG_1, RN_MAP_CGROUP);
	rn_emit_movi(g->e, BPF_REG_2, 0);
	rn_emit_call(g->e, BPF_FUNC_current_task_under_cgroup);
	rn_emit_jmpi(g->e, BPF_JNE, BPF_REG_0, 1, g->out_label);
	g->out->map[RN_MAP_CGROUP].used = true;
}

bool rn_gen_scope_any(const struct rn_gen *g)
{
	return g->o->scoped || g->o->netns_ino || g->o->cgroup || g->o->naskers;
}

void rn_gen_current(struct rn_gen *g)
{
	rn_emit_note(g->e, "r8 = current task");
	rn_emit_call(g->e, BPF_FUNC_get_current_task_btf);
	rn_emit_mov(g->e, BPF_REG_8, BPF_REG_0);
}

/* r1 = process id of the current task. */
static void not_tracer(struct rn_gen *g)
{
	rn_emit_note(g->e, "not the tracer itself");
	rn_emit_jmpi_sym(g->e, BPF_JEQ, BPF_REG_1, g->o->self_pid, "self", g->out_label);
	for (unsigned i = 0; i < g->o->naskers; i++)
		rn_emit_jmpi_sym(g->e, BPF_JEQ, BPF_REG_1, g->o->askers[i], "asker", g->out_label);
}

void rn_gen_scope(struct rn_gen *g)
{
	rn_gen_current(g);
	rn_gen_scope_task(g);
}

void rn_gen_scope_task(struct rn_gen *g)
{
	struct rn_emit *e = g->e;

	rn_gen_member(g, BPF_W, BPF_REG_1, BPF_REG_8, RN_BM_TASK_TGID);
	/* an end of a pair is often about another task than the one it meets */
	if (!g->f->cls->pair || g->hook != RN_HOOK_TP)
		not_tracer(g);
	if (g->o->scoped) {
		rn_emit_note(e, "only processes in scope");
		test_bit(g, BPF_REG_1, g->out_label);
	}
	if (g->o->netns_ino)
		test_netns(g);
	if (g->o->cgroup)
		test_cgroup(g);
}

void rn_gen_scope_fork(struct rn_gen *g)
{
	struct rn_emit *e = g->e;

	rn_emit_note(e, "a child of a process in scope is in scope");
	rn_emit_ldx(e, BPF_DW, BPF_REG_7, BPF_REG_1, 0, NULL);
	rn_emit_ldx(e, BPF_DW, BPF_REG_6, BPF_REG_1, 8, NULL);
	rn_gen_member(g, BPF_W, BPF_REG_1, BPF_REG_7, RN_BM_TASK_TGID);
	test_bit(g, BPF_REG_1, g->out_label);
	rn_gen_member(g, BPF_W, BPF_REG_1, BPF_REG_6, RN_BM_TASK_TGID);
	bit_address(g, BPF_REG_1);
	rn_emit_atomic(e, BPF_OR, BPF_REG_2, 0, BPF_REG_3);
}

void rn_gen_scope_free(struct rn_gen *g)
{
	struct rn_emit *e = g->e;

	rn_emit_note(e, "a released process leaves the scope: its id may be given again");
	rn_emit_ldx(e, BPF_DW, BPF_REG_6, BPF_REG_1, 0, NULL);
	rn_gen_member(g, BPF_W, BPF_REG_1, BPF_REG_6, RN_BM_TASK_TGID);
	rn_gen_member(g, BPF_W, BPF_REG_2, BPF_REG_6, RN_BM_TASK_PID);
	rn_emit_jmp(e, BPF_JNE, BPF_REG_1, BPF_REG_2, g->out_label);
	bit_address(g, BPF_REG_1);
	rn_emit_movi(e, BPF_REG_4, -1);
	rn_emit_alu(e, BPF_XOR, BPF_REG_3, BPF_REG_4);
	rn_emit_atomic(e, BPF_AND, BPF_REG_2, 0, BPF_REG_3);
}

/* ---- user space: who is in scope when the query begins ---- */

/* The parent of a process by /proc; 0: none, or it has ended. */
static int32_t parent(int32_t pid)
{
	char path[64], buf[1024], *end;
	int32_t ppid = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	buf[n > 0 ? n : 0] = 0;
	end = strrchr(buf, ')'); /* the name before it may hold anything */
	// NOLINTNEXTLINE(cert-err34-c): the kernel wrote this number
	return end && sscanf(end + 1, " %*c %d", &ppid) == 1 ? ppid : 0;
}

/* Is it `of`, or one of its descendants? */
static bool descends(int32_t pid, int32_t of)
{
	for (int hops = 0; pid > 0 && hops < 4096; hops++, pid = parent(pid))
		if (pid == of)
			return true;
	return false;
}

static int in_range(int32_t pid, struct rn_err *err)
{
	return pid > 0 && pid < RN_SCOPE_PIDS
		       ? 0
		       : rn_err_set(err, -EINVAL, "%d is not a process id", pid);
}

static void mark(uint64_t *bits, int32_t pid)
{
	__atomic_fetch_or(&bits[pid / 64], 1ULL << (pid % 64), __ATOMIC_SEQ_CST);
}

static bool marked(const uint64_t *bits, int32_t pid)
{
	return __atomic_load_n(&bits[pid / 64], __ATOMIC_SEQ_CST) >> (pid % 64) & 1;
}

int rn_scope_fill(uint64_t *bits, const struct rn_scope *scope, struct rn_err *err)
{
	int r = 0;

	for (unsigned i = 0; i < scope->npids && !r; i++) {
		r = in_range(scope->pids[i], err);
		if (!r && (!scope->tree || descends(scope->pids[i], scope->tree)))
			mark(bits, scope->pids[i]);
	}
	if (r || scope->npids || !scope->tree)
		return r;
	r = in_range(scope->tree, err);
	if (!r && !parent(scope->tree) && kill(scope->tree, 0) && errno == ESRCH) {
		rn_err_set(
			err, -ESRCH,
			"the node is process %d and its descendants, but there is no such process",
			scope->tree);
		rn_err_hint(
			err,
			"start the agent again with the process that now is the root of that tree");
		return -ESRCH;
	}
	if (!r)
		mark(bits, scope->tree);
	return r;
}

void rn_scope_fill_tree(uint64_t *bits, const struct rn_scope *scope)
{
	bool again = scope && scope->tree && !scope->npids;

	/* Children of marked processes are marked by the kernel from their birth on. Those born
	 * before their parent was marked are found here; a round that finds none was the last. */
	while (again) {
		DIR *d = opendir("/proc");
		struct dirent *e;

		again = false;
		while (d && (e = readdir(d))) {
			int32_t pid = isdigit((unsigned char)e->d_name[0])
					      ? (int)strtol(e->d_name, NULL, 10)
					      : 0,
				up;

			if (pid <= 0 || pid >= RN_SCOPE_PIDS || marked(bits, pid))
				continue;
			up = parent(pid);
			if (up > 0 && up < RN_SCOPE_PIDS && marked(bits, up)) {
				mark(bits, pid);
				again = true;
				/* it ended meanwhile, and its id may be given again */
				if (!parent(pid))
					__atomic_fetch_and(&bits[pid / 64], ~(1ULL << (pid % 64)),
							   __ATOMIC_SEQ_CST);
			}
		}
		if (d)
			closedir(d);
	}
}

int rn_scope_cgroup(int map_fd, const struct rn_scope *scope, struct rn_err *err)
{
	int fd = open(scope->cgroup ? scope->cgroup : "", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
	    r = 0;
	uint32_t zero = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || st.st_ino != scope->cgroup_id ||
	    bpf_map_update_elem(map_fd, &zero, &fd, BPF_ANY)) {
		r = fd < 0 || st.st_ino == scope->cgroup_id ? -errno : -ESTALE;
		rn_err_set(err, r, "the node is the cgroup %s, but %s",
			   scope->cgroup ? scope->cgroup : "(no path)",
			   r == -ESTALE ? "that is another one by now" : strerror(-r));
		rn_err_hint(err, "start the agent again with the cgroup that is meant");
	}
	if (fd >= 0)
		close(fd);
	return r;
}

/* ---- the same question about one process, for the table ---- */

void rn_scope_paths(struct rn_scope_path *p, const struct rn_scope *scope)
{
	char *path =
		scope && scope->cgroup_id && scope->cgroup ? realpath(scope->cgroup, NULL) : NULL;
	size_t n = path ? strlen(path) : 0;
	struct statfs fs;

	*p = (struct rn_scope_path){.whole = path, .below = path};
	while (n > 1) { /* up to where the hierarchy is mounted */
		char *slash = memrchr(path, '/', n), was = (char)(slash ? *slash : 0);
		int r;

		if (!slash)
			break;
		p->below = path + n;
		if (slash == path)
			break;
		*slash = 0;
		r = statfs(path, &fs);
		*slash = was;
		if (r || fs.f_type != CGROUP2_SUPER_MAGIC)
			break;
		n = (size_t)(slash - path);
	}
}

bool rn_scope_holds(const struct rn_scope *scope, const struct rn_scope_path *path, int32_t pid,
		    int dir, const char *cgroup)
{
	bool named = !scope || !scope->npids;
	struct stat st;
	size_t n;

	for (unsigned i = 0; !named && i < scope->npids; i++)
		named = scope->follow ? descends(pid, scope->pids[i]) : pid == scope->pids[i];
	if (!named || !scope)
		return named;
	if (scope->tree && !descends(pid, scope->tree))
		return false;
	if (scope->netns_ino && (fstatat(dir, "ns/net", &st, 0) || st.st_ino != scope->netns_ino))
		return false;
	if (!scope->cgroup_id)
		return true;
	n = path->below ? strlen(path->below) : 0;
	return path->below && !strncmp(cgroup, path->below, n) && (!cgroup[n] || cgroup[n] == '/');
}
