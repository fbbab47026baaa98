/* sharers.c CHILDREN MILLISECONDS TEXT - one anonymous shared mapping of a MiB, and children that
 * begin and end one after the other, a pause between them. Each writes the text at the mapping's
 * beginning, over that of the one before. The parent ends last. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char *m;

	if (argc != 4)
		return 2;
	m = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (m == MAP_FAILED)
		return 1;
	for (int i = 0; i < atoi(argv[1]); i++) {
		pid_t child = fork();

		if (!child) {
			strcpy(m, argv[3]);
			_exit(0);
		}
		waitpid(child, NULL, 0);
		usleep((useconds_t)atoi(argv[2]) * 1000);
	}
	return 0;
}
