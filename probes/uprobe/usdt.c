/* usdt.c - see usdt.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lang/base/memory.h"
#include "lang/base/nearest.h"
#include "lang/base/vec.h"
#include "lang/values/glob.h"
#include "probes/uprobe/points.h"
#include "probes/uprobe/usdt.h"

enum { INSN_BYTES = 16, NEAREST_MAX = 20000, FULL_BYTES = 2 * RN_USDT_NAME + 2 };

struct place {
	uint64_t off, counter;
	uint32_t at; /* its name, in the file's names */
	struct rn_operands operands;
};
/* Arguments that some place has, over all places. */
struct known {
	bool any[RN_OPERANDS];
	const char *why[RN_OPERANDS];
	unsigned most; /* arguments of a place */
};
/* One file, while its notes are read. */
struct listing {
	struct rn_elf *elf;
	const char *glob;
	uint64_t base; /* address of the section .stapsdt.base; 0: there is none */
	struct place *list;
	unsigned n, cap, left_out;
	char *names;
	uint32_t names_bytes, names_cap;
	struct known *known;
	bool any;
	const char **near; /* those that do not match; NULL: not wanted */
	unsigned nnear;
};
/* What one WHERE:PROVIDER:NAME has found. */
struct part {
	struct rn_user *user;
	const char *glob;
	bool named;     /* by its path */
	bool any, more; /* more: there is no room for another file or place */
	struct known *known;
	char nearest[FULL_BYTES];
};

/* ---- a note ---- */

static uint32_t keep_name(struct listing *l, const char *name)
{
	uint32_t at = l->names_bytes, n = (uint32_t)strlen(name) + 1;

	if (at + n > l->names_cap) {
		l->names_cap = 2 * (at + n);
		l->names = rn_realloc(l->names, l->names_cap);
	}
	memcpy(l->names + at, name, n);
	l->names_bytes += n;
	return at;
}

/* A tool may have moved the program after its notes were written (prelink): the section at `base`
 * tells how far. */
static uint64_t moved(const struct listing *l, const struct rn_usdt_note *note, uint64_t address)
{
	return address && l->base && note->base ? address + (l->base - note->base) : address;
}

/* Where in the file the counter at the address is; 0: in no data. */
static uint64_t counter_at(const struct listing *l, uint64_t address)
{
	unsigned n;
	const struct rn_elf_segment *s = rn_elf_segments(l->elf, &n);

	for (unsigned i = 0; i < n; i++)
		if (!s[i].code && address >= s[i].address && s[i].bytes >= 2 &&
		    address - s[i].address <= s[i].bytes - 2)
			return address - s[i].address + s[i].off;
	return 0;
}

static bool matches(struct listing *l, const struct rn_usdt_note *note, const char *full)
{
	const char *name = strchr(l->glob, ':') ? full : note->name;

	if (rn_glob_str(l->glob, name))
		return true;
	if (l->near && l->nnear < NEAREST_MAX)
		l->near[l->nnear++] = rn_strdup(name);
	return false;
}

static void learn(struct known *k, const struct rn_operands *o, const char *const *why, unsigned n)
{
	k->most = n > k->most ? n : k->most;
	for (unsigned i = 0; i < n; i++) {
		k->any[i] |= o->arg[i].kind > RN_OPERAND_UNKNOWN;
		k->why[i] = k->why[i] ? k->why[i] : why[i];
	}
}

static bool take_note(void *self, const struct rn_usdt_note *note)
{
	struct listing *l = self;
	uint64_t semaphore = moved(l, note, note->semaphore);
	const char *why[RN_OPERANDS];
	struct place p = {.off = rn_elf_offset(l->elf, moved(l, note, note->location)),
			  .counter = semaphore ? counter_at(l, semaphore) : 0};
	uint8_t code[INSN_BYTES];
	char full[FULL_BYTES];

	l->any = true;
	snprintf(full, sizeof(full), "%s:%s", note->provider, note->name);
	if (!matches(l, note, full))
		return true;
	/* the kernel wants counters aligned */
	if (!p.off || (semaphore && (!p.counter || p.counter % 2 || p.counter >> 32)) ||
	    !rn_elf_read(l->elf, p.off, code, sizeof(code)) ||
	    !rn_points_probed(code, sizeof(code))) {
		l->left_out++;
		return true;
	}
	learn(l->known, &p.operands, why, rn_usdt_operands(note->args, &p.operands, why));
	p.at = keep_name(l, full);
	rn_vec_room(l->list, l->n, l->cap);
	l->list[l->n++] = p;
	return l->n <= 4 * RN_USER_FUNCTIONS; /* a place may have several notes */
}

