/* ledger.c - the counts of a query's programs in the kernel, as items of its ledger. */
#include <bpf/bpf.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "probes/live/live_impl.h"

static void sum_stats(const struct rn_live *s, int64_t stat[RN_STAT_COUNT])
{
	memset(stat, 0, RN_STAT_COUNT * sizeof(*stat));
	for (unsigned cpu = 0; s->maps.globals && cpu < s->ncpus; cpu++) {
		const int64_t *v = (const void *)rn_live_part(s, cpu);

		for (unsigned i = 0; i < RN_STAT_COUNT; i++)
			stat[i] += __atomic_load_n(&v[i], __ATOMIC_RELAXED);
	}
}

/* Events that a program missed because it was already running on the CPU. A call of a function of
 * the kernel whose entry is missed by a kprobe.session counts twice before 6.14: its return is
 * missed, too. */
static int64_t misses(const struct rn_live *s)
{
	int64_t n = 0;

	for (unsigned i = 0; i < s->out.nprogs; i++) {
		struct bpf_prog_info info = {0};
		uint32_t len = sizeof(info);

		/* a return of a function that is missed leaves the call open */
		if (s->out.prog[i].hook == RN_HOOK_KERNEL_RETURN ||
		    s->out.prog[i].hook == RN_HOOK_TRACED_RETURN)
			continue;
		if (s->prog_fd[i] >= 0 && !bpf_obj_get_info_by_fd(s->prog_fd[i], &info, &len))
			n += (int64_t)info.recursion_misses;
	}
	return n + s->link_misses;
}

/* Add one path's counts, also to the sums. */
static void cover(struct rn_ledger *ledger, int64_t *to, const struct rn_bpf_cover *x)
{
	static const struct {
		enum rn_cover_item item;
		enum rn_ledger_item sum;
	} rows[] = {
		{RN_C_CALLS, RN_L_COUNT},
		{RN_C_BYTES_SEEN, RN_L_BYTES_SEEN},
		{RN_C_BYTES_SCANNED, RN_L_BYTES_SCANNED},
		{RN_C_BEYOND_CAP, RN_L_BEYOND_CAP},
		{RN_C_FAULTED, RN_L_FAULTED},
		{RN_C_UNCOVERED, RN_L_UNCOVERED},
		{RN_C_UNJOINED, RN_L_UNJOINED},
		{RN_C_KNOWN_CLEAN, RN_L_KNOWN_CLEAN},
		{RN_C_POSTPONED, RN_L_COUNT},
	};
	const rn_u64 n[] = {x->calls,      x->bytes_seen,  x->bytes_scanned,
			    x->beyond_cap, x->faulted,     x->uncovered,
			    x->unjoined,   x->known_clean, x->postponed};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		to[rows[i].item] = (int64_t)n[i];
		if (rows[i].sum < RN_L_COUNT)
			ledger->n[rows[i].sum] += (int64_t)n[i];
	}
}

/* Events that a query for tags has seen and that `where` left out before the search: all but the
 * searched ones, and those that had nothing to search. */
static int64_t skipped(const struct rn_live *s, const int64_t *stat, const struct rn_bpf_stats *x)
{
	int64_t n = stat[RN_STAT_SEEN] - stat[RN_STAT_EMPTY] - (int64_t)x->empty;

	for (int p = 0; p < RN_PATH_COUNT; p++)
		n -= (int64_t)x->path[p].calls;
	return s->out.intrinsics & (1ULL << RN_I_SCAN | 1ULL << RN_I_FOUND) && n > 0 ? n : 0;
}

/* First events of pairs that wait for the second. */
static int64_t waiting(const struct rn_live *s)
{
	unsigned char key[2][8 * RN_PAIR_KEYS];
	int64_t n = 0, most = s->maps.spec[RN_MAP_PAIRS].entries;

	for (;
	     n < most && !bpf_map_get_next_key(s->maps.fd[RN_MAP_PAIRS], n ? key[0] : NULL, key[1]);
	     n++)
		memcpy(key[0], key[1], sizeof(key[0]));
	return n;
}

/* A first event that is neither paired nor waiting was forgotten when the map was full. */
static void pairs(const struct rn_live *live, const int64_t *stat, struct rn_ledger *ledger)
{
	int64_t gone, wait;

	/* calls of functions without an end; those that could not be noted */
	if (live->stopped)
		ledger->n[RN_L_OPEN] = stat[RN_STAT_NOTED] - stat[RN_STAT_ENDED];
	ledger->n[RN_L_LOST_PAIR] = stat[RN_STAT_NOTE_LOST];
	if (!live->fragment->cls->pair || live->maps.fd[RN_MAP_PAIRS] < 0)
		return;
	/* ends with a condition count what they saw; for the others, add up the outcomes */
	ledger->n[RN_L_SEEN] = stat[RN_STAT_SEEN];
	if (!live->fragment->ends[0].nwhere)
		ledger->n[RN_L_SEEN] += stat[RN_STAT_PAIR_BEGUN] + stat[RN_STAT_PAIR_LOST];
	if (!live->fragment->ends[1].nwhere)
		ledger->n[RN_L_SEEN] += stat[RN_STAT_PAIRED] + stat[RN_STAT_UNPAIRED];
	ledger->n[RN_L_REOPENED] = stat[RN_STAT_PAIR_AGAIN];
	ledger->n[RN_L_LOST_PAIR] += stat[RN_STAT_PAIR_LOST];
	/* a ledger for testing limits: the map is too large to be read again and again */
	if (!live->stopped)
		return;
	wait = waiting(live);
	ledger->n[RN_L_OPEN] += wait;
	gone = stat[RN_STAT_PAIR_BEGUN] - stat[RN_STAT_PAIR_AGAIN] - stat[RN_STAT_PAIRED] - wait;
	ledger->n[RN_L_LOST_PAIR] += gone > 0 ? gone : 0;
}

