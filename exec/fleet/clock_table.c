/* clock_table.c - the table `clocks`: what the coordinator knows of its nodes' clocks. The
 * coordinator reads it; no node runs it.
 *
 * Without a fleet there is only this machine, whose clock is the coordinator's. With a fleet, nodes
 * that no query has reached are greeted first, and each clock is read a few times more. The table
 * is one snapshot a query, or with `every` one a window. */
#include "exec/fleet/clock_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "exec/fleet/fleet.h"
#include "lang/base/clock.h"
#include "lang/base/memory.h"

struct clock_source {
	struct rn_source base;
	const struct rn_clock_table *t;
	const struct rn_fragment *fragment;
	struct rn_arena *arena;
	int64_t begin_ns, end_ns, due_ns, seen;
};

static int64_t now_ns(const struct clock_source *s)
{
	if (s->t->fleet)
		return rn_fleet_now(s->t->fleet);
	return rn_epoch_ns();
}

static const struct rn_source_ops clock_ops;

static int open_table(void *self, const struct rn_fragment *f, const struct rn_scope *scope,
		      struct rn_source **out, struct rn_err *err)
{
	struct clock_source *s = rn_calloc(1, sizeof(*s));

	(void)scope, (void)err;
	s->t = self;
	s->fragment = f;
	s->arena = rn_arena_create(64 << 20);
	s->base.ops = &clock_ops;
	*out = &s->base;
	return 0;
}

static int start(struct rn_source *source, struct rn_err *err)
{
	struct clock_source *s = (struct clock_source *)source;

	(void)err;
	s->begin_ns = s->due_ns = now_ns(s);
	return 0;
}

static struct rn_value value(const struct rn_field *field, const char *node,
			     const struct rn_clock_state *c, int64_t now)
{
	const struct {
		const char *name;
		struct rn_value v;
	} all[] = {
		{"time", rn_int(now)},
		{"node", rn_strn(node, strlen(node))},
		{"offset", rn_int(c->offset_ns)},
		{"rate", rn_float(c->rate_ppm)},
		{"bound", rn_int(c->bound_ns)},
		{"trips", rn_int((int64_t)c->trips)},
		{"messages", rn_int((int64_t)c->messages)},
		{"violations", rn_int((int64_t)c->violations)},
	};

	for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!strcmp(all[i].name, field->name))
			return all[i].v;
	return rn_null();
}

static int give(struct clock_source *s, const char *node, const struct rn_clock_state *c,
		const struct rn_sink *sink)
{
	int64_t now = now_ns(s);
	struct rn_value *v = RN_NEWN(s->arena, struct rn_value, s->fragment->nfields + 1);

	for (unsigned i = 0; i < s->fragment->nfields; i++)
		v[i] = value(s->fragment->fields[i], node, c, now);
	s->seen++;
	return sink->rows(sink->self, &(struct rn_rows){.nrows = 1,
							.ncols = s->fragment->nfields,
							.values = v,
							.time_ns = &now});
}

static int snapshot(struct clock_source *s, const struct rn_sink *sink)
{
	struct rn_fleet *fleet = s->t->fleet;
	struct rn_clock_state c = {0};
	int r = 0;

	rn_arena_reset(s->arena);
	if (!fleet)
		return give(s, s->t->node, &c, sink);
	rn_fleet_read_clocks(fleet, s->t->nodes);
	for (unsigned i = 0; i < rn_clocks_count(rn_fleet_clocks(fleet)) && r >= 0; i++) {
		const char *node = rn_clocks_name(rn_fleet_clocks(fleet), i);

		rn_clocks_state(rn_fleet_clocks(fleet), i, &c);
		if (rn_fleet_chosen(fleet, i, s->t->nodes))
			r = give(s, node, &c, sink);
	}
	return r;
}

static int poll_table(struct rn_source *source, const struct rn_sink *sink, int timeout_ms,
		      struct rn_err *err)
{
	struct clock_source *s = (struct clock_source *)source;
	int64_t now = now_ns(s), every = s->fragment->every_ns;
	int r;

	(void)err;
	if (s->due_ns > now) {
		if (timeout_ms > 0)
			usleep((useconds_t)(timeout_ms < 100 ? timeout_ms : 100) * 1000);
		return 0;
	}
	r = snapshot(s, sink);
	if (r < 0)
		return r;
	s->due_ns = every ? (now / every + 1) * every : INT64_MAX;
	return every ? 0 : 1;
}

static int deliver_window(struct rn_source *source, const struct rn_sink *sink, int64_t window_ns,
			  bool snapshot, struct rn_err *err)
{
	struct clock_source *s = (struct clock_source *)source;

	/* makes no groups itself */
	(void)s, (void)sink, (void)window_ns, (void)snapshot, (void)err;
	return 0;
}

static int stop(struct rn_source *source, struct rn_err *err)
{
	struct clock_source *s = (struct clock_source *)source;

	(void)err;
	s->end_ns = now_ns(s);
	return 0;
}

static int64_t complete_until(struct rn_source *source)
{
	struct clock_source *s = (struct clock_source *)source;

	return s->due_ns > s->begin_ns ? s->due_ns : INT64_MIN;
}

static void ledger(struct rn_source *source, struct rn_ledger *l)
{
	struct clock_source *s = (struct clock_source *)source;

	*l = (struct rn_ledger){
		.node = s->t->node, .begin_ns = s->begin_ns, .end_ns = s->end_ns, .answered = true};
	l->n[RN_L_SEEN] = l->n[RN_L_MATCHED] = s->seen;
}

static void close_table(struct rn_source *source)
{
	struct clock_source *s = (struct clock_source *)source;

	rn_arena_destroy(s->arena);
	free(s);
}

static const struct rn_source_ops clock_ops = {
	.start = start,
	.poll = poll_table,
	.deliver_window = deliver_window,
	.stop = stop,
	.ledger = ledger,
	.close = close_table,
	.complete_until = complete_until,
};
const struct rn_provider_ops rn_clock_table_ops = {
	.open = open_table,
};
