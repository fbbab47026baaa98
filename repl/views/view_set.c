/* view_set.c - see view_set.h: the set, and what its views use. */
#include <stdlib.h>
#include <string.h>
#include "repl/views/view_set.h"
#include "lang/syntax/walk_sources.h"
#include "lang/syntax/parse.h"
#include "lang/base/vec.h"

static const struct rn_ast_file *parse(struct rn_arena *a, const char *name, const char *text)
{
	struct rn_diag *d = rn_diag_new(a);
	const struct rn_ast_file *f = rn_parse(a, d, rn_diag_source(d, name, text, strlen(text)));

	return rn_diag_errors(d) ? NULL : f;
}

static const struct rn_ast_stmt *view_in(const struct rn_ast_file *f, const char *name)
{
	for (const struct rn_ast_stmt *st = f ? f->stmts : NULL; st; st = st->next) {
		if (st->kind == RN_STMT_VIEW && st->query && !strcmp(st->name, name))
			return st;
	}
	return NULL;
}

const char *rn_module_text(void *self, const char *name)
{
	(void)self;
	for (const struct rn_module_data *m = rn_stdlib; m->name; m++) {
		if (!strcmp(m->name, name))
			return m->text;
	}
	return NULL;
}

const struct rn_module_data *rn_module_of(const char *name)
{
	size_t n = strlen(name);

	for (const struct rn_module_data *m = rn_stdlib; m->name; m++)
		for (const char *at = m->text; (at = strstr(at, "\nview ")) != NULL;) {
			at += strlen("\nview ");
			if (!strncmp(at, name, n) && at[n] == '(')
				return m;
		}
	return NULL;
}

const struct rn_ast_stmt *rn_module_view(struct rn_arena *arena, const char *module,
					 const char *name)
{
	const char *text = rn_module_text(NULL, module);

	/* most names are in no module, so nothing is parsed */
	return text && strstr(text, name) ? view_in(parse(arena, module, text), name) : NULL;
}

/* ---- what a view uses ---- */

struct collect {
	struct rn_arena *arena;
	const char *const *modules;
	const char **names;
	unsigned n, cap;
};

