/* field_fetch.c - costly fields, each computed once per event: time, latency, the file and the
 * socket behind a descriptor, tags.
 *
 * Results lie on the stack at rn_gen.mat. The calls of a class have the descriptor in different
 * arguments: rn_gen_by_trait branches on the number of the call, and only if it must. */
#include <asm/unistd.h>
#include <linux/bpf.h>
#include <string.h>
#include "probes/gen/gen_impl.h"

/* ---- branching by system call ---- */

void rn_gen_nr_test(struct rn_gen *gen, const uint16_t *nr, unsigned n, bool want, int label)
{
	rn_gen_nr(gen, BPF_REG_1);
	rn_gen_nr_among(gen, nr, n, want, label);
}

/* Jump to label if r1 is one of many numbers: a bit mask for each 64 of them. A shift takes its
 * count modulo 64. */
static void among_many(struct rn_gen *gen, const uint16_t *nr, unsigned n, int label)
{
	enum { WORDS = RN_SYS_MAX / 64 };
	uint64_t mask[WORDS] = {0};
	int at[WORDS], none = rn_emit_label(gen->emit);

	for (unsigned i = 0; i < n; i++)
		mask[nr[i] / 64] |= 1ULL << nr[i] % 64;
	rn_emit_mov(gen->emit, BPF_REG_2, BPF_REG_1);
	rn_emit_alui(gen->emit, BPF_RSH, BPF_REG_2, 6);
	for (int w = 0; w < WORDS; w++) {
		if (!mask[w])
			continue;
		at[w] = rn_emit_label(gen->emit);
		rn_emit_jmpi(gen->emit, BPF_JEQ, BPF_REG_2, w, at[w]);
	}
	rn_emit_ja(gen->emit, none);
	for (int w = 0; w < WORDS; w++) {
		if (!mask[w])
			continue;
		rn_emit_bind(gen->emit, at[w]);
		rn_emit_movi(gen->emit, BPF_REG_0, (int64_t)mask[w]);
		rn_emit_alu(gen->emit, BPF_RSH, BPF_REG_0, BPF_REG_1);
		rn_emit_jmpi(gen->emit, BPF_JSET, BPF_REG_0, 1, label);
		rn_emit_ja(gen->emit, none);
	}
	rn_emit_bind(gen->emit, none);
}

void rn_gen_nr_among(struct rn_gen *gen, const uint16_t *nr, unsigned n, bool want, int label)
{
	struct rn_emit *emit = gen->emit;
	int in = rn_emit_label(emit);

	if (n == 1 && !want) {
		rn_emit_jmpi(emit, BPF_JNE, BPF_REG_1, nr[0], label);
		rn_emit_bind(emit, in);
		return;
	}
	for (unsigned i = 0; n <= 6 && i < n; i++)
		rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_1, nr[i], want ? label : in);
	if (n > 6)
		among_many(gen, nr, n, want ? label : in);
	if (!want)
		rn_emit_ja(emit, label);
	rn_emit_bind(emit, in);
}

void rn_gen_by_trait(struct rn_gen *gen, rn_trait_key *key,
		     void (*body)(struct rn_gen *g, int key, void *self), void *self)
{
	int keys[64], done = rn_emit_label(gen->emit);
	unsigned count[64] = {0}, n = 0, most = 0;
	uint16_t *nr = RN_NEWN(gen->arena, uint16_t, gen->nnr);

	for (unsigned i = 0; i < gen->nnr; i++) {
		int k = key(rn_sys_trait(gen->nr[i]));
		unsigned j = 0;

		while (j < n && keys[j] != k)
			j++;
		if (j == n && n < 64)
			keys[n++] = k;
		count[j < 64 ? j : 63]++;
	}
	for (unsigned j = 1; j < n; j++)
		if (count[j] > count[most])
			most = j;
	for (unsigned j = 0; j < n; j++) {
		int skip = rn_emit_label(gen->emit);
		unsigned m = 0;

		if (j == most)
			continue;
		for (unsigned i = 0; i < gen->nnr; i++)
			if (key(rn_sys_trait(gen->nr[i])) == keys[j])
				nr[m++] = gen->nr[i];
		rn_gen_nr_test(gen, nr, m, false, skip);
		body(gen, keys[j], self);
		rn_emit_ja(gen->emit, done);
		rn_emit_bind(gen->emit, skip);
	}
	body(gen, n ? keys[most] : -1, self);
	rn_emit_bind(gen->emit, done);
}

/* ---- time ---- */

static void fetch_time(struct rn_gen *g)
{
	rn_emit_note(g->emit, "time");
	rn_emit_call(g->emit, BPF_FUNC_ktime_get_ns);
	rn_emit_stx(g->emit, BPF_DW, BPF_REG_10, g->cached[RN_CACHED_TIME], BPF_REG_0);
}

