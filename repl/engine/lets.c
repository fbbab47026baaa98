/* lets.c - see lets.h. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "repl/engine/lets.h"
#include "lang/resolve/resolve.h"

struct entry {                  /* one result */
	struct rn_let let;      /* first: others see only this */
	struct rn_arena *arena; /* of all but the rows */
	unsigned refs;          /* by the engine, and by each text that reads it */
};

struct node {
	struct entry *entry;
	struct node *next;
};

struct rn_letstore {
	pthread_mutex_t lock; /* of first and of all refs, for texts in several threads */
	struct node *first;
	struct rn_lets names;
	const char **list; /* the last result of names.names */
};

struct rn_script_lets { /* of one text */
	struct rn_lets names;
	struct node *own;  /* defined by the text, the latest first */
	struct node *used; /* results of the engine */
};

static void unref(struct entry *e)
{
	if (--e->refs)
		return;
	rn_let_result_destroy(e->let.rows);
	rn_arena_destroy(e->arena);
	free(e);
}

static void push(struct node **list, struct entry *e)
{
	struct node *n = rn_calloc(1, sizeof(*n));

	*n = (struct node){.entry = e, .next = *list};
	*list = n;
	e->refs++;
}

static void drop_all(struct node **list)
{
	while (*list) {
		struct node *n = *list;

		*list = n->next;
		unref(n->entry);
		free(n);
	}
}

static struct node **find(struct node **list, const char *name)
{
	while (*list && strcmp((*list)->entry->let.name, name))
		list = &(*list)->next;
	return list;
}

struct rn_letstore *rn_lets_create(void)
{
	struct rn_letstore *s = rn_calloc(1, sizeof(*s));

	pthread_mutex_init(&s->lock, NULL);
	return s;
}

void rn_lets_destroy(struct rn_letstore *lets)
{
	if (!lets)
		return;
	drop_all(&lets->first);
	pthread_mutex_destroy(&lets->lock);
	free(lets->list);
	free(lets);
}

static const struct rn_let *stored(void *self, const char *name)
{
	struct rn_letstore *s = self;
	struct node *n = *find(&s->first, name);

	return n ? &n->entry->let : NULL;
}

static const char *const *stored_names(void *self)
{
	struct rn_letstore *s = self;
	unsigned n = 0;

	for (const struct node *x = s->first; x; x = x->next)
		n++;
	s->list = rn_realloc(s->list, (n + 1) * sizeof(*s->list));
	n = 0;
	for (const struct node *x = s->first; x; x = x->next)
		s->list[n++] = x->entry->let.name;
	s->list[n] = NULL;
	return s->list;
}

const struct rn_lets *rn_lets_names(struct rn_letstore *lets)
{
	lets->names = (struct rn_lets){.self = lets, .find = stored, .names = stored_names};
	return &lets->names;
}

const struct rn_let *const *rn_lets_list(const struct rn_letstore *lets, struct rn_arena *arena)
{
	unsigned n = 0;
	const struct rn_let **all;

	for (const struct node *x = lets->first; x; x = x->next)
		n++;
	all = RN_NEWN(arena, const struct rn_let *, n + 1);
	n = 0;
	for (const struct node *x = lets->first; x; x = x->next)
		all[n++] = &x->entry->let;
	return all;
}

/* ---- of a text ---- */

static const struct rn_let *lookup(void *self, const char *name)
{
	struct rn_script *u = self;
	struct node *n = *find(&u->lets->own, name);

	if (n)
		return &n->entry->let;
	n = *find(&u->lets->used, name); /* a name keeps its meaning within a text */
	if (n)
		return &n->entry->let;
	pthread_mutex_lock(&u->engine->lets->lock);
	n = *find(&u->engine->lets->first, name);
	if (n)
		push(&u->lets->used, n->entry);
	pthread_mutex_unlock(&u->engine->lets->lock);
	return n ? &(*find(&u->lets->used, name))->entry->let : NULL;
}

static const char *const *names(void *self)
{
	const struct rn_script *script = self;
	const struct node *lists[2];
	unsigned n;
	const char **all;

	pthread_mutex_lock(&script->engine->lets->lock);
	lists[0] = script->lets->own;
	lists[1] = script->engine->lets->first;
	n = 0;
	for (int i = 0; i < 2; i++) {
		for (const struct node *x = lists[i]; x; x = x->next)
			n++;
	}
	all = RN_NEWN(script->arena, const char *, n + 1);
	n = 0;
	for (int i = 0; i < 2; i++) {
		for (const struct node *x = lists[i]; x; x = x->next)
			all[n++] = rn_arena_strdup(script->arena, x->entry->let.name);
	}
	pthread_mutex_unlock(&script->engine->lets->lock);
	return all;
}

const struct rn_lets *rn_lets_begin(struct rn_script *script)
{
	script->lets = rn_calloc(1, sizeof(*script->lets));
	script->lets->names = (struct rn_lets){.self = script, .find = lookup, .names = names};
	return &script->lets->names;
}

void rn_lets_end(struct rn_script *script)
{
	pthread_mutex_lock(&script->engine->lets->lock);
	drop_all(&script->lets->own);
	drop_all(&script->lets->used);
	pthread_mutex_unlock(&script->engine->lets->lock);
	free(script->lets);
}

static struct entry *define(struct rn_script *u, const struct rn_ast_stmt *st)
{
	enum { CAP = 1 << 20 };
	struct entry *e = rn_calloc(1, sizeof(*e));
	unsigned line, col;

	e->arena = rn_arena_create(CAP);
	rn_diag_where(u->diag, st->span, &line, &col);
	e->let = (struct rn_let){.name = rn_arena_strdup(e->arena, st->name), .line = line};
	push(&u->lets->own, e);
	return e;
}

void rn_let_define(struct rn_script *script, struct rn_statement *job)
{
	struct entry *e = define(script, job->stmt);

	e->let.shape = rn_let_shape(e->arena, job->stmt->query);
	e->let.cls = rn_plan_class(e->arena, job->plan);
	e->let.window_ns = rn_plan_window(job->plan, &e->let.window);
	job->let = &e->let;
}

void rn_let_broken(struct rn_script *script, const struct rn_ast_stmt *st)
{
	define(script, st);
	script->broken = true;
}

struct rn_let_result *rn_let_begin(const struct rn_statement *job)
{
	return rn_let_result_create(job->let->cls->nfields, RN_KEPT_ROWS, RN_KEPT_BYTES);
}

void rn_let_done(struct rn_script *script, const struct rn_statement *job,
		 struct rn_let_result *rows)
{
	struct entry *e = (struct entry *)job->let;
	struct node **list, **old;

	pthread_mutex_lock(&script->engine->lets->lock);
	list = &script->engine->lets->first;
	old = find(list, job->let->name);
	if (*old) {
		struct node *n = *old;

		*old = n->next;
		unref(n->entry);
		free(n);
	}
	rn_let_result_destroy(e->let.rows);
	e->let.rows = rows;
	push(list, e);
	pthread_mutex_unlock(&script->engine->lets->lock);
}
