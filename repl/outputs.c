/* outputs.c - see outputs.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "repl/outputs.h"

struct rn_output_file { char *path; FILE *f; struct rn_output_file *next; };

bool rn_output_is(FILE *f, const char *path)
{
	struct stat x, y;
	return !fstat(fileno(f), &x) && !stat(path, &y) && S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool rn_outputs_same(const char *a, const char *b)
{
	struct stat x, y;
	int fd = open(a, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666); /* a name that is no file yet has nothing to be told by */
	if (fd >= 0)
		close(fd);
	return !strcmp(a, b) || (!stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

FILE *rn_outputs_open(struct rn_outputs *o, const char *path, struct rn_err *err)
{
	for (struct rn_output_file *x = o->first; x; x = x->next) {
		if (rn_output_is(x->f, path))
			return x->f;
	}
	FILE *f = fopen(path, "we");
	if (!f) {
		rn_err_set(err, -errno, "cannot write %s: %s", path, strerror(errno));
		return NULL;
	}
	struct rn_output_file *x = calloc(1, sizeof *x);
	if (!x || !(x->path = strdup(path)))
		abort();
	x->f = f;
	x->next = o->first;
	o->first = x;
	return f;
}

int rn_outputs_close(struct rn_outputs *o, struct rn_err *err)
{
	int code = 0;
	while (o->first) {
		struct rn_output_file *x = o->first;
		o->first = x->next;
		errno = 0;
		if ((ferror(x->f) | fclose(x->f)) && !code)
			code = rn_err_set(err, errno ? -errno : -EIO, "the rows could not be written in full to %s", x->path);
		free(x->path);
		free(x);
	}
	return code;
}
