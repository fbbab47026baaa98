/* tls_maps.c - which processes have mapped what may be a TLS library. It finds them by the mapping
 * itself, which works in other mount namespaces and for deleted files. See tls_impl.h for the
 * limits. */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <xxhash.h>
#include "lang/base/memory.h"
#include "probes/uprobe/tls_impl.h"
#include "lang/base/vec.h"

/* a path has 4,096 bytes, each of which may be written as \012 */
enum { SLOTS = 2 * RN_TLS_MAPPED_MAX, LINE_BYTES = 32 << 10 };

/* A process, while its mappings are read. */
struct reading {
	struct rn_tls_search *search;
	struct rn_tls_user *user;
	uint64_t space;
	int pid;
	unsigned index; /* such files that it has mapped so far */
};

struct rn_tls_user *rn_tls_user(struct rn_tls_search *search, uint64_t owner)
{
	struct rn_tls_user *v;

	for (unsigned i = 0; i < search->nusers; i++)
		if (search->user[i].owner == owner)
			return &search->user[i];
	rn_vec_room(search->user, search->nusers, search->cap_users);
	v = &search->user[search->nusers++];
	*v = (struct rn_tls_user){.owner = owner, .steps = RN_TLS_STEPS_USER};
	return v;
}

static bool same_file(const struct rn_tls_mapped *a, const struct rn_tls_mapped *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->space == b->space && a->name == b->name;
}

/* Find such a file among those of the user; NULL: there is no room for another one. *fresh: it is
 * new. */
static struct rn_tls_mapped *place_of(struct rn_tls_user *u, const struct rn_tls_mapped *m,
				      bool *fresh)
{
	const uint64_t key[4] = {m->dev, m->ino, m->space, m->name};
	uint32_t at = (uint32_t)XXH3_64bits(key, sizeof(key)) % SLOTS;

	*fresh = false;
	if (!u->slot)
		u->slot = rn_calloc(SLOTS, sizeof(*u->slot));
	for (; u->slot[at]; at = (at + 1) % SLOTS)
		if (same_file(&u->list[u->slot[at] - 1], m))
			return &u->list[u->slot[at] - 1];
	if (u->n == RN_TLS_MAPPED_MAX)
		return NULL;
	rn_vec_room(u->list, u->n, u->cap);
	*fresh = true;
	u->list[u->n] = *m;
	u->list[u->n].mappings = 0;
	u->slot[at] = ++u->n;
	return &u->list[u->n - 1];
}

static void add_mapping(struct reading *r, const struct rn_tls_mapped *m)
{
	bool fresh;
	struct rn_tls_mapped *at = place_of(r->user, m, &fresh);
	unsigned k = fresh ? 0 : 1;

	if (!at) {
		r->search->left++;
		return;
	}
	at->mappings++;
	if (fresh || at->pid[0] != r->pid) {
		if (r->index < at->index)
			at->index = r->index;
		r->index++;
	}
	if (!fresh && (at->pid[0] == r->pid || at->pid[k]))
		return;
	at->pid[k] = r->pid;
	at->from[k] = m->from[0];
	at->to[k] = m->to[0];
}

bool rn_tls_named(const char *base)
{
	return !strncmp(base, "libssl", 6) && strstr(base, ".so");
}

/* A line of /proc/PID/maps: `FROM-TO rwxp OFFSET MAJOR:MINOR INODE   PATH`. Probes are set where
 * code may run. */
static void take_line(struct reading *r, const char *line, size_t len)
{
	struct rn_tls_mapped m = {.space = r->space, .index = r->index};
	const char *path = memchr(line, '/', len), *base = strrchr(line, '/');
	unsigned long major, minor;
	char *at;

	if (!path || !rn_tls_named(base + 1))
		return;
	m.from[0] = strtoull(line, &at, 16);
	m.to[0] = *at == '-' ? strtoull(at + 1, &at, 16) : 0;
	if (*at != ' ' || strnlen(at, 6) < 6 || at[3] != 'x')
		return;
	(void)strtoull(at + 6, &at, 16); /* the offset */
	major = strtoul(at, &at, 16);
	minor = *at == ':' ? strtoul(at + 1, &at, 16) : 0;
	m.dev = makedev((unsigned)major, (unsigned)minor);
	m.ino = strtoull(at, &at, 10);
	m.name = XXH3_64bits(path, len - (size_t)(path - line));
	m.system = !strncmp(path, "/usr/", 5) || !strncmp(path, "/lib", 4);
	add_mapping(r, &m);
}

