/* main_shell_fuzz.c - random keys against the prompt: `shell_fuzz RUNNEL SEQUENCES SEED`, RUNNEL
 * being a build with sanitizers.
 *
 * A sequence is some keys (words of the language, whole statements, Tab, arrows, control keys,
 * broken UTF-8, long pastes), signals and sizes of the window, and then two Ctrl-C: edit, complete,
 * cancel. After each the prompt is asked for a sign that is never given twice, so that one which
 * hangs is found. Many sequences go to one process, which must then leave with status 0 and nothing
 * said by a sanitizer, leaks included. It may not trace: the bounding set lacks the capabilities,
 * so that live queries fail at once. The same seed gives the same keys; a failure names the seed of
 * the process. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 250, PATIENCE_MS = 60000, KEPT = 1 << 16 };

static const char *const words[] = {
	"count",
	"sum(bytes)",
	"p99(latency)",
	"hist(latency)",
	"events",
	"flow",
	"top 3",
	" of ",
	"io",
	"read",
	"syscall",
	"proc",
	"tag fix283",
	"tracepoint \"",
	"(",
	")",
	" where ",
	"proc = ",
	"java",
	"latency > 10ms",
	" and ",
	" or ",
	"not ",
	" in (",
	"file ~ \"/etc/*\"",
	"error = ENO",
	" by ",
	"proc, file",
	" having ",
	" order by ",
	"desc",
	" limit 3",
	" every 1s",
	" for 1ms",
	" on ",
	"local",
	" from \"",
	"io.rnt\"",
	" into \"out.rnt\"",
	"\"",
	"'",
	",",
	";",
	" ",
	"$x",
	"view v",
	"(n = 3)",
	" := ",
	"use io;",
	"drop view v;",
	"explain ",
	"tags ",
	"add fix283",
	"--",
	"--| about",
	"\\",
	"\\x",
	"\\d ",
	"\\l sys*",
	"\\v",
	"\\h wh",
	"\\p",
	"\\g",
	"\\r",
	"\\f json",
	"\\f table",
	"\\timing",
	"\\pset pager on",
	"\\n",
	"\\?",
	"\\explain",
	"\\e",
	"\\watch 0.1",
	"\\o",
	"\\gx",
	"\\pset",
	"\\d+ a",
	"let a := ",
	"exit now",
	".tables",
	"select * ",
	"\xc3\xa4\xe2\x82\xac",
	"\xf0\x9f\x90\x8e",
	"\t",
	"x\"00ff",
	"0x12",
	"99999999999999999999",
	"slow_reads(",
	"stddev(",
	"between ",
	"as moved ",
};
static const char *const statements[] = {
	"count of io by proc from \"io.rnt\";\n",
	"events of io from \"io.rnt\" limit 30;\n",
	"hist(latency) of io from \"io.rnt\";\n",
	"count of raed;\n",
	"view v(n = 3) := count of io by proc limit $n;\n",
	"events of v(2) from \"io.rnt\";\n",
	"drop view v;\n",
	"flow of tag fix283 from \"flow.rnt\";\n",
	"pid, proc of processes limit 3;\n",
	"count of read\nwhere proc = java\nby file;\n",
	"count of syscall for 1ms;\n",
	"use io;\n",
	"\\x\n",
	"\\d read\n",
	"\\h flow\n",
	"let a := count of io by proc from \"io.rnt\";\n",
	"count of a where count > 3;\n",
	"\\d a\n",
	"\\gx\n",
	"p99(latncy), sum(byts) of io;\n\030",
	"count of io where x = \"ja\n",
	"count of io from \"io.rnt\"; count of io\nby proc from \"io.rnt\";\n",
	"count of io by proc = \"\xe6\xbc\xa2\xe5\xad\x97\" from \"io.rnt\";\n",
	"\\v\n",
	"explain count of read by proc;\n",
	"tags add fix283; tags list;\n",
	"count of io by proc, name, file every 1ms from \"io.rnt\";\n",
	"\\i none.rnl\n",
};
static const char *const keys[] = {
	"\033[A", "\033[B",   "\033[C",   "\033[D",    "\033[A",    "\033[A", "\033OA",
	"\033[H", "\033[F",   "\033[3~",  "\033[1;5C", "\033[1;5D", "\033b",  "\033f",
	"\033d",  "\033\177", "\001",     "\005",      "\013",      "\025",   "\027",
	"\031",   "\024",     "\014",     "\022",      "\023",      "\020",   "\016",
	"\026",   "\007",     "\010",     "\177",      "\032",      "\033",   "\033<",
	"\033>",  "\0334",    "\030\030", "\030",      "\033u",     "\033y",  "\017",
};
#define COUNT(a) (sizeof(a) / sizeof *(a))

struct shell {
	int fd;
	pid_t pid;
	char out[KEPT + 1]; /* the end of what it has printed */
	size_t n;
	bool ended, dumb;
	unsigned seed;
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static unsigned pick(struct shell *s, unsigned n)
{
	return (unsigned)rand_r(&s->seed) % n;
}

