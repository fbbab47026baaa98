/* stack.c - numbers of stacks to text: see stack.h.
 *
 * It has one cache of texts by number (and process); one list of processes, each with its regions
 * (regions.h); and the files that they have mapped, with their functions (mapped.h). All is
 * bounded: processes in number, regions in sum, the cost of reading mappings by each user's
 * share. */
#include "lang/base/memory.h"
#include "probes/live/stack.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "lang/base/str.h"
#include "probes/process/mapped.h"
#include "probes/process/regions.h"
#include "probes/process/share.h"
#include "probes/process/symbols.h"
#include "lang/base/clock.h"

enum { MAX_TEXT = 16384, MAX_CACHE = 256 << 20, MAX_PROCS = 4096, NO_CODE = 4096 };
/* FEW mappings of a new process are read at once, since other processes may end meanwhile. If it
 * has more, all are read when nothing else is to be learned, and again only after REST times as
 * long as that takes. */
enum { FEW = 4096, REST = 8 };
/* Regions kept for root's processes, and for all others; some 40 bytes each. */
static const unsigned regions_max[2] = {1 << 20, 1 << 18};

struct process {
	uint64_t id;
	uint32_t uid;
	struct rn_regions regions;
	bool dead;
	bool late; /* some mappings were read too late */
	bool more; /* it has more than FEW, and only so many were read */
	int64_t first_ns, read_ns, cost_ns;
};
struct text {
	uint64_t number, proc;
	const char *s;
	uint32_t len;
};
struct rn_stacks {
	struct rn_arena *arena;
	int way[RN_STACK_WAYS], procs;
	unsigned bytes;
	bool foreign;
	struct rn_symbols *kernel; /* NULL until first needed */
	struct rn_mapped *files;
	struct process *proc;
	unsigned nprocs, last_proc;
	unsigned next_proc;    /* the next to be forgotten, once all places are taken */
	unsigned nmore;        /* processes with more */
	unsigned regions[2];   /* of root's processes, and of others' */
	struct rn_share lines; /* of /proc/PID/maps */
	struct text *text;
	uint32_t ntexts, cap_texts;
	int64_t cut;
};

static void *grown(void *v, unsigned n, size_t each) /* room for one more, by powers of two */
{
	if (n & (n - 1))
		return v;
	v = rn_realloc(v, (n ? 2 * (size_t)n : 1) * each);
	return v;
}

/* ---- processes and their mappings ---- */

static void forget_regions(struct rn_stacks *s, struct process *p)
{
	s->regions[p->uid != 0] -= p->regions.n;
	rn_regions_free(&p->regions);
}

/* Regions are bounded in sum: the process with the most loses its regions, among root's or among
 * the others'. They are read again when a stack needs them, if the process lives. */
static void make_room(struct rn_stacks *stacks, const struct process *keep)
{
	bool user = keep->uid != 0;

	while (stacks->regions[user] > regions_max[user]) {
		struct process *most = NULL;

		for (unsigned i = 0; i < stacks->nprocs; i++) {
			struct process *p = &stacks->proc[i];

			if (p == keep || (p->uid != 0) != user || !p->regions.n)
				continue;
			if (!most || p->regions.n > most->regions.n)
				most = p;
		}
		if (!most)
			return;
		forget_regions(stacks, most);
		most->late = true;
	}
}

static void sweep_files(struct rn_stacks *s)
{
	if (!rn_mapped_full(s->files))
		return;
	for (unsigned i = 0; i < s->nprocs; i++)
		for (unsigned k = 0; k < s->proc[i].regions.n; k++)
			if (s->proc[i].regions.list[k].code)
				rn_mapped_mark(s->files, s->proc[i].regions.list[k].file);
	rn_mapped_sweep(s->files);
}

static void set_more(struct rn_stacks *s, struct process *p, bool more)
{
	s->nmore += more - p->more;
	p->more = more;
}

/* Read the mappings of a process again, if its share allows that now. quick: only FEW, unless all
 * have been read before. */
