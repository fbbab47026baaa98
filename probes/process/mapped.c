/* mapped.c - see mapped.h. */
#include "lang/base/memory.h"
#include "probes/process/mapped.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>
#include "probes/process/elf.h"
#include "probes/process/found.h"
#include "probes/process/share.h"
#include "probes/process/symbols.h"
#include "lang/base/clock.h"
#include "lang/base/map.h"
#include "lang/base/vec.h"

/* OPEN: files whose functions are still to be read. HELD: bytes of tables, of root's processes and
 * of all others. */
enum { MAX_OPEN = 256, MAX_OPEN_EACH = 64, LITTLE = 256 << 10, FEW = 4096 };
static const size_t held_max[2] = {512 << 20, 128 << 20};
static const size_t held_each = 64 << 20;

struct file {
	uint64_t ino;
	uint64_t key;      /* of the only process that knows it; 0: known by device and inode */
	uint32_t dev, uid; /* uid: the user for whom its functions were read */
	char *name;        /* NULL: this place is free */
	int fd;            /* -1: not open now */
	struct rn_symbols *symbols;
	size_t bytes;
	int64_t used_ns;
	bool counted, refused, marked;
};
/* The key of a file: what an open file has (proc 0), or what the mappings of one process say. */
struct key {
	UT_hash_handle hh;
	struct identity {
		uint64_t dev, ino, proc;
	} of;
	uint32_t file;
};
struct rn_mapped {
	struct file *file;
	unsigned nfiles, cap_files, free_place;
	unsigned live, swept; /* files; files that the last sweep left */
	struct key *keys;
	unsigned nopen, open_of[64];
	size_t held[2];        /* root's, and others' */
	struct rn_share bytes; /* read from files */
	int64_t cut;
};
enum { NONE = UINT32_MAX };

/* ---- numbers of files ---- */

static void put_key(struct rn_mapped *m, struct identity of, unsigned file)
{
	struct key *k;

	HASH_FIND(hh, m->keys, &of, sizeof(of), k);
	if (!k) {
		k = rn_malloc(sizeof(*k));
		k->of = of;
		HASH_ADD(hh, m->keys, of, sizeof(of), k);
	}
	k->file = file;
}

static unsigned by_key(const struct rn_mapped *m, struct identity of)
{
	struct key *k;

	HASH_FIND(hh, m->keys, &of, sizeof(of), k);
	return k ? k->file : NONE;
}

/* Forget all keys, or those of files that are gone. If a process's mappings give a file another
 * identity, it is found again. */
static void drop_keys(struct rn_mapped *m, bool all)
{
	struct key *k, *next;

	HASH_ITER(hh, m->keys, k, next)
	{
		const struct file *f = &m->file[k->file];

		if (!all && f->name && (!k->of.proc || k->of.proc == f->key))
			continue;
		HASH_DEL(m->keys, k);
		free(k);
	}
}

static unsigned new_file(struct rn_mapped *m, uint32_t dev, uint64_t ino, const char *name,
			 size_t len)
{
	unsigned i = m->free_place;

	while (i < m->nfiles && m->file[i].name)
		i++;
	m->free_place = i + 1;
	if (i == m->nfiles) {
		rn_vec_room(m->file, m->nfiles, m->cap_files);
		m->nfiles++;
	}
	m->file[i] = (struct file){.dev = dev, .ino = ino, .name = rn_strndup(name, len), .fd = -1};
	m->live++;
	return i;
}

/* ---- opening ---- */

static void close_file(struct rn_mapped *m, struct file *f)
{
	if (f->fd < 0)
		return;
	close(f->fd);
	f->fd = -1;
	m->nopen--;
	m->open_of[f->uid % 64]--;
}

/* Open the file of a mapping: -1 if it is gone, -2 if it is refused. *st: its stat. */
static int open_mapping(const struct rn_mapping *at, struct stat *st)
{
	char link[80];
	int fd;

	snprintf(link, sizeof(link), "/proc/%d/map_files/%llx-%llx", at->pid,
		 (unsigned long long)at->start, (unsigned long long)at->end);
	fd = rn_found_open(link, at->dev);
	if (fd == -EPERM && at->path) {
		fd = rn_found_path(at->pid, at->path, at->dev);
		/* another file may have that name by now */
		if (fd >= 0 && (fstat(fd, st) || st->st_ino != at->ino)) {
			close(fd);
			return -1;
		}
	}
	if (fd < 0)
		return fd == -EREMOTE ? -2 : -1;
	if (!fstat(fd, st))
		return fd;
	close(fd);
	return -1;
}

