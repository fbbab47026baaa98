/* asker.c - a coordinator that tests nothing of what it asks for: what an agent has to bear.
 *
 *     asker COMMAND matches TEXT     of opened files whose name matches TEXT, or of nothing if it
 * is refused asker COMMAND values N         of processes among N numbers asker COMMAND bytes N N
 * bytes that are no frame, before any hello
 *
 * COMMAND starts the agent. Says how that query ended, then whether the agent answers another one.
 * Its own address space is not the test's: what is bounded is the agent's, by COMMAND. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "exec/wire/codec.h"
#include "exec/link/link.h"
#include "lang/base/memory.h"

struct asker {
	struct rn_link *l;
	struct rn_arena *a;
	uint64_t seq;
	time_t pinged;
};

static void fail(const struct rn_err *err)
{
	printf("the agent is gone: %s\n", err->text);
	exit(1);
}

static void say(struct asker *k, uint32_t query, struct rn_frame f)
{
	unsigned char *buf = NULL;
	size_t n = 0, cap = 0;

	f.node = "asker";
	f.seq = k->seq++;
	if (rn_frame_encode(&f, NULL, 0, 0, &buf, &n, &cap))
		exit(2);
	rn_link_send(k->l, RN_LANE_CONTROL, query, buf + 4, n - 4);
	free(buf);
}

/* Waits for the next message, in the arena until the one after it. */
static struct rn_frame hear(struct asker *k)
{
	struct rn_message m;
	struct rn_err err = {0};
	struct rn_frame in;
	int r;

	while (!(r = rn_link_next(k->l, &m, &err))) {
		struct pollfd p[2];
		short events[2];
		int fd[2];
		unsigned n = rn_link_polls(k->l, fd, events);

		if (rn_link_pump(k->l, &err) < 0)
			fail(&err);
		for (unsigned i = 0; i < n; i++)
			p[i] = (struct pollfd){.fd = fd[i], .events = events[i]};
		poll(p, n, 1000);
		if (time(NULL) != k->pinged)
			say(k, 0, (struct rn_frame){.kind = RN_FRAME_PING, .sent_ns = 1});
		k->pinged = time(NULL);
	}
	if (r < 0)
		fail(&err);
	rn_arena_reset(k->a);
	if (rn_frame_decode(k->a, memcpy(rn_arena_alloc(k->a, m.n), m.bytes, m.n), m.n, NULL, 0, 0,
			    &in, &err))
		fail(&err);
	return in;
}

static struct rn_expr *expr(struct asker *k, struct rn_expr of, unsigned narg)
{
	struct rn_expr *e = rn_malloc(sizeof(*e));

	(void)k;
	*e = of;
	e->narg = narg;
	e->arg = rn_calloc(narg + 1, sizeof(*e->arg));
	return e;
}

static struct rn_expr *field(struct asker *k, const char *name, enum rn_type type)
{
	return expr(k, (struct rn_expr){.kind = RN_E_FIELD, .name = name, .ty = {type, RN_U_NONE}},
		    0);
}

static struct rn_expr *matches(struct asker *k, const char *text)
{
	struct rn_expr *e = expr(
		k,
		(struct rn_expr){.kind = RN_E_OP, .op = RN_OP_REGEX, .ty = {RN_T_BOOL, RN_U_NONE}},
		2);

	e->arg[0] = field(k, "file", RN_T_STR);
	e->arg[1] = expr(k,
			 (struct rn_expr){.kind = RN_E_CONST,
					  .ty = {RN_T_STR, RN_U_NONE},
					  .value = rn_strn(text, strlen(text))},
			 0);
	return e;
}

static struct rn_expr *among(struct asker *k, unsigned n)
{
	struct rn_expr *e =
		expr(k, (struct rn_expr){.kind = RN_E_IN, .ty = {RN_T_BOOL, RN_U_NONE}}, n + 1);
	struct rn_expr *one =
		expr(k,
		     (struct rn_expr){
			     .kind = RN_E_CONST, .ty = {RN_T_INT, RN_U_NONE}, .value = rn_int(1)},
		     0);

