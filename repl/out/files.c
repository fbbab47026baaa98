/* files.c - see files.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "exec/trace/file.h"
#include "lang/base/memory.h"
#include "lang/files/outfile.h"
#include "repl/views/catalog_db.h"
#include "repl/out/files.h"

struct rn_output_file {
	char *path;
	FILE *f;
	struct rn_output_file *next;
};

bool rn_output_is(FILE *f, const char *path)
{
	struct stat x, y;

	return !fstat(fileno(f), &x) && !stat(path, &y) && S_ISREG(x.st_mode) &&
	       x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* SQLite's application id of the file (sqlite.org/fileformat.html); 0: it is no database, or has no
 * id. */
static uint32_t application(const char *path)
{
	enum { MAGIC = 16, AT = 68, HEADER = 72 };
	unsigned char h[HEADER];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : read(fd, h, sizeof(h));

	if (fd >= 0)
		close(fd);
	if (n < HEADER || memcmp(h, "SQLite format 3", MAGIC))
		return 0;
	return (uint32_t)h[AT] << 24 | (uint32_t)h[AT + 1] << 16 | (uint32_t)h[AT + 2] << 8 |
	       h[AT + 3];
}

FILE *rn_output_create(const char *path, struct rn_err *err)
{
	struct stat st;
	uint32_t app = !stat(path, &st) && S_ISREG(st.st_mode) ? application(path) : 0;
	const char *what = app == RN_TRACE_APPLICATION_ID ? "a recording"
			   : app == RN_CATDB_APP          ? "a catalogue of views"
							  : NULL;

	if (!what)
		return rn_out_create(path, err);
	rn_err_set(err, -EEXIST, "%s is %s: rows are not written over it", path, what);
	rn_err_hint(err, "write to another file, or remove this one first");
	return NULL;
}

FILE *rn_outputs_open(struct rn_outputs *outputs, const char *path, struct rn_err *err)
{
	struct rn_output_file *x;
	FILE *f;

	for (x = outputs->first; x; x = x->next) {
		if (rn_output_is(x->f, path))
			return x->f;
	}
	f = rn_output_create(path, err);
	if (!f)
		return NULL;
	x = rn_calloc(1, sizeof(*x));
	x->path = rn_strdup(path);
	x->f = f;
	x->next = outputs->first;
	outputs->first = x;
	return f;
}

int rn_outputs_close(struct rn_outputs *outputs, struct rn_err *err)
{
	int code = 0;

	while (outputs->first) {
		struct rn_output_file *x = outputs->first;

		outputs->first = x->next;
		errno = 0;
		if ((ferror(x->f) | fclose(x->f)) && !code)
			code = rn_err_set(err, errno ? -errno : -EIO,
					  "the rows could not be written in full to %s", x->path);
		free(x->path);
		free(x);
	}
	return code;
}
