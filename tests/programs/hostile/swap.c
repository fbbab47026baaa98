/* swap.c - puts one thing in another's place, again and again, until it is killed: what an attacker
 * does between a look and an opening.
 *   swap exchange A B      the two names change places, by renameat2
 *   swap relink PATH TO    PATH is removed, whatever it is, and becomes a symbolic link to TO, or a
 *                          hard link if TO begins with '=' */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#define EXCHANGE 2
int renameat2(int olddir, const char *old, int newdir, const char *new, unsigned flags);

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	puts("swaps");
	fflush(stdout);
	for (;;) {
		if (!strcmp(argv[1], "exchange")) {
			renameat2(AT_FDCWD, argv[2], AT_FDCWD, argv[3], EXCHANGE);
			continue;
		}
		unlink(argv[2]);
		if (argv[3][0] == '=')
			link(argv[3] + 1, argv[2]);
		else
			symlink(argv[3], argv[2]);
	}
}