/* r0 = this thread's struct rn_start, or 0. */
static void start_of(struct rn_gen *g, bool create)
{
	if (rn_gen_task_is_cast(g))
		rn_emit_call(g->emit, BPF_FUNC_get_current_task_btf);
	rn_emit_mov(g->emit, BPF_REG_2, rn_gen_task_is_cast(g) ? BPF_REG_0 : BPF_REG_8);
	rn_emit_map(g->emit, BPF_REG_1, RN_MAP_START);
	rn_emit_movi(g->emit, BPF_REG_3, 0);
	rn_emit_movi(g->emit, BPF_REG_4, create ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	rn_emit_call(g->emit, BPF_FUNC_task_storage_get);
	g->out->map[RN_MAP_START].used = true;
}

/* The beginning was not seen. A query that only shows it keeps the event; any other one leaves it
 * out. */
static void not_known(struct rn_gen *g, int done)
{
	if (g->shows) {
		rn_emit_movi(g->emit, BPF_REG_1, RN_NOT_KNOWN);
		rn_emit_stx(g->emit, BPF_DW, BPF_REG_10, g->cached[RN_CACHED_LATENCY], BPF_REG_1);
		rn_emit_ja(g->emit, done);
	} else {
		rn_gen_stat(g, RN_STAT_UNPAIRED);
		rn_emit_ja(g->emit, g->out_label);
	}
}

/* In a program that takes all events over: jump to label unless the event is a call, or an
 * operation that is a part of one. */
static void leave_operations(struct rn_gen *g, int label)
{
	int call = rn_emit_label(g->emit);
	const uint16_t *parts;
	unsigned n = rn_gen_clone_ops(&parts);

	if (!rn_gen_takes_over(g))
		return;
	rn_gen_if_call(g, BPF_REG_1, call);
	rn_gen_nr_test(g, parts, n, false, label);
	rn_emit_bind(g->emit, call);
}

static void fetch_latency(struct rn_gen *gen)
{
	struct rn_emit *emit = gen->emit;
	int ok = rn_emit_label(emit), unpaired = rn_emit_label(emit), done = rn_emit_label(emit);

	rn_gen_cache(gen, RN_CACHED_TIME);
	if (gen->pair) {
		rn_emit_note(emit, "latency: since the first event");
		rn_gen_kept(gen, &gen->kept[0], BPF_REG_1);
		rn_emit_ldx(emit, BPF_DW, BPF_REG_1, BPF_REG_1, 0, NULL);
	} else if (gen->cls->id == RN_CLS_EXIT) {
		rn_emit_note(emit, "latency: since the process began");
		rn_gen_member(gen, BPF_DW, BPF_REG_1, BPF_REG_6, RN_BM_TASK_START_TIME);
	} else if (gen->is_op) {
		rn_emit_note(emit, "latency: since the operation began");
		rn_emit_ldx(emit, BPF_DW, BPF_REG_1, BPF_REG_6,
			    offsetof(struct rn_bpf_call, begin_ns), NULL);
		rn_emit_jmpi(emit, BPF_JNE, BPF_REG_1, 0, ok);
		if (gen->hook == RN_HOOK_SYS_EXIT || rn_gen_takes_over(gen)) {
			rn_emit_note(emit, "which is a call");
			leave_operations(gen, unpaired);
			start_of(gen, false);
			rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_0, 0, unpaired);
			rn_emit_ldx(emit, BPF_DW, BPF_REG_1, BPF_REG_0,
				    offsetof(struct rn_start, time_ns), NULL);
			rn_emit_sti(emit, BPF_DW, BPF_REG_0, offsetof(struct rn_start, time_ns), 0);
			rn_emit_stx(emit, BPF_DW, BPF_REG_6, offsetof(struct rn_bpf_call, begin_ns),
				    BPF_REG_1);
			rn_emit_jmpi(emit, BPF_JNE, BPF_REG_1, 0, ok);
			rn_emit_bind(emit, unpaired);
		}
		not_known(gen, done);
		rn_emit_bind(emit, ok);
	} else {
		rn_emit_note(
			emit,
			gen->shows
				? "latency: since this thread's entry; without one it is not known"
				: "latency: since this thread's entry; without one the event is "
				  "left out");
		if (rn_gen_chain_begins(gen)) {
			rn_gen_chain_begin(gen, BPF_REG_1, unpaired);
		} else {
			start_of(gen, false);
			rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_0, 0, unpaired);
			rn_emit_ldx(emit, BPF_DW, BPF_REG_1, BPF_REG_0,
				    offsetof(struct rn_start, time_ns), NULL);
			rn_emit_sti(emit, BPF_DW, BPF_REG_0, offsetof(struct rn_start, time_ns), 0);
		}
		rn_emit_jmpi(emit, BPF_JNE, BPF_REG_1, 0, ok);
		rn_emit_bind(emit, unpaired);
		not_known(gen, done);
		rn_emit_bind(emit, ok);
	}
	rn_emit_ldx(emit, BPF_DW, BPF_REG_2, BPF_REG_10, gen->cached[RN_CACHED_TIME], NULL);
	rn_emit_alu(emit, BPF_SUB, BPF_REG_2, BPF_REG_1);
	rn_emit_stx(emit, BPF_DW, BPF_REG_10, gen->cached[RN_CACHED_LATENCY], BPF_REG_2);
	rn_emit_bind(emit, done);
}