/* TLS libraries without probes, or with only some of them. */
static int64_t unprobed(const struct rn_live *s)
{
	int64_t n = s->tls.left;

	for (unsigned i = 0; i < s->tls.n; i++)
		n += s->tls.list[i].refused;
	return n;
}

/* Hits that could not go on to all queries that share the search. */
static int64_t unpassed(const struct rn_live *s)
{
	size_t each = (RN_SCRATCH_BYTES + 7) & ~(size_t)7;
	char *v = s->out.shareable ? rn_calloc(s->ncpus, each) : NULL;
	uint32_t first = 0;
	int64_t n = 0;

	if (v && !bpf_map_lookup_elem(s->maps.fd[RN_MAP_SCRATCH], &first, v))
		for (unsigned cpu = 0; cpu < s->ncpus; cpu++)
			n += *(int64_t *)(v + cpu * each + RN_SCRATCH_UNPASSED);
	free(v);
	return n;
}

void rn_live_counts(const struct rn_live *live, bool whole, struct rn_live_counts *out)
{
	memset(out, 0, sizeof(*out));
	sum_stats(live, out->stat);
	if (live->intrinsics && whole)
		rn_intrinsics_stats(live->intrinsics, &out->bpf);
	else if (live->intrinsics)
		rn_intrinsics_counts(live->intrinsics, &out->bpf);
	out->misses = misses(live);
	out->unpassed = unpassed(live);
}

/* Adds the counts of another query's search while this one shared it. Its own counts are of
 * functions of TLS libraries, and of the results. */
static void add_search(const struct rn_live *live, struct rn_live_counts *c)
{
	static const enum rn_stat shared[] = {RN_STAT_SEEN, RN_STAT_COMPAT, RN_STAT_EMPTY};
	enum { WORDS = RN_PATHS * (sizeof(struct rn_bpf_cover) / sizeof(uint64_t)) };
	const struct rn_live_counts *from = &live->shared_begin;
	struct rn_live_counts now = live->shared_end;

	if (!live->left)
		rn_live_counts(rn_search_owner(live), true, &now);
	for (unsigned i = 0; i < sizeof(shared) / sizeof(*shared); i++)
		c->stat[shared[i]] += now.stat[shared[i]] - from->stat[shared[i]];
	for (unsigned i = 0; i < WORDS; i++)
		((uint64_t *)c->bpf.path)[i] +=
			((uint64_t *)now.bpf.path)[i] - ((const uint64_t *)from->bpf.path)[i];
	c->bpf.empty += now.bpf.empty - from->bpf.empty;
	c->bpf.lost_call += now.bpf.lost_call - from->bpf.lost_call;
	c->misses += now.misses - from->misses;
	c->unpassed += now.unpassed - from->unpassed;
}

void rn_live_ledger(const struct rn_live *live, struct rn_ledger *ledger)
{
	struct rn_live_counts counts = live->shared_end;
	const int64_t *stat = counts.stat;
	struct rn_bpf_stats x;

	if (!live->left || rn_search_owner(live))
		rn_live_counts(live, true, &counts);
	if (rn_search_owner(live))
		add_search(live, &counts);
	x = counts.bpf;
	ledger->n[RN_L_MATCHED] = live->rows + stat[RN_STAT_LOST_RING] + live->events;
	ledger->n[RN_L_SEEN] = live->out.counts_seen
				       ? stat[RN_STAT_SEEN]
				       : ledger->n[RN_L_MATCHED] + stat[RN_STAT_UNPAIRED];
	pairs(live, stat, ledger);
	ledger->n[RN_L_LOST_RING] = stat[RN_STAT_LOST_RING];
	ledger->n[RN_L_LOST_MAP] = live->out.key.bytes ? live->other : 0;
	ledger->n[RN_L_LOST_CELL] = stat[RN_STAT_LOST_CELL];
	ledger->n[RN_L_LOST_SCRATCH] =
		counts.misses + counts.unpassed + stat[RN_STAT_LOST_SCRATCH] + (int64_t)x.lost_call;
	ledger->n[RN_L_UNPAIRED] = stat[RN_STAT_UNPAIRED];
	for (int p = 0; p < RN_PATH_COUNT; p++)
		cover(ledger, ledger->path[p], &x.path[p]);
	/* the module came later, and perhaps serves files */
	if (live->fragment->cls->id == RN_CLS_TAG && !live->nfsd && rn_live_has_nfsd()) {
		ledger->path[RN_PATH_FILE][RN_C_UNCOVERED]++;
		ledger->n[RN_L_UNCOVERED]++;
	}
	ledger->n[RN_L_FAULTED] += (int64_t)x.faulted + stat[RN_STAT_FAULTED];
	ledger->n[RN_L_TRUNCATED] = (int64_t)(x.truncated + x.lost_path) + stat[RN_STAT_TRUNCATED];
	ledger->n[RN_L_WITHHELD] = (int64_t)x.withheld;
	ledger->n[RN_L_UNSETTLED] = (int64_t)x.unsettled;
	ledger->n[RN_L_LOST_STACK] = stat[RN_STAT_LOST_STACK];
	if (live->dec.stacks)
		ledger->n[RN_L_TRUNCATED] += rn_stacks_cut(live->dec.stacks);
	ledger->n[RN_L_UNATTACHED] =
		live->unattached + live->named[0].user.left_out + live->named[1].user.left_out;
	ledger->n[RN_L_UNPROBED] = unprobed(live);
	ledger->n[RN_L_COMPAT] = stat[RN_STAT_COMPAT];
	ledger->n[RN_L_SKIPPED] = skipped(live, stat, &x);
}