static void read_maps(struct rn_stacks *stacks, struct process *p, bool quick)
{
	unsigned lines = quick && p->regions.lines <= FEW ? FEW : RN_REGION_LINES;
	int64_t begin = rn_mono_ns();
	struct rn_mapping who = {.pid = (int)(uint32_t)p->id, .proc = p->id, .uid = p->uid};
	unsigned before = p->regions.n;
	char name[64];
	FILE *f;

	if (stacks->foreign || p->dead) {
		p->dead = true;
		set_more(stacks, p, false);
		return;
	}
	p->late = (p->regions.lines > FEW && begin - p->read_ns < REST * p->cost_ns) ||
		  rn_share_left(&stacks->lines, p->uid, begin) <= 0;
	if (p->late)
		return;
	snprintf(name, sizeof(name), "/proc/%d/maps", who.pid);
	f = fopen(name, "re");
	p->dead = !f || !rn_regions_read(&p->regions, f, lines, &who, stacks->files);
	if (f)
		(void)fclose(f);
	p->read_ns = rn_mono_ns();
	p->cost_ns = p->read_ns - begin;
	p->late = p->regions.cut;
	set_more(stacks, p, p->regions.cut && lines == FEW);
	rn_share_take(&stacks->lines, p->uid, p->regions.lines, p->read_ns);
	stacks->regions[p->uid != 0] += p->regions.n - before;
	make_room(stacks, p);
	sweep_files(stacks);
}

/* The process in this life. A later life of the same id means that this one is over: its mappings
 * can no longer be read. */
static struct process *process_of(struct rn_stacks *stacks, uint64_t id, bool *fresh)
{
	struct process *p;
	bool over = false;

	*fresh = false;
	if (stacks->nprocs && stacks->proc[stacks->last_proc].id == id)
		return &stacks->proc[stacks->last_proc];
	for (unsigned i = 0; i < stacks->nprocs; i++) {
		if (stacks->proc[i].id == id) {
			stacks->last_proc = i;
			return &stacks->proc[i];
		}
		if ((uint32_t)stacks->proc[i].id != (uint32_t)id)
			continue;
		if (stacks->proc[i].id < id)
			stacks->proc[i].dead = true;
		else
			over = true;
	}
	if (stacks->nprocs < MAX_PROCS) {
		stacks->proc = grown(stacks->proc, stacks->nprocs, sizeof(*stacks->proc));
		stacks->last_proc = stacks->nprocs++;
	} else {
		stacks->last_proc = stacks->next_proc++ % MAX_PROCS;
		set_more(stacks, &stacks->proc[stacks->last_proc], false);
		forget_regions(stacks, &stacks->proc[stacks->last_proc]);
	}
	p = &stacks->proc[stacks->last_proc];
	*p = (struct process){.id = id, .dead = over, .first_ns = rn_mono_ns(), .uid = UINT32_MAX};
	if (!stacks->foreign && !over)
		p->uid = rn_share_user((int)(uint32_t)id);
	*fresh = true;
	read_maps(stacks, p, true);
	return p;
}

void rn_stacks_meet(struct rn_stacks *stacks, uint64_t proc)
{
	struct process *p;
	bool fresh;

	if (!proc)
		return;
	p = process_of(stacks, proc, &fresh);
	if (!fresh && rn_mono_ns() - p->read_ns > p->read_ns - p->first_ns + 1000000)
		read_maps(stacks, p, true);
}

void rn_stacks_prepare(struct rn_stacks *stacks)
{
	if (!stacks->kernel)
		stacks->kernel = rn_symbols_kernel();
}

void rn_stacks_learn(struct rn_stacks *stacks)
{
	uint64_t id;

	while (stacks->procs >= 0 && !bpf_map_get_next_key(stacks->procs, NULL, &id)) {
		bool fresh;
		struct process *p;

		if (bpf_map_delete_elem(stacks->procs, &id))
			return;
		if (!id)
			continue;
		p = process_of(stacks, id, &fresh);
		if (!fresh)
			read_maps(stacks, p, true);
	}
	for (unsigned i = 0; stacks->nmore && i < stacks->nprocs; i++)
		if (stacks->proc[i].more) {
			set_more(stacks, &stacks->proc[i], false);
			read_maps(stacks, &stacks->proc[i], false);
			return;
		}
}

/* ---- addresses to names ---- */

/* False if the address is no code. If a function keeps no frame pointer, the kernel takes another
 * value for an address, and all further ones are meaningless. */
