/* complete.c - Tab at the prompt: offers the candidates of the grammar (lang/complete/complete.h),
 * names that only this machine knows (processes, users, nodes, files, modules), and the commands
 * that begin with `\`.
 *
 * The common beginning of all candidates is inserted. If there is none, the candidates are shown in
 * columns that fit the window. */
#include <dirent.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "lang/base/memory.h"
#include "lang/complete/complete.h"
#include "repl/engine/lets.h"
#include "repl/engine/tag_store.h"
#include "repl/cli/describe.h"
#include "repl/shell/shell_impl.h"
#include "lang/catalog/funcs.h"
#include "exec/trace/trace.h"
#include "probes/probes.h"
#include "lang/base/vec.h"

enum { MOST = 20000, MOST_FILES = 5000 };

struct found { /* candidates for one word */
	struct rn_arena *arena;
	const char *word;
	size_t nword;
	const char **text;
	unsigned n, cap;
	bool quoted;
};

static void add(struct found *f, const char *text)
{
	if (strncmp(text, f->word, f->nword) || f->n == MOST)
		return;
	rn_vec_room_in(f->arena, f->text, f->n, f->cap);
	f->text[f->n++] = text;
}

static int by_text(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static void sort(struct found *f)
{
	unsigned n = 0;

	if (f->n)
		qsort(f->text, f->n, sizeof(*f->text), by_text);
	for (unsigned i = 0; i < f->n; i++)
		if (!n || strcmp(f->text[n - 1], f->text[i]))
			f->text[n++] = f->text[i];
	f->n = n;
}

/* ---- what this machine knows ---- */

static bool is_plain(const char *s)
{
	if (!*s || (*s >= '0' && *s <= '9'))
		return false;
	return !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")];
}

/* Add a text, quoted if it needs quotes and has none yet. */
static void add_text(struct found *f, const char *s)
{
	if (f->quoted ? !strpbrk(s, "\"'\\") : is_plain(s))
		add(f, rn_arena_strdup(f->arena, s));
	else if (!f->quoted && !strpbrk(s, "\"\\"))
		add(f, rn_arena_printf(f->arena, "\"%s\"", s));
}

static void add_processes(struct found *f)
{
	DIR *dir = opendir("/proc");

	for (struct dirent *e; dir && (e = readdir(dir));) {
		char path[300], comm[32];
		FILE *p;

		snprintf(path, sizeof(path), "/proc/%.200s/comm", e->d_name);
		p = e->d_name[0] >= '1' && e->d_name[0] <= '9' ? fopen(path, "re") : NULL;
		if (p && fgets(comm, sizeof(comm), p)) {
			comm[strcspn(comm, "\n")] = 0;
			/* cut to the kernel's name; /proc may show a longer one for kernel
			 * threads */
			comm[15] = 0;
			if (!strchr(comm, '/') && *comm) /* kernel threads: kworker/0:1 */
				add_text(f, comm);
		}
		if (p)
			(void)fclose(p);
	}
	if (dir)
		closedir(dir);
}

static void add_users(struct found *f)
{
	setpwent();
	for (struct passwd *p; (p = getpwent());)
		add_text(f, p->pw_name);
	endpwent();
}

static void add_nodes(struct found *f, const struct rn_engine *e)
{
	const struct rn_hosts *h = e->hosts;

	add_text(f, h ? "all" : e->node);
	add_text(f, "local");
	for (unsigned i = 0; h && i < h->n; i++) {
		if (strcmp(h->entries[i].name, "*"))
			add_text(f, h->entries[i].name);
		if (h->entries[i].group)
			add_text(f, h->entries[i].group);
	}
}

static void add_modules(struct found *f)
{
	for (const struct rn_module_data *m = rn_stdlib; m->name; m++)
		add(f, m->name);
}

static void add_tags(struct found *f, struct rn_engine *e)
{
	struct rn_tag_entry *tags;
	struct rn_err err = {0};
	unsigned n = 0;

	if (rn_tags_read(e->tags, f->arena, &tags, &n, &err))
		return;
	for (unsigned i = 0; i < n; i++)
		add_text(f, rn_tag_text(f->arena, tags[i].tag));
}

static void add_files(struct found *f)
{
	const char *slash = memrchr(f->word, '/', f->nword);
	const char *dir =
		slash ? rn_arena_strndup(f->arena, f->word, (size_t)(slash - f->word) + 1) : "";
	DIR *d = opendir(*dir ? dir : ".");
	unsigned seen = 0;

	for (struct dirent *e; d && (e = readdir(d)) && seen++ < MOST_FILES;) {
		const char *name = e->d_name;
		struct stat st;
		const char *path;
		bool below;

		if (strpbrk(name, "\"'\\\n") ||
		    (*name == '.' && (!slash ? *f->word != '.' : slash[1] != '.')))
			continue;
		path = rn_arena_printf(f->arena, "%s%s", dir, name);
		if (strncmp(path, f->word, f->nword))
			continue;
		below = !stat(path, &st) && S_ISDIR(st.st_mode);
		add(f, below ? rn_arena_printf(f->arena, "%s/", path) : path);
	}
	if (d)
		closedir(d);
}

static void add_function(void *self, const char *text)
{
	struct found *f = self;

	if (!strpbrk(text, "\"\\"))
		add(f, rn_arena_strdup(f->arena, text));
}

/* Adds functions of a class, or what stands before them: files, each with its colon, and folders.
 * Returns why there are none; NULL: no reason is known. */
static const char *add_functions(struct found *f, struct rn_shell *sh, const char *class_name)
{
	struct found files = *f;

	if (strcmp(class_name, "kernel") != 0 && memchr(f->word, '/', f->nword) &&
	    !memchr(f->word, ':', f->nword)) {
		files.text = NULL;
		files.n = files.cap = 0;
		add_files(&files);
		for (unsigned i = 0; i < files.n; i++) {
			size_t n = strlen(files.text[i]);

			add(f, files.text[i][n - 1] == '/'
				       ? files.text[i]
				       : rn_arena_printf(f->arena, "%s:", files.text[i]));
		}
		return NULL;
	}
	return rn_function_names_offer(sh->functions, class_name,
				       rn_arena_strndup(f->arena, f->word, f->nword), add_function,
				       f);
}

static void add_wanted(struct found *f, struct rn_engine *e, unsigned wants)
{
	if (wants & RN_WANT_MODULE)
		add_modules(f);
	if (wants & RN_WANT_NODE)
		add_nodes(f, e);
	if (wants & RN_WANT_FILE)
		add_files(f);
	if (wants & RN_WANT_PROCESS)
		add_processes(f);
	if (wants & RN_WANT_USER)
		add_users(f);
	if (wants & RN_WANT_TAG)
		add_tags(f, e);
}

/* ---- commands ---- */

static void add_views(struct found *f, struct rn_shell *sh)
{
	for (const struct rn_view *const *v =
		     rn_views_list(sh->session->engine->views, f->arena, true);
	     *v; v++)
		add(f, (*v)->name);
}

static void add_results(struct found *f, struct rn_shell *sh)
{
	for (const struct rn_let *const *k = rn_lets_list(sh->session->engine->lets, f->arena); *k;
	     k++)
		add(f, (*k)->name);
}

/* The word is `user:libc:mal`, which \\l and \\d take: its rest is completed. */
static void add_functions_of(struct found *f, struct rn_shell *sh, const char *class_name,
			     const char *arg)
{
	struct found rest = {.arena = f->arena, .word = arg, .nword = strlen(arg), .quoted = true};

	if (f->nword < rest.nword || strcmp(f->word + f->nword - rest.nword, arg) != 0)
		return;
	(void)add_functions(&rest, sh, class_name);
	for (unsigned i = 0; i < rest.n; i++)
		add(f, rn_arena_printf(f->arena, "%.*s%s", (int)(f->nword - rest.nword), f->word,
				       rest.text[i]));
}

static void add_names(struct found *f, struct rn_shell *sh, bool all)
{
	const struct rn_catalog *catalog = sh->session->engine->catalog;
	const char *class_name, *arg;

	if (rn_functions_named(catalog, f->arena, f->word, &class_name, &arg)) {
		add_functions_of(f, sh, class_name, arg);
		return;
	}
	if (memchr(f->word, ':', f->nword)) {
		for (const char *const *n =
			     catalog->args ? catalog->args(catalog->self, "tracepoint") : NULL;
		     n && *n; n++)
			add(f, *n);
		return;
	}
	for (const char *const *n = catalog->names(catalog->self); n && *n; n++) {
		const struct rn_class *cls = catalog->find(catalog->self, *n, NULL, NULL, 0);

		add(f, *n);
		for (unsigned i = 0; all && f->nword && cls && i < cls->nfields; i++)
			if (!strncmp(cls->fields[i]->name, f->word, f->nword) && f->n < MOST / 2)
				add(f, cls->fields[i]->name);
	}
	for (const struct rn_agg_sig *const *g = catalog->aggs; all && *g; g++)
		add(f, (*g)->name);
	for (unsigned i = 0; all && rn_func_at(i); i++)
		add(f, rn_func_at(i)->name);
	if (all) {
		add_views(f, sh);
		add_modules(f);
	}
	add_results(f, sh);
}

/* text: what follows `\`, up to the cursor. The word to complete begins at text + *start. */
static void complete_command(struct found *f, struct rn_shell *sh, const char *text, size_t *start)
{
	size_t name = strcspn(text, " \t");
	const struct rn_shell_command *c = rn_shell_commands;

	if (!text[name]) {
		f->word = text;
		f->nword = name;
		*start = 0;
		for (; c->name; c++)
			add(f, c->name);
		return;
	}
	while (c->name && (strlen(c->name) != name || strncmp(c->name, text, name)))
		c++;
	*start = name + strspn(text + name, " \t");
	f->word = text + *start;
	f->nword = strlen(f->word);
	f->quoted = true; /* no quotes are wanted */
	switch (c->name ? c->kind : RN_SHARG_NONE) {
	case RN_SHARG_NONE: break;
	case RN_SHARG_NAME: add_names(f, sh, true); break;
	case RN_SHARG_CLASS: add_names(f, sh, false); break;
	case RN_SHARG_VIEW:
		add_views(f, sh);
		add_modules(f);
		add_results(f, sh);
		break;
	case RN_SHARG_TOPIC:
		for (const struct rn_help_topic *t = rn_help_topics; t->name; t++)
			add(f, t->name);
		break;
	case RN_SHARG_FORMAT:
		for (const char *const *k = rn_format_list(); *k; k++)
			add(f, *k);
		break;
	case RN_SHARG_FILE: add_files(f); break;
	case RN_SHARG_PARAM:
		for (unsigned i = 0; i < sh->nparams; i++)
			add(f,
			    rn_arena_strndup(f->arena, sh->params[i], strcspn(sh->params[i], "=")));
		break;
	case RN_SHARG_SWITCH:
		add(f, "on");
		add(f, "off");
		break;
	}
}

/* ---- what is shown ---- */

/* The part of a candidate that tells it from others: for a path, its last component. */
static const char *shown(const char *text, bool files)
{
	size_t n = strlen(text);
	const char *p = text;

	for (size_t i = 0; files && i + 1 < n; i++)
		p = text[i] == '/' ? text + i + 1 : p;
	return p;
}

/* Format in columns, down before across, no more than the window holds. */
static char *columns(const struct found *f, bool files, const char *note, unsigned width,
		     unsigned height)
{
	unsigned widest = 0, rows, across;
	char *out;
	size_t size;
	FILE *to = open_memstream(&out, &size);
	unsigned most, fit;

	if (!to)
		abort();
	for (unsigned i = 0; i < f->n; i++) {
		const char *s = shown(f->text[i], files);
		unsigned w = rn_utf8_width(s, strlen(s));

		widest = w > widest ? w : widest;
	}
	across = f->n ? (width - 1) / (widest + 2) : 1;
	across = across ? across : 1;
	rows = (f->n + across - 1) / across;
	most = height > 6 ? height - 4 : 2;
	fit = rows > most ? most : rows;
	for (unsigned r = 0; r < fit; r++) {
		for (unsigned col = 0; col < across && col * rows + r < f->n; col++) {
			const char *s = shown(f->text[col * rows + r], files);
			bool last = (col + 1) * rows + r >= f->n || col + 1 == across;

			fprintf(to, "%s%*s", s,
				last ? 0 : (int)(widest + 2 - rn_utf8_width(s, strlen(s))), "");
		}
		putc('\n', to);
	}
	if (fit < rows)
		fprintf(to, "(%u names; type more of the word)\n", f->n);
	if (note)
		fprintf(to, "(%s)\n", note);
	(void)fclose(to);
	return out;
}

static size_t common(const struct found *f)
{
	size_t n = f->n ? strlen(f->text[0]) : 0;

	for (unsigned i = 1; i < f->n; i++) {
		size_t same = 0;

		while (same < n && f->text[0][same] == f->text[i][same])
			same++;
		n = same;
	}
	while (n && f->n > 1 && ((unsigned char)f->text[0][n] & 0xc0) == 0x80)
		n--; /* do not split a character */
	return n;
}

/* What to insert behind a whole word. */
static const char *behind(const struct found *f, const struct rn_completion *c, const char *next)
{
	const char *text = f->text[0];
	size_t n = strlen(text);

	if (n && (text[n - 1] == '/' || text[n - 1] == ':'))
		return "";
	if (c->quote)
		return *next == c->quote ? "" : c->quote == '"' ? "\" " : "' ";
	for (unsigned i = 0; i < c->n; i++) {
		if (!strcmp(c->candidates[i].text, text) &&
		    (c->candidates[i].kind == RN_CAND_AGGREGATE ||
		     c->candidates[i].kind == RN_CAND_FUNCTION))
			return !strcmp(text, "count") || !strcmp(text, "rate") ? ""
			       : *next == '('                                  ? ""
									       : "(";
		if (!strcmp(c->candidates[i].text, text) &&
		    c->candidates[i].kind != RN_CAND_KEYWORD)
			return "";
	}
	return *next == ' ' ? "" : " ";
}

static void give(struct found *f, const struct rn_completion *c, const char *next, unsigned width,
		 unsigned height, char **insert, char **show)
{
	bool files = c->wants & RN_WANT_FILE ||
		     (c->wants & RN_WANT_FUNCTION && !memchr(f->word, ':', f->nword));
	size_t n;
	bool anything;

	sort(f);
	n = common(f);
	anything = !f->nword && c->note; /* other things than words can stand there */
	if (f->n == 1 && !anything) {
		*insert = rn_asprintf("%s%s", f->text[0] + f->nword, behind(f, c, next));
	} else if (n > f->nword && !anything) {
		*insert = rn_strndup(f->text[0] + f->nword, n - f->nword);
	} else if (f->n || c->note) {
		*show = columns(f, files, c->note, width, height);
	}
}

/* Where the query of `\\explain QUERY` begins; 0: it is another command, or has no query yet. */
static size_t explained(const char *text, size_t command, size_t at)
{
	static const char word[] = "\\explain";
	size_t n = command + sizeof(word) - 1;

	if (command >= at || strncmp(text + command, word, sizeof(word) - 1) || !text[n] ||
	    !strchr(" \t", text[n]))
		return 0;
	n += strspn(text + n, " \t");
	return n <= at ? n : 0;
}

void rn_shell_complete(void *self, const char *line, size_t cursor, unsigned width, unsigned height,
		       char **insert, char **show)
{
	struct rn_shell *sh = self;
	struct rn_engine *engine = sh->session->engine;
	struct found f = {.arena = rn_arena_create(64 << 20)};
	const char *text = rn_arena_printf(f.arena, "%s%s", sh->len ? sh->text : "", line);
	size_t at = sh->len + cursor, start;
	struct rn_typed typed = rn_parse_typed(text, at);
	struct rn_completion c = {0};
	struct rn_trace_catalogs *traces = rn_trace_catalogs_create();
	size_t query = explained(text, typed.command, at);

	if (query) {
		text += query;
		at -= query;
		typed.command = at;
	}
	if (typed.command < at) {
		const char *command =
			rn_arena_strndup(f.arena, text + typed.command + 1, at - typed.command - 1);

		complete_command(&f, sh, command, &start);
		c.wants = strpbrk(command, " \t") ? RN_WANT_FILE : 0;
	} else if (!sh->len && !line[strspn(line, " \t")]) {
		c.note = "a query: WHAT of SOURCE, as count of syscall by proc for 5s; \\h helps";
	}
	if (typed.command >= at) {
		struct rn_names names = {.catalog = engine->catalog,
					 .views = rn_views_names(engine->views),
					 .lets = rn_lets_names(engine->lets),
					 .params = sh->opt.params,
					 .formats = rn_format_list(),
					 .trace = rn_trace_catalog,
					 .trace_self = traces};
		const char *note = c.note;

		c = rn_complete_at(f.arena, text, strlen(text), at, &names);
		c.note = c.note ? c.note : note;
		f.word = text + c.start;
		f.nword = at - c.start;
		f.quoted = c.quote != 0;
		for (unsigned i = 0; i < c.n; i++)
			add(&f, c.candidates[i].text);
		add_wanted(&f, engine, c.wants);
		if (c.wants & RN_WANT_FUNCTION) {
			note = add_functions(&f, sh, c.functions_of);
			c.note = note ? rn_arena_strdup(f.arena, note) : c.note;
		}
	}
	give(&f, &c, text + at, width, height, insert, show);
	rn_arena_destroy(f.arena);
	rn_trace_catalogs_free(traces);
}