/* ---- files ---- */

enum { KEY_EXEC = 256, KEY_CLOSE = 512, KEY_AT = 1024 };

static int file_key(const struct rn_sys_trait *t)
{
	return (t->fd_arg + 1) | (t->path_arg + 1) << 4 |
	       (t->families & RN_FAM_EXEC ? KEY_EXEC : 0) |
	       (t->families & RN_FAM_CLOSE && t->fd_arg >= 0 ? KEY_CLOSE : 0) |
	       (t->at ? KEY_AT : 0);
}

static int source_key(const struct rn_sys_trait *t)
{
	return t->src_arg;
}

/* Address of the stack slot of m in reg. */
static void slot_address(struct rn_gen *g, enum rn_cached m, int reg)
{
	rn_emit_mov(g->emit, reg, BPF_REG_10);
	rn_emit_alui(g->emit, BPF_ADD, reg, g->cached[m]);
}

/* Load a descriptor argument into r1 (32 bits; all 64 if the operation is no call). */
static void fd_in_r1(struct rn_gen *g, int arg)
{
	int call = rn_emit_label(g->emit), file = rn_emit_label(g->emit);

	if (arg == RN_ARG_RET)
		rn_emit_mov(g->emit, BPF_REG_1, BPF_REG_7);
	else if (arg < RN_ARG_RET)
		rn_gen_arg(g, arg, BPF_REG_1);
	if (arg == RN_ARG_AIO)
		rn_emit_ldx(g->emit, BPF_DW, BPF_REG_1, BPF_REG_10, g->cached[RN_CACHED_AIO_FD],
			    NULL);
	if (rn_gen_takes_over(g))
		rn_gen_if_call(g, BPF_REG_2, call);
	if (g->is_op) /* or a struct file's address */
		rn_emit_ja(g->emit, file);
	rn_emit_bind(g->emit, call);
	rn_emit_alui(g->emit, BPF_LSH, BPF_REG_1, 32);
	rn_emit_alui(g->emit, BPF_RSH, BPF_REG_1, 32);
	rn_emit_bind(g->emit, file);
}

static int want(const struct rn_gen *g)
{
	return g->out->uses_files ? RN_WANT_NAME : RN_WANT_ID;
}

/* After rn_file or rn_exe, with the result's address in r6..r10 + off: get the name if it is not
 * known yet. */
static void name_file(struct rn_gen *g, int base, int off)
{
	int named = rn_emit_label(g->emit);

	if (want(g) != RN_WANT_NAME)
		return;
	rn_emit_jmpi(g->emit, BPF_JNE, BPF_REG_0, RN_UNNAMED, named);
	rn_emit_mov(g->emit, BPF_REG_1, base);
	rn_emit_alui(g->emit, BPF_ADD, BPF_REG_1, off);
	rn_gen_intrinsic(g, RN_I_RESOLVE);
	rn_emit_bind(g->emit, named);
}

static void call_file(struct rn_gen *g, enum rn_cached m, int arg)
{
	fd_in_r1(g, arg);
	rn_emit_movi(g->emit, BPF_REG_2, want(g));
	slot_address(g, m, BPF_REG_3);
	rn_gen_intrinsic(g, RN_I_FILE);
	name_file(g, BPF_REG_10, g->cached[m]);
}

/* The file of a descriptor, else the path as the caller gave it: for a failed open or exec, for
 * unlink, stat, ... */
static void file_body(struct rn_gen *gen, int key, void *self)
{
	struct rn_emit *emit = gen->emit;
	int fd = (key & 15) - 1, path = (key >> 4 & 15) - 1, done = rn_emit_label(emit),
	    failed = rn_emit_label(emit);

	(void)self;
	if (key & KEY_CLOSE) {
		gen->out->uses_close = true;
		start_of(gen, false);
		rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_0, 0, done);
		for (int i = 0; i < RN_START_FILE; i++) {
			rn_emit_ldx(emit, BPF_DW, BPF_REG_1, BPF_REG_0,
				    (int)offsetof(struct rn_start, file) + 8 * i, NULL);
			rn_emit_stx(emit, BPF_DW, BPF_REG_10, gen->cached[RN_CACHED_FILE] + 8 * i,
				    BPF_REG_1);
		}
	} else if (key & KEY_EXEC) {
		rn_emit_jmpi(emit, BPF_JNE, BPF_REG_7, 0, failed);
		rn_emit_movi(emit, BPF_REG_1, want(gen));
		slot_address(gen, RN_CACHED_FILE, BPF_REG_2);
		rn_gen_intrinsic(gen, RN_I_EXE);
		name_file(gen, BPF_REG_10, gen->cached[RN_CACHED_FILE]);
		rn_emit_ja(emit, done);
	} else if (fd >= 0) {
		if (fd == RN_ARG_RET)
			rn_emit_jmpi(emit, BPF_JSLT, BPF_REG_7, 0, failed);
		call_file(gen, RN_CACHED_FILE, fd);
		rn_emit_ja(emit, done);
	}
	rn_emit_bind(emit, failed);
	if (path >= 0) {
		rn_gen_arg(gen, path, BPF_REG_1);
		rn_emit_movi(emit, BPF_REG_2, want(gen));
		slot_address(gen, RN_CACHED_FILE, BPF_REG_3);
		rn_gen_intrinsic(gen, RN_I_NAME);
		if (key & KEY_AT) {
			rn_emit_jmpi(emit, BPF_JNE, BPF_REG_0, RN_NAME_EMPTY, done);
			call_file(gen, RN_CACHED_FILE, path - 1);
		}
	}
	rn_emit_bind(emit, done);
}

