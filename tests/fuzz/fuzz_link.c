/* fuzz_link.c - libFuzzer target of what comes over a link. An even first byte: the rest is chunks,
 * each behind its length in two bytes, for a link that has never heard of the sender. An odd one:
 * the rest is messages for a coordinator that has put a query to this node. Each stands behind a
 * byte (1 data lane, 2 of the query) and its length in two. The coordinator may give up the node,
 * and must end the query all the same. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "exec/wire/codec.h"
#include "exec/fleet/fleet_impl.h"
#include "planner/agg/state.h"
#include "lang/resolve/names.h"
#include "lang/resolve/resolve.h"
#include "lang/base/limits.h"
#include "lang/syntax/parse.h"
#include "tests/support/fake_catalog.h"
#include "tests/support/fake_wire.h"
#include "lang/base/clock.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const uint8_t *piece(const uint8_t **at, const uint8_t *end, size_t *n)
{
	const uint8_t *p = *at;

	if (end - p < 2)
		return NULL;
	*n = p[0] | (size_t)p[1] << 8;
	p += 2;
	if (*n > (size_t)(end - p))
		*n = (size_t)(end - p);
	*at = p + *n;
	return p;
}

static void chunks(const uint8_t *data, size_t size)
{
	struct rn_wire w = {0};
	struct rn_link *l = rn_link_create(rn_wire_end(&w, 0), 1 << 20);
	struct rn_transport *t = rn_wire_end(&w, 1);
	struct rn_err err = {0};
	struct rn_message m;
	const uint8_t *end = data + size, *p;
	size_t n, sum = 0;
	int r;

	while ((p = piece(&data, end, &n)))
		t->ops->send(t, p, n, &err);
	while ((r = rn_link_next(l, &m, &err)) > 0)
		for (size_t i = 0; i < m.n; i++)
			sum += m.bytes[i];
	if (r < 0 && !err.text[0])
		abort();
	t->ops->close(t);
	rn_link_destroy(l);
	rn_wire_clear(&w);
	(void)sum;
}

struct node {
	struct rn_wire w;
	struct rn_link *l;
	uint32_t query;
	const uint8_t *at, *end;
};

static void say(struct node *p, uint32_t query, struct rn_frame f)
{
	unsigned char *buf = NULL;
	size_t n = 0, cap = 0;

	f.node = "n";
	if (rn_frame_encode(&f, NULL, 0, 0, &buf, &n, &cap))
		abort();
	rn_link_send(p->l, RN_LANE_CONTROL, query, buf + 4, n - 4);
	free(buf);
}

static void misbehave(struct node *p)
{
	const uint8_t *from;
	size_t n;

	while (p->at < p->end) {
		uint8_t how = *p->at++;

		if ((from = piece(&p->at, p->end, &n)))
			rn_link_send(p->l, how & 1 ? RN_LANE_DATA : RN_LANE_CONTROL,
				     how & 2 ? p->query : 0, from, n);
	}
}

static void hear(void *self)
{
	struct node *p = self;
	struct rn_err err = {0};
	struct rn_message m;

	while (rn_link_next(p->l, &m, &err) > 0) {
		struct rn_arena *a = rn_arena_create(1 << 20);
		struct rn_frame in;

		if (rn_frame_decode(a, m.bytes, m.n, NULL, 0, 0, &in, &err))
			abort();
		if (in.kind == RN_FRAME_HELLO)
			say(p, 0,
			    (struct rn_frame){
				    .kind = RN_FRAME_HELLO,
				    .hello = {.program = "",
					      .kind = p->at < p->end && *p->at & 4 ? "relay"
										   : "agent",
					      .name = "",
					      .asker = "",
					      .place = p->at < p->end && *p->at & 8 ? "c x"
										    : "b x"}});
		if (in.kind == RN_FRAME_PING)
			say(p, 0,
			    (struct rn_frame){
				    .kind = RN_FRAME_PONG, .sent_ns = in.sent_ns, .node_ns = 7});
		if (in.kind == RN_FRAME_FRAGMENT)
			say(p, p->query = m.query,
			    (struct rn_frame){.kind = RN_FRAME_ACCEPTED, .nodes = 1});
		if (in.kind == RN_FRAME_START) {
			say(p, m.query, (struct rn_frame){.kind = RN_FRAME_STARTED, .node_ns = 1});
			misbehave(p);
		}
		if (in.kind == RN_FRAME_STOP)
			p->w.cut = true;
		rn_arena_destroy(a);
	}
	rn_link_pump(p->l, &err);
}

static struct rn_transport *dial(void *self, const struct rn_host_entry *h, struct rn_err *err)
{
	struct node *p = self;

	(void)h;
	if (p->l) {
		rn_err_set(err, -5, "gone");
		return NULL;
	}
	p->l = rn_link_create(rn_wire_end(&p->w, 1), RN_FRAME_MAX);
	p->w.turn = hear;
	p->w.self = p;
	return rn_wire_end(&p->w, 0);
}

static int take_rows(void *self, const struct rn_rows *r)
{
	(void)self;
	for (size_t i = 0; i < (size_t)r->nrows * r->ncols; i++)
		if (r->values[i].kind == RN_STR && r->values[i].len && !r->values[i].s)
			abort();
	return 0;
}

static int take_partials(void *self, const struct rn_partials *p)
{
	(void)self;
	return p->window_ns % 1000000000 ? abort(), 0 : 0;
}

static void each(void *self, const struct rn_ledger *l)
{
	(void)self;
	for (const char *s = l->why ? l->why : ""; *s; s++)
		if ((unsigned char)*s < ' ')
			abort();
}

static struct rn_plan *plan(struct rn_arena *a, const char *text)
{
	struct rn_diag *d = rn_diag_new(a);
	struct rn_names names = {.catalog = rn_fake_catalog()};
	struct rn_ast_query *q =
		rn_parse(a, d, rn_diag_source(d, "query", text, strlen(text)))->stmts->query;

	return rn_resolve(a, d, q, &names)
		       ? rn_plan_query(a, d, q, &names, &(struct rn_plan_opts){0})
		       : NULL;
}

static void session(const uint8_t *data, size_t n, bool rows)
{
	static const int64_t hour = 3600000000000, second = 1000000000;
	struct rn_arena *a = rn_arena_create(RN_ARENA_CAP);
	struct rn_plan *p =
		plan(a, rows ? "time, proc, bytes, peer of io"
			     : "count, sum(bytes), set(proc) of io by proc, pid every 1s");
	struct node node = {.at = data, .end = data + n};
	struct rn_host_entry e = {.name = "n", .kind = RN_HOST_EXEC, .command = ""};
	struct rn_hosts hosts = {.path = "h", .entries = &e, .n = 1};
	struct rn_fleet *f = rn_fleet_create(&(struct rn_fleet_opts){
		.hosts = &hosts,
		.program = "",
		.asker = "",
		.place = "b x",
		.lease_ns = hour,
		.base_ns = 3 * second - rn_mono_ns() /* it is three seconds past the epoch */,
		.late_ns = hour,
		.dial = dial,
		.dial_self = &node});
	struct rn_sink sink = {.rows = take_rows, .partials = take_partials};
	struct rn_fleet_status status;
	struct rn_err err = {0};
	bool started;

	node.w.ready_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (!p || rn_fleet_open(f, &p->frag, NULL, &sink, &err))
		abort();
	/* else it was given up at once, and the answer says so */
	started = !rn_fleet_start(f, &err);
	for (int i = 0; started && i < 3; i++) {
		rn_fleet_step(f, 0, &err);
		rn_fleet_watermark(f);
		rn_fleet_status(f, &status);
	}
	if (started)
		rn_fleet_finish(f, each, NULL, &err);
	else if (!err.text[0])
		abort();
	rn_fleet_destroy(f);
	rn_link_destroy(node.l);
	rn_wire_clear(&node.w);
	close(node.w.ready_fd);
	rn_arena_destroy(a);
}

