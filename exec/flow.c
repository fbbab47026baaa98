/* flow.c - orders the hops of tagged data and finds where each got its data from.
 *
 * A hop takes data in (read, receive), puts it out (write, send), or does both in one call (sendfile, splice, copy_file_range: those
 * with a `source`). What goes in came from the latest earlier hop that put the same tag into the same object: the other end of the
 * connection, the same pipe, the same file. What goes out came from the latest earlier hop that took the same tag into the
 * same process. Both are looked up in one table, (what, tag) -> latest hop, that is filled in the order of the hops. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "exec/flow.h"
#include "lang/types.h"

enum { TIME, NODE, PROC, PID, NAME, FILE_, DEV, INO, LOCAL, PEER, SOURCE, BYTES, LATENCY, TAGS, NEEDS };
static const char *const needs[NEEDS] = {"time", "node", "proc", "pid", "name", "file", "dev", "ino", "local", "peer", "source",
					 "bytes", "latency", "tags"};
static const char *const readers[] = {"read", "pread64", "readv", "preadv", "preadv2", "recvfrom", "recvmsg", "recvmmsg",
				      "process_vm_readv", "io_uring_read", "io_uring_recv", "io_getevents", "io_pgetevents", "mmap_read",
				      "tls_read", NULL};

struct hop {
	struct rn_value v[NEEDS];
	int64_t order_ns;
	bool in, out;
	uint32_t seq, number, from; /* seq: as it came; number: from 1, once ordered */
	struct hop *next;
};

struct slot { const char *key; uint32_t number; };

struct rn_flow {
	struct rn_arena *a;
	int col[NEEDS];            /* place in a row; -1: not there */
	struct hop *first, *last;
	uint32_t n;
	struct slot *slots;        /* open addressing; a power of two */
	uint32_t nslots, used;
};

struct rn_flow *rn_flow_new(struct rn_arena *a, const struct rn_column *cols, unsigned ncols)
{
	struct rn_flow *f = RN_NEW(a, struct rn_flow);

	f->a = a;
	for (int i = 0; i < NEEDS; i++) {
		f->col[i] = -1;
		for (unsigned c = 0; c < ncols; c++)
			if (!strcmp(cols[c].label, needs[i]))
				f->col[i] = (int)c;
	}
	f->nslots = 1024;
	f->slots = RN_NEWN(a, struct slot, f->nslots);
	return f;
}

static bool is(const struct rn_value *v, const char *s)
{
	return v->kind == RN_STR && v->len == strlen(s) && !memcmp(v->s, s, v->len);
}

static bool among(const char *const *list, const struct rn_value *v)
{
	for (; *list; list++)
		if (is(v, *list))
			return true;
	return false;
}

static bool is_text(const struct rn_value *v)
{
	return v->kind == RN_STR && v->len;
}

static int64_t number(const struct rn_value *v)
{
	return v->kind == RN_INT ? v->i : 0;
}

void rn_flow_add(struct rn_flow *f, const struct rn_rows *r)
{
	for (uint32_t k = 0; k < r->nrows; k++) {
		const struct rn_value *row = r->v + (size_t)k * r->ncols;
		struct hop *h = RN_NEW(f->a, struct hop);

		for (int i = 0; i < NEEDS; i++) {
			h->v[i] = f->col[i] < 0 ? (i == TIME ? rn_int(r->time_ns[k]) : rn_strn("", 0)) : row[f->col[i]];
			if (h->v[i].kind == RN_STR)
				h->v[i].s = rn_arena_strndup(f->a, h->v[i].len ? h->v[i].s : "", h->v[i].len);
		}
		h->in = among(readers, &h->v[NAME]);
		h->out = !h->in;
		if (is_text(&h->v[SOURCE]))
			h->in = h->out = true;
		h->order_ns = number(&h->v[TIME]) - (h->out ? number(&h->v[LATENCY]) : 0);
		h->seq = f->n++;
		if (f->last)
			f->last->next = h;
		else
			f->first = h;
		f->last = h;
	}
}

/* ---- (what, tag) -> latest hop ---------------------------------------------------------------------------------------- */

static uint32_t hash(const char *s)
{
	uint64_t h = 0xcbf29ce484222325ull;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3ull;
	return (uint32_t)(h ^ h >> 32);
}

