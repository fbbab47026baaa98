/* file.c - statements from a file or from stdin. A `#!` line becomes a comment: `--` overwrites its
 * first two bytes, so that messages keep the file's lines and columns. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "lang/base/limits.h"
#include "lang/base/memory.h"
#include "repl/cli/run.h"
#include "repl/cli/session.h"

/* Read all of f, NUL-terminated. One byte more than the limit is enough for the parser to say that
 * it is too long. */
static char *read_all(FILE *f, size_t *len) /* ferror(f) tells if it is not all */
{
	size_t cap = 4096, n = 0, got;
	char *buf = rn_malloc(cap + 1);

	while (n <= RN_MAX_TEXT && (got = fread(buf + n, 1, cap - n, f)) > 0) {
		n += got;
		if (n == cap) {
			cap *= 2;
			buf = rn_realloc(buf, cap + 1);
		}
	}
	buf[n] = 0;
	*len = n;
	return buf;
}

static char *read_text(const char *name, FILE *f, size_t *len)
{
	char *text = read_all(f, len);

	if (ferror(f)) {
		rn_say("runnel: cannot read %s: %s\n", name, strerror(errno));
		free(text);
		return NULL;
	}
	/* the byte order mark that some editors put before UTF-8 */
	if (*len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		memset(text, ' ', 3);
	if (*len > 2 && text[0] == '#' && text[1] == '!')
		text[0] = text[1] = '-';
	return text;
}

char *rn_script_load(const char *path, size_t *len)
{
	FILE *f = path ? fopen(path, "re") : stdin;
	char *text;

	if (!f) {
		rn_say("runnel: cannot read %s: %s\n", path, strerror(errno));
		return NULL;
	}
	text = read_text(path ? path : "stdin", f, len);
	if (path)
		(void)fclose(f);
	return text;
}

bool rn_script_is(const char *word)
{
	struct stat st;
	size_t n = strlen(word);

	return (n > 4 && !strcmp(word + n - 4, ".rnl")) ||
	       (stat(word, &st) == 0 && S_ISREG(st.st_mode));
}

bool rn_script_database(const char *text, size_t len)
{
	static const char begins[] = "SQLite format 3"; /* with its NUL */

	return len >= sizeof(begins) && !memcmp(text, begins, sizeof(begins));
}

int rn_run_file(struct rn_session *session, const char *path)
{
	size_t len;
	char *text;
	int status;

	text = rn_script_load(path, &len);
	if (path && text && rn_script_database(text, len)) {
		const char *quote = path[strcspn(path, " \t\"$&;|<>()*?#~!\\`")] ? "'" : "";

		rn_say("runnel: %s is no text but a database, as recordings are; one is read with "
		       "`from`: runnel 'count of io from \"%s\"'; `runnel describe %s%s%s` tells "
		       "what is in it\n",
		       path, path, quote, path, quote);
		free(text);
		return RN_EXIT_USAGE;
	}
	status = text ? rn_run_text(session, path ? path : "stdin", text, len) : RN_EXIT_USAGE;
	free(text);
	return status;
}
