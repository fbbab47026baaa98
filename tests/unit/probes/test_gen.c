/* test_gen.c - the generator without a kernel: the instruction buffer, limits, what programs a
 * fragment becomes, and that dumps are the same whatever the kernel's offsets are. tests/live runs
 * the programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <asm/unistd.h>
#include <string.h>
#include <cmocka.h>
#include "lang/catalog/funcs.h"
#include "lang/resolve/names.h"
#include "lang/resolve/resolve.h"
#include "lang/base/limits.h"
#include "lang/syntax/parse.h"
#include "planner/plan/plan.h"
#include "probes/catalog/catalog.h"
#include "probes/gen/gen.h"
#include "probes/gen/hooks.h"
#include "probes/probes.h"

/* ---- the buffer ---- */

static void labels_become_offsets(void **state)
{
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct rn_emit *e = rn_emit_new(a);
	int end = rn_emit_label(e);
	struct bpf_insn *in;
	unsigned n = 0;
	int fds[RN_MAP_COUNT] = {[RN_MAP_SCRATCH] = 42};

	(void)state;

	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_1, 7, end);
	rn_emit_movi(e, BPF_REG_2, 0x123456789LL);
	rn_emit_map(e, BPF_REG_1, RN_MAP_SCRATCH);
	rn_emit_bind(e, end);
	rn_emit_exit(e);
	in = rn_emit_resolve(e, NULL, &n);
	assert_non_null(in);
	assert_int_equal(n, 6); /* 64-bit immediates and maps take two */
	assert_int_equal(in[0].off, 4);
	assert_int_equal(in[1].imm, 0x23456789);
	assert_int_equal(in[2].imm, 1);
	assert_int_equal(in[3].src_reg, BPF_PSEUDO_MAP_FD);
	in = rn_emit_resolve(e, fds, &n);
	assert_int_equal(in[3].imm, 42);
	rn_arena_destroy(a);
}

static void small_immediates_take_one(void **state)
{
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct rn_emit *e = rn_emit_new(a);

	(void)state;

	rn_emit_movi(e, BPF_REG_1, INT32_MIN);
	assert_int_equal(e->n, 1);
	rn_emit_movi(e, BPF_REG_1, (int64_t)INT32_MAX + 1);
	assert_int_equal(e->n, 3);
	rn_emit_mov(e, BPF_REG_1, BPF_REG_1);
	assert_int_equal(e->n, 3);
	rn_arena_destroy(a);
}

static void unbound_labels_and_long_programs_are_refused(void **state)
{
	struct rn_arena *a = rn_arena_create(64 << 20);
	struct rn_emit *e = rn_emit_new(a);
	unsigned n;

	(void)state;

	rn_emit_ja(e, rn_emit_label(e));
	assert_null(rn_emit_resolve(e, NULL, &n));
	e = rn_emit_new(a);
	for (unsigned i = 0; i <= RN_MAX_INSNS; i++)
		rn_emit_exit(e);
	assert_null(rn_emit_resolve(e, NULL, &n));
	rn_arena_destroy(a);
}

static void dead_code_goes(void **state)
{
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct rn_emit *e = rn_emit_new(a);
	int end = rn_emit_label(e);
	struct bpf_insn *in;
	unsigned n;

	(void)state;

	rn_emit_ja(e, end);
	rn_emit_movi(e, BPF_REG_1, 1LL << 40);
	rn_emit_bind(e, end);
	rn_emit_movi(e, BPF_REG_0, 0);
	rn_emit_exit(e);
	rn_emit_movi(e, BPF_REG_0, 1);
	rn_emit_prune(e);
	in = rn_emit_resolve(e, NULL, &n);
	assert_int_equal(n, 3);
	assert_int_equal(in[0].off, 0);
	rn_arena_destroy(a);
}

