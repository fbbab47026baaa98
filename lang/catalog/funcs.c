/* funcs.c - the scalar functions of the language: one table. exec/eval/funcs.c evaluates them;
 * generated code also evaluates those marked `kernel`. Each argument has a kind
 * (lang/catalog/catalog.h), and resolution checks only the kind: it knows no function by name. */
#include <string.h>
#include "lang/catalog/funcs.h"

#define FIRST \
	{ \
		RN_T_ERROR, 0 \
	} /* the type of the first argument */
#define STR \
	{ \
		RN_T_STR, 0 \
	}
#define INT \
	{ \
		RN_T_INT, 0 \
	}
#define IP \
	{ \
		RN_T_IP, 0 \
	}
#define BOOL \
	{ \
		RN_T_BOOL, 0 \
	}
#define WHOLE \
	{ \
		RN_T_INT, RN_UNIT_OF_FIRST \
	}
#define FLOAT \
	{ \
		RN_T_FLOAT, 0 \
	}
#define TIME \
	{ \
		RN_T_INT, RN_U_EPOCH \
	}
#define A(k) RN_ARG_##k
#define EIGHT(k) A(k), A(k), A(k), A(k), A(k), A(k), A(k), A(k)

const char rn_func_now[] = "now";

const struct rn_func rn_funcs[] = {
	{"abs", 1, 1, {A(AMOUNT)}, FIRST, false, "abs(x): x without its sign"},
	{"basename", 1, 1, {A(TEXT)}, STR, false, "basename(path): what follows the last `/`"},
	{"bucket",
	 2,
	 2,
	 {A(WHOLE), A(STEP)},
	 FIRST,
	 true,
	 "bucket(x, step): the multiple of step at or below x"},
	{"cidr",
	 2,
	 2,
	 {A(IP), A(NETWORK)},
	 BOOL,
	 true,
	 "cidr(ip, \"10.0.0.0/8\"): is the address in the network"},
	{"concat",
	 1,
	 8,
	 {EIGHT(PRINTED)},
	 STR,
	 false,
	 "concat(a, b, ...): texts and numbers, joined; a size as its number of bytes"},
	{"contains", 2, 2, {A(TEXT), A(TEXT)}, BOOL, false, "contains(s, x): does s hold x"},
	{"date",
	 1,
	 2,
	 {A(TIME), A(ZONE)},
	 STR,
	 false,
	 "date(t): the local day of a time, \"2026-11-28\""},
	{"dirname", 1, 1, {A(TEXT)}, STR, false, "dirname(path): what precedes the last `/`"},
	{"div",
	 2,
	 2,
	 {A(AMOUNT), A(DIVISOR)},
	 WHOLE,
	 true,
	 "div(x, y): how many times y fits into x, without a rest: div(7, 2) is 3, div(-7, 2) -3"},
	{"endswith", 2, 2, {A(TEXT), A(TEXT)}, BOOL, false, "endswith(s, x): does s end with x"},
	{"ext",
	 1,
	 1,
	 {A(TEXT)},
	 STR,
	 false,
	 "ext(path): the name's extension without its dot, or \"\""},
	{"extract",
	 2,
	 2,
	 {A(TEXT), A(REGEX)},
	 STR,
	 false,
	 "extract(s, \"regex\"): what its first group matches, or all of it without a group; \"\" "
	 "if it does not match"},
	{"greatest",
	 2,
	 8,
	 {EIGHT(LIKE)},
	 FIRST,
	 false,
	 "greatest(a, b, ...): the greatest of them that is not null"},
	{"hour",
	 1,
	 2,
	 {A(TIME), A(ZONE)},
	 INT,
	 false,
	 "hour(t): the local hour of a time, 0 to 23"},
	{"if",
	 3,
	 3,
	 {A(CONDITION), A(LIKE), A(LIKE)},
	 FIRST,
	 true,
	 "if(c, a, b): a if c is true, else b"},
	{"ip4", 1, 1, {A(TEXT)}, IP, false, "ip4(s): the address and port written in a string"},
	{"least",
	 2,
	 8,
	 {EIGHT(LIKE)},
	 FIRST,
	 false,
	 "least(a, b, ...): the least of them that is not null"},
	{"len", 1, 1, {A(TEXT)}, INT, true, "len(s): length in bytes"},
	{"log2",
	 1,
	 1,
	 {A(POSITIVE)},
	 FLOAT,
	 false,
	 "log2(x): the logarithm to the base 2; null unless x is above 0"},
	{"lower", 1, 1, {A(TEXT)}, STR, false, "lower(s): ASCII letters in lower case"},
	{"nodes", 0, 0, {A(NONE)}, INT, false, "nodes(): how many nodes the query runs on"},
	{rn_func_now, 0, 0, {A(NONE)}, TIME, false, "now(): the time at which the query begins"},
	{"port", 1, 1, {A(IP)}, INT, true, "port(ip): the port of an address"},
	{"replace",
	 3,
	 3,
	 {A(TEXT), A(TEXT), A(TEXT)},
	 STR,
	 false,
	 "replace(s, from, to): s with `to` for every `from`"},
	{"round", 1, 1, {A(AMOUNT)}, WHOLE, false, "round(x): the whole number next to x"},
	{"similar",
	 2,
	 2,
	 {A(SKETCH), A(SKETCH)},
	 {RN_T_FLOAT, 0},
	 false,
	 "similar(data, \"some text\"): how much of their 8-byte sequences they share, 0 to 1, "
	 "estimated; of data through the field sketch"},
	{"split_part",
	 3,
	 3,
	 {A(TEXT), A(TEXT), A(NTH)},
	 STR,
	 false,
	 "split_part(s, sep, n): part n of s, cut at sep, the first being 1 and the last -1; \"\" "
	 "if there is none"},
	{"sqrt",
	 1,
	 1,
	 {A(NOT_NEGATIVE)},
	 FLOAT,
	 false,
	 "sqrt(x): the square root; null if x is below 0"},
	{"startswith",
	 2,
	 2,
	 {A(TEXT), A(TEXT)},
	 BOOL,
	 false,
	 "startswith(s, x): does s begin with x"},
	{"substr",
	 2,
	 3,
	 {A(TEXT), A(INT), A(INT)},
	 STR,
	 false,
	 "substr(s, start[, n]): n bytes from start, the first being 0; a negative start counts "
	 "from the end"},
	{"trim", 1, 1, {A(TEXT)}, STR, false, "trim(s): s without blanks at its ends"},
	{"upper", 1, 1, {A(TEXT)}, STR, false, "upper(s): ASCII letters in upper case"},
	{NULL},
};

