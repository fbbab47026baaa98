/* members.c - see members.h. The text of a member is read from left to right; each step moves a
 * cursor over the types (probes/kernel/btf_walk.h).
 *
 * A glob of functions has a parameter by name if all functions that match have it at the same place
 * with the same type. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/vec.h"
#include "lang/catalog/numbering.h"
#include "lang/values/glob.h"
#include "probes/catalog/members.h"

enum { MODULES = 16, ARGS = 6 };
struct function {
	const char *name;
	const struct rn_btf_image *image;
	uint32_t prototype;
};
/* The functions, or the tracepoint, of a class. */
struct rn_signatures {
	const struct rn_class *cls;
	struct function *of;
	unsigned n, cap;
	struct rn_signatures *next;
};
struct made_member {
	struct rn_arg_member member;
	const struct rn_class *cls;
	struct made_member *next;
};
struct rn_types {
	struct rn_arena *arena;
	int state; /* 0: not opened; 1: open; negative errno */
	struct rn_err err;
	struct rn_btf_image kernel;
	struct rn_btf_image module[MODULES];
	unsigned nmodules;
	struct rn_signatures *signatures;
	struct made_member *made;
};

struct rn_types *rn_types_new(struct rn_arena *arena)
{
	struct rn_types *types = RN_NEW(arena, struct rn_types);

	types->arena = arena;
	return types;
}

void rn_types_free(struct rn_types *types)
{
	for (unsigned i = 0; i < types->nmodules; i++)
		rn_btf_image_close(&types->module[i]);
	if (types->state == 1)
		rn_btf_image_close(&types->kernel);
}

static int open_types(struct rn_types *types)
{
	if (!types->state) {
		types->state = rn_btf_image_open(&types->kernel, &types->err);
		if (!types->state && !(types->state = rn_btf_image_find(&types->kernel, NULL, 0)))
			types->state = 1;
	}
	return types->state < 0 ? types->state : 0;
}

/* ---- functions of a class ---- */

static void take_functions(struct rn_types *types, const struct rn_btf_image *image,
			   struct rn_signatures *s)
{
	const char *arg = s->cls->arg;
	size_t fixed = arg[rn_glob_in_list(arg)] ? 0 : strcspn(arg, "*?[\\");

	for (uint32_t id = 1; id <= image->n; id++) {
		const struct btf_type *t = rn_btf_image_at(image, image->at[id]);
		const char *name;

		if (BTF_INFO_KIND(t->info) != BTF_KIND_FUNC)
			continue;
		name = rn_btf_image_str(image, t->name_off);
		if (strncmp(name, arg, fixed) != 0 || !rn_glob_list(arg, name))
			continue;
		rn_vec_room_for_in(types->arena, s->of, s->n, s->cap, 1);
		s->of[s->n++] = (struct function){name, image, t->type};
	}
}

/* The function that calls what is attached to a tracepoint has its arguments with their names. The
 * first is the kernel's own. */
static void take_tracepoint(struct rn_types *types, const struct rn_btf_image *image,
			    struct rn_signatures *s)
{
	const struct rn_tp *tp = rn_class_tp(s->cls);
	static const char start[] = "__traceiter_";

	for (uint32_t id = 1; id <= image->n && tp && tp->name && !s->n; id++) {
		const struct btf_type *t = rn_btf_image_at(image, image->at[id]);
		const char *name;

		if (BTF_INFO_KIND(t->info) != BTF_KIND_FUNC)
			continue;
		name = rn_btf_image_str(image, t->name_off);
		if (strncmp(name, start, strlen(start)) != 0 ||
		    strcmp(name + strlen(start), tp->name) != 0)
			continue;
		rn_vec_room_for_in(types->arena, s->of, s->n, s->cap, 1);
		s->of[s->n++] = (struct function){tp->name, image, t->type};
	}
}

static void take(struct rn_types *types, const struct rn_btf_image *image, struct rn_signatures *s)
{
	if (s->cls->id == RN_CLS_KERNEL)
		take_functions(types, image, s);
	else
		take_tracepoint(types, image, s);
}