/* Only the key is used, and a source's inode. So only they take room on the stack, which all
 * functions of a program share. */
enum { SOURCE_BYTES = offsetof(struct rn_bpf_file, mode) };
static void key_only(struct rn_gen *gen, enum rn_cached m, int arg)
{
	int bytes = m == RN_CACHED_SOURCE ? SOURCE_BYTES : (int)sizeof(struct rn_file_key);
	struct rn_emit *emit = gen->emit;

	if (gen->r9_set)
		rn_gen_push(gen, BPF_REG_9);
	rn_gen_scratch(gen, BPF_REG_9);
	if (m == RN_CACHED_SOURCE)
		fd_in_r1(gen, arg);
	rn_emit_movi(emit, m == RN_CACHED_SOURCE ? BPF_REG_2 : BPF_REG_1, want(gen));
	rn_emit_mov(emit, m == RN_CACHED_SOURCE ? BPF_REG_3 : BPF_REG_2, BPF_REG_9);
	rn_emit_alui(emit, BPF_ADD, m == RN_CACHED_SOURCE ? BPF_REG_3 : BPF_REG_2, RN_SCRATCH_FILE);
	rn_gen_intrinsic(gen, m == RN_CACHED_SOURCE ? RN_I_FILE : RN_I_EXE);
	name_file(gen, BPF_REG_9, RN_SCRATCH_FILE);
	for (int i = 0; i < bytes; i += 8) {
		rn_emit_ldx(emit, BPF_DW, BPF_REG_1, BPF_REG_9, RN_SCRATCH_FILE + i, NULL);
		rn_emit_stx(emit, BPF_DW, BPF_REG_10, gen->cached[m] + i, BPF_REG_1);
	}
	if (gen->r9_set)
		rn_gen_pop(gen, BPF_REG_9);
}

static void source_body(struct rn_gen *g, int arg, void *self)
{
	(void)self;
	if (arg >= 0)
		key_only(g, RN_CACHED_SOURCE, arg);
}

static enum rn_cached file_of(struct rn_gen *g, const struct rn_field *f)
{
	switch (f->id) {
	case RN_F_FILE: return RN_CACHED_FILE;
	case RN_F_SOURCE: return RN_CACHED_SOURCE;
	case RN_F_EXE: return RN_CACHED_EXE;
	default:
		rn_gen_fail(g, "the field `%s` does not say which file it is", f->name);
		return RN_CACHED_FILE;
	}
}

/* ---- sockets ---- */

static int sock_key(const struct rn_sys_trait *t)
{
	return (t->fd_arg + 1) | (t->addr_arg + 1) << 4 | t->addr_kind << 8;
}

static void sock_body(struct rn_gen *gen, int key, void *self)
{
	struct rn_emit *emit = gen->emit;
	int fd = (key & 15) - 1, addr = (key >> 4 & 15) - 1, done = rn_emit_label(emit);

	(void)self;
	if (fd >= 0) {
		if (fd == RN_ARG_RET)
			rn_emit_jmpi(emit, BPF_JSLT, BPF_REG_7, 0, done);
		fd_in_r1(gen, fd);
		if (addr >= 0)
			rn_gen_arg(gen, addr, BPF_REG_2);
		else
			rn_emit_movi(emit, BPF_REG_2, 0);
		rn_emit_movi(emit, BPF_REG_3, addr >= 0 ? key >> 8 : RN_ADDR_NONE);
		slot_address(gen, RN_CACHED_SOCK, BPF_REG_4);
		rn_gen_intrinsic(gen, RN_I_SOCK);
	}
	rn_emit_bind(emit, done);
}

/* The peer begins at an odd multiple of 2 in rn_bpf_sock, and stack loads must be aligned. So a
 * copy follows the struct. */