const struct rn_func rn_func_is_null = {
	"is null", 1, 1, {A(ANY)}, BOOL, false, "x is null: is x missing, or no number"};

const struct rn_func rn_func_text = {
	"text",
	1,
	2,
	{A(INT), A(INT)},
	STR,
	true,
	"text(arg0[, n]): the text in memory that an argument of `user`, `usdt` or `kernel`, or "
	"`ret`, "
	"points to: at most n bytes, or 123; null if it cannot be read"};

const struct rn_func rn_func_in_live = {"in live",
					1,
					1,
					{A(INT)},
					BOOL,
					true,
					"pid in live (QUERY): is the process a member of a "
					"set that changes while the query runs"};

const struct rn_func rn_func_share = {
	"share",
	1,
	1,
	{A(ANY)},
	{RN_T_FLOAT, RN_U_PART},
	false,
	"share(A): the part of all groups of the window; A is a sum or a count"};
const struct rn_func rn_func_delta = {
	"delta",
	1,
	1,
	{A(NUMBER)},
	FIRST,
	false,
	"delta(x): x less x of the same key in the window before; needs `every`"};
const struct rn_func *const rn_group_funcs[] = {&rn_func_share, &rn_func_delta, NULL};

bool rn_func_takes(const struct rn_func *func, unsigned i, struct rn_ty have)
{
	bool number = have.type == RN_T_INT || have.type == RN_T_FLOAT;
	bool text = have.type == RN_T_STR || have.type == RN_T_TAGS || have.type == RN_T_BYTES;

	switch (i < sizeof(func->arg) / sizeof(*func->arg) ? func->arg[i] : RN_ARG_NONE) {
	case RN_ARG_ANY: return true;
	case RN_ARG_NUMBER: return number;
	case RN_ARG_WHOLE:
	case RN_ARG_STEP: return have.type == RN_T_INT;
	case RN_ARG_DIVISOR:
	case RN_ARG_AMOUNT: return number && have.unit != RN_U_EPOCH;
	case RN_ARG_INT: return have.type == RN_T_INT;
	case RN_ARG_TEXT: return text;
	case RN_ARG_NETWORK: return have.type == RN_T_STR;
	case RN_ARG_IP: return have.type == RN_T_IP;
	case RN_ARG_SKETCH: return text || have.type == RN_T_SKETCH;
	case RN_ARG_CONDITION: return have.type == RN_T_BOOL;
	case RN_ARG_LIKE: return number || text || have.type == RN_T_IP || have.type == RN_T_BOOL;
	case RN_ARG_TIME: return have.type == RN_T_INT && have.unit == RN_U_EPOCH;
	case RN_ARG_NOT_NEGATIVE: return number && !have.unit;
	case RN_ARG_POSITIVE: return number && have.unit != RN_U_EPOCH;
	case RN_ARG_PRINTED: return text || (number && (!have.unit || have.unit == RN_U_BYTE));
	case RN_ARG_REGEX:
	case RN_ARG_ZONE: return have.type == RN_T_STR;
	case RN_ARG_NTH: return have.type == RN_T_INT && !have.unit;
	default: return false;
	}
}

const struct rn_func *rn_func_at(unsigned i)
{
	const unsigned n = sizeof(rn_funcs) / sizeof(*rn_funcs) - 1;
	const struct rn_func *const *of_groups = rn_group_funcs;

	if (i < n)
		return &rn_funcs[i];
	if (i == n)
		return &rn_func_text;
	for (; i > n + 1 && *of_groups; i--)
		of_groups++;
	return *of_groups;
}

unsigned rn_func_written(const struct rn_func *func)
{
	return func->max_args - (func->max_args && func->arg[func->max_args - 1] == RN_ARG_ZONE);
}

const struct rn_func *rn_func_find(const char *name)
{
	for (const struct rn_func *f = rn_funcs; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	for (const struct rn_func *const *f = rn_group_funcs; *f; f++)
		if (!strcmp((*f)->name, name))
			return *f;
	if (!strcmp(name, rn_func_text.name))
		return &rn_func_text;
	return strcmp(name, rn_func_is_null.name) ? NULL : &rn_func_is_null;
}