/* Looks into the modules only if the kernel itself has no such function. */
static void take_of_modules(struct rn_types *types, struct rn_signatures *s)
{
	DIR *dir = types->nmodules ? NULL : opendir("/sys/kernel/btf");
	struct dirent *e;
	struct rn_err none = {0};

	while (dir && (e = readdir(dir)) && types->nmodules < MODULES) {
		struct rn_btf_image *m = &types->module[types->nmodules];

		if (e->d_name[0] == '.' || !strcmp(e->d_name, "vmlinux") ||
		    rn_btf_image_open_module(m, &types->kernel, e->d_name, &none))
			continue;
		if (rn_btf_image_find(m, NULL, 0))
			rn_btf_image_close(m);
		else
			types->nmodules++;
	}
	if (dir)
		closedir(dir);
	for (unsigned i = 0; i < types->nmodules; i++)
		take(types, &types->module[i], s);
}

static int by_function(const void *a, const void *b)
{
	return strcmp(((const struct function *)a)->name, ((const struct function *)b)->name);
}

static const struct rn_signatures *signatures_of(struct rn_types *types, const struct rn_class *cls)
{
	struct rn_signatures *s;

	for (s = types->signatures; s; s = s->next)
		if (s->cls->id == cls->id && !strcmp(s->cls->arg, cls->arg))
			return s;
	s = RN_NEW(types->arena, struct rn_signatures);
	s->cls = cls;
	if (!open_types(types)) {
		take(types, &types->kernel, s);
		if (!s->n)
			take_of_modules(types, s);
	}
	if (s->n)
		qsort(s->of, s->n, sizeof(*s->of), by_function);
	s->next = types->signatures;
	types->signatures = s;
	return s;
}

/* ---- the value that a member starts with ---- */

struct reading {
	struct rn_types *types;
	const struct rn_class *cls;
	const char *text; /* what is left */
	struct rn_btf_cursor at;
	struct rn_arg_member *to;
	struct rn_err err;
};

static bool param_named(const struct function *f, unsigned skip, const char *name, size_t len,
			unsigned *n, uint32_t *type)
{
	struct rn_btf_param p;

	for (unsigned i = 0;
	     i < ARGS && (p = rn_btf_param_of(f->image, f->prototype, i + skip)).type; i++)
		if (p.name && strlen(p.name) == len && !memcmp(p.name, name, len)) {
			*n = i;
			*type = p.type;
			return true;
		}
	return false;
}

static int start_with_param(struct reading *r, const struct rn_signatures *s, const char *name,
			    size_t len)
{
	unsigned skip = r->cls->id == RN_CLS_TRACEPOINT, n, other;
	uint32_t type, its;

	if (!param_named(&s->of[0], skip, name, len, &n, &type))
		return -ENOENT;
	for (unsigned i = 1; i < s->n; i++)
		if (!param_named(&s->of[i], skip, name, len, &other, &its) || other != n ||
		    its != type || s->of[i].image != s->of[0].image)
			return rn_err_set(&r->err, -ENOENT,
					  "`%s` and `%s` have no argument `%.*s` alike",
					  s->of[0].name, s->of[i].name, (int)len, name);
	r->to->root = skip ? RN_ROOT_TRACE : RN_ROOT_ARG;
	r->to->n = (uint8_t)n;
	r->at.image = s->of[0].image;
	r->at.type = type;
	return 0;
}

/* The type of argument n, or of the result; 0: unknown, or not alike in all functions. */
static uint32_t type_alike(const struct rn_signatures *s, int n)
{
	uint32_t type = 0;

	for (unsigned i = 0; i < s->n; i++) {
		const struct btf_type *t = rn_btf_image_type(s->of[i].image, s->of[i].prototype);
		uint32_t its =
			n >= 0 ? rn_btf_param_of(s->of[i].image, s->of[i].prototype, (unsigned)n)
					 .type
			: t ? t->type
			    : 0;

		if (i && (its != type || s->of[i].image != s->of[0].image))
			return 0;
		type = its;
	}
	return type;
}