static void align_peer(struct rn_gen *g)
{
	int base = g->cached[RN_CACHED_SOCK];

	for (int i = 0; i < 9; i++) {
		rn_emit_ldx(g->emit, BPF_H, BPF_REG_1, BPF_REG_10,
			    base + (int)offsetof(struct rn_bpf_sock, peer) + 2 * i, NULL);
		rn_emit_stx(g->emit, BPF_H, BPF_REG_10,
			    base + (int)sizeof(struct rn_bpf_sock) + 2 * i, BPF_REG_1);
	}
}

/* Both ends of a tracepoint whose record has them. */
static void ends_of_tp(struct rn_gen *gen)
{
	const struct rn_tp_ends *t = &rn_gen_record(gen)->ends;
	const struct {
		uint16_t address, port;
		size_t to;
		const char *what;
	} end[] = {
		{t->local, t->sport, offsetof(struct rn_bpf_sock, local), "saddr_v6"},
		{t->peer, t->dport, offsetof(struct rn_bpf_sock, peer), "daddr_v6"},
	};

	rn_gen_of_record(gen, "local or peer");
	for (unsigned i = 0; i < 2; i++) {
		int to = gen->cached[RN_CACHED_SOCK] + (int)end[i].to;

		for (int k = 0; k < 16; k += 2) {
			rn_emit_ldx(gen->emit, BPF_H, BPF_REG_1, BPF_REG_6, end[i].address + k,
				    k ? NULL : end[i].what);
			rn_emit_stx(gen->emit, BPF_H, BPF_REG_10, to + k, BPF_REG_1);
		}
		/* big-endian from here on */
		rn_emit_ldx(gen->emit, BPF_H, BPF_REG_1, BPF_REG_6, end[i].port,
			    i ? "dport" : "sport");
		rn_emit_stx(gen->emit, BPF_B, BPF_REG_10, to + 17, BPF_REG_1);
		rn_emit_alui(gen->emit, BPF_RSH, BPF_REG_1, 8);
		rn_emit_stx(gen->emit, BPF_B, BPF_REG_10, to + 16, BPF_REG_1);
	}
}

/* ---- tags ---- */

/* In scratch memory; an operation that is no call is there already. */
void rn_gen_call_in_r1(struct rn_gen *gen)
{
	struct rn_emit *e = gen->emit;

	if (gen->is_op) {
		rn_emit_mov(e, BPF_REG_1, BPF_REG_6);
		return;
	}
	rn_gen_scratch(gen, BPF_REG_1);
	rn_emit_alui(e, BPF_ADD, BPF_REG_1, RN_SCRATCH_CALL);
	rn_gen_nr(gen, BPF_REG_2);
	rn_emit_stx(e, BPF_DW, BPF_REG_1, offsetof(struct rn_bpf_call, nr), BPF_REG_2);
	rn_emit_stx(e, BPF_DW, BPF_REG_1, offsetof(struct rn_bpf_call, ret), BPF_REG_7);
	for (int i = 0; i < 6; i++) {
		rn_gen_arg(gen, i, BPF_REG_2);
		rn_emit_stx(e, BPF_DW, BPF_REG_1, (int)offsetof(struct rn_bpf_call, arg) + 8 * i,
			    BPF_REG_2);
	}
}

static int zero_key(const struct rn_sys_trait *t)
{
	return t->payload == RN_PAY_ZEROCOPY;
}
static bool covers(const struct rn_gen *g, rn_trait_key *key);

static int bare_key(const struct rn_sys_trait *t)
{
	return !(t->families & RN_FAM_PAYLOAD);
}

/* Jumps to none if the call has no payload. In a list, the condition of one class may be about a
 * payload that the calls of others lack. */
static void leave_out_bare(struct rn_gen *gen, int none)
{
	uint16_t *nr = RN_NEWN(gen->arena, uint16_t, gen->nnr + 1);
	unsigned n = 0;

	if (gen->is_op || !covers(gen, bare_key))
		return;
	for (unsigned i = 0; i < gen->nnr; i++)
		if (!bare_key(rn_sys_trait(gen->nr[i])))
			nr[n++] = gen->nr[i];
	rn_gen_nr_test(gen, nr, n, false, none);
}

/* Call a precompiled function that takes the call; its result goes to the slot of m. */
static void of_call(struct rn_gen *gen, enum rn_cached m, enum rn_intrinsic i)
{
	static const uint16_t zero[] = {__NR_getsockopt};
	int none = rn_emit_label(gen->emit), done = rn_emit_label(gen->emit),
	    some = rn_emit_label(gen->emit);

	rn_emit_sti(gen->emit, BPF_DW, BPF_REG_10, gen->cached[m], 0);
	if (i == RN_I_HASH)
		leave_out_bare(gen, none);
	if (covers(gen, zero_key)) /* it returns 0, however much it moved */
		rn_gen_nr_test(gen, zero, 1, true, some);
	rn_emit_jmpi(gen->emit, BPF_JSLE, BPF_REG_7, 0, none);
	rn_emit_bind(gen->emit, some);
	rn_gen_call_in_r1(gen);
	if (i == RN_I_END)
		rn_emit_movi(gen->emit, BPF_REG_2, (int)m - RN_CACHED_SEQ + RN_END_SEQ);
	rn_gen_intrinsic(gen, i);
	rn_emit_stx(gen->emit, BPF_DW, BPF_REG_10, gen->cached[m], BPF_REG_0);
	if (i == RN_I_SCAN)
		rn_emit_ja(gen->emit, done);
	rn_emit_bind(gen->emit, none);
	if (i == RN_I_SCAN)
		rn_gen_stat(gen, RN_STAT_EMPTY);
	rn_emit_bind(gen->emit, done);
}

