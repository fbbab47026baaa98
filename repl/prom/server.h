/* server.h - one text over HTTP at /metrics. A thread of its own answers. A client that reads
 * slowly or not at all delays nobody, least of all the query: a new text replaces the old one, and
 * clients that read the old one have a copy. */
#ifndef RN_REPL_PROM_SERVER_H
#define RN_REPL_PROM_SERVER_H
#include <stddef.h>
#include "lang/base/err.h"

struct rn_prom_server;
/* address: "PORT" or ":PORT" (of 127.0.0.1), "HOST:PORT", "[IPV6]:PORT"; port 0: any free one.
 * Starts to listen and answer. -EINVAL: it is no address. */
int rn_prom_server_create(const char *address, struct rn_prom_server **out, struct rn_err *err);
/* The address where it listens: "127.0.0.1:9410". */
const char *rn_prom_server_where(const struct rn_prom_server *server);
/* Serves text from now on; takes ownership of it (from malloc). */
void rn_prom_server_put(struct rn_prom_server *server, char *text, size_t len);
void rn_prom_server_destroy(struct rn_prom_server *server); /* NULL is allowed */
#endif