static void what_reads_a_register(void **state)
{
	struct rn_arena *a = rn_arena_create(1 << 20);

	(void)state;

	for (int i = 0; i < 9; i++) {
		struct rn_emit *e = rn_emit_new(a);
		int end = rn_emit_label(e);

		rn_emit_mov(e, BPF_REG_6, BPF_REG_1); /* sets it */
		rn_emit_movi(e, BPF_REG_7, 6);
		rn_emit_map(e, BPF_REG_1, RN_MAP_SCRATCH);
		rn_emit_call(e, BPF_FUNC_map_lookup_elem);
		rn_emit_ldx(e, BPF_DW, BPF_REG_6, BPF_REG_0, 8, NULL);
		switch (i) {
		case 0: rn_emit_ldx(e, BPF_DW, BPF_REG_1, BPF_REG_6, 8, NULL); break;
		case 1: rn_emit_mov(e, BPF_REG_1, BPF_REG_6); break;
		case 2: rn_emit_stx(e, BPF_DW, BPF_REG_10, -8, BPF_REG_6); break;
		case 3: rn_emit_sti(e, BPF_DW, BPF_REG_6, 0, 1); break;
		case 4: rn_emit_jmpi(e, BPF_JEQ, BPF_REG_6, 1, end); break;
		case 5: rn_emit_jmp(e, BPF_JEQ, BPF_REG_1, BPF_REG_6, end); break;
		case 6: rn_emit_alui(e, BPF_ADD, BPF_REG_6, 8); break;
		case 7: rn_emit_atomic(e, BPF_ADD, BPF_REG_6, 0, BPF_REG_1); break;
		}
		rn_emit_bind(e, end);
		rn_emit_exit(e);
		assert_int_equal(rn_emit_reads(e, BPF_REG_6), i < 8);
	}
	rn_arena_destroy(a);
}

/* ---- fragments ---- */

struct made {
	struct rn_arena *a;
	struct rn_catalog *cat;
	struct rn_plan *plan;
	struct rn_gen_out out;
	struct rn_err err;
	int rc;
};

/* traces: with the tracepoints of io_uring; functions: with those of calls, and an iterator */
static void make_on(struct made *m, const char *text, bool scoped, int32_t offsets, bool traces,
		    const struct rn_call_functions *functions)
{
	struct rn_plan_opts none = {0};
	struct rn_btf btf = {0};
	struct rn_gen_opts o = {.btf = &btf,
				.node = "n",
				.scoped = scoped,
				.follow = scoped,
				.ncpus = 4,
				.functions = functions,
				.self_pid = 1 + offsets,
				.clock_ns = 77 * offsets};
	struct rn_ast_file *f;
	struct rn_names names;
	struct rn_diag *d;

	memset(m, 0, sizeof(*m));
	for (unsigned i = 0; i < RN_BM_COUNT; i++)
		btf.off[i] = offsets ? (int32_t)(8 * i) + offsets : 0;
	for (unsigned i = 0; traces && rn_hook_row(i); i++)
		btf.trace[i] = rn_hook_row(i)->op == RN_OP_URING_READ ? i + 1 : 0;
	btf.trace[RN_HOOK_CALLERS] = functions ? 1 : 0;
	m->a = rn_arena_create(RN_ARENA_CAP);
	m->cat = rn_probes_catalog(rn_agg_sigs);
	names = (struct rn_names){.catalog = m->cat};
	d = rn_diag_new(m->a);
	f = rn_parse(m->a, d, rn_diag_source(d, "query", text, strlen(text)));
	if (!rn_diag_errors(d) && rn_resolve(m->a, d, f->stmts->query, &names))
		m->plan = rn_plan_query(m->a, d, f->stmts->query, &names, &none);
	if (!m->plan)
		fail_msg("%s", rn_diag_render(d, m->a, false));
	o.tls = m->plan->frag.cls->id == RN_CLS_TLS;
	m->rc = rn_gen_fragment(m->a, &m->plan->frag, &o, &m->out, &m->err);
}

static void make(struct made *m, const char *text, bool scoped, int32_t offsets)
{
	make_on(m, text, scoped, offsets, false, NULL);
}

