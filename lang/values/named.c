/* named.c - see named.h. One table of sets, one of names, which the build makes. */
#include "lang/values/named.h"
#include <inttypes.h>
#include <string.h>
#include "lang/base/str.h"

static const struct set {
	enum rn_unit unit;
	/* prefix: what the kernel prints such names with; NULL: nothing that tells the set */
	const char *name, *example, *prefix;
	bool flags;
	/* of flags: these bits are one number, which has names of the set `part` */
	int64_t mask;
	enum rn_unit part;
} sets[] = {
	{RN_U_OPEN, "open flags", "O_CREAT", "O_", true, 3, RN_U_OPEN},
	{RN_U_PROT, "protection", "PROT_WRITE", "PROT_", true, 0, RN_U_PROT},
	{RN_U_MAP, "map flags", "MAP_SHARED", "MAP_", true, 0xf, RN_U_MAP},
	{RN_U_CLONE, "clone flags", "CLONE_VM", "CLONE_", true, 0xff, RN_U_SIGNAL},
	{RN_U_SIGNAL, "signal", "SIGKILL", "SIG", false, 0, RN_U_SIGNAL},
	{RN_U_FAMILY, "address family", "AF_INET", "AF_", false, 0, RN_U_FAMILY},
	{RN_U_TCP, "TCP state", "TCP_ESTABLISHED", "TCP_", false, 0, RN_U_TCP},
	{RN_U_PROTO, "protocol", "IPPROTO_TCP", "IPPROTO_", false, 0, RN_U_PROTO},
	{RN_U_TASK, "task state", "TASK_RUNNING", NULL, true, 0, RN_U_TASK},
	{RN_U_FAULT, "page fault", "X86_PF_WRITE", NULL, true, 0, RN_U_FAULT},
	{RN_U_ETHER, "ethertype", "ETH_P_IP", "ETH_P_", false, 0, RN_U_ETHER},
	{RN_U_SOFTIRQ, "softirq", "NET_RX", NULL, false, 0, RN_U_SOFTIRQ},
	{RN_U_WRITEBACK, "writeback reason", "periodic", NULL, false, 0, RN_U_WRITEBACK},
};

