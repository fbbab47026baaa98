/* test_numbering.c - names that each kernel numbers for itself: how the format of a tracepoint
 * lists them, and one query on two kernels that number the same names otherwise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "exec/eval/eval.h"
#include "exec/groups/groups.h"
#include "exec/node/missing.h"
#include "exec/wire/loopback.h"
#include "lang/catalog/numbering.h"
#include "lang/resolve/names.h"
#include "lang/resolve/resolve.h"
#include "lang/syntax/parse.h"
#include "planner/plan/plan.h"
#include "probes/catalog/catalog.h"
#include "probes/catalog/tracefs.h"
#include "probes/gen/gen.h"
#include "probes/live/decode.h"

/* ---- lists ---- */

#define PARENS "((((((((((" /* ten */

/* Those of one kernel, by its types. */
static const struct rn_numbering *enumeration(struct rn_arena *arena, const char *name)
{
	static const struct rn_numbered of[] = {
		{7, "SOME"}, {0, "NONE"}, {0, "ALIAS"}, {0xffffffff, "ALL"}};
	static const struct rn_numbering all = {of, 4, false};

	(void)arena;
	return strcmp(name, "some") ? NULL : &all;
}

/* "2=NO_SOCKET 3=OTHER" */
static const char *listed_as(struct rn_arena *a, bool flags, const char *list, const char *declared,
			     unsigned size, bool is_signed)
{
	const struct rn_tp_field f = {.size = (uint16_t)size, .is_signed = is_signed};
	const struct rn_numbering *all =
		rn_tracefs_names(a, list, flags, declared, &f, enumeration);
	const char *text = "";

	for (unsigned i = 0; all && i < all->n; i++)
		text = rn_arena_printf(a, "%s%s%lld=%s", text, i ? " " : "",
				       (long long)all->of[i].number, all->of[i].name);
	return text;
}

static const char *listed(struct rn_arena *a, const char *list, const char *declared, unsigned size,
			  bool is_signed)
{
	return listed_as(a, false, list, declared, size, is_signed);
}

static void lists_of_the_kernel(void **state)
{
	static const struct {
		const char *list, *names;
		unsigned size;
		bool is_signed;
	} cases[] = {
		{" { 2, \"A\" }, { 0x10, \"B\" })", "2=A 16=B", 4, false},
		{"{1,\"A\"},{0,\"B\"})", "0=B 1=A", 4, false},
		{"{ (-1), \"staging\" }, { -2, \"x\" })", "-2=x -1=staging", 4, true},
		{"{ -1, \"ALL\" })", "255=ALL", 1, false},
		{"{ 0xffffffff, \"ALL\" })", "-1=ALL", 4, true},
		{"{ (1 << 0) | (1u << 1), \"A\" }, { ((((1UL))) << (4)), \"B\" })", "3=A 16=B", 4,
		 false},
		{"{ 7ULL, \"a b\" }, { 8, \"KVM_\" \"EXIT\" })", "7=a b 8=KVM_EXIT", 4, false},
		/* a number has its first name; what is no number has none */
		{"{ 1, \"A\" }, { 1, \"B\" }, { SOME, \"C\" }, { 2, \"D\" })", "1=A 2=D", 4, false},
		{"{ 1, \"A\" }, { 1 << 64, \"B\" }, { 3, \"C\" })", "1=A 3=C", 4, false},
		{"{ 1, \"A\" }, { 2, \"B", "1=A", 4, false},
		{"{ 1, \"A\" }, { 2", "1=A", 4, false},
		{"{ 1, \"\" })", "", 4, false},
		{"{ 1, \"\\\"\" })", "", 4, false},
		{"{ " PARENS PARENS PARENS PARENS "1)), \"A\" })", "", 4, false},
		{"\"|\", { 1, \"A\" })", "", 4, false},
	};
	struct rn_arena *a = rn_arena_create(1 << 20);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(
			listed(a, cases[i].list, "int", cases[i].size, cases[i].is_signed),
			cases[i].names);
	/* an enumeration tells what a name of C is, and has names of its own */
	assert_string_equal(listed(a, "{ SOME, \"A\" }, { -NONE, \"B\" }, { OTHER, \"C\" })",
				   "enum some", 4, false),
			    "0=B 7=A");
	assert_string_equal(listed(a, "{ SOME, \"A\" }, { 3, \"B\" })", "enum none", 4, false),
			    "3=B");
	assert_string_equal(listed(a, "{ 8, \"A\" })", "enum some", 4, false), "8=A");
	assert_string_equal(listed(a, NULL, "enum some", 4, true), "-1=ALL 0=NONE 7=SOME");
	assert_string_equal(listed(a, NULL, "enum none", 4, true), "");
	assert_string_equal(listed(a, NULL, "int", 4, true), "");
	rn_arena_destroy(a);
}