	e->arg[0] = field(k, "pid", RN_T_INT);
	for (unsigned i = 1; i <= n; i++)
		e->arg[i] = one;
	return e;
}

/* Rows of the class with these fields; where: conditions of the node. */
static void ask(struct asker *k, uint32_t query, const char *cls, const char *name,
		enum rn_type type, struct rn_expr *where, unsigned times)
{
	static struct rn_conjunct w[8];
	static struct rn_field f;
	static const struct rn_field *fields[] = {&f};
	struct rn_column c = {.label = name, .expr = field(k, name, type), .ty = {type, RN_U_NONE}};
	struct rn_fragment frag = {.class_name = cls,
				   .limit = -1,
				   .sample = 1,
				   .nfields = 1,
				   .ncols = 1,
				   .cols = &c,
				   .where = w,
				   .nwhere = times};

	f.name = name;
	f.ty = c.ty;
	frag.fields = fields;
	for (unsigned i = 0; i < times; i++)
		w[i] = (struct rn_conjunct){.expr = where, .place = RN_AT_NODE, .reason = ""};
	say(k, query, (struct rn_frame){.kind = RN_FRAME_FRAGMENT, .fragment = &frag});
}

/* Until the query has ended, by the agent or, with stop, as soon as it has begun. */
static void wait_for_end(struct asker *k, const char *what, uint32_t query, bool stop)
{
	for (;;) {
		struct rn_frame in = hear(k);

		if (in.kind == RN_FRAME_ACCEPTED) {
			say(k, query, (struct rn_frame){.kind = RN_FRAME_START});
		} else if (in.kind == RN_FRAME_STARTED) {
			fprintf(stderr, "started\n");
			if (stop)
				say(k, query, (struct rn_frame){.kind = RN_FRAME_STOP});
		} else if (in.kind == RN_FRAME_ERROR) {
			printf("%s: refused: %s\n", what, in.error.text);
			return;
		} else if (in.kind == RN_FRAME_LEDGER) {
			printf("%s: %s%s\n", what, in.ledger.answered ? "answered" : "ended: ",
			       in.ledger.answered || !in.ledger.why ? "" : in.ledger.why);
		} else if (in.kind == RN_FRAME_END) {
			return;
		}
	}
}

int main(int argc, char **argv)
{
	struct rn_err err = {0};
	struct asker k = {.a = rn_arena_create(64 << 20)};
	struct rn_transport *t =
		argc == 4 ? rn_stream_spawn(argv[1], (const char *const[]){NULL}, &err) : NULL;

	if (!t)
		return 2;
	k.l = rn_link_create(t, RN_FRAME_MAX);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!strcmp(argv[2], "bytes")) {
		size_t n = strtoul(argv[3], NULL, 10);

		rn_link_send(k.l, RN_LANE_CONTROL, 1, rn_calloc(n, 1), n);
		for (;;)
			printf("heard %d\n", (int)hear(&k).kind);
	}
	say(&k, 0,
	    (struct rn_frame){.kind = RN_FRAME_HELLO,
			      .hello = {.program = "",
					.kind = "coordinator",
					.name = "n1",
					.asker = "asker@test",
					.place = ""}});
	if (hear(&k).kind != RN_FRAME_HELLO)
		return 2;
	if (!strcmp(argv[2], "matches"))
		ask(&k, 1, "openat", "file", RN_T_STR, matches(&k, argv[3]), 1);
	else
		ask(&k, 1, "getppid", "pid", RN_T_INT,
		    among(&k, (unsigned)strtoul(argv[3], NULL, 10)), 6);
	wait_for_end(&k, "it", 1, false);
	ask(&k, 2, "getppid", "pid", RN_T_INT, NULL, 0);
	wait_for_end(&k, "another", 2, true);
	rn_link_destroy(k.l);
	return 0;
}
