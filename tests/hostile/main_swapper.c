/* swapper.c - a coordinator that asks a node for something else than its query says: what a node's
 * policy has to bear.
 *
 *     swapper [OPTION]... AGENT QUERY    AGENT: the shell command of an agent with --stdio
 *     swapper -k FILE...                 what a node with the policy RUNNEL_POLICY makes of the
 *                                        payload in each file: its key of hashes, and the hash
 *       -s FIELD=OTHER     OTHER stands wherever the fragment has FIELD, in rows, conditions, keys,
 *                          pairs and aggregates
 *       -a AGG=OTHER       the same of aggregates
 *       -n, -r             nothing is evaluated in the kernel; nothing below the coordinator
 *       -c COMMAND         runs when the query does, which ends with it; else it runs for 200 ms
 *
 * So what the language and its planner refuse is put to the node all the same. What comes back is
 * printed, a line each: `row`, `group`, `ledger` with the counts that are not 0, or `error`. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "exec/wire/codec.h"
#include "planner/plan/ledger.h"
#include "exec/link/link.h"
#include "exec/node/policy.h"
#include "exec/groups/stage.h"
#include "lang/resolve/names.h"
#include "lang/resolve/resolve.h"
#include "lang/syntax/parse.h"
#include "lang/base/siphash.h"
#include "probes/probes.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { MOST = 8, QUERY = 1, PATIENCE_MS = 60000 };
struct swap {
	const char *from, *to;
};
struct asker {
	struct swap field[MOST], agg[MOST];
	unsigned nfields, naggs;
	struct rn_plan_opts opts;
	const char *command;
	struct rn_arena *a;
	struct rn_fragment *f;
	const struct rn_class *cls; /* whose fields are taken in the place of others */
	struct rn_link *l;
	unsigned char *buf;
	size_t cap;
	bool over;
};

static void fail(const char *what)
{
	printf("failed: %s\n", what);
	exit(2);
}

/* ---- the fragment ---- */

static const struct rn_field *other(const struct asker *k, const struct rn_class *cls,
				    const char *name)
{
	for (unsigned i = 0; i < k->nfields; i++) {
		const struct rn_field *f =
			strcmp(name, k->field[i].from) ? NULL : rn_class_field(cls, k->field[i].to);

		if (f)
			return f;
	}
	return NULL;
}

static void swap_field(void *self, struct rn_expr *e)
{
	struct asker *k = self;
	const struct rn_field *f = e->kind == RN_E_FIELD ? other(k, k->cls, e->field->name) : NULL;

	if (!f)
		return;
	e->field = f;
	e->name = f->name;
	e->ty = f->ty;
}

static void swap_where(struct asker *k, struct rn_conjunct *w, unsigned n,
		       const struct rn_class *cls)
{
	k->cls = cls;
	for (unsigned i = 0; i < n; i++)
		rn_expr_walk(w[i].expr, swap_field, k);
}

static void swap_agg(struct asker *k, struct rn_agg_call *c)
{
	for (unsigned i = 0; i < k->naggs; i++)
		for (const struct rn_agg *const *d = rn_aggs;
		     *d && !strcmp(c->def->sig.name, k->agg[i].from); d++)
			if (!strcmp((*d)->sig.name, k->agg[i].to))
				c->def = *d;
	rn_expr_walk(c->arg, swap_field, k);
	if (c->arg && c->def->sig.result == RN_RES_ARG)
		c->ty = c->arg->ty;
}

static void swap_all(struct asker *k)
{
	struct rn_fragment *f = k->f;
	const struct rn_class *cls = f->cls;

	swap_where(k, f->where, f->nwhere, cls);
	for (unsigned i = 0; i < f->nfields; i++)
		f->fields[i] = other(k, cls, f->fields[i]->name) ? other(k, cls, f->fields[i]->name)
								 : f->fields[i];
	for (unsigned i = 0; i < f->nkeys; i++)
		rn_expr_walk(f->keys[i], swap_field, k);
	for (unsigned i = 0; i < f->naggs; i++)
		swap_agg(k, &f->aggs[i]);
	for (unsigned i = 0; i < f->ncols; i++) {
		rn_expr_walk(f->cols[i].expr, swap_field, k);
		f->cols[i].ty = f->cols[i].expr->ty;
	}
	for (unsigned i = 0; f->ends && i < 2; i++) {
		swap_where(k, f->ends[i].where, f->ends[i].nwhere, cls->pair->end[i]);
		for (unsigned n = 0; n < f->npair_keys; n++) {
			const struct rn_field *key =
				other(k, cls->pair->end[i], f->pair_keys[n].name[i]);

			f->pair_keys[n].name[i] = key ? key->name : f->pair_keys[n].name[i];
		}
	}
}