static struct slot *find(struct slot *slots, uint32_t n, const char *key)
{
	uint32_t at = hash(key) & (n - 1);

	while (slots[at].key && strcmp(slots[at].key, key))
		at = (at + 1) & (n - 1);
	return &slots[at];
}

static void put(struct rn_flow *f, const char *key, uint32_t hop)
{
	struct slot *s = find(f->slots, f->nslots, key);

	if (!s->key && f->used >= f->nslots / 2) {
		struct slot *more = RN_NEWN(f->a, struct slot, f->nslots * 2);

		for (uint32_t i = 0; i < f->nslots; i++)
			if (f->slots[i].key)
				*find(more, f->nslots * 2, f->slots[i].key) = f->slots[i];
		f->slots = more;
		f->nslots *= 2;
		s = find(f->slots, f->nslots, key);
	}
	f->used += !s->key;
	*s = (struct slot){.key = key, .number = hop};
}

/* Remembers hop under what, for each of its tags. */
static void remember(struct rn_flow *f, const char *what, const struct hop *h)
{
	const struct rn_value *t = &h->v[TAGS];

	for (uint32_t at = 0, end; at <= t->len; at = end + 1) {
		for (end = at; end < t->len && t->s[end] != ',';)
			end++;
		put(f, rn_arena_printf(f->a, "%s|%.*s", what, (int)(end - at), t->s + at), h->number);
	}
}

/* The latest hop that was remembered under what with one of h's tags; 0: none. */
static uint32_t latest(struct rn_flow *f, const char *what, const struct hop *h)
{
	const struct rn_value *t = &h->v[TAGS];
	uint32_t best = 0;

	for (uint32_t at = 0, end; at <= t->len; at = end + 1) {
		const struct slot *s;

		for (end = at; end < t->len && t->s[end] != ',';)
			end++;
		s = find(f->slots, f->nslots, rn_arena_printf(f->a, "%s|%.*s", what, (int)(end - at), t->s + at));
		if (s->key && s->number > best)
			best = s->number;
	}
	return best;
}

/* ---- objects ---------------------------------------------------------------------------------------------------------- */

static bool is_address(const struct rn_value *v)
{
	static const char zero[RN_IP_BYTES];

	return v->kind == RN_STR && v->len == RN_IP_BYTES && memcmp(v->s, zero, RN_IP_BYTES);
}

static const char *address(struct rn_flow *f, const struct rn_value *v)
{
	char text[64];
	size_t n = rn_ip_show((const unsigned char *)v->s, text, sizeof(text));

	return rn_arena_strndup(f->a, text, n);
}

static bool is_loopback(const struct rn_value *v)
{
	static const char v4[13] = {[10] = '\xff', '\xff', 127}, v6[16] = {[15] = 1};

	return !memcmp(v->s, v4, sizeof(v4)) || !memcmp(v->s, v6, sizeof(v6));
}

static const char *path_key(struct rn_flow *f, const struct hop *h, const struct rn_value *path)
{
	const struct rn_value *node = &h->v[NODE];

	return rn_arena_printf(f->a, "f|%.*s|%.*s", (int)node->len, node->s, (int)path->len, path->s);
}

/* What identifies the object that a hop puts data into (out) or takes it from: of a connection, its direction; of a file its device
 * and inode, so that a hard link or another name is the same file and a new file of an old name is not. Where these are not known
 * (the source of a copy in the kernel, a recording without them) it is the path. Loopback addresses, pipes and files belong to one
 * node. NULL: not known. The two ends of a socket without addresses are two inodes, and what is written into one is not read from it. */
static const char *object_key(struct rn_flow *f, const struct hop *h, bool out)
{
	const struct rn_value *v = h->v;
	int node = (int)v[NODE].len;

	if (!out && is_text(&v[SOURCE]))
		return path_key(f, h, &v[SOURCE]);
	if (is_address(&v[LOCAL]) && is_address(&v[PEER])) {
		if (!is_loopback(&v[LOCAL]))
			node = 0;
		return rn_arena_printf(f->a, "s|%.*s|%s|%s", node, v[NODE].s, address(f, &v[out ? LOCAL : PEER]),
				       address(f, &v[out ? PEER : LOCAL]));
	}
	if (v[FILE_].len > 7 && !memcmp(v[FILE_].s, "socket:", 7))
		return NULL;
	if (number(&v[INO]))
		return rn_arena_printf(f->a, "i|%.*s|%lld|%lld", node, v[NODE].s, (long long)number(&v[DEV]), (long long)number(&v[INO]));
	return path_key(f, h, &v[FILE_]);
}

