/* tls.c - finds the TLS libraries, and chooses those to probe: see tls.h. Nothing here trusts a
 * file: it may lie in a container that another user owns.
 *
 * The order: first the system's libraries, in the usual places of this process's mount namespace.
 * Then those that root's processes have mapped, and those that users' processes have mapped, one of
 * each user in turn. Last those in the usual places of other mount namespaces. A thing that a user
 * can make many of is charged to that user (owner.h), so it takes no other user's place. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "lang/base/vec.h"
#include "probes/process/found.h"
#include "probes/uprobe/tls_impl.h"
#include "probes/uprobe/points.h"

static const char *const functions[RN_TLS_FUNCS] = {"SSL_read",     "SSL_read_ex", "SSL_write",
						    "SSL_write_ex", "SSL_free",    "SSL_clear"};

static uint64_t cookie(unsigned function, int32_t to_frame)
{
	return function | (uint64_t)(uint32_t)to_frame << 32;
}

/* Choose where to probe function f: at the cheap points if it has them. */
static void place(struct rn_tls_lib *l, unsigned i, const struct rn_elf_function *f)
{
	uint8_t code[RN_POINTS_BYTES];
	struct rn_points p;

	if (!f->off)
		return;
	if (i == RN_TLS_FREE || i == RN_TLS_CLEAR) {
		l->entry[l->nentry++] = (struct rn_probe_at){f->off, cookie(i, 0)};
		return;
	}
	if (f->bytes && f->bytes <= sizeof(code) &&
	    l->nleave + RN_POINTS_RETURNS <= RN_TLS_LEAVES &&
	    pread(l->fd, code, f->bytes, (off_t)f->off) == (ssize_t)f->bytes &&
	    rn_points_find(code, (unsigned)f->bytes, &p)) {
		l->entry[l->nentry++] =
			(struct rn_probe_at){f->off + p.entry.off, cookie(i, p.entry.to_frame)};
		for (unsigned k = 0; k < p.nleave; k++)
			l->leave[l->nleave++] = (struct rn_probe_at){
				f->off + p.leave[k].off, cookie(i, p.leave[k].to_frame)};
		return;
	}
	l->off[i] = f->off;
}

static bool has_others(const struct rn_tls_lib *l)
{
	for (unsigned i = 0; i < RN_TLS_FUNCS; i++)
		if (l->off[i])
			return true;
	return false;
}

static bool known(const struct rn_tls_libs *l, uint64_t dev, uint64_t ino)
{
	for (unsigned i = 0; i < l->n; i++)
		if (l->list[i].dev == dev && l->list[i].ino == ino)
			return true;
	return false;
}

enum outcome { TAKEN, NONE /* such a library */, FAILED };

/* Read where the functions are. The file is opened so that a lease on it, which its owner may take,
 * does not delay us. */
static enum outcome take(struct rn_tls_libs *libs, int fd, const struct stat *st)
{
	struct rn_elf_function f[RN_TLS_FUNCS];
	struct rn_tls_lib x = {.dev = st->st_dev, .ino = st->st_ino};
	char self[40];
	int n;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	x.fd = open(self, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (x.fd < 0)
		return FAILED;
	n = rn_elf_functions(x.fd, functions, RN_TLS_FUNCS, f);
	if (n <= 0) {
		close(x.fd);
		return n == 0 || n == -ENOEXEC ? NONE : FAILED;
	}
	for (unsigned i = 0; i < RN_TLS_FUNCS; i++)
		place(&x, i, &f[i]);
	if (has_others(&x))
		rn_tls_returns(&x);
	rn_vec_room(libs->list, libs->n, libs->cap);
	libs->list[libs->n++] = x;
	return TAKEN;
}

/* May the user have another one? */
static bool has_room(const struct rn_tls_search *s, const struct rn_tls_user *u, unsigned most)
{
	return s->libs->n < RN_TLS_MAX && u->taken < most && u->tried < RN_TLS_TRIES_PER * most;
}

/* Offer the file behind an O_PATH descriptor, which it takes, on account of the user: at most so
 * many of theirs. */
static void offer(struct rn_tls_search *s, struct rn_tls_user *u, int fd, unsigned most)
{
	enum outcome r = FAILED;
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || known(s->libs, st.st_dev, st.st_ino)) {
		close(fd);
		return;
	}
	if (has_room(s, u, most)) {
		u->tried++;
		r = take(s->libs, fd, &st);
	}
	u->taken += r == TAKEN;
	s->left += r == FAILED;
	close(fd);
}

