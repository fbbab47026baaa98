/* gen.h - inside probes/: from a fragment to BPF programs.
 *
 * rn_gen_fragment is pure: it reads no kernel state (struct offsets come in a struct rn_btf). It
 * makes programs as emitted instructions, the maps that they need, and the layout of their output.
 * probes/live/attach.c loads and attaches them.
 *
 * Register contract of every event program, after its prologue:
 *   r6  calls: struct pt_regs *; operations that are not calls: struct rn_bpf_call *; tracepoint:
 *       the record; other classes: the value that the note of their `begin` in hooks.c names, such
 *       as the task of the event
 *   r7  ret, if the class has it
 *   r8  the current struct task_struct *
 *   r9  where results go: group's value, row's record; scratch memory before that
 *   r0..r5 are free between statements; each emitter documents its results.
 *
 * Costly fields (latency, file, ends of a socket, tags) are computed once, into the stack, before
 * the first statement that uses them: struct rn_gen.cached. */
#ifndef RN_PROBES_GEN_GEN_H
#define RN_PROBES_GEN_GEN_H
#include "planner/plan/plan.h"
#include "planner/plan/source.h"
#include "probes/kernel/btf.h"
#include "probes/kernel/call_functions.h"
#include "probes/catalog/catalog.h"
#include "probes/emit/emit.h"
#include "probes/gen/hooks.h"
#include "probes/abi/abi.h"
#include "probes/kernel/maps.h"
#include "probes/intrinsics/splice.h"

/* How a value is packed in a key or a record, which is how user space decodes it (decode.c). */
enum rn_encoding {
	RN_ENCODING_INT,        /* 8 bytes: int64; also bool */
	RN_ENCODING_TIME,       /* 8: monotonic ns; decoded to the epoch */
	RN_ENCODING_COMM,       /* 16: name of a task, NUL-padded */
	RN_ENCODING_SYSCALL_NR, /* 8: number of a system call; decoded to its name */
	RN_ENCODING_FILE,       /* 16: struct rn_file_key; its text is in the map of paths */
	RN_ENCODING_IP,         /* 24: 18 bytes of address and port, zeros */
	RN_ENCODING_TAGS,       /* 8: mask over the fragment's tags */
	RN_ENCODING_TAGSET,     /* 128: the same for more than 64 tags */
	RN_ENCODING_HITS,       /* 168: struct rn_bpf_hits; only in rows */
	RN_ENCODING_AROUND,     /* 296: struct rn_bpf_around; only in rows */
	RN_ENCODING_USER,       /* 8: uid; decoded to a name */
	RN_ENCODING_CGROUP,     /* 8: cgroup id; decoded to its path */
	RN_ENCODING_CONTAINER,  /* 8: cgroup id; decoded to the container's id */
	RN_ENCODING_NODE,       /* 0 */
	RN_ENCODING_EVENT,      /* 0: the event's name, the same for all (tracepoint, fork, exit) */
	RN_ENCODING_TRACEPOINT_INDEX, /* 8: index of the matched tracepoint of a glob */
	RN_ENCODING_TEXT,             /* 128: struct rn_bpf_str, zero-padded */
	RN_ENCODING_STACK, /* 8: number of a stack of the kernel, see stack.h; decoded to its text
			    */
	/* 16: number of a stack of a program; process id | number of its execs << 32 */
	RN_ENCODING_USTACK,
	RN_ENCODING_ENUM,     /* 8: index of a word of rn_field_word() */
	RN_ENCODING_NUMBERED, /* 8: a number, perhaps with a name of rn_field.numbering */
	/* 8: cookie of a probe, struct rn_user; decoded to a name, or to the path of its file */
	RN_ENCODING_FUNC,
	RN_ENCODING_SKETCH, /* 64: struct rn_bpf_sketch */
	RN_ENCODING_DATA,   /* 264: struct rn_bpf_data */
	/* 264: struct rn_bpf_data; len: of the whole command line, which may be longer */
	RN_ENCODING_CMDLINE,
	RN_ENCODING_COUNT
};
enum { RN_SETS_MAX = 16 };
struct rn_packed_field {
	enum rn_encoding enc;
	unsigned off;
	const struct rn_expr *expr;
	const struct rn_field *field;
};
struct rn_layout {
	struct rn_packed_field *fields;
	unsigned n, bytes;
};

