/* pairs.c - makes calls that are the ends of known numbers of pairs: getpgid(KEY, NUMBER, 1) is a
 * first event, getsid(KEY, 0, 1) a second. Keys are 1000000 to 1000099.
 *
 * 100 first events, one of each key; 50 again (numbers from 1000 on); 100 of each end which do not
 * say 1; 80 second ones; 10 more, whose keys have no first one any more. Then 10 times a first
 * event of the key 1 and a sleep of a millisecond. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { BASE = 1000000 };

int main(void)
{
	struct timespec t = {.tv_nsec = 1000000};

	for (int i = 0; i < 100; i++)
		syscall(SYS_getpgid, BASE + i, i, 1);
	for (int i = 0; i < 50; i++)
		syscall(SYS_getpgid, BASE + i, 1000 + i, 1);
	for (int i = 0; i < 100; i++)
		syscall(SYS_getpgid, BASE + i, 7777, 0), syscall(SYS_getsid, BASE + i, 0, 0);
	for (int i = 0; i < 80; i++)
		syscall(SYS_getsid, BASE + i, 0, 1);
	for (int i = 0; i < 10; i++)
		syscall(SYS_getsid, BASE + i, 0, 1);
	for (int i = 0; i < 10; i++) {
		syscall(SYS_getpgid, 1, i, 2);
		nanosleep(&t, NULL);
	}
	return 0;
}