/* ---- what processes have mapped ---- */

/* Open it by one of the processes that have it mapped; -1 with errno: ENOENT if all of them have
 * ended. */
static int open_mapped(const struct rn_tls_mapped *m)
{
	char path[80];
	int fd = -1;

	for (unsigned i = 0; fd < 0 && i < RN_TLS_PIDS && m->pid[i]; i++) {
		snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", m->pid[i],
			 (unsigned long long)m->from[i], (unsigned long long)m->to[i]);
		fd = open(path, O_PATH | O_CLOEXEC);
	}
	return fd;
}

/* Order: the system's libraries first, then the one that each process has mapped first, of all
 * processes, then the second, and so on: no process hides another's. */
static int by_rank(const void *a, const void *b)
{
	const struct rn_tls_mapped *x = a, *y = b;

	if (x->system != y->system)
		return y->system - x->system;
	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return (x->pid[0] > y->pid[0]) - (x->pid[0] < y->pid[0]);
}

/* Offer the next file that the user's processes have mapped. False: there is none, or no room for
 * it. */
static bool offer_mapped(struct rn_tls_search *search, struct rn_tls_user *u, unsigned most)
{
	const struct rn_tls_mapped *m = &u->list[u->next];
	bool root = u->owner == RN_OWNER_ROOT;
	struct rn_found_kind kind = {0};
	int fd;

	if (u->next == u->n || !has_room(search, u, most))
		return false;
	u->next++;
	if (known(search->libs, m->dev, m->ino))
		return true;
	u->mappings += m->mappings;
	if (!root && u->mappings > RN_TLS_MAPPINGS_MAX) {
		u->mappings -= m->mappings;
		search->left++;
		return true;
	}
	fd = open_mapped(m);
	if (fd >= 0 && rn_found_look(fd, major(m->dev) << 20 | minor(m->dev), &kind)) {
		close(fd); /* its file system may never answer */
		u->tried++;
		search->left++;
	} else if (fd >= 0) {
		offer(search, u, fd, most);
	} else if (errno != ENOENT && errno != ESRCH) {
		search->left++;
	}
	return true;
}

/* Count those for which there was no room, each once. */
static void count_rest(struct rn_tls_search *s, const struct rn_tls_user *u)
{
	for (unsigned i = u->next; i < u->n; i++) {
		bool again = known(s->libs, u->list[i].dev, u->list[i].ino);

		for (unsigned k = u->next; k < i && !again; k++)
			again = u->list[k].dev == u->list[i].dev &&
				u->list[k].ino == u->list[i].ino;
		s->left += !again;
	}
}

/* ---- what lies in the usual places ---- */

struct looking {
	struct rn_tls_search *search;
	uint64_t owner /* of the namespace */;
};

static bool is_mapped(const struct rn_tls_user *u, const struct stat *st)
{
	for (unsigned i = 0; i < u->n; i++)
		if (u->list[i].dev == st->st_dev && u->list[i].ino == st->st_ino)
			return true;
	return false;
}

/* Take a file from a usual place. In root's namespaces it counts for its owner, in a user's for
 * that user. Users' files wait until all mapped ones have been seen. */
static void found_placed(void *self, int fd)
{
	const struct looking *k = self;
	struct rn_tls_user *u = NULL;
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    known(k->search->libs, st.st_dev, st.st_ino) ||
	    !(u = rn_tls_user(k->search, k->owner == RN_OWNER_ROOT ? st.st_uid : k->owner)) ||
	    (u->owner != RN_OWNER_ROOT && is_mapped(u, &st))) {
		/* Mapped files of users were handled before, or will be. Root's are taken here:
		 * the process that maps one may end before it is looked at. */
		close(fd);
	} else if (u->owner == RN_OWNER_ROOT) {
		offer(k->search, u, fd, RN_TLS_ROOT_MAX);
	} else if (k->owner != RN_OWNER_ROOT) {
		offer(k->search, u, fd, RN_TLS_USER_MAX);
	} else if (u->nplaced < RN_TLS_PLACED_MAX) {
		u->placed[u->nplaced++] = fd;
	} else {
		k->search->left++;
		close(fd);
	}
}

static int root_of(int pid)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/root", pid);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Look in this process's own; links are root's there. */
static void look_here(struct rn_tls_search *s)
{
	struct looking k = {.search = s};
	uint64_t steps = RN_TLS_STEPS_ROOT;

	s->left += !rn_tls_walk(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC), true, &steps,
				found_placed, &k);
}