static bool user_name(struct rn_stacks *stacks, struct process *p, uint64_t ip, bool *again,
		      char *out, size_t room)
{
	struct rn_mapping at = {.pid = (int)(uint32_t)p->id, .proc = p->id, .uid = p->uid};
	struct rn_region *region = rn_regions_find(&p->regions, ip);

	if (!region && !*again) { /* mapped after we looked: read once more for a stack */
		*again = true;
		read_maps(stacks, p, false);
		region = rn_regions_find(&p->regions, ip);
		stacks->cut += !region && p->late;
	}
	if (region ? !region->code : !p->dead || ip < NO_CODE || ip >> 56) {
		snprintf(out, room, "0x%llx", (unsigned long long)ip);
		return false;
	}
	if (!region) {
		snprintf(out, room, "[pid gone]+0x%llx", (unsigned long long)ip);
		return true;
	}
	at.start = region->start;
	at.end = region->end;
	at.offset = region->offset;
	at.dev = region->dev;
	at.ino = region->ino;
	stacks->cut += !rn_mapped_name(stacks->files, &region->file, &at, ip, out, room);
	return true;
}

static void kernel_name(struct rn_stacks *s, uint64_t ip, char *out, size_t room)
{
	rn_stacks_prepare(s);
	if (!rn_symbols_find(s->kernel, ip, out, room))
		snprintf(out, room, "0x%llx", (unsigned long long)ip);
}

/* Is it an innermost frame: our own program, or its caller? These say nothing about the event. */
static bool is_tracing(const char *name)
{
	static const char *const begin[] = {
		"bpf_prog_",         "bpf_trace_run",   "__bpf_trace_",    "__traceiter_",
		"__bpf_get_stackid", "bpf_get_stackid", "trace_call_bpf",  "perf_trace_",
		"perf_syscall_",     "perf_call_bpf",   "bpf_dispatcher_", "trace_event_raw_event",
		"__bpf_prog_",       "do_perf_trace_",  "__do_trace_",     "__perf_trace_"};

	for (unsigned i = 0; i < sizeof(begin) / sizeof(*begin); i++)
		if (!strncmp(name, begin[i], strlen(begin[i])))
			return true;
	return false;
}

struct rn_value rn_stacks_text(struct rn_stacks *stacks, const uint64_t *ip, unsigned n, bool user,
			       uint64_t proc, struct rn_arena *arena)
{
	bool again = false, fresh, cut = n >= RN_STACK_FRAMES;
	struct process *p = user && n ? process_of(stacks, proc, &fresh) : NULL;
	unsigned first = 0, last = n;
	struct rn_strbuf buf;
	size_t bytes = 0;
	char(*name)[RN_SYMBOL_BYTES] = rn_calloc(n ? n : 1, RN_SYMBOL_BYTES);

	for (unsigned i = 0; i < n; i++) {
		/* A return address may be the one after the function's end: the call before it
		 * counts. */
		if (user && !user_name(stacks, p, i ? ip[i] - 1 : ip[i], &again, name[i],
				       RN_SYMBOL_BYTES)) {
			last = n = i ? i : 1;
			cut = false;
		}
		if (!user)
			kernel_name(stacks, i ? ip[i] - 1 : ip[i], name[i], RN_SYMBOL_BYTES);
	}
	for (unsigned i = 0; !user && i + 1 < n && i < 16; i++)
		if (is_tracing(name[i]))
			first = i + 1;
	for (unsigned i = first; i < n; i++) {
		bytes += strlen(name[i]) + 1;
		if (bytes > MAX_TEXT && i > first) {
			last = i;
			cut = true;
			break;
		}
	}
	rn_strbuf_init(&buf, arena);
	if (cut)
		rn_strbuf_put(&buf, "...;");
	stacks->cut += cut;
	for (unsigned i = last; i-- > first;) {
		rn_strbuf_put(&buf, name[i]);
		if (i > first)
			rn_strbuf_putc(&buf, ';');
	}
	free(name);
	rn_strbuf_cstr(&buf);
	return rn_strn(buf.s, buf.len);
}

/* ---- the cache of texts ---- */