static void collect(void *self, const struct rn_ast_source *src)
{
	struct collect *c = self;

	for (const char *const *m = c->modules; *m; m++) {
		if (rn_module_view(c->arena, *m, src->name))
			return;
	}
	for (unsigned i = 0; i < c->n; i++) {
		if (!strcmp(c->names[i], src->name))
			return;
	}
	rn_vec_room_for_in(c->arena, c->names, c->n, c->cap, 2); /* and the NULL */
	c->names[c->n++] = src->name;
	c->names[c->n] = NULL;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *const *modules_of(struct rn_arena *a, const struct rn_ast_file *f)
{
	unsigned n = 0;
	const char **m;

	for (const struct rn_ast_stmt *st = f ? f->stmts : NULL; st; st = st->next)
		n += st->kind == RN_STMT_USE;
	m = RN_NEWN(a, const char *, n + 1);
	n = 0;
	for (const struct rn_ast_stmt *st = f ? f->stmts : NULL; st; st = st->next) {
		if (st->kind == RN_STMT_USE)
			m[n++] = st->name;
	}
	return m;
}

static struct rn_saved *new_saved(struct rn_arena *arena, const char *name, const char *text,
				  const char *doc)
{
	struct rn_saved *saved = RN_NEW(arena, struct rn_saved);
	const struct rn_ast_file *file;
	struct collect c;

	*saved = (struct rn_saved){.name = rn_arena_strdup(arena, name),
				   .text = rn_arena_strdup(arena, text),
				   .doc = doc ? rn_arena_strdup(arena, doc) : NULL,
				   .origin = rn_arena_printf(arena, "view %s", name)};
	file = parse(arena, saved->origin, saved->text);
	saved->view = view_in(file, name);
	saved->modules = modules_of(arena, file);
	c = (struct collect){.arena = arena,
			     .modules = saved->modules,
			     .names = RN_NEWN(arena, const char *, 1)};
	if (saved->view)
		rn_query_sources(saved->view->query, collect, &c);
	qsort(c.names, c.n, sizeof(c.names[0]), by_text);
	saved->names = c.names;
	return saved;
}

bool rn_viewset_uses(const struct rn_viewset *views, const struct rn_saved *user,
		     const struct rn_saved *used)
{
	(void)views;
	for (const char *const *n = user->names; *n; n++) {
		if (!strcmp(*n, used->name))
			return true;
	}
	return false;
}

const char *rn_viewset_users(const struct rn_viewset *views, const char *name,
			     struct rn_arena *arena)
{
	const struct rn_saved *used = rn_viewset_find(views, name);
	const char *list = NULL;

	for (unsigned i = 0; used && i < views->n; i++) {
		if (rn_viewset_uses(views, views->list[i], used))
			list = rn_arena_printf(arena, "%s%s`%s`", list ? list : "",
					       list ? ", " : "", views->list[i]->name);
	}
	return list;
}

/* ---- the set ---- */

static unsigned place(const struct rn_viewset *s, const char *name)
{
	unsigned lo = 0, hi = s->n;

	while (lo < hi) {
		unsigned mid = (lo + hi) / 2;

		if (strcmp(s->list[mid]->name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct rn_saved *rn_viewset_find(const struct rn_viewset *views, const char *name)
{
	unsigned i = place(views, name);

	return i < views->n && !strcmp(views->list[i]->name, name) ? views->list[i] : NULL;
}

const char *rn_module_doc(struct rn_arena *arena, const struct rn_module_data *module)
{
	const char *doc = strstr(module->text, " - "), *end = doc ? strchr(doc, '\n') : NULL;

	return end ? rn_arena_strndup(arena, doc + 3, (size_t)(end - doc - 3)) : "";
}

const char *rn_module_origin(struct rn_arena *arena, const struct rn_module_data *module)
{
	return rn_arena_printf(arena, "stdlib/%s.rnl", module->name);
}

static const char *find_text(void *self, const char *name, const char **origin)
{
	const struct rn_saved *v = rn_viewset_find(self, name);
	const struct rn_module_data *m = v ? NULL : rn_module_of(name);

	if (origin && v)
		*origin = v->origin;
	else if (origin && m)
		*origin = rn_module_origin(((struct rn_viewset *)self)->arena, m);
	return v ? v->source ? v->source : v->text : m ? m->text : NULL;
}

static const char *const *names(void *self)
{
	struct rn_viewset *s = self;
	const char **all = RN_NEWN(s->arena, const char *, s->n + 1);

	for (unsigned i = 0; i < s->n; i++)
		all[i] = s->list[i]->name;
	return all;
}

struct rn_viewset *rn_viewset_new(struct rn_arena *arena, const struct rn_viewset *from)
{
	struct rn_viewset *s = RN_NEW(arena, struct rn_viewset);

	*s = (struct rn_viewset){
		.arena = arena,
		.n = from ? from->n : 0,
		.cap = from ? from->n : 0,
		.views = {.self = s, .find = find_text, .names = names, .module = rn_module_text}};
	s->list = RN_NEWN(arena, const struct rn_saved *, s->cap);
	if (s->n)
		memcpy(s->list, from->list, s->n * sizeof(const struct rn_saved *));
	return s;
}

static void put(struct rn_viewset *s, const struct rn_saved *v)
{
	unsigned i = place(s, v->name);

	if (i < s->n && !strcmp(s->list[i]->name, v->name)) {
		s->list[i] = v;
		return;
	}
	rn_vec_room_in(s->arena, s->list, s->n, s->cap);
	memmove(s->list + i + 1, s->list + i, (s->n - i) * sizeof(const struct rn_saved *));
	s->list[i] = v;
	s->n++;
}

void rn_viewset_put(struct rn_viewset *views, const char *name, const char *text, const char *doc)
{
	put(views, new_saved(views->arena, name, text, doc));
}

static void put_change(struct rn_viewset *s, const struct rn_view_change *c)
{
	struct rn_saved *v = new_saved(s->arena, c->name, c->text, c->doc);

	if (c->source) {
		v->source = c->source;
		v->origin = c->origin;
	}
	put(s, v);
}

bool rn_viewset_remove(struct rn_viewset *views, const char *name)
{
	unsigned i = place(views, name);

	if (i == views->n || strcmp(views->list[i]->name, name))
		return false;
	memmove(views->list + i, views->list + i + 1,
		(views->n - i - 1) * sizeof(const struct rn_saved *));
	views->n--;
	return true;
}

static bool same_text(const char *x, const char *y)
{
	return !strcmp(x ? x : "", y ? y : "");
}

void rn_viewset_apply(struct rn_viewset *views, struct rn_view_change *change, unsigned n)
{
	struct rn_arena *arena = rn_arena_create(1 << 20);
	const struct rn_viewset *before = rn_viewset_new(arena, views);

	for (unsigned i = 0; i < n; i++) {
		const struct rn_saved *was = rn_viewset_find(before, change[i].name);

		if (!change[i].text) {
			change[i].outcome = rn_viewset_remove(views, change[i].name)
						    ? RN_VIEW_DROPPED
						    : RN_VIEW_NOT_SAVED;
			continue;
		}
		change[i].outcome =
			!was ? RN_VIEW_NEW
			: same_text(was->text, change[i].text) && same_text(was->doc, change[i].doc)
				? RN_VIEW_UNCHANGED
				: RN_VIEW_REPLACED;
		put_change(views, &change[i]);
	}
	rn_arena_destroy(arena);
}

/* ---- an order in which they can be read back ---- */

struct ordering {
	const struct rn_viewset *views;
	struct rn_arena *arena;
	unsigned char *state; /* of each view: 0 not met, 1 above this one, 2 placed */
	const struct rn_saved **out;
	unsigned n;
	const char *why;
};

/* Does `user` take the name of saved from a module? Then saved must not be defined yet when `user`
 * is read. */
static bool hides(struct rn_arena *arena, const struct rn_saved *user, const struct rn_saved *saved)
{
	struct collect c = {.arena = arena,
			    .modules = (const char *const[]){NULL},
			    .names = RN_NEWN(arena, const char *, 1)};
	bool in_module;

	if (!user->view || user == saved || !user->modules[0])
		return false;
	in_module = false;
	for (const char *const *m = user->modules; *m && !in_module; m++)
		in_module = rn_module_view(arena, *m, saved->name) != NULL;
	if (!in_module)
		return false;
	rn_query_sources(user->view->query, collect, &c);
	for (unsigned i = 0; i < c.n; i++) {
		if (!strcmp(c.names[i], saved->name))
			return true;
	}
	return false;
}

static void put_in_order(struct ordering *o, unsigned i)
{
	const struct rn_saved *saved = o->views->list[i];

	if (o->state[i] == 1)
		o->why = rn_arena_printf(o->arena,
					 "`%s` cannot be written so that it reads back: a module "
					 "that another view uses has a view of "
					 "its name; rename yours",
					 saved->name);
	if (o->state[i] || o->why)
		return;
	o->state[i] = 1;
	for (unsigned k = 0; k < o->views->n; k++) {
		if (k != i && (rn_viewset_uses(o->views, saved, o->views->list[k]) ||
			       hides(o->arena, o->views->list[k], saved)))
			put_in_order(o, k);
	}
	o->state[i] = 2;
	o->out[o->n++] = saved;
}

/* Mark a view, and those that it uses, as wanted. */
static void want(const struct rn_viewset *s, unsigned char *wanted, unsigned i)
{
	if (wanted[i])
		return;
	wanted[i] = 1;
	for (unsigned k = 0; k < s->n; k++) {
		if (rn_viewset_uses(s, s->list[i], s->list[k]))
			want(s, wanted, k);
	}
}

const struct rn_saved *const *rn_viewset_order(const struct rn_viewset *views,
					       const char *const *only, struct rn_arena *arena,
					       const char **why)
{
	struct rn_viewset *some = rn_viewset_new(arena, views);
	unsigned char *wanted = RN_NEWN(arena, unsigned char, views->n + 1);
	struct ordering order;

	for (const char *const *o = only; o && *o; o++) {
		unsigned i = place(views, *o);

		if (i < views->n && !strcmp(views->list[i]->name, *o))
			want(views, wanted, i);
	}
	for (unsigned i = 0; only && i < views->n; i++) {
		if (!wanted[i])
			rn_viewset_remove(some, views->list[i]->name);
	}
	order = (struct ordering){.views = some,
				  .arena = arena,
				  .state = RN_NEWN(arena, unsigned char, some->n + 1),
				  .out = RN_NEWN(arena, const struct rn_saved *, some->n + 1)};
	for (unsigned i = 0; i < some->n; i++)
		put_in_order(&order, i);
	*why = order.why;
	return order.why ? NULL : order.out;
}