static bool has_result(const struct rn_class *cls)
{
	for (unsigned i = 0; i < cls->nfields; i++)
		if (!strcmp(cls->fields[i]->name, "ret"))
			return true;
	return false;
}

static int start_with_register(struct reading *r, const struct rn_signatures *s, const char *name,
			       size_t len)
{
	bool ret = len == 3 && !memcmp(name, "ret", 3) && has_result(r->cls);
	bool arg = len == 4 && !memcmp(name, "arg", 3) && name[3] >= '0' && name[3] < '0' + ARGS;

	if (r->cls->id != RN_CLS_KERNEL || (!ret && !arg))
		return -ENOENT;
	r->to->root = ret ? RN_ROOT_RET : RN_ROOT_ARG;
	r->to->n = ret ? 0 : (uint8_t)(name[3] - '0');
	r->at.image = s->n ? s->of[0].image : &r->types->kernel;
	r->at.type = type_alike(s, ret ? -1 : r->to->n);
	return 0;
}

static int start_with_record(struct reading *r, const char *name, size_t len)
{
	const struct rn_tp *tp = rn_class_tp(r->cls);

	for (unsigned i = 0; tp && !tp->nmatch && i < tp->nfields; i++)
		if (strlen(tp->field[i].field.name) == len &&
		    !memcmp(tp->field[i].field.name, name, len) && tp->field[i].kind == RN_TP_INT &&
		    tp->field[i].size == 8) {
			r->to->root = RN_ROOT_RECORD;
			r->to->record = &tp->field[i];
			r->at.image = &r->types->kernel;
			return 0;
		}
	return -ENOENT;
}

static int find_struct(struct reading *r, const char *text, uint32_t *type)
{
	static const struct {
		const char *word;
		unsigned kind;
	} kinds[] = {{"struct ", BTF_KIND_STRUCT}, {"union ", BTF_KIND_UNION}};
	const struct rn_btf_image *image = r->at.image;

	for (unsigned k = 0; k < 2; k++) {
		const char *name = text + strlen(kinds[k].word);

		if (strncmp(text, kinds[k].word, strlen(kinds[k].word)) != 0)
			continue;
		for (const struct rn_btf_image *in = image; in; in = in->base)
			for (uint32_t id = 1; id <= in->n; id++) {
				const struct btf_type *t = rn_btf_image_at(in, in->at[id]);

				if (BTF_INFO_KIND(t->info) == kinds[k].kind && t->name_off &&
				    !strcmp(rn_btf_image_str(in, t->name_off), name)) {
					*type = id + (in->base ? in->base->n : 0);
					return 0;
				}
			}
		return rn_err_set(&r->err, -ENOENT, "this kernel has no %s", text);
	}
	rn_err_set(&r->err, -EINVAL, "`%s` is no struct and no union", text);
	rn_err_hint(&r->err, "write \"struct %s\"", text);
	return -EINVAL;
}

/* Every event has the thread that is at work then: task.se.cfs_rq.rq.nr_running */
static int start_with_task(struct reading *r, const char *name, size_t len)
{
	if (len != 4 || memcmp(name, "task", 4) != 0)
		return -ENOENT;
	r->to->root = RN_ROOT_TASK;
	r->at.image = &r->types->kernel;
	r->at.points = true;
	return find_struct(r, "struct task_struct", &r->at.type);
}

static size_t word(const char *s)
{
	size_t n = 0;

	if (isalpha((unsigned char)s[0]) || s[0] == '_')
		while (isalnum((unsigned char)s[n]) || s[n] == '_')
			n++;
	return n;
}

