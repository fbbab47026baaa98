/* user.c - see user.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lang/base/limits.h"
#include "lang/base/memory.h"
#include "lang/base/nearest.h"
#include "lang/base/vec.h"
#include "lang/values/glob.h"
#include "probes/process/demangle.h"
#include "probes/uprobe/points.h"
#include "probes/uprobe/user.h"
#include "probes/uprobe/user_impl.h"

enum { NEAREST_MAX = 20000, CODE_BYTES = 64 };

/* The code of a function is read, its entry for unwinding, and what it jumps to: for each of these
 * a file is gone through about once. */
static const struct rn_elf_limits found = {256 << 20, 64 << 20, 1 << 20, 2000000000, 4},
				  named = {4ULL << 30, 256 << 20, 16 << 20, 60000000000, 4};

struct symbol {
	uint64_t off; /* of the probe, in the file */
	uint64_t address;
	uint32_t at; /* its name, in the file's names */
};
/* One file, while its functions are listed. */
struct listing {
	struct rn_user *user;
	struct rn_elf *elf;
	const char *glob;
	struct rn_demangler *demangler;
	struct symbol *list;
	unsigned n, cap, left_out;
	struct rn_user_symbol *all; /* of the file */
	unsigned nall, cap_all;
	bool returns, go; /* go: made by the compiler of Go */
	bool any;         /* it has functions with names */
	char **near;      /* those that do not match, on the heap; NULL: not wanted */
	unsigned nnear;
};
/* What one WHERE:GLOB has found. */
struct part {
	struct rn_user *user;
	const char *glob;
	bool named; /* by its path */
	bool returns;
	const char *why; /* a function is left out: not all places are known at which it is left */
	bool met;        /* functions match, but no probe may sit at them */
	bool again;      /* another part has named a function; */
	bool elf;        /* there is such a file; */
	bool foreign;    /* a file is left out: it is for another processor */
	bool any, more;  /* more: there is no room for another file or function */
	char nearest[200];
};

/* The first bytes of a function; it may lie at the end of the file. Returns how many. */
static unsigned read_some(struct rn_elf *elf, uint64_t off, uint8_t *code)
{
	for (unsigned n = CODE_BYTES; n >= 4; n /= 2)
		if (rn_elf_read(elf, off, code, n))
			return n;
	return 0;
}

/* Does a name match, as it is or demangled? If not, *plain is what people would write. */
static bool matches(struct listing *l, const char *name, const char **plain, size_t *bytes)
{
	const char *text;
	size_t length[RN_DEMANGLED_FORMS];
	unsigned n;

	*plain = name;
	*bytes = strlen(name);
	if (rn_glob(l->glob, strlen(l->glob), name, *bytes))
		return true;
	text = rn_demangle(l->demangler, name);
	n = text ? rn_demangled_forms(text, length) : 0;
	for (unsigned i = 0; i < n; i++) {
		*plain = text;
		*bytes = length[i];
		if (rn_glob(l->glob, strlen(l->glob), text, length[i]))
			return true;
	}
	return false;
}

static bool take_symbol(void *self, const struct rn_elf_symbol *symbol)
{
	struct listing *l = self;
	uint8_t code[CODE_BYTES];
	const char *plain;
	size_t bytes;
	uint64_t off;
	unsigned n = 0, past = 0;

	l->any = true;
	if (!symbol->ifunc) {
		rn_vec_room(l->all, l->nall, l->cap_all);
		l->all[l->nall++] =
			(struct rn_user_symbol){symbol->address, symbol->bytes, symbol->at};
	}
	if (strstr(symbol->name, ".cold")) /* a piece of a function, to which that jumps */
		return true;
	if (!matches(l, symbol->name, &plain, &bytes)) {
		if (l->near && l->nnear < NEAREST_MAX)
			l->near[l->nnear++] = rn_strndup(plain, bytes);
		return true;
	}
	off = symbol->ifunc ? 0 : rn_elf_place(l->elf, symbol->address);
	n = off ? read_some(l->elf, off, code) : 0;
	past = l->go && n ? rn_points_stack_test(code, n) : 0;
	if (!rn_points_probed(code + past, n - past)) {
		l->left_out++;
		return true;
	}
	rn_vec_room(l->list, l->n, l->cap);
	l->list[l->n++] = (struct symbol){off + past, symbol->address, symbol->at};
	/* a function may have several names */
	return l->returns || l->n <= 4 * rn_user_most(l->user);
}

/* ---- one probe for each function, under its plainest name ---- */

static unsigned underscores(const char *name)
{
	return (unsigned)strspn(name, "_");
}

static int plainer(const char *a, const char *b)
{
	int by = (int)underscores(a) - (int)underscores(b);

	by = by ? by : (int)strlen(a) - (int)strlen(b);
	return by ? by : strcmp(a, b);
}

static int by_offset(const void *a, const void *b, void *names)
{
	const struct symbol *x = a, *y = b;

	if (x->off != y->off)
		return x->off < y->off ? -1 : 1;
	return plainer((const char *)names + x->at, (const char *)names + y->at);
}

