/* here.c - see here.h. Users are looked up again for each name: they change, and a query has few
 * names. */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "repl/engine/here.h"
#include "lang/base/clock.h"
#include "lang/base/nearest.h"
#include "lang/base/vec.h"

enum { USERS_MAX = 4096, ROOM = 4096 };

/* Read the names in /etc/passwd itself, NULL-terminated. getpwent keeps one position for the whole
 * process, and a library has threads. */
static const char *const *local_users(struct rn_arena *a)
{
	const char **v = RN_NEWN(a, const char *, USERS_MAX + 1);
	char room[ROOM];
	struct passwd pw, *p;
	unsigned n = 0;
	FILE *f = fopen("/etc/passwd", "re");

	while (f && n < USERS_MAX && !fgetpwent_r(f, &pw, room, sizeof(room), &p))
		v[n++] = rn_arena_strdup(a, pw.pw_name);
	if (f)
		(void)fclose(f);
	return v;
}

/* A user is shown as a number only if it has no name. */
static bool has_number(struct rn_arena *a, const char *text, const char **name)
{
	char *end, room[ROOM];
	unsigned long uid = strtoul(text, &end, 10);
	struct passwd pw, *found = NULL;

	if (*end || uid > UINT32_MAX)
		return false;
	getpwuid_r((uid_t)uid, &pw, room, sizeof(room), &found);
	*name = found ? rn_arena_strdup(a, pw.pw_name) : NULL;
	return !found;
}

static bool has_user(void *self, struct rn_arena *a, const char *text, const char **near)
{
	char room[ROOM];
	struct passwd pw, *found = NULL;

	(void)self;
	*near = NULL;
	/* a user directory that does not answer may know the name */
	if (getpwnam_r(text, &pw, room, sizeof(room), &found) || found)
		return true;
	if (isdigit((unsigned char)*text))
		return has_number(a, text, near);
	*near = rn_nearest(text, local_users(a));
	return false;
}

/* Read the process's name into buf; false: it has ended. */
static bool read_comm(int proc, const char *pid, char buf[ROOM])
{
	char path[280];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/comm", pid);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, buf, ROOM - 1);
	if (fd >= 0)
		close(fd);
	while (n > 0 && buf[n - 1] == '\n')
		n--;
	buf[n > 0 ? n : 0] = 0;
	return n > 0;
}

static void read_names(struct rn_here_names *names)
{
	char comm[ROOM];
	DIR *d = opendir("/proc");

	names->n = 0;
	for (struct dirent *e; d && (e = readdir(d));)
		if (isdigit((unsigned char)e->d_name[0]) && read_comm(dirfd(d), e->d_name, comm)) {
			rn_vec_room_for_in(names->arena, names->comm, names->n, names->cap, 1);
			names->comm[names->n++] = rn_arena_strdup(names->arena, comm);
		}
	if (d)
		closedir(d);
	names->read_ns = rn_mono_ns();
}

static const char *proc_like(void *self, struct rn_arena *arena, const char *name)
{
	enum { FRESH_NS = 1000000000 };
	struct rn_here_names *names = self;
	const char *other = NULL;

	(void)arena;
	if (!names->read_ns || rn_mono_ns() - names->read_ns > FRESH_NS)
		read_names(names);
	for (unsigned i = 0; i < names->n; i++) {
		if (!strcmp(names->comm[i], name))
			return NULL;
		if (!other && !strcasecmp(names->comm[i], name))
			other = names->comm[i];
	}
	return other;
}

struct rn_here rn_here_of(struct rn_here_names *names)
{
	return (struct rn_here){.self = names, .has_user = has_user, .proc_like = proc_like};
}
