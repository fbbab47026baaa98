/* main_api_host.c - api_host LIBRUNNEL.SO TRACE RUNNEL: what a program is when it has used
 * librunnel, beside what it was before: signal handlers and masks, locale, umask, environment,
 * working directory, limits, descriptors, threads, children; and that nothing is printed. Around
 * queries of each kind, while they run and after runnel_close; then what a host may do meanwhile:
 * fork, ignore SIGCHLD, kill an agent, end a query from a signal handler, unload the library.
 *
 * Prints "ok NAME" and "not ok NAME: what" lines. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "repl/api/runnel.h"

#define FUNCTIONS(X) \
	X(runnel_open) \
	X(runnel_close) \
	X(runnel_query_new) \
	X(runnel_prepare) \
	X(runnel_start) \
	X(runnel_step) \
	X(runnel_cancel) \
	X(runnel_stop) \
	X(runnel_error_text) \
	X(runnel_bind_text)
#define DECLARE(f) static __typeof__(&f) p_##f;
FUNCTIONS(DECLARE)

static FILE *out; /* what was stdout */
static int failures, printed;
static unsigned own_tasks; /* in /proc/self/task, when nothing runs */
static const char *trace, *runnel, *hosts;
static struct runnel *session; /* for the handler */

static bool check(bool good, const char *name, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(out, "%s host %s%s", good ? "ok" : "not ok", name, good ? "" : ": ");
	if (!good)
		vfprintf(out, fmt, ap);
	fputc('\n', out);
	fflush(out);
	va_end(ap);
	failures += !good;
	return good;
}

/* ---- what a process is ---- */

static unsigned count_in(const char *dir)
{
	DIR *d = opendir(dir);
	unsigned n = 0;

	while (d && readdir(d))
		n++;
	closedir(d);
	return n;
}

/* As a text, so that two can be compared and told. */
static char *snapshot(void)
{
	char *s = NULL, cwd[4096];
	size_t n;
	FILE *f = open_memstream(&s, &n);
	sigset_t mask;
	mode_t was = umask(0);

	umask(was);
	fprintf(f, "umask %o; cwd %s; locale %s %p;", was, getcwd(cwd, sizeof(cwd)),
		setlocale(LC_ALL, NULL), (void *)uselocale((locale_t)0));
	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (int i = 1; i < NSIG; i++) {
		struct sigaction a;

		if (!sigaction(i, NULL, &a) && (a.sa_handler != SIG_DFL || sigismember(&mask, i)))
			fprintf(f, " signal %d %p%s;", i, (void *)a.sa_handler,
				sigismember(&mask, i) ? " blocked" : "");
	}
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		struct rlimit l;

		getrlimit(i, &l);
		fprintf(f, " limit %d %lld %lld;", i, (long long)l.rlim_cur, (long long)l.rlim_max);
	}
	for (char **e = environ; *e; e++)
		fprintf(f, " %s;", *e);
	fclose(f);
	return s;
}

static bool same_as(const char *name, char *before)
{
	char *now = snapshot();
	size_t i = 0;
	bool good;

	while (before[i] && before[i] == now[i])
		i++;
	good = check(!before[i] && !now[i], name, "\"%.60s\" is \"%.60s\" now",
		     before + (i > 20 ? i - 20 : 0), now + (i > 20 ? i - 20 : 0));
	free(now);
	return good;
}

/* Descriptors that a program which this one starts would get; those open at first are no
 * concern. */
static void inheritable(const char *name, const bool *before)
{
	char link[64], to[256] = "";
	int bad = -1;

	for (int fd = 0; fd < 1024 && bad < 0; fd++) {
		int flags = fcntl(fd, F_GETFD);

		if (flags >= 0 && !(flags & FD_CLOEXEC) && !before[fd])
			bad = fd;
	}
	snprintf(link, sizeof(link), "/proc/self/fd/%d", bad);
	if (bad >= 0 && readlink(link, to, sizeof(to) - 1) < 0)
		strcpy(to, "?");
	check(bad < 0, name, "descriptor %d (%s) would be inherited", bad, to);
}

