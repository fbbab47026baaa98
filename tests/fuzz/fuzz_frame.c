/* fuzz_frame.c - libFuzzer target: any bytes as a frame. What decodes is bound to a catalogue, its
 * states are merged and finished, and it encodes and decodes again to the same bytes. The partial
 * states' query is fixed: every aggregate over a number, then over text.
 *
 * The first byte chooses which of the two; the rest is the message without its length. Compiled as
 * a program of its own (-DSEEDS) it writes the seed corpus: see seeds.sh. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/wire/codec.h"
#include "exec/eval/eval.h"
#include "exec/groups/groups.h"
#include "planner/agg/state.h"
#include "lang/resolve/names.h"
#include "lang/resolve/resolve.h"
#include "lang/base/limits.h"
#include "lang/syntax/parse.h"
#include "tests/support/fake_catalog.h"

enum { NKEYS = 2, MAX_AGGS = 64 };

struct setting {
	struct rn_expr arg;
	struct rn_agg_call call[MAX_AGGS];
	unsigned n;
};

static void setting_init(struct setting *s, bool text)
{
	memset(s, 0, sizeof(*s));
	s->arg = (struct rn_expr){.kind = RN_E_FIELD, .ty = {text ? RN_T_STR : RN_T_INT, 0}};
	for (unsigned i = 0; rn_aggs[i]; i++) {
		struct rn_agg_call *c;

		if (text && rn_aggs[i]->sig.arg > RN_ARG_ANY)
			continue;
		c = &s->call[s->n++];
		*c = (struct rn_agg_call){.def = rn_aggs[i],
					  .arg = rn_aggs[i]->sig.arg == RN_ARG_NONE ? NULL
										    : &s->arg};
		c->param[0] = c->def->cell == RN_CELL_LINEAR ? 10 : c->def->preset;
		c->param[1] = 1000;
		c->param[2] = 10;
	}
}

static struct rn_catalog *catalog(void)
{
	return rn_fake_catalog();
}

#ifndef SEEDS
static int finish_all(void *self, const struct rn_partials *p)
{
	struct setting *s = self;
	struct rn_arena *a = rn_arena_create(64 << 20);
	struct rn_finish_ctx f = {.window_ns = 1};

	for (uint32_t i = 0; i < p->n; i++)
		for (unsigned k = 0; k < s->n; k++)
			s->call[k].def->finish(&s->call[k], &p->parts[i].state[k], &f, a);
	rn_arena_destroy(a);
	return 0;
}

/* A fragment that the node accepts must be safe to evaluate over any row of its fields. */
static void use_fragment(struct rn_arena *a, struct rn_fragment *f)
{
	struct rn_err err = {0};
	struct rn_value *row = RN_NEWN(a, struct rn_value, f->nfields);

	if (rn_fragment_bind(a, f, catalog(), &err))
		return;
	for (unsigned i = 0; i < f->nfields; i++)
		row[i] = f->fields[i]->ty.type == RN_T_INT ? rn_int(i)
			 : f->fields[i]->ty.type == RN_T_IP
				 ? rn_strn("\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f\0\0\x01\0P",
					   RN_IP_BYTES)
				 : rn_strn("abc", 3);
	for (unsigned i = 0; i < f->nwhere; i++) {
		if (f->where[i].place != RN_AT_KERNEL &&
		    !rn_eval_prepare(a, f->where[i].expr, NULL, &err))
			rn_eval_true(f->where[i].expr, row, a);
		rn_eval_release(f->where[i].expr);
	}
}

static void use_partials(const struct rn_frame *f, struct setting *s)
{
	struct rn_groups *g = rn_groups_create(s->call, s->n, NKEYS, 16);

	rn_groups_merge(g, &f->partials);
	rn_groups_merge(g, &f->partials);
	rn_groups_visit(g, INT64_MAX, true, finish_all, s);
	rn_groups_destroy(g);
}

static void again(struct rn_arena *a, const struct rn_frame *f, struct setting *s)
{
	unsigned char *one = NULL, *two = NULL;
	size_t len1 = 0, cap1 = 0, len2 = 0, cap2 = 0;
	struct rn_frame g;
	struct rn_err err = {0};

	if (rn_frame_encode(f, s->call, s->n, NKEYS, &one, &len1, &cap1))
		return; /* beyond the size of a frame */
	if (rn_frame_decode(a, one + 4, len1 - 4, s->call, s->n, NKEYS, &g, &err) ||
	    rn_frame_encode(&g, s->call, s->n, NKEYS, &two, &len2, &cap2) || len1 != len2 ||
	    memcmp(one, two, len1))
		abort();
	rn_frame_release(&g, s->call, s->n);
	free(one);
	free(two);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct setting s;
	struct rn_frame f;
	struct rn_err err = {0};
	struct rn_arena *a;

	if (!n)
		return 0;
	a = rn_arena_create(64 << 20);
	setting_init(&s, data[0] & 1);
	if (!rn_frame_decode(a, data + 1, n - 1, s.call, s.n, NKEYS, &f, &err)) {
		again(a, &f, &s);
		if (f.kind == RN_FRAME_FRAGMENT)
			use_fragment(a, f.fragment);
		if (f.kind == RN_FRAME_PARTIALS)
			use_partials(&f, &s);
	} else if (!*err.text) {
		abort();
	}
	rn_frame_release(&f, s.call, s.n);
	rn_arena_destroy(a);
	return 0;
}
#else
static int count;
static void seed(const char *dir, const struct rn_frame *f, struct setting *s, char which)
{
	char path[4096];
	unsigned char *p = NULL;
	size_t len = 0, cap = 0;

	snprintf(path, sizeof(path), "%s/seed%02d", dir, count++);
	FILE *out = fopen(path, "w");
	if (!out || rn_frame_encode(f, s->call, s->n, NKEYS, &p, &len, &cap))
		abort();
	fputc(which, out);
	fwrite(p + 4, 1, len - 4, out);
	fclose(out);
	free(p);
}

