/* value.h - types with units, and the values they describe.
 *
 * Logic has two values. A field that does not apply holds "" or 0 (fd: -1). RN_NULL has four
 * sources:
 *
 *   a division by zero,
 *   an integer of more than 64 bits,
 *   the finish of an aggregate that saw nothing (min, avg, ...), and
 *   an unknown fact of an event: `latency` and `begin`, if the entry of the call was not seen.
 *
 * rn_is_unknown tells the last one from the others. */
#ifndef RN_LANG_VALUES_VALUE_H
#define RN_LANG_VALUES_VALUE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rn_type {
	RN_T_ERROR, /* an error was reported here: do not report errors that follow from it */
	RN_T_BOOL,
	RN_T_INT,   /* int64 */
	RN_T_FLOAT, /* double */
	RN_T_STR,   /* UTF-8 or any bytes except NUL */
	RN_T_IP,    /* address and port; in a value: RN_IP_BYTES bytes */
	RN_T_TAGS,  /* set of tags, as text: sorted, joined by "," */
	RN_T_BYTES, /* payload */
	RN_T_STACK,
	RN_T_HIST,   /* result only: buckets, see lang/values/hist.h */
	RN_T_LIST,   /* result only: JSON text [...] */
	RN_T_SKETCH, /* a sketch of a payload: lang/values/minhash.h */
};
enum rn_unit {
	RN_U_NONE,
	RN_U_NS,    /* duration in ns */
	RN_U_BYTE,  /* size in bytes */
	RN_U_EPOCH, /* time: ns since 1970-01-01 UTC */
	RN_U_ERRNO, /* positive errno, 0: success; shown by name */
	RN_U_DEV,   /* kernel's dev_t as major << 20 | minor; shown "8:1" */
	RN_U_PER_S, /* per second */
	RN_U_BYTE_PER_S,
	/* 64 bits without sign or order, a hash or a pointer: shown "0x00112233aabbccdd"; a string
	 * in JSON too, because a number would lose bits */
	RN_U_HEX,
	RN_U_PART, /* 0 to 1, a part of a whole; shown in percent */
	/* numbers with names: lang/values/named.h */
	RN_U_OPEN,
	RN_U_PROT,
	RN_U_MAP,
	RN_U_CLONE,
	RN_U_SIGNAL,
	RN_U_FAMILY,
	RN_U_TCP,
	RN_U_PROTO,
	RN_U_TASK,
	RN_U_FAULT,
	RN_U_ETHER,
	RN_U_SOFTIRQ,
	RN_U_WRITEBACK,
	RN_UNITS
};
/* Is the number a code, of which sums, means and differences say nothing? */
static inline bool rn_unit_is_code(unsigned unit)
{
	return unit == RN_U_ERRNO || unit == RN_U_DEV || unit >= RN_U_OPEN;
}
struct rn_ty {
	uint8_t type; /* enum rn_type */
	uint8_t unit; /* enum rn_unit, on INT and FLOAT; on HIST: the unit of low and high */
};

/* An IP value: 16 bytes of IPv6 address (IPv4 is v4-mapped ::ffff:a.b.c.d), then the port,
 * big-endian; port 0: any. */
#define RN_IP_BYTES 18

/* RN_STR carries STR, IP, TAGS, BYTES, HIST, LIST */
enum rn_kind { RN_NULL, RN_BOOL, RN_INT, RN_FLOAT, RN_STR };
struct rn_value {
	uint8_t kind; /* enum rn_kind */
	uint32_t len; /* of s, in bytes; s need not end in NUL */
	union {
		int64_t i; /* INT, BOOL (0, 1) */
		double f;
		const char *s; /* owned by the maker of the value: arena, batch or state */
	};
};

static inline struct rn_value rn_int(int64_t i)
{
	return (struct rn_value){.kind = RN_INT, .i = i};
}
static inline struct rn_value rn_bool(bool b)
{
	return (struct rn_value){.kind = RN_BOOL, .i = b};
}
static inline struct rn_value rn_float(double f)
{
	return (struct rn_value){.kind = RN_FLOAT, .f = f};
}
static inline struct rn_value rn_null(void)
{
	return (struct rn_value){.kind = RN_NULL};
}
/* NULL because the event's beginning was not seen, or a value computed from that. A reader of the
 * output sees a NULL like any other. */
static inline struct rn_value rn_unknown(void)
{
	return (struct rn_value){.kind = RN_NULL, .i = 1};
}
static inline bool rn_is_unknown(const struct rn_value *value)
{
	return value->kind == RN_NULL && value->i == 1;
}
static inline struct rn_value rn_strn(const char *s, size_t n)
{
	return (struct rn_value){.kind = RN_STR, .len = (uint32_t)n, .s = s};
}

/* Compares two values. Total order: NULL < numbers (BOOL, INT, FLOAT together) < strings by memcmp,
 * shorter first. */
int rn_value_cmp(const struct rn_value *a, const struct rn_value *b);

struct rn_arena;
const char *rn_unit_name(struct rn_ty t); /* the number's unit: "ns", "bytes"; "" for none */
/* "duration", "size", "integer", "string", ...: for messages and describe */
const char *rn_type_name(struct rn_ty t);
/* Returns the value as a person reads it: "1.2 ms", "4.0 KiB", "ENOENT", "10.0.0.1:80", "2026-11-20
 * 10:00:00.000000". In the arena. */
const char *rn_value_show(struct rn_arena *arena, struct rn_ty t, const struct rn_value *value);
/* BYTES and SKETCH as text. Readable bytes appear as they are: UTF-8 without control characters
 * except tab and line ends, not beginning like x"hex". Others become x"hex". In the arena;
 * *readable says which. */
const char *rn_bytes_text(struct rn_arena *arena, const char *s, size_t n, bool *readable);

/* ---- units.c ---- */

/* Reads "1.5ms", "4KiB", "1MB", "2h" as a number of ns or bytes, and which; false if s is no such
 * literal or overflows. */
bool rn_unit_parse(const char *s, size_t n, int64_t *out, enum rn_unit *unit);

/* ---- time.c ---- */

/* Reads "2026-11-20 10:00:00[.frac]", or ISO with T and optional Z (UTC, otherwise local time), as
 * ns since the epoch. */
bool rn_time_parse(const char *s, size_t n, int64_t *out);

/* ---- ip.c ---- */

/* Converts "10.0.0.1", "10.0.0.1:80", "::1", "[::1]:80" to RN_IP_BYTES bytes and back. */
bool rn_ip_parse(const char *s, size_t n, unsigned char out[RN_IP_BYTES]);
/* Reads "10.0.0.0/8", "fd00::/8": an address without a port, `/` and 1 to 3 digits. *bits counts
 * from the first of the 16 bytes (IPv4: 96 more). The bits of out after them are zero. */
bool rn_ip_parse_net(const char *s, size_t n, unsigned char out[RN_IP_BYTES], unsigned *bits);
size_t rn_ip_show(const unsigned char ip[RN_IP_BYTES], char *out, size_t cap);
/* Converts "ENOENT" to 2 (0 if there is no such name) and back (NULL if unknown). All numbers with
 * a name are less than RN_ERRNO_END; those from 512 on are the kernel's own. */
enum { RN_ERRNO_END = 532 };

/* ---- errno.c ---- */

int rn_errno_parse(const char *s, size_t n);
const char *rn_errno_name(int e);

/* ---- value.c ---- */

/* Writes the shortest decimal text that reads back to f. */
void rn_float_text(char *buf, size_t cap, double f);
#endif
