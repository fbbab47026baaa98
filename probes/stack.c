/* stack.c - numbers of stacks to text: see stack.h.
 *
 * One cache of texts by number (and process); one list of processes with their executable mappings; one list of files, by device and
 * inode, each with its symbols. All are small: linear search, but for the texts. */
#include "lang/memory.h"
#include "probes/stack.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "lang/text.h"
#include "probes/elf.h"
#include "probes/symbols.h"

enum { MAX_FILES_OPEN = 256, MAX_TEXT = 16384, MAX_CACHE = 256 << 20, MAX_PROCS = 4096, NO_CODE = 4096 };

struct file { uint64_t dev, ino; char *name; int fd; struct rn_symbols *symbols; }; /* fd: -1 once read, or if it never opened */
struct region { uint64_t start, end, offset; unsigned file; bool code; };
struct process { uint64_t id; struct region *v; unsigned n; bool dead; int64_t first_ns, read_ns; };
struct text { uint64_t number, proc; const char *s; uint32_t len; };
struct rn_stacks {
	struct rn_arena *a;
	int way[RN_STACK_WAYS], procs;
	unsigned bytes;
	bool foreign;
	struct rn_symbols *kernel; /* NULL until first needed */
	struct file *file; unsigned nfiles, nopen;
	struct process *proc; unsigned nprocs, next_proc, last_proc; /* next: to be forgotten first, once all places are taken */
	struct text *text; uint32_t ntexts, cap_texts;
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

/* Mapped files by name may be gone, replaced, or of another mount namespace; map_files leads to the very file. */
static int open_mapped(int pid, const char *range, const char *path, uint64_t ino)
{
	char name[4200];
	struct stat st;
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/map_files/%s", pid, range);
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		snprintf(name, sizeof(name), "/proc/%d/root%s", pid, path);
		fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	}
	if (fd >= 0 && (fstat(fd, &st) || st.st_ino != ino || !S_ISREG(st.st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static unsigned file_of(struct rn_stacks *s, int pid, const char *range, const char *path, uint64_t dev, uint64_t ino)
{
	const char *base = strrchr(path, '/');
	size_t len;
	struct file *f;

	base = base ? base + 1 : *path ? path : "[anon]";
	len = strcspn(base, ";\n");
	if (len > 10 && !strncmp(base + len - 10, " (deleted)", 10))
		len -= 10;
	for (unsigned i = 0; i < s->nfiles; i++)
		if (s->file[i].dev == dev && s->file[i].ino == ino && (ino || !strncmp(s->file[i].name, base, len + 1)))
			return i;
	s->file = grown(s->file, s->nfiles, sizeof(*s->file));
	f = &s->file[s->nfiles];
	*f = (struct file){dev, ino, rn_strndup(base, len), -1, NULL};
	if (ino && s->nopen < MAX_FILES_OPEN) {
		f->fd = open_mapped(pid, range, path, ino);
		s->nopen += f->fd >= 0;
	}
	return s->nfiles++;
}

static void add_region(struct rn_stacks *s, struct process *p, int pid, const char *line)
{
	unsigned long long start, end, offset, ino;
	unsigned major, minor;
	char perms[8], range[64];
	int at = 0;
	struct region *r;

	if (sscanf(line, "%llx-%llx %7s %llx %x:%x %llu %n", &start, &end, perms, &offset, &major, &minor, &ino, &at) < 7)
		return;
	for (unsigned i = 0; i < p->n; i++)
		if (p->v[i].start == start && p->v[i].end == end && p->v[i].offset == offset && p->v[i].code == (perms[2] == 'x') &&
		    (!p->v[i].code || s->file[p->v[i].file].ino == ino))
			return;
	snprintf(range, sizeof(range), "%llx-%llx", start, end);
	/* what is there now replaces what was; what is no longer mapped stays: older stacks may mean it */
	for (unsigned i = 0; i < p->n; )
		if (p->v[i].start < end && start < p->v[i].end)
			p->v[i] = p->v[--p->n];
		else
			i++;
	p->v = rn_realloc(p->v, (p->n + 1) * sizeof(*p->v));
	r = &p->v[p->n++];
	*r = (struct region){start, end, offset, 0, perms[2] == 'x'};
	if (r->code)
		r->file = file_of(s, pid, range, line + at, (uint64_t)major << 32 | minor, ino);
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Reads the mappings of a process again; false if it is gone. */
static bool read_maps(struct rn_stacks *s, struct process *p)
{
	int pid = (int)(uint32_t)p->id;
	char name[64], *line = NULL;
	size_t room = 0;
	bool any = false;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	f = s->foreign || p->dead ? NULL : fopen(name, "re");
	while (f && getline(&line, &room, f) > 0) {
		line[strcspn(line, "\n")] = 0;
		add_region(s, p, pid, line);
		any = true;
	}
	free(line);
	if (f)
		(void)fclose(f);
	p->dead = !any;
	p->read_ns = now_ns();
	return any;
}

/* The process of this life; a later one of the same id tells that this one is over: its mappings can no longer be read. */
static struct process *process_of(struct rn_stacks *s, uint64_t id, bool *fresh)
{
	struct process *p;
	bool over = false;

	*fresh = false;
	if (s->nprocs && s->proc[s->last_proc].id == id)
		return &s->proc[s->last_proc];
	for (unsigned i = 0; i < s->nprocs; i++) {
		if (s->proc[i].id == id) {
			s->last_proc = i;
			return &s->proc[i];
		}
		if ((uint32_t)s->proc[i].id != (uint32_t)id)
			continue;
		if (s->proc[i].id < id)
			s->proc[i].dead = true;
		else
			over = true;
	}
	if (s->nprocs < MAX_PROCS) {
		s->proc = grown(s->proc, s->nprocs, sizeof(*s->proc));
		s->last_proc = s->nprocs++;
	} else {
		s->last_proc = s->next_proc++ % MAX_PROCS;
		free(s->proc[s->last_proc].v);
	}
	p = &s->proc[s->last_proc];
	*p = (struct process){.id = id, .dead = over, .first_ns = now_ns()};
	*fresh = true;
	read_maps(s, p);
	return p;
}

void rn_stacks_meet(struct rn_stacks *s, uint64_t proc)
{
	struct process *p;
	bool fresh;

	if (!proc)
		return;
	p = process_of(s, proc, &fresh);
	if (!fresh && now_ns() - p->read_ns > p->read_ns - p->first_ns + 1000000)
		read_maps(s, p);
}

void rn_stacks_prepare(struct rn_stacks *s)
{
	if (!s->kernel)
		s->kernel = rn_symbols_kernel();
}

void rn_stacks_learn(struct rn_stacks *s)
{
	uint64_t id;

	while (s->procs >= 0 && !bpf_map_get_next_key(s->procs, NULL, &id)) {
		bool fresh;
		struct process *p;

		if (bpf_map_delete_elem(s->procs, &id))
			return;
		if (!id)
			continue;
		p = process_of(s, id, &fresh);
		if (!fresh)
			read_maps(s, p);
	}
}

/* ---- addresses to names ---- */

static const struct region *region_of(const struct process *p, uint64_t ip)
{
	for (unsigned i = 0; i < p->n; i++)
		if (ip >= p->v[i].start && ip < p->v[i].end)
			return &p->v[i];
	return NULL;
}

/* False if the address is no code: where a function keeps no frame pointer, the kernel takes for an address what is none, and
 * all further ones mean nothing. */
static bool user_name(struct rn_stacks *s, struct process *p, uint64_t ip, bool *again, char *out, size_t room)
{
	const struct region *r = region_of(p, ip);
	struct file *f;
	uint64_t at;
	size_t n;

	if (!r && !*again) { /* mapped after we looked: once for a stack */
		*again = true;
		read_maps(s, p);
		r = region_of(p, ip);
	}
	if (r ? !r->code : !p->dead || ip < NO_CODE || ip >> 56) {
		snprintf(out, room, "0x%llx", (unsigned long long)ip);
		return false;
	}
	if (!r) {
		snprintf(out, room, "[pid gone]+0x%llx", (unsigned long long)ip);
		return true;
	}
	f = &s->file[r->file];
	if (!f->symbols) {
		struct rn_elf *e = rn_elf_open(f->fd, &rn_elf_found);

		f->symbols = rn_symbols_elf(e);
		rn_elf_close(e);
		s->cut += rn_symbols_cut(f->symbols);
		if (f->fd >= 0) {
			close(f->fd);
			s->nopen--;
		}
		f->fd = -1;
	}
	at = rn_symbols_address(f->symbols, ip - r->start + r->offset);
	n = rn_symbols_find(f->symbols, at, out, room);
	s->cut += n == room;
	if (!n && !f->ino) /* memory without a file: a function made at run time, the kernel's own vdso */
		snprintf(out, room, "%s+0x%llx", f->name, (unsigned long long)(f->name[1] == 'v' ? ip - r->start : ip));
	else if (!n)
		snprintf(out, room, "%s+0x%llx", f->name, (unsigned long long)at);
	return true;
}

static void kernel_name(struct rn_stacks *s, uint64_t ip, char *out, size_t room)
{
	rn_stacks_prepare(s);
	if (!rn_symbols_find(s->kernel, ip, out, room))
		snprintf(out, room, "0x%llx", (unsigned long long)ip);
}

/* The innermost frames are our own program and what calls it; they say nothing about the event. */
static bool is_tracing(const char *name)
{
	static const char *const begin[] = {"bpf_prog_", "bpf_trace_run", "__bpf_trace_", "__traceiter_", "__bpf_get_stackid",
		"bpf_get_stackid", "trace_call_bpf", "perf_trace_", "perf_syscall_", "perf_call_bpf", "bpf_dispatcher_",
		"trace_event_raw_event", "__bpf_prog_", "do_perf_trace_", "__do_trace_", "__perf_trace_"};

	for (unsigned i = 0; i < sizeof(begin) / sizeof(*begin); i++)
		if (!strncmp(name, begin[i], strlen(begin[i])))
			return true;
	return false;
}

struct rn_value rn_stacks_text(struct rn_stacks *s, const uint64_t *ip, unsigned n, bool user, uint64_t proc, struct rn_arena *a)
{
	bool again = false, fresh, cut = n >= RN_STACK_FRAMES;
	struct process *p = user && n ? process_of(s, proc, &fresh) : NULL;
	unsigned first = 0, last = n;
	struct rn_text t;
	size_t bytes = 0;
	char (*name)[RN_SYMBOL_BYTES] = rn_calloc(n ? n : 1, RN_SYMBOL_BYTES);

	for (unsigned i = 0; i < n; i++) {
		/* An address of return may be the one after the function's end: what matters is the call before it. */
		if (user && !user_name(s, p, i ? ip[i] - 1 : ip[i], &again, name[i], RN_SYMBOL_BYTES)) {
			last = n = i ? i : 1;
			cut = false;
		}
		if (!user)
			kernel_name(s, i ? ip[i] - 1 : ip[i], name[i], RN_SYMBOL_BYTES);
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
	rn_text_init(&t, a);
	if (cut)
		rn_text_put(&t, "...;");
	s->cut += cut;
	for (unsigned i = last; i-- > first; ) {
		rn_text_put(&t, name[i]);
		if (i > first)
			rn_text_putc(&t, ';');
	}
	free(name);
	rn_text_cstr(&t);
	return rn_strn(t.s, t.len);
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

static struct rn_value text_of(struct rn_stacks *s, int64_t number, bool user, uint64_t proc, struct rn_arena *scratch)
{
	uint64_t ip[RN_STACK_FRAMES + 1] = {0};
	unsigned way = (unsigned)(number >> RN_STACK_WAY_SHIFT), n = 0;
	uint32_t key = (uint32_t)number & ((1u << RN_STACK_WAY_SHIFT) - 1);
	struct rn_value v;
	struct text *t;

	if (number == RN_STACK_NONE)
		return rn_strn("", 0);
	if (number < 0 || way >= RN_STACK_WAYS)
		return rn_strn("(stack lost)", 12);
	proc = user ? proc : UINT64_MAX; /* the same addresses could be both, and in the map they would be one */
	if (2 * (s->ntexts + 1) > s->cap_texts)
		grow_texts(s);
	t = &s->text[place(s, (uint64_t)number, proc)];
	if (t->s)
		return rn_strn(t->s, t->len);
	if (s->bytes > sizeof(ip) - 8 || bpf_map_lookup_elem(s->way[way], &key, ip))
		return rn_strn("(stack lost)", 12);
	while (n < s->bytes / 8 && ip[n])
		n++;
	v = rn_stacks_text(s, ip, n, user, proc, rn_arena_full(s->a) ? scratch : s->a);
	if (!rn_arena_full(s->a)) {
		*t = (struct text){(uint64_t)number, proc, v.s, v.len};
		s->ntexts++;
	}
	return v;
}

struct rn_value rn_stacks_kernel(struct rn_stacks *s, int64_t number, struct rn_arena *scratch)
{
	return text_of(s, number, false, 0, scratch);
}

struct rn_value rn_stacks_user(struct rn_stacks *s, int64_t number, uint64_t proc, struct rn_arena *scratch)
{
	return text_of(s, number, true, proc, scratch);
}

/* ---- life ---- */

struct rn_stacks *rn_stacks_create(void)
{
	struct rn_stacks *s = rn_calloc(1, sizeof(*s));

	s->a = rn_arena_create(MAX_CACHE);
	s->procs = -1;
	for (unsigned i = 0; i < RN_STACK_WAYS; i++)
		s->way[i] = -1;
	return s;
}

void rn_stacks_maps(struct rn_stacks *s, const int way[RN_STACK_WAYS], unsigned bytes, int procs, bool foreign)
{
	memcpy(s->way, way, sizeof(s->way));
	s->bytes = bytes;
	s->procs = procs;
	s->foreign = foreign;
}

int64_t rn_stacks_cut(const struct rn_stacks *s) { return s->cut; }

void rn_stacks_free(struct rn_stacks *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < s->nfiles; i++) {
		if (s->file[i].fd >= 0)
			close(s->file[i].fd);
		rn_symbols_free(s->file[i].symbols);
		free(s->file[i].name);
	}
	for (unsigned i = 0; i < s->nprocs; i++)
		free(s->proc[i].v);
	rn_symbols_free(s->kernel);
	free(s->file);
	free(s->proc);
	free(s->text);
	rn_arena_destroy(s->a);
	free(s);
}
