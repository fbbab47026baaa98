/* literals.c - the values of literals, and the messages about malformed ones. Every message
 * underlines exactly the wrong part. For an unclosed string that is its opening quote, where the
 * mistake was made. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "lang/foreign/words.h"
#include "lang/syntax/grammar.h"
#include "lang/base/nearest.h"
#include "lang/base/limits.h"
#include "lang/values/tag.h"
#include "lang/base/str.h"
#include "lang/base/utf8.h"
#include "lang/syntax/token.h"
#include "lang/values/units.h"

struct rn_diag_item *rn_lex_error(struct rn_lexer *lexer, const char *code, const char *from,
				  const char *to, const char *fmt, ...)
{
	static const char *const quiet = "";
	struct rn_span span = {(uint32_t)(from - lexer->text), (uint32_t)(to - lexer->text),
			       lexer->src};
	va_list ap;
	const char *text;

	if (lexer->quiet) { /* an item that no one sees */
		struct rn_diag_item *it = RN_NEW(lexer->arena, struct rn_diag_item);

		it->text = quiet;
		return it;
	}
	va_start(ap, fmt);
	text = rn_arena_vprintf(lexer->arena, fmt, ap);
	va_end(ap);
	return rn_diag_add(lexer->diag, RN_ERROR, code, span, "%s", text);
}