/* The same for results larger than a number: they get a place in scratch memory, whose address goes
 * to the slot of m. */
static void into_scratch(struct rn_gen *g, enum rn_cached m, enum rn_intrinsic i, int to)
{
	struct rn_emit *e = g->emit;

	if (g->is_op)
		rn_gen_scratch(g, BPF_REG_1);
	else
		rn_gen_call_in_r1(g);
	rn_emit_mov(e, BPF_REG_2, BPF_REG_1);
	rn_emit_alui(e, BPF_ADD, BPF_REG_2, to - (g->is_op ? 0 : RN_SCRATCH_CALL));
	rn_emit_stx(e, BPF_DW, BPF_REG_10, g->cached[m], BPF_REG_2);
	if (g->is_op)
		rn_gen_call_in_r1(g);
	rn_gen_intrinsic(g, i);
}

/* ---- calls that stand for several operations, or that do not return the bytes moved ---- */

static int aio_key(const struct rn_sys_trait *t)
{
	return t->fd_arg == RN_ARG_AIO;
}
static int bytes_key(const struct rn_sys_trait *t)
{
	return !rn_sys_ret_is_bytes(t);
}

static bool covers(const struct rn_gen *g, rn_trait_key *key)
{
	for (unsigned i = 0; i < g->nnr; i++)
		if (key(rn_sys_trait(g->nr[i])))
			return true;
	return false;
}

struct want {
	enum rn_cached m;
	enum rn_intrinsic i;
};
static void call_body(struct rn_gen *g, int is, void *self)
{
	const struct want *w = self;

	if (!is)
		return;
	rn_gen_call_in_r1(g);
	rn_gen_intrinsic(g, w->i);
	rn_emit_stx(g->emit, BPF_DW, BPF_REG_10, g->cached[w->m], BPF_REG_0);
}

/* Search, unless another query's program has just done it. */
static void find_tags(struct rn_gen *g)
{
	if (!rn_gen_joined(g)) {
		of_call(g, RN_CACHED_TAGS, RN_I_SCAN);
		return;
	}
	rn_gen_intrinsic(g, RN_I_FOUND);
	rn_emit_stx(g->emit, BPF_DW, BPF_REG_10, g->cached[RN_CACHED_TAGS], BPF_REG_0);
}

/* ---- all of them ---- */

/* The bytes that each takes on the stack. `what` names it in the dump, if it is 0 until it is
 * there. */
static const struct {
	uint8_t bytes;
	const char *what;
} slots[RN_CACHED_COUNT] = {
	[RN_CACHED_TIME] = {8, NULL},
	[RN_CACHED_LATENCY] = {8, NULL},
	[RN_CACHED_FILE] = {sizeof(struct rn_bpf_file), "the file behind the descriptor"},
	[RN_CACHED_SOURCE] = {SOURCE_BYTES, "the file that the data comes from"},
	[RN_CACHED_EXE] = {sizeof(struct rn_file_key), "the program that the process runs"},
	[RN_CACHED_SOCK] = {sizeof(struct rn_bpf_sock) + 24, "both ends of the socket"},
	[RN_CACHED_TAGS] = {8, "tags in the payload"},
	[RN_CACHED_HASH] = {8, "hash of the payload"},
	[RN_CACHED_SKETCH] = {8, "sketch of the payload"},
	[RN_CACHED_DATA] = {8, "beginning of the payload"},
	[RN_CACHED_OFFSET] = {8, "where the data began"},
	[RN_CACHED_SEQ] = {8, "its number in the TCP stream"},
	[RN_CACHED_PEER_INO] = {8, "the other end of the Unix socket"},
	[RN_CACHED_FUSE_DEV] = {8, "the file system behind /dev/fuse"},
	[RN_CACHED_FUSE_NODE] = {8, "the file of FUSE"},
	[RN_CACHED_FUSE_TID] = {8, "the thread that asked a server of FUSE"},
	[RN_CACHED_BYTES] = {8, "bytes that a call moved which does not return them"},
	[RN_CACHED_AIO_FD] = {8, "the first descriptor of io_submit, io_getevents"},
	[RN_CACHED_STACK] = {8, NULL},
	[RN_CACHED_USTACK] = {8, NULL},
	[RN_CACHED_CMDLINE] = {8, "arguments of the new program"},
	[RN_CACHED_PLACE... RN_CACHED_COUNT - 1] = {8, NULL},
};