static void plan(struct asker *k, const char *text)
{
	struct rn_diag *d = rn_diag_new(k->a);
	struct rn_names names = {.catalog = rn_probes_catalog(rn_agg_sigs)};
	struct rn_ast_file *f = rn_parse(k->a, d, rn_diag_source(d, "query", text, strlen(text)));
	struct rn_plan *p =
		f && f->stmts && f->stmts->query && rn_resolve(k->a, d, f->stmts->query, &names)
			? rn_plan_query(k->a, d, f->stmts->query, &names, &k->opts)
			: NULL;

	if (!p)
		fail(rn_diag_render(d, k->a, false));
	while (p->child)
		p = p->child;
	k->f = &p->frag;
	swap_all(k);
}

/* ---- what comes back ---- */

static void print_value(struct asker *k, struct rn_ty ty, const struct rn_value *v)
{
	printf(" %s", v->kind == RN_NULL ? "null" : rn_value_show(k->a, ty, v));
}

static void print_rows(struct asker *k, const struct rn_rows *r)
{
	const bool raw = rn_fragment_raw(k->f);

	for (uint32_t i = 0; i < r->nrows; i++) {
		printf("row");
		for (uint32_t c = 0; c < r->ncols; c++)
			print_value(k, raw ? k->f->fields[c]->ty : k->f->cols[c].ty,
				    &r->values[i * r->ncols + c]);
		printf("\n");
	}
}

static void print_partials(struct asker *k, const struct rn_partials *p)
{
	const struct rn_finish_ctx ctx = {0};

	for (uint32_t i = 0; i < p->n; i++) {
		printf("group");
		for (unsigned c = 0; c < k->f->nkeys && !p->parts[i].other; c++)
			print_value(k, k->f->keys[c]->ty, &p->parts[i].key[c]);
		for (unsigned c = 0; c < k->f->naggs; c++) {
			const struct rn_state *s = &p->parts[i].state[c];
			struct rn_value v =
				k->f->aggs[c].def->finish(&k->f->aggs[c], s, &ctx, k->a);

			print_value(k, k->f->aggs[c].ty, &v);
			for (uint32_t n = 0; n < s->ncells; n++)
				printf(" %d:%lld", s->cells[n].bucket,
				       (long long)s->cells[n].value);
		}
		printf("\n");
	}
}

static void print_ledger(const struct rn_ledger *l)
{
	printf("ledger");
	for (int i = 0; i < RN_L_COUNT; i++)
		if (l->n[i])
			printf(" %s=%lld", rn_ledger_name((enum rn_ledger_item)i),
			       (long long)l->n[i]);
	printf("%s%s\n",
	       l->answered ? "" : " not answered: ", l->answered || !l->why ? "" : l->why);
}

static void send_frame(struct asker *k, struct rn_frame f)
{
	struct rn_err err = {0};
	size_t n = 0;

	f.node = "swapper";
	if (rn_frame_encode(&f, NULL, 0, 0, &k->buf, &n, &k->cap) < 0)
		fail("a frame is too long");
	rn_link_send(k->l, RN_LANE_CONTROL, f.kind == RN_FRAME_HELLO ? 0 : QUERY, k->buf + 4,
		     n - 4);
	if (rn_link_pump(k->l, &err) < 0)
		fail(err.text);
}

static void run_command(struct asker *k)
{
	int status = 0;

	fflush(stdout);
	if (!k->command)
		usleep(200 * 1000);
	else if ((status = system(k->command)) != 0)
		fprintf(stderr, "%s: status %d\n", k->command, status);
	send_frame(k, (struct rn_frame){.kind = RN_FRAME_STOP});
}