/* Keep a descriptor for a file whose functions will be wanted, if there is room for one more. */
static void keep_open(struct rn_mapped *m, unsigned i, uint32_t uid, int fd)
{
	struct file *f = &m->file[i];

	if (f->fd >= 0 || f->symbols) {
		close(fd);
		return;
	}
	f->fd = fd;
	f->uid = uid;
	m->nopen++;
	m->open_of[uid % 64]++;
}

/* Return the number of an open file; a new one if it is not known. */
static unsigned identify(struct rn_mapped *m, const struct rn_mapping *at, const struct stat *st,
			 const char *name, size_t len)
{
	uint32_t dev = (uint32_t)(major(st->st_dev) << 20 | minor(st->st_dev));
	unsigned i = by_key(m, (struct identity){dev, st->st_ino});

	if (i == NONE) {
		i = new_file(m, dev, st->st_ino, name, len);
		put_key(m, (struct identity){dev, st->st_ino}, i);
	}
	if (dev != at->dev || st->st_ino != at->ino)
		put_key(m, (struct identity){at->dev, at->ino, at->proc}, i);
	return i;
}

static bool room_to_open(const struct rn_mapped *m, uint32_t uid)
{
	if (!uid)
		return m->nopen < MAX_OPEN;
	return m->nopen < MAX_OPEN - MAX_OPEN_EACH && m->open_of[uid % 64] < MAX_OPEN_EACH;
}

/* Memory without a file is known by its name: "[vdso]", "[anon:what a program calls it]". */
static unsigned anonymous(struct rn_mapped *m, const char *name, size_t len)
{
	uint64_t hash = XXH3_64bits(name, len);
	unsigned i = by_key(m, (struct identity){NONE, hash});

	if (i != NONE && strlen(m->file[i].name) == len && !memcmp(m->file[i].name, name, len))
		return i;
	i = new_file(m, 0, 0, name, len);
	put_key(m, (struct identity){NONE, hash}, i);
	return i;
}

unsigned rn_mapped_file(struct rn_mapped *mapped, const struct rn_mapping *at)
{
	const char *path = at->path ? at->path : "", *base = strrchr(path, '/');
	struct stat st;
	int fd = -1;
	unsigned i;
	size_t len;

	base = base ? base + 1 : *path ? path : "[anon]";
	len = strcspn(base, ";\n");
	if (len > 10 && !strncmp(base + len - 10, " (deleted)", 10))
		len -= 10;
	if (!at->ino)
		return anonymous(mapped, base, len);
	i = by_key(mapped, (struct identity){at->dev, at->ino});
	if (i == NONE)
		i = by_key(mapped, (struct identity){at->dev, at->ino, at->proc});
	if (i != NONE)
		return i;
	if (room_to_open(mapped, at->uid))
		fd = open_mapping(at, &st);
	if (fd >= 0) {
		i = identify(mapped, at, &st, base, len);
		keep_open(mapped, i, at->uid, fd);
		return i;
	}
	i = new_file(mapped, at->dev, at->ino, base, len);
	mapped->file[i].key = at->proc;
	mapped->file[i].refused = fd == -2;
	put_key(mapped, (struct identity){at->dev, at->ino, at->proc}, i);
	return i;
}

/* ---- functions ---- */

static void count(struct rn_mapped *m, struct file *f)
{
	m->cut += !f->counted;
	f->counted = true;
}

static void forget_table(struct rn_mapped *m, struct file *f)
{
	rn_symbols_free(f->symbols);
	f->symbols = NULL;
	m->held[f->uid != 0] -= f->bytes;
	f->bytes = 0;
}

/* Drop the tables that were not used for longest, of this user or of all but root, until there is
 * room for what was just read. */
static void make_room(struct rn_mapped *mapped, const struct file *keep)
{
	bool user = keep->uid != 0;

	for (;;) {
		struct file *oldest = NULL, *oldest_own = NULL, *go;
		size_t own = 0;

		for (unsigned i = 0; i < mapped->nfiles; i++) {
			struct file *f = &mapped->file[i];

			if (!f->symbols || (f->uid != 0) != user)
				continue;
			own += f->uid == keep->uid ? f->bytes : 0;
			if (f == keep)
				continue;
			if (!oldest || f->used_ns < oldest->used_ns)
				oldest = f;
			if (f->uid == keep->uid &&
			    (!oldest_own || f->used_ns < oldest_own->used_ns))
				oldest_own = f;
		}
		go = mapped->held[user] > held_max[user] ? oldest : NULL;
		if (user && own > held_each)
			go = oldest_own;
		if (!go)
			return;
		forget_table(mapped, go);
	}
}