/* System calls are hooked in one of two ways: functions.c. A program of neither goes with both. */
enum rn_way { RN_WAY_ANY, RN_WAY_TRACEPOINTS, RN_WAY_FUNCTIONS };
struct rn_prog {
	unsigned hook; /* a row of hooks.c */
	const char *name;
	struct rn_emit *emit;
	const struct rn_tp *tp; /* for RN_HOOK_TP: its tracepoint */
	int match;              /* index of the glob's tracepoint; -1: no glob */
	bool attach_on_demand;  /* see hooks.h */
	bool typed;             /* r6 is a tracepoint's arguments, not its record */
	bool raw;               /* on a raw tracepoint by its name: handover.c */
	bool chained;           /* run by the chain of the process, not attached: chain.c */
	/* enum rn_tail: handed events by others, not attached. On a function: the map by which
	 * programs on other functions go on in it. -1: no */
	int tail;
	unsigned part; /* of a pair: 0 at the first event, 1 at the second; else 0 */
	enum rn_way way;
	const struct rn_function *function; /* that it is on; NULL: as the hook says */
};

struct rn_gen_opts {
	const struct rn_btf *btf;
	const char *node;
	bool scoped, follow; /* processes of a set, and their children */
	uint64_t netns_ino;  /* as in struct rn_scope */
	uint64_t cgroup;     /* its id; 0: all */
	int32_t self_pid;    /* events of this process, and of the askers, are left out */
	const int32_t *askers;
	unsigned naskers;
	int64_t clock_ns; /* epoch minus monotonic */
	int64_t boot_ns;  /* epoch minus the time since boot, sleep included */
	uint32_t ring_bytes;
	unsigned ncpus; /* possible ones */
	bool nfsd;      /* the module is there */
	bool tls;       /* there are TLS libraries to probe */
	/* of static probes that the query names; those of a pair's second event begin at
	 * places_from */
	unsigned places, places_from;
	/* few functions of the kernel, with a program each: fentry; NULL: all have one program */
	const struct rn_function *traced;
	unsigned ntraced;
	bool session; /* one program at the entry and the return of the kernel's functions */
	/* the kernel's ids of struct pt_regs and task_struct, if numbers can be cast to pointers to
	 * them (bpf_rdonly_cast); 0: they cannot, or the query need not. Members are read through
	 * the former: walk.c. */
	uint32_t regs_type, task_type;
	bool chained;   /* the program at the return of calls is one of several: chain.c */
	unsigned place; /* its place in the chain, or among the queries that share a search */
	/* A search for tags: further queries may come to share it; another query's programs do it,
	 * and hand their hits over: handover.c. */
	bool shares, joins;
	/* the kernel's functions of calls; NULL: none of its functions can have a program */
	const struct rn_call_functions *functions;
};
enum { RN_WALKS_MAX = 12 };
enum { RN_PROGS_MAX = RN_TP_MATCH_MAX + 16 };
/* The generated programs. */
struct rn_gen_out {
	struct rn_prog prog[RN_PROGS_MAX];
	unsigned nprogs;
	struct rn_map_spec map[RN_MAP_COUNT];
	/* rec: the fragment's fields, after 8 bytes of monotonic time */
	struct rn_layout key, rec;
	unsigned value_bytes,
		stride; /* size of a group on one CPU; distance to the next CPU's part */
	/* in globals: the parts of CPUs, zeros, recent groups (group.c; stride 0:
	 * none) */
	unsigned part_off, part_stride, zeros_off, recent_off, recent_stride;
	uint64_t intrinsics; /* set of 1 << enum rn_intrinsic */
	const char **patterns;
	unsigned npatterns;
	/* long lists after `in`, and what is looked up in each: RN_MAP_SETS */
	const struct rn_expr *sets[RN_SETS_MAX];
	enum rn_encoding set_enc[RN_SETS_MAX];
	unsigned nsets;
	/* for RN_MAP_CALLS, by number: enum rn_call_kind; of a program in a chain: is it wanted? */
	uint8_t calls[RN_SYS_FIRST_FREE];
	bool all_calls;    /* calls without a number are wanted, too */
	bool chain_begins; /* the chain notes when calls begin */
	/* RN_STAT_SEEN is kept; otherwise seen = matched + unpaired */
	bool counts_seen;
	/* a search for tags that other queries can share: it has no conditions on events */
	bool shareable;
	/* this kernel does not report all reads through memory */
	bool no_map_reads;
	/* texts of files are wanted: predicates on them, keys, columns */
	bool uses_files;
	bool uses_stacks, uses_kstack; /* stacks; those of the kernel among them */
	/* the file of calls that close a descriptor: noted at entry */
	bool uses_close;
	/* calls have no programs on their functions: why; NULL: they have, or are none */
	const char *no_functions;
};
/* Generates programs. Returns 0, or -ENOTSUP with a text that names the expression that the kernel
 * part cannot hold: the planner must then keep it out. */