static int by_place(const void *a, const void *b)
{
	const struct rn_probe_at *x = a, *y = b;

	return x->off < y->off ? -1 : x->off > y->off;
}

/* Another part of the argument may have named the function. */
static bool is_probed(const struct rn_user *u, const struct rn_user_file *f, uint64_t off)
{
	const struct rn_probe_at at = {.off = off};

	for (const struct rn_user_file *o = u->file; o < f; o++)
		if (rn_user_same_file(&o->id, &f->id) &&
		    bsearch(&at, u->at + o->from, o->n, sizeof(at), by_place))
			return true;
	return false;
}

bool rn_user_add(struct rn_user *user, unsigned file, uint64_t off, const char *name)
{
	if (user->n == rn_user_most(user))
		return false;
	if (user->n == user->cap) {
		user->cap = user->cap ? 2 * user->cap : 64;
		user->at = rn_realloc(user->at, user->cap * sizeof(*user->at));
		user->name = rn_realloc(user->name, user->cap * sizeof(*user->name));
		user->readable = rn_realloc(user->readable, user->cap * sizeof(*user->readable));
	}
	user->at[user->n] = (struct rn_probe_at){off, (uint64_t)file << 32 | user->n};
	user->readable[user->n] = NULL;
	user->name[user->n++] = name;
	user->nnames = user->n;
	user->file[file].n++;
	return true;
}

/* False: there is no room. */
static bool add_function(struct rn_user *u, unsigned file, uint64_t off, const char *name,
			 struct rn_demangler *demangler)
{
	const char *text;

	if (!rn_user_add(u, file, off, name))
		return false;
	text = rn_demangle(demangler, name);
	u->readable[u->n - 1] = text ? rn_strdup(text) : NULL;
	return true;
}

static bool add_functions(struct part *p, unsigned file, struct listing *l)
{
	struct rn_user *u = p->user;
	struct rn_user_file *f = &u->file[file];
	struct rn_user_places *places = rn_user_places(l->elf, l->all, l->nall, f->names);
	const struct symbol *last = NULL;
	bool room = true;

	for (unsigned i = 0; i < l->n && room; last = &l->list[i++]) {
		const struct symbol *s = &l->list[i];
		const char *why = NULL;
		uint64_t entry, off;
		bool stepped;

		if (last && last->off == s->off)
			continue;
		entry = s->address + (s->off - rn_elf_offset(l->elf, s->address));
		off = s->off + rn_user_ahead(places, s->address, entry, &stepped);
		if (is_probed(u, f, off)) {
			p->again = true;
			continue;
		}
		if (l->returns && l->go)
			why = "it is of Go, which moves its stacks";
		else if (l->returns)
			why = rn_user_leaves(u, places, s->address, entry,
					     (uint64_t)file << 32 | u->n);
		else if (rn_user_loops(places, s->address, entry))
			why = "it jumps to its own beginning";
		if (why) {
			l->left_out++;
			p->why = p->why ? p->why : why;
		} else {
			room = add_function(u, file, off, f->names + s->at, l->demangler);
			u->stepped += room && stepped;
		}
	}
	f->nleave = u->nleave - f->leave_from;
	rn_user_places_free(places);
	return room;
}

/* ---- one file ---- */

static void note_nearest(struct part *p, struct listing *l)
{
	const char *near;

	l->near[l->nnear] = NULL;
	near = l->n || l->left_out ? NULL : rn_nearest(p->glob, (const char **)l->near);
	if (near && !p->nearest[0])
		snprintf(p->nearest, sizeof(p->nearest), "%s", near);
	for (unsigned i = 0; i < l->nnear; i++)
		free(l->near[i]);
	free(l->near);
}

/* The compiler of Go leaves such sections. */
static bool look_for_go(void *self, const struct rn_elf_section *section)
{
	bool *go = self;

	*go |= !strcmp(section->name, ".go.buildinfo") || !strcmp(section->name, ".gopclntab");
	return !*go;
}

static void take_file(void *self, int fd, const char *path)
{
	struct part *p = self;
	struct rn_user *u = p->user;
	unsigned i = u->nfiles;
	struct listing l = {.user = u,
			    .returns = p->returns,
			    .glob = p->glob,
			    .elf = rn_elf_open(fd, p->named ? &named : &found)};
	unsigned before;
	size_t bytes;

	p->foreign |= l.elf && !rn_elf_native(l.elf);
	if (!l.elf || !rn_elf_native(l.elf) || i == RN_USER_FILES) {
		u->left_out += l.elf || fd < 0;
		u->nrefused++;
		rn_elf_close(l.elf);
		if (fd >= 0)
			close(fd);
		return;
	}
	p->elf = true;
	rn_elf_sections(l.elf, look_for_go, &l.go);
	if (!p->glob[strcspn(p->glob, "*?[")])
		l.near = rn_malloc((NEAREST_MAX + 1) * sizeof(*l.near));
	l.demangler = rn_demangler_create();
	rn_elf_each(l.elf, take_symbol, &l);
	p->met |= l.left_out != 0;
	l.left_out += rn_demangler_cut(l.demangler);
	if (l.near)
		note_nearest(p, &l);
	u->file[i] = (struct rn_user_file){
		.fd = fd, .path = rn_strdup(path), .from = u->n, .leave_from = u->nleave};
	u->file[i].names = rn_elf_take_names(l.elf, &bytes);
	(void)rn_user_identify(fd, &u->file[i].id);
	u->nfiles++;
	if (l.n)
		qsort_r(l.list, l.n, sizeof(*l.list), by_offset, u->file[i].names);
	before = u->n;
	if (!add_functions(p, i, &l)) {
		/* the files of others must not keep a query from what it asks for */
		p->more |= p->named || !before;
		l.left_out++;
	}
	p->any |= l.any;
	u->left_out += l.left_out + rn_elf_cut(l.elf);
	free(l.list);
	rn_demangler_destroy(l.demangler);
	rn_elf_close(l.elf);
}