/* ---- queries ---- */

static struct runnel *opened(const char *on)
{
	return p_runnel_open(&(struct runnel_options){
		.size = sizeof(struct runnel_options), .hosts = on, .program = runnel});
}

static struct runnel_query *asked(struct runnel *r, const char *text)
{
	struct runnel_query *q = p_runnel_query_new(r, text);

	if (strstr(text, "$from"))
		p_runnel_bind_text(q, "from", trace, -1);
	return p_runnel_prepare(q) == RUNNEL_OK ? q : NULL;
}

static int to_end(struct runnel_query *q)
{
	int status;

	while ((status = p_runnel_step(q, -1)) == RUNNEL_ROW)
		;
	return status;
}

/* Threads that were joined stand in /proc for a moment yet: waits until there are n of them, half a
 * minute at most. */
static unsigned settled_tasks(unsigned n)
{
	unsigned now = count_in("/proc/self/task");

	for (int i = 0; i < 3000 && now != n; i++) {
		usleep(10000);
		now = count_in("/proc/self/task");
	}
	return now;
}

/* Once as the first of its kind, which may leave what stays (a library's threads do not). */
static void around(const char *name, const char *on, const char *text)
{
	char what[96], *before = snapshot();
	bool fds[1024];
	unsigned tasks = settled_tasks(own_tasks), open_fds = count_in("/proc/self/fd"), left;
	struct runnel *r;
	struct runnel_query *q;
	int status;
	bool child;

	for (int fd = 0; fd < 1024; fd++)
		fds[fd] = fcntl(fd, F_GETFD) >= 0;
	r = opened(on);
	q = asked(r, text);

	snprintf(what, sizeof(what), "%s: prepared", name);
	if (!check(q != NULL, what, "it is not"))
		return;
	p_runnel_start(q, 20000);
	snprintf(what, sizeof(what), "%s: while it runs", name);
	same_as(what, before);
	snprintf(what, sizeof(what), "%s: descriptors", name);
	inheritable(what, fds);
	status = to_end(q);
	snprintf(what, sizeof(what), "%s: ends", name);
	check(status == RUNNEL_DONE, what, "%d %s", status, p_runnel_error_text(q));
	p_runnel_close(r);
	snprintf(what, sizeof(what), "%s: closed", name);
	same_as(what, before);
	snprintf(what, sizeof(what), "%s: nothing left", name);
	child = waitpid(-1, NULL, WNOHANG) >= 0;
	left = settled_tasks(tasks);
	check(left == tasks && count_in("/proc/self/fd") == open_fds && !child, what,
	      "threads %u -> %u, descriptors %u -> %u%s", tasks, left, open_fds,
	      count_in("/proc/self/fd"), child ? ", a child" : "");
	free(before);
}

/* ---- what hosts do meanwhile ---- */

static void on_alarm(int sig)
{
	(void)sig;
	p_runnel_cancel(session);
}

static void from_handler(const char *name, const char *on, const char *text)
{
	struct sigaction a = {.sa_handler = on_alarm}, was;
	struct itimerval often = {{0, 20000}, {0, 300000}}, never = {{0, 0}, {0, 0}};
	struct runnel_query *q;
	int status;

	session = opened(on);
	q = asked(session, text);
	sigaction(SIGALRM, &a, &was);
	setitimer(ITIMER_REAL, &often, NULL);
	status = q ? to_end(q) : -99;
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &was, NULL);
	check(status == RUNNEL_INTERRUPTED, name, "status %d", status);
	p_runnel_close(session);
}