int rn_gen_fragment(struct rn_arena *arena, const struct rn_fragment *fragment,
		    const struct rn_gen_opts *opts, struct rn_gen_out *out, struct rn_err *err);

/* ---- shared by the emitters ---- */
/* From SEQ to FUSE_TID: as in enum rn_bpf_end. */
enum rn_cached {
	RN_CACHED_TIME,
	RN_CACHED_LATENCY,
	RN_CACHED_FILE,
	RN_CACHED_SOURCE,
	RN_CACHED_EXE,
	RN_CACHED_SOCK,
	RN_CACHED_TAGS,
	RN_CACHED_HASH,
	RN_CACHED_SKETCH,
	RN_CACHED_DATA,
	RN_CACHED_OFFSET,
	RN_CACHED_SEQ,
	RN_CACHED_PEER_INO,
	RN_CACHED_FUSE_DEV,
	RN_CACHED_FUSE_NODE,
	RN_CACHED_FUSE_TID,
	RN_CACHED_BYTES,
	RN_CACHED_AIO_FD,
	RN_CACHED_STACK,
	RN_CACHED_USTACK,
	RN_CACHED_CMDLINE,
	RN_CACHED_PLACE, /* of a static probe: the address of its struct rn_operands */
	RN_CACHED_ARG0,  /* and its arguments */
	RN_CACHED_TEXT0 = RN_CACHED_ARG0 + RN_ARGS_MAX, /* in the order of their fields */
	RN_CACHED_COUNT = RN_CACHED_TEXT0 + RN_TEXTS_MAX
};

/* Instead of the number of a function, at a place that is not of the query. */
enum { RN_NO_FUNCTION = -1 };
/* In a row: latency and begin if the event's beginning was not seen. */
#define RN_NOT_KNOWN INT64_MIN

enum { RN_PAIR_CAPTURES_MAX = 64 };
/* A value that the program at a pair's first event keeps for the program at the second. */
struct rn_pair_capture {
	const struct rn_field *of; /* the first event's own field; NULL: its time */
	enum rn_encoding enc;
	unsigned off; /* from the beginning of the kept values */
	int ip;       /* stack slot with a copy, for an address that was needed */
};