/* ---- one file ---- */

static bool take_base(void *self, const struct rn_elf_section *s)
{
	struct listing *l = self;

	if (strcmp(s->name, ".stapsdt.base"))
		return true;
	l->base = s->address;
	return false;
}

static bool take_section(void *self, const struct rn_elf_section *s)
{
	struct listing *l = self;
	uint8_t *notes;

	if (!s->notes || strcmp(s->name, ".note.stapsdt"))
		return true;
	notes = s->bytes <= RN_USDT_NOTES_BYTES ? rn_malloc(s->bytes + 1) : NULL;
	if (!notes || !rn_elf_read(l->elf, s->off, notes, s->bytes) ||
	    !rn_usdt_notes(notes, s->bytes, rn_elf_wide(l->elf), take_note, l))
		l->left_out++; /* the rest */
	free(notes);
	return true;
}

static int by_offset(const void *a, const void *b, void *names)
{
	const struct place *x = a, *y = b;

	if (x->off != y->off)
		return x->off < y->off ? -1 : 1;
	return strcmp((const char *)names + x->at, (const char *)names + y->at);
}

static bool is_probed(const struct rn_user *u, const struct rn_user_file *f, const struct place *p)
{
	for (unsigned i = f->from; i < f->from + f->n; i++)
		if (u->at[i].off == p->off && !strcmp(u->name[i], f->names + p->at))
			return true;
	return false;
}

/* False: there is no room. */
static bool add_places(struct rn_user *u, unsigned file, struct listing *l)
{
	struct rn_user_file *f = &u->file[file];

	if (l->n)
		qsort_r(l->list, l->n, sizeof(*l->list), by_offset, l->names);
	for (unsigned i = 0; i < l->n; i++) {
		const struct place *p = &l->list[i];

		if ((i && !by_offset(p - 1, p, l->names)) || is_probed(u, f, p))
			continue;
		if (!rn_user_add(u, file, p->off, f->names + p->at))
			return false;
		if (u->cap_operands < u->cap) {
			u->cap_operands = u->cap;
			u->operands =
				rn_realloc(u->operands, u->cap_operands * sizeof(*u->operands));
		}
		u->at[u->n - 1].counter = p->counter;
		u->operands[u->n - 1] = p->operands;
	}
	return true;
}

static void note_nearest(struct part *p, struct listing *l)
{
	const char *near;

	l->near[l->nnear] = NULL;
	near = l->n || l->left_out ? NULL : rn_nearest(p->glob, l->near);
	if (near && !p->nearest[0])
		snprintf(p->nearest, sizeof(p->nearest), "%s", near);
	for (unsigned i = 0; i < l->nnear; i++)
		free((char *)l->near[i]);
	free(l->near);
}