static void drop(struct made *m)
{
	rn_probes_catalog_free(m->cat);
	rn_arena_destroy(m->a);
}

/* Hooks by program, as letters: x sys_exit, e sys_enter, f fork, q exit, F and Q those of the
 * scope, s a profile's clock, t a tracepoint. */
static char letter_of(unsigned hook)
{
	static const struct {
		uint16_t cls;
		char letter;
	} classes[] = {
		{RN_CLS_SYSCALL, 'x'}, {RN_CLS_TRACEPOINT, 't'}, {RN_CLS_FORK, 'f'},
		{RN_CLS_EXIT, 'q'},    {RN_CLS_SAMPLE, 's'},
	};
	const struct rn_hook_row *row = rn_hook_row(hook);

	if (hook == RN_HOOK_SYS_ENTER || hook == RN_HOOK_SCOPE_FORK || hook == RN_HOOK_SCOPE_FREE)
		return hook == RN_HOOK_SYS_ENTER ? 'e' : hook == RN_HOOK_SCOPE_FORK ? 'F' : 'Q';
	for (unsigned i = 0; row && i < sizeof(classes) / sizeof(*classes); i++)
		if (classes[i].cls == row->cls)
			return classes[i].letter;
	fail_msg("the hook at %s has no letter here: give the class one",
		 row && row->trace ? row->trace : "no tracepoint");
	return 0;
}

static void hooks_are(const char *query, bool scoped, const char *want)
{
	char got[RN_HOOK_MAX + 1] = "";
	struct made m;

	make(&m, query, scoped, 8);
	if (m.rc)
		fail_msg("%s: %s", query, m.err.text);
	for (unsigned i = 0; i < m.out.nprogs; i++)
		got[i] = letter_of(m.out.prog[i].hook);
	assert_string_equal(got, want);
	drop(&m);
}

static void only_the_hooks_that_are_needed(void **state)
{
	(void)state;
	hooks_are("count of syscall by proc", false, "x");
	hooks_are("count of syscall by proc", true, "xFQ");
	hooks_are("max(latency) of read", false, "xe");
	hooks_are("count of read where latency > 1ms", false, "xe");
	hooks_are("count of close by proc", false, "x");
	hooks_are("count of close by file", false, "xe"); /* at return the descriptor is gone */
	hooks_are("count of fork by proc", false, "f");
	hooks_are("max(latency) of exit", false, "q"); /* lifetime: no entry hook */
	hooks_are("max(begin) of read", false, "xe");
	hooks_are("count of read by start, exe", false, "x");
	hooks_are("count of sample 99hz by ustack", false, "s");
	hooks_are("count of sample 99hz by proc, mode", true, "sFQ");
}

/* Does the first program look at this call? The dump has each word of a set of calls behind a label
 * that the test of the word's number leads to. */
static bool looks_at(struct made *m, unsigned nr)
{
	const char *dump = rn_emit_dump(m->out.prog[0].emit, m->a), *at = dump, *word;
	char test[32], label[32];

	snprintf(test, sizeof(test), "r2 == %u goto ", nr / 64);
	while ((at = strstr(at, test))) {
		at += strlen(test);
		snprintf(label, sizeof(label), "\n%.*s:", (int)strcspn(at, "\n"), at);
		word = strstr(dump, label);
		word = word ? strstr(word, "r0 = ") : NULL;
		if (word && strtoull(word + 5, NULL, 0) >> nr % 64 & 1)
			return true;
	}
	return false;
}

/* Programs for io_uring go with the classes that cover it. Without the tracepoints the search for
 * tags looks at io_uring_enter, to count it. */
