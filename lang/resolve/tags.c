/* tags.c - collects the tags of `tag ...`, each once, in src->tags. They are written in the query,
 * in a file, or are all tags of the catalogue.
 *
 * A file of tags is read here, once for each place that names it. It becomes a text of the
 * diagnostics, so that an error shows its line like a line of a query. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "lang/resolve/resolve_impl.h"
#include "lang/values/tag.h"

enum { MAX_FILE = 1 << 20 };

struct tags {
	struct rn_resolve_scope *scope;
	const struct rn_class *cls;
	struct rn_tag *list;
	unsigned n;
	bool too_many;
};

bool rn_tag_check(struct rn_diag *diag, struct rn_span span, struct rn_tag t)
{
	struct rn_diag_item *it;

	if (!t.len) {
		rn_diag_add(diag, RN_ERROR, "E-TYPE", span, "a tag has at least one byte");
		return false;
	}
	if (rn_tag_fits(t))
		return true;
	it = rn_diag_add(diag, RN_ERROR, "E-LIMIT-TAGS", span,
			 "the tag has %u byte%s; tags have %d to %d", t.len, t.len == 1 ? "" : "s",
			 RN_TAG_MIN, RN_TAG_MAX);
	if (t.len < RN_TAG_MIN)
		rn_diag_hint(diag, it, "short tags occur by chance: use a longer, rarer text");
	else
		rn_diag_hint(diag, it, "a part of it will do: use its rarest bytes, at most %d",
			     RN_TAG_MAX);
	return false;
}

/* A recording holds no payload. It can answer only for tags that were searched while it was
 * made. */
static void check_recorded(struct rn_resolve_scope *scope, struct rn_span span, struct rn_tag t,
			   const struct rn_class *cls)
{
	const char *all = "", *form = rn_tag_text(scope->resolver->arena, t);
	enum { SHOWN = 16 };

	for (unsigned i = 0; i < cls->ntags; i++)
		if (!strcmp(cls->tags[i], form))
			return;
	for (unsigned i = 0; i < cls->ntags && i < SHOWN; i++)
		all = rn_arena_printf(scope->resolver->arena, "%s%s`%s`", all, i ? ", " : "",
				      cls->tags[i]);
	if (cls->ntags > SHOWN)
		all = rn_arena_printf(scope->resolver->arena, "%s and %u more", all,
				      cls->ntags - SHOWN);
	scope_hint(scope,
		   scope_error(scope, "E-TRACE", span,
			       "the tag `%s` was not searched while \"%s\" was recorded", form,
			       scope->query->from),
		   "it holds %s; record again with `events of tag %s into ...`", all,
		   rn_tag_source(scope->resolver->arena, t));
}

static void add(struct tags *to, struct rn_span span, struct rn_tag t)
{
	if (!rn_tag_check(to->scope->resolver->diag, span, t))
		return;
	if (to->cls->tags)
		check_recorded(to->scope, span, t, to->cls);
	for (unsigned i = 0; i < to->n; i++)
		if (rn_tag_equal(to->list[i], t)) /* a tag written twice is one tag */
			return;
	if (to->n == RN_MAX_TAGS) {
		if (!to->too_many)
			scope_error(to->scope, "E-LIMIT-TAGS", span,
				    "a query follows at most %d tags", RN_MAX_TAGS);
		to->too_many = true;
		return;
	}
	to->list[to->n++] = t;
}

/* ---- a file, one tag a line ---- */

/* Opens a regular file; -1 with errno on failure, 0 in errno if it is something else. It stats the
 * file first, because to open a device or a pipe can have effects. */
static int open_regular(const char *path, struct stat *st)
{
	int fd;

	if (stat(path, st))
		return -1;
	errno = 0;
	if (!S_ISREG(st->st_mode))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	return fd >= 0 && !fstat(fd, st) ? fd : -1;
}

/* Reads the file's text; NULL, and reported, if that fails. */
static char *read_file(struct rn_resolve_scope *scope, const struct rn_ast_name *name, size_t *len)
{
	struct stat st;
	int fd = open_regular(name->text, &st);
	char *text = NULL;
	ssize_t n = 0;

	*len = 0;
	if (fd < 0 && !errno) {
		scope_error(scope, "E-TAG-FILE", name->span, "\"%s\" is not a regular file",
			    name->text);
		return NULL;
	}
	if (fd >= 0 && st.st_size > MAX_FILE) {
		scope_error(scope, "E-TAG-FILE", name->span,
			    "\"%s\" has %lld bytes; a file of tags has at most %d", name->text,
			    (long long)st.st_size, MAX_FILE);
		close(fd);
		return NULL;
	}
	if (fd >= 0) {
		text = rn_arena_alloc(scope->resolver->arena, (size_t)st.st_size + 1);
		while (*len < (size_t)st.st_size &&
		       (n = read(fd, text + *len, (size_t)st.st_size - *len)) > 0)
			*len += (size_t)n;
	}
	if (fd < 0 || n < 0) {
		scope_error(scope, "E-TAG-FILE", name->span,
			    "the file of tags \"%s\" cannot be read: %s", name->text,
			    strerror(errno));
		text = NULL;
	}
	if (fd >= 0)
		close(fd);
	return text;
}

