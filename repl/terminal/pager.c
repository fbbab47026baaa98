/* pager.c - see pager.h. The pager is $PAGER, else `less -FRX` if less is installed and the
 * terminal can move its cursor. An empty $PAGER or `cat` means no pager. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "repl/terminal/pager.h"
#include "lang/base/memory.h"
#include "repl/terminal/signals.h"
#include "lang/base/vec.h"

struct rn_pager {
	bool on, left; /* left: the reader has gone */
	struct rn_terminal term;
	FILE *stream; /* the caller writes to it */
	char *held;
	size_t n, cap;
	unsigned rows, column; /* that the held text takes on the screen */
	bool escape;           /* inside a colour sequence */
	pid_t pid;
	int to; /* our end of its pipe; -1: not started */
};

static bool in_path(const char *name)
{
	const char *path = getenv("PATH");
	char file[4096];

	for (const char *p = path; p && *p; p += *p == ':') {
		size_t n = strcspn(p, ":");

		if (snprintf(file, sizeof(file), "%.*s/%s", (int)n, p, name) < (int)sizeof(file) &&
		    !access(file, X_OK))
			return true;
		p += n;
	}
	return false;
}

static const char *command(void)
{
	const char *own = getenv("PAGER"), *term = getenv("TERM");
	bool moves;

	if (own)
		return *own && strcmp(own, "cat") ? own : NULL;
	/* on a dumb one less complains and waits for a key */
	moves = term && *term && strcmp(term, "dumb");
	return moves && in_path("less") ? "less -FRX" : NULL;
}

struct rn_pager *rn_pager_create(void)
{
	struct rn_pager *p = rn_calloc(1, sizeof(*p));

	p->on = command() != NULL;
	p->to = -1;
	return p;
}

void rn_pager_destroy(struct rn_pager *pager)
{
	free(pager);
}

void rn_pager_switch(struct rn_pager *pager, bool on)
{
	pager->on = on;
}

bool rn_pager_is_on(const struct rn_pager *pager)
{
	return pager->on && command() && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

static bool start(struct rn_pager *pager)
{
	int ends[2];

	if (pipe(ends))
		return false;
	fflush(stdout); /* but not our own stream, which is being flushed */
	fflush(stderr);
	pager->pid = fork();
	if (!pager->pid) {
		rn_signals_default();
		dup2(ends[0], STDIN_FILENO);
		close(ends[0]);
		close(ends[1]);
		execl("/bin/sh", "sh", "-c", command(), (char *)NULL);
		_exit(127);
	}
	close(ends[0]);
	if (pager->pid < 0) {
		close(ends[1]);
		return false;
	}
	pager->to = ends[1];
	return true;
}

static bool write_all(int fd, const char *s, size_t n)
{
	while (n) {
		ssize_t done = write(fd, s, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		s += done;
		n -= (size_t)done;
	}
	return true;
}

/* Count the rows of the screen that the text takes so far. */
static void measure(struct rn_pager *p, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (p->escape) {
			p->escape = !((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
		} else if (c == 033) {
			p->escape = true;
		} else if (c == '\n') {
			p->rows++;
			p->column = 0;
		} else if ((c & 0xc0) != 0x80 && ++p->column > p->term.width && p->term.width) {
			p->rows++;
			p->column = 1;
		}
	}
}

static ssize_t on_write(void *self, const char *s, size_t n)
{
	struct rn_pager *p = self;

	if (p->to < 0) {
		measure(p, s, n);
		rn_vec_room_for(p->held, p->n, p->cap, n);
		memcpy(p->held + p->n, s, n);
		p->n += n;
		/* the prompt and the ledger stay on the screen too */
		if (p->rows + 2 < p->term.height || !p->term.height)
			return (ssize_t)n;
		if (!start(p)) {
			p->on = false;
			p->to = dup(STDOUT_FILENO);
		}
		s = p->held;
		p->left |= !write_all(p->to, s, p->n);
		p->n = 0;
		return p->left ? 0 : (ssize_t)n;
	}
	p->left |= !write_all(p->to, s, n);
	return p->left ? 0 : (ssize_t)n; /* 0 reports an error to the stream */
}

FILE *rn_pager_begin(struct rn_pager *pager, struct rn_terminal *term)
{
	if (!rn_pager_is_on(pager) || pager->stream)
		return NULL;
	rn_terminal_query(&pager->term, stdout);
	pager->n = 0;
	pager->rows = pager->column = 0;
	pager->escape = pager->left = false;
	*term = pager->term;
	term->inplace = false;
	pager->stream = fopencookie(pager, "w", (cookie_io_functions_t){.write = on_write});
	return pager->stream;
}

bool rn_pager_end(struct rn_pager *pager)
{
	if (!pager->stream)
		return false;
	(void)fclose(pager->stream);
	pager->stream = NULL;
	if (pager->to >= 0) {
		close(pager->to);
		pager->to = -1;
		while (pager->pid > 0 && waitpid(pager->pid, NULL, 0) < 0 && errno == EINTR)
			;
		pager->pid = 0;
	} else {
		fflush(stdout);
		write_all(STDOUT_FILENO, pager->held ? pager->held : "", pager->n);
	}
	free(pager->held);
	pager->held = NULL;
	pager->n = pager->cap = 0;
	return pager->left;
}