/* Look in other mount namespaces: root's, or those of users. One that there was no time for counts
 * once. */
static void look_elsewhere(struct rn_tls_search *search, bool roots)
{
	for (unsigned i = 0; i < search->nspaces; i++) {
		const struct rn_tls_space *x = &search->space[i];
		struct looking k = {.search = search, .owner = x->owner};
		struct rn_tls_user *u = rn_tls_user(search, x->owner);
		uint64_t before, may;
		bool whole;

		if ((x->owner == RN_OWNER_ROOT) != roots)
			continue;
		if (!u || u->spaces++ >= RN_TLS_SPACES_MAX ||
		    (!roots && !has_room(search, u, RN_TLS_USER_MAX))) {
			search->left++;
			continue;
		}
		before = may = roots                            ? search->steps_root
			       : u->steps < search->steps_users ? u->steps
								: search->steps_users;
		whole = rn_tls_walk(root_of(x->pid), false, &may, found_placed, &k);
		u = rn_tls_user(search, x->owner); /* the list may have moved */
		if (roots)
			search->steps_root -= before - may;
		else
			search->steps_users -= before - may;
		if (u && !roots)
			u->steps -= before - may;
		search->left += !whole;
	}
}

static void offer_placed(struct rn_tls_search *s, struct rn_tls_user *u)
{
	for (unsigned k = 0; k < u->nplaced; k++)
		offer(s, u, u->placed[k], RN_TLS_USER_MAX);
	u->nplaced = 0;
}

/* ---- all of it ---- */

static struct rn_tls_user *root_user(struct rn_tls_search *s)
{
	return rn_tls_user(s, RN_OWNER_ROOT);
}

/* Offer one library of each user in turn, until no user has another one. */
static void offer_in_turn(struct rn_tls_search *s)
{
	bool any = true;

	while (any) {
		any = false;
		for (unsigned i = 0; i < s->nusers; i++)
			if (s->user[i].owner != RN_OWNER_ROOT)
				any |= offer_mapped(s, &s->user[i], RN_TLS_USER_MAX);
	}
}

static void choose(struct rn_tls_search *s)
{
	struct rn_tls_user *root;

	look_here(s);
	root = root_user(s);
	while (root && offer_mapped(s, root, RN_TLS_ROOT_MAX))
		continue;
	offer_in_turn(s);
	look_elsewhere(s, true);
	for (unsigned i = 0; i < s->nusers; i++)
		offer_placed(s, &s->user[i]);
	look_elsewhere(s, false);
	root = root_user(s);
	while (root && offer_mapped(s, root, RN_TLS_MAX))
		continue;
	for (unsigned i = 0; i < s->nusers; i++)
		count_rest(s, &s->user[i]);
}

void rn_tls_find(struct rn_tls_libs *libs)
{
	struct rn_tls_search search = {
		.libs = libs, .steps_root = RN_TLS_STEPS_ROOT, .steps_users = RN_TLS_STEPS_USERS};
	struct stat st;

	*libs = (struct rn_tls_libs){0};
	if (!stat("/proc/self/ns/mnt", &st))
		search.own_space = st.st_ino;
	rn_tls_read_processes(&search);
	for (unsigned i = 0; i < search.nusers; i++)
		if (search.user[i].n)
			qsort(search.user[i].list, search.user[i].n, sizeof(*search.user[i].list),
			      by_rank);
	choose(&search);
	libs->left = search.left;
	for (unsigned i = 0; i < search.nusers; i++) {
		free(search.user[i].list);
		free(search.user[i].slot);
	}
	free(search.user);
	free(search.space);
	rn_owners_free(&search.owners);
}

void rn_tls_close_files(struct rn_tls_libs *libs)
{
	for (unsigned i = 0; i < libs->n; i++) {
		if (libs->list[i].fd >= 0)
			close(libs->list[i].fd);
		libs->list[i].fd = -1;
	}
}

void rn_tls_free(struct rn_tls_libs *libs)
{
	rn_tls_close_files(libs);
	free(libs->list);
	*libs = (struct rn_tls_libs){0};
}

static void *find_in_thread(void *libs)
{
	rn_tls_find(libs);
	return NULL;
}

bool rn_tls_begin(struct rn_tls_libs *libs, pthread_t *thread)
{
	sigset_t all, before;
	bool begun;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the calling thread */
	begun = !pthread_create(thread, NULL, find_in_thread, libs);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!begun)
		rn_tls_find(libs);
	return begun;
}
