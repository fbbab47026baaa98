/* test_flow_truth.c - random flows whose truth is known (tests/support/sim_flow.h), against what
 * the engine of flows finds: what is certain is true, and what is not says so.
 *
 * `test_flow_truth SEED` runs one seed alone and prints its rows; `test_flow_truth FIRST LAST` runs
 * several. Without arguments it runs 1,000. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "exec/clock/clock.h"
#include "exec/flow/flow.h"
#include "lang/base/memory.h"
#include "lang/base/vec.h"
#include "lang/values/value.h"
#include "tests/support/sim_flow.h"

static const char *const labels[] = {
#define X(id, name) name,
	RN_FLOW_NEEDS(X)
#undef X
};
enum {
#define X(id, name) C_##id,
	RN_FLOW_NEEDS(X)
#undef X
		NCOLS
};

enum { FIRST = 1, LAST = 1000, LEAST_CERTAIN = 95 /* per cent */ };

/* ---- what the engine says ---- */

struct row {           /* that a hop has some of its tags from another one */
	int hop, from; /* from: a number of the answer; 0: none */
	unsigned choices;
	char tags[SIM_TAGS * (SIM_TAG_BYTES + 1)], link[16], match[16];
};
struct answer {
	struct row *row;
	unsigned n, cap;
	int *hop; /* of each number of the answer: the simulated one */
	unsigned nhops, hops_cap;
};

static struct rn_value str(const char *s)
{
	return rn_strn(s, strlen(s));
}

static struct rn_value ip(struct rn_arena *a, const char *s)
{
	unsigned char *to = rn_arena_alloc(a, RN_IP_BYTES);

	return *s && rn_ip_parse(s, strlen(s), to) ? rn_strn((char *)to, RN_IP_BYTES) : str("");
}

static void copy(char *to, size_t room, const struct rn_value *v)
{
	snprintf(to, room, "%.*s", (int)v->len, v->s);
}

/* Each hop has its number as the name of its process. */
static int see(void *self, const struct rn_value *v, int64_t time_ns)
{
	struct answer *a = self;
	struct row *r;
	char name[16];

	(void)time_ns;
	copy(name, sizeof(name), &v[RN_FLOW_PROC]);
	rn_vec_room(a->row, a->n, a->cap);
	r = &a->row[a->n++];
	*r = (struct row){.hop = atoi(name + 1),
			  .from = (int)v[RN_FLOW_FROM].i,
			  .choices = (unsigned)v[RN_FLOW_CHOICES].i};
	copy(r->tags, sizeof(r->tags), &v[RN_FLOW_TAGS]);
	copy(r->link, sizeof(r->link), &v[RN_FLOW_LINK]);
	copy(r->match, sizeof(r->match), &v[RN_FLOW_MATCH]);
	while (a->nhops <= (unsigned)v[RN_FLOW_HOP].i) {
		rn_vec_room(a->hop, a->nhops, a->hops_cap);
		a->hop[a->nhops++] = SIM_OWN;
	}
	a->hop[v[RN_FLOW_HOP].i] = r->hop;
	return 0;
}

static void add(struct rn_flow *f, struct rn_arena *a, const struct sim_flow *sim, unsigned hop)
{
	const struct sim_hop *h = &sim->hop[hop];
	struct rn_value v[NCOLS];

	for (unsigned i = 0; i < NCOLS; i++)
		v[i] = rn_int(0);
	v[C_TIME] = rn_int(h->time_ns);
	v[C_NODE] = str(sim->node[h->node].name);
	v[C_PROC] = str(rn_arena_printf(a, "h%u", hop));
	v[C_PID] = rn_int(h->pid);
	v[C_TID] = rn_int(h->tid);
	v[C_PPID] = rn_int(h->ppid);
	v[C_START] = rn_int(h->start_ns);
	v[C_NAME] = str(h->name);
	v[C_FILE] = str(h->file);
	v[C_SOURCE] = str(h->source);
	v[C_DEV] = rn_int(h->dev);
	v[C_INO] = rn_int(h->ino);
	v[C_SOURCE_DEV] = rn_int(h->source_dev);
	v[C_SOURCE_INO] = rn_int(h->source_ino);
	v[C_PEER_INO] = rn_int(h->peer_ino);
	v[C_LOCAL] = ip(a, h->local);
	v[C_PEER] = ip(a, h->peer);
	v[C_PROTO] = str(h->proto);
	v[C_BYTES] = rn_int(h->bytes);
	v[C_LATENCY] = rn_int(h->latency_ns);
	v[C_OFFSET] = rn_int(h->offset);
	v[C_SEQ] = rn_int(h->seq);
	v[C_TAGS] = str(h->tags);
	v[C_HITS] = str(h->hits);
	v[C_AROUND] = str(h->around);
	rn_flow_add(f, &(struct rn_rows){
			       .nrows = 1, .ncols = NCOLS, .values = v, .time_ns = &h->time_ns});
}

