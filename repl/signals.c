/* signals.c - the only state of the program that a signal handler shares with it: one flag.
 *
 * A first SIGINT or SIGTERM asks the running query to end and print what it has; a second one leaves at once. Nothing stays
 * attached either way, because probes are held by file descriptors alone. */
#include <signal.h>
#include <stddef.h>
#include <unistd.h>
#include "repl/signals.h"

static volatile int stop_requested;

static void on_signal(int sig)
{
	(void)sig;
	if (stop_requested)
		_exit(130);
	stop_requested = 1;
}

void rn_signals_install(void)
{
	struct sigaction sa = {.sa_handler = on_signal}; /* without SA_RESTART: a waiting poll must wake up */
	sigemptyset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
}

void rn_signals_default(void)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
}

const volatile int *rn_signals_stop(void)
{
	return &stop_requested;
}
