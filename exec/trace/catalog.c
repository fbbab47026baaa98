/* catalog.c - a recorded trace as a catalogue: which classes a query may name over it, with
 * which fields.
 *
 * The fields are the recorded ones. Besides the recorded class itself, every class that it contains
 * is there: a recording of `io` answers `read`, one of `syscall` answers every system call. Which
 * calls a class has, the catalogue below says (rn_class.calls). Catalogues are kept by file, since
 * a plan refers to them, and read again when the file has changed; all are freed together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "exec/trace/file.h"
#include "exec/trace/trace_impl.h"
#include "lang/base/memory.h"
#include "lang/base/limits.h"
#include "lang/catalog/list.h"

static const struct {
	const char *name;
	uint8_t type;
} types[] = {
	{"bool", RN_T_BOOL},
	{"int", RN_T_INT},
	{"float", RN_T_FLOAT},
	{"string", RN_T_STR},
	{"ip", RN_T_IP},
	{"tags", RN_T_TAGS},
	/* no others: a list or a histogram is text that is shown as it is */
	{"bytes", RN_T_BYTES},
	{"stack", RN_T_STACK},
	{"sketch", RN_T_SKETCH},
};
static const struct {
	const char *name;
	uint8_t unit;
} units[] = {
	{"", RN_U_NONE},
	{"ns", RN_U_NS},
	{"byte", RN_U_BYTE},
	{"epoch", RN_U_EPOCH},
	{"errno", RN_U_ERRNO},
	{"dev", RN_U_DEV},
	{"per_s", RN_U_PER_S},
	{"byte_per_s", RN_U_BYTE_PER_S},
	{"hex", RN_U_HEX},
	{"part", RN_U_PART},
	{"open_flags", RN_U_OPEN},
	{"protection", RN_U_PROT},
	{"map_flags", RN_U_MAP},
	{"clone_flags", RN_U_CLONE},
	{"signal", RN_U_SIGNAL},
	{"family", RN_U_FAMILY},
	{"tcp_state", RN_U_TCP},
	{"protocol", RN_U_PROTO},
	{"task_state", RN_U_TASK},
	{"page_fault", RN_U_FAULT},
	{"ethertype", RN_U_ETHER},
	{"softirq", RN_U_SOFTIRQ},
	{"writeback_reason", RN_U_WRITEBACK},
};
#define COUNT(a) (sizeof(a) / sizeof(*(a)))

const char *rn_trace_type_name(struct rn_ty t)
{
	for (size_t i = 0; i < COUNT(types); i++)
		if (types[i].type == t.type)
			return types[i].name;
	return NULL;
}

const char *rn_trace_unit_name(struct rn_ty t)
{
	for (size_t i = 0; i < COUNT(units); i++)
		if (units[i].unit == t.unit)
			return units[i].name;
	return NULL;
}

bool rn_trace_type_parse(const char *type, const char *unit, struct rn_ty *out)
{
	size_t t = 0, u = 0;

	while (t < COUNT(types) && strcmp(types[t].name, type))
		t++;
	while (u < COUNT(units) && strcmp(units[u].name, unit))
		u++;
	if (t == COUNT(types) || u == COUNT(units))
		return false;
	*out = (struct rn_ty){types[t].type, units[u].unit};
	return true;
}

/* ---- what a class contains ---- */

static bool among(const char *const *list, const char *name)
{
	for (; *list; list++)
		if (!strcmp(*list, name))
			return true;
	return false;
}

bool rn_trace_covers(const struct rn_class *recorded, const struct rn_class *wanted)
{
	if (!strcmp(recorded->name, wanted->name))
		return true;
	if (!recorded->calls || !wanted->calls || recorded->needs_arg || wanted->needs_arg ||
	    wanted->kind != RN_CLASS_EVENT)
		return false;
	for (const char *const *c = wanted->calls; *c; c++)
		if (!among(recorded->calls, *c))
			return false;
	return true;
}

/* ---- the catalogue ---- */

struct trace_class {
	struct rn_class cls;
	struct trace_class *next;
};

struct trace_catalog {
	struct rn_catalog cat;
	const struct rn_catalog *base;
	struct rn_arena *arena;
	const char *path, *query;
	struct stat st;
	struct rn_class recorded;
	struct trace_class *derived;
	struct trace_catalog *next;
};

/* Plans keep pointers into catalogues, so a list of them lives as long as the text whose plans they
 * are. */
struct rn_trace_catalogs {
	struct trace_catalog *first;
};

static const struct rn_class *in_base(const struct trace_catalog *t, const char *name)
{
	return t->base && t->base->find ? rn_class_find(t->arena, t->base, name, NULL, NULL, 0)
					: NULL;
}

