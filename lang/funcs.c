/* funcs.c - the scalar functions of the language: one table. Evaluated by exec/eval*.c, and those marked `kernel` also by
 * generated code, where their second argument is a constant. What an argument must be beyond its type (a constant, the
 * unit of the other one) is checked in resolve_expr.c. */
#include <string.h>
#include "lang/parse.h"

#define ANY   {RN_T_ERROR, 0}
#define STR   {RN_T_STR, 0}
#define INT   {RN_T_INT, 0}
#define IP    {RN_T_IP, 0}
#define BOOL  {RN_T_BOOL, 0}

const struct rn_func rn_funcs[] = {
	{"abs", 1, 1, {ANY}, ANY, false, "abs(x): x without its sign"},
	{"basename", 1, 1, {STR}, STR, false, "basename(path): what follows the last `/`"},
	{"bucket", 2, 2, {ANY, ANY}, ANY, true, "bucket(x, step): the multiple of step at or below x"},
	{"cidr", 2, 2, {IP, STR}, BOOL, true, "cidr(ip, \"10.0.0.0/8\"): is the address in the network"},
	{"dirname", 1, 1, {STR}, STR, false, "dirname(path): what precedes the last `/`"},
	{"ext", 1, 1, {STR}, STR, false, "ext(path): the name's extension without its dot, or \"\""},
	{"ip4", 1, 1, {STR}, IP, false, "ip4(s): the address and port written in a string"},
	{"len", 1, 1, {STR}, INT, false, "len(s): length in bytes"},
	{"lower", 1, 1, {STR}, STR, false, "lower(s): ASCII letters in lower case"},
	{"nodes", 0, 0, {ANY}, INT, false, "nodes(): how many nodes the query runs on"},
	{"port", 1, 1, {IP}, INT, false, "port(ip): the port of an address"},
	{"substr", 2, 3, {STR, INT, INT}, STR, false, "substr(s, start[, n]): n bytes from start, the first being 0"},
	{"upper", 1, 1, {STR}, STR, false, "upper(s): ASCII letters in upper case"},
	{NULL},
};

const struct rn_func *rn_func_find(const char *name)
{
	for (const struct rn_func *f = rn_funcs; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}
