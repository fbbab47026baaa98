/* closed.c TEXT - a receiver that reads only after both ends of its connection have closed: by then
 * the kernel has given its port back. Sends TEXT to itself over loopback. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	int s = socket(AF_INET, SOCK_STREAM, 0), c, got;
	char buf[256];

	if (argc != 2 || bind(s, (struct sockaddr *)&at, len) ||
	    getsockname(s, (struct sockaddr *)&at, &len) || listen(s, 1))
		return 1;
	if (!fork()) {
		c = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(c, (struct sockaddr *)&at, len) || usleep(50000) ||
		    write(c, argv[1], strlen(argv[1])) < 0)
			return 1;
		return 0;
	}
	c = accept(s, NULL, NULL);
	shutdown(c, SHUT_WR);
	wait(NULL);
	usleep(200000);
	got = (int)read(c, buf, sizeof(buf));
	return got != (int)strlen(argv[1]);
}