static int no_start(struct reading *r, const struct rn_signatures *s, const char *name, size_t len)
{
	unsigned skip = r->cls->id == RN_CLS_TRACEPOINT, n = 0, at;
	uint32_t its;
	char list[200] = "", type[100];
	struct rn_btf_param p;

	if (!s->n && r->cls->id == RN_CLS_KERNEL)
		return rn_err_set(&r->err, -ENOENT,
				  "this kernel has no function `%s` whose arguments it tells",
				  r->cls->arg);
	for (unsigned i = 0; i < s->n && s->n > 1; i++)
		if (!param_named(&s->of[i], skip, name, len, &at, &its)) {
			rn_err_set(&r->err, -ENOENT,
				   "`%s`, which is meant too, has no argument `%.*s`",
				   s->of[i].name, (int)len, name);
			return -ENOENT;
		}
	rn_err_set(&r->err, -ENOENT, "%s has no argument `%.*s`",
		   rn_class_text(r->types->arena, r->cls), (int)len, name);
	for (; s->n == 1 && (p = rn_btf_param_of(s->of->image, s->of->prototype, n + skip)).type;
	     n++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s`%s` (%s)",
			 n ? ", " : "", p.name ? p.name : "?",
			 rn_btf_type_text(s->of->image, p.type, type, sizeof(type)));
	if (n)
		rn_err_hint(&r->err, "it has %s", list);
	return -ENOENT;
}

static int start(struct reading *r)
{
	const struct rn_signatures none = {.cls = r->cls}, *s = &none;
	const char *name = r->text;
	size_t len = word(name);
	int e = len ? -ENOENT : -EINVAL;

	if (r->cls->id != RN_CLS_SAMPLE)
		s = signatures_of(r->types, r->cls);
	if (open_types(r->types)) {
		r->err = r->types->err;
		return r->types->state;
	}
	if (!len)
		return rn_err_set(&r->err, e, "a name is missing at `%.40s`", name);
	r->text += len;
	if (s->n)
		e = start_with_param(r, s, name, len);
	if (e == -ENOENT && !r->err.code)
		e = start_with_register(r, s, name, len);
	if (e == -ENOENT && !r->err.code)
		e = start_with_record(r, name, len);
	if (e == -ENOENT && !r->err.code)
		e = start_with_task(r, name, len);
	return e == -ENOENT && !r->err.code ? no_start(r, s, name, len) : e;
}

/* ---- the text ---- */

static bool takes(struct reading *r, const char *what)
{
	size_t n = strlen(what);

	if (strncmp(r->text, what, n) != 0)
		return false;
	r->text += n;
	return true;
}

/* A text in quotes, into to[room]. */
static int quoted(struct reading *r, char *to, size_t room)
{
	size_t n;

	if (*r->text != '"')
		return rn_err_set(&r->err, -EINVAL, "a text in quotes is missing");
	n = strcspn(r->text + 1, "\"");
	if (n >= room || r->text[n + 1] != '"')
		return rn_err_set(&r->err, -EINVAL, "a name in it is too long");
	memcpy(to, r->text + 1, n);
	to[n] = 0;
	r->text += n + 2;
	return 0;
}

static int read_steps(struct reading *r);

/* cast(VALUE, "struct sock"), container(VALUE, "struct tcp_sock", "inet_conn") */
static int read_call(struct reading *r, bool container)
{
	char name[128], member[128];
	uint32_t type = 0;
	int e = read_steps(r);

	if (!e && !takes(r, ", "))
		e = rn_err_set(&r->err, -EINVAL,
			       "a type is missing, as in cast(arg0, \"struct "
			       "sock\")");
	e = e ? e : quoted(r, name, sizeof(name));
	e = e ? e : find_struct(r, name, &type);
	if (!e && container && !takes(r, ", "))
		e = rn_err_set(&r->err, -EINVAL,
			       "a member is missing, as in container(sk, \"struct tcp_sock\", "
			       "\"inet_conn\")");
	if (!e && container)
		e = quoted(r, member, sizeof(member));
	if (!e && !takes(r, ")"))
		e = rn_err_set(&r->err, -EINVAL, "`)` is missing");
	if (e)
		return e;
	return container ? rn_btf_container(&r->at, type, member, &r->err)
			 : rn_btf_cast(&r->at, type, &r->err);
}

