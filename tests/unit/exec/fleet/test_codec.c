/* test_codec.c - frames: what goes in comes out, fragments of real queries keep their meaning,
 * hostile bytes are refused. */
#include "tests/unit/exec/fleet/frames.h"

static void round_trip(const struct rn_frame *in, struct rn_frame *out,
		       const struct rn_agg_call *aggs, unsigned naggs, unsigned nkeys)
{
	struct bytes b = {0};
	struct rn_err err = {0};

	assert_int_equal(encode(&b, in, aggs, naggs, nkeys), 0);
	if (decode(&b, out, aggs, naggs, nkeys, &err))
		fail_msg("%s", err.text);
	assert_int_equal(out->kind, in->kind);
	free(b.p);
}

static void small_frames(void **state)
{
	struct rn_frame in = {.kind = RN_FRAME_LEDGER, .node = "node1", .seq = 1ULL << 60}, out;

	(void)state;
	in.ledger = (struct rn_ledger){
		.node = "node1", .begin_ns = -5, .end_ns = INT64_MAX, .answered = true};
	for (int i = 0; i < RN_L_COUNT; i++)
		in.ledger.n[i] = (int64_t)i << 40;
	round_trip(&in, &out, NULL, 0, 0);
	assert_string_equal(out.node, "node1");
	assert_true(out.seq == 1ULL << 60);
	assert_memory_equal(out.ledger.n, in.ledger.n, sizeof(in.ledger.n));
	assert_true(out.ledger.begin_ns == -5 && out.ledger.end_ns == INT64_MAX &&
		    out.ledger.answered && !out.ledger.why);
	assert_string_equal(out.ledger.node, "node1");
	in = (struct rn_frame){.kind = RN_FRAME_WATERMARK,
			       .node = "n",
			       .watermark_ns = -77,
			       .ledger.n = {[RN_L_SEEN] = 5, [RN_L_SHED] = 1LL << 50},
			       .in_window = 3,
			       .names = (char[]){"a (gone), b"}};
	round_trip(&in, &out, NULL, 0, 0);
	assert_true(out.watermark_ns == -77 && out.in_window == 3);
	assert_string_equal(out.names, "a (gone), b");
	in = (struct rn_frame){.kind = RN_FRAME_ACCEPTED, .nodes = 7, .names = (char[]){"a, b"}};
	round_trip(&in, &out, NULL, 0, 0);
	assert_true(out.nodes == 7);
	assert_string_equal(out.names, "a, b");
	in.names = NULL;
	round_trip(&in, &out, NULL, 0, 0);
	assert_null(out.names);
	in = (struct rn_frame){.kind = RN_FRAME_WATERMARK,
			       .node = "n",
			       .watermark_ns = -77,
			       .ledger.n = {[RN_L_SEEN] = 5, [RN_L_SHED] = 1LL << 50},
			       .in_window = 3};
	round_trip(&in, &out, NULL, 0, 0);
	assert_null(out.names);
	assert_memory_equal(out.ledger.n, in.ledger.n, sizeof(in.ledger.n));
	in = (struct rn_frame){.kind = RN_FRAME_TRIP, .trip = {"n1", "r2", -1, 2, 1LL << 60, -5}};
	round_trip(&in, &out, NULL, 0, 0);
	assert_string_equal(out.trip.node, "n1");
	assert_string_equal(out.trip.through, "r2");
	assert_true(out.trip.sent_ns == -1 && out.trip.node_ns == 2 &&
		    out.trip.received_ns == 1LL << 60 && out.trip.shift_ns == -5);
}

static void errors_know_their_place(void **state)
{
	struct rn_frame in, out;

	(void)state;
	in = (struct rn_frame){
		.kind = RN_FRAME_ERROR,
		.error = {.code = -EPERM, .text = "no", .hint = "ask", .span = {3, 70000, 2}}};
	round_trip(&in, &out, NULL, 0, 0);
	assert_int_equal(out.error.code, -EPERM);
	assert_string_equal(out.error.text, "no");
	assert_string_equal(out.error.hint, "ask");
	assert_true(out.error.span.start == 3 && out.error.span.end == 70000 &&
		    out.error.span.src == 2);
}

