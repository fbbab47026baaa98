/* test_catalog.c - the live catalogue without a kernel's help: classes, fields, traits of system
 * calls; formats of tracepoints; the tables of the tag search and of globs. */
#include <asm/unistd.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "planner/plan/agg.h"
#include "probes/catalog/catalog.h"
#include "probes/intrinsics/glob_nfa.h"
#include "probes/probes.h"
#include "probes/intrinsics/splice.h"
#include "probes/tables/tables.h"
#include "probes/catalog/tracefs.h"

static const struct rn_agg_sig *const no_aggs[] = {NULL};

static const struct rn_class *find(const struct rn_catalog *c, const char *name)
{
	char why[200];

	return c->find(c->self, name, NULL, why, sizeof(why));
}

static void names_are_classes(void **state)
{
	struct rn_catalog *c = rn_probes_catalog(no_aggs);
	const char *const *n = c->names(c->self);
	unsigned count = 0;

	(void)state;

	for (; n[count]; count++) {
		const struct rn_class *cls = find(c, n[count]);

		assert_non_null(cls);
		assert_string_equal(cls->name, n[count]);
		assert_true(cls->nfields > 0 && cls->doc[0]);
		assert_true(!count || strcmp(n[count - 1], n[count]) < 0); /* sorted, each once */
		for (unsigned i = 0; i < cls->nfields; i++) {
			const struct rn_field *f = cls->fields[i];

			assert_true(f->doc[0] && f->where & RN_IN_NODE);
			/* a reason if and only if it is needed */
			assert_true(!(f->where & RN_IN_KERNEL) == !!f->not_kernel);
			for (unsigned k = 0; k < i; k++)
				assert_string_not_equal(cls->fields[k]->name, f->name);
		}
	}
	assert_true(count > 350);
	assert_null(find(c, "raed"));
	assert_ptr_equal(find(c, "fsync"), find(c, "fsync")); /* made once */
	rn_probes_catalog_free(c);
}

/* Fields that payload has and other calls do not: a policy knows each, but those that say of which
 * listed tags where they are. */
static void payload_is_known(void **state)
{
	struct rn_catalog *c = rn_probes_catalog(no_aggs);
	const struct rn_class *tag = find(c, "tag"), *call = find(c, "syscall");
	unsigned known = 0;

	(void)state;

	for (unsigned i = 0; i < tag->nfields; i++) {
		const struct rn_field *f = tag->fields[i];
		bool places = !strcmp(f->name, "tags") || !strcmp(f->name, "hits");

		known += f->tells != RN_TELLS_NOTHING;
		assert_int_equal(f->tells != RN_TELLS_NOTHING,
				 !places && !rn_class_field(call, f->name));
	}
	assert_int_equal(known, 4);
	rn_probes_catalog_free(c);
}

static void profiles_have_a_rate(void **state)
{
	static const char *const bad[] = {
		"",     "hz", "0hz",  "10001hz", "-1hz",
		" 9hz", "9",  "9khz", "99hz2",   "18446744073709551617hz"};
	struct rn_catalog *c = rn_probes_catalog(no_aggs);
	const struct rn_class *cls = c->find(c->self, "sample", "99hz", NULL, 0);
	char why[200];

	(void)state;

	assert_string_equal(cls->arg, "99hz");
	assert_non_null(rn_class_field(cls, "mode"));
	assert_non_null(rn_class_field(cls, "ustack"));
	assert_null(rn_class_field(cls, "file"));
	assert_ptr_equal(cls, c->find(c->self, "sample", "099HZ", NULL, 0)); /* made once */
	assert_int_equal(rn_sample_hz("10000hz"), 10000);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_null(c->find(c->self, "sample", bad[i], why, sizeof(why)));
		assert_non_null(strstr(why, "1hz to 10000hz"));
	}
	rn_probes_catalog_free(c);
}