/* ---- clocks: as a fleet aligns them ---- */

struct clocks {
	struct rn_clocks *of;
	struct rn_clock_message *message;
	size_t n, cap;
};

static int take_message(void *self, const struct rn_flow_message *in)
{
	struct clocks *c = self;

	rn_vec_room(c->message, c->n, c->cap);
	c->message[c->n++] = (struct rn_clock_message){.a = rn_clocks_node(c->of, in->from),
						       .b = rn_clocks_node(c->of, in->to),
						       .sent_ns = in->sent_ns,
						       .received_ns = in->received_ns};
	return 0;
}

static int64_t align(void *self, const char *node, int64_t time_ns, int64_t *bound_ns)
{
	struct clocks *c = self;

	return rn_clocks_align(c->of, rn_clocks_node(c->of, node), time_ns, bound_ns);
}

/* The coordinator has the true time, and asks each node now and then. */
static void read_clocks(struct clocks *c, const struct sim_flow *sim, uint64_t random)
{
	for (unsigned i = 0; i < sim->nnodes; i++) {
		unsigned number = rn_clocks_node(c->of, sim->node[i].name);

		for (int64_t at = -50000000; at < sim->end_ns + 50000000; at += 20000000) {
			int64_t there = 30000 + sim_below(&random, 400000),
				back = 30000 + sim_below(&random, 400000);

			rn_clocks_trip(c->of, number, at, sim_flow_clock(sim, i, at + there),
				       at + there + back);
		}
	}
}

/* twice: a hop that is given a second time; SIM_OWN: none. */
static void ask(const struct sim_flow *sim, uint64_t seed, int twice, struct answer *out)
{
	struct rn_arena *a = rn_arena_create(1 << 26);
	struct rn_column *cols = RN_NEWN(a, struct rn_column, NCOLS);
	struct clocks clocks = {.of = rn_clocks_create()};
	struct rn_flow *f;

	for (unsigned i = 0; i < NCOLS; i++)
		cols[i].label = labels[i];
	f = rn_flow_new(a, cols, NCOLS);
	rn_flow_whole(f);
	for (unsigned i = 0; i < sim->n; i++) {
		/* rows of several nodes come in any order */
		unsigned hop = seed % 4 < 2 ? i : sim->n - 1 - i;

		for (unsigned n = sim->hop[hop].recorded ? 1 + ((int)hop == twice) : 0; n; n--)
			add(f, a, sim, hop);
	}
	for (unsigned i = 0; i < sim->nnodes; i++)
		if (sim->node[i].lost)
			rn_flow_lost(f, sim->node[i].name);
	if (seed % 3 || sim->datagrams) { /* else the clocks stay as they are */
		read_clocks(&clocks, sim, seed);
		assert_int_equal(rn_flow_messages(f, take_message, &clocks), 0);
		rn_clocks_settle(clocks.of, clocks.message, clocks.n);
		rn_flow_align(f, align, &clocks);
	}
	memset(out, 0, sizeof(*out));
	assert_int_equal(rn_flow_visit(f, see, out), 0);
	rn_clocks_destroy(clocks.of);
	free(clocks.message);
	rn_arena_destroy(a);
}

static void forget(struct answer *answer)
{
	free(answer->row);
	free(answer->hop);
}

/* ---- the judge ---- */

enum kind { CALM, BUSY, CONCURRENT, KINDS };
struct tally {
	uint64_t hops, edges, certain, wrong, missing, marked;
	uint64_t tried, outside; /* choices that were tried; those without the true one */
};
/* Without drops, and with them. */
static struct tally tallies[2][KINDS];

struct judge {
	const struct sim_flow *sim;
	const struct answer *answer;
	uint64_t seed;
	struct tally *tally;
};

static int from_of(const struct answer *a, const struct row *r)
{
	return r->from ? a->hop[r->from] : SIM_OWN;
}

static bool has_tag(const char *list, const char *tag)
{
	size_t n = strlen(tag);

	for (const char *s = list; (s = strstr(s, tag)); s++)
		if ((s == list || s[-1] == ',') && (!s[n] || s[n] == ','))
			return true;
	return false;
}