static void lists_of_flags(void **state)
{
	static const struct {
		const char *list, *names;
	} cases[] = {
		/* as the kernel tries them: no order, and the first name of bits */
		{"{ 3, \"BOTH\" }, { 2, \"B\" }, { 1, \"A\" }, { 2, \"TWO\" })", "3=BOTH 2=B 1=A"},
		{"{( unsigned long)((( gfp_t)((((1UL))) << (10))|((((1UL))) << (11)))), \"R\"})",
		 "3072=R"},
		{"{( unsigned long)(((( gfp_t)7) | (( gfp_t)0)) & ~(( gfp_t)2)), \"X\"})", "5=X"},
		{"{ 0, \"NONE\" }, { 1, \"A|B\" }, { 2, \"2ND\" }, { 4, \"C\" })", "4=C"},
		{"{ ~(1 << 3) & 0xff, \"A\" }, { 1 | 6 & 3, \"B\" })", "247=A 3=B"},
		{"{ (int)SOME, \"A\" }, { (x)(y)4, \"B\" })", "4=B"},
		{"{ ~, \"A\" })", ""},
		{"{ 1 &, \"A\" })", ""},
	};
	static const struct {
		const char *format, *field, *list;
	} found[] = {
		{"__print_flags(REC->f, \"|\", { 1,", "f", " { 1,"},
		{"__print_flags((unsigned long)REC->f , \"|\", { 1,", "f", " { 1,"},
		{"__print_flags(REC->ff, \"|\", { 1,", "f", NULL},
		{"__print_flags(REC->f & 3, \"|\", { 1,", "f", NULL},
		{"__print_flags(REC->f, \"\", { 1,", "f", NULL},
		{"__print_symbolic(REC->f, { 1,", "f", NULL},
		{NULL, "f", NULL},
	};
	struct rn_arena *a = rn_arena_create(1 << 20);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(listed_as(a, true, cases[i].list, "int", 4, false),
				    cases[i].names);
	for (size_t i = 0; i < sizeof(found) / sizeof(*found); i++) {
		const char *list = rn_tracefs_flags(found[i].format, found[i].field);

		if (found[i].list)
			assert_string_equal(list, found[i].list);
		else
			assert_null(list);
	}
	rn_arena_destroy(a);
}

static void texts_of_flags(void **state)
{
	static const struct rn_numbered of[] = {{6, "BC"}, {1, "A"}, {2, "B"}, {4, "C"}};
	static const struct rn_numbering all = {of, 4, true};
	static const struct {
		int64_t number;
		const char *text;
	} shown[] = {{0, "0"},
		     {1, "A"},
		     {7, "BC|A"},
		     {3, "A|B"},
		     {0x10, "0x10"},
		     {0x15, "A|C|0x10"},
		     {-1, "BC|A|0xfffffffffffffff8"}};
	static const struct {
		const char *text, *ordered;
	} typed[] = {{"C|B", "BC"},   {"A|BC|B", "BC|A"},
		     {"0x3", "A|B"},  {"0x10|A", "A|0x10"},
		     {"A|D", NULL},   {"A|", NULL},
		     {"|A", NULL},    {"", NULL},
		     {"A | B", NULL}, {"0x", NULL},
		     {"0xg", NULL},   {"16", NULL},
		     {"0|A", "A"},    {"0x11111111111111111", NULL}};
	struct rn_arena *a = rn_arena_create(1 << 20);

	(void)state;
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		int64_t back;

		assert_string_equal(rn_numbering_text(a, &all, shown[i].number), shown[i].text);
		assert_true(rn_numbering_bits(&all, shown[i].text, strlen(shown[i].text), &back));
		assert_int_equal(back, shown[i].number);
	}
	for (size_t i = 0; i < sizeof(typed) / sizeof(*typed); i++) {
		const struct rn_value text = rn_strn(typed[i].text, strlen(typed[i].text));
		struct rn_value ordered = rn_numbering_ordered(a, &all, &text);
		const char *want = typed[i].ordered ? typed[i].ordered : typed[i].text;

		assert_int_equal(rn_numbering_knows(&all, typed[i].text, text.len),
				 typed[i].ordered != NULL);
		assert_int_equal(ordered.len, strlen(want));
		assert_memory_equal(ordered.s, want, ordered.len);
	}
	rn_arena_destroy(a);
}