static void operations_that_are_no_calls(void **state)
{
	static const struct {
		const char *query;
		unsigned more;
	} cases[] = {
		{"count of tag abcdef", 3}, {"count of io", 3},      {"count of io_uring_send", 3},
		{"count of read", 0},       {"count of syscall", 0},
	};

	(void)state;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct made with, without;
		bool tag = strstr(cases[i].query, "tag"),
		     alone = strstr(cases[i].query, "io_uring");

		make_on(&with, cases[i].query, false, 8, true, NULL);
		make(&without, cases[i].query, false, 8);
		assert_int_equal(with.rc, 0);
		assert_int_equal(without.rc, alone ? -ENOTSUP : 0);
		assert_int_equal(with.out.nprogs, without.out.nprogs + cases[i].more);
		for (unsigned k = 0; k < 2 && !alone; k++) {
			struct made *m = k ? &with : &without;

			assert_int_equal(looks_at(m, __NR_io_uring_enter), tag && !k);
		}
		drop(&with);
		drop(&without);
	}
}

/* Each tracepoint that a glob matches has a program, which knows its name; they keep out of each
 * other's way. */
static void globs_have_a_program_each(void **state)
{
	static const struct rn_tp_match match[] = {{"sched:a", 1, -1},
						   {"sched:b", 2, -1},
						   {"sched:c", 3, -1},
						   {"syscalls:sys_exit_read", -1, 0}};
	static uint16_t by_nr[2][RN_SYS_FIRST_FREE] = {[1] = {[0] = 4}};
	struct rn_tp tp = {.match = match, .nmatch = 4, .by_nr = by_nr};
	struct rn_btf btf = {0};
	struct rn_gen_opts o = {.btf = &btf, .node = "n", .ncpus = 2};
	struct made m;
	const char *dump[3];

	(void)state;

	make(&m, "count of exit where name != \"sched:b\" by name, proc", false, 8);
	assert_int_equal(m.out.key.fields[0].enc, RN_ENCODING_EVENT);
	tp.cls = *m.plan->frag.cls;
	tp.cls.id = RN_CLS_TRACEPOINT;
	tp.cls.arg = "sched:*";
	m.plan->frag.cls = &tp.cls;
	assert_int_equal(rn_gen_fragment(m.a, &m.plan->frag, &o, &m.out, &m.err), 0);
	assert_int_equal(m.out.nprogs, 4);
	/* those of calls go by their number */
	assert_int_equal(m.out.prog[3].hook, RN_HOOK_SYS_EXIT);
	assert_int_equal(m.out.prog[3].match, -1);
	assert_string_equal(
		rn_field_word(&tp.cls, m.out.key.fields[0].field, RN_TP_BY_NR + RN_SYS_FIRST_FREE),
		match[3].name);
	assert_null(rn_field_word(&tp.cls, m.out.key.fields[0].field, RN_TP_BY_NR));
	assert_int_equal(m.out.key.fields[0].enc, RN_ENCODING_TRACEPOINT_INDEX);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(m.out.prog[i].match, i);
		dump[i] = rn_emit_dump(m.out.prog[i].emit, m.a);
		assert_non_null(strstr(dump[i], "no other program of the query"));
		assert_string_equal(rn_field_word(&tp.cls, m.out.key.fields[0].field, (unsigned)i),
				    match[i].name);
		/* what its name leaves out is not even generated */
		assert_true((strstr(dump[i], "r9 = the group") == NULL) == (i == 1));
	}
	assert_null(rn_field_word(&tp.cls, m.out.key.fields[0].field, 4));
	assert_string_not_equal(dump[0], dump[2]);
	drop(&m);
}

/* Everything that can be asked of a call at once: its costly fields must leave the precompiled
 * functions enough of the stack. */