/* Takes what it prints, for at most so long; false: nothing came. */
static bool drain(struct shell *s, int ms)
{
	struct pollfd p = {.fd = s->fd, .events = POLLIN};
	char buf[16384];
	ssize_t n;

	if (s->ended || poll(&p, 1, ms) <= 0)
		return false;
	n = read(s->fd, buf, sizeof(buf));
	if (n <= 0) {
		s->ended = n == 0 || errno != EAGAIN;
		return false;
	}
	if (s->n + (size_t)n > KEPT) {
		size_t keep = KEPT / 2 < s->n ? KEPT / 2 : s->n;

		memmove(s->out, s->out + s->n - keep, keep);
		s->n = keep;
	}
	memcpy(s->out + s->n, buf, (size_t)n);
	s->n += (size_t)n;
	s->out[s->n] = 0;
	return true;
}

static void type(struct shell *s, const char *text, size_t n)
{
	int64_t until = now_ms() + PATIENCE_MS;

	while (n && !s->ended && now_ms() < until) {
		ssize_t done = write(s->fd, text, n);

		if (done < 0 && errno != EAGAIN && errno != EINTR) {
			s->ended = true;
			return;
		}
		if (done <= 0) {
			drain(s, 5);
			continue;
		}
		text += done;
		n -= (size_t)done;
	}
}

static void say(struct shell *s, const char *text)
{
	type(s, text, strlen(text));
}

static void paste(struct shell *s)
{
	size_t n = pick(s, 8) ? 200 + pick(s, 2000) : 20000;
	char *text = malloc(n);
	bool said;

	if (!text)
		abort();
	for (size_t i = 0; i < n; i++)
		text[i] = " abcdefghij\"(),;=\t\n"[pick(s, 18) ? pick(s, 17) : 18];
	said = pick(s, 2);
	say(s, said ? "\033[200~" : "");
	type(s, text, n);
	say(s, said && pick(s, 8) ? "\033[201~" : "");
	free(text);
}

static void event(struct shell *s)
{
	unsigned what = pick(s, 1000);

	if (what < 480) {
		say(s, words[pick(s, COUNT(words))]);
	} else if (what < 560) {
		say(s, statements[pick(s, COUNT(statements))]);
	} else if (what < 780) {
		say(s, keys[pick(s, COUNT(keys))]);
	} else if (what < 880) {
		while (pick(s, 2) && drain(s, 2)) /* where much waits behind it a Tab is a tab */
			;
		say(s, "\t");
		drain(s, 10);
	} else if (what < 930) {
		say(s, "\n");
	} else if (what < 970) {
		char c[4] = {(char)(1 + pick(s, 255)), (char)(128 + pick(s, 128)),
			     (char)pick(s, 256), 0};

		if (!strpbrk(c, "\\!\004\003\034"))
			type(s, c, 1 + pick(s, 3));
	} else if (what < 973) {
		paste(s);
	} else if (what < 990) {
		struct winsize w = {.ws_col = (unsigned short)(2 + pick(s, pick(s, 2) ? 30 : 150)),
				    .ws_row = (unsigned short)(1 + pick(s, 40))};

		ioctl(s->fd, TIOCSWINSZ, &w);
	} else if (what < 998) {
		kill(s->pid, pick(s, 2) ? SIGINT : SIGCONT);
	} else {
		say(s, "\004");
	}
}

/* Two Ctrl-C, then a sign: does it still answer? */
static bool answers(struct shell *s, unsigned number)
{
	char line[64], want[64];
	int64_t until = now_ms() + PATIENCE_MS;

	snprintf(line, sizeof(line), "\\z%u\r", number);
	snprintf(want, sizeof(want), "\\z%u;", number);
	/* a Ctrl-C throws away what was typed behind it and not read yet: what comes of it is
	 * waited for, and if need be all is said again */
	while (!s->ended && now_ms() < until) {
		int64_t again;

		say(s, "\021\003\003"); /* Ctrl-Q: a Ctrl-S may have stopped the output */
		again = now_ms() + 3000;
		while (drain(s, s->dumb ? 100 : 10))
			;
		say(s, line);
		while (!s->ended && now_ms() < again) {
			if (strstr(s->out, want))
				return true;
			drain(s, 20);
		}
	}
	return false;
}