/* The names are as tracefs lists them; their numbers are not read here. */
static void globs_match_tracepoints(void **state)
{
	static const char *const all[] = {
		"ftrace:print",           "irq:irq_exit",           "sched:sched_exit",
		"sched:sched_fork",       "sched:sched_wait",       "syscalls:sys_enter_newfstat",
		"syscalls:sys_enter_nix", "syscalls:sys_exit_read", NULL};
	static const struct {
		const char *glob;
		unsigned n;
		const char *first;
	} cases[] = {
		{"sched:*", 3, "sched:sched_exit"},
		{"*:*q_exit", 1, "irq:irq_exit"},
		{"sched:sched_[fw]*", 2, "sched:sched_fork"},
		{"*:*", 7, "irq:irq_exit"},
		{"sched:sched_wai?", 1, "sched:sched_wait"},
		{"ftrace:*", 0, NULL},
		{"s:*", 0, NULL},
	};
	const char **many = calloc(RN_TP_MATCH_MAX + 2, sizeof(*many));
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct rn_err err = {0};
	struct rn_tp tp;

	(void)state;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		tp = (struct rn_tp){0};
		assert_int_equal(rn_tracefs_match(a, -1, all, cases[i].glob, &tp, &err),
				 cases[i].n ? 0 : -ENOENT);
		assert_int_equal(tp.nmatch, cases[i].n);
		if (cases[i].n)
			assert_string_equal(tp.match[0].name, cases[i].first);
		assert_int_equal(tp.by_nr != NULL, cases[i].n == 7);
	}
	tp = (struct rn_tp){0};
	assert_int_equal(rn_tracefs_match(a, -1, all, "*:*", &tp, &err), 0);
	assert_string_equal(tp.match[tp.by_nr[0][5] - 1].name, "syscalls:sys_enter_newfstat");
	assert_string_equal(tp.match[tp.by_nr[1][0] - 1].name, "syscalls:sys_exit_read");
	assert_int_equal(tp.by_nr[0][0], 0);
	assert_int_equal(tp.match[5].nr, -1);
	tp = (struct rn_tp){0};
	for (unsigned i = 0; i <= RN_TP_MATCH_MAX; i++)
		many[i] = rn_arena_printf(a, "xfs:xfs_%u", i);
	assert_int_equal(rn_tracefs_match(a, -1, many, "xfs:*", &tp, &err), -E2BIG);
	assert_non_null(strstr(err.text, "513"));
	tp = (struct rn_tp){0};
	assert_int_equal(rn_tracefs_match(a, -1, many + 1, "xfs:*", &tp, &err), 0);
	assert_int_equal(tp.nmatch, RN_TP_MATCH_MAX);
	free(many);
	rn_arena_destroy(a);
}

static void classes_cover_calls(void **state)
{
	static const struct {
		const char *cls, *call;
		bool want;
	} cases[] = {
		{"syscall", "getppid", true},    {"read", "preadv2", true},
		{"read", "recvmsg", false},      {"write", "pwritev", true},
		{"send", "sendmmsg", true},      {"recv", "recvfrom", true},
		{"open", "creat", true},         {"open", "openat", true},
		{"exec", "execveat", true},      {"accept", "accept4", true},
		{"close", "close", true},        {"connect", "connect", true},
		{"io", "copy_file_range", true}, {"io", "process_vm_readv", true},
		{"io", "close", false},          {"tag", "sendfile", true},
		{"fsync", "fsync", true},        {"fsync", "fdatasync", false},
		{"fork", "fork", false},         {"processes", "read", false},
	};
	struct rn_catalog *c = rn_probes_catalog(no_aggs);

	(void)state;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int nr = rn_sys_nr(cases[i].call);

		assert_true(nr >= 0);
		assert_string_equal(rn_sys_name((unsigned)nr), cases[i].call);
		if (rn_class_covers(find(c, cases[i].cls), (unsigned)nr) != cases[i].want)
			fail_msg("%s covers %s: want %d", cases[i].cls, cases[i].call,
				 cases[i].want);
	}
	rn_probes_catalog_free(c);
}

/* Each call that moves data says where it is, in arguments that exist. */
static void traits_hold(void **state)
{
	(void)state;
	for (unsigned nr = 0; nr < RN_SYS_MAX; nr++) {
		const struct rn_sys_trait *t = rn_sys_trait(nr);
		const int8_t args[] = {t->fd_arg,    t->src_arg, t->srcpos_arg,
				       t->buf_arg,   t->len_arg, t->path_arg,
				       t->flags_arg, t->off_arg, t->addr_arg};

		for (unsigned i = 0; i < sizeof(args); i++)
			assert_true(args[i] >= RN_ARG_NO && args[i] <= (i ? 5 : RN_ARG_AIO));
		if (t->known || (nr >= RN_OP_FIRST && nr < RN_OP_END))
			assert_non_null(rn_sys_name(nr));
		if (t->payload == RN_PAY_PAGES || t->payload == RN_PAY_PIPE)
			assert_true(t->src_arg >= 0 && t->dir == RN_DIR_THROUGH);
		else if (t->payload)
			assert_true(t->buf_arg >= 0 &&
				    (t->dir == RN_DIR_IN || t->dir == RN_DIR_OUT));
		assert_int_equal(t->addr_kind != RN_ADDR_NONE, t->addr_arg != RN_ARG_NO);
	}
	assert_false(rn_sys_trait(100000)->known);
	assert_null(rn_sys_name(100000));
	assert_int_equal(rn_sys_trait(__NR_read)->payload, RN_PAY_BUF);
}