static const struct named {
	enum rn_unit unit;
	const char *name;
	int64_t number;
} names[] = {
#include "lang/values/named.inc"
	/* include/net/tcp_states.h: no header for programs has them as macros */
	{RN_U_TCP, "TCP_ESTABLISHED", 1},
	{RN_U_TCP, "TCP_SYN_SENT", 2},
	{RN_U_TCP, "TCP_SYN_RECV", 3},
	{RN_U_TCP, "TCP_FIN_WAIT1", 4},
	{RN_U_TCP, "TCP_FIN_WAIT2", 5},
	{RN_U_TCP, "TCP_TIME_WAIT", 6},
	{RN_U_TCP, "TCP_CLOSE", 7},
	{RN_U_TCP, "TCP_CLOSE_WAIT", 8},
	{RN_U_TCP, "TCP_LAST_ACK", 9},
	{RN_U_TCP, "TCP_LISTEN", 10},
	{RN_U_TCP, "TCP_CLOSING", 11},
	{RN_U_TCP, "TCP_NEW_SYN_RECV", 12},
	/* netinet/in.h has these as an enum; numbers of IANA, and MPTCP, which is Linux's own */
	{RN_U_PROTO, "IPPROTO_ICMP", 1},
	{RN_U_PROTO, "IPPROTO_TCP", 6},
	{RN_U_PROTO, "IPPROTO_UDP", 17},
	{RN_U_PROTO, "IPPROTO_IPV6", 41},
	{RN_U_PROTO, "IPPROTO_ICMPV6", 58},
	{RN_U_PROTO, "IPPROTO_SCTP", 132},
	{RN_U_PROTO, "IPPROTO_UDPLITE", 136},
	{RN_U_PROTO, "IPPROTO_RAW", 255},
	{RN_U_PROTO, "IPPROTO_MPTCP", 262},
	/* include/linux/sched.h, as sched_switch tells them: task_state_index(), a bit each. The
	 * one of a task that would have gone on is TASK_REPORT_MAX there, and "R+" in a trace. */
	{RN_U_TASK, "TASK_RUNNING", 0},
	{RN_U_TASK, "TASK_INTERRUPTIBLE", 0x1},
	{RN_U_TASK, "TASK_UNINTERRUPTIBLE", 0x2},
	{RN_U_TASK, "TASK_STOPPED", 0x4},
	{RN_U_TASK, "TASK_TRACED", 0x8},
	{RN_U_TASK, "TASK_DEAD", 0x10},
	{RN_U_TASK, "TASK_ZOMBIE", 0x20},
	{RN_U_TASK, "TASK_PARKED", 0x40},
	{RN_U_TASK, "TASK_IDLE", 0x80},
	{RN_U_TASK, "TASK_PREEMPTED", 0x100},
	/* arch/x86/include/asm/trap_pf.h */
	{RN_U_FAULT, "X86_PF_PROT", 0x1},
	{RN_U_FAULT, "X86_PF_WRITE", 0x2},
	{RN_U_FAULT, "X86_PF_USER", 0x4},
	{RN_U_FAULT, "X86_PF_RSVD", 0x8},
	{RN_U_FAULT, "X86_PF_INSTR", 0x10},
	{RN_U_FAULT, "X86_PF_PK", 0x20},
	{RN_U_FAULT, "X86_PF_SHSTK", 0x40},
	{RN_U_FAULT, "X86_PF_SGX", 0x8000},
	{RN_U_FAULT, "X86_PF_RMP", 0x80000000},
	/* include/linux/interrupt.h, by the names that the kernel prints */
	{RN_U_SOFTIRQ, "HI", 0},
	{RN_U_SOFTIRQ, "TIMER", 1},
	{RN_U_SOFTIRQ, "NET_TX", 2},
	{RN_U_SOFTIRQ, "NET_RX", 3},
	{RN_U_SOFTIRQ, "BLOCK", 4},
	{RN_U_SOFTIRQ, "IRQ_POLL", 5},
	{RN_U_SOFTIRQ, "TASKLET", 6},
	{RN_U_SOFTIRQ, "SCHED", 7},
	{RN_U_SOFTIRQ, "HRTIMER", 8},
	{RN_U_SOFTIRQ, "RCU", 9},
	/* include/linux/backing-dev-defs.h, by the names that the kernel prints */
	{RN_U_WRITEBACK, "background", 0},
	{RN_U_WRITEBACK, "vmscan", 1},
	{RN_U_WRITEBACK, "sync", 2},
	{RN_U_WRITEBACK, "periodic", 3},
	{RN_U_WRITEBACK, "laptop_timer", 4},
	{RN_U_WRITEBACK, "fs_free_space", 5},
	{RN_U_WRITEBACK, "forker_thread", 6},
	{RN_U_WRITEBACK, "foreign_flush", 7},
};
enum { NSETS = sizeof(sets) / sizeof(*sets), NNAMES = sizeof(names) / sizeof(*names) };

/* Second names of numbers, which are read but not shown. */
static const char *const second[] = {"O_NDELAY", "O_ACCMODE", "AF_LOCAL", "AF_FILE",
				     "AF_ROUTE", "SIGPOLL",   "SIGIOT",   "SIGCLD"};

static const struct set *set_of(enum rn_unit unit)
{
	for (unsigned i = 0; i < NSETS; i++)
		if (sets[i].unit == unit)
			return &sets[i];
	return NULL;
}

const char *rn_named_set(enum rn_unit unit)
{
	const struct set *s = set_of(unit);

	return s ? s->name : NULL;
}

bool rn_named_flags(enum rn_unit unit)
{
	const struct set *s = set_of(unit);

	return s && s->flags;
}

const char *rn_named_example(enum rn_unit unit)
{
	const struct set *s = set_of(unit);

	return s ? s->example : "";
}