static void seed_partials(const char *dir, bool text)
{
	static struct setting s;
	static struct rn_state state[2][MAX_AGGS];
	struct rn_value key[2][2] = {{rn_strn("/etc/passwd", 11), rn_int(1000)},
				     {rn_strn("/etc/passwd", 11), rn_int(1 << 30)}};
	struct rn_partial p[3];

	setting_init(&s, text);
	memset(state, 0, sizeof(state));
	for (int k = 0; k < 3; k++)
		p[k] = (struct rn_partial){
			.key = key[k % 2], .events = k + 1, .state = state[k % 2], .other = k == 2};
	for (unsigned i = 0; i < s.n; i++)
		for (int e = 0; e < 6; e++) {
			struct rn_value v =
				text ? rn_strn("abcdefgh", (size_t)e) : rn_int(e * e * 100 - 1);
			rn_state_update(&s.call[i], &state[e & 1][i], &v, e, e < 2);
		}
	seed(dir,
	     &(struct rn_frame){.kind = RN_FRAME_PARTIALS,
				.node = "n1",
				.partials = {.window_ns = 5, .n = 3, .parts = p}},
	     &s, text ? '1' : '0');
	for (unsigned i = 0; i < 2 * s.n; i++)
		rn_state_free(&s.call[i / 2], &state[i % 2][i / 2]);
}

int main(int argc, char **argv)
{
	static const char *const queries[] = {
		"count of syscall by proc, name",
		"count, sum(bytes), p99(latency) of read where file ~ \"/var/lib/*\" by proc every "
		"1s",
		"time, proc, file, bytes of io where bytes > 4KiB and error != ENOENT limit 20",
		"hist(latency), lhist(bytes, 0, 64KiB, 4KiB), set(proc), top(name, 5), "
		"first(file), rate(bytes) of io by bucket(bytes, 4KiB)",
		"count of read where proc in (java, x) and file =~ \"^/(etc|usr)/\" or not (bytes "
		"/ 2 = 3) by lower(proc)",
		"sum(bytes) of send where cidr(peer, \"10.0.0.0/8\") by peer, port(peer)",
		"count of tag fix283, x\"00ff1234\" scan 4MiB, 1GiB/s by proc, tags",
		"data, similar(data, \"some text\") of write where data = x\"00ff\"",
		"count, max(latency) of between (events of sched_wakeup where pid > 1 and proc ~ "
		"\"j*\") and sched_switch on pid = next_pid by user",
	};
	struct setting s = {0};

	for (unsigned i = 0; argc == 2 && i < sizeof(queries) / sizeof(*queries); i++) {
		struct rn_arena *a = rn_arena_create(RN_ARENA_CAP);
		struct rn_diag *d = rn_diag_new(a);
		struct rn_names names = {.catalog = catalog()};
		struct rn_ast_query *q =
			rn_parse(a, d, rn_diag_source(d, "query", queries[i], strlen(queries[i])))
				->stmts->query;
		struct rn_plan *p =
			rn_resolve(a, d, q, &names)
				? rn_plan_query(a, d, q, &names, &(struct rn_plan_opts){0})
				: NULL;
		if (!p)
			abort();
		seed(argv[1],
		     &(struct rn_frame){
			     .kind = RN_FRAME_FRAGMENT, .node = "c", .fragment = &p->frag},
		     &s, '0');
		rn_arena_destroy(a);
	}
	struct rn_value v[6] = {rn_int(4096), rn_strn("postgres", 8), rn_float(0.5),
				rn_int(4097), rn_strn("postgres", 8), rn_null()};
	int64_t time_ns[2] = {1700000000000000000, 1700000000000000900};
	struct rn_frame frames[] = {
		{.kind = RN_FRAME_HELLO, .node = "n1"},
		{.kind = RN_FRAME_STOP},
		{.kind = RN_FRAME_END, .seq = 9},
		{.kind = RN_FRAME_ROWS,
		 .rows = {.nrows = 2, .ncols = 3, .values = v, .time_ns = time_ns}},
		{.kind = RN_FRAME_LEDGER,
		 .ledger = {.node = "n1", .n = {1, 2, 3}, .answered = true}},
		{.kind = RN_FRAME_WATERMARK, .watermark_ns = 1700000000000000000},
		{.kind = RN_FRAME_ERROR, .error = {.code = -1, .text = "no", .hint = "ask"}},
	};
	for (unsigned i = 0; i < sizeof(frames) / sizeof(*frames); i++)
		seed(argv[1], &frames[i], &s, '0');
	seed_partials(argv[1], false);
	seed_partials(argv[1], true);
	return argc != 2;
}
#endif