/* ---- the argument ---- */

static int no_function(const struct part *p, const char *where, struct rn_err *err)
{
	if (p->why)
		rn_err_set(err, -ENOENT, "`%s` of %s cannot be probed%s: %s", p->glob, where,
			   p->returns ? " at its end, for `latency` and `ret`" : "", p->why);
	else if (p->foreign && !p->any)
		rn_err_set(err, -ENOENT, "%s is for another processor", where);
	else if (p->met)
		rn_err_set(err, -ENOENT,
			   "`%s` of %s cannot be probed: it is chosen when the program starts, or "
			   "no probe may sit at its first instruction",
			   p->glob, where);
	else if (!p->any && p->elf)
		rn_err_set(err, -ENOENT,
			   "%s is stripped: it has no names of functions. Static probes stay: "
			   "`runnel list 'usdt:%s:*'`",
			   where, where);
	else if (!p->any)
		rn_err_set(err, -ENOENT, "%s is no ELF file: no program and no library", where);
	else
		rn_err_set(err, -ENOENT, "%s has no function `%s`", where, p->glob);
	if (p->nearest[0])
		rn_err_hint(err, "did you mean `%s`?", p->nearest);
	return -ENOENT;
}

/* met: -ENOENT, but some match and are counted as left out. */
static int find_part(struct rn_user *user, char *part, bool returns, bool *met, struct rn_err *err)
{
	struct part p = {.user = user, .glob = rn_user_split(part), .returns = returns};
	unsigned before = user->n;
	int r;

	p.named = strchr(part, '/') != NULL;
	if (!p.glob || !*p.glob || !*part)
		return rn_err_set(err, -EINVAL, "no WHERE:GLOB: %s", part);
	r = rn_user_files(part, take_file, &p, err);
	if (r < 0)
		return r;
	if (p.more)
		return rn_user_too_many(user, p.glob, part, err);
	*met = p.met || p.why;
	return user->n > before || p.again ? 0 : no_function(&p, part, err);
}

int rn_user_find(struct rn_user *user, const char *arg, bool returns, struct rn_err *err)
{
	char *copy = rn_strdup(arg), *rest = copy, *part;
	struct rn_err why = {0}, first = {0};
	int r = 0;

	/* some that cannot be probed are counted, if there are others */
	while (!r && (part = rn_user_part(&rest))) {
		bool met = false;

		r = find_part(user, part, returns, &met, &why);
		if (r == -ENOENT && met) {
			first = first.code ? first : why;
			r = 0;
		}
	}
	free(copy);
	if (!r && !user->n && first.code)
		why = first, r = first.code;
	if (r && err)
		*err = why;
	return r;
}

unsigned rn_user_most(const struct rn_user *user)
{
	return user->most ? user->most : RN_USER_FUNCTIONS;
}

int rn_user_too_many(const struct rn_user *user, const char *text, const char *where,
		     struct rn_err *err)
{
	unsigned most = rn_user_most(user);

	rn_err_set(err, -E2BIG, "`%s` of %s names more than %u functions [E-LIMIT-FUNCTIONS]", text,
		   where, most);
	if (most < RN_MAX_FUNCTIONS)
		rn_err_hint(err,
			    "ask for fewer: a longer glob; or for more: --max-functions N, up to "
			    "%d",
			    RN_MAX_FUNCTIONS);
	else
		rn_err_hint(err, "ask for fewer: a longer glob");
	return -E2BIG;
}

const char *rn_user_readable(const struct rn_user *user, unsigned function)
{
	return user->readable && user->readable[function] ? user->readable[function]
							  : user->name[function];
}

void rn_user_close_files(struct rn_user *user)
{
	for (unsigned i = 0; i < user->nfiles; i++) {
		if (user->file[i].fd >= 0)
			close(user->file[i].fd);
		user->file[i].fd = -1;
	}
}

void rn_user_free(struct rn_user *user)
{
	rn_user_close_files(user);
	for (unsigned i = 0; i < user->nfiles; i++) {
		free(user->file[i].path);
		free(user->file[i].names);
	}
	for (unsigned i = 0; user->readable && i < user->nnames; i++)
		free(user->readable[i]);
	free(user->readable);
	free(user->at);
	free(user->leave);
	free(user->text);
	free(user->operands);
	free(user->idle);
	free(user->name);
	*user = (struct rn_user){0};
}