void rn_gen_cache(struct rn_gen *gen, enum rn_cached m)
{
	if (gen->cached[m])
		return;
	if ((m == RN_CACHED_FILE || m == RN_CACHED_SOCK) && covers(gen, aio_key))
		rn_gen_cache(gen, RN_CACHED_AIO_FD);
	gen->cached[m] = rn_gen_stack(gen, slots[m].bytes);
	if (slots[m].what) {
		rn_emit_note(gen->emit, "%s", slots[m].what);
		for (int i = 0; i < slots[m].bytes; i += 8)
			rn_emit_sti(gen->emit, BPF_DW, BPF_REG_10, gen->cached[m] + i, 0);
	}
	switch (m) {
	case RN_CACHED_TIME: fetch_time(gen); break;
	case RN_CACHED_LATENCY: fetch_latency(gen); break;
	case RN_CACHED_FILE: rn_gen_by_trait(gen, file_key, file_body, NULL); break;
	case RN_CACHED_SOURCE: rn_gen_by_trait(gen, source_key, source_body, NULL); break;
	case RN_CACHED_EXE: key_only(gen, m, RN_ARG_NO); break;
	case RN_CACHED_SOCK:
		if (gen->tp)
			ends_of_tp(gen);
		else
			rn_gen_by_trait(gen, sock_key, sock_body, NULL);
		align_peer(gen);
		break;
	case RN_CACHED_TAGS: find_tags(gen); break;
	case RN_CACHED_HASH: of_call(gen, m, RN_I_HASH); break;
	case RN_CACHED_SKETCH: into_scratch(gen, m, RN_I_SKETCH, RN_SCRATCH_SKETCH); break;
	case RN_CACHED_DATA: into_scratch(gen, m, RN_I_DATA, RN_SCRATCH_DATA); break;
	case RN_CACHED_OFFSET: of_call(gen, m, RN_I_OFFSET); break;
	case RN_CACHED_SEQ:
	case RN_CACHED_PEER_INO:
	case RN_CACHED_FUSE_DEV:
	case RN_CACHED_FUSE_NODE:
	case RN_CACHED_FUSE_TID: of_call(gen, m, RN_I_END); break;
	case RN_CACHED_BYTES:
		rn_gen_by_trait(gen, bytes_key, call_body, &(struct want){m, RN_I_BYTES});
		break;
	case RN_CACHED_AIO_FD:
		rn_gen_by_trait(gen, aio_key, call_body, &(struct want){m, RN_I_AIO_FD});
		break;
	case RN_CACHED_STACK:
	case RN_CACHED_USTACK: rn_gen_fetch_stack(gen, m); break;
	case RN_CACHED_CMDLINE: rn_gen_fetch_cmdline(gen); break;
	default: rn_gen_fetch_argument(gen, m); break;
	}
}

void rn_gen_need_field(struct rn_gen *gen, const struct rn_field *field)
{
	struct rn_pair_capture *kept;

	static const struct {
		uint16_t id;
		uint8_t mat;
	} costly[] = {
		{RN_F_TIME, RN_CACHED_TIME},         {RN_F_LATENCY, RN_CACHED_LATENCY},
		{RN_F_FILE, RN_CACHED_FILE},         {RN_F_DEV, RN_CACHED_FILE},
		{RN_F_INO, RN_CACHED_FILE},          {RN_F_OFFSET, RN_CACHED_OFFSET},
		{RN_F_SEQ, RN_CACHED_SEQ},           {RN_F_PEER_INO, RN_CACHED_PEER_INO},
		{RN_F_FUSE_DEV, RN_CACHED_FUSE_DEV}, {RN_F_FUSE_NODE, RN_CACHED_FUSE_NODE},
		{RN_F_FUSE_TID, RN_CACHED_FUSE_TID}, {RN_F_SOURCE, RN_CACHED_SOURCE},
		{RN_F_SOURCE_DEV, RN_CACHED_SOURCE}, {RN_F_SOURCE_INO, RN_CACHED_SOURCE},
		{RN_F_EXE, RN_CACHED_EXE},           {RN_F_BEGIN, RN_CACHED_LATENCY},
		{RN_F_PROTO, RN_CACHED_SOCK},        {RN_F_LOCAL, RN_CACHED_SOCK},
		{RN_F_PEER, RN_CACHED_SOCK},         {RN_F_TAGS, RN_CACHED_TAGS},
		{RN_F_HITS, RN_CACHED_TAGS},         {RN_F_AROUND, RN_CACHED_TAGS},
		{RN_F_HASH, RN_CACHED_HASH},         {RN_F_SKETCH, RN_CACHED_SKETCH},
		{RN_F_DATA, RN_CACHED_DATA},         {RN_F_STACK, RN_CACHED_STACK},
		{RN_F_USTACK, RN_CACHED_USTACK},     {RN_F_CMDLINE, RN_CACHED_CMDLINE},
	};

	if (rn_gen_resolve_pair_field(gen, field, &kept) && kept) {
		if (kept->enc == RN_ENCODING_IP)
			rn_gen_ip(gen, field);
		return;
	}
	field = rn_gen_resolve_pair_field(gen, field, &kept);
	if (field->id == RN_F_BYTES && covers(gen, bytes_key))
		rn_gen_cache(gen, RN_CACHED_BYTES);
	if (rn_gen_cached_argument(gen, field) < RN_CACHED_COUNT)
		rn_gen_cache(gen, rn_gen_cached_argument(gen, field));
	if (field->id == RN_F_FD && covers(gen, aio_key))
		rn_gen_cache(gen, RN_CACHED_AIO_FD);
	if (field->id == RN_F_MEMBER &&
	    rn_gen_member_field(gen, field)->walk.kind == RN_WALK_NUMBER)
		rn_gen_walk(gen, rn_gen_member_field(gen, field));
	for (unsigned i = 0; i < sizeof(costly) / sizeof(*costly); i++)
		if (costly[i].id == field->id)
			rn_gen_cache(gen, (enum rn_cached)costly[i].mat);
}

