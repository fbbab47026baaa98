/* nats_server.c - see nats_server.h. A port is free when it was bound a moment ago; a server that
 * does not get it is tried with another. */
#include "tests/support/nats_server.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *binary(void)
{
	static const char *const places[] = {"/usr/sbin/nats-server", "/usr/bin/nats-server",
					     "/usr/local/bin/nats-server", NULL};
	int i = 0;

	while (places[i] && access(places[i], X_OK))
		i++;
	return places[i];
}

bool nats_server_present(void)
{
	return binary() != NULL;
}

int nats_free_port(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (bind(fd, (struct sockaddr *)&a, n) || getsockname(fd, (struct sockaddr *)&a, &n))
		abort();
	close(fd);
	return ntohs(a.sin_port);
}

static bool listens(int port)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
				.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				.sin_port = htons((uint16_t)port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool r = !connect(fd, (struct sockaddr *)&a, sizeof(a));

	close(fd);
	return r;
}

static bool run(struct nats_server *s)
{
	char conf[80];

	snprintf(conf, sizeof(conf), "%s/conf", s->dir);
	s->pid = fork();
	if (s->pid == 0) {
		char log[80];
		int fd;

		snprintf(log, sizeof(log), "%s/log", s->dir);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
		dup2(fd, 1);
		dup2(fd, 2);
		execl(binary(), "nats-server", "-c", conf, NULL);
		_exit(127);
	}
	for (int i = 0; i < 6000; i++) {
		if (waitpid(s->pid, NULL, WNOHANG) == s->pid)
			return false;
		if (listens(s->port) && (!s->cluster || listens(s->cluster)))
			return waitpid(s->pid, NULL, WNOHANG) == 0;
		poll(NULL, 0, 10);
	}
	return false;
}

void nats_server_start(struct nats_server *s, const char *conf, int route)
{
	bool cluster = s->cluster || route;

	strcpy(s->dir, "/tmp/runnel-nats-XXXXXX");
	if (!mkdtemp(s->dir))
		abort();
	for (int i = 0; i < 20; i++) {
		char path[80];
		FILE *f;

		s->port = nats_free_port();
		s->cluster = cluster ? nats_free_port() : 0;
		snprintf(s->url, sizeof(s->url), "nats://127.0.0.1:%d", s->port);
		snprintf(path, sizeof(path), "%s/conf", s->dir);
		f = fopen(path, "w");
		fprintf(f, "listen: 127.0.0.1:%d\n%s\n", s->port, conf);
		if (cluster) {
			fprintf(f,
				"cluster { name: runnel, listen: 127.0.0.1:%d, no_advertise: true",
				s->cluster);
			if (route)
				fprintf(f, ", routes: [ \"nats://127.0.0.1:%d\" ]", route);
			fprintf(f, " }\n");
		}
		fclose(f);
		if (run(s))
			return;
	}
	fprintf(stderr, "nats-server does not start: see %s/log\n", s->dir);
	abort();
}

void nats_server_kill(struct nats_server *s)
{
	if (s->pid > 0) {
		kill(s->pid, SIGKILL);
		waitpid(s->pid, NULL, 0);
	}
	s->pid = 0;
}

void nats_server_again(struct nats_server *s)
{
	for (int i = 0; i < 50; i++)
		if (run(s))
			return;
	fprintf(stderr, "nats-server does not start again: see %s/log\n", s->dir);
	abort();
}

void nats_server_end(struct nats_server *s)
{
	char path[80];

	nats_server_kill(s);
	snprintf(path, sizeof(path), "%s/conf", s->dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/log", s->dir);
	unlink(path);
	rmdir(s->dir);
}