static int read_steps(struct reading *r)
{
	unsigned steps = 0;
	int e = takes(r, "cast(")        ? read_call(r, false)
		: takes(r, "container(") ? read_call(r, true)
					 : start(r);

	while (!e && (*r->text == '.' || *r->text == '[')) {
		if (++steps > RN_MEMBER_STEPS)
			return rn_err_set(&r->err, -E2BIG, "more than %d steps", RN_MEMBER_STEPS);
		if (takes(r, ".")) {
			size_t n = word(r->text);

			e = rn_btf_to_member(&r->at, r->text, n, &r->err);
			r->text += n;
		} else {
			char *end;
			unsigned long n = strtoul(r->text + 1, &end, 10);

			if (*end != ']' || n > UINT32_MAX)
				return rn_err_set(&r->err, -EINVAL, "`]` is missing");
			e = rn_btf_to_element(&r->at, (uint32_t)n, &r->err);
			r->text = end + 1;
		}
	}
	return e;
}

/* ---- the field ---- */

static int by_number(const void *a, const void *b)
{
	const struct rn_numbered *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static const struct rn_numbering *numbering_of(struct rn_arena *arena,
					       const struct rn_btf_image *image, uint32_t id)
{
	const struct btf_type *t = rn_btf_image_type(image, id);
	bool wide = BTF_INFO_KIND(t->info) == BTF_KIND_ENUM64, is_signed = BTF_INFO_KFLAG(t->info);
	const uint32_t *v = (const uint32_t *)(t + 1);
	struct rn_numbered *of = RN_NEWN(arena, struct rn_numbered, BTF_INFO_VLEN(t->info) + 1);
	struct rn_numbering *all = RN_NEW(arena, struct rn_numbering);
	unsigned n = BTF_INFO_VLEN(t->info), m = 0;

	for (unsigned i = 0; i < n; i++, v += wide ? 3 : 2)
		of[i] = (struct rn_numbered){wide        ? (int64_t)((uint64_t)v[2] << 32 | v[1])
					     : is_signed ? (int64_t)(int32_t)v[1]
							 : (int64_t)v[1],
					     rn_arena_strdup(arena, rn_btf_image_str(image, v[0]))};
	qsort(of, n, sizeof(*of), by_number);
	for (unsigned i = 0; i < n; i++)
		if (!m || of[m - 1].number != of[i].number)
			of[m++] = of[i];
	*all = (struct rn_numbering){of, m, false};
	return all;
}

static void make_field(struct reading *r, const char *text)
{
	struct rn_arena *arena = r->types->arena;
	const struct rn_walk *w = &r->to->walk;
	struct rn_field *f = &r->to->field;
	uint32_t bits = w->bits ? w->bits : 8 * w->bytes;
	char type[128];

	rn_btf_type_text(r->at.image, r->at.type, type, sizeof(type));
	*f = (struct rn_field){.name = rn_arena_strdup(arena, text),
			       .ty = {RN_T_INT, RN_U_NONE},
			       .where = RN_IN_KERNEL | RN_IN_NODE,
			       .id = RN_F_MEMBER,
			       .doc = rn_arena_printf(arena, "%s", type),
			       .asked = true,
			       .of_end = r->to->root == RN_ROOT_RET,
			       .own = r->to};
	if (w->kind != RN_WALK_NUMBER) {
		f->ty.type = RN_T_STR;
		/* what a pointer to text leads to is of a program, or a buffer */
		f->tells = w->kind == RN_WALK_STRING ? RN_TELLS_CONTENT : RN_TELLS_NOTHING;
	} else if (w->enumeration) {
		f->ty.type = RN_T_STR;
		f->numbering = numbering_of(arena, r->at.image, w->enumeration);
	} else if (bits < 63) {
		f->bits = (uint8_t)(w->is_signed ? RN_BITS_SIGNED | bits : bits);
	}
}

static void say(const struct rn_err *err, char *why, size_t why_bytes)
{
	if (why && why_bytes)
		snprintf(why, why_bytes, "%s%s%s", err->text, err->hint[0] ? "\n" : "", err->hint);
}

const struct rn_field *rn_types_member(void *types, const struct rn_class *cls, const char *text,
				       char *why, size_t why_bytes)
{
	struct rn_types *t = types;
	struct rn_arg_member member = {0};
	struct reading r = {.types = t, .cls = cls, .text = text, .to = &member};
	struct made_member *m;
	int e;

	for (m = t->made; m; m = m->next)
		if (m->cls == cls && !strcmp(m->member.field.name, text))
			return &m->member.field;
	if (strlen(text) > RN_MEMBER_TEXT) {
		rn_err_set(&r.err, -E2BIG, "its text is longer than %d bytes", RN_MEMBER_TEXT);
		say(&r.err, why, why_bytes);
		return NULL;
	}
	e = read_steps(&r);
	if (!e && *r.text)
		e = rn_err_set(&r.err, -EINVAL, "`%.40s` has no meaning there", r.text);
	e = e ? e : rn_btf_arrive(&r.at, &member.walk, &r.err);
	if (e) {
		say(&r.err, why, why_bytes);
		return NULL;
	}
	m = RN_NEW(t->arena, struct made_member);
	m->member = member;
	r.to = &m->member;
	make_field(&r, text);
	m->cls = cls;
	m->next = t->made;
	t->made = m;
	return &m->member.field;
}

static bool has_field(const struct rn_class *cls, const char *name)
{
	for (unsigned i = 0; i < cls->nfields; i++)
		if (!strcmp(cls->fields[i]->name, name))
			return true;
	return false;
}

/* The result as a number of the function's own type, if it is a narrow one: an int is only half of
 * the register. */
static const struct rn_field *own_result(struct rn_types *types, const struct rn_class *cls,
					 const struct rn_field *of_all)
{
	const struct rn_field *f = rn_types_member(types, cls, "ret", NULL, 0);
	const struct rn_arg_member *m = f ? f->own : NULL;
	struct rn_field *own;

	if (!m || m->root != RN_ROOT_RET || m->walk.kind != RN_WALK_NUMBER || f->numbering ||
	    m->walk.bytes == 8)
		return of_all;
	own = RN_NEW(types->arena, struct rn_field);
	*own = *f;
	own->asked = false;
	own->show = of_all->show;
	own->doc = rn_arena_printf(types->arena, "what the function returns: %s", f->doc);
	return own;
}

/* Arguments that are numbers, pointers or texts. */
static void give_arguments(struct rn_types *types, struct rn_class *cls)
{
	const struct rn_signatures *s = signatures_of(types, cls);
	const struct rn_field **all = RN_NEWN(types->arena, const struct rn_field *,
					      cls->nfields + ARGS),
			      *own;

	for (unsigned i = 0; i < cls->nfields; i++)
		all[i] = cls->fields[i]->id == RN_F_RET ? own_result(types, cls, cls->fields[i])
							: cls->fields[i];
	for (unsigned i = 0; s->n == 1 && i < ARGS; i++) {
		struct rn_btf_param p = rn_btf_param_of(s->of->image, s->of->prototype, i);

		if (p.name && !has_field(cls, p.name) &&
		    (own = rn_types_member(types, cls, p.name, NULL, 0)))
			all[cls->nfields++] = own;
		cls->fields = all;
	}
}

void rn_types_give(struct rn_types *types, struct rn_class *cls)
{
	cls->member = rn_types_member;
	cls->member_self = types;
	if (cls->id == RN_CLS_KERNEL && !cls->arg[strcspn(cls->arg, "*?[,")])
		give_arguments(types, cls);
}

bool rn_types_fits(struct rn_types *types, const struct rn_class *cls, const char *function)
{
	const struct rn_signatures *s = signatures_of(types, cls);
	const struct function key = {.name = function};

	return s->n && bsearch(&key, s->of, s->n, sizeof(*s->of), by_function);
}