static struct rn_value random_value(const struct rn_value *before)
{
	static char text[4][200];
	int which = rand() % 4;

	switch (rand() % 9) {
	case 0: return rand() & 1 ? rn_null() : rn_unknown();
	case 1: return rn_bool(rand() & 1);
	case 2: return rn_int(rand() % 64 - 8);
	case 3: return rn_int(((int64_t)rand() << 32 | rand()) * (rand() & 1 ? -1 : 1));
	case 4: return rn_float(rand() / 7.0);
	case 5: return rn_int(rand() & 1 ? INT64_MIN : INT64_MAX);
	case 6:
	case 7:
		memset(text[which], 'a' + which, sizeof(text[which]));
		return rn_strn(text[which], (size_t)(rand() % (rand() & 1 ? 40 : 200)));
	default:
		return before ? (before->kind == RN_INT
					 ? rn_int((int64_t)((uint64_t)before->i + 1000))
					 : *before)
			      : rn_int(5);
	}
}

static void assert_same(const struct rn_value *a, const struct rn_value *b)
{
	assert_int_equal(a->kind, b->kind);
	if (a->kind == RN_STR) {
		assert_int_equal(a->len, b->len);
		if (a->len)
			assert_memory_equal(a->s, b->s, a->len);
	} else {
		assert_true(a->kind == RN_NULL ? rn_is_unknown(a) == rn_is_unknown(b)
					       : a->i == b->i);
	}
}

static void rows_of_every_kind(void **state)
{
	enum { ROWS = 300, COLS = 5 };
	static struct rn_value v[ROWS * COLS];
	static int64_t time_ns[ROWS];
	struct rn_frame in = {.kind = RN_FRAME_ROWS,
			      .rows = {.nrows = ROWS,
				       .ncols = COLS,
				       .values = v,
				       .time_ns = time_ns}},
			out;

	(void)state;
	for (int i = 0; i < ROWS; i++) {
		time_ns[i] = i % 50 ? 1700000000000000000 + (int64_t)rand() * 1000 : INT64_MIN + i;
		for (int c = 0; c < COLS; c++)
			v[i * COLS + c] = random_value(i ? &v[(i - 1) * COLS + c] : NULL);
	}
	round_trip(&in, &out, NULL, 0, 0);
	assert_int_equal(out.rows.nrows, ROWS);
	assert_int_equal(out.rows.ncols, COLS);
	assert_memory_equal(out.rows.time_ns, time_ns, sizeof(time_ns));
	for (int i = 0; i < ROWS * COLS; i++)
		assert_same(&v[i], &out.rows.values[i]);
	in.rows.ncols = 0; /* `count` at the coordinator: rows of nothing but their times */
	round_trip(&in, &out, NULL, 0, 0);
	assert_int_equal(out.rows.nrows, ROWS);
	in.rows.nrows = 0;
	round_trip(&in, &out, NULL, 0, 0);
	assert_int_equal(out.rows.nrows, 0);
}

/* Like events: a few names, times near one another. Not a byte count to the byte, but a bound on
 * carelessness. */
static void rows_are_compact(void **state)
{
	enum { ROWS = 10000, COLS = 4 };
	struct rn_value *v = malloc(ROWS * COLS * sizeof(*v));
	int64_t *time_ns = malloc(ROWS * sizeof(*time_ns));
	struct rn_frame in = {
		.kind = RN_FRAME_ROWS,
		.rows = {.nrows = ROWS, .ncols = COLS, .values = v, .time_ns = time_ns}};
	struct bytes b = {0};

	(void)state;
	for (int i = 0; i < ROWS; i++) {
		time_ns[i] = 1700000000000000000 + (int64_t)i * 900;
		v[i * COLS] = rn_int(time_ns[i]);
		v[i * COLS + 1] = rn_strn("postgres", 8);
		v[i * COLS + 2] = rn_strn(i % 10 ? "read" : "write", i % 10 ? 4 : 5);
		v[i * COLS + 3] = rn_int(4096);
	}
	assert_int_equal(encode(&b, &in, NULL, 0, 0), 0);
	assert_true(b.len < ROWS * 12);
	free(b.p);
	free(v);
	free(time_ns);
}