/* A call moves data if and only if it has a direction, under its name: a flow over a recording
 * knows nothing else of it. */
static void calls_with_payload_have_a_direction(void **state)
{
	static const char *const calls[] = {
#define X(call, dir) #call,
		RN_CALL_DIRS(X)
#undef X
	};
	unsigned moving = 0;

	(void)state;
	for (unsigned nr = 0; nr < RN_SYS_MAX; nr++) {
		const struct rn_sys_trait *t = rn_sys_trait(nr);
		const char *name = rn_sys_name(nr);

		if (!name)
			continue;
		if (!t->payload != !t->dir || rn_call_dir(name, strlen(name)) != t->dir)
			fail_msg("%s: see lang/catalog/direction.h", name);
		assert_int_equal(!t->payload, !(t->families & RN_FAM_PAYLOAD));
		moving += t->payload != RN_PAY_NONE;
	}
	assert_int_equal(moving, sizeof(calls) / sizeof(*calls));
	for (unsigned i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		assert_true(rn_sys_nr(calls[i]) >= 0);
	assert_int_equal(rn_call_dir("read", 4), RN_DIR_IN);
	assert_int_equal(rn_call_dir("process_vm_writev", 17), RN_DIR_OUT);
	assert_int_equal(rn_call_dir("splice", 6), RN_DIR_THROUGH);
	assert_int_equal(rn_call_dir("readahead", 9), RN_DIR_NONE);
	assert_int_equal(rn_call_dir("reading", 4), RN_DIR_IN); /* of n bytes */
	assert_int_equal(rn_call_dir("", 0), RN_DIR_NONE);
}

static void tracepoint_formats(void **state)
{
	static const char format[] =
		"name: sched_demo\nID: 314\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		"\tfield:u64 bytes;\toffset:32;\tsize:8;\tsigned:0;\n"
		"\tfield:__data_loc char[] name;\toffset:40;\tsize:4;\tsigned:0;\n"
		"\tfield:__rel_loc char[] rel;\toffset:44;\tsize:4;\tsigned:0;\n"
		"\tfield:const char * where;\toffset:48;\tsize:8;\tsigned:0;\n"
		"\tfield:__u8 addr[16];\toffset:56;\tsize:16;\tsigned:0;\n"
		"\tfield:__data_loc u32[] list;\toffset:72;\tsize:4;\tsigned:0;\n"
		"\tfield:unsigned long ip;\toffset:80;\tsize:8;\tsigned:0;\n"
		"\tfield:unsigned long caller;\toffset:88;\tsize:8;\tsigned:0;\n"
		"\nprint fmt: \"prev field:x y; offset:1; size:1; signed:0; %pS %pS\", (void "
		"*)REC->caller_ip, (void *)REC->ip\n";
	static const struct {
		const char *name;
		unsigned offset, size, kind;
		bool sign, pointer;
	} want[] = {
		{"prev_comm", 8, 16, RN_TP_CHARS, false},
		{"prev_pid", 24, 4, RN_TP_INT, true},
		{"bytes", 32, 8, RN_TP_INT, false},
		{"name", 40, 4, RN_TP_LOC, false},
		{"rel", 44, 4, RN_TP_RELLOC, false},
		{"where", 48, 8, RN_TP_INT, false, true},
		{"ip", 80, 8, RN_TP_INT, false, true},
		{"caller", 88, 8, RN_TP_INT, false, false},
	};
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct rn_tp tp = {0};

	(void)state;

	assert_int_equal(rn_tracefs_parse(a, format, &tp, NULL), 0);
	assert_int_equal(tp.nfields, sizeof(want) / sizeof(*want));
	for (unsigned i = 0; i < tp.nfields; i++) {
		const struct rn_tp_field *f = &tp.field[i];

		assert_string_equal(f->field.name, want[i].name);
		assert_int_equal(f->offset, want[i].offset);
		assert_int_equal(f->size, want[i].size);
		assert_int_equal(f->kind, want[i].kind);
		assert_int_equal(f->is_signed, want[i].sign);
		assert_int_equal(f->field.ty.type, want[i].kind == RN_TP_INT ? RN_T_INT : RN_T_STR);
		assert_int_equal(f->field.ty.unit, want[i].pointer ? RN_U_HEX : RN_U_NONE);
	}
	assert_int_equal(rn_tracefs_parse(a, "", &tp, NULL), -EBADMSG);
	rn_arena_destroy(a);
}

/* By the group, by how the kernel prints them, and neither. */
static void fields_with_names(void **state)
{
	static const char format[] =
		"\tfield:long prev_state;\toffset:8;\tsize:8;\tsigned:1;\n"
		"\tfield:int newstate;\toffset:16;\tsize:4;\tsigned:1;\n"
		"\tfield:int sig;\toffset:20;\tsize:4;\tsigned:1;\n\n"
		"print fmt: \"%s\", __print_symbolic(REC->newstate, { 1, \"TCP_ESTABLISHED\" })\n";
	static const struct {
		const char *group;
		enum rn_unit unit[3];
	} want[] = {
		{"sched", {RN_U_TASK, RN_U_TCP, RN_U_NONE}},
		{"signal", {RN_U_NONE, RN_U_TCP, RN_U_SIGNAL}},
		{NULL, {RN_U_NONE, RN_U_TCP, RN_U_NONE}},
	};
	struct rn_arena *a = rn_arena_create(1 << 20);

	(void)state;
	for (unsigned i = 0; i < sizeof(want) / sizeof(*want); i++) {
		struct rn_tp tp = {.sys = want[i].group};

		assert_int_equal(rn_tracefs_parse(a, format, &tp, NULL), 0);
		for (unsigned f = 0; f < 3; f++)
			assert_int_equal(tp.field[f].field.ty.unit, want[i].unit[f]);
	}
	rn_arena_destroy(a);
}

static const struct rn_tp *tracepoint_of(struct rn_arena *a, const char *sys, const char *format)
{
	struct rn_tp *tp = RN_NEW(a, struct rn_tp);

	tp->sys = sys;
	assert_int_equal(rn_tracefs_parse(a, format, tp, NULL), 0);
	return tp;
}

/* At different places, but with one type and one set of names. */
static void fields_that_all_have(void **state)
{
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct rn_tp_match match[] = {
		{"irq:a", 1, -1,
		 tracepoint_of(a, "irq",
			       "\tfield:unsigned int vec;\toffset:8;\tsize:4;\tsigned:0;\n"
			       "\tfield:char name[16];\toffset:12;\tsize:16;\tsigned:0;\n"
			       "\tfield:int wide;\toffset:28;\tsize:4;\tsigned:1;\n"
			       "\tfield:int sig;\toffset:32;\tsize:4;\tsigned:1;\n"
			       "\tfield:int text;\toffset:36;\tsize:4;\tsigned:1;\n"
			       "\tfield:int alone;\toffset:40;\tsize:4;\tsigned:1;\n")},
		{"irq:b", 2, -1,
		 tracepoint_of(a, "irq",
			       "\tfield:int sig;\toffset:8;\tsize:4;\tsigned:1;\n"
			       "\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;\n"
			       "\tfield:unsigned int vec;\toffset:16;\tsize:4;\tsigned:0;\n"
			       "\tfield:long wide;\toffset:24;\tsize:8;\tsigned:1;\n"
			       "\tfield:char text[4];\toffset:32;\tsize:4;\tsigned:0;\n")},
		{"signal:c", 3, -1,
		 tracepoint_of(a, "signal", "\tfield:int sig;\toffset:8;\tsize:4;\tsigned:1;\n")},
	};
	struct rn_tp two = {.match = match, .nmatch = 2}, three = {.match = match, .nmatch = 3};

	(void)state;

	rn_tp_share_fields(a, &two);
	assert_int_equal(two.nfields, 3);
	assert_int_equal(rn_tp_own_field(&two, "vec")->field.ty.unit, RN_U_SOFTIRQ);
	assert_int_equal(rn_tp_own_field(&two, "vec")->field.bits, 32);
	assert_null(rn_tp_own_field(&two, "name")); /* it is the event's */
	assert_int_equal(rn_tp_own_field(&two, "wide")->field.bits, 0);
	assert_non_null(rn_tp_own_field(&two, "sig"));
	rn_tp_share_fields(a, &three); /* only the signal has names */
	assert_int_equal(three.nfields, 0);
	match[1].tp = NULL;
	two = (struct rn_tp){.match = match, .nmatch = 2};
	rn_tp_share_fields(a, &two);
	assert_int_equal(two.nfields, 0);
	rn_arena_destroy(a);
}

static void tracepoints_with_ends(void **state)
{
	static const char format[] =
		"\tfield:__u16 sport;\toffset:24;\tsize:2;\tsigned:0;\n\tfield:__u16 "
		"dport;\toffset:26;\tsize:2;\tsigned:0;\n"
		"\tfield:__u8 saddr[4];\toffset:28;\tsize:4;\tsigned:0;\n"
		"\tfield:__u8 saddr_v6[16];\toffset:42;\tsize:16;\tsigned:0;\n\tfield:__u8 "
		"daddr_v6[16];\toffset:58;\tsize:16;\tsigned:0;\n";
	static const char without[] =
		"\tfield:__u16 sport;\toffset:24;\tsize:2;\tsigned:0;\n\tfield:__u16 "
		"dport;\toffset:26;\tsize:2;\tsigned:0;\n";
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct rn_tp tp = {0};

	(void)state;

	assert_int_equal(rn_tracefs_parse(a, format, &tp, NULL), 0);
	assert_true(tp.ends.known);
	assert_int_equal(tp.ends.local, 42);
	assert_int_equal(tp.ends.peer, 58);
	assert_int_equal(tp.ends.sport, 24);
	assert_int_equal(tp.ends.dport, 26);
	assert_int_equal(rn_tracefs_parse(a, without, &tp, NULL), 0);
	assert_false(tp.ends.known);
	rn_arena_destroy(a);
}

static void long_globs(void **state)
{
	char pattern[RN_PATTERN_BYTES + 1];
	struct rn_bpf_pattern p;

	(void)state;

	memset(pattern, 'x', sizeof(pattern));
	pattern[RN_PATTERN_BYTES] = 0;
	assert_false(rn_glob_compile(&p, pattern));
	pattern[RN_PATTERN_BYTES - 1] = 0;
	assert_true(rn_glob_compile(&p, pattern));
	assert_true(rn_glob_run(&p, pattern, RN_PATTERN_BYTES - 1));
	assert_false(rn_glob_run(&p, pattern, RN_PATTERN_BYTES - 2));
}

/* ---- the table processes: this very process is in it ---- */
struct seen {
	const struct rn_class *cls;
	unsigned rows;
	bool me;
};
static int rows(void *self, const struct rn_rows *r)
{
	struct seen *s = self;

	s->rows += r->nrows;
	for (unsigned i = 0; i < r->nrows; i++) {
		const struct rn_value *v = r->values + i * r->ncols;

		for (unsigned c = 0; c < r->ncols; c++) {
			unsigned type = s->cls->fields[c]->ty.type;

			assert_int_equal(v[c].kind, type == RN_T_INT ? RN_INT : RN_STR);
		}
		if (v[2].i != getpid())
			continue;
		s->me = true;
		assert_int_equal(v[3].i, getppid());
		assert_int_equal(v[5].i, getuid());
		assert_memory_equal(v[4].s, "test_catalog", 12);
		assert_true(v[11].i > 4096 && v[12].i > v[11].i);
	}
	return 0;
}
static void proc_table(void **state)
{
	struct rn_catalog *c = rn_probes_catalog(no_aggs);
	const struct rn_class *cls = find(c, "processes");
	struct rn_fragment f = {.cls = cls,
				.fields = (const struct rn_field **)cls->fields,
				.nfields = cls->nfields};
	struct seen seen = {cls, 0, false};
	struct rn_sink sink = {.self = &seen, .rows = rows};
	int32_t me = getpid();
	struct rn_scope scope = {.pids = &me, .npids = 1};
	struct rn_ledger l;
	struct rn_source *s;
	struct rn_err err;

	(void)state;

	assert_true(rn_table_is(&f));
	for (unsigned scoped = 0; scoped < 2; scoped++) {
		seen.rows = 0;
		seen.me = false;
		assert_int_equal(rn_table_open("here", &f, scoped ? &scope : NULL, &s, &err), 0);
		assert_int_equal(s->ops->start(s, &err), 0);
		assert_int_equal(s->ops->poll(s, &sink, 0, &err), 1);
		assert_true(seen.me);
		assert_int_equal(s->ops->stop(s, &err), 0);
		s->ops->ledger(s, &l);
		assert_int_equal(l.n[RN_L_SEEN], seen.rows);
		if (scoped)
			assert_int_equal(seen.rows, 1);
		s->ops->close(s);
	}
	rn_probes_catalog_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_classes),
		cmocka_unit_test(payload_is_known),
		cmocka_unit_test(profiles_have_a_rate),
		cmocka_unit_test(globs_match_tracepoints),
		cmocka_unit_test(classes_cover_calls),
		cmocka_unit_test(traits_hold),
		cmocka_unit_test(calls_with_payload_have_a_direction),
		cmocka_unit_test(tracepoint_formats),
		cmocka_unit_test(fields_with_names),
		cmocka_unit_test(fields_that_all_have),
		cmocka_unit_test(tracepoints_with_ends),
		cmocka_unit_test(long_globs),
		cmocka_unit_test(proc_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
