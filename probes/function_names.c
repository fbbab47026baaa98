/* function_names.c - what a prompt offers inside of `user "` and `kernel "`: names of libraries and
 * programs, and functions. A file is read when its first function is wanted; what was read stays,
 * so the next key is answered at once. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lang/base/arena.h"
#include "lang/base/memory.h"
#include "lang/base/vec.h"
#include "probes/live/live.h"
#include "probes/probes.h"
#include "probes/process/demangle.h"
#include "probes/uprobe/user.h"

/* Any user may have made a file: so much of its names is kept. */
enum { ARENA_BYTES = 64 << 20, KERNEL_BYTES = 32 << 20, NAMES_MAX = 200000 };

/* Functions of what stands before the colon; of the kernel: "". */
struct read {
	struct read *next;
	char *class_name, *where, *why; /* why: there are none */
	struct rn_arena *arena;
	const char **name;
	unsigned n, cap;
	struct rn_demangler *demangler;
};
struct rn_function_names {
	struct read *read;
};
struct offering {
	const char *typed;
	rn_function_offer *offer;
	void *self;
};

struct rn_function_names *rn_function_names_create(void)
{
	return rn_calloc(1, sizeof(struct rn_function_names));
}

void rn_function_names_destroy(struct rn_function_names *names)
{
	struct read *r = names ? names->read : NULL, *next;

	for (; r; r = next) {
		next = r->next;
		rn_arena_destroy(r->arena);
		free(r->class_name);
		free(r->where);
		free(r->why);
		free(r->name);
		free(r);
	}
	free(names);
}

static void keep(struct read *r, const char *name, size_t n)
{
	if (!n || r->n == NAMES_MAX || rn_arena_full(r->arena))
		return;
	rn_vec_room(r->name, r->n, r->cap);
	r->name[r->n++] = rn_arena_strndup(r->arena, name, n);
}

/* ---- a file ---- */

static bool take_symbol(void *self, const struct rn_elf_symbol *symbol)
{
	struct read *r = self;
	const char *text = rn_demangle(r->demangler, symbol->name);
	size_t length[RN_DEMANGLED_FORMS];
	unsigned n;

	if (symbol->ifunc)
		return true;
	keep(r, symbol->name, strnlen(symbol->name, RN_MANGLED_BYTES));
	if (text) { /* its shortest form means all overloads */
		n = rn_demangled_forms(text, length);
		keep(r, text, length[n - 1]);
	}
	return true;
}

static void take_file(void *self, int fd, const char *path)
{
	struct read *r = self;
	struct rn_elf *elf = fd < 0 ? NULL : rn_elf_open(fd, &rn_elf_found);

	(void)path;
	r->demangler = rn_demangler_create();
	if (elf)
		rn_elf_each(elf, take_symbol, r);
	rn_demangler_destroy(r->demangler);
	rn_elf_close(elf);
	if (fd >= 0)
		close(fd);
}

static void read_kernel(struct read *r, struct rn_err *err)
{
	FILE *list = rn_live_kernel_functions(err);
	char *line = NULL;
	size_t room = 0, total = 0;
	ssize_t n;

	while (list && total < KERNEL_BYTES && (n = getline(&line, &room, list)) > 0) {
		total += (size_t)n;
		keep(r, line, strcspn(line, " \t\n"));
	}
	free(line);
	if (list)
		(void)fclose(list);
}

static void take_probe(void *self, const struct rn_named_function *function)
{
	keep(self, function->name, strlen(function->name));
}

/* typed: what stands before the colon, as a query has it; where: what it means. */
static const struct read *read_once(struct rn_function_names *names, const char *class_name,
				    const char *typed, const char *where)
{
	struct rn_err err = {0};
	struct read *r = names->read;
	char *all;

	while (r && (strcmp(r->where, where) != 0 || strcmp(r->class_name, class_name) != 0))
		r = r->next;
	if (r)
		return r;
	r = rn_calloc(1, sizeof(*r));
	r->class_name = rn_strdup(class_name);
	r->where = rn_strdup(where);
	r->arena = rn_arena_create(ARENA_BYTES);
	if (!strcmp(class_name, "kernel")) {
		read_kernel(r, &err);
	} else if (!strcmp(class_name, "usdt")) {
		all = rn_asprintf("%s:*:*", typed);
		(void)rn_probes_functions(class_name, all, take_probe, r, &err);
		free(all);
	} else {
		(void)rn_user_files(where, take_file, r, &err);
	}
	r->why = err.code ? rn_strdup(err.text) : NULL;
	r->next = names->read;
	names->read = r;
	return r;
}

/* ---- what begins as it was typed ---- */

static void give_file(void *self, const char *name)
{
	const struct offering *o = self;
	char text[300];

	if (strncmp(name, o->typed, strlen(o->typed)) || strpbrk(name, ":/"))
		return;
	snprintf(text, sizeof(text), "%s:", name);
	o->offer(o->self, text);
}

/* before: what was typed up to the colon; rest: behind it. */
static void give_functions(const struct offering *o, const struct read *r, size_t before,
			   const char *rest)
{
	size_t n = strlen(rest);

	for (unsigned i = 0; i < r->n; i++) {
		const char *name = r->name[i];
		bool mangled = name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
		char *text;

		if (strncmp(name, rest, n) != 0 || (mangled && *rest != '_'))
			continue;
		text = rn_asprintf("%.*s%s", (int)before, o->typed, name);
		o->offer(o->self, text);
		free(text);
	}
}

const char *rn_function_names_offer(struct rn_function_names *names, const char *class_name,
				    const char *typed, rn_function_offer *offer, void *self)
{
	struct offering o = {typed, offer, self};
	char *where = rn_strdup(typed), *rest, *before;
	const struct read *r = NULL;

	if (!strcmp(class_name, "kernel")) {
		r = read_once(names, class_name, "", "");
		give_functions(&o, r, 0, typed);
	} else if ((rest = rn_user_split(where))) {
		before = rn_strndup(typed, strlen(typed) - strlen(rest) - 1);
		r = *where ? read_once(names, class_name, before, where) : NULL;
		free(before);
		if (r)
			give_functions(&o, r, strlen(typed) - strlen(rest), rest);
	} else if (!strchr(typed, '/')) {
		rn_user_names(give_file, &o);
	}
	free(where);
	return r ? r->why : NULL;
}