static char *finish(const struct rn_agg_call *c, const struct rn_state *s)
{
	struct rn_finish_ctx f = {.window_ns = 1000000000};
	struct rn_value v = c->def->finish(c, s, &f, arena);

	if (v.kind == RN_STR)
		return rn_arena_strndup(arena, v.s, v.len);
	if (v.kind == RN_FLOAT)
		return rn_arena_printf(arena, "%a", v.f);
	return v.kind == RN_NULL ? rn_arena_strdup(arena, "NULL")
				 : rn_arena_printf(arena, "%lld", (long long)v.i);
}

/* Three groups, the last (other), with every aggregate in various states: untouched, few events,
 * many. */
struct groups {
	struct rn_agg_call call[64];
	unsigned n;
	struct rn_expr arg;
	struct rn_partial p[3];
	struct rn_state s[3][64];
	struct rn_value key[3][2];
};

static void groups_init(struct groups *g, bool text)
{
	memset(g, 0, sizeof(*g));
	g->arg = (struct rn_expr){.kind = RN_E_FIELD, .ty = {text ? RN_T_STR : RN_T_INT, 0}};
	for (unsigned i = 0; rn_aggs[i]; i++) {
		struct rn_agg_call *c;

		if (text && rn_aggs[i]->sig.arg > RN_ARG_ANY)
			continue;
		c = &g->call[g->n++];
		*c = (struct rn_agg_call){.def = rn_aggs[i],
					  .arg = rn_aggs[i]->sig.arg == RN_ARG_NONE ? NULL
										    : &g->arg};
		c->param[0] = c->def->cell == RN_CELL_LINEAR ? 10 : c->def->preset;
		c->param[1] = 1000;
		c->param[2] = 10;
	}
	for (unsigned k = 0; k < 3; k++) {
		g->key[k][0] = rn_strn("/var/lib/a", 9 + k % 2);
		g->key[k][1] = rn_int(k);
		g->p[k] = (struct rn_partial){.key = g->key[k],
					      .events = 1 + k * 20000,
					      .state = g->s[k],
					      .other = k == 2};
		for (unsigned i = 0; i < g->n; i++)
			for (unsigned e = 0; e < k * 20000; e++) {
				char s[24];
				struct rn_value v = rn_int(rand() % 100000 - 100);

				if (text)
					v = rn_strn(s, (size_t)snprintf(s, sizeof(s), "value %lld",
									(long long)v.i));
				rn_state_update(&g->call[i], &g->s[k][i], &v, rand(), e == 0);
			}
	}
}

static void groups_free(struct groups *g)
{
	for (unsigned k = 0; k < 3; k++)
		for (unsigned i = 0; i < g->n; i++)
			rn_state_free(&g->call[i], &g->s[k][i]);
}

static void partials_of_every_aggregate(void **state)
{
	static struct groups g;

	(void)state;
	for (int text = 0; text < 2; text++) {
		struct rn_frame in, out;

		groups_init(&g, text);
		in = (struct rn_frame){.kind = RN_FRAME_PARTIALS,
				       .partials = {.window_ns = -1000, .n = 3, .parts = g.p}};
		round_trip(&in, &out, g.call, g.n, 2);
		assert_int_equal(out.partials.window_ns, -1000);
		assert_int_equal(out.partials.n, 3);
		for (unsigned k = 0; k < 3; k++) {
			assert_int_equal(out.partials.parts[k].events, g.p[k].events);
			assert_int_equal(out.partials.parts[k].other, g.p[k].other);
			for (unsigned i = 0; i < 2 && k < 2; i++)
				assert_same(&out.partials.parts[k].key[i], &g.key[k][i]);
			for (unsigned i = 0; i < g.n; i++)
				assert_string_equal(
					finish(&g.call[i], &out.partials.parts[k].state[i]),
					finish(&g.call[i], &g.s[k][i]));
		}
		rn_frame_release(&out, g.call, g.n);
		rn_frame_release(&out, g.call, g.n); /* harmless */
		groups_free(&g);
	}
}