/* The recorded fields that apply to the class. If the live class lacks a field of its family, the
 * recorded one lacks it too. */
static void keep_own_fields(struct trace_catalog *t, struct rn_class *c,
			    const struct rn_class *base)
{
	const struct rn_class *family = in_base(t, t->recorded.name);
	const struct rn_field **own = RN_NEWN(t->arena, const struct rn_field *, c->nfields + 1);
	unsigned n = 0;

	for (unsigned i = 0; i < c->nfields; i++)
		if (!family || !rn_class_field(family, c->fields[i]->name) ||
		    rn_class_field(base, c->fields[i]->name))
			own[n++] = c->fields[i];
	c->fields = own;
	c->nfields = n;
}

/* Is it one of these, which have ", " between? */
static bool is_listed(const char *list, const char *one)
{
	size_t len = strlen(one);

	for (const char *at = list; (at = strstr(at, one)); at++)
		if ((at == list || at[-1] == ' ') && (!at[len] || at[len] == ','))
			return true;
	return false;
}

/* The names of a class's events, by which they are found in a recording of more. NULL: the
 * recording has no such class. */
static const char *const *events_of(struct trace_catalog *t, const struct rn_class *base,
				    const char *name, const char *arg)
{
	const char **names;

	if (base && rn_trace_covers(&t->recorded, base))
		return base->calls;
	if (!strchr(t->recorded.name, ',') || !is_listed(t->recorded.name, name))
		return NULL;
	if (base && base->calls)
		return base->calls;
	if (arg && (rn_class_arg_is_glob(name, arg) || !is_listed(t->recorded.arg, arg)))
		return NULL;
	names = RN_NEWN(t->arena, const char *, 2);
	names[0] = rn_arena_strdup(t->arena, arg ? arg : name);
	return names;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static const struct rn_class *derive(struct trace_catalog *t, const char *name, const char *arg)
{
	const struct rn_class *base = in_base(t, name);
	const char *const *names = events_of(t, base, name, arg);
	struct trace_class *c;

	/* a list is made of its members */
	if (!names || strchr(name, ',') || !rn_class_field(&t->recorded, "name"))
		return NULL;
	for (c = t->derived; c; c = c->next)
		if (!strcmp(c->cls.name, name) && same_text(c->cls.arg, arg))
			return &c->cls;
	c = RN_NEW(t->arena, struct trace_class);
	c->cls = t->recorded;
	c->cls.name = rn_arena_strdup(t->arena, name);
	c->cls.arg = arg ? rn_arena_strdup(t->arena, arg) : NULL;
	c->cls.needs_arg = base && base->needs_arg;
	c->cls.calls = names;
	c->cls.path_as_given = base && base->path_as_given;
	if (base && !arg)
		keep_own_fields(t, &c->cls, base);
	if (base && base->doc)
		c->cls.doc = rn_arena_strdup(t->arena, base->doc);
	c->next = t->derived;
	t->derived = c;
	return &c->cls;
}

static const struct rn_class *find(void *self, const char *name, const char *arg, char *why,
				   size_t why_bytes)
{
	struct trace_catalog *t = self;
	const struct rn_class *r = &t->recorded, *c;

	if (!strcmp(r->name, name) && (!r->arg || (arg && !strcmp(r->arg, arg))))
		return r;
	c = !strcmp(r->name, name) ? NULL : derive(t, name, arg);
	if (c)
		return c;
	/* what nothing is called is not missing from the recording: it has no reason */
	if (why && why_bytes && (!t->base || in_base(t, name))) {
		if (in_base(t, name) && !r->arg && rn_trace_covers(r, in_base(t, name)))
			snprintf(why, why_bytes,
				 "%s was recorded without `name`: which of its events are %s it "
				 "does not say",
				 t->path, name);
		else if (!strcmp(name, "tag"))
			snprintf(why, why_bytes,
				 "%s holds %s, and no payload: tags are searched while recording, "
				 "by `events of tag "
				 "T into \"x.rnt\"`",
				 t->path, r->name);
		else if (r->arg)
			snprintf(why, why_bytes, "%s holds only %s \"%s\"", t->path, r->name,
				 r->arg);
		else
			snprintf(why, why_bytes, "%s holds only %s (recorded by: %s)", t->path,
				 r->name, t->query);
	}
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *const *names(void *self)
{
	struct trace_catalog *t = self;
	const char *const *all = t->base && t->base->names ? t->base->names(t->base->self) : NULL;
	const char **v;
	unsigned n = 0;

	while (all && all[n])
		n++;
	v = RN_NEWN(t->arena, const char *, n + 2);
	n = 0;
	v[n++] = t->recorded.name;
	for (unsigned i = 0; all && all[i]; i++)
		if (strcmp(all[i], t->recorded.name) && derive(t, all[i], NULL))
			v[n++] = all[i];
	qsort(v, n, sizeof(*v), by_name);
	return v;
}

static const char *const *args(void *self, const char *name)
{
	struct trace_catalog *t = self;
	const char **v;

	if (!t->recorded.arg || strcmp(t->recorded.name, name))
		return NULL;
	v = RN_NEWN(t->arena, const char *, 2);
	v[0] = t->recorded.arg;
	return v;
}

static const char *text(struct rn_arena *a, sqlite3_stmt *st, int c)
{
	return rn_arena_strdup(
		a, sqlite3_column_text(st, c) ? (const char *)sqlite3_column_text(st, c) : "");
}

/* What a field's texts look like, and how it is shown, the file does not say; the live class does,
 * by the field's name. A tracepoint's own class may not be there: then those of calls say how the
 * fields are shown that all events have. */
static void take_from_live(const struct trace_catalog *t, struct rn_field *f)
{
	const struct rn_class *live = in_base(t, t->recorded.name), *calls = in_base(t, "syscall");
	const struct rn_field *same = live ? rn_class_field(live, f->name) : NULL;

	if (same && same->ty.type == f->ty.type)
		f->kind = same->kind;
	if (!live && calls)
		same = rn_class_field(calls, f->name);
	f->unsure |= same && same->unsure;
	f->show = same ? same->show : 0;
	f->words = same ? same->words : RN_WORDS_PLAIN;
}

/* What an event may be recorded without: NULL in these columns is what is not known of it. */
static bool is_unsure(const char *name)
{
	return !strcmp(name, "latency") || !strcmp(name, "begin");
}

static bool read_fields(struct trace_catalog *t, sqlite3 *db, char *why, size_t why_bytes)
{
	const struct rn_field **v = RN_NEWN(t->arena, const struct rn_field *, RN_MAX_LIST);
	unsigned n = 0;
	sqlite3_stmt *st;
	int r;

	if (sqlite3_prepare_v2(db, "SELECT name, type, unit, doc FROM fields ORDER BY position", -1,
			       &st, NULL) != SQLITE_OK) {
		snprintf(why, why_bytes, "%s: is damaged: %s", t->path, sqlite3_errmsg(db));
		return false;
	}
	while ((r = sqlite3_step(st)) == SQLITE_ROW && n < RN_MAX_LIST) {
		struct rn_field *f = RN_NEW(t->arena, struct rn_field);

		*f = (struct rn_field){.name = text(t->arena, st, 0),
				       .where = RN_IN_NODE,
				       .id = (uint16_t)n,
				       .doc = text(t->arena, st, 3),
				       .not_kernel = "a recorded trace"};
		f->unsure = is_unsure(f->name);
		if (!rn_trace_type_parse(text(t->arena, st, 1), text(t->arena, st, 2), &f->ty)) {
			snprintf(why, why_bytes, "%s: the field %s has an unknown type", t->path,
				 f->name);
			sqlite3_finalize(st);
			return false;
		}
		/* of a tracepoint: 0.1.0 knew it as a number */
		if (f->ty.type == RN_T_INT && !f->ty.unit && !strcmp(f->doc, "dev_t"))
			f->ty.unit = RN_U_DEV;
		take_from_live(t, f);
		v[n++] = f;
	}
	sqlite3_finalize(st);
	if (r != SQLITE_DONE)
		snprintf(why, why_bytes, "%s: is damaged: its list of fields cannot be read",
			 t->path);
	t->recorded.fields = v;
	t->recorded.nfields = n;
	return r == SQLITE_DONE;
}

/* Recordings of the first version hold tags as they were written, those of today in their text
 * form. */
const char *const *rn_trace_tags_searched(sqlite3 *db, struct rn_arena *arena, unsigned *n)
{
	const char *const *list = rn_trace_list(
		db, "SELECT value FROM meta WHERE key GLOB '" RN_TRACE_TAG "*' ORDER BY key", arena,
		n);
	const char **v = RN_NEWN(arena, const char *, *n + 1);

	for (unsigned i = 0; i < *n; i++)
		v[i] = rn_tag_text(arena, rn_tag_parse(arena, list[i], strlen(list[i])));
	return *n ? v : NULL;
}

/* Why its events cannot be paired; NULL: they can. Recordings made by older versions have no time
 * and no node where the list did not name them. */
static const char *no_pair(const struct trace_catalog *t, sqlite3 *db)
{
	unsigned nnodes;

	if (!strcmp(t->recorded.name, "tag"))
		return "`between` pairs events by their class and condition, not by tags";
	if (!rn_class_field(&t->recorded, "time"))
		return rn_arena_printf(
			t->arena,
			"%s was recorded without `time`, and pairs need the order of events",
			t->path);
	rn_trace_list(db, "SELECT node FROM nodes", t->arena, &nnodes);
	if (nnodes > 1 && !rn_class_field(&t->recorded, "node"))
		return rn_arena_printf(t->arena,
				       "%s was recorded without `node`: the events of %u nodes "
				       "would be paired with one another",
				       t->path, nnodes);
	return NULL;
}

static struct trace_catalog *load(const char *path, const struct rn_catalog *base,
				  const struct stat *st, char *why, size_t why_bytes)
{
	struct rn_err err = {0};
	struct rn_arena *arena;
	struct trace_catalog *t;
	const char *arg;
	sqlite3 *db;

	if (rn_trace_open(path, &db, &err)) {
		snprintf(why, why_bytes, "%s%s%s", err.text, err.hint[0] ? "; " : "", err.hint);
		return NULL;
	}
	arena = rn_arena_create(RN_ARENA_CAP);
	t = RN_NEW(arena, struct trace_catalog);
	t->arena = arena;
	t->base = base;
	t->path = rn_arena_strdup(arena, path);
	t->query = rn_trace_meta(db, arena, "query");
	t->st = *st;
	arg = rn_trace_meta(db, arena, "class_arg");
	t->recorded.name = rn_trace_class_name(db, arena);
	t->recorded.arg = *arg ? arg : NULL;
	t->recorded.calls =
		in_base(t, t->recorded.name) ? in_base(t, t->recorded.name)->calls : NULL;
	t->recorded.path_as_given =
		in_base(t, t->recorded.name) && in_base(t, t->recorded.name)->path_as_given;
	t->recorded.needs_arg = *arg != 0 || !strcmp(t->recorded.name, "tag");
	t->recorded.kind =
		strcmp(rn_trace_meta(db, arena, "kind"), "table") ? RN_CLASS_EVENT : RN_CLASS_TABLE;
	t->recorded.doc = rn_trace_meta(db, arena, "doc");
	t->recorded.recorded = true;
	t->cat = (struct rn_catalog){.self = t,
				     .find = find,
				     .names = names,
				     .args = args,
				     .aggs = base ? base->aggs : NULL};
	t->recorded.tags = rn_trace_tags_searched(db, arena, &t->recorded.ntags);
	if (read_fields(t, db, why, why_bytes)) {
		t->recorded.no_pair = no_pair(t, db);
	} else {
		rn_arena_destroy(arena);
		t = NULL;
	}
	rn_trace_shut(db);
	return t;
}

const struct rn_catalog *rn_trace_catalog(void *self, const char *path,
					  const struct rn_catalog *base, char *why,
					  size_t why_bytes)
{
	struct rn_trace_catalogs *all = self;
	struct trace_catalog *t;
	struct stat st = {0};
	char unused[1];

	if (!why || !why_bytes) {
		why = unused;
		why_bytes = sizeof(unused);
	}
	stat(path, &st); /* a failure shows when the file is opened */
	for (t = all->first; t; t = t->next)
		if (t->base == base && !strcmp(t->path, path) && t->st.st_ino == st.st_ino &&
		    t->st.st_size == st.st_size && t->st.st_mtim.tv_sec == st.st_mtim.tv_sec &&
		    t->st.st_mtim.tv_nsec == st.st_mtim.tv_nsec)
			return &t->cat;
	t = load(path, base, &st, why, why_bytes);
	if (!t)
		return NULL;
	t->next = all->first;
	all->first = t;
	return &t->cat;
}

struct rn_trace_catalogs *rn_trace_catalogs_create(void)
{
	struct rn_trace_catalogs *all = rn_calloc(1, sizeof(*all));

	return all;
}

bool rn_trace_catalogs_have(const struct rn_trace_catalogs *all, const char *path)
{
	struct stat x, y;

	if (stat(path, &y) || !S_ISREG(y.st_mode))
		return false;
	for (const struct trace_catalog *t = all ? all->first : NULL; t; t = t->next)
		if (!stat(t->path, &x) && x.st_dev == y.st_dev && x.st_ino == y.st_ino)
			return true;
	return false;
}

void rn_trace_catalogs_free(struct rn_trace_catalogs *all)
{
	while (all && all->first) {
		struct trace_catalog *t = all->first;

		all->first = t->next;
		rn_arena_destroy(t->arena);
	}
	free(all);
}
