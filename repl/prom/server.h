/* server.h - one text over HTTP at /metrics. A thread of its own answers; who reads slowly or
 * not at all keeps nobody waiting, least of all the query: a new text is put in place of the old
 * one, and whoever is reading that one has a copy. */
#ifndef RN_REPL_PROM_SERVER_H
#define RN_REPL_PROM_SERVER_H
#include <stddef.h>
#include "lang/base/err.h"

struct rn_prom_server;
/* address: "PORT" or ":PORT" (of 127.0.0.1), "HOST:PORT", "[IPV6]:PORT"; port 0: any that is free.
 * Listens, and answers from now on. -EINVAL: that is no address. */
int rn_prom_server_create(const char *address, struct rn_prom_server **out, struct rn_err *err);
/* "127.0.0.1:9410": where it listens. */
const char *rn_prom_server_where(const struct rn_prom_server *s);
/* What is served from now on; takes text, which malloc gave. */
void rn_prom_server_put(struct rn_prom_server *s, char *text, size_t len);
void rn_prom_server_destroy(struct rn_prom_server *s); /* NULL is allowed */
#endif