/* How much of its /proc/PID/maps may be read? */
static uint64_t allowance(const struct rn_tls_user *u)
{
	uint64_t left = u->bytes < RN_TLS_USER_BYTES ? RN_TLS_USER_BYTES - u->bytes : 0;

	if (u->owner == RN_OWNER_ROOT)
		return RN_TLS_ROOT_BYTES;
	left += RN_TLS_MAPS_FREE;
	return left < RN_TLS_MAPS_BYTES ? left : RN_TLS_MAPS_BYTES;
}

static void read_maps(struct reading *r, int fd)
{
	uint64_t may = allowance(r->user), total = 0;
	char buf[LINE_BYTES + 1], *line, *end;
	size_t n = 0;
	ssize_t got = 0;

	while (total < may && n < LINE_BYTES && (got = read(fd, buf + n, LINE_BYTES - n)) > 0) {
		total += (uint64_t)got;
		n += (size_t)got;
		buf[n] = 0;
		for (line = buf; (end = memchr(line, '\n', n - (size_t)(line - buf)));
		     line = end + 1) {
			*end = 0;
			take_line(r, line, (size_t)(end - line));
		}
		n -= (size_t)(line - buf);
		memmove(buf, line, n);
	}
	if (total > RN_TLS_MAPS_FREE)
		r->user->bytes += total - RN_TLS_MAPS_FREE;
	if (got > 0 || n) /* cut: what follows is not known */
		r->search->left++;
}

/* Remember a process of each mount namespace; its root leads into the namespace. The best is a
 * process that is least able to have changed its root. */
static void note_space(struct rn_tls_search *search, int dir, const struct reading *r)
{
	struct rn_tls_space x = {
		.ino = r->space, .pid = r->pid, .root = r->user->owner == RN_OWNER_ROOT};
	unsigned i = 0;

	while (i < search->nspaces && search->space[i].ino != r->space)
		i++;
	if (!r->space || r->space == search->own_space ||
	    (i < search->nspaces && search->space[i].plain && (search->space[i].root || !x.root)))
		return;
	x.plain = rn_owner_is_plain(&search->owners, dir);
	if ((i < search->nspaces && !x.plain) ||
	    !rn_owner_of_mounts(&search->owners, dir, &x.owner))
		return;
	/* root made the namespace, but not the root that this process sees */
	if (!x.plain && x.owner == RN_OWNER_ROOT)
		x.owner = r->user->owner;
	if (i == search->nspaces)
		rn_vec_room(search->space, search->nspaces, search->cap_spaces);
	search->space[i] = x;
	search->nspaces += i == search->nspaces;
}

static void read_process(struct rn_tls_search *search, int proc, const char *name)
{
	struct reading r = {.search = search, .pid = (int)strtol(name, NULL, 10)};
	int dir = openat(proc, name, O_PATH | O_DIRECTORY | O_CLOEXEC), fd;
	uint64_t owner;
	struct stat st;

	if (dir < 0)
		return;
	if (rn_owner_of_process(&search->owners, dir, &owner)) {
		r.user = rn_tls_user(search, owner);
		r.space = fstatat(dir, "ns/mnt", &st, 0) ? 0 : st.st_ino;
		note_space(search, dir, &r);
		fd = openat(dir, "maps", O_RDONLY | O_CLOEXEC);
		if (fd >= 0) {
			read_maps(&r, fd);
			close(fd);
		} /* else it has ended, or the kernel hides it from us, which no unprivileged
		     process can cause */
	}
	close(dir);
}

void rn_tls_read_processes(struct rn_tls_search *search)
{
	DIR *d = opendir("/proc");
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (isdigit((unsigned char)e->d_name[0]))
			read_process(search, dirfd(d), e->d_name);
	if (d)
		closedir(d);
}