static void texts_of_numbers(void **state)
{
	static const struct rn_numbered of[] = {{-4, "LOW"}, {2, "A"}, {3, "B"}, {900, "A"}};
	static const struct rn_numbering all = {of, 4, false};
	struct rn_arena *a = rn_arena_create(1 << 20);
	static const struct {
		const char *text;
		bool known;
	} texts[] = {{"A", true},
		     {"B", true},
		     {"C", false},
		     {"", false},
		     {"77", true},
		     {"-77", true},
		     {"2", false},
		     {"07", false},
		     {"0x7", false},
		     {"7 ", false},
		     {"900", false},
		     {"9223372036854775807", true},
		     {"9223372036854775808", false}};
	static const struct {
		const char *glob;
		bool sure;
	} globs[] = {{"A*", true},  {"*_A", true},  {"*", false},  {"7?", false},
		     {"-*", false}, {"[A]", false}, {"\\A", false}};

	(void)state;
	assert_string_equal(rn_numbering_text(a, &all, -4), "LOW");
	assert_string_equal(rn_numbering_text(a, &all, 900), "A");
	assert_string_equal(rn_numbering_text(a, &all, 4), "4");
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(rn_numbering_knows(&all, texts[i].text, strlen(texts[i].text)),
				 texts[i].known);
	for (size_t i = 0; i < sizeof(globs) / sizeof(*globs); i++)
		assert_int_equal(rn_numbering_glob(globs[i].glob, strlen(globs[i].glob)),
				 globs[i].sure);
	rn_arena_destroy(a);
}