void rn_gen_need(struct rn_gen *gen, const struct rn_expr *expr)
{
	if (expr->kind == RN_E_FIELD)
		rn_gen_need_field(gen, expr->field);
	for (unsigned i = 0; i < expr->narg; i++)
		rn_gen_need(gen, expr->arg[i]);
}

void rn_gen_file_key(struct rn_gen *gen, const struct rn_field *field, int reg)
{
	struct rn_pair_capture *kept;

	field = rn_gen_resolve_pair_field(gen, field, &kept);
	if (kept) {
		rn_gen_kept(gen, kept, reg);
		return;
	}
	rn_gen_cache(gen, file_of(gen, field));
	slot_address(gen, file_of(gen, field), reg);
}

void rn_gen_path(struct rn_gen *gen, const struct rn_field *field, int none)
{
	static const int maps[] = {RN_MAP_PATHS, RN_MAP_PATHS_BEYOND};
	int found = rn_emit_label(gen->emit);

	for (unsigned i = 0; i < 2; i++) {
		rn_gen_file_key(gen, field, BPF_REG_2);
		if (!i) { /* no file */
			rn_emit_ldx(gen->emit, BPF_DW, BPF_REG_3, BPF_REG_2, 0, NULL);
			rn_emit_jmpi(gen->emit, BPF_JEQ, BPF_REG_3, 0, none);
		}
		rn_emit_map(gen->emit, BPF_REG_1, maps[i]);
		rn_emit_call(gen->emit, BPF_FUNC_map_lookup_elem);
		rn_emit_jmpi(gen->emit, i ? BPF_JEQ : BPF_JNE, BPF_REG_0, 0, i ? none : found);
		gen->out->map[maps[i]].used = true;
	}
	rn_emit_bind(gen->emit, found);
}

/* At entry: note the time, and the file of calls that close a descriptor: at return it is gone. */
static int closes(const struct rn_sys_trait *t)
{
	return t->families & RN_FAM_CLOSE && t->fd_arg >= 0 ? t->fd_arg : -1;
}

static void enter_file(struct rn_gen *g, int arg, void *self)
{
	(void)self;
	if (arg >= 0)
		call_file(g, RN_CACHED_FILE, arg);
}

void rn_gen_enter(struct rn_gen *gen)
{
	struct rn_emit *emit = gen->emit;
	bool file = false;

	for (unsigned i = 0; i < gen->nnr && gen->out->uses_close; i++)
		file |= closes(rn_sys_trait(gen->nr[i])) >= 0;
	if (file) {
		rn_emit_note(emit, "what a descriptor is that will be closed");
		gen->cached[RN_CACHED_FILE] = rn_gen_stack(gen, sizeof(struct rn_bpf_file));
		for (int i = 0; i < (int)sizeof(struct rn_bpf_file); i += 8)
			rn_emit_sti(emit, BPF_DW, BPF_REG_10, gen->cached[RN_CACHED_FILE] + i, 0);
		rn_gen_by_trait(gen, closes, enter_file, NULL);
	}
	rn_emit_note(emit, "time of entry");
	start_of(gen, true);
	rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_0, 0, gen->out_label);
	rn_emit_mov(emit, BPF_REG_9, BPF_REG_0);
	for (int i = 0; file && i < RN_START_FILE; i++) {
		rn_emit_ldx(emit, BPF_DW, BPF_REG_1, BPF_REG_10,
			    gen->cached[RN_CACHED_FILE] + 8 * i, NULL);
		rn_emit_stx(emit, BPF_DW, BPF_REG_9, (int)offsetof(struct rn_start, file) + 8 * i,
			    BPF_REG_1);
	}
	rn_emit_call(emit, BPF_FUNC_ktime_get_ns);
	rn_emit_stx(emit, BPF_DW, BPF_REG_9, offsetof(struct rn_start, time_ns), BPF_REG_0);
}