static void become(const char *program, const char *dir, unsigned number)
{
	static const int lost[] = {CAP_SYS_ADMIN, CAP_BPF, CAP_PERFMON};

	for (size_t i = 0; i < COUNT(lost); i++)
		prctl(PR_CAPBSET_DROP, lost[i], 0, 0, 0);
	if (chdir(dir))
		_exit(126);
	setenv("HOME", dir, 1);
	setenv("RUNNEL_CATALOG", "catalog.db", 1);
	setenv("RUNNEL_HISTORY", "history", 1);
	setenv("TERM", number % 10 == 9 ? "dumb" : "xterm", 1);
	setenv("PAGER", number % 4 == 3 ? "head -n 5" : "", 1);
	setenv("EDITOR", "true", 1);
	setenv("VISUAL", "", 1);
	setenv("ASAN_OPTIONS",
	       "exitcode=77:detect_leaks=1:abort_on_error=0:allocator_may_return_null=1", 1);
	setenv("UBSAN_OPTIONS", "exitcode=77:print_stacktrace=1", 1);
	execl(program, "runnel", (char *)NULL);
	_exit(127);
}

static void start(struct shell *s, const char *program, const char *dir, unsigned seed)
{
	struct winsize w = {.ws_col = 80, .ws_row = 24};

	*s = (struct shell){.seed = seed, .dumb = seed % 10 == 9};
	s->pid = forkpty(&s->fd, NULL, NULL, &w);
	if (!s->pid)
		become(program, dir, seed);
	if (s->pid < 0) {
		perror("forkpty");
		exit(2);
	}
	fcntl(s->fd, F_SETFL, O_NONBLOCK);
	for (int64_t until = now_ms() + PATIENCE_MS;
	     !s->ended && now_ms() < until && !strstr(s->out, "runnel> ");)
		drain(s, 100);
}

/* Makes it leave; true: as it should. */
static bool finish(struct shell *s)
{
	int64_t until = now_ms() + PATIENCE_MS;
	int status = 0;
	bool gone = false;

	say(s, "\021\003\003\\q\r");
	while (!(gone = waitpid(s->pid, &status, WNOHANG) == s->pid) && now_ms() < until)
		if (!drain(s, 20) && s->ended)
			poll(NULL, 0, 10);
	while (drain(s, 50))
		;
	if (!gone) {
		kill(s->pid, SIGKILL);
		waitpid(s->pid, &status, 0);
	}
	close(s->fd);
	if (!gone || status)
		printf("it %s %d\n",
		       !gone               ? "hangs"
		       : WIFEXITED(status) ? "left with status"
					   : "was ended by signal",
		       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	return gone && !status && !strstr(s->out, "Sanitizer") && !strstr(s->out, "runtime error");
}

int main(int argc, char **argv)
{
	static struct shell s;
	unsigned left, seed, done, processes;
	int64_t begin;

	if (argc != 5) {
		fprintf(stderr, "usage: shell_fuzz RUNNEL DIRECTORY SEQUENCES SEED\n");
		return 2;
	}
	left = (unsigned)atoi(argv[3]);
	seed = (unsigned)atoi(argv[4]);
	done = 0;
	processes = 0;
	begin = now_ms();
	while (left) {
		unsigned mine = seed + processes++, n = 0;
		bool fine;

		start(&s, argv[1], argv[2], mine);
		fine = true;
		while (fine && !s.ended && n < BATCH && n < left) {
			int64_t asked;

			for (unsigned i = 1 + pick(&s, 12); i && !s.ended; i--) {
				event(&s);
				while (drain(&s, 0))
					;
			}
			asked = now_ms();
			fine = answers(&s, n++) || s.ended;
			if (getenv("VERBOSE") && now_ms() - asked > 1000)
				fprintf(stderr,
					"seed %u: sequence %u took %.1f s to answer: %.300s\n",
					mine, n, (double)(now_ms() - asked) / 1e3,
					s.out + (s.n > 300 ? s.n - 300 : 0));
		}
		fine = finish(&s) && fine;
		if (!fine) {
			printf("not ok shell_fuzz: process with seed %u, sequence %u\n%s\n", mine,
			       n, s.out);
			return 1;
		}
		if (getenv("VERBOSE"))
			fprintf(stderr, "seed %u: %u sequences, %.1f s\n", mine, n,
				(double)(now_ms() - begin) / 1e3);
		done += n;
		left -= n < left ? n : left;
	}
	printf("ok %u sequences in %u processes, seeds %u to %u, %.1f s\n", done, processes, seed,
	       seed + processes - 1, (double)(now_ms() - begin) / 1e3);
	return 0;
}