static const char *const queries[] = {
	"count of syscall by proc, name",
	"count, sum(bytes), p99(latency) of read where file ~ \"/var/lib/*\" by proc every 1s",
	"time, proc, file, bytes of io where bytes > 4KiB and error != ENOENT limit 20",
	"events of open where error = ENOENT",
	"hist(latency), lhist(bytes, 0, 64KiB, 4KiB), quantile(latency, 0.75), set(proc), "
	"top(name, 5), first(file), rate(bytes) of io",
	"distinct(file), avg(latency), stddev(latency) of io by bucket(bytes, 4KiB), len(file)",
	"count, last(user) of between (events of sched_wakeup where pid > 1 and proc ~ \"j*\") and "
	"sched_switch on pid = next_pid where latency > 1ms by proc, next_comm",
	"count of read where proc in (java, postgres, \"x y\") and pid in (1, 2, 3) and bytes "
	"between 1 and 100 by lower(proc)",
	"count of read where file =~ \"^/(etc|usr)/\" or not (bytes / 2 = 3) by file",
	"count of io where tid = pid and -ret < 10 by uid",
	"sum(bytes) of send where peer = \"10.0.0.1\" or cidr(peer, \"10.0.0.0/8\") by peer, "
	"port(peer)",
	"count of tag fix283, ulr821 by proc, tags",
	"events of tag x\"00ff0001\", \"a, \\\"b\\\"\", \"gr\xc3\xbc\xc3\x9f\"",
	"count of tracepoint \"sched:sched_switch\"",
	"data, similar(data, x\"0011223344556677\"), similar(\"some text\", sketch) of write where "
	"data = x\"00ff\"",
	"events of tag fix283 scan 16MiB, 500GiB/s",
	"count, sum(bytes) of read by ext(file), bytes > 4KiB, user",
	"count of read where user in (root, daemon) and not user ~ \"d*\" by proc",
	"count of read, fsync, exit, tracepoint \"sched:sched_wakeup\" by name",
	"count of read where ppid in live (pid of processes where proc = java) by pid in live (pid "
	"of "
	"exec) as began",
};

static void fragments_keep_their_meaning(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(queries) / sizeof(*queries); i++) {
		struct rn_plan *p = plan(queries[i]);
		struct rn_frame in = {.kind = RN_FRAME_FRAGMENT, .fragment = &p->frag}, out;
		const char *before = rn_dump_split(arena, p);
		struct rn_err err = {0};

		for (unsigned k = 0; k < p->frag.naggs; k++)
			p->frag.aggs[k].seed = 0xfedcba9876543210;
		round_trip(&in, &out, NULL, 0, 0);
		for (unsigned k = 0; k < p->frag.naggs; k++)
			assert_true(out.fragment->aggs[k].seed == 0xfedcba9876543210);
		if (rn_fragment_bind(arena, out.fragment, catalog(), &err))
			fail_msg("%s: %s", queries[i], err.text);
		/* the class of a pair, or of a list, is made again */
		if (!p->frag.ends && !p->frag.cls->list)
			assert_ptr_equal(out.fragment->cls, p->frag.cls);
		p->frag = *out.fragment;
		assert_string_equal(rn_dump_split(arena, p), before);
	}
}

/* Whatever happens to a frame's bytes, decoding ends, and what decodes encodes again. */
static void try_bytes(const unsigned char *p, size_t n, const struct groups *g)
{
	struct rn_arena *a = rn_arena_create(64 << 20);
	struct rn_err err = {0};
	struct rn_frame f;
	struct bytes b = {0};
	unsigned char *copy = malloc(n + 1); /* exactly as long, for the sanitizer */
	int bad;

	memcpy(copy, p, n);
	bad = rn_frame_decode(a, copy, n, g->call, g->n, 2, &f, &err);
	if (bad) {
		assert_true(bad < 0 && *err.text);
	} else {
		assert_int_equal(encode(&b, &f, g->call, g->n, 2), 0);
		if (f.kind == RN_FRAME_FRAGMENT)
			rn_fragment_bind(a, f.fragment, catalog(), &err);
		for (unsigned k = 0; f.kind == RN_FRAME_PARTIALS && k < f.partials.n; k++)
			for (unsigned i = 0; i < g->n; i++)
				g->call[i].def->finish(&g->call[i], &f.partials.parts[k].state[i],
						       &(struct rn_finish_ctx){1}, a);
	}
	rn_frame_release(&f, g->call, g->n);
	free(copy);
	free(b.p);
	rn_arena_destroy(a);
}