static void all_of_the_context_fits(void **state)
{
	struct made m;

	(void)state;

	make(&m,
	     "time, proc, thread, pid, start, user, cgroup, container, netns, name, exe, tags, "
	     "hits, hash, sketch, data, file, dev, ino, bytes, "
	     "offset, local, peer, proto, source, peer_pid, latency, begin of tag fix283 where "
	     "file ~ \"/var/*\" and exe ~ \"*d\" and "
	     "source != \"x\" and cidr(peer, \"10.0.0.0/8\") and bytes + offset > 2 * ret and hash "
	     "!= 1 and proto = tcp",
	     true, 8);
	assert_int_equal(m.rc, 0);
	assert_int_equal(m.out.intrinsics &
				 (1ull << RN_I_HASH | 1ull << RN_I_SKETCH | 1ull << RN_I_DATA |
				  1ull << RN_I_EXE | 1ull << RN_I_SCAN),
			 1ull << RN_I_HASH | 1ull << RN_I_SKETCH | 1ull << RN_I_DATA |
				 1ull << RN_I_EXE | 1ull << RN_I_SCAN);
	/* the lowest place of the stack that is written */
	for (unsigned i = 0; i < m.out.nprogs; i++) {
		int low = 0;

		for (unsigned k = 0; k < m.out.prog[i].emit->n; k++) {
			struct bpf_insn in = m.out.prog[i].emit->insns[k].in;

			if ((BPF_CLASS(in.code) == BPF_STX || BPF_CLASS(in.code) == BPF_ST) &&
			    in.dst_reg == BPF_REG_10 && in.off < low)
				low = in.off;
		}
		if (low < -288)
			fail_msg("the stack reaches down to %d", low);
	}
	drop(&m);
}

static void only_the_maps_that_are_needed(void **state)
{
	struct made m;

	(void)state;

	make(&m, "count of syscall by proc", false, 8);
	assert_true(m.out.map[RN_MAP_GROUPS0].used);
	assert_false(m.out.map[RN_MAP_GROUPS1].used);
	assert_false(m.out.map[RN_MAP_CELLS0].used);
	assert_false(m.out.map[RN_MAP_RING].used);
	assert_true(m.out.map[RN_MAP_GLOBALS].used); /* for 32-bit calls */
	assert_int_equal(m.out.value_bytes, 8);      /* count is `events` */
	assert_int_equal(m.out.stride, 64);
	assert_int_equal(m.out.intrinsics, 0);
	drop(&m);
	make(&m, "stddev(bytes), p99(bytes) of read where proc = dd by file every 1s", false, 8);
	assert_true(m.out.map[RN_MAP_GROUPS1].used);
	assert_true(m.out.map[RN_MAP_CELLS1].used);
	assert_true(m.out.map[RN_MAP_GLOBALS].used);
	assert_int_equal(m.out.intrinsics, 1ull << RN_I_FILE | 1ull << RN_I_RESOLVE);
	assert_int_equal(m.out.key.bytes, 16);
	drop(&m);
	make(&m, "proc, bytes of read", false, 8);
	assert_true(m.out.map[RN_MAP_RING].used);
	assert_false(m.out.map[RN_MAP_GROUPS0].used);
	assert_int_equal(m.out.rec.bytes, 8 + 16 + 8);
	assert_false(m.out.map[RN_MAP_STACKS0].used);
	drop(&m);
	make(&m, "count of read by stack", false, 8);
	assert_true(m.out.map[RN_MAP_STACKS0].used && m.out.map[RN_MAP_STACKS3].used);
	assert_false(m.out.map[RN_MAP_PROCS].used);
	assert_int_equal(m.out.key.bytes, 8);
	drop(&m);
	make(&m, "count of read by proc, ustack every 1s", false, 8);
	assert_true(m.out.map[RN_MAP_STACKS0].used && m.out.map[RN_MAP_PROCS].used);
	assert_int_equal(m.out.key.bytes, 16 + 16);
	drop(&m);
	make(&m, "time, ustack of read", false, 8);
	assert_true(m.out.map[RN_MAP_STACKS0].used);
	assert_false(m.out.map[RN_MAP_PROCS].used); /* rows are decoded at once */
	drop(&m);
}

static void records_hold_only_fields_used(void **state)
{
	struct made m;

	(void)state;

	make(&m, "pid of read where file ~ \"/etc/*\" and latency > 1ms", false, 8);
	assert_int_equal(m.out.rec.n, 1);
	assert_int_equal(m.out.rec.bytes, 16);
	assert_int_equal(m.out.npatterns, 1);
	assert_string_equal(m.out.patterns[0], "/etc/*");
	drop(&m);
}