static const char *process_key(struct rn_flow *f, const struct hop *h)
{
	return rn_arena_printf(f->a, "p|%.*s|%lld", (int)h->v[NODE].len, h->v[NODE].s, (long long)number(&h->v[PID]));
}

static const char *object_text(struct rn_flow *f, const struct hop *h)
{
	const struct rn_value *v = h->v;
	const char *object;

	if (is_address(&v[LOCAL]) && is_address(&v[PEER]))
		object = rn_arena_printf(f->a, "%s -> %s", address(f, &v[LOCAL]), address(f, &v[PEER]));
	else
		object = rn_arena_strndup(f->a, v[FILE_].s, v[FILE_].len);
	if (is_text(&v[SOURCE]))
		object = rn_arena_printf(f->a, "%.*s => %s", (int)v[SOURCE].len, v[SOURCE].s, object);
	return object;
}

/* ---- order and links -------------------------------------------------------------------------------------------------- */

static int by_order(const void *a, const void *b)
{
	const struct hop *x = *(struct hop *const *)a, *y = *(struct hop *const *)b;

	if (x->order_ns != y->order_ns)
		return x->order_ns < y->order_ns ? -1 : 1;
	if (x->out != y->out)
		return x->out ? -1 : 1; /* what is sent precedes what is received */
	return (x->seq > y->seq) - (x->seq < y->seq);
}

static void link_hop(struct rn_flow *f, struct hop *h)
{
	const char *process = process_key(f, h), *object = object_key(f, h, false), *to = object_key(f, h, true);

	if (h->in && object)
		h->from = latest(f, object, h);
	if (h->out && !h->from)
		h->from = latest(f, process, h);
	if (h->in)
		remember(f, process, h);
	if (h->out && to) {
		remember(f, to, h);
		remember(f, path_key(f, h, &h->v[FILE_]), h); /* for who knows the path only */
	}
}

static int show(struct rn_flow *f, const struct hop *h, int (*visit)(void *self, const struct rn_value *v, int64_t time_ns), void *self)
{
	const char *object = object_text(f, h), *dir = h->out ? "out" : "in";
	struct rn_value v[RN_FLOW_COLUMNS] = {
		[RN_FLOW_HOP] = rn_int(h->number), [RN_FLOW_TIME] = h->v[TIME], [RN_FLOW_NODE] = h->v[NODE],
		[RN_FLOW_PROC] = h->v[PROC], [RN_FLOW_PID] = rn_int(number(&h->v[PID])), [RN_FLOW_NAME] = h->v[NAME],
		[RN_FLOW_DIR] = rn_strn(dir, strlen(dir)), [RN_FLOW_OBJECT] = rn_strn(object, strlen(object)),
		[RN_FLOW_BYTES] = rn_int(number(&h->v[BYTES])), [RN_FLOW_LATENCY] = rn_int(number(&h->v[LATENCY])),
		[RN_FLOW_TAGS] = h->v[TAGS], [RN_FLOW_FROM] = rn_int(h->from),
	};

	return visit(self, v, number(&h->v[TIME]));
}

int rn_flow_visit(struct rn_flow *f, int (*visit)(void *self, const struct rn_value *v, int64_t time_ns), void *self)
{
	struct hop **order = malloc((f->n + 1) * sizeof(*order));
	uint32_t n = 0;
	int r = order ? 0 : -ENOMEM;

	for (struct hop *h = f->first; h && order; h = h->next)
		order[n++] = h;
	if (n)
		qsort(order, n, sizeof(*order), by_order);
	for (uint32_t i = 0; i < n && r >= 0; i++) {
		order[i]->number = i + 1;
		link_hop(f, order[i]);
		r = show(f, order[i], visit, self);
	}
	free(order);
	return r < 0 ? r : 0;
}