/* A list of which each value takes a byte in the frame: whatever the arena's cap is, it holds. */
static void what_is_decoded_keeps_to_the_cap(void **state)
{
	enum { VALUES = 20000 };
	static struct rn_expr one = {.kind = RN_E_CONST, .ty = {RN_T_INT, RN_U_NONE}},
			      *arg[VALUES + 1];
	struct rn_expr pid = {.kind = RN_E_FIELD, .name = "pid", .ty = {RN_T_INT, RN_U_NONE}};
	struct rn_expr in = {
		.kind = RN_E_IN, .ty = {RN_T_BOOL, RN_U_NONE}, .arg = arg, .narg = VALUES + 1};
	struct rn_conjunct w = {.expr = &in, .place = RN_AT_NODE, .reason = ""};
	struct rn_fragment f = {
		.class_name = "read", .limit = -1, .sample = 1, .where = &w, .nwhere = 1};
	struct rn_frame frame = {.kind = RN_FRAME_FRAGMENT, .node = "n", .fragment = &f}, out;
	struct bytes b = {0};
	size_t cap = 64, enough = 0;

	(void)state;
	one.value = rn_int(7);
	arg[0] = &pid;
	for (unsigned i = 1; i <= VALUES; i++)
		arg[i] = &one;
	assert_int_equal(encode(&b, &frame, NULL, 0, 0), 0);
	assert_true(b.len < VALUES + 1000);
	assert_int_equal(rn_frame_kind(b.p + 4, b.len - 4), RN_FRAME_FRAGMENT);
	for (; !enough && cap < 1 << 30; cap += cap / 4) {
		struct rn_arena *a = rn_arena_create(cap);
		struct rn_err err = {0};
		int r = rn_frame_decode(a, b.p + 4, b.len - 4, NULL, 0, 0, &out, &err);

		assert_false(rn_arena_full(a));
		if (r)
			assert_int_equal(r, -EDQUOT);
		else
			enough = cap;
		rn_arena_destroy(a);
	}
	assert_true(enough > VALUES * sizeof(struct rn_expr) &&
		    enough < 2 * VALUES * (sizeof(struct rn_expr) + 16));
	free(b.p);
}

/* Each kind goes over the wire and back, and can be read off without decoding. */
static void every_kind_has_its_row(void **state)
{
	struct rn_expr pid = {.kind = RN_E_FIELD, .name = "pid", .ty = {RN_T_INT, RN_U_NONE}};
	struct rn_column col = {.label = "pid", .expr = &pid, .ty = pid.ty};
	struct rn_fragment f = {
		.class_name = "read", .limit = -1, .sample = 1, .cols = &col, .ncols = 1};

	(void)state;
	for (enum rn_frame_kind k = 0; k < RN_FRAME_COUNT; k++) {
		struct rn_frame in = {.kind = k, .node = "n", .fragment = &f}, out;
		struct bytes b = {0};

		if (encode(&b, &in, NULL, 0, 0))
			fail_msg("kind %d has no row in exec/wire/frames.c", k);
		assert_int_equal(rn_frame_kind(b.p + 4, b.len - 4), k);
		round_trip(&in, &out, NULL, 0, 0);
		free(b.p);
	}
}

/* Each body of wire.proto belongs to a kind of its own. */
static void every_body_has_its_row(void **state)
{
	const ProtobufCMessageDescriptor *frame = &rn__wire__frame__descriptor;
	unsigned bodies = 0;
	bool had[RN_FRAME_COUNT] = {0};

	(void)state;
	for (unsigned i = 0; i < frame->n_fields; i++) {
		unsigned tag = frame->fields[i].id << 3 | 2;
		unsigned char b[] = {(unsigned char)(tag | 0x80), (unsigned char)(tag >> 7), 0};
		int kind;

		if (frame->fields[i].type != PROTOBUF_C_TYPE_MESSAGE)
			continue;
		kind = rn_frame_kind(b, sizeof(b));
		if (kind < 0)
			fail_msg("%s has no row in exec/wire/frames.c", frame->fields[i].name);
		assert_false(had[kind]);
		had[kind] = true;
		bodies++;
	}
	assert_int_equal(bodies, RN_FRAME_COUNT);
}