/* Reports a malformed x"hex", at the digit that is wrong. */
static void report_hex(struct rn_resolve_scope *s, const char *line, size_t len,
		       struct rn_span span)
{
	bool closed = len > 2 && line[len - 1] == '"' && line[1] == '"';
	size_t n = len - 2 - closed, bad = rn_tag_bad_digit(line + 2, n);

	if (closed && n && bad < n) {
		span.start += 2 + (uint32_t)bad;
		span.end = span.start + 1;
		scope_error(s, "E-TAG-FILE", span, "x\"...\" takes pairs of hexadecimal digits");
	} else {
		scope_hint(s, scope_error(s, "E-TAG-FILE", span, "bytes are written x\"...\""),
			   "with pairs of hexadecimal digits: x\"00ff1234\"");
	}
}

static void add_line(struct tags *to, const char *line, size_t len, struct rn_span span)
{
	struct rn_resolve_scope *s = to->scope;
	bool hex = len > 1 && line[0] == 'x' && (line[1] == '"' || line[1] == '\'');
	struct rn_tag t = rn_tag_parse(s->resolver->arena, line, len);

	if (memchr(line, 0, len))
		scope_hint(s, scope_error(s, "E-TAG-FILE", span, "a zero byte in a file of tags"),
			   "write such a tag by its bytes: x\"61620063\"");
	else if (hex && t.len == len)
		report_hex(s, line, len, span);
	else if (!hex && len > 1 && (line[0] == '"' || line[0] == '\'') && line[len - 1] == line[0])
		scope_hint(
			s,
			scope_error(s, "E-TAG-FILE", span, "tags in a file stand without quotes"),
			"if the quotes are part of it, write its bytes: x\"...\"");
	else
		add(to, span, t);
}

static void add_file(struct tags *to, const struct rn_ast_name *name)
{
	struct rn_resolve_scope *scope = to->scope;
	size_t len = 0;
	const char *text = read_file(scope, name, &len);
	uint16_t src;

	if (!text)
		return;
	src = rn_diag_source(scope->resolver->diag, name->text, text, len);
	for (size_t at = 0, end; at < len && rn_diag_errors(scope->resolver->diag) <= RN_DIAG_MAX;
	     at = end + 1) {
		const char *eol = memchr(text + at, '\n', len - at);
		size_t from = at, to_ = end = eol ? (size_t)(eol - text) : len;

		while (from < to_ && strchr(" \t\r", text[from]) && text[from])
			from++;
		while (to_ > from && strchr(" \t\r", text[to_ - 1]) && text[to_ - 1])
			to_--;
		if (from < to_ && text[from] != '#')
			add_line(to, text + from, to_ - from,
				 (struct rn_span){(uint32_t)from, (uint32_t)to_, src});
	}
	if (!to->n && !rn_diag_errors(scope->resolver->diag))
		scope_hint(scope,
			   scope_error(scope, "E-TAG-FILE", name->span, "\"%s\" holds no tag",
				       name->text),
			   "it takes one tag a line");
}

/* ---- the catalogue's set ---- */

static void add_set(struct tags *to, struct rn_span span)
{
	const struct rn_tagset *set = to->scope->resolver->names->tagset;
	const struct rn_tag *v = NULL;
	unsigned n = set ? set->all(set->self, to->scope->resolver->arena, &v) : 0;

	for (unsigned i = 0; i < n; i++)
		add(to, span, v[i]);
	if (!n && to->scope->resolver->names->unbound) {
		struct rn_diag_item *it = rn_resolve_warn_once(to->scope, "W-TAG-SET", span,
							       "the set of tags is empty now");

		if (it)
			scope_hint(to->scope, it,
				   "the view can be saved; when it runs there must be one, as by "
				   "`tags "
				   "add fix283`");
	} else if (!n)
		scope_hint(to->scope,
			   scope_error(to->scope, "E-TAG-SET", span, "the set of tags is empty"),
			   "fill it, as in `tags add fix283, ulr821`, or name the tags here: `tag "
			   "fix283`");
}

void rn_resolve_tags(struct rn_resolve_scope *scope, struct rn_ast_source *src,
		     const struct rn_class *cls)
{
	struct tags to = {.scope = scope,
			  .cls = cls,
			  .list = RN_NEWN(scope->resolver->arena, struct rn_tag, RN_MAX_TAGS)};

	if (src->all)
		add_set(&to, src->span);
	else if (src->from_file && src->args)
		add_file(&to, src->args);
	else
		for (const struct rn_ast_name *t = src->args; t; t = t->next)
			add(&to, t->span, rn_tag_of(t->text, t->len));
	src->tags = to.list;
	src->ntags = to.n;
}
