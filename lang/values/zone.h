/* zone.h - local time on a machine that may be in another zone. The coordinator writes down what
 * its own zone does, as a text, and a node applies that text to its events. */
#ifndef RN_LANG_VALUES_ZONE_H
#define RN_LANG_VALUES_ZONE_H
#include <stddef.h>
#include <stdint.h>
#include "lang/base/arena.h"

/* The offsets of this process's zone from 1970 to a year from now, as "3600@0 7200@1774746000 ...":
 * seconds east of UTC from a moment on, in seconds since the epoch. In the arena. Takes about a
 * millisecond. Not thread-safe if another thread changes TZ. */
const char *rn_zone_text(struct rn_arena *arena);
/* Seconds east of UTC at a time (ns since the epoch), by such a text of n bytes. 0 if the text is
 * none: it may come from the network. */
int64_t rn_zone_offset_s(const char *text, size_t n, int64_t time_ns);
#endif
