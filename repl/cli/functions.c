/* functions.c - `list` and `describe` of functions: those that a class of functions (user, kernel)
 * would have as a source. */
#include <errno.h>
#include <string.h>
#include "lang/base/str.h"
#include "lang/values/glob.h"
#include "probes/probes.h"
#include "repl/cli/describe.h"

bool rn_functions_named(const struct rn_catalog *catalog, struct rn_arena *arena, const char *text,
			const char **class_name, const char **arg)
{
	size_t n = strcspn(text, ": ");
	const char *name = rn_arena_strndup(arena, text, n), *from = text + n, *comma;
	const struct rn_class *cls = catalog->find(catalog->self, name, NULL, NULL, 0);

	if (!cls || !rn_class_of_functions(cls->name))
		return false;
	if (*from == ':') {
		from++;
	} else {
		from += strspn(from, " ");
		if (!*from)
			return false;
	}
	*class_name = cls->name;
	*arg = from;
	if (*from != '"')
		return true;
	/* "A", "B" of a query are A, B */
	from++;
	*arg = "";
	while ((comma = strstr(from, "\", \""))) {
		*arg = rn_arena_printf(arena, "%s%.*s, ", *arg, (int)(comma - from), from);
		from = comma + 4;
	}
	*arg = rn_arena_printf(arena, "%s%.*s", *arg, (int)strcspn(from, "\""), from);
	return true;
}

/* The class with its argument; NULL: it has said why there is none. */
static const struct rn_class *find(const struct rn_session *session, const char *class_name,
				   const char *arg)
{
	const struct rn_catalog *catalog = session->engine->catalog;
	char why[256] = "";
	const struct rn_class *cls =
		catalog->find(catalog->self, class_name, arg, why, sizeof(why));

	if (!cls)
		rn_say("%s%s\n", session->pager ? "" : "runnel: ", why);
	return cls;
}

/* ---- list ---- */

struct list {
	struct rn_listing *listing;
	struct rn_arena *arena;
	const char *class_name, *arg;
	unsigned left_out;
};

/* The name as a query has it: WHERE as it was asked for, if it is one file. */
static const char *in_query(struct list *l, const struct rn_named_function *f)
{
	size_t one = rn_glob_in_list(l->arg), where = 0;
	struct rn_strbuf path;

	if (!strcmp(l->class_name, "kernel"))
		return f->name;
	if (f->files == 1 && !l->arg[one]) {
		while (l->arg[where] && l->arg[where] != ':')
			where += l->arg[where] == '\\' && l->arg[where + 1] ? 2 : 1;
		return rn_arena_printf(l->arena, "%.*s:%s", (int)where, l->arg, f->name);
	}
	rn_strbuf_init(&path, l->arena);
	for (const char *p = f->file; *p; p++) {
		if (*p == ':')
			rn_strbuf_putc(&path, '\\');
		rn_strbuf_putc(&path, *p);
	}
	return rn_arena_printf(l->arena, "%s:%s", rn_strbuf_cstr(&path), f->name);
}

static void put(void *self, const struct rn_named_function *f)
{
	struct list *l = self;
	const char *name = in_query(l, f), *doc = "";

	if (strcmp(f->file, "kernel") != 0 && !strchr(name, '/'))
		doc = rn_arena_printf(l->arena, "%s%s", *l->class_name == 'k' ? "module " : "",
				      f->file);
	if (strcmp(f->name, f->symbol) != 0)
		doc = rn_arena_printf(l->arena, "%s%s%s", f->symbol, *doc ? " of " : "", doc);
	l->left_out = f->left_out;
	rn_listing_row(l->listing, (const char *const[]){l->class_name, name, doc});
	rn_arena_reset(l->arena);
}

int rn_list_functions(struct rn_session *session, struct rn_listing *listing,
		      const char *class_name, const char *arg)
{
	struct list l = {listing, rn_arena_create(1 << 20), class_name, arg, 0};
	struct rn_err err = {0};
	bool named = find(session, class_name, arg) != NULL;
	int r = named ? rn_probes_functions(class_name, arg, put, &l, &err) : 0;

	rn_arena_destroy(l.arena);
	if (!named)
		return RN_EXIT_QUERY;
	if (r) {
		rn_complain(session, &err);
		return r == -ENOENT || r == -E2BIG ? RN_EXIT_QUERY : RN_EXIT_SYSTEM;
	}
	if (l.left_out && !session->opt->quiet)
		rn_say("(%u more that match cannot be probed: they are chosen when a program "
		       "starts, or no probe may sit at their beginning)\n",
		       l.left_out);
	return RN_EXIT_OK;
}

/* ---- describe ---- */

enum { FILES_MAX = 64 }; /* as many as a source has: probes/uprobe/user.h */
struct files {
	struct rn_arena *arena;
	struct {
		const char *path;
		unsigned functions;
	} file[FILES_MAX];
	unsigned n, left_out;
};

static void count(void *self, const struct rn_named_function *function)
{
	struct files *f = self;

	f->left_out = function->left_out;
	if (!f->n || strcmp(f->file[f->n - 1].path, function->file) != 0) {
		if (f->n == FILES_MAX)
			return;
		f->file[f->n++].path = rn_arena_strdup(f->arena, function->file);
	}
	f->file[f->n - 1].functions++;
}

static void put_files(struct rn_describe *describe, const struct files *files, const char *kind,
		      const char *what)
{
	for (unsigned i = 0; i < files->n; i++) {
		unsigned n = files->file[i].functions;

		rn_describe_put(
			describe, kind, files->file[i].path, "", "",
			rn_arena_printf(describe->arena, "%u %s%s", n, what, n == 1 ? "" : "s"));
	}
	if (files->left_out)
		rn_describe_put(describe, "left out", "", "", "",
				rn_arena_printf(describe->arena, "%u that cannot be probed",
						files->left_out));
}

bool rn_describe_functions(struct rn_describe *describe, const char *class_name, const char *arg)
{
	struct files files = {.arena = describe->arena};
	const struct rn_class *cls = find(describe->session, class_name, arg);
	struct rn_err err = {0};
	int r;

	if (!cls)
		return false;
	r = rn_probes_functions(class_name, arg, count, &files, &err);
	if (r)
		rn_complain(describe->session, &err);
	if (r == -ENOENT)
		return false;
	rn_describe_class(describe, cls);
	put_files(describe, &files, strcmp(class_name, "kernel") ? "file" : "module",
		  strcmp(class_name, "usdt") ? "function" : "probe");
	describe->refused = r != 0;
	return true;
}