static void take_file(void *self, int fd, const char *path)
{
	struct part *p = self;
	struct rn_user *u = p->user;
	unsigned file = u->nfiles, before = u->n;
	struct listing l = {.glob = p->glob,
			    .known = p->known,
			    .elf = rn_elf_open(fd, p->named ? &rn_elf_named : &rn_elf_found)};

	if (!l.elf || file == RN_USER_FILES) {
		u->left_out += l.elf || fd < 0;
		u->nrefused++;
		rn_elf_close(l.elf);
		if (fd >= 0)
			close(fd);
		return;
	}
	if (!p->glob[strcspn(p->glob, "*?[")])
		l.near = rn_malloc((NEAREST_MAX + 1) * sizeof(*l.near));
	rn_elf_sections(l.elf, take_base, &l);
	rn_elf_sections(l.elf, take_section, &l);
	if (l.near)
		note_nearest(p, &l);
	u->file[file] = (struct rn_user_file){
		.fd = fd, .path = rn_strdup(path), .names = l.names, .from = u->n};
	(void)rn_user_identify(fd, &u->file[file].id);
	u->nfiles++;
	if (!add_places(u, file, &l)) {
		/* the files of others must not keep a query from what it asks for */
		p->more |= p->named || u->n == before;
		l.left_out++;
	}
	p->any |= l.any;
	u->left_out += l.left_out + rn_elf_cut(l.elf);
	free(l.list);
	rn_elf_close(l.elf);
}

/* ---- the argument ---- */

static int no_probe(const struct part *p, const char *where, bool left_out, struct rn_err *err)
{
	if (left_out)
		rn_err_set(err, -ENOENT,
			   "`%s` of %s cannot be probed: its note is damaged, or no probe may sit "
			   "at its instruction",
			   p->glob, where);
	else if (!p->any)
		rn_err_set(err, -ENOENT, "%s has no static probes: its authors left none", where);
	else
		rn_err_set(err, -ENOENT, "%s has no static probe `%s`", where, p->glob);
	if (p->nearest[0])
		rn_err_hint(err, "did you mean `%s`?", p->nearest);
	else if (!left_out && !p->any)
		rn_err_hint(err, "its functions are there: user \"%s:*\"", where);
	else if (!left_out)
		rn_err_hint(err, "count of usdt \"%s:*\" by func for 10s shows those that are hit",
			    where);
	return -ENOENT;
}

static int find_part(struct rn_user *user, char *part, struct known *known, struct rn_err *err)
{
	struct part p = {.user = user, .glob = rn_user_split(part), .known = known};
	unsigned before = user->n, left_out = user->left_out;
	int r;

	p.named = strchr(part, '/') != NULL;
	if (!p.glob || !*p.glob || !*part)
		return rn_err_set(err, -EINVAL, "no WHERE:PROVIDER:NAME: %s", part);
	r = rn_user_files(part, take_file, &p, err);
	if (r < 0)
		return r;
	if (p.more) {
		rn_err_set(err, -E2BIG,
			   "`%s` of %s names more than %d places of probes [E-LIMIT-FUNCTIONS]",
			   p.glob, part, RN_USER_FUNCTIONS);
		rn_err_hint(err, "ask for fewer: a longer glob");
		return -E2BIG;
	}
	return user->n > before ? 0 : no_probe(&p, part, user->left_out > left_out, err);
}

/* Has some place each argument that is wanted? `events of` wants all, whichever there are. */
static int check_wanted(const struct known *k, unsigned wanted, struct rn_err *err)
{
	const bool all = wanted == (1u << RN_OPERANDS) - 1;

	for (unsigned i = 0; i < RN_OPERANDS && !all; i++) {
		if (!(wanted >> i & 1) || k->any[i])
			continue;
		if (k->why[i])
			return rn_err_set(err, -EINVAL, "`arg%u` of the probe cannot be read: %s",
					  i, k->why[i]);
		rn_err_set(err, -EINVAL, "the probe has no `arg%u`", i);
		if (k->most)
			rn_err_hint(err, "it has %u argument%s, from `arg0` on", k->most,
				    k->most == 1 ? "" : "s");
		else
			rn_err_hint(err, "it has no arguments");
		return -EINVAL;
	}
	return 0;
}

int rn_usdt_find(struct rn_user *user, const char *arg, unsigned wanted, struct rn_err *err)
{
	char *copy = rn_strdup(arg), *part = copy;
	struct known known = {0};
	int r = 0;

	while (!r && part) {
		char *end = part + rn_glob_in_list(part), *next = *end ? end + 2 : NULL;

		*end = 0;
		r = find_part(user, part, &known, err);
		part = next;
	}
	free(copy);
	return r ? r : check_wanted(&known, wanted, err);
}