void rn_lex_doc(struct rn_lexer *lexer, const char *from, const char *to)
{
	if (from < to && *from == ' ')
		from++;
	while (to > from && (to[-1] == '\r' || to[-1] == ' ' || to[-1] == '\t'))
		to--;
	lexer->doc = rn_arena_printf(lexer->arena, "%s%s%.*s", lexer->doc ? lexer->doc : "",
				     lexer->doc ? "\n" : "", (int)(to - from), from);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads one escape at p (the backslash), appends to out, and returns the text after it. */
static const char *escape(struct rn_lexer *lexer, const char *p, struct rn_strbuf *out)
{
	static const char from[] = "nrt\\\"'", to[] = "\n\r\t\\\"'";
	const char *f;
	struct rn_diag_item *it;

	if (p[1] && (f = strchr(from, p[1]))) {
		rn_strbuf_putc(out, to[f - from]);
		return p + 2;
	}
	if (p[1] == 'x' && hex_digit(p[2]) >= 0 && hex_digit(p[3]) >= 0) {
		char c = (char)(hex_digit(p[2]) << 4 | hex_digit(p[3]));

		if (c)
			rn_strbuf_putc(out, c);
		else
			rn_lex_error(lexer, "E-LEX-NUL", p, p + 4,
				     "a string cannot hold a NUL byte");
		return p + 4;
	}
	if (p + 1 >= lexer->end || p[1] == '\n')
		return p + 1; /* the string turns out unclosed */
	it = rn_lex_error(lexer, "E-LEX-ESCAPE", p,
			  p + 1 + rn_utf8_len(p + 1, (size_t)(lexer->end - p - 1)),
			  "this escape is not known in a string");
	rn_diag_hint(lexer->diag, it,
		     "known are \\n \\r \\t \\\\ \\\" \\' and \\xHH; a backslash itself is written "
		     "\\\\");
	return p + 1;
}

void rn_lex_length(struct rn_lexer *lexer, const char *from, const char *to, size_t len)
{
	if (len > RN_MAX_STRING)
		rn_lex_error(lexer, "E-LIMIT-STRING", from, to,
			     "a name or string of %zu bytes; the longest is %d", len,
			     RN_MAX_STRING);
}

static void finish(struct rn_lexer *l, struct rn_token *t, struct rn_strbuf *out, const char *end)
{
	t->span.end = (uint32_t)(end - l->text);
	t->len = (uint32_t)out->len;
	t->text = rn_strbuf_cstr(out);
}

static void unclosed(struct rn_lexer *l, const char *quote)
{
	struct rn_diag_item *it = rn_lex_error(l, "E-LEX-STRING", quote, quote + 1,
					       "this string is not closed on its line");

	l->skipped = true;
	rn_diag_hint(l->diag, it,
		     "add a closing %c, or write \\n for a line break inside the string", *quote);
}

const char *rn_lex_string(struct rn_lexer *lexer, const char *open, struct rn_token *token)
{
	const char *p = open + 1;
	struct rn_strbuf out;

	rn_strbuf_init(&out, lexer->arena);
	while (p < lexer->end && *p != *open && *p != '\n') {
		if (*p == '\\') {
			p = escape(lexer, p, &out);
		} else {
			if (*p)
				rn_strbuf_putc(&out, *p);
			else
				rn_lex_error(lexer, "E-LEX-NUL", p, p + 1,
					     "a NUL byte in the text");
			p++;
		}
	}
	if (p >= lexer->end || *p != *open)
		unclosed(lexer, open);
	else
		p++;
	finish(lexer, token, &out, p);
	rn_lex_length(lexer, open, p, out.len);
	return p;
}

const char *rn_lex_hex(struct rn_lexer *lexer, const char *open, struct rn_token *token)
{
	const char quote = open[1], *p = open + 2, *first = p;
	struct rn_strbuf out;
	size_t bad, n;

	rn_strbuf_init(&out, lexer->arena);
	while (p < lexer->end && *p != quote && *p != '\n')
		p++;
	n = (size_t)(p - first);
	bad = rn_tag_bad_digit(first, n);
	for (size_t i = 0; i + 1 < bad; i += 2)
		rn_strbuf_putc(&out, (char)((unsigned)hex_digit(first[i]) << 4 |
					    (unsigned)hex_digit(first[i + 1])));
	if (bad < n && hex_digit(first[bad]) < 0)
		rn_lex_error(lexer, "E-LEX-HEX", first + bad,
			     first + bad + rn_utf8_len(first + bad, n - bad),
			     "this is no hexadecimal digit: x\"...\" takes pairs of them");
	else if (bad < n)
		rn_lex_error(lexer, "E-LEX-HEX", first + bad, p,
			     "an odd number of hexadecimal digits: a byte takes two");
	if (p >= lexer->end || *p != quote)
		unclosed(lexer, open + 1);
	else
		p++;
	if (!out.len && bad == n)
		rn_lex_error(lexer, "E-LEX-HEX", open, p, "x\"\" holds no byte");
	finish(lexer, token, &out, p);
	rn_lex_length(lexer, open, p, out.len);
	return p;
}

static void overflow(struct rn_lexer *l, const char *start, const char *end, struct rn_token *t)
{
	struct rn_diag_item *it = rn_lex_error(l, "E-LEX-NUMBER", start, end,
					       "this number does not fit into 64 bits");

	if (strspn(start, "0123456789") >= (size_t)(end - start))
		rn_diag_hint(l->diag, it, "if it is a text, such as a tag, it stands in quotes");
	t->value = rn_int(1);
}

void rn_lex_hex_number(struct rn_lexer *lexer, const char *start, const char *end,
		       struct rn_token *token)
{
	const char *p = start + 2;
	int64_t v = 0;

	while (p < end && *p == '0')
		p++;
	if (end - p > 16) { /* all 64 bits are allowed: a hash has no sign */
		overflow(lexer, start, end, token);
		return;
	}
	for (; p < end; p++)
		v = (int64_t)((uint64_t)v << 4 | (uint64_t)hex_digit(*p));
	token->value = rn_int(v);
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static bool is_path_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.' || c == '/' || c == '-';
}

/* tag 7fix283: its writer means one word. The hint quotes all of it, with everything up to the next
 * blank. */
static void bad_tag(struct rn_lexer *l, const char *start, const char *end)
{
	struct rn_diag_item *it = rn_lex_error(l, "E-LEX-NUMBER", start, end,
					       "a tag that begins with a digit must be quoted");

	while (end < l->end && is_path_char(*end))
		end++;
	l->skipped = true; /* the text that follows may be a part of it */
	rn_diag_hint(l->diag, it, "quote it: tag \"%.*s\"", (int)(end - start), start);
}

static void bad_unit(struct rn_lexer *lexer, const char *unit, const char *end)
{
	struct rn_diag_item *it = rn_lex_error(lexer, "E-LEX-UNIT", unit, end,
					       "`%.*s` is not a unit", (int)(end - unit), unit);
	const char *names[64], *word = rn_arena_strndup(lexer->arena, unit, (size_t)(end - unit));
	const char *near = NULL;
	unsigned n = 0;

	for (const struct rn_unit_def *u = rn_units; u->name && n < 62; u++) {
		names[n++] = u->name;
		if (!strcasecmp(u->name, word)) /* 4kib: only the case is wrong */
			near = u->name;
	}
	names[n++] = "hz";
	names[n] = NULL;
	if (!near)
		near = rn_foreign_name(RN_FOREIGN_UNIT, word);
	if (!near)
		near = rn_nearest(word, names);
	if (near)
		rn_diag_hint(lexer->diag, it, "did you mean `%s`? Units are %s", near,
			     rn_unit_names);
	else
		rn_diag_hint(lexer->diag, it, "units are %s", rn_unit_names);
}

/* Is it a plain number or a size? */
static bool may_be_rate(const char *start, const char *end)
{
	const char *p = start + strspn(start, "0123456789.");
	const struct rn_unit_def *u = p < end ? rn_unit_find(p, (size_t)(end - p)) : NULL;

	return p >= end || (u && u->unit == RN_U_BYTE) || ((*p | 0x20) == 'e' && !u);
}

static bool is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

const char *rn_lex_rate(const struct rn_lexer *lexer, const char *start, const char *end)
{
	bool rate = !lexer->in_tags && end[0] == '/' && end[1] == 's' && !is_word(end[2]) &&
		    may_be_rate(start, end);

	return rate ? end + 2 : end;
}

/* 10MiB/s, 100/s */
static void rate(struct rn_lexer *lexer, const char *start, const char *end, struct rn_token *token)
{
	rn_lex_number(lexer, start, end - 2, token);
	token->unit = token->kind == RN_TOK_SIZE ? RN_U_BYTE_PER_S : RN_U_PER_S;
	token->kind = RN_TOK_RATE;
}

/* digits[.digits][exponent or unit][/s] */
void rn_lex_number(struct rn_lexer *lexer, const char *start, const char *end,
		   struct rn_token *token)
{
	const char *p = start, *stop;
	const struct rn_unit_def *u;
	bool point = false, bad;
	int64_t v;

	if (end[-1] == 's' && end[-2] == '/') {
		rate(lexer, start, end, token);
		return;
	}
	while (p < end && ((*p >= '0' && *p <= '9') || *p == '.'))
		point |= *p++ == '.';
	if (p == end && !point) {
		if (rn_decimal_scale(start, (size_t)(end - start), 1, &v))
			token->value = rn_int(v);
		else
			overflow(lexer, start, end, token);
		return;
	}
	if (p == end ||
	    ((*p | 0x20) == 'e' && (p[1] == '+' || p[1] == '-' || (p[1] >= '0' && p[1] <= '9')))) {
		token->kind = RN_TOK_FLOAT;
		token->value = rn_float(strtod(token->text, (char **)&stop));
		bad = stop < token->text + (end - start); /* a rate's `/s` is behind the end */
		if (bad && lexer->in_tags)
			bad_tag(lexer, start, end);
		else if (bad)
			bad_unit(lexer, p, end);
		else if (token->value.f > 1e300)
			overflow(lexer, start, end, token);
		return;
	}
	u = rn_unit_find(p, (size_t)(end - p));
	if (u) {
		token->kind = u->unit == RN_U_NS ? RN_TOK_DURATION : RN_TOK_SIZE;
		token->unit = (uint8_t)u->unit;
		if (rn_decimal_scale(start, (size_t)(p - start), u->size, &v))
			token->value = rn_int(v);
		else
			overflow(lexer, start, end, token);
		return;
	}
	if (end - p == 2 && (p[0] | 0x20) == 'h' && (p[1] | 0x20) == 'z') {
		token->kind = RN_TOK_HZ;
		if (rn_decimal_scale(start, (size_t)(p - start), 1, &v) && v > 0 && !point)
			token->value = rn_int(v);
		else
			rn_lex_error(lexer, "E-LEX-NUMBER", start, end,
				     "a frequency is a whole number of hz, at least 1");
		return;
	}
	if (lexer->in_tags)
		bad_tag(lexer, start, end);
	else
		bad_unit(lexer, p, end);
	token->value = rn_int(1);
}

/* find.rnt, /etc/ld.so.conf: the hint quotes the whole word around the dot. Returns the word's
 * end. */
static const char *hint_to_quote(struct rn_lexer *l, struct rn_diag_item *it, const char *at)
{
	const char *from = at, *to = at + 1;

	while (from > l->text && is_path_char(from[-1]))
		from--;
	while (to < l->end && is_path_char(*to))
		to++;
	if (at - from == 4 && !memcmp(from, "args", 4))
		rn_diag_hint(l->diag, it, "%s", rn_foreign_args);
	else if (at - from > 1 && from[0] == 'p' &&
		 strspn(from + 1, "0123456789") == (size_t)(at - from - 1))
		rn_diag_hint(l->diag, it, "write quantile(latency, 0.%.*s%.*s)",
			     (int)(at - from - 1), from + 1, (int)strspn(at + 1, "0123456789"),
			     at + 1);
	else if (to - from > 1)
		rn_diag_hint(l->diag, it, "a name that holds `.` is quoted: \"%.*s\"",
			     (int)(to - from), from);
	return to;
}

/* Two colons, up to `to`, with the text around them since `from`: bytes::int, fe80::1,
 * kernel::tcp_sendmsg. Returns the end of that text. */
static const char *hint_of_colons(struct rn_lexer *lexer, struct rn_diag_item *it, const char *from,
				  const char *to)
{
	static const char *const types[] = {"int",    "integer",   "bigint",   "float",   "real",
					    "double", "numeric",   "decimal",  "text",    "varchar",
					    "char",   "string",    "bool",     "boolean", "date",
					    "time",   "timestamp", "interval", "inet"};
	const char *type = to;
	size_t n;

	while (to < lexer->end && (is_name_char(*to) || *to == ':' || *to == '.'))
		to++;
	n = (size_t)(to - type);
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strlen(types[i]) == n && !strncasecmp(types[i], type, n)) {
			rn_diag_hint(lexer->diag, it,
				     "there are no casts: numbers are computed with as they are, "
				     "and `-o json` shows them bare");
			return to;
		}
	n = (size_t)(to - from);
	if (strspn(from, "0123456789abcdefABCDEF:.") >= n)
		rn_diag_hint(lexer->diag, it, "an address is quoted: \"%.*s\"", (int)n, from);
	else
		rn_diag_hint(
			lexer->diag, it,
			"quote a name that holds `:`, as in tracepoint \"sched:sched_switch\"");
	return to;
}