static void dumps_do_not_vary(void **state)
{
	static const char *const queries[] = {
		"count of syscall by proc",
		"p99(latency), distinct(file) of io where proc ~ \"j*\" by peer every 1s",
		"time, proc, name, file of open where error = ENOENT",
		"stddev(bytes), first(bytes) of read by bucket(offset, 4KiB)",
		"count of exit by ret",
		"events of connect",
		"count of syscall by stack, ustack every 1s",
		"time, stack, ustack of exit",
		"count, distinct(mode) of sample 99hz where mode ~ \"k*\" by stack, ustack every "
		"1s",
		"events of between open and close on pid, fd where proc = java and file ~ \"*x*\"",
		"sum(latency) of between fork and exit on child = pid",
	};

	(void)state;

	for (unsigned q = 0; q < sizeof(queries) / sizeof(*queries); q++) {
		struct made m, n;

		make(&m, queries[q], true, 16);
		make(&n, queries[q], true, 4000);
		if (m.rc || n.rc)
			fail_msg("%s: %s", queries[q], m.err.text);
		assert_int_equal(m.out.nprogs, n.out.nprogs);
		for (unsigned i = 0; i < m.out.nprogs; i++)
			assert_string_equal(rn_emit_dump(m.out.prog[i].emit, m.a),
					    rn_emit_dump(n.out.prog[i].emit, n.a));
		drop(&m);
		drop(&n);
	}
}

/* A pair keeps only what the query uses of the first event. The second one's program is attached
 * first. */
static void pairs_keep_what_is_used(void **state)
{
	static const struct {
		const char *text;
		unsigned progs, value;
	} cases[] = {
		{"count of between read and getppid on tid", 2, 16},
		/* keys are the second one's */
		{"count of between read and getppid on tid, pid by tid, pid", 2, 24},
		/* so are fields that the first one lacks */
		{"latency, start, end, node, arg0 of between fork and getppid on child = pid", 2,
		 16},
		{"count of between read and getppid on tid where bytes > 4KiB by file, bytes", 2,
		 40},
		{"proc, peer, name of between read and getppid on tid", 2, 64},
		{"count of between (events of read where latency > 1ms) and getppid on tid", 3, 16},
		{"count of between getppid and (events of close where file ~ \"/etc/*\") on tid", 3,
		 16},
	};

	(void)state;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct made m;

		make(&m, cases[i].text, false, 8);
		if (m.rc)
			fail_msg("%s: %s", cases[i].text, m.err.text);
		if (m.out.nprogs != cases[i].progs ||
		    m.out.map[RN_MAP_PAIRS].value_bytes != cases[i].value)
			fail_msg("%s: %u programs, %u bytes", cases[i].text, m.out.nprogs,
				 m.out.map[RN_MAP_PAIRS].value_bytes);
		assert_true(m.out.map[RN_MAP_PAIRS].used);
		assert_string_equal(m.out.prog[0].name, "rn_first");
		drop(&m);
	}
}

static void limits_are_errors_with_a_text(void **state)
{
	struct made m;
	struct rn_btf lacking;
	struct rn_gen_opts o;

	(void)state;

	make(&m, "count of syscall by proc", false, 8);
	lacking = (struct rn_btf){0};
	o = (struct rn_gen_opts){.btf = &lacking, .node = "n", .ncpus = 1};
	for (unsigned i = 0; i < RN_BM_COUNT; i++)
		lacking.off[i] = -1;
	assert_int_equal(rn_gen_fragment(m.a, &m.plan->frag, &o, &m.out, &m.err), -ENOTSUP);
	assert_non_null(strstr(m.err.text, "this kernel has no"));
	drop(&m);
}

/* What the language says runs in the kernel has an emitter, and nothing else has. */
static void kernel_functions_have_emitters(void **state)
{
	unsigned n = 0;

	(void)state;

	for (const struct rn_func *f = rn_funcs; f->name; f++) {
		if (rn_gen_has_func(f->name) != f->kernel)
			fail_msg("%s: lang/catalog/funcs.c and probes/gen/expr.c disagree",
				 f->name);
		n += f->kernel;
	}
	assert_true(n >= 2);
}

