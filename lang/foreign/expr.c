/* expr.c - expressions of other languages, read from left to right.
 *
 * Most words stay as they are: the operators of all these languages bind alike. Forms that have
 * another shape here are tried first, one function for each. Calls are in calls.c. */
#include <string.h>
#include "lang/foreign/expr.h"
#include "lang/foreign/words.h"

static const struct {
	const char *word, *ours; /* ours: NULL if it has no counterpart */
} signs[] = {
	{"==", "="},       {"<>", "!="},       {"&&", "and"},      {"||", "or"},
	{"!", "not"},      {"and", "and"},     {"or", "or"},       {"not", "not"},
	{"in", "in"},      {"is", "is"},       {"null", "null"},   {"between", "between"},
	{"true", "true"},  {"false", "false"}, {"as", NULL},       {"union", NULL},
	{"exists", NULL},  {"over", NULL},     {"select", NULL},   {"{", NULL},
	{"}", NULL},       {"[", NULL},        {"]", NULL},        {"=>", NULL},
	{"..", NULL},      {"->", NULL},       {"?", NULL},        {":", NULL},
	{"$", NULL},       {"@", NULL},        {";", NULL},        {".", NULL},
	{"has_any", NULL}, {"any", NULL},      {"interval", NULL},
};

/* Fields that hold a time: other languages compare them with plain numbers. */
static const char *const times[] = {"latency", "utime", "stime"};

/* Infix words that match a text: the glob around what is searched. */
static const struct {
	const char *word, *before, *behind;
	bool like; /* the text is a pattern with % and _ */
} matches[] = {
	{"like", "", "", true},
	{"contains", "*", "*", false},
	{"contains_cs", "*", "*", false},
	{"startswith", "", "*", false},
	{"startswith_cs", "", "*", false},
	{"endswith", "*", "", false},
	{"endswith_cs", "*", "", false},
};

void rn_draft_put(struct rn_draft *e, const char *text)
{
	if (e->out.len && *text != ')' && *text != ',')
		rn_strbuf_putc(&e->out, ' ');
	rn_strbuf_put(&e->out, text);
}

/* ---- forms of several words: each returns false if r does not begin with it ---- */

static const char *nested_if(struct rn_reading *f, struct rn_phrase r)
{
	static const char *const stops[] = {"when", "else", NULL};
	struct rn_phrase when = r, then;

	if (rn_phrase_take(&when, "else"))
		return rn_foreign_expr(f, when);
	if (!rn_phrase_take(&when, "when")) {
		f->failed = true; /* no `else`, or CASE x WHEN 1 */
		return "";
	}
	r.w = when.w;
	then = rn_phrase_take_until(&r, stops);
	when = rn_phrase_take_to(&then, "then");
	return rn_arena_printf(f->arena, "if(%s, %s, %s)", rn_foreign_expr(f, when),
			       rn_foreign_expr(f, then), nested_if(f, r));
}

/* CASE WHEN c THEN x ELSE y END. One inside another has no translation. */
static bool put_case(struct rn_draft *e, struct rn_phrase *r)
{
	static const char *const stops[] = {"end", NULL};

	if (!rn_phrase_take(r, "case"))
		return false;
	rn_draft_put(e, nested_if(e->reading, rn_phrase_take_until(r, stops)));
	if (!rn_phrase_take(r, "end"))
		e->reading->failed = true;
	return true;
}

