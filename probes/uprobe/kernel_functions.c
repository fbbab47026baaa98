/* kernel_functions.c - functions of the kernel: see user.h. The kernel lists those that can be
 * probed in a file of tracefs: a name a line, and the module in brackets. A newer kernel has a
 * second list, with the address before each name. Names are not unique: by their addresses all
 * functions of a name are probed, and by the name alone the first.
 *
 * The address of the list is that of the call which the tracer patches. The function begins there,
 * or at the endbr64 before it: the kernel's symbols say which. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lang/base/memory.h"
#include "lang/base/nearest.h"
#include "lang/base/vec.h"
#include "lang/values/glob.h"
#include "probes/uprobe/user.h"

struct names {
	const char **of;
	unsigned n, cap;
};

/* "ext4_read [ext4]": cuts the line behind the name; returns the module. */
static char *split(char *line)
{
	char *module = strchr(line, ' ');

	line[strcspn(line, " \t\n")] = 0;
	if (!module || !(module = strchr(module + 1, '[')))
		return NULL;
	module[strcspn(module, "]\n")] = 0;
	return module + 1;
}

static unsigned file_of(struct rn_user *u, const char *module)
{
	const char *path = module ? module : "kernel";

	for (unsigned i = 0; i < u->nfiles; i++)
		if (!strcmp(u->file[i].path, path))
			return i;
	if (u->nfiles == RN_USER_FILES) /* so many modules: the last place has the rest */
		return u->nfiles - 1;
	u->file[u->nfiles] = (struct rn_user_file){.fd = -1, .path = rn_strdup(path)};
	return u->nfiles++;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct rn_probe_at *)a)->name, ((const struct rn_probe_at *)b)->name);
}

static int by_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

struct addresses {
	uint64_t *of;
	unsigned n, cap;
};

/* The addresses of the kernel's functions, in order; none if it hides them. */
static struct addresses read_symbols(FILE *symbols)
{
	struct addresses a = {0};
	char *line = NULL;
	size_t room = 0;

	while (symbols && getline(&line, &room, symbols) > 0) {
		char *end;
		uint64_t at = strtoull(line, &end, 16);

		if (!at || end[0] != ' ' || !strchr("tTwW", end[1]))
			continue;
		rn_vec_room(a.of, a.n, a.cap);
		a.of[a.n++] = at;
	}
	free(line);
	if (a.n)
		qsort(a.of, a.n, sizeof(*a.of), by_address);
	return a;
}

static uint64_t begin_of(const struct addresses *a, uint64_t patched)
{
	enum { ENDBR = 4 };
	const uint64_t before = patched - ENDBR;

	if (bsearch(&patched, a->of, a->n, sizeof(*a->of), by_address))
		return patched;
	return bsearch(&before, a->of, a->n, sizeof(*a->of), by_address) ? before : 0;
}

void rn_user_leave_out(struct rn_user *user, const char *name)
{
	user->left_out++;
	if (user->nleft < RN_USER_LEFT)
		user->left_name[user->nleft++] = name;
}

/* Puts where the functions begin for the places of the list; those without a symbol are left out,
 * and said to u. Without symbols all functions go by their names. Returns how many are left. */
static unsigned find_begins(const struct addresses *a, struct rn_probe_at *at, unsigned n,
			    struct rn_user *u)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < n; i++) {
		at[kept] = at[i];
		at[kept].off = a->n ? begin_of(a, at[i].off) : 0;
		if (!a->n || at[kept].off)
			kept++;
		else if (u)
			rn_user_leave_out(u, at[i].name);
	}
	return kept;
}

/* Functions of one name have one number. If addresses are not known, they are probed at once: the
 * kernel knows them by their names. */
static void number(struct rn_user *u)
{
	unsigned n = 0, first = 0;

	if (u->n)
		qsort(u->at, u->n, sizeof(*u->at), by_name);
	for (unsigned i = 0; i < u->n; i++) {
		bool same = n && !strcmp(u->at[n - 1].name, u->at[i].name);

		if (same && !u->at[i].off)
			continue;
		first = same ? first : n;
		u->at[n] = u->at[i];
		u->at[n++].cookie |= first;
	}
	u->n = n;
	u->name = rn_malloc((n + 1) * sizeof(*u->name));
	u->nnames = n;
	for (unsigned i = 0; i < n; i++)
		u->name[i] = u->at[i].name;
}

static int none(const char *arg, struct names *all, struct rn_err *err)
{
	const char *near;

	rn_vec_room(all->of, all->n, all->cap);
	all->of[all->n] = NULL;
	near = arg[strcspn(arg, "*?[,")] ? NULL : rn_nearest(arg, all->of);
	rn_err_set(err, -ENOENT, "this kernel has no function `%s` that can be probed", arg);
	if (near)
		rn_err_hint(err, "did you mean `%s`?", near);
	return -ENOENT;
}

/* All of the list; names live as long as it. */
static char *read_list(FILE *list)
{
	size_t room = 0, bytes = 0;
	char *text = NULL;

	do {
		room = room ? 2 * room : 4 << 20;
		text = rn_realloc(text, room + 1);
		bytes += fread(text + bytes, 1, room - bytes, list);
	} while (bytes == room);
	text[bytes] = 0;
	return text;
}

/* Functions that are never called, since nobody calls what has tracepoints through them. */
static bool is_idle(const char *name)
{
	return !strncmp(name, "__probestub_", 12) || !strncmp(name, "__traceiter_", 12);
}

static void take_line(struct rn_user *u, const char *arg, struct names *all, char *line)
{
	char *name = line, *module;
	uint64_t address = strtoull(line, &name, 16);

	if (*name == ' ' && name[1] != '[') {
		name++;
	} else { /* a name that begins like a number, or is one */
		name = line;
		address = 0;
	}
	module = split(name);
	if (!strncmp(name, "__ftrace_invalid_address_", 25))
		return;
	rn_vec_room(all->of, all->n, all->cap);
	all->of[all->n++] = name;
	if (rn_glob_list(arg, name)) {
		rn_vec_room(u->at, u->n, u->cap);
		u->at[u->n++] =
			(struct rn_probe_at){address, (uint64_t)file_of(u, module) << 32, name};
	} else if (u->nidle < RN_USER_IDLE && is_idle(name) && !module) {
		u->idle[u->nidle++] = (struct rn_probe_at){address, UINT64_MAX, name};
	}
}

int rn_user_find_kernel(struct rn_user *user, FILE *list, FILE *symbols, const char *arg,
			struct rn_err *err)
{
	struct addresses begins = {0};
	struct names all = {0};
	int r = 0;

	user->text = read_list(list);
	user->idle = rn_calloc(RN_USER_IDLE, sizeof(*user->idle));
	for (char *line = user->text, *next; *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = 0;
		take_line(user, arg, &all, line);
	}
	if (user->n && user->at[0].off)
		begins = read_symbols(symbols);
	user->n = find_begins(&begins, user->at, user->n, user);
	user->nidle = find_begins(&begins, user->idle, user->nidle, NULL);
	free(begins.of);
	number(user);
	if (user->n > rn_user_most(user))
		r = rn_user_too_many(user, arg, "the kernel", err);
	else if (!user->n)
		r = none(arg, &all, err);
	free(all.of);
	return r;
}
