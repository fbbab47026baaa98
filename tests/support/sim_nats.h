/* sim_nats.h - thousands of members of NATS over one connection: the member's side of
 * exec/nats/nats.h's sessions, for simulated nodes. */
#ifndef RN_TESTS_SUPPORT_SIM_NATS_H
#define RN_TESTS_SUPPORT_SIM_NATS_H
#include "exec/link/link.h"

struct sim_nats;
/* Nodes n0, n1, ... answer at the server of url. wake: an eventfd, written when somebody has dialed
 * or sent. NULL: err. */
struct sim_nats *sim_nats_open(const char *url, unsigned nodes, int wake, struct rn_err *err);
void sim_nats_close(struct sim_nats *s); /* transports must have been closed before */
/* The next node that was dialed or got something; dialed: its session, to be taken. False: none. */
bool sim_nats_next(struct sim_nats *s, unsigned *node, struct rn_transport **dialed);
#endif
