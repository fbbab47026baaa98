/* confined.c - an agent's confinement, and then what an attacker who had taken it over would try:
 * to end another process through the kernel.
 *
 *     confined PID     says what each attempt gave; PID is to live on */
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "exec/node/confine.h"

static void tell(const char *what, int r)
{
	printf("%s: %s\n", what, r < 0 ? strerror(errno) : "done");
}

int main(int argc, char **argv)
{
	struct rn_err err = {0};
	int victim = argc == 2 ? atoi(argv[1]) : 0, p[2], on = 1;

	if (victim <= 0 || pipe(p))
		return 2;
	if (rn_confine(&err)) {
		printf("not confined: %s\n", err.text);
		return 1;
	}
	tell("kill", kill(victim, SIGKILL));
	tell("F_SETOWN", fcntl(p[0], F_SETOWN, victim));
	tell("F_SETSIG", fcntl(p[0], F_SETSIG, SIGKILL));
	tell("O_ASYNC", fcntl(p[0], F_SETFL, O_ASYNC | O_NONBLOCK));
	tell("FIOSETOWN", ioctl(p[0], FIOSETOWN, &victim));
	tell("FIOASYNC", ioctl(p[0], FIOASYNC, &on));
	if (write(p[1], "x", 1) != 1)
		return 2;
	return 0;
}
