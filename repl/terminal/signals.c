/* signals.c - the only state that signal handlers share with the program: a flag, and at the prompt
 * a few more.
 *
 * A first SIGINT or SIGTERM asks the running query to end and print what it has; a second one
 * leaves at once. With a fleet the second gives up the nodes that do not end, and the third leaves.
 * Nothing stays attached either way, because probes are held by file descriptors alone. */
#include <stddef.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include "repl/terminal/signals.h"

static volatile int stop_requested; /* how often */
static volatile sig_atomic_t patience;
static volatile sig_atomic_t leave_requested, interactive, redraws, resumes, interrupts;
static volatile long first_s; /* when the first interrupt came */
enum { INSISTENT = 5 };       /* interrupts, and seconds */

static void on_signal(int sig)
{
	(void)sig;
	if (stop_requested > patience)
		_exit(130);
	stop_requested = stop_requested + 1;
}

static long now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t); /* safe in a signal handler */
	return t.tv_sec;
}

static const struct termios *volatile modes;

static void leave_now(void)
{
	if (modes)
		tcsetattr(STDIN_FILENO, TCSANOW, modes);
	_exit(130);
}

void rn_signals_modes(const struct termios *saved)
{
	modes = saved;
}

static void on_shell_signal(int sig)
{
	switch (sig) {
	case SIGWINCH: redraws = redraws + 1; return;
	case SIGINT:
		if (!interrupts)
			first_s = now_s();
		interrupts = interrupts + 1;
		break;
	default:
		if (leave_requested && sig == SIGTERM)
			leave_now();
		leave_requested = 1;
	}
	/* the query does not end, and the user insists */
	if (interrupts > INSISTENT && now_s() - first_s >= INSISTENT)
		leave_now();
	stop_requested = stop_requested + 1;
}

static void on_nothing(int sig)
{
	(void)sig;
}

static void on_resume(int sig)
{
	(void)sig;
	resumes = resumes + 1;
	redraws = redraws + 1;
}

static const int shell_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGWINCH}, resumed[] = {SIGCONT};
enum { NSHELL = sizeof(shell_signals) / sizeof(*shell_signals) };

static bool keeps_writes; /* see rn_signals_keep_writes */

static void install(const int *sigs, size_t n, void (*handler)(int))
{
	struct sigaction sa = {.sa_handler = handler};

	sigemptyset(&sa.sa_mask);
	/* signals that end something interrupt every waiting call; others wake only poll() */
	for (size_t i = 0; i < n; i++) {
		sa.sa_flags =
			sigs[i] == SIGWINCH || sigs[i] == SIGCONT || keeps_writes ? SA_RESTART : 0;
		sigaction(sigs[i], &sa, NULL);
	}
}

void rn_signals_install(void)
{
	install(shell_signals, 2, on_signal);
	install(resumed, 1, on_resume);
}

void rn_signals_fleet(void)
{
	patience = 1;
}

void rn_signals_shell(void)
{
	static const int noted[] = {SIGPIPE, SIGQUIT};

	interactive = 1;
	install(shell_signals, NSHELL, on_shell_signal);
	/* the user may leave a pager early. Not ignored: started programs would inherit that */
	install(noted, 2, on_nothing);
}

void rn_signals_keep_writes(bool keep)
{
	keeps_writes = keep;
	if (interactive)
		install(shell_signals, NSHELL, on_shell_signal);
	else
		install(shell_signals, 2, on_signal);
}

void rn_signals_begin(void)
{
	interrupts = 0;
	stop_requested = leave_requested != 0;
}

bool rn_signals_leave(void)
{
	return leave_requested;
}

unsigned rn_signals_resumes(void)
{
	return (unsigned)resumes;
}

unsigned rn_signals_redraws(void)
{
	return (unsigned)redraws;
}

void rn_signals_mask(sigset_t *set)
{
	sigemptyset(set);
	for (size_t i = 0; i < NSHELL; i++)
		sigaddset(set, shell_signals[i]);
	sigaddset(set, SIGCONT);
}

void rn_signals_default(void)
{
	static const int always[] = {SIGINT, SIGTERM, SIGCONT, SIGPIPE},
			 prompt[] = {SIGHUP, SIGWINCH, SIGQUIT};

	for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++)
		(void)signal(always[i], SIG_DFL);
	for (size_t i = 0; interactive && i < sizeof(prompt) / sizeof(*prompt); i++)
		(void)signal(prompt[i], SIG_DFL);
}

const volatile int *rn_signals_stop(void)
{
	return &stop_requested;
}
