/* promql_select.c - selectors of PromQL: read_bytes_total{proc=~"java.*"}[5m] offset 1h. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "lang/foreign/promql.h"
#include "lang/foreign/words.h"

static const struct {
	const char *word, *source, *field;
} metrics[] = {
	{"read", "read", ""},
	{"write", "write", ""},
	{"open", "open", ""},
	{"close", "close", ""},
	{"send", "send", ""},
	{"recv", "recv", ""},
	{"fsync", "fsync", ""},
	{"exec", "exec", ""},
	{"fork", "fork", ""},
	{"exit", "exit", ""},
	{"connect", "connect", ""},
	{"accept", "accept", ""},
	{"syscall", "syscall", ""},
	{"syscalls", "syscall", ""},
	{"io", "io", ""},
	{"processes", "processes", ""},
	{"bytes", "", "bytes"},
	{"latency", "", "latency"},
	{"duration", "", "latency"},
	{"rss", "processes", "rss"},
	{"vsz", "processes", "vsz"},
	{"threads", "processes", "threads"},
};

/* Labels that Prometheus adds itself. */
static const struct {
	const char *label, *field;
} targets[] = {{"job", "proc"}, {"instance", "node"}, {"pod", "container"}};

/* Is it a word that says what kind of a metric it is? */
static bool is_plain(const char *name, size_t n)
{
	static const char *const words[] = {"total", "count", "sum", "bucket", "seconds", "calls"};

	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i]) == n && !strncmp(words[i], name, n))
			return true;
	return false;
}

/* Notes what the words of a metric's name mean. Returns if all of them mean something here. */
static bool know(struct rn_vector *v, const char *name)
{
	bool all = true;

	for (size_t n; *name; name += n + (name[n] == '_')) {
		bool known = is_plain(name, n = strcspn(name, "_"));

		for (unsigned i = 0; i < sizeof(metrics) / sizeof(*metrics); i++) {
			if (strlen(metrics[i].word) != n ||
			    strncasecmp(metrics[i].word, name, n) != 0)
				continue;
			known = true;
			if (*metrics[i].source)
				v->source = metrics[i].source;
			if (*metrics[i].field)
				v->field = metrics[i].field;
		}
		all &= known;
	}
	return all;
}

const char *rn_vector_label(struct rn_reading *f, struct rn_phrase *r)
{
	const char *name = rn_phrase_take_name(f->arena, r), *ours;

	if (!name) {
		f->failed = true;
		return "";
	}
	ours = rn_foreign_name(RN_FOREIGN_FIELD, name);
	for (unsigned i = 0; i < sizeof(targets) / sizeof(*targets); i++)
		if (!strcmp(targets[i].label, name))
			ours = targets[i].field;
	return ours ? ours : name;
}

/* A quoted expression that matches only the whole label: `.*` at an end asks for nothing there. */
static const char *anchored(struct rn_reading *f, const char *regex, size_t n)
{
	bool begin = false, end = false;

	if (memchr(regex, '|', n))
		return rn_arena_printf(f->arena, "\"^(%.*s)$\"", (int)n, regex);
	if (n > 2 && !memcmp(regex, ".*", 2)) {
		begin = true;
		regex += 2;
		n -= 2;
	}
	if (n > 2 && !memcmp(regex + n - 2, ".*", 2) && regex[n - 3] != '\\') {
		end = true;
		n -= 2;
	}
	return rn_arena_printf(f->arena, "\"%s%.*s%s\"", begin ? "" : "^", (int)n, regex,
			       end ? "" : "$");
}

/* {label="x", label=~"x.*"}. An expression must match the whole label. */
static void matchers(struct rn_reading *f, struct rn_phrase in, struct rn_vector *v)
{
	while (!rn_phrase_empty(in) && !f->failed) {
		const char *name = rn_vector_label(f, &in),
			   *sign = rn_phrase_empty(in) ? "" : rn_word_text(f->arena, in.w++), *text;
		bool regex = !strcmp(sign, "=~") || !strcmp(sign, "!~");

		f->failed |= !strcmp(name, "le"); /* the bucket of a histogram */
		f->failed |= !regex && strcmp(sign, "=") != 0 && strcmp(sign, "!=") != 0;
		f->failed |= rn_phrase_empty(in) || in.w->kind != RN_WORD_STRING;
		if (f->failed)
			return;
		text = rn_foreign_expr(f, (struct rn_phrase){in.w, in.w + 1});
		in.w++;
		if (regex)
			text = anchored(f, text + 1, strlen(text) - 2);
		v->where = rn_arena_printf(
			f->arena, "%s%s%s%s %s %s", v->where, *v->where ? " and " : "",
			!strcmp(sign, "!~") ? "not " : "", name, regex ? "=~" : sign, text);
		f->failed |= !rn_phrase_take(&in, ",") && !rn_phrase_empty(in);
	}
}

static void range(struct rn_reading *f, struct rn_phrase *r, struct rn_vector *v)
{
	struct rn_phrase in = rn_phrase_take_inside(r);
	const char *text = rn_phrase_text(f->arena, in);
	size_t n = strlen(text);

	f->failed |= in.end - in.w != 1 || in.w->kind != RN_WORD_NUMBER || !n;
	if (n && text[n - 1] == 'w')
		text = rn_arena_printf(f->arena, "%ldd", 7 * strtol(text, NULL, 10));
	v->range = text;
}

struct rn_vector rn_vector_select(struct rn_reading *f, struct rn_phrase *r, struct rn_vector v)
{
	const char *name = rn_phrase_take_name(f->arena, r);
	bool known;

	if (!name) {
		f->failed = true;
		return v;
	}
	known = know(&v, name) && (*v.source || *v.field);
	if (!*v.source)
		v.source = "read";
	if (!known && !rn_phrase_begin(*r, "{") && !rn_phrase_begin(*r, "["))
		f->failed = true; /* any name, perhaps of no metric */
	else if (!known)
		rn_foreign_remark(f, rn_arena_printf(f->arena,
						     "A metric is a source here: `%s` is put for "
						     "`%s`",
						     v.source, name));
	if (rn_phrase_begin(*r, "{"))
		matchers(f, rn_phrase_take_inside(r), &v);
	if (rn_phrase_begin(*r, "["))
		range(f, r, &v);
	if (rn_phrase_take(r, "offset")) {
		rn_phrase_take(r, "-");
		f->failed |= rn_phrase_empty(*r);
		r->w += !f->failed;
		rn_foreign_remark(f, "There is no offset");
		rn_foreign_remark(f, RN_FOREIGN_PAST);
	}
	return v;
}