/* Every class of events that is executed has a hook, and a row belongs to one class. */
static void classes_have_hooks(void **state)
{
	struct rn_catalog *c = rn_probes_catalog((const struct rn_agg_sig *const[]){NULL});
	const struct rn_hook_row *row;

	(void)state;

	for (const char *const *n = c->names(c->self); *n; n++) {
		const struct rn_class *cls = c->find(c->self, *n, NULL, NULL, 0);

		if ((rn_hook_of(cls) >= 0) != (cls->kind == RN_CLASS_EVENT && !cls->later))
			fail_msg("class %s: hook %d", *n, rn_hook_of(cls));
	}
	rn_probes_catalog_free(c);
	for (unsigned i = 0; (row = rn_hook_row(i)); i++) {
		assert_non_null(row->begin);
		assert_true(row->trace || row->cls == RN_CLS_TRACEPOINT || row->at != RN_AT_TRACE);
		for (unsigned k = 0; k < i; k++)
			assert_true(row->cls == RN_CLS_NONE || rn_hook_row(k)->cls != row->cls);
	}
}

/* A row of RN_FIELDS without one in the table of probes/gen/field_load.c would be refused only when
 * a query uses it. */
static void fields_have_loaders(void **state)
{
	static const struct rn_field all[] = {
#define X(i, n, t, ...) {.id = RN_F_##i, .name = n, .ty = {.type = RN_T_##t}},
		RN_FIELDS(X, X)
#undef X
	};
	enum rn_encoding enc;

	(void)state;
	for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!rn_field_enc(&all[i], false, &enc))
			fail_msg("the field %s of RN_FIELDS has no row in the table of "
				 "probes/gen/field_load.c",
				 all[i].name);
}

/* What every class says that its events have can be had of them: each field, whose value, file or
 * name it is. Classes of single calls are as those of all; tracepoints ask the kernel. */
static void classes_have_what_they_say(void **state)
{
	struct rn_catalog *c = rn_probes_catalog(rn_agg_sigs);
	unsigned n = 0;

	(void)state;
	for (const char *const *name = c->names(c->self); *name; name++) {
		const struct rn_class *cls = c->find(c->self, *name, NULL, NULL, 0);

		if (cls->kind != RN_CLASS_EVENT || cls->later || cls->id >= RN_CLS_NR ||
		    cls->id == RN_CLS_TRACEPOINT)
			continue;
		for (unsigned i = 0; i < cls->nfields; i++, n++) {
			struct made m;
			char query[128];

			snprintf(query, sizeof(query), "%s of %s%s", cls->fields[i]->name, *name,
				 cls->id == RN_CLS_TAG      ? " fix283"
				 : cls->id == RN_CLS_SAMPLE ? " 99hz"
				 : cls->id == RN_CLS_USER   ? " \"libc:malloc\""
				 : cls->id == RN_CLS_USDT   ? " \"libc:libc:setjmp\""
				 : cls->id == RN_CLS_KERNEL ? " \"vfs_read\""
							    : "");
			make(&m, query, false, 8);
			if (m.rc)
				fail_msg("%s: %s", query, m.err.text);
			drop(&m);
		}
	}
	assert_true(n > 300);
	rn_probes_catalog_free(c);
}

/* Functions of all calls, of two types; the tested kernel has them all but one. */
static struct rn_call_functions *functions_without(unsigned missing)
{
	struct rn_call_functions *f = calloc(1, sizeof(*f));

	for (unsigned nr = 0; nr < RN_SYS_FIRST_FREE; nr++)
		f->call[nr] = (struct rn_function){
			.id = nr == missing ? 0 : 1000 + nr, .type = nr % 2, .nargs = 1};
	f->refused = (struct rn_function){.id = 1, .nargs = 1};
	f->emulated = (struct rn_function){.id = 2, .nargs = 2};
	f->compat = (struct rn_function){.id = 3, .nargs = 2};
	f->takes_compat = true;
	return f;
}