enum rn_unit rn_named_of_prefix(const char *name)
{
	for (unsigned i = 0; i < NSETS; i++)
		if (sets[i].prefix && !strncmp(name, sets[i].prefix, strlen(sets[i].prefix)))
			return sets[i].unit;
	return RN_U_NONE;
}

bool rn_named_parse(enum rn_unit unit, const char *name, size_t len, int64_t *out)
{
	for (unsigned i = 0; i < NNAMES; i++)
		if (names[i].unit == unit && strlen(names[i].name) == len &&
		    !memcmp(names[i].name, name, len)) {
			*out = names[i].number;
			return true;
		}
	return false;
}

const char *const *rn_named_all(struct rn_arena *arena, enum rn_unit unit)
{
	const char **all = RN_NEWN(arena, const char *, NNAMES + 1);
	unsigned n = 0;

	for (unsigned i = 0; i < NNAMES; i++)
		if (names[i].unit == unit)
			all[n++] = names[i].name;
	return all;
}

static bool is_second(const char *name)
{
	for (size_t i = 0; i < sizeof(second) / sizeof(*second); i++)
		if (!strcmp(second[i], name))
			return true;
	return false;
}

static const char *name_of(enum rn_unit unit, int64_t number)
{
	for (unsigned i = 0; i < NNAMES; i++)
		if (names[i].unit == unit && names[i].number == number && !is_second(names[i].name))
			return names[i].name;
	return NULL;
}

/* The name with the most bits, of those that are all set in number; NULL: none. */
static const struct named *greatest_in(const struct set *s, int64_t number)
{
	const struct named *best = NULL;

	for (unsigned i = 0; i < NNAMES; i++) {
		const struct named *n = &names[i];

		if (n->unit == s->unit && n->number && !(n->number & s->mask) &&
		    (n->number & number) == n->number && !is_second(n->name) &&
		    (!best || __builtin_popcountll((unsigned long long)n->number) >
				      __builtin_popcountll((unsigned long long)best->number)))
			best = n;
	}
	return best;
}

/* zero: whether bits that are one number, and 0, are shown: as O_RDONLY. */
static const char *show_flags(struct rn_arena *arena, const struct set *s, int64_t number,
			      bool zero)
{
	int64_t rest = number & ~s->mask, part = number & s->mask;
	bool shows = part || !number || (zero && s->mask && s->part == s->unit);
	const char *low = shows ? name_of(s->part, part) : NULL;
	const struct named *n;
	struct rn_strbuf out;

	rn_strbuf_init(&out, arena);
	if (low)
		rn_strbuf_put(&out, low);
	else
		rest |= part;
	while ((n = greatest_in(s, rest))) {
		rn_strbuf_printf(&out, "%s%s", out.len ? "|" : "", n->name);
		rest &= ~n->number;
	}
	if (rest)
		rn_strbuf_printf(&out, "%s0x%" PRIx64, out.len ? "|" : "", (uint64_t)rest);
	return out.len ? rn_strbuf_cstr(&out) : "0";
}

static const char *show(struct rn_arena *arena, enum rn_unit unit, int64_t number, bool zero)
{
	const struct set *s = set_of(unit);
	const char *name;

	if (s && s->flags)
		return show_flags(arena, s, number, zero);
	name = name_of(unit, number);
	return name ? name : rn_arena_printf(arena, "%" PRId64, number);
}

const char *rn_named_show(struct rn_arena *arena, enum rn_unit unit, int64_t number)
{
	return show(arena, unit, number, true);
}

const char *rn_named_constant(struct rn_arena *arena, enum rn_unit unit, int64_t number)
{
	for (unsigned i = 0; i < NNAMES; i++)
		if (names[i].unit == unit && names[i].number == number && number)
			return is_second(names[i].name) && name_of(unit, number)
				       ? name_of(unit, number)
				       : names[i].name;
	return show(arena, unit, number, false);
}
