/* kernel_functions.c - functions of the kernel: see user.h. The kernel lists those that can be
 * probed in available_filter_functions of tracefs: a name a line, and the module in brackets. */
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

static bool matches(const char *arg, const char *name)
{
	for (const char *part = arg, *comma; part; part = comma ? comma + 2 : NULL) {
		comma = strstr(part, ", ");
		if (rn_glob(part, comma ? (size_t)(comma - part) : strlen(part), name,
			    strlen(name)))
			return true;
	}
	return false;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct rn_probe_at *)a)->name, ((const struct rn_probe_at *)b)->name);
}

/* Functions of one name are probed at once: the kernel knows them by their names. */
static void make_unique(struct rn_user *u)
{
	unsigned n = 0;

	qsort(u->at, u->n, sizeof(*u->at), by_name);
	for (unsigned i = 0; i < u->n; i++)
		if (!n || strcmp(u->at[n - 1].name, u->at[i].name) != 0)
			u->at[n++] = u->at[i];
	u->n = n;
	u->name = rn_malloc((n + 1) * sizeof(*u->name));
	for (unsigned i = 0; i < n; i++) {
		u->at[i].cookie |= i;
		u->name[i] = u->at[i].name;
	}
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

int rn_user_find_kernel(struct rn_user *user, FILE *list, const char *arg, struct rn_err *err)
{
	struct names all = {0};
	size_t room = 0, bytes = 0, at = 0;
	char *text = NULL, *line;
	int r = 0;

	while (bytes == at && !feof(list)) { /* names live as long as the text */
		room = room ? 2 * room : 4 << 20;
		text = rn_realloc(text, room + 1);
		at = bytes += fread(text + bytes, 1, room - bytes, list);
		if (bytes < room)
			break;
	}
	if (text)
		text[bytes] = 0;
	user->text = text;
	for (line = text; line && *line;) {
		char *next = strchr(line, '\n'), *module;

		if (next)
			*next++ = 0;
		module = split(line);
		rn_vec_room(all.of, all.n, all.cap);
		all.of[all.n++] = line;
		if (matches(arg, line)) {
			rn_vec_room(user->at, user->n, user->cap);
			user->at[user->n++] = (struct rn_probe_at){
				.name = line, .cookie = (uint64_t)file_of(user, module) << 32};
		}
		line = next;
	}
	make_unique(user);
	if (user->n > RN_USER_FUNCTIONS)
		r = rn_err_set(err, -E2BIG,
			       "`%s` names %u functions of the kernel, more than %d "
			       "[E-LIMIT-FUNCTIONS]",
			       arg, user->n, RN_USER_FUNCTIONS);
	else if (!user->n)
		r = none(arg, &all, err);
	free(all.of);
	return r;
}