#ifndef SEEDS
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (n && data[0] & 1)
		session(data + 1, n - 1, data[0] & 2);
	else if (n)
		chunks(data + 1, n - 1);
	return 0;
}
#else
/* Compiled as a program of its own (-DSEEDS) it writes the seed corpus, what a node says of such a
 * query: see seeds.sh. */
enum { DATA = 1, OF_QUERY = 2, RELAY = 4, FAR = 8 };

static void put(FILE *to, int how, struct rn_frame f, const struct rn_fragment *g)
{
	unsigned char *buf = NULL;
	size_t n = 0, cap = 0;

	f.node = "n";
	if (rn_frame_encode(&f, g->aggs, g->naggs, g->nkeys, &buf, &n, &cap))
		abort();
	fputc(how, to);
	fputc((int)(n - 4) & 255, to);
	fputc((int)(n - 4) >> 8, to);
	fwrite(buf + 4, 1, n - 4, to);
	free(buf);
}

static void put_rows(FILE *to, const struct rn_fragment *g, bool shaped)
{
	struct rn_value v[16] = {{0}};
	int64_t time_ns[2] = {1, 2};

	for (unsigned i = 0; i < 16; i++) {
		const struct rn_field *f = g->nfields ? g->fields[i % g->nfields] : NULL;

		v[i] = !shaped || (f && f->ty.type == RN_T_INT)
			       ? rn_int(i)
			       : rn_strn("abc", f && f->ty.type == RN_T_IP ? 0 : 3);
	}
	put(to, DATA | OF_QUERY,
	    (struct rn_frame){
		    .kind = RN_FRAME_ROWS,
		    .rows = {.nrows = 2, .ncols = g->nfields, .values = v, .time_ns = time_ns}},
	    g);
}