static void short_names(void **state)
{
	static const struct rn_field reason = {.ty = {RN_T_STR, 0},
					       .doc = "enum skb_drop_reason: A, B, ..."},
				     number = {.ty = {RN_T_INT, 0}, .doc = "enum skb_drop_reason"},
				     text = {.ty = {RN_T_STR, 0}, .doc = "char[16]"};
	static const struct {
		const struct rn_field *field;
		const char *name, *want;
	} cases[] = {
		{&reason, "SKB_DROP_REASON_NO_SOCKET", "NO_SOCKET"},
		{&reason, "NO_SOCKET", "NO_SOCKET"},
		{&reason, "SKB_DROP_REASON", "SKB_DROP_REASON"},
		{&reason, "SKB_DROP_REASON_", "SKB_DROP_REASON_"},
		{&reason, "SKB_DROP_REASONS_X", "SKB_DROP_REASONS_X"},
		{&number, "SKB_DROP_REASON_NO_SOCKET", "SKB_DROP_REASON_NO_SOCKET"},
		{&text, "CHAR_X", "CHAR_X"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(rn_numbering_short(cases[i].field, cases[i].name),
				    cases[i].want);
}

/* ---- two kernels ---- */

#define FORMAT(names) \
	"\tfield:unsigned short protocol;\toffset:8;\tsize:2;\tsigned:0;\n" \
	"\tfield:enum skb_drop_reason reason;\toffset:12;\tsize:4;\tsigned:0;\n\n" \
	"print fmt: \"reason: %s\", __print_symbolic(REC->reason, " names ")\n"

struct kernel {
	struct rn_tp tp; /* of its one tracepoint */
	const struct rn_field *fields[2];
	struct rn_catalog catalog;
};

static const struct rn_class *find(void *self, const char *name, const char *arg, char *why,
				   size_t why_bytes)
{
	(void)why, (void)why_bytes;
	return !strcmp(name, "tracepoint") && arg ? &((struct kernel *)self)->tp.cls : NULL;
}

static void boot(struct rn_arena *a, struct kernel *k, const char *format)
{
	*k = (struct kernel){.tp = {.sys = "skb", .name = "kfree_skb"},
			     .catalog = {.self = k, .find = find, .aggs = rn_agg_sigs}};
	assert_int_equal(rn_tracefs_parse(a, format, &k->tp, NULL), 0);
	for (unsigned i = 0; i < 2; i++) {
		k->tp.field[i].field.id = (uint16_t)(RN_F_TP + i);
		k->fields[i] = &k->tp.field[i].field;
	}
	k->tp.cls = (struct rn_class){.name = "tracepoint",
				      .arg = "skb:kfree_skb",
				      .doc = "packets that are dropped",
				      .fields = k->fields,
				      .nfields = 2,
				      .id = RN_CLS_TRACEPOINT};
}

static const struct rn_fragment *planned(struct rn_arena *a, const struct kernel *k,
					 const char *text)
{
	struct rn_names names = {.catalog = &k->catalog};
	struct rn_plan_opts none = {0};
	struct rn_diag *d = rn_diag_new(a);
	struct rn_ast_file *f = rn_parse(a, d, rn_diag_source(d, "query", text, strlen(text)));
	struct rn_plan *p = NULL;

	if (!rn_diag_errors(d) && rn_resolve(a, d, f->stmts->query, &names))
		p = rn_plan_query(a, d, f->stmts->query, &names, &none);
	if (!p)
		fail_msg("%s", rn_diag_render(d, a, false));
	return &p->frag;
}

/* The fragment as the node receives it, and what its kernel runs. */
static struct rn_fragment *sent(struct rn_arena *a, const struct rn_fragment *from,
				const struct kernel *to, struct rn_gen_out *out)
{
	struct rn_err err = {0};
	struct rn_btf btf = {0};
	struct rn_gen_opts o = {.btf = &btf, .node = to->tp.cls.doc, .ncpus = 2};
	struct rn_fragment *f = rn_loopback_fragment(a, from, &to->catalog, &err);

	if (!f || rn_gen_fragment(a, f, &o, out, &err))
		fail_msg("%s", err.text);
	assert_int_equal(out->nprogs, 1);
	return f;
}

/* Does the program compare anything with the number? */
static bool compares(const struct rn_gen_out *out, int number)
{
	const struct rn_emit *e = out->prog[0].emit;

	for (unsigned i = 0; i < e->n; i++)
		if (BPF_CLASS(e->insns[i].in.code) == BPF_JMP &&
		    BPF_OP(e->insns[i].in.code) == BPF_JEQ &&
		    BPF_SRC(e->insns[i].in.code) == BPF_K && e->insns[i].in.imm == number)
			return true;
	return false;
}

static struct rn_value shown(struct rn_arena *a, const struct rn_fragment *f,
			     const struct rn_packed_field *packed, int64_t number)
{
	struct rn_event_decoder d = {.cls = f->cls};
	unsigned char bytes[8];

	memcpy(bytes, &number, sizeof(bytes));
	return rn_decode(&d, packed, bytes, a);
}

struct seen {
	unsigned n;
	char text[200];
};

static int see(void *self, const struct rn_partials *p)
{
	struct seen *s = self;
	size_t at = strlen(s->text);

	for (uint32_t i = 0; i < p->n; i++)
		at += (size_t)snprintf(s->text + at, sizeof(s->text) - at, "%.*s ",
				       (int)p->parts[i].key[0].len, p->parts[i].key[0].s);
	s->n += p->n;
	return 0;
}

static void a_name_has_the_number_of_each_kernel(void **state)
{
	static const char query[] = "count of tracepoint \"skb:kfree_skb\" where reason in "
				    "(SKB_DROP_REASON_NO_SOCKET, \"61\") by reason";
	struct rn_arena *a = rn_arena_create(16 << 20);
	struct kernel k[2];
	struct rn_gen_out out[2] = {0};
	struct seen seen = {0};
	struct rn_groups *groups;

	(void)state;
	boot(a, &k[0], FORMAT("{ 52, \"NO_SOCKET\" }, { 53, \"OLD\" }"));
	boot(a, &k[1], FORMAT("{ 71, \"NO_SOCKET\" }, { 52, \"NEW\" }, { 61, \"NEWER\" }"));
	groups = rn_groups_create(NULL, 0, 1, 10);
	for (unsigned i = 0; i < 2; i++) {
		const struct rn_fragment *f = sent(a, planned(a, &k[0], query), &k[i], &out[i]);
		const struct rn_packed_field *key = &out[i].key.fields[0];
		struct rn_value of[] = {shown(a, f, key, i ? 71 : 52), shown(a, f, key, 99)};

		assert_int_equal(f->agg_place, RN_AT_KERNEL);
		assert_int_equal(f->where[0].place, RN_AT_KERNEL);
		assert_int_equal(compares(&out[i], 52), i == 0);
		assert_int_equal(compares(&out[i], 71), i == 1);
		/* a number that has a name here is not shown as a number */
		assert_int_equal(compares(&out[i], 61), i == 0);
		assert_int_equal(rn_missing_names(f), i);
		for (unsigned n = 0; n < 2; n++)
			rn_groups_update(groups, 0, &of[n], NULL, 0);
	}
	rn_groups_visit(groups, INT64_MAX, false, see, &seen);
	assert_string_equal(seen.text, "99 NO_SOCKET ");
	rn_groups_destroy(groups);
	rn_arena_destroy(a);
}

/* A name that a node's kernel lacks is never there, and counted; one that only the node has goes
 * there all the same. */
static void a_name_that_one_kernel_lacks(void **state)
{
	struct rn_arena *a = rn_arena_create(16 << 20);
	struct kernel k[2];
	struct rn_gen_out out = {0};
	const struct rn_fragment *f;

	(void)state;
	boot(a, &k[0], FORMAT("{ 52, \"NO_SOCKET\" }, { 53, \"OLD\" }"));
	boot(a, &k[1], FORMAT("{ 71, \"NO_SOCKET\" }, { 52, \"NEW\" }"));
	f = sent(a, planned(a, &k[0], "count of tracepoint \"skb:kfree_skb\" where reason = OLD"),
		 &k[1], &out);
	assert_int_equal(rn_missing_names(f), 1);
	assert_false(compares(&out, 53));
	f = sent(a, planned(a, &k[0], "count of tracepoint \"skb:kfree_skb\" where reason = NEW"),
		 &k[1], &out);
	assert_int_equal(rn_missing_names(f), 0);
	assert_true(compares(&out, 52));
	f = sent(a, planned(a, &k[0], "count(where reason = OLD) of tracepoint \"skb:kfree_skb\""),
		 &k[1], &out);
	assert_int_equal(rn_missing_names(f), 1);
	rn_arena_destroy(a);
}

/* A kernel that prints no names has a number there, which it must not compare with a text. */
static void a_kernel_without_names_refuses(void **state)
{
	struct rn_arena *a = rn_arena_create(16 << 20);
	struct rn_err err = {0};
	struct kernel k[2];

	(void)state;
	boot(a, &k[0], FORMAT("{ 52, \"NO_SOCKET\" }"));
	boot(a, &k[1], FORMAT("\"\""));
	assert_null(rn_loopback_fragment(
		a, planned(a, &k[0], "count of tracepoint \"skb:kfree_skb\" by reason"),
		&k[1].catalog, &err));
	assert_non_null(strstr(err.text, "another type here has field `reason`"));
	rn_arena_destroy(a);
}

#define FLAGS(names) \
	"\tfield:unsigned short protocol;\toffset:8;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned long gfp;\toffset:16;\tsize:8;\tsigned:0;\n\n" \
	"print fmt: \"%s\", (REC->gfp) ? __print_flags(REC->gfp, \"|\", " names ") : \"none\"\n"

/* The number of times that the program loads the constant. */
static unsigned loads(const struct rn_gen_out *out, int number)
{
	const struct rn_emit *e = out->prog[0].emit;
	unsigned n = 0;

	for (unsigned i = 0; i < e->n; i++)
		n += e->insns[i].in.code == (BPF_ALU64 | BPF_MOV | BPF_K) &&
		     e->insns[i].in.imm == number;
	return n;
}

static struct rn_value masked(struct rn_arena *a, const struct rn_fragment *f, const char *text)
{
	struct rn_value row[8];
	struct rn_err err = {0};

	for (unsigned i = 0; i < 8; i++)
		row[i] = rn_strn(text, strlen(text));
	assert_int_equal(rn_eval_prepare(a, f->keys[0], NULL, &err), 0);
	return rn_eval(f->keys[0], row, a);
}

static void flags_have_the_bits_of_each_kernel(void **state)
{
	static const char query[] = "count of tracepoint \"skb:kfree_skb\" where gfp & (IO | FS) = "
				    "FS and gfp != (ZERO | OLD) by gfp & (IO | ZERO)";
	static const char *const shown[] = {"IO|ZERO", "ZERO|IO"};
	struct rn_arena *a = rn_arena_create(16 << 20);
	struct kernel k[2];

	(void)state;
	boot(a, &k[0],
	     FLAGS("{ 0x40, \"IO\" }, { 0x80, \"FS\" }, { 0x100, \"ZERO\" }, "
		   "{ 0x200, \"OLD\" }"));
	boot(a, &k[1], FLAGS("{ 0x800, \"ZERO\" }, { 0x1000, \"FS\" }, { 0x2000, \"IO\" }"));
	for (unsigned i = 0; i < 2; i++) {
		struct rn_gen_out out = {0};
		const struct rn_fragment *f = sent(a, planned(a, &k[0], query), &k[i], &out);
		struct rn_value key;

		assert_int_equal(f->agg_place, RN_AT_KERNEL);
		for (unsigned w = 0; w < f->nwhere; w++)
			assert_int_equal(f->where[w].place, RN_AT_KERNEL);
		assert_int_equal(loads(&out, i ? 0x3000 : 0xc0), 1); /* the mask */
		assert_int_equal(loads(&out, i ? 0x1000 : 0x80), 1); /* what it has to be */
		/* a name that this kernel lacks is in no number: nothing is compared */
		assert_int_equal(loads(&out, 0x300), i == 0);
		assert_int_equal(rn_missing_names(f), i);
		key = masked(a, f, i ? "FS|ZERO|IO|0x1" : "IO|FS|ZERO|0x1");
		assert_int_equal(key.kind, RN_STR);
		assert_string_equal(rn_arena_strndup(a, key.s, key.len), shown[i]);
		key = masked(a, f, "FS");
		assert_string_equal(rn_arena_strndup(a, key.s, key.len), "0");
	}
	rn_arena_destroy(a);
}

/* Numbers without a name may match such a pattern, and are too many to hash: the node does both. */
static void what_the_kernel_leaves_to_the_node(void **state)
{
	static const struct {
		const char *query;
		bool in_kernel;
	} cases[] = {
		{"count of tracepoint \"skb:kfree_skb\" where reason ~ \"NO_*\"", true},
		{"count of tracepoint \"skb:kfree_skb\" where reason !~ \"NO_*\" by reason", true},
		{"count of tracepoint \"skb:kfree_skb\" where reason ~ \"*\"", false},
		{"count of tracepoint \"skb:kfree_skb\" where reason ~ \"?2\"", false},
		{"distinct(reason) of tracepoint \"skb:kfree_skb\"", false},
		{"count of tracepoint \"skb:kfree_skb\" where reason < \"O\"", false},
	};
	struct rn_arena *a = rn_arena_create(16 << 20);
	struct kernel k;

	(void)state;
	boot(a, &k, FORMAT("{ 52, \"NO_SOCKET\" }, { 53, \"OLD\" }"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rn_gen_out out = {0};
		const struct rn_fragment *f = sent(a, planned(a, &k, cases[i].query), &k, &out);

		assert_int_equal(f->agg_place == RN_AT_KERNEL, cases[i].in_kernel);
	}
	rn_arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_of_the_kernel),
		cmocka_unit_test(lists_of_flags),
		cmocka_unit_test(texts_of_flags),
		cmocka_unit_test(texts_of_numbers),
		cmocka_unit_test(short_names),
		cmocka_unit_test(a_name_has_the_number_of_each_kernel),
		cmocka_unit_test(a_name_that_one_kernel_lacks),
		cmocka_unit_test(flags_have_the_bits_of_each_kernel),
		cmocka_unit_test(a_kernel_without_names_refuses),
		cmocka_unit_test(what_the_kernel_leaves_to_the_node),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