/* The child has nothing to do with the session, and the parent's query goes on. */
static void forked(const char *name, const char *on, const char *text)
{
	struct runnel *r = opened(on);
	struct runnel_query *q = asked(r, text);
	int status = 0, left;
	pid_t pid;

	if (q)
		p_runnel_start(q, 20000);
	pid = fork();
	if (!pid) {
		execl("/bin/sh", "sh", "-c", "ls -l /proc/$$/fd | grep -qE 'bpf|runnel|socket'",
		      NULL);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	left = q ? to_end(q) : -99;
	check(left == RUNNEL_DONE && WIFEXITED(status) && WEXITSTATUS(status) == 1, name,
	      "status %d; the child has descriptors: %#x", left, status);
	p_runnel_close(r);
}

/* Its agents' processes, which it never sees die; and a write to one that is gone raises SIGPIPE in
 * no host. */
static void without_children(void)
{
	struct runnel *r;
	struct runnel_query *q;
	char command[128];
	int status;

	signal(SIGCHLD, SIG_IGN);
	r = opened(hosts);
	q = asked(r, "count of syscall for 200ms");
	status = q ? to_end(q) : -99;
	check(status == RUNNEL_DONE, "SIGCHLD ignored", "status %d", status);
	p_runnel_close(r);
	signal(SIGCHLD, SIG_DFL);
	r = opened(hosts);
	q = asked(r, "count of syscall every 100ms for 2s");
	if (q)
		p_runnel_start(q, 20000);
	snprintf(command, sizeof(command),
		 "for p in $(cat /proc/%d/task/*/children); do [ $p = $$ ] || kill -9 $p; done",
		 (int)getpid());
	status = system(command);
	status = q ? to_end(q) : -99;
	check(status == RUNNEL_DONE || status == RUNNEL_E_SYSTEM, "agents killed", "status %d",
	      status);
	p_runnel_close(r);
}

static bool load(void **h, const char *path)
{
	*h = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!*h)
		return check(false, "dlopen", "%s", dlerror());
#define FIND(f) p_##f = (__typeof__(&f))dlsym(*h, #f);
	FUNCTIONS(FIND)
	return true;
}

int main(int argc, char **argv)
{
	void *h;
	struct stat st;
	char text[200] = "";
	struct runnel *r;
	struct runnel_query *q;
	bool live;

	if (argc < 5)
		return 2;
	trace = argv[2];
	runnel = argv[3];
	hosts = argv[4];
	out = fdopen(fcntl(1, F_DUPFD_CLOEXEC, 3), "w");
	printed = memfd_create("printed", MFD_CLOEXEC);
	dup2(printed, 1);
	dup2(printed, 2);
	setlocale(LC_ALL, "");
	own_tasks = count_in("/proc/self/task");
	if (!load(&h, argv[1]))
		return 1;
	around("recording", NULL, "count, p99(latency) of syscall by proc from $from");
	r = opened(NULL);
	q = asked(r, "count of syscall for 10ms");
	live = q && to_end(q) == RUNNEL_DONE;
	p_runnel_close(r);
	if (live) {
		around("live", NULL, "count of syscall by proc for 300ms");
		around("rows", NULL, "proc, latency of read for 300ms limit 1000");
		around("nodes", hosts, "count of syscall by node for 300ms");
		from_handler("runnel_cancel in a handler", NULL, "count of syscall");
		from_handler("runnel_cancel in a handler, nodes", hosts,
			     "count of syscall by node");
		forked("fork", NULL, "count of syscall for 300ms");
		forked("fork, nodes", hosts, "count of syscall for 300ms");
		without_children();
	} else {
		fprintf(out, "skip host live: this user may not trace here\n");
	}
	dlclose(h);
	if (load(&h, argv[1]))
		around("loaded again", NULL, "count of syscall from $from");
	dlclose(h);
	fflush(stdout);
	fstat(printed, &st);
	if (st.st_size && pread(printed, text, sizeof(text) - 1, 0) < 0)
		strcpy(text, "?");
	check(!st.st_size, "prints nothing", "%s", text);
	return failures > 0;
}