static void complain(const struct judge *j, const struct row *r, const struct sim_found *t,
		     const char *what)
{
	const struct sim_hop *h = &j->sim->hop[r->hop];

	printf("# seed %llu: %s: hop %d, %s %s%s, %s, tag %s: from %d, link %s, choices %u; true:",
	       (unsigned long long)j->seed, what, r->hop, h->name, h->file, h->proto, r->match,
	       j->sim->tag[t->tag], from_of(j->answer, r), r->link, r->choices);
	for (unsigned i = 0; i < t->ncauses; i++)
		printf(" %d%s", t->cause[i],
		       t->cause[i] >= 0 && !j->sim->hop[t->cause[i]].recorded ? " (lost)" : "");
	printf("\n");
}

static bool is_true(const struct sim_found *t, int from)
{
	for (unsigned i = 0; i < t->ncauses; i++)
		if (t->cause[i] == from)
			return true;
	return false;
}

/* Was the hop seen, with all that is known of it? The number 0 of a stream stands for none. */
static bool is_seen(const struct sim_flow *sim, int hop)
{
	const struct sim_hop *h = hop >= 0 ? &sim->hop[hop] : NULL;

	return h && h->recorded && (strcmp(h->proto, "tcp") != 0 || h->seq);
}

/* Judges what the answer says of where one tag of a hop came from. The first of its places counts:
 * an event tells no other one. */
static void judge_tag(struct judge *j, int hop, const struct sim_found *t)
{
	const struct answer *a = j->answer;
	int first = t->cause[0];
	bool found = !is_seen(j->sim, hop) || !is_seen(j->sim, first);
	const struct row *last = NULL;

	for (unsigned i = 0; i < a->n; i++) {
		const struct row *r = &a->row[i];

		if (r->hop != hop || !has_tag(r->tags, j->sim->tag[t->tag]))
			continue;
		last = r;
		j->tally->edges += r->from > 0;
		j->tally->certain += r->from > 0 && r->choices == 1;
		found |= r->from && (r->choices > 1 || from_of(a, r) == first);
		if (r->from && r->choices == 1 && !is_true(t, from_of(a, r))) {
			j->tally->wrong++;
			complain(j, r, t, "wrong");
		}
	}
	assert_non_null(last); /* each tag of each hop is in the answer */
	if (found)
		return;
	if (j->sim->kind.drops && !strcmp(last->match, "none")) {
		j->tally->marked++;
		return;
	}
	j->tally->missing++;
	complain(j, last, t, "missing");
}

/* ---- is the true one among the choices? ---- */

/* A hop that is there twice is two choices, or none if evidence excludes it. So if it is among the
 * choices, there is one more. This holds for links by evidence and by files. */
static void try_choices(struct judge *j, const struct row *r, const struct sim_found *t)
{
	const char *tag = j->sim->tag[t->tag];
	struct answer twice;
	unsigned choices = 0;

	ask(j->sim, j->seed, t->cause[0], &twice);
	for (unsigned i = 0; i < twice.n; i++)
		if (twice.row[i].hop == r->hop && has_tag(twice.row[i].tags, tag))
			choices = twice.row[i].choices;
	forget(&twice);
	j->tally->tried++;
	if (choices == r->choices + 1)
		return;
	j->tally->outside++;
	complain(j, r, t, "not among the choices");
}

/* Tries some of the links that are not certain. */
static void try_some(struct judge *j)
{
	const struct answer *a = j->answer;
	uint64_t random = j->seed;
	unsigned tries = 0;

	for (unsigned i = 0; i < a->n && tries < 4; i++) {
		const struct row *r = &a->row[i];
		const struct sim_hop *h = &j->sim->hop[r->hop];
		const struct sim_found *t = &h->found[sim_below(&random, h->nfound)];

		if (r->choices < 2 || !strcmp(r->link, "order") || !strcmp(r->link, "nat") ||
		    !has_tag(r->tags, j->sim->tag[t->tag]) || !is_seen(j->sim, t->cause[0]) ||
		    !sim_odds(&random, 30))
			continue;
		tries++;
		try_choices(j, r, t);
	}
}

/* ---- the seeds ---- */

static void print_hop(const struct sim_flow *sim, unsigned hop)
{
	const struct sim_hop *h = &sim->hop[hop];

	printf("# h%u%s %s pid %d tid %d %s %s %s %s>%s seq %lld off %lld n %lld [%lld +%lld] %s",
	       hop, h->recorded ? "" : " LOST", sim->node[h->node].name, h->pid, h->tid, h->name,
	       h->file, h->source, h->local, h->peer, (long long)h->seq, (long long)h->offset,
	       (long long)h->bytes, (long long)(h->time_ns - h->latency_ns),
	       (long long)h->latency_ns, h->hits);
	for (unsigned t = 0; t < h->nfound; t++)
		for (unsigned k = 0; k < h->found[t].ncauses; k++)
			printf(" %s<%d", sim->tag[h->found[t].tag], h->found[t].cause[k]);
	printf(" (%s)\n", h->around);
}

