/* main_gen_flow.c - gen_flow FILE SEED: writes a recording of a simulated flow (sim_flow.h).
 *
 * It prints the truth. A line is for a tag of a recorded hop: the hop's number, the tag, whether
 * the first cause was recorded, and all causes. The process of hop 5 is called h5. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/trace/trace.h"
#include "lang/base/memory.h"
#include "planner/plan/ledger.h"
#include "tests/support/sim_flow.h"

#define FIELDS(X) \
	X(TIME, "time", INT, EPOCH) \
	X(NODE, "node", STR, NONE) \
	X(PROC, "proc", STR, NONE) \
	X(PID, "pid", INT, NONE) \
	X(TID, "tid", INT, NONE) \
	X(PPID, "ppid", INT, NONE) \
	X(START, "start", INT, EPOCH) \
	X(NAME, "name", STR, NONE) \
	X(FILE, "file", STR, NONE) \
	X(SOURCE, "source", STR, NONE) \
	X(DEV, "dev", INT, DEV) \
	X(INO, "ino", INT, NONE) \
	X(SOURCE_DEV, "source_dev", INT, DEV) \
	X(SOURCE_INO, "source_ino", INT, NONE) \
	X(PEER_INO, "peer_ino", INT, NONE) \
	X(LOCAL, "local", IP, NONE) \
	X(PEER, "peer", IP, NONE) \
	X(PROTO, "proto", STR, NONE) \
	X(BYTES, "bytes", INT, BYTE) \
	X(LATENCY, "latency", INT, NS) \
	X(OFFSET, "offset", INT, BYTE) \
	X(SEQ, "seq", INT, NONE) \
	X(NETNS, "netns", INT, NONE) \
	X(FLAGS, "flags", INT, NONE) \
	X(TAGS, "tags", TAGS, NONE) \
	X(HITS, "hits", STR, NONE) \
	X(AROUND, "around", STR, NONE)

enum {
#define X(id, ...) C_##id,
	FIELDS(X)
#undef X
		NCOLS
};
static const struct rn_field fields[NCOLS] = {
#define X(id, label, type, unit) \
	[C_##id] = {.name = label, \
		    .ty = {RN_T_##type, RN_U_##unit}, \
		    .where = RN_IN_NODE, \
		    .doc = "simulated"},
	FIELDS(X)
#undef X
};

static struct rn_value str(const char *s)
{
	return rn_strn(s, strlen(s));
}

static struct rn_value ip(const char *s, unsigned char *room)
{
	return *s && rn_ip_parse(s, strlen(s), room) ? rn_strn((char *)room, RN_IP_BYTES) : str("");
}

static int write_hop(struct rn_trace_writer *w, const struct sim_flow *sim, unsigned hop,
		     struct rn_err *err)
{
	const struct sim_hop *h = &sim->hop[hop];
	unsigned char local[RN_IP_BYTES], peer[RN_IP_BYTES];
	struct rn_column cols[NCOLS] = {0};
	struct rn_value v[NCOLS];
	char proc[16];

	snprintf(proc, sizeof(proc), "h%u", hop);
	for (unsigned c = 0; c < NCOLS; c++) {
		cols[c] = (struct rn_column){.label = fields[c].name, .ty = fields[c].ty};
		v[c] = rn_int(0);
	}
	v[C_TIME] = rn_int(h->time_ns), v[C_NODE] = str(sim->node[h->node].name);
	v[C_PROC] = str(proc), v[C_PID] = rn_int(h->pid), v[C_TID] = rn_int(h->tid);
	v[C_PPID] = rn_int(h->ppid), v[C_START] = rn_int(h->start_ns);
	v[C_NAME] = str(h->name), v[C_FILE] = str(h->file), v[C_SOURCE] = str(h->source);
	v[C_DEV] = rn_int(h->dev), v[C_INO] = rn_int(h->ino);
	v[C_SOURCE_DEV] = rn_int(h->source_dev), v[C_SOURCE_INO] = rn_int(h->source_ino);
	v[C_PEER_INO] = rn_int(h->peer_ino), v[C_PROTO] = str(h->proto);
	v[C_LOCAL] = ip(h->local, local), v[C_PEER] = ip(h->peer, peer);
	v[C_BYTES] = rn_int(h->bytes), v[C_LATENCY] = rn_int(h->latency_ns);
	v[C_OFFSET] = rn_int(h->offset), v[C_SEQ] = rn_int(h->seq);
	v[C_TAGS] = str(h->tags), v[C_HITS] = str(h->hits), v[C_AROUND] = str(h->around);
	return rn_trace_write(w, cols, NCOLS, v, err);
}

static void print_truth(const struct sim_flow *sim, unsigned hop)
{
	const struct sim_hop *h = &sim->hop[hop];

	for (unsigned t = 0; t < h->nfound; t++) {
		const struct sim_found *f = &h->found[t];

		printf("%u\t%s\t%d\t", hop, sim->tag[f->tag],
		       f->cause[0] >= 0 && sim->hop[f->cause[0]].recorded);
		for (unsigned i = 0; i < f->ncauses; i++)
			printf("%s%d", i ? "," : "", f->cause[i]);
		printf("\n");
	}
}

static int write_all(const char *path, const struct sim_flow *sim, struct rn_err *err)
{
	const struct rn_field *list[NCOLS];
	struct rn_class cls = {.name = "tag", .doc = "simulated", .fields = list, .nfields = NCOLS};
	struct rn_ledger ledger[SIM_NODES] = {0};
	struct rn_ledgers l = {.nodes = ledger, .n = sim->nnodes};
	char query[256] = "events of tag ";
	struct rn_trace_writer *w;
	int r, closed;

	for (unsigned t = 0; t < sim->ntags; t++)
		snprintf(query + strlen(query), sizeof(query) - strlen(query), "%s%s",
			 t ? ", " : "", sim->tag[t]);
	for (unsigned c = 0; c < NCOLS; c++)
		list[c] = &fields[c];
	r = rn_trace_create(
		&(struct rn_trace_target){
			.path = path, .how = RN_INTO_REPLACE, .cls = &cls, .query = query},
		&w, err);
	if (r)
		return r;
	for (unsigned n = 0; n < sim->nnodes; n++)
		ledger[n] = (struct rn_ledger){
			.node = sim->node[n].name,
			.answered = true,
			.begin_ns = sim_flow_clock(sim, n, -1000000000),
			.end_ns = sim_flow_clock(sim, n, sim->end_ns + 1000000000),
			.n[RN_L_LOST_RING] = sim->node[n].lost};
	for (unsigned i = 0; i < sim->n && !r; i++)
		if (sim->hop[i].recorded) {
			ledger[sim->hop[i].node].n[RN_L_SEEN]++;
			ledger[sim->hop[i].node].n[RN_L_MATCHED]++;
			r = write_hop(w, sim, i, err);
			print_truth(sim, i);
		}
	closed = rn_trace_close(w, &l, err);
	return r ? r : closed;
}

int main(int argc, char **argv)
{
	struct rn_err err = {0};
	struct sim_flow *sim;
	int r;

	if (argc != 3) {
		fprintf(stderr, "usage: gen_flow FILE SEED\n");
		return 2;
	}
	sim = sim_flow_create(strtoull(argv[2], NULL, 10));
	r = write_all(argv[1], sim, &err);
	sim_flow_destroy(sim);
	if (r < 0)
		fprintf(stderr, "gen_flow: %s\n", err.text);
	return r < 0;
}
