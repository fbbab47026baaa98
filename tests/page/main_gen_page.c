/* main_gen_page.c - gen_page HOPS FORMAT KIND: draws a made-up flow of that many hops, for the
 * tests of the page and its bench. KIND: `plain`; `lacking`, whose answer lacks a node, a clock and
 * other sides; `hostile`, whose names try to get out of the page. The same numbers give the same
 * flow. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "repl/out/output.h"

enum { NODES = 4, PROCESSES = 40, BACK = 60 };

enum column {
	HOP,
	TIME,
	FROM,
	NODE,
	PROC,
	PID,
	NAME,
	DIR,
	OBJECT,
	BYTES,
	LATENCY,
	TAGS,
	MATCH,
	LINK,
	CHOICES,
	LAG,
	DEPTH,
	CLOCK,
	COLUMNS
};
static const struct rn_column columns[COLUMNS] = {
	{"hop", NULL, {RN_T_INT, 0}},           {"time", NULL, {RN_T_INT, RN_U_EPOCH}},
	{"from", NULL, {RN_T_INT, 0}},          {"node", NULL, {RN_T_STR, 0}},
	{"proc", NULL, {RN_T_STR, 0}},          {"pid", NULL, {RN_T_INT, 0}},
	{"name", NULL, {RN_T_STR, 0}},          {"dir", NULL, {RN_T_STR, 0}},
	{"object", NULL, {RN_T_STR, 0}},        {"bytes", NULL, {RN_T_INT, RN_U_BYTE}},
	{"latency", NULL, {RN_T_INT, RN_U_NS}}, {"tags", NULL, {RN_T_STR, 0}},
	{"match", NULL, {RN_T_STR, 0}},         {"link", NULL, {RN_T_STR, 0}},
	{"choices", NULL, {RN_T_INT, 0}},       {"lag", NULL, {RN_T_INT, RN_U_NS}},
	{"depth", NULL, {RN_T_INT, 0}},         {"clock", NULL, {RN_T_INT, RN_U_NS}},
};
static const char *const plain[] = {"nginx", "postgres",  "redis-server", "python3",
				    "kafka", "zookeeper", "bash",         "cat"};
static const char *const hostile[] = {
	"</script><script>document.title='broken'</script>",
	"<!--<script>",
	"\"';alert(1)//\\",
	"\xe2\x82 cut",
	"\xff\xfe\x80",
	"\x1b]0;owned\x07\x1b[31mred",
	"\xe2\x80\xae"
	"reversed\xe2\x80\xa8",
	"<img src=x onerror=\"document.title='broken'\">",
	"__proto__",
	"line\nbreak\ttab\r",
	"&lt;b&gt; ]]>",
	"\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80",
};
enum { NPLAIN = sizeof(plain) / sizeof(*plain), NHOSTILE = sizeof(hostile) / sizeof(*hostile) };

struct flow {
	uint64_t seed;
	bool hostile, lacking;
	char object[64], node[16];
	char wide[4000];
};

static uint32_t draw(struct flow *f, uint32_t n)
{
	f->seed = f->seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(f->seed >> 33) % n;
}

static struct rn_value str(const char *s)
{
	return rn_strn(s, strlen(s));
}

static struct rn_value others(struct flow *f, uint32_t i, const char *unless)
{
	if (!f->hostile)
		return str(unless);
	return i % 13 == 12 ? str(f->wide) : str(hostile[i % NHOSTILE]);
}

static void make(struct flow *f, int64_t hop, struct rn_value *row)
{
	uint32_t process = draw(f, PROCESSES);
	int64_t from = hop - 1 - draw(f, BACK);

	snprintf(f->object, sizeof(f->object), "/srv/data/part-%u/segment-%u.log", draw(f, 90),
		 (unsigned)hop);
	snprintf(f->node, sizeof(f->node), "node%u", process % NODES + 1);
	row[HOP] = rn_int(hop);
	row[TIME] = rn_int(1790000000000000000 + hop * 137000 + draw(f, 90000));
	row[FROM] = rn_int(from > 0 ? from : 0);
	row[NODE] = others(f, process % NODES, f->node);
	row[PROC] = others(f, process, plain[process % NPLAIN]);
	row[PID] = rn_int(1000 + process);
	row[NAME] = str(hop % 2 ? "write" : "read");
	row[DIR] = str(hop % 2 ? "out" : "in");
	row[OBJECT] = others(f, (uint32_t)hop, f->object);
	row[BYTES] = rn_int(draw(f, 200000));
	row[LATENCY] = draw(f, 20) ? rn_int(draw(f, 50000)) : rn_unknown();
	row[TAGS] = others(f, (uint32_t)hop / 7, draw(f, 5) ? "order17" : "order17,invoice4");
	row[MATCH] = str(f->lacking && hop % 9 == 0    ? "none"
			 : f->lacking && hop % 11 == 0 ? "outside"
						       : "exact");
	row[LINK] = str(from <= 0      ? ""
			: hop % 4 == 0 ? "hash"
			: hop % 4 == 1 ? "order"
				       : "process");
	row[CHOICES] = rn_int(from <= 0 ? 0 : draw(f, 6) ? 1 : 2 + draw(f, 4));
	row[LAG] = rn_int(draw(f, 3000000));
	row[DEPTH] = rn_int(hop / 10);
	row[CLOCK] =
		f->lacking && process % NODES == 2 ? rn_unknown() : rn_int(process % NODES * 40000);
}

int main(int argc, char **argv)
{
	struct rn_ledger nodes[2] = {{.node = "node1", .answered = true},
				     {.node = "node4", .why = "the connection was reset"}};
	struct rn_ledgers ledgers = {.nodes = nodes, .n = 1};
	const struct rn_answer_shape shape = {.cols = (struct rn_column *)columns,
					      .ncols = COLUMNS};
	struct flow f = {.seed = 1};
	struct rn_value row[COLUMNS];
	struct rn_printer *p;

	if (argc != 4 || !rn_format_find(argv[2])) {
		fprintf(stderr, "usage: gen_page HOPS FORMAT plain|lacking|hostile\n");
		return 2;
	}
	f.hostile = !strcmp(argv[3], "hostile");
	f.lacking = !strcmp(argv[3], "lacking");
	memset(f.wide, 'W', sizeof(f.wide) - 1);
	ledgers.n += f.lacking;
	p = rn_printer_create(rn_format_find(argv[2]), stdout);
	p->out.begin(p->out.self, &shape);
	for (int64_t hop = 1; hop <= atol(argv[1]); hop++) {
		make(&f, hop, row);
		p->out.row(p->out.self, row);
		if (hop > BACK && hop % 25 == 0) { /* some have two causes */
			row[FROM] = rn_int(hop - 30);
			p->out.row(p->out.self, row);
		}
	}
	if (p->finish)
		p->finish(p, &ledgers);
	rn_printer_destroy(p);
	return 0;
}
