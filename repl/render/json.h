/* json.h - values as JSON, as the program's -o json and the library write them.
 *
 * Numbers are for programs: durations in ns, sizes in bytes, times in ns since the epoch, all
 * integers. An errno is its name ("ENOENT", "" for none), an address "10.0.0.1:80", a device "8:1";
 * LIST is JSON already and is embedded. */
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

/* A writer of objects and arrays: it sets commas and keys. Zero except for `to` at the beginning.
 */
struct rn_json {
	FILE *to;
	bool more; /* the open object or array has an element */
};
/* Each writes an element: with its key in an object, key NULL in an array and at the top. */
void rn_json_open(struct rn_json *json, const char *key, char bracket); /* '{' or '[' */
void rn_json_close(struct rn_json *json, char bracket);
void rn_json_key(struct rn_json *json, const char *key); /* the value follows by other means */
void rn_json_int(struct rn_json *json, const char *key, int64_t i);
void rn_json_bool(struct rn_json *json, const char *key, bool b);
void rn_json_text(struct rn_json *json, const char *key, const char *s); /* NULL: nothing */
#endif