static void print_all(const struct sim_flow *sim, const struct answer *a)
{
	for (unsigned i = 0; i < sim->n; i++) {
		print_hop(sim, i);
		for (unsigned k = 0; k < a->n; k++)
			if (a->row[k].hop == (int)i)
				printf("#    %s from %d %s %u (%s)\n", a->row[k].tags,
				       from_of(a, &a->row[k]), a->row[k].link, a->row[k].choices,
				       a->row[k].match);
	}
}

static void run_seed(uint64_t seed, bool talks)
{
	struct sim_flow *sim = sim_flow_create(seed);
	struct answer answer;
	struct judge j = {.sim = sim, .seed = seed, .answer = &answer};

	j.tally = &tallies[sim->kind.drops][sim->kind.concurrent ? CONCURRENT
					    : sim->kind.busy     ? BUSY
								 : CALM];
	ask(sim, seed, SIM_OWN, &answer);
	j.tally->hops += sim->n;
	if (talks)
		print_all(sim, &answer);
	for (unsigned h = 0; h < sim->n; h++)
		for (unsigned t = 0; sim->hop[h].recorded && t < sim->hop[h].nfound; t++)
			judge_tag(&j, (int)h, &sim->hop[h].found[t]);
	try_some(&j);
	forget(&answer);
	sim_flow_destroy(sim);
}

static uint64_t first_seed = FIRST, last_seed = LAST;

static int run_all(void **state)
{
	static const char *const names[KINDS] = {"one at a time", "busy", "at once"};

	(void)state;
	for (uint64_t seed = first_seed; seed <= last_seed; seed++)
		run_seed(seed, first_seed == last_seed);
	for (unsigned drops = 0; drops < 2; drops++)
		for (unsigned k = 0; k < KINDS; k++) {
			const struct tally *t = &tallies[drops][k];

			printf("# %s%s: %llu hops, %llu edges, %llu certain, %llu wrong, "
			       "%llu missing, %llu marked, %llu of %llu not among the choices\n",
			       names[k], drops ? ", drops" : "", (unsigned long long)t->hops,
			       (unsigned long long)t->edges, (unsigned long long)t->certain,
			       (unsigned long long)t->wrong, (unsigned long long)t->missing,
			       (unsigned long long)t->marked, (unsigned long long)t->outside,
			       (unsigned long long)t->tried);
		}
	return 0;
}

static void each_certain_link_is_true(void **state)
{
	(void)state;
	for (unsigned k = 0; k < KINDS; k++)
		assert_int_equal(tallies[0][k].wrong, 0);
}

static void no_cause_that_was_seen_is_missing(void **state)
{
	(void)state;
	for (unsigned k = 0; k < KINDS; k++) {
		assert_int_equal(tallies[0][k].missing, 0);
		assert_int_equal(tallies[0][k].outside, 0);
	}
}

static void most_links_are_certain_if_processes_do_one_thing_at_a_time(void **state)
{
	const struct tally *t = &tallies[0][CALM];

	(void)state;
	assert_true(t->certain * 100 >= t->edges * LEAST_CERTAIN);
}

static void with_drops_each_certain_link_is_true(void **state)
{
	(void)state;
	for (unsigned k = 0; k < KINDS; k++)
		assert_int_equal(tallies[1][k].wrong, 0);
}

/* A cause that was seen, but is not found since other events were lost, is an end without the other
 * one. */
static void with_drops_what_is_missing_is_marked(void **state)
{
	(void)state;
	for (unsigned k = 0; k < KINDS; k++) {
		assert_int_equal(tallies[1][k].missing, 0);
		assert_int_equal(tallies[1][k].outside, 0);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_certain_link_is_true),
		cmocka_unit_test(no_cause_that_was_seen_is_missing),
		cmocka_unit_test(most_links_are_certain_if_processes_do_one_thing_at_a_time),
		cmocka_unit_test(with_drops_each_certain_link_is_true),
		cmocka_unit_test(with_drops_what_is_missing_is_marked),
	};

	if (argc > 1)
		first_seed = last_seed = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		last_seed = strtoull(argv[2], NULL, 10);
	return cmocka_run_group_tests(tests, run_all, NULL);
}
