/* nats_server.h - real nats-servers for tests, on free ports of 127.0.0.1; they die with the
 * test. */
#ifndef RN_TESTS_SUPPORT_NATS_SERVER_H
#define RN_TESTS_SUPPORT_NATS_SERVER_H
#include <stdbool.h>
#include <sys/types.h>

struct nats_server {
	pid_t pid;
	int port, cluster;
	char dir[64], url[64];
};
bool nats_server_present(void); /* the binary is there */
/* conf: its configuration, without where it listens; routes: cluster port of another server, or 0
 * (then it has a cluster port of its own if `cluster` is set in *s before). Aborts the test if it
 * does not listen in a minute. */
void nats_server_start(struct nats_server *s, const char *conf, int route);
void nats_server_kill(struct nats_server *s); /* kill -9 */
/* on the same ports, with the same configuration */
void nats_server_again(struct nats_server *s);
void nats_server_end(struct nats_server *s); /* and removes its files */
int nats_free_port(void);
#endif