static void take(struct asker *k, const struct rn_message *m)
{
	struct rn_frame in;
	struct rn_err err = {0};

	if (rn_frame_decode(k->a, m->bytes, m->n, k->f->aggs, k->f->naggs, k->f->nkeys, &in, &err))
		fail(err.text);
	switch (in.kind) {
	case RN_FRAME_HELLO:
		send_frame(k, (struct rn_frame){.kind = RN_FRAME_FRAGMENT, .fragment = k->f});
		break;
	case RN_FRAME_ACCEPTED: send_frame(k, (struct rn_frame){.kind = RN_FRAME_START}); break;
	case RN_FRAME_STARTED: run_command(k); break;
	case RN_FRAME_ROWS: print_rows(k, &in.rows); break;
	case RN_FRAME_PARTIALS: print_partials(k, &in.partials); break;
	case RN_FRAME_LEDGER: print_ledger(&in.ledger); break;
	case RN_FRAME_ERROR:
		printf("error %s\n", in.error.text);
		k->over = true;
		break;
	case RN_FRAME_END: k->over = true; break;
	default: break;
	}
	rn_frame_release(&in, k->f->aggs, k->f->naggs);
}

static void talk(struct asker *k, const char *agent)
{
	static const char *const none[] = {NULL};
	struct rn_err err = {0};
	struct rn_transport *t = rn_stream_spawn(agent, none, &err);
	struct rn_message m;
	int r = 0;

	if (!t)
		fail(err.text);
	k->l = rn_link_create(t, RN_FRAME_MAX);
	send_frame(k, (struct rn_frame){.kind = RN_FRAME_HELLO,
					.hello = {.program = "swapper",
						  .kind = "coordinator",
						  .name = "node",
						  .asker = "mallory@elsewhere",
						  .place = "elsewhere"}});
	while (!k->over) {
		struct pollfd p[2];
		int fd[2];
		short events[2];
		unsigned n = rn_link_polls(k->l, fd, events);

		for (unsigned i = 0; i < n; i++)
			p[i] = (struct pollfd){.fd = fd[i], .events = events[i]};
		if (poll(p, n, PATIENCE_MS) == 0)
			fail("nothing comes");
		while (!k->over && (r = rn_link_next(k->l, &m, &err)) > 0)
			take(k, &m);
		if (r < 0 || rn_link_pump(k->l, &err) < 0)
			fail(err.text);
	}
	rn_link_destroy(k->l);
}

static void add(struct swap *v, unsigned *n, char *text)
{
	char *eq = strchr(text, '=');

	if (!eq || *n == MOST)
		fail("not FROM=TO, or too many");
	*eq = 0;
	v[(*n)++] = (struct swap){text, eq + 1};
}

/* The key as the bytes that it has in memory. */
static int print_keyed(char **file)
{
	static char bytes[1 << 20];
	struct rn_policy p;
	struct rn_err err = {0};
	uint64_t key[2];

	if (rn_policy_load(&p, &err) || rn_policy_hash_key(&p, key, &err))
		fail(err.text);
	for (; *file; file++) {
		FILE *f = fopen(*file, "re");
		size_t n = f ? fread(bytes, 1, sizeof(bytes), f) : 0;
		const rn_sip_word word[] = {XXH64(bytes, n, 0), n, 16ULL << 56};

		if (!f || !n || fclose(f))
			fail(*file);
		for (unsigned i = 0; i < sizeof(key); i++)
			printf("%02x", ((unsigned char *)key)[i]);
		printf(" 0x%016llx\n", (unsigned long long)rn_siphash(key[0], key[1], word, 3));
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct asker k = {.a = rn_arena_create(256 << 20)};
	bool keyed = false;
	int c;

	while ((c = getopt(argc, argv, "s:a:nrc:k")) != -1) {
		switch (c) {
		case 's': add(k.field, &k.nfields, optarg); break;
		case 'a': add(k.agg, &k.naggs, optarg); break;
		case 'n': k.opts.no_kernel = true; break;
		case 'r': k.opts.no_pushdown = true; break;
		case 'k': keyed = true; break;
		case 'c': k.command = optarg; break;
		default: return 2;
		}
	}
	if (keyed)
		return print_keyed(argv + optind);
	if (argc - optind != 2)
		fail("swapper [OPTION]... AGENT QUERY");
	plan(&k, argv[optind + 1]);
	talk(&k, argv[optind]);
	return 0;
}