/* Open the file of the mapping if it is not open. False: this fails. *i: it may prove to be another
 * known file. */
static bool open_again(struct rn_mapped *m, unsigned *i, const struct rn_mapping *at)
{
	struct file *f = &m->file[*i];
	struct stat st;
	unsigned j;
	int fd;

	if (f->fd >= 0)
		return true;
	fd = open_mapping(at, &st);
	if (fd == -2)
		f->refused = true;
	if (fd < 0)
		return false;
	j = identify(m, at, &st, f->name, strlen(f->name));
	*i = j;
	keep_open(m, j, at->uid, fd);
	return true;
}

static void read_functions(struct rn_mapped *mapped, unsigned *i, const struct rn_mapping *at)
{
	struct rn_elf_limits limits = rn_elf_found;
	int64_t left = rn_share_left(&mapped->bytes, at->uid, rn_mono_ns());
	struct file *f;
	struct rn_elf *elf;

	if (left < LITTLE) { /* later, perhaps */
		count(mapped, &mapped->file[*i]);
		return;
	}
	if ((uint64_t)left < limits.bytes)
		limits.bytes = (uint64_t)left;
	if (!open_again(mapped, i, at) || mapped->file[*i].symbols)
		return;
	f = &mapped->file[*i];
	elf = rn_elf_open(f->fd, &limits);
	f->symbols = rn_symbols_elf(elf);
	if (elf)
		rn_share_take(&mapped->bytes, at->uid, (int64_t)rn_elf_bytes_read(elf),
			      rn_mono_ns());
	rn_elf_close(elf);
	close_file(mapped, f);
	if (rn_symbols_cut(f->symbols))
		count(mapped, f);
	f->uid = at->uid;
	f->bytes = rn_symbols_bytes(f->symbols);
	mapped->held[f->uid != 0] += f->bytes;
	make_room(mapped, f);
}

bool rn_mapped_name(struct rn_mapped *mapped, unsigned *file, const struct rn_mapping *at,
		    uint64_t ip, char *out, size_t room)
{
	uint64_t where = ip - at->start + at->offset;
	struct file *f = &mapped->file[*file];
	size_t n = 0;

	if (f->ino && !f->symbols && !f->refused)
		read_functions(mapped, file, at);
	f = &mapped->file[*file];
	f->used_ns = rn_mono_ns();
	if (f->refused)
		count(mapped, f);
	if (f->symbols) {
		where = rn_symbols_address(f->symbols, where);
		n = rn_symbols_find(f->symbols, where, out, room);
	} else if (!f->ino) { /* a function made at run time; the kernel's own vdso */
		where = f->name[1] == 'v' ? ip - at->start : ip;
	}
	if (!n)
		snprintf(out, room, "%s+0x%llx", f->name, (unsigned long long)where);
	return n < room;
}

int64_t rn_mapped_cut(const struct rn_mapped *mapped)
{
	return mapped->cut;
}
size_t rn_mapped_held(const struct rn_mapped *mapped)
{
	return mapped->held[0] + mapped->held[1];
}

/* ---- life ---- */

struct rn_mapped *rn_mapped_create(void)
{
	struct rn_mapped *m = rn_calloc(1, sizeof(*m));

	m->bytes.most = 64 << 20;
	m->bytes.per_second = 8 << 20;
	return m;
}

static void free_file(struct rn_mapped *m, struct file *f)
{
	close_file(m, f);
	if (f->symbols)
		forget_table(m, f);
	free(f->name);
	f->name = NULL;
	m->live--;
}

bool rn_mapped_full(const struct rn_mapped *mapped)
{
	return mapped->live > 2 * mapped->swept + FEW;
}
void rn_mapped_mark(struct rn_mapped *mapped, unsigned file)
{
	mapped->file[file].marked = true;
}

void rn_mapped_sweep(struct rn_mapped *mapped)
{
	for (unsigned i = 0; i < mapped->nfiles; i++) {
		if (mapped->file[i].name && !mapped->file[i].marked)
			free_file(mapped, &mapped->file[i]);
		mapped->file[i].marked = false;
	}
	mapped->free_place = 0;
	mapped->swept = mapped->live;
	drop_keys(mapped, false);
}

void rn_mapped_free(struct rn_mapped *mapped)
{
	if (!mapped)
		return;
	for (unsigned i = 0; i < mapped->nfiles; i++)
		if (mapped->file[i].name)
			free_file(mapped, &mapped->file[i]);
	drop_keys(mapped, true);
	free(mapped->file);
	free(mapped);
}