static void put_partials(FILE *to, const struct rn_fragment *g, int64_t window_ns, uint32_t peek)
{
	struct rn_value key[2] = {rn_strn("java", 4), rn_int(3)}, text = rn_strn("java", 4),
			number = rn_int(5);
	struct rn_state state[8] = {{0}};
	struct rn_partial p = {.key = key, .events = 2, .state = state};

	for (unsigned i = 0; i < g->naggs; i++)
		rn_state_update(&g->aggs[i], &state[i],
				g->aggs[i].arg && g->aggs[i].arg->ty.type == RN_T_STR ? &text
										      : &number,
				1, true);
	put(to, DATA | OF_QUERY,
	    (struct rn_frame){.kind = RN_FRAME_PARTIALS,
			      .peek = peek,
			      .partials = {.window_ns = window_ns, .n = 1, .parts = &p}},
	    g);
	for (unsigned i = 0; i < g->naggs; i++)
		rn_state_free(&g->aggs[i], &state[i]);
}

/* The i-th of what is not due, or says that something is wrong. */
static void put_control(FILE *to, int i, const struct rn_fragment *g)
{
	struct rn_round_trip trip = {
		.node = "a", .through = "n", .sent_ns = 1, .node_ns = 2, .received_ns = 3};

	switch (i) {
	case 0:
		put(to, FAR, (struct rn_frame){.kind = RN_FRAME_PONG, .sent_ns = 1, .node_ns = 2},
		    g);
		break;
	case 1:
		put(to, OF_QUERY, (struct rn_frame){.kind = RN_FRAME_STARTED, .node_ns = 5}, g);
		break;
	case 2: put(to, OF_QUERY, (struct rn_frame){.kind = RN_FRAME_TRIP, .trip = trip}, g); break;
	case 3:
		put(to, OF_QUERY | RELAY, (struct rn_frame){.kind = RN_FRAME_TRIP, .trip = trip},
		    g);
		break;
	case 4:
		put(to, OF_QUERY,
		    (struct rn_frame){.kind = RN_FRAME_ERROR,
				      .error = {.code = -2, .text = "none\n", .hint = "h"}},
		    g);
		break;
	case 5:
		put(to, OF_QUERY, (struct rn_frame){.kind = RN_FRAME_ACCEPTED, .nodes = 2}, g);
		break;
	case 6:
		put(to, 0,
		    (struct rn_frame){.kind = RN_FRAME_ERROR, .error = {.code = -1, .text = "no"}},
		    g);
		break;
	case 7:
		put(to, 0,
		    (struct rn_frame){.kind = RN_FRAME_HELLO,
				      .hello = {.program = "",
						.kind = "node",
						.name = "",
						.asker = "",
						.place = ""}},
		    g);
		break;
	case 8: put(to, DATA | OF_QUERY, (struct rn_frame){.kind = RN_FRAME_STOP}, g); break;
	default: put(to, 0, (struct rn_frame){.kind = RN_FRAME_STOP}, g);
	}
}

/* which: 0 what is due, 1 of a relay, 2 rows of another form or partial states of a peek, 3 an end
 * at once, from 4 on what is not due. */
static void seed(const char *dir, bool rows, int which)
{
	static const int64_t second = 1000000000;
	struct rn_arena *a = rn_arena_create(RN_ARENA_CAP);
	const struct rn_fragment *g =
		&plan(a, rows ? "time, proc, bytes, peer of io"
			      : "count, sum(bytes), set(proc) of io by proc, pid every 1s")
			 ->frag;
	struct rn_ledger l = {
		.node = "n1", .n = {1, 2, 3}, .answered = true, .why = "w\x1b", .place = "b x"};
	int relay = which == 1 ? RELAY : 0;
	char path[4096];

	snprintf(path, sizeof(path), "%s/seed_%s%02d", dir, rows ? "rows" : "groups", which);
	FILE *to = fopen(path, "w");
	if (!to)
		abort();
	fputc(rows ? 3 : 1, to);
	if (which >= 4)
		put_control(to, which - 4, g);
	else if (relay)
		put_control(to, 3, g);
	for (int i = 0; i < 3 && which < 3; i++) {
		if (rows)
			put_rows(to, g, which != 2);
		else
			put_partials(to, g, i * second, which == 2);
		put(to, DATA | OF_QUERY,
		    (struct rn_frame){.kind = RN_FRAME_WATERMARK,
				      .watermark_ns = (i + 1) * second,
				      .seen = i,
				      .answering = 2,
				      .whole = 1,
				      .in_window = 2,
				      .names = relay ? (char *)(uintptr_t) "a: gone\nb" : NULL},
		    g);
		put(to, DATA | OF_QUERY, (struct rn_frame){.kind = RN_FRAME_PEEKED, .peek = 1}, g);
	}
	for (int i = 0; i < (relay ? 3 : 1); i++)
		put(to, DATA | OF_QUERY, (struct rn_frame){.kind = RN_FRAME_LEDGER, .ledger = l},
		    g);
	put(to, DATA | OF_QUERY, (struct rn_frame){.kind = RN_FRAME_END, .seq = 9}, g);
	fclose(to);
	rn_arena_destroy(a);
}

int main(int argc, char **argv)
{
	for (int i = 0; argc == 2 && i < 28; i++)
		seed(argv[1], i % 2, i / 2);
	return argc != 2;
}
#endif
