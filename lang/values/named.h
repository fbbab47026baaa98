/* named.h - numbers with names: flags of open, signals, states of TCP, ... Each set is a unit, so a
 * type says which names its numbers have. The numbers are those of this machine's headers for
 * programs (lang/values/named.sh), and the same on all machines of its architecture. */
#ifndef RN_LANG_VALUES_NAMED_H
#define RN_LANG_VALUES_NAMED_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lang/base/arena.h"
#include "lang/values/value.h"

/* The number of a name of that set; false: it has none. */
bool rn_named_parse(enum rn_unit unit, const char *name, size_t len, int64_t *out);
/* Returns "SIGKILL", "O_WRONLY|O_CREAT|0x80000000"; a number without a name is itself. In the arena
 * or static. unit: of a set. */
const char *rn_named_show(struct rn_arena *arena, enum rn_unit unit, int64_t number);
/* The same as a query writes it: O_CREAT, where the other says O_RDONLY|O_CREAT. */
const char *rn_named_constant(struct rn_arena *arena, enum rn_unit unit, int64_t number);
/* All names of the set, NULL-terminated, in the arena. */
const char *const *rn_named_all(struct rn_arena *arena, enum rn_unit unit);
/* "open flags": what describe says of the type. NULL: no set has that unit. */
const char *rn_named_set(enum rn_unit unit);
/* Are its names bits, so that a number may have several? */
bool rn_named_flags(enum rn_unit unit);
/* "O_CREAT": an example of a name, for hints. */
const char *rn_named_example(enum rn_unit unit);
/* The set that has a name, by what such names begin with ("TCP_", "AF_"); RN_U_NONE: none. */
enum rn_unit rn_named_of_prefix(const char *name);
#endif