/* Programs by way, as letters: x sys_exit, e sys_enter, r return, b entry of a function, X refused,
 * M emulated, c 32-bit calls, i the iterator, o others; in capitals R and B, those that go on in
 * another. */
static const char *ways_of(const struct made *m, char *text)
{
	static const char letters[] = {
		[RN_HOOK_SYS_EXIT] = 'x',     [RN_HOOK_SYS_ENTER] = 'e',
		[RN_HOOK_CALL_RETURN] = 'r',  [RN_HOOK_CALL_ENTRY] = 'b',
		[RN_HOOK_CALL_REFUSED] = 'X', [RN_HOOK_CALL_EMULATED] = 'M',
		[RN_HOOK_CALL_COMPAT] = 'c',  [RN_HOOK_CALLERS] = 'i',
	};

	for (unsigned i = 0; i < m->out.nprogs; i++) {
		const struct rn_prog *p = &m->out.prog[i];
		char c = p->hook < sizeof(letters) && letters[p->hook] ? letters[p->hook] : 'o';

		if ((c == 'r' || c == 'b') && !rn_emit_reads(p->emit, BPF_REG_6))
			c = c == 'r' ? 'R' : 'B';
		text[i] = c;
		if (c == 'x' || c == 'e')
			assert_int_equal(p->way,
					 m->out.no_functions ? RN_WAY_ANY : RN_WAY_TRACEPOINTS);
		else if (c != 'o')
			assert_int_equal(p->way, RN_WAY_FUNCTIONS);
	}
	text[m->out.nprogs] = 0;
	return text;
}

static void few_calls_have_their_functions(void **state)
{
	static const struct {
		const char *query, *ways;
	} cases[] = {
		{"count of fsync", "xrXMci"},
		{"count, max(latency) of fsync", "xerXMcbi"},
		/* 0, 1 and 3, 2: one program for each type */
		{"count of syscall where name in (read, write, open, close)", "xrRrRXMci"},
		{"max(latency) of syscall where name = read or name = open", "xerRXMcbBi"},
		{"count of syscall where name = read or pid = 7", "x"},
		{"count of syscall", "x"},
		{"count of execve", "x"},
		{"count of fsync by stack", "x"},
		{"count of getsid", "x"}, /* which this kernel lacks */
	};
	struct rn_call_functions *f = functions_without((unsigned)rn_sys_nr("getsid"));
	char text[RN_PROGS_MAX + 1];

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct made m;

		make_on(&m, cases[i].query, false, 8, false, f);
		assert_int_equal(m.rc, 0);
		assert_true(!m.out.no_functions == !!strchr(cases[i].ways, 'r'));
		assert_string_equal(ways_of(&m, text), cases[i].ways);
		drop(&m);
	}
	free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_become_offsets),
		cmocka_unit_test(small_immediates_take_one),
		cmocka_unit_test(unbound_labels_and_long_programs_are_refused),
		cmocka_unit_test(dead_code_goes),
		cmocka_unit_test(what_reads_a_register),
		cmocka_unit_test(only_the_hooks_that_are_needed),
		cmocka_unit_test(only_the_maps_that_are_needed),
		cmocka_unit_test(operations_that_are_no_calls),
		cmocka_unit_test(few_calls_have_their_functions),
		cmocka_unit_test(globs_have_a_program_each),
		cmocka_unit_test(all_of_the_context_fits),
		cmocka_unit_test(records_hold_only_fields_used),
		cmocka_unit_test(pairs_keep_what_is_used),
		cmocka_unit_test(dumps_do_not_vary),
		cmocka_unit_test(limits_are_errors_with_a_text),
		cmocka_unit_test(kernel_functions_have_emitters),
		cmocka_unit_test(classes_have_hooks),
		cmocka_unit_test(fields_have_loaders),
		cmocka_unit_test(classes_have_what_they_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
