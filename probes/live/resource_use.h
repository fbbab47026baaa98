/* resource_use.h - inside probes/: what a running query takes of the machine. */
#ifndef RN_PROBES_LIVE_RESOURCE_USE_H
#define RN_PROBES_LIVE_RESOURCE_USE_H
#include "probes/live/live_impl.h"

void rn_live_cost(const struct rn_live *live, struct rn_cost *cost); /* adds to c */
#endif
