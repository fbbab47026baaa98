/* json.h - values as JSON, as the program's -o json and the library write them.
 *
 * Numbers are for programs: durations in ns, sizes in bytes, times in ns since the epoch, all
 * integers. An errno is its name ("ENOENT", "" for none), an address "10.0.0.1:80", a device "8:1";
 * HIST and LIST are JSON already and are embedded. */
#ifndef RN_REPL_RENDER_JSON_H
#define RN_REPL_RENDER_JSON_H
#include <stdio.h>
#include "lang/base/arena.h"
#include "lang/values/value.h"

/* Writes a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void rn_json_string(FILE *to, const char *s, size_t n);
/* Writes one value of a type as a JSON value. */
void rn_json_value(FILE *to, struct rn_ty ty, const struct rn_value *value,
		   struct rn_arena *scratch);
#endif
