/* greeting.c - the first screen: what may be traced here, and three queries that fit this machine.
 * Nothing in it may take long: the prompt must come at once. */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "probes/probes.h"
#include "repl/shell/shell_impl.h"
#include "lang/base/clock.h"

enum { LOOK_NS = 10 * 1000 * 1000 }; /* at most, to find a busy process */

static bool read_file(const char *path, char *buf, size_t n)
{
	FILE *f = fopen(path, "re");
	size_t got = f ? fread(buf, 1, n - 1, f) : 0;

	buf[got] = 0;
	if (f)
		(void)fclose(f);
	return got > 0;
}

static long long number_of(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoll(at + strlen(key), NULL, 10) : 0;
}

/* Is it a name that needs no quotes and is meaningful? */
static bool is_word(const char *s)
{
	if (!isalpha((unsigned char)*s) || strlen(s) > 15)
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && *s != '_')
			return false;
	return true;
}

/* Find the process that has read and written most, other than ourselves. Most for its age would be
 * better, but one look at /proc tells only totals. */
static bool busiest(char name[32])
{
	DIR *dir = opendir("/proc");
	long long most = 0;
	int64_t until = rn_mono_ns() + LOOK_NS;

	for (struct dirent *e; dir && rn_mono_ns() < until && (e = readdir(dir));) {
		char path[300], io[512], comm[32];
		int pid = (int)strtol(e->d_name, NULL, 10);
		long long moved;

		if (pid <= 0 || pid == getpid())
			continue;
		snprintf(path, sizeof(path), "/proc/%d/io", pid);
		if (!read_file(path, io, sizeof(io)))
			continue;
		moved = number_of(io, "rchar: ") + number_of(io, "wchar: ");
		snprintf(path, sizeof(path), "/proc/%d/comm", pid);
		if (moved <= most || !read_file(path, comm, sizeof(comm)))
			continue;
		comm[strcspn(comm, "\n")] = 0;
		if (!is_word(comm) || !strcmp(comm, "runnel"))
			continue;
		most = moved;
		snprintf(name, 32, "%s", comm);
	}
	if (dir)
		closedir(dir);
	return most > 0;
}

static void greet(const struct rn_session *session, FILE *to)
{
	struct rn_err why = {0};
	char name[32] = "";

	fprintf(to, "runnel %s. \\h helps, \\? lists commands, \\q leaves.\n", RN_VERSION);
	if (session->engine->hosts) {
		fprintf(to, "Queries go to the %u node%s of %s: \\n lists them.\n",
			session->engine->hosts->n, session->engine->hosts->n == 1 ? "" : "s",
			session->engine->hosts->path);
	} else if (rn_probes_permitted(&why)) {
		fprintf(to, "Live events cannot be traced here: %s\n", why.text);
		if (why.hint[0])
			fprintf(to, "  %s\n", why.hint);
		fputs("Recordings and the table `processes` can be asked:\n"
		      "    pid, proc, rss of processes order by rss desc limit 5;\n"
		      "    count of io by proc from \"FILE.rnt\";\n",
		      to);
		return;
	} else {
		fputs("Here you may trace calls, files, sockets and tracepoints.\n", to);
	}
	fputs("    count of syscall by proc for 5s;\n", to);
	if (!session->engine->hosts && busiest(name))
		fprintf(to, "    count, sum(bytes) of io where proc = %s by file for 5s;\n", name);
	else
		fputs("    count, sum(bytes), p99(latency) of io by proc, file for 5s;\n", to);
	fputs("    pid, proc, rss of processes order by rss desc limit 5;\n", to);
}

void rn_shell_first(const struct rn_shell *sh)
{
	char *text = NULL;
	size_t n;
	FILE *to = sh->session->opt->quiet ? NULL : open_memstream(&text, &n);

	if (!to)
		return;
	greet(sh->session, to);
	(void)fclose(to);
	rn_text_wrap(stderr, text, sh->session->err_term.width, 2);
	free(text);
}
