/* external_editor.c - runs programs for the prompt: the editor, and commands of the shell.
 * Meanwhile they own the terminal and its keys. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lang/base/memory.h"
#include "lang/files/outfile.h"
#include "repl/shell/shell_impl.h"
#include "repl/terminal/signals.h"
#include "lang/base/limits.h"

int rn_shell_system(const char *command, const char *arg)
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	fflush(stderr);
	pid = fork();
	if (!pid) {
		rn_signals_default();
		execl("/bin/sh", "sh", "-c", command, "sh", arg, (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	rn_signals_begin(); /* a Ctrl-C was for that program */
	return status;
}

static char *read_whole(const char *path, off_t most)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	char *text;
	ssize_t got, n;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    st.st_size > most) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	text = rn_calloc(1, (size_t)st.st_size + 1);
	n = 0;
	while (n < st.st_size && (got = read(fd, text + n, (size_t)(st.st_size - n))) > 0)
		n += got;
	close(fd);
	if (memchr(text, 0, (size_t)n)) {
		free(text);
		text = NULL;
	}
	return text;
}

char *rn_shell_edit(const char *text)
{
	const char *visual = getenv("VISUAL"), *editor = getenv("EDITOR"), *dir = getenv("TMPDIR");
	char path[4096], command[4096], *changed = NULL;
	const char *own = visual && *visual ? visual : editor && *editor ? editor : "vi";
	struct rn_err err;
	int fd, status;

	snprintf(path, sizeof(path), "%s/runnel.XXXXXX.rnl", dir && *dir == '/' ? dir : "/tmp");
	err = (struct rn_err){0};
	fd = rn_out_temporary(path, 4, &err);
	if (fd >= 0 && write(fd, text, strlen(text)) != (ssize_t)strlen(text)) {
		rn_err_set(&err, -errno, "cannot write %s: %s", path, strerror(errno));
		close(fd);
		unlink(path);
	}
	if (err.code) {
		rn_say("%s%s%s\n", err.text, err.hint[0] ? "; " : "", err.hint);
		return NULL;
	}
	close(fd);
	snprintf(command, sizeof(command), "%s \"$1\"", own);
	status = rn_shell_system(command, path);
	if (status)
		rn_say("the editor `%s` failed; $VISUAL or $EDITOR names another one\n", own);
	else
		changed = read_whole(path, RN_MAX_TEXT);
	if (!status && !changed && access(path, F_OK))
		fputs("the editor left no file\n", stderr);
	else if (!status && !changed)
		rn_say("what the editor left is no text of at most %d KiB; it is kept in %s\n",
		       RN_MAX_TEXT >> 10, path);
	else
		unlink(path);
	if (changed && (!strcmp(changed, text) || !changed[strspn(changed, " \t\r\n")])) {
		free(changed);
		changed = NULL;
		fputs("(left as it was)\n", stderr);
	}
	return changed;
}