/* A colon after the name of a probe of bpftrace: one message for it and all that follows, as in
 * profile:hz:99. Otherwise the hint quotes the name. */
static const char *hint_of_probe(struct rn_lexer *l, struct rn_diag_item *it, const char *at)
{
	const char *from = at, *to = at + 1, *hint;

	while (from > l->text && is_name_char(from[-1]))
		from--;
	hint = rn_foreign_probe(from, (size_t)(at - from));
	while (hint && to < l->end && (is_name_char(*to) || *to == ':' || *to == '*'))
		to++;
	if (!hint && to < l->end && *to == ':')
		return hint_of_colons(l, it, from, to + 1);
	rn_diag_hint(l->diag, it, "%s",
		     hint ? hint
			  : "quote a name that holds `:`, as in tracepoint \"sched:sched_switch\"");
	return to;
}

/* Reports bytes at `at` that are no part of the language, and returns the text after them. A run of
 * such bytes gives one message. */
const char *rn_lex_bad_char(struct rn_lexer *lexer, const char *at)
{
	const char *p = at;
	struct rn_diag_item *it;
	uint32_t c = rn_utf8_decode(at, (size_t)(lexer->end - at));
	size_t n = rn_utf8_len(at, (size_t)(lexer->end - at));

	lexer->skipped = true;
	if (n == 1 && (*at & 0x80)) {
		while (p < lexer->end && (*p & 0x80) &&
		       rn_utf8_len(p, (size_t)(lexer->end - p)) == 1)
			p++;
		rn_lex_error(lexer, "E-LEX-CHAR", at, p, "bytes that are not UTF-8");
		return p;
	}
	while (p < lexer->end && (*p & 0x80) && n > 1) {
		p += rn_utf8_len(p, (size_t)(lexer->end - p));
	}
	if (n == 1)
		p = at + 1;
	if (n == 1 && (unsigned char)*at < 0x20)
		it = rn_lex_error(lexer, "E-LEX-CHAR", at, p, "a control character (0x%02x)",
				  (unsigned char)*at);
	else
		it = rn_lex_error(lexer, "E-LEX-CHAR", at, p, "`%.*s` has no meaning here",
				  (int)(p - at), at);
	if (c == 0x201C || c == 0x201D || c == 0x2018 || c == 0x2019)
		rn_diag_hint(lexer->diag, it, "use plain quotes: \" or '");
	else if (c == '$')
		rn_diag_hint(lexer->diag, it, "a parameter is `$` and its name, as in $threshold");
	else if (c == '[' || c == '{')
		rn_diag_hint(lexer->diag, it,
			     "only ( ) group; the keys of an aggregate come after `by`: count of "
			     "read by proc");
	else if (c == '@')
		rn_diag_hint(lexer->diag, it,
			     "there are no maps: the keys of an aggregate come after `by`: count "
			     "of read by proc");
	else if (c == ':')
		return hint_of_probe(lexer, it, at);
	else if (c == '.')
		return hint_to_quote(lexer, it, at);
	else if (c >= 0x80)
		rn_diag_hint(lexer->diag, it, "put text that is not plain ASCII in quotes");
	return p;
}