struct rn_gen {
	struct rn_arena *arena;
	const struct rn_fragment *fragment;
	const struct rn_gen_opts *opts;
	struct rn_gen_out *out;
	struct rn_emit *emit;
	struct rn_err *err;
	int rc; /* first failure */
	unsigned hook;
	/* the class whose events run the program: the fragment's, or an end of a pair */
	const struct rn_class *cls;
	const struct rn_tp *tp;
	/* the program at the second event: the fragment's fields are the pair's; else NULL */
	const struct rn_pair *pair;
	bool first;    /* this is the program at the first event of a pair */
	unsigned part; /* rn_prog.part */
	struct rn_pair_capture kept[RN_PAIR_CAPTURES_MAX];
	unsigned nkept, kept_bytes;
	int kept_off; /* stack slot with the address of the kept values */
	/* a glob: index of the program's tracepoint; -1: decided by the number of the call */
	int tp_match;
	/* system calls that the class covers; all: every known one */
	const uint16_t *nr;
	unsigned nnr;
	bool all_nr;
	/* ioctls that share blocks are operations of the class: operations.c */
	bool clones;
	bool attach_on_demand; /* the hook is attached when it is missed */
	/* the hook makes operations that are not calls: r6 is their record */
	bool is_op;
	unsigned traced; /* the function of opts->traced whose program it is */
	bool noting;     /* conditions are tested now that belong to the entry of a call */
	bool shared;     /* programs that may lose the CPU write to the same memory */
	/* such a program: stack slot with the scratch memory that it marked as busy; 0: none */
	int busy_off;
	int stack; /* lowest offset in use, <= 0 */
	int temp[16];
	unsigned ntemp, ntemp_made;
	int cached[RN_CACHED_COUNT]; /* stack offset; 0: not computed yet */
	int out_label;               /* end of the event */
	/* for a program with several events: their counter, where each begins; the program's end */
	int max_ops_per_hit, round_off, round_label, end_label;
	/* results are now only shown: latency and begin may be RN_NOT_KNOWN */
	bool shows;
	bool r9_set; /* r9 holds a value to keep */
	int key_off; /* offset of the packed key from its base */
	bool key_in_scratch;
	/* stack slots: 1 if a condition of the event is not judged yet; the key of a verdict; 0: no
	 * condition is judged */
	int unjudged_off, verdict_off;
	/* members that were fetched, and a slot for addresses on the way: walk.c */
	struct {
		const struct rn_arg_member *member;
		int slot;
	} walk[RN_WALKS_MAX];
	unsigned nwalks;
	int walk_slot;
	const char *of_record, *of_arguments; /* fields that need either; NULL: none does */
	int set_off;                          /* stack slot of a struct rn_set_key; 0: none yet */
	int epoch_off;                        /* stack slot; 0: one half only */
	/* stack slot with the address of the recent group being put away; 0: none */
	int recent;
	unsigned key_width; /* bytes of a packed key rounded for cells */
	int scratch_off;    /* stack slot with the address of this CPU's scratch */
	/* stack slot with the program's context, if the event's stack is wanted */
	int ctx_off;
	int kind_off; /* stack slot with the call's enum rn_call_kind: handover.c */
};