/* What must not overtake rows, or be overtaken by them. */
static void the_answer_stays_in_order(void **state)
{
	static const bool in_order[RN_FRAME_COUNT] = {
		[RN_FRAME_ROWS] = true,      [RN_FRAME_PARTIALS] = true, [RN_FRAME_LEDGER] = true,
		[RN_FRAME_WATERMARK] = true, [RN_FRAME_PEEKED] = true,   [RN_FRAME_END] = true};

	(void)state;
	for (enum rn_frame_kind k = 0; k < RN_FRAME_COUNT; k++)
		assert_int_equal(rn_frame_in_order(k), in_order[k]);
}

static void nonsense_has_no_kind(void **state)
{
	static const unsigned char cut[] = {0x5a, 0x7f, 1}, group[] = {0x5b},
				   long_varint[] = {0xff, 0xff, 0xff};

	(void)state;
	assert_int_equal(rn_frame_kind(NULL, 0), -1);
	assert_int_equal(rn_frame_kind(cut, sizeof(cut)), -1);
	assert_int_equal(rn_frame_kind(group, sizeof(group)), -1);
	assert_int_equal(rn_frame_kind(long_varint, sizeof(long_varint)), -1);
}

static void spoilt_frames_do_no_harm(void **state)
{
	static struct groups g;
	struct rn_value v[8];
	int64_t time_ns[4] = {5, 6, 7, 8};
	struct rn_frame frames[4];

	(void)state;
	groups_init(&g, true);
	g.p[1].state = g.s[0]; /* small ones */
	g.p[1].events = 1;
	for (unsigned i = 0; i < g.n; i++)
		for (unsigned e = 0; e < 5; e++) {
			struct rn_value x = rn_strn("abcdefgh", e);

			rn_state_update(&g.call[i], &g.s[0][i], &x, e, false);
		}
	for (int i = 0; i < 8; i++)
		v[i] = random_value(NULL);
	frames[0] =
		(struct rn_frame){.kind = RN_FRAME_FRAGMENT, .fragment = &plan(queries[6])->frag};
	frames[1] =
		(struct rn_frame){.kind = RN_FRAME_FRAGMENT, .fragment = &plan(queries[4])->frag};
	frames[2] = (struct rn_frame){
		.kind = RN_FRAME_ROWS,
		.rows = {.nrows = 4, .ncols = 2, .values = v, .time_ns = time_ns}};
	frames[3] =
		(struct rn_frame){.kind = RN_FRAME_PARTIALS, .partials = {.n = 2, .parts = g.p}};
	for (int i = 0; i < 4; i++) {
		struct bytes b = {0};

		assert_int_equal(encode(&b, &frames[i], g.call, g.n, 2), 0);
		for (size_t n = 0; n + 4 <= b.len; n++) /* cut anywhere */
			try_bytes(b.p + 4, n, &g);
		for (int round = 0; round < 4000; round++) {
			unsigned char *spoilt = malloc(b.len);

			memcpy(spoilt, b.p, b.len);
			for (int k = 1 + rand() % 4; k > 0; k--)
				spoilt[4 + (size_t)rand() % (b.len - 4)] =
					(unsigned char)(rand() & 1 ? rand() : 0xff);
			try_bytes(spoilt + 4, b.len - 4, &g);
			free(spoilt);
		}
		free(b.p);
	}
	groups_free(&g);
}