/* (int) of C# */
static bool put_cast(struct rn_draft *e, struct rn_phrase *r)
{
	static const char *const types[] = {"int", "long", "double", "decimal", "float", "uint64"};

	(void)e;
	for (unsigned i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (rn_phrase_begin(*r, "(") && r->w->partner == 2 &&
		    rn_word_is(r->w + 1, types[i])) {
			r->w += 3;
			return true;
		}
	return false;
}

static bool put_subquery(struct rn_draft *e, struct rn_phrase *r)
{
	if (!rn_phrase_begin(*r, "(") || !rn_phrase_then(*r, "select"))
		return false;
	rn_draft_put(e, rn_foreign_subquery(e->reading, rn_phrase_take_inside(r)));
	return true;
}

static const char *glob(struct rn_reading *f, const struct rn_word *w, unsigned kind)
{
	struct rn_strbuf text, out;
	size_t n;
	const char *s = rn_word_string(f->arena, w, &n);

	f->failed |= matches[kind].like && memchr(w->s, '\\', w->n); /* \% */
	rn_strbuf_init(&text, f->arena);
	rn_strbuf_put(&text, matches[kind].before);
	for (size_t i = 0; i < n; i++) {
		if (strchr("*?[", s[i]))
			f->failed = true; /* such a byte cannot stand for itself in a glob */
		if (matches[kind].like && s[i] == '%')
			rn_strbuf_putc(&text, '*');
		else if (matches[kind].like && s[i] == '_')
			rn_strbuf_putc(&text, '?');
		else
			rn_strbuf_putc(&text, s[i]);
	}
	rn_strbuf_put(&text, matches[kind].behind);
	rn_strbuf_init(&out, f->arena);
	rn_strbuf_quote(&out, rn_strbuf_cstr(&text), text.len);
	return rn_strbuf_cstr(&out);
}

/* LIKE 'S%', not like, contains "x" */
static bool put_match(struct rn_draft *e, struct rn_phrase *r)
{
	struct rn_phrase rest = *r;
	bool denied = rn_phrase_take(&rest, "not");

	for (unsigned i = 0; i < sizeof(matches) / sizeof(*matches); i++) {
		if (!rn_phrase_begin(rest, matches[i].word) || rest.end - rest.w < 2 ||
		    rest.w[1].kind != RN_WORD_STRING)
			continue;
		rn_draft_put(e, denied ? "!~" : "~");
		rn_draft_put(e, glob(e->reading, rest.w + 1, i));
		r->w = rest.w + 2;
		if (!matches[i].like && !strstr(matches[i].word, "_cs"))
			rn_foreign_remark(e->reading, "`~` tells small letters from capitals");
		return true;
	}
	return false;
}

/* between (a .. b) of KQL */
static bool put_range(struct rn_draft *e, struct rn_phrase *r)
{
	struct rn_phrase rest = *r, from;

	if (!rn_phrase_take(&rest, "between") || !rn_phrase_begin(rest, "("))
		return false;
	from = rn_phrase_take_inside(&rest);
	if (rn_phrase_empty(from) || !rn_phrase_find(from, ".."))
		return false;
	r->w = rest.w;
	rest = rn_phrase_take_to(&from, "..");
	rn_draft_put(e, "between");
	rn_draft_put(e, rn_foreign_expr(e->reading, rest));
	rn_draft_put(e, "and");
	rn_draft_put(e, rn_foreign_expr(e->reading, from));
	return true;
}

/* ---- single words ---- */

const char *rn_foreign_number(struct rn_arena *arena, const struct rn_word *w)
{
	char *out = rn_arena_alloc(arena, w->n + 1);
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		if (w->s[i] != '_')
			out[n++] = w->s[i];
	return out;
}

/* A plain number that is compared with a time gets a unit. */
static void put_number(struct rn_draft *e, const struct rn_word *w)
{
	const char *text = rn_foreign_number(e->reading->arena, w);

	if (e->time && e->compared && strspn(text, "0123456789.") == strlen(text) &&
	    strcmp(text, "0") != 0) {
		rn_foreign_remark(e->reading, "A time needs a unit: ms is a guess");
		text = rn_arena_printf(e->reading->arena, "%sms", text);
	}
	rn_draft_put(e, text);
}

/* Notes what is compared with what: `time` holds from a field up to the end of its comparison. */
static void note_sign(struct rn_draft *e, const char *sign)
{
	bool joins = !strcmp(sign, "and") || !strcmp(sign, "or") || !strcmp(sign, ",");

	if (!strcmp(sign, "between") || strchr("=<>!", *sign) || !strcmp(sign, "in"))
		e->compared = true;
	if (joins && e->ranges)
		e->ranges = false;
	else if (joins)
		e->time = e->compared = false;
	if (!strcmp(sign, "between"))
		e->ranges = true;
}

static void put_name(struct rn_draft *e, const char *name)
{
	struct rn_reading *f = e->reading;
	const char *ours = f->probes ? rn_foreign_name(RN_FOREIGN_FIELD, name) : NULL;

	for (unsigned i = f->names.n; i-- > 0;)
		if (!strcmp(f->names.item[i].name, name)) {
			rn_draft_put(e, f->names.item[i].expr);
			return;
		}
	for (unsigned i = 0; i < sizeof(times) / sizeof(*times); i++)
		e->time |= !strcmp(name, times[i]);
	if (*f->row && !strcmp(name, f->row))
		f->failed = true; /* a whole row is no value */
	if (f->no_arguments && !strncmp(name, "arg", 3) && strlen(name) == 4)
		f->failed = true;
	rn_draft_put(e, ours ? ours : name);
}

static void put_word(struct rn_draft *e, struct rn_phrase *r)
{
	const struct rn_word *w = r->w++;
	const char *text = rn_word_text(e->reading->arena, w);
	struct rn_strbuf quoted;
	size_t n;

	for (unsigned i = 0; w->kind != RN_WORD_STRING && i < sizeof(signs) / sizeof(*signs); i++)
		if (rn_word_is(w, signs[i].word)) {
			if (!signs[i].ours)
				e->reading->failed = true;
			text = signs[i].ours ? signs[i].ours : "";
			note_sign(e, text);
			rn_draft_put(e, text);
			return;
		}
	if (w->kind == RN_WORD_NUMBER) {
		put_number(e, w);
	} else if (w->kind == RN_WORD_NAME) {
		put_name(e, text);
	} else if (w->kind == RN_WORD_STRING) {
		text = rn_word_string(e->reading->arena, w, &n);
		rn_strbuf_init(&quoted, e->reading->arena);
		rn_strbuf_quote(&quoted, text, n);
		rn_draft_put(e, rn_strbuf_cstr(&quoted));
	} else {
		note_sign(e, text);
		rn_draft_put(e, text);
	}
}

/* ---- the whole ---- */

const char *rn_foreign_expr(struct rn_reading *f, struct rn_phrase r)
{
	static bool (*const forms[])(struct rn_draft *, struct rn_phrase *) = {
		put_case,  put_cast,      put_subquery,   put_match,
		put_range, rn_draft_call, rn_draft_member};
	struct rn_draft e = {.reading = f};

	rn_strbuf_init(&e.out, f->arena);
	if (rn_phrase_empty(r) || f->depth == RN_FOREIGN_DEPTH || rn_arena_full(f->arena)) {
		f->failed = true;
		return "";
	}
	f->depth++;
	while (!rn_phrase_empty(r) && !f->failed) {
		unsigned i = 0;

		while (i < sizeof(forms) / sizeof(*forms) && !forms[i](&e, &r))
			i++;
		if (i == sizeof(forms) / sizeof(*forms))
			put_word(&e, &r);
	}
	f->depth--;
	return rn_strbuf_cstr(&e.out);
}

const char *rn_foreign_lambda(struct rn_reading *f, struct rn_phrase r)
{
	const char *row = f->row, *name = rn_phrase_take_name(f->arena, &r), *out;

	if (!name || !rn_phrase_take(&r, "=>")) {
		f->failed = true;
		return "";
	}
	f->row = name;
	out = rn_foreign_expr(f, r);
	f->row = row;
	return out;
}
