/* fuzz_link.c - libFuzzer target of what comes over a link. An even first byte: the rest is chunks, each behind its length in two bytes, for
 * a link that has never heard of the sender. An odd one: it is messages for a coordinator that has put a query to this node, each behind a
 * byte (1 data lane, 2 of the query) and its length in two; the coordinator may give up the node, and must then end the query all the same. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "exec/codec.h"
#include "exec/fleet.h"
#include "lang/parse.h"
#include "tests/fake_catalog.h"
#include "tests/fake_wire.h"

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

struct node { struct rn_wire w; struct rn_link *l; uint32_t query; const uint8_t *at, *end; };

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
			rn_link_send(p->l, how & 1 ? RN_LANE_DATA : RN_LANE_CONTROL, how & 2 ? p->query : 0, from, n);
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
			say(p, 0, (struct rn_frame){.kind = RN_FRAME_HELLO, .hello = {.program = "", .kind = p->at < p->end && *p->at & 4 ? "relay" : "agent", .name = "", .asker = "", .place = "b x"}});
		if (in.kind == RN_FRAME_FRAGMENT)
			say(p, p->query = m.query, (struct rn_frame){.kind = RN_FRAME_ACCEPTED, .nodes = 1});
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
		if (r->v[i].kind == RN_STR && r->v[i].len && !r->v[i].s)
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
	struct rn_ast_query *q = rn_parse(a, d, rn_diag_source(d, "query", text, strlen(text)))->stmts->query;

	return rn_resolve(a, d, q, &names) ? rn_plan_query(a, d, q, &names, &(struct rn_plan_opts){0}) : NULL;
}

static void session(const uint8_t *data, size_t n, bool rows)
{
	static const int64_t hour = 3600000000000;
	struct rn_arena *a = rn_arena_create(RN_ARENA_CAP);
	struct rn_plan *p = plan(a, rows ? "time, proc, bytes, peer of io" : "count, sum(bytes), set(proc) of io by proc, pid every 1s");
	struct node node = {.at = data, .end = data + n};
	struct rn_host_entry e = {.name = "n", .kind = RN_HOST_EXEC, .command = ""};
	struct rn_hosts hosts = {.path = "h", .e = &e, .n = 1};
	struct rn_fleet *f = rn_fleet_create(&(struct rn_fleet_opts){.hosts = &hosts, .program = "", .asker = "", .place = "b x", .lease_ns = hour,
								     .late_ns = hour, .dial = dial, .dial_self = &node});
	struct rn_sink sink = {.rows = take_rows, .partials = take_partials};
	struct rn_fleet_status status;
	struct rn_err err = {0};
	bool started;

	node.w.ready_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (!p || rn_fleet_open(f, &p->frag, NULL, &sink, NULL, NULL, &err))
		abort();
	started = !rn_fleet_start(f, &err); /* else it was given up at once, and the answer says so */
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (n && data[0] & 1)
		session(data + 1, n - 1, data[0] & 2);
	else if (n)
		chunks(data + 1, n - 1);
	return 0;
}