static uint32_t place(const struct rn_stacks *s, uint64_t number, uint64_t proc)
{
	uint64_t h = (number ^ proc * 0xd6e8feb86659fd93ULL) * 0x9E3779B97F4A7C15ULL;

	h = (h ^ h >> 32) & (s->cap_texts - 1);
	while (s->text[h].s && (s->text[h].number != number || s->text[h].proc != proc))
		h = (h + 1) & (s->cap_texts - 1);
	return (uint32_t)h;
}

static void grow_texts(struct rn_stacks *s)
{
	struct text *old = s->text;
	uint32_t n = s->cap_texts;

	s->cap_texts = n ? 2 * n : 1024;
	s->text = rn_calloc(s->cap_texts, sizeof(*s->text));
	for (uint32_t i = 0; i < n; i++)
		if (old[i].s)
			s->text[place(s, old[i].number, old[i].proc)] = old[i];
	free(old);
}

static struct rn_value text_of(struct rn_stacks *stacks, int64_t number, bool user, uint64_t proc,
			       struct rn_arena *scratch)
{
	uint64_t ip[RN_STACK_FRAMES + 1] = {0};
	unsigned way = (unsigned)(number >> RN_STACK_WAY_SHIFT), n = 0;
	uint32_t key = (uint32_t)number & ((1u << RN_STACK_WAY_SHIFT) - 1);
	struct rn_value value;
	struct text *t;

	if (number == RN_STACK_NONE)
		return rn_strn("", 0);
	if (number < 0 || way >= RN_STACK_WAYS)
		return rn_strn("(stack lost)", 12);
	/* the same addresses could be both kinds, and would be one in the map */
	proc = user ? proc : UINT64_MAX;
	if (2 * (stacks->ntexts + 1) > stacks->cap_texts)
		grow_texts(stacks);
	t = &stacks->text[place(stacks, (uint64_t)number, proc)];
	if (t->s)
		return rn_strn(t->s, t->len);
	if (stacks->bytes > sizeof(ip) - 8 || bpf_map_lookup_elem(stacks->way[way], &key, ip))
		return rn_strn("(stack lost)", 12);
	while (n < stacks->bytes / 8 && ip[n])
		n++;
	value = rn_stacks_text(stacks, ip, n, user, proc,
			       rn_arena_full(stacks->arena) ? scratch : stacks->arena);
	if (!rn_arena_full(stacks->arena)) {
		*t = (struct text){(uint64_t)number, proc, value.s, value.len};
		stacks->ntexts++;
	}
	return value;
}

struct rn_value rn_stacks_kernel(struct rn_stacks *stacks, int64_t number, struct rn_arena *scratch)
{
	return text_of(stacks, number, false, 0, scratch);
}

struct rn_value rn_stacks_user(struct rn_stacks *stacks, int64_t number, uint64_t proc,
			       struct rn_arena *scratch)
{
	return text_of(stacks, number, true, proc, scratch);
}

/* ---- life ---- */

struct rn_stacks *rn_stacks_create(void)
{
	struct rn_stacks *s = rn_calloc(1, sizeof(*s));

	s->arena = rn_arena_create(MAX_CACHE);
	s->files = rn_mapped_create();
	s->lines.most = 262144;
	s->lines.per_second = 65536;
	s->procs = -1;
	for (unsigned i = 0; i < RN_STACK_WAYS; i++)
		s->way[i] = -1;
	return s;
}

void rn_stacks_maps(struct rn_stacks *stacks, const int way[RN_STACK_WAYS], unsigned bytes,
		    int procs, bool foreign)
{
	memcpy(stacks->way, way, sizeof(stacks->way));
	stacks->bytes = bytes;
	stacks->procs = procs;
	stacks->foreign = foreign;
}

int64_t rn_stacks_cut(const struct rn_stacks *stacks)
{
	return stacks->cut + rn_mapped_cut(stacks->files) +
	       (stacks->kernel && rn_symbols_cut(stacks->kernel));
}

void rn_stacks_free(struct rn_stacks *stacks)
{
	if (!stacks)
		return;
	for (unsigned i = 0; i < stacks->nprocs; i++)
		rn_regions_free(&stacks->proc[i].regions);
	rn_mapped_free(stacks->files);
	rn_symbols_free(stacks->kernel);
	free(stacks->proc);
	free(stacks->text);
	rn_arena_destroy(stacks->arena);
	free(stacks);
}
