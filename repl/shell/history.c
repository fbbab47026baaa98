/* history.c - the file of entries, and libedit's list of them. Most errors of the file are silent:
 * a working prompt is worth more than its history. */
#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "lang/base/memory.h"
#include "lang/files/outfile.h"
#include "repl/shell/history.h"
#include "repl/terminal/terminal.h"

struct rn_history {
	History *list;
	char *path; /* NULL: nothing is kept */
	char *last;
};

static void enter(struct rn_history *h, const char *text)
{
	HistEvent ev;

	history(h->list, &ev, H_ENTER, text);
	free(h->last);
	h->last = rn_strdup(text);
}

/* ---- the file ---- */

static char *path_of(void)
{
	const char *own = getenv("RUNNEL_HISTORY"), *state = getenv("XDG_STATE_HOME"),
		   *home = getenv("HOME");
	char path[PATH_MAX];

	if (own)
		return *own ? rn_strdup(own) : NULL;
	if (state && *state == '/')
		snprintf(path, sizeof(path), "%s/runnel/history", state);
	else if (home && *home)
		snprintf(path, sizeof(path), "%s/.local/state/runnel/history", home);
	else
		return NULL;
	return rn_strdup(path);
}

/* Open the file, locked; the caller frees place. A shell that cuts the file puts another one in its
 * place: then open that one. */
static int open_locked(const char *path, int flags, struct rn_out_place *place, struct rn_err *err)
{
	for (int tries = 0; tries < 100; tries++) {
		struct stat mine, there;
		int fd = rn_out_find(place, path, 0700, err);
		bool regular =
			!fd && (!rn_out_stat(place, place->name, &there) || S_ISREG(there.st_mode));

		if (regular)
			fd = rn_out_open_at(place, flags, 0600, err);
		if (!regular || fd < 0)
			return -1;
		if (!fstat(fd, &mine) && !flock(fd, LOCK_EX) &&
		    rn_out_stat(place, place->name, &there) && mine.st_ino == there.st_ino &&
		    mine.st_dev == there.st_dev)
			return fd;
		close(fd);
		rn_out_free(place);
	}
	return -1;
}

static void append(const struct rn_history *history, const char *text)
{
	struct rn_out_place place = {.dir = -1};
	int fd = history->path
			 ? open_locked(history->path, O_WRONLY | O_APPEND | O_CREAT, &place, NULL)
			 : -1;
	FILE *f;

	rn_out_free(&place);
	f = fd >= 0 ? fdopen(fd, "a") : NULL;
	if (!f) {
		if (fd >= 0)
			close(fd);
		return;
	}
	for (const char *p = text; *p; p++) {
		if (*p == '\n' || *p == '\\')
			putc('\\', f);
		putc(*p == '\n' ? 'n' : *p, f);
	}
	putc('\n', f);
	(void)fclose(f); /* one write, unless the entry is long; this ends the lock */
}

static void unescape(char *line)
{
	char *to = line;

	for (const char *p = line; *p; p++) {
		if (*p == '\\' && (p[1] == 'n' || p[1] == '\\'))
			*to++ = *++p == 'n' ? '\n' : '\\';
		else
			*to++ = *p;
	}
	*to = 0;
}

/* Read the newest entries, as the file has them; *n: the number of all. */
static char **read_newest(FILE *f, size_t *n)
{
	char **ring = rn_calloc(RN_HISTORY_KEEP, sizeof(*ring)), *line = NULL;
	size_t cap = 0;
	ssize_t len;

	for (*n = 0; (len = getline(&line, &cap, f)) > 0;) {
		if (line[len - 1] == '\n')
			line[--len] = 0;
		if (!len || len > 2L * RN_HISTORY_ENTRY || strlen(line) != (size_t)len)
			continue;
		free(ring[*n % RN_HISTORY_KEEP]);
		ring[(*n)++ % RN_HISTORY_KEEP] = rn_strdup(line);
	}
	free(line);
	return ring;
}

/* Replace the file by its newest entries. */
static void cut(const struct rn_out_place *place, char *const *ring, size_t n)
{
	char *tmp = rn_asprintf("%s.%d", place->name, (int)getpid());
	int fd = rn_out_make(place, tmp, 0600);
	FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;

	for (size_t i = n - RN_HISTORY_KEEP; f && i < n; i++)
		fprintf(f, "%s\n", ring[i % RN_HISTORY_KEEP]);
	if (fd >= 0 && (!f || fclose(f) || renameat(place->dir, tmp, place->dir, place->name)))
		unlinkat(place->dir, tmp, 0);
	free(tmp);
}

/* Load the entries. Tell of a file that others placed, since only they can remove it. */
static void load(struct rn_history *history)
{
	size_t n = 0;
	struct rn_out_place place = {.dir = -1};
	struct rn_err err = {0};
	int fd = history->path ? open_locked(history->path, O_RDONLY, &place, &err) : -1;
	FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
	char **ring;

	if (!f) {
		if (fd >= 0)
			close(fd);
		if (err.code == -EEXIST) {
			rn_say("what is entered is not kept: %s; %s, or name another in "
			       "RUNNEL_HISTORY\n",
			       err.text, err.hint);
			free(history->path);
			history->path = NULL;
		}
		rn_out_free(&place);
		return;
	}
	ring = read_newest(f, &n);
	if (ring && n > RN_HISTORY_KEEP * 3 / 2)
		cut(&place, ring, n);
	for (size_t i = n > RN_HISTORY_KEEP ? n - RN_HISTORY_KEEP : 0; ring && i < n; i++) {
		unescape(ring[i % RN_HISTORY_KEEP]);
		enter(history, ring[i % RN_HISTORY_KEEP]);
	}
	for (size_t i = 0; ring && i < RN_HISTORY_KEEP; i++)
		free(ring[i]);
	free(ring);
	(void)fclose(f);
	rn_out_free(&place);
}

/* ---- the list ---- */

struct rn_history *rn_history_create(void)
{
	struct rn_history *h = rn_calloc(1, sizeof(*h));
	HistEvent ev;

	h->list = history_init();
	if (!h->list)
		abort();
	history(h->list, &ev, H_SETSIZE, RN_HISTORY_KEEP);
	h->path = path_of();
	load(h);
	return h;
}

void rn_history_destroy(struct rn_history *history)
{
	if (!history)
		return;
	history_end(history->list);
	free(history->path);
	free(history->last);
	free(history);
}

void rn_history_add(struct rn_history *history, const char *text)
{
	if (!*text || *text == ' ' || *text == '\t' || strlen(text) > RN_HISTORY_ENTRY ||
	    (history->last && !strcmp(history->last, text)))
		return;
	enter(history, text);
	append(history, text);
}

void *rn_history_list(struct rn_history *history)
{
	return history->list;
}