/* Records the first failure: the text names what could not be generated. */
void rn_gen_fail(struct rn_gen *gen, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* for the whole program; its offset from r10 */
int rn_gen_stack(struct rn_gen *gen, unsigned bytes);
int rn_gen_push(struct rn_gen *gen, int reg); /* spills into a temporary; its offset */
void rn_gen_pop(struct rn_gen *gen, int reg); /* reg = the last one pushed */
void rn_gen_drop(struct rn_gen *gen);         /* forgets the last one pushed */
/* dst = base->member */
void rn_gen_member(struct rn_gen *gen, int size, int dst, int base, enum rn_btf_member m);
void rn_gen_intrinsic(struct rn_gen *gen, enum rn_intrinsic i);
/* r0 = r1 as a pointer to the struct of that id and name; clobbers r1..r5 */
void rn_gen_cast(struct rn_gen *gen, uint32_t type, const char *name);
void rn_gen_rounds(struct rn_gen *gen, int rounds); /* begins the part that runs for each event */
/* reg = address of this CPU's scratch memory */
void rn_gen_scratch(struct rn_gen *gen, int reg);
/* its number for rn_match and rn_glob; -1: too many */
int rn_gen_pattern(struct rn_gen *gen, const char *text, unsigned len);
/* Is there room for the list of expr, an `in`, among RN_MAP_SETS? */
bool rn_gen_set_fits(const struct rn_gen *gen, const struct rn_expr *expr);
/* The number of the list of expr, an `in`, among RN_MAP_SETS. */
int rn_gen_set(struct rn_gen *gen, const struct rn_expr *expr, enum rn_encoding enc);

/* Layout of the scratch memory. */
enum {
	RN_SCRATCH_TEXT = 0,
	RN_SCRATCH_KEY = 128,
	RN_SCRATCH_CALL = 128 + 640,
	RN_SCRATCH_FILE = RN_SCRATCH_CALL + sizeof(struct rn_bpf_call),
	RN_SCRATCH_SKETCH = RN_SCRATCH_FILE + sizeof(struct rn_bpf_file),
	RN_SCRATCH_DATA = RN_SCRATCH_SKETCH + sizeof(struct rn_bpf_sketch),
	RN_SCRATCH_BUSY /* not 0: a probe in a program is at work on this CPU */ =
		RN_SCRATCH_DATA + sizeof(struct rn_bpf_data),
	/* hits that could not be handed to all queries that share a search */
	RN_SCRATCH_UNPASSED = RN_SCRATCH_BUSY + 8,
	RN_SCRATCH_PAIR /* keys of a pair, then values kept from its first event */ =
		RN_SCRATCH_UNPASSED + 8,
	RN_PAIR_BYTES = 1024,
	RN_SCRATCH_TEXTS /* that arguments point to */ = RN_SCRATCH_PAIR + RN_PAIR_BYTES,
	RN_SCRATCH_BYTES = RN_SCRATCH_TEXTS + RN_TEXTS_MAX * sizeof(struct rn_bpf_str),
	RN_KEY_MAX = 480
};

typedef int rn_trait_key(const struct rn_sys_trait *trait);

/* ---- field_load.c ---- */

unsigned rn_encoding_bytes(enum rn_encoding enc);
bool rn_field_enc(const struct rn_field *field, bool is_tp, enum rn_encoding *enc);
/* dst = the int value; clobbers r0..r5 */
void rn_gen_load(struct rn_gen *gen, const struct rn_field *field, int dst);
void rn_gen_nr(struct rn_gen *gen, int dst);
/* Leaves if the result of a function of a program is not known, which is counted. */
void rn_gen_known_ret(struct rn_gen *gen, int temp);
void rn_gen_arg(struct rn_gen *gen, int arg, int dst);

/* ---- field_store.c ---- */

/* of a field of the fragment's class */
bool rn_gen_enc(const struct rn_gen *gen, const struct rn_field *field, enum rn_encoding *enc);
/* Stores the field, packed, at [base+off]; base is r9 or r10. */
void rn_gen_store(struct rn_gen *gen, const struct rn_field *field, int base, int off);
/* returns the register of the task with the name: r8 or reg */
int rn_gen_comm(struct rn_gen *gen, const struct rn_field *field, int reg);
/* dst = 8 bytes of the task's name */
void rn_gen_comm_word(struct rn_gen *gen, const struct rn_field *field, int dst, int task,
		      int word);
/* stack offset of 18 bytes, 8-aligned; fetches them if needed */
int rn_gen_ip(struct rn_gen *gen, const struct rn_field *field);
/* NODE, EVENT: the same for all events */
const char *rn_gen_const_text(const struct rn_gen *gen, const struct rn_field *field,
			      enum rn_encoding enc);
/* dst = struct rn_bpf_str * of a tracepoint's string */
void rn_gen_text(struct rn_gen *gen, const struct rn_field *field, int dst);
/* dst = struct rn_bpf_data * of a command line */
void rn_gen_cmdline(struct rn_gen *gen, const struct rn_field *field, int dst);
/* Copies the command line that an exec has given the current process to scratch memory. */
void rn_gen_fetch_cmdline(struct rn_gen *gen);

/* ---- field_fetch.c ---- */

/* computes the costly fields that expr needs */
void rn_gen_need(struct rn_gen *gen, const struct rn_expr *expr);
void rn_gen_need_field(struct rn_gen *gen, const struct rn_field *field);
/* reg = address of the file's key */
void rn_gen_file_key(struct rn_gen *gen, const struct rn_field *field, int reg);
/* r0 = struct rn_bpf_path *, or a jump to none */
void rn_gen_path(struct rn_gen *gen, const struct rn_field *field, int none);
/* Jumps to label if the event's call is (want) or is not one of nr[n]; clobbers r0, r1, r2. The
 * other function: the number in r1. */
void rn_gen_nr_test(struct rn_gen *gen, const uint16_t *nr, unsigned n, bool want, int label);
void rn_gen_nr_among(struct rn_gen *gen, const uint16_t *nr, unsigned n, bool want, int label);
void rn_gen_cache(struct rn_gen *gen, enum rn_cached m);
void rn_gen_enter(struct rn_gen *gen); /* body of the entry program */
/* r1 = the call with its arguments, a struct rn_bpf_call: for intrinsics; clobbers r0..r5 */
void rn_gen_call_in_r1(struct rn_gen *gen);
/* Emits body once for each different key of the covered calls, in a branch of its own. */
void rn_gen_by_trait(struct rn_gen *gen, rn_trait_key *key,
		     void (*body)(struct rn_gen *gen, int key, void *self), void *self);

/* ---- walk.c ---- */

/* NULL: the field is no member of what an argument points to, or it was kept from a pair's first
 * event */
const struct rn_arg_member *rn_gen_member_field(struct rn_gen *gen, const struct rn_field *field);
/* Returns the stack slot with the member's number; fetches it at the first call, which clobbers
 * r0..r5. */
int rn_gen_walk(struct rn_gen *gen, const struct rn_arg_member *member);
/* Does a fragment use members of what arguments point to? */
bool rn_gen_has_members(const struct rn_fragment *fragment);
/* Notes that the program reads a field of the tracepoint's record; fails if it has arguments. */
void rn_gen_of_record(struct rn_gen *gen, const char *name);
/* Stores the member's text at [base+off], a struct rn_bpf_str; base survives calls. */
void rn_gen_walk_text(struct rn_gen *gen, const struct rn_arg_member *member, int base, int off);

/* ---- expr.c ---- */

/* r0 = value; clobbers r0..r5 */
void rn_gen_eval(struct rn_gen *gen, const struct rn_expr *expr);
void rn_gen_branch(struct rn_gen *gen, const struct rn_expr *expr, bool want, int label);
bool rn_gen_has_func(const char *name); /* as rn_func.kernel says */
/* The condition as it is for events of this program, whose names are known: without the parts that
 * a name decides. A constant, if all is decided. */
struct rn_expr *rn_gen_narrow(struct rn_gen *gen, struct rn_expr *expr);

/* ---- string.c ---- */

void rn_gen_str_eq(struct rn_gen *gen, const struct rn_expr *left, const struct rn_expr *right,
		   bool want, int label);
void rn_gen_glob(struct rn_gen *gen, const struct rn_expr *expr, const struct rn_expr *pattern,
		 bool want, int label);
/* r0 = the length of a text; clobbers r0..r5 */
void rn_gen_len(struct rn_gen *gen, const struct rn_expr *call);
void rn_gen_cidr(struct rn_gen *gen, const struct rn_expr *call, bool want, int label);

/* ---- agg.c ---- */

/* r9 = the group's value. Words in the order of rn_agg slots; COUNT has none (it is
 * `events`). */
unsigned rn_agg_bpf_words(const struct rn_agg_call *call); /* words kept in the kernel */
/* Is the first of them its own count of events? */
bool rn_agg_bpf_counts(const struct rn_agg_call *call);
/* words of one slot in the kernel */
unsigned rn_slot_words(enum rn_slot_op op);
void rn_gen_update(struct rn_gen *gen);
bool rn_agg_bpf_merges(const struct rn_agg *agg); /* may its words be added to another group's? */
/* adds the value whose address is in stack slot `from` to the one at r9 */
void rn_gen_merge(struct rn_gen *gen, int from);

/* ---- cells.c ---- */

void rn_gen_cells(struct rn_gen *gen); /* cells.c */

/* ---- handover.c ---- */

/* Returns what a search for tags does, as a text in the arena: its tags, limits, and conditions on
 * the process. Equal texts: one search does for both fragments. */
const char *rn_gen_search_key(struct rn_arena *arena, const struct rn_fragment *fragment);

/* ---- arguments.c ---- */

/* The arguments that this part of the fragment uses, itself or their texts: a set of 1 << number.
 */
unsigned rn_gen_arguments(const struct rn_fragment *fragment, unsigned part);

/* ---- chain.c ---- */

/* Says which maps a chain of programs needs. */
void rn_gen_chain_specs(struct rn_map_spec map[RN_MAP_COUNT], unsigned ncpus);
/* Returns the program that begins a chain, at the entry or at the return of system calls. In the
 * arena; NULL: see err. */
struct rn_emit *rn_gen_chain_head(struct rn_arena *arena, const struct rn_btf *btf, unsigned ncpus,
				  bool entry, struct rn_err *err);

/* ---- functions.c ---- */

/* Lists in nr[RN_FUNCTIONS_MAX] the calls that the fragment asks for, if programs on
 * their functions alone can answer it. Returns how many; 0: why says why not. */
enum { RN_FUNCTIONS_MAX = 16 };
unsigned rn_gen_function_calls(const struct rn_fragment *fragment, uint16_t *nr, const char **why);
#endif