static void a_frame_beyond_the_limits_is_refused(void **state)
{
	struct rn_expr *deep = NULL;
	struct rn_fragment f = {.class_name = "read", .limit = -1};
	struct rn_frame in = {.kind = RN_FRAME_FRAGMENT, .fragment = &f}, out;
	struct rn_conjunct where = {0};
	struct rn_err err = {0};
	struct bytes b = {0};
	static const unsigned char many_rows[] = {
		0x08, RN_WIRE_VERSION, 0x62, 8, 0x08, 0xff, 0xff, 0xff, 0x7f, 0x10, 0xff, 0x7f};
	static const unsigned char later[] = {0x08, 0x63, 0x82, 0x01, 0x00},
				   before[] = {0x08, RN_WIRE_VERSION - 1, 0x82, 0x01, 0x00};
	int64_t time_ns[17] = {0};
	size_t n;
	unsigned char *p;
	struct bytes big;
	char *text;
	struct rn_value v[17];

	(void)state;
	for (int depth = 90; depth <= 200; depth += 110) { /* 90 pass, 200 do not */
		deep = RN_NEW(arena, struct rn_expr);
		*deep = (struct rn_expr){
			.kind = RN_E_CONST, .ty = {RN_T_BOOL, 0}, .value = rn_bool(true)};
		for (int i = 0; i < depth; i++)
			deep = rn_expr_op(arena, RN_OP_NOT, deep->ty, deep, NULL);
		where.expr = deep;
		f.where = &where;
		f.nwhere = 1;
		b.len = 0;
		assert_int_equal(encode(&b, &in, NULL, 0, 0), 0);
		assert_int_equal(decode(&b, &out, NULL, 0, 0, &err), depth == 90 ? 0 : -EBADMSG);
	}
	free(b.p);
	/* Nested a million deep, two bytes a level at the end: must not take the stack. */
	n = 200000;
	p = malloc(n);
	for (size_t i = 0; i < n; i++)
		p[i] = i % 2 ? 0x7f : 0x5a;
	assert_true(rn_frame_decode(arena, p, n, NULL, 0, 0, &out, &err) < 0);
	/* Counts that the bytes do not justify. */
	assert_int_equal(
		rn_frame_decode(arena, many_rows, sizeof(many_rows), NULL, 0, 0, &out, &err),
		-EBADMSG);
	assert_int_equal(rn_frame_decode(arena, before, sizeof(before), NULL, 0, 0, &out, &err),
			 -EPROTO);
	assert_int_equal(rn_frame_decode(arena, later, sizeof(later), NULL, 0, 0, &out, &err),
			 -EPROTO);
	free(p);
	/* Longer than a frame may be: refused whole, and the buffer stays as it was. */
	big = (struct bytes){0};
	text = calloc(1, 1 << 20);
	for (int i = 0; i < 17; i++) {
		memset(text, 'a' + i, 1);
		v[i] = rn_strn(text, (1 << 20) - (size_t)i);
	}
	in = (struct rn_frame){.kind = RN_FRAME_ROWS,
			       .rows = {.nrows = 17, .ncols = 1, .values = v, .time_ns = time_ns}};
	assert_int_equal(encode(&big, &in, NULL, 0, 0), -EMSGSIZE);
	assert_int_equal(big.len, 0);
	free(big.p);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(small_frames, setup, teardown),
		cmocka_unit_test_setup_teardown(errors_know_their_place, setup, teardown),
		cmocka_unit_test_setup_teardown(rows_of_every_kind, setup, teardown),
		cmocka_unit_test_setup_teardown(rows_are_compact, setup, teardown),
		cmocka_unit_test_setup_teardown(partials_of_every_aggregate, setup, teardown),
		cmocka_unit_test_setup_teardown(fragments_keep_their_meaning, setup, teardown),
		cmocka_unit_test_setup_teardown(spoilt_frames_do_no_harm, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_decoded_keeps_to_the_cap, setup, teardown),
		cmocka_unit_test_setup_teardown(every_kind_has_its_row, setup, teardown),
		cmocka_unit_test_setup_teardown(every_body_has_its_row, setup, teardown),
		cmocka_unit_test_setup_teardown(the_answer_stays_in_order, setup, teardown),
		cmocka_unit_test_setup_teardown(nonsense_has_no_kind, setup, teardown),
		cmocka_unit_test_setup_teardown(a_frame_beyond_the_limits_is_refused, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
