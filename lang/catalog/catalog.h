/* catalog.h - what names mean: event classes, tables, their fields, and the signatures of
 * aggregates.
 *
 * Name resolution and the planner know the world only through this interface. probes/ implements it
 * for the running kernel, exec/ for a trace file, and tests/ fake it. Everything that a catalogue
 * returns lives as long as the catalogue. */
#ifndef RN_LANG_CATALOG_CATALOG_H
#define RN_LANG_CATALOG_CATALOG_H
#include <stdbool.h>
#include "lang/base/arena.h"
#include "lang/values/show.h"
#include "lang/values/value.h"

/* The places where a field can be evaluated: a set. RN_IN_KEY: the kernel has a number for it, so
 * it can group by the field, but evaluates nothing of it: the name of a user. RN_IN_GLOB: the
 * kernel compares it with a glob, and does nothing else with it: a command line. */
enum { RN_IN_KERNEL = 1, RN_IN_NODE = 2, RN_IN_KEY = 4, RN_IN_GLOB = 8 };
enum { RN_BITS_SIGNED = 0x80 };
/* What the texts of a field look like. lang/resolve/never.c uses it to find comparisons that can
 * never be true. */
enum rn_field_kind {
	RN_KIND_OTHER, /* anything */
	/* an absolute path, or the kernel's name of a file without one: socket:[81] */
	RN_KIND_PATH,
	RN_KIND_COMM, /* the name of a thread: at most RN_COMM_BYTES */
	RN_KIND_USER, /* the name of a user, or a number if the user has no name */
	RN_KIND_WORD, /* a name that never has a `*` or `?` in it */
	RN_KIND_FD,   /* a number: a descriptor, or -1 */
};
enum { RN_COMM_BYTES = 15 };

/* What a field reveals of a payload. A policy that denies payload looks at nothing else. */
enum rn_tells {
	RN_TELLS_NOTHING,  /* or its place and length */
	RN_TELLS_EQUAL,    /* a hash: shows which payloads are equal; the node may key it */
	RN_TELLS_AROUND,   /* fingerprints of the bytes around tags; the node may leave them out */
	RN_TELLS_LIKENESS, /* a sketch: the payload's likeness */
	RN_TELLS_CONTENT,  /* the payload's bytes */
};

struct rn_field {
	const char *name;
	struct rn_ty ty;
	uint8_t where;          /* a set of the places above */
	uint16_t id;            /* the provider's own number; it means nothing to others */
	const char *doc;        /* one line, for describe */
	const char *not_kernel; /* why the kernel cannot evaluate it; NULL: the kernel can */
	/* range of an integer: 0 <= x < 2^bits; with RN_BITS_SIGNED -2^bits <= x < 2^bits; 0: any
	 * of 64 bits */
	uint8_t bits;
	/* `events of` leaves it out: another field of the same kind is wanted more often */
	bool asked;
	uint8_t kind; /* enum rn_field_kind */
	/* for a column of a `let`: the class whose field it shows, which gives its kind and
	 * path_as_given; else NULL */
	const struct rn_class *shown;
	uint8_t tells; /* enum rn_tells */
	/* some events have rn_unknown() here: latency and begin, if the entry of the call was not
	 * seen */
	bool unsure;
	/* of a call: only its end tells it */
	bool of_end;
	uint16_t show; /* enum rn_show */
	uint8_t words; /* enum rn_words */
	/* a text that is a number in the kernel, with names of its own: lang/catalog/numbering.h */
	const struct rn_numbering *numbering;
	/* for a tracepoint's own field: the field of all events whose name it takes; else NULL */
	const struct rn_field *hides;
	const void *own; /* the provider's own description of it; it means nothing to others */
};

enum rn_class_kind { RN_CLASS_EVENT, RN_CLASS_TABLE };

struct rn_class {
	const char *name; /* "read", "syscall", "tracepoint" */
	const char *arg;  /* "sched:sched_switch" for a class with an argument; else NULL */
	enum rn_class_kind kind;
	const char *doc;
	const struct rn_field *const *fields; /* in the order of `describe` */
	unsigned nfields;
	const char *later; /* the message if it is not executed yet; else NULL */
	bool needs_arg;    /* tracepoint "x:y", tag a, b, line GLOB */
	uint16_t id;       /* the provider's own number */
	/* names of the system calls that it covers, NULL-terminated; NULL: its events are not
	 * system calls */
	const char *const *calls;
	/* if the argument is a glob: every argument that it matches, in the form of `arg`,
	 * NULL-terminated; else NULL */
	const char *const *each;
	/* for a list of classes: its members, NULL-terminated: lang/catalog/list.h; else NULL */
	const struct rn_class *const *list;
	bool recorded;       /* its events come from a recording: no kernel sees them */
	const char *no_pair; /* why its events cannot be an end of `between`; NULL: they can */
	const struct rn_pair
		*pair; /* for the class of a pair of events: lang/catalog/pair.h; else NULL */
	/* in some events `file` is the path as the caller gave it: unlink, a failed open */
	bool path_as_given;
	/* for a recording: the tags that were searched, in text form; other tags are unknown; NULL:
	 * any tag */
	const char *const *tags;
	unsigned ntags;
	/* fields beside those above, found by their text: sk.__sk_common.skc_dport; NULL: none. why
	 * as in rn_catalog.find */
	const struct rn_field *(*member)(void *self, const struct rn_class *cls, const char *text,
					 char *why, size_t why_bytes);
	void *member_self;
};

enum rn_arg_kind { /* of aggregates and scalar functions */
		   RN_ARG_NONE,
		   RN_ARG_ANY,
		   RN_ARG_NUMBER, /* with any unit, a time too */
		   /* a number that can be summed, ordered or negative: not a time; for aggregates
		    * not an error or a device either */
		   RN_ARG_AMOUNT,
		   RN_ARG_INT,
		   RN_ARG_WHOLE, /* an integer with any unit: a size, a duration, a time too */
		   /* a number in the unit of the first argument, which the result then has not; or
		    * a plain one */
		   RN_ARG_DIVISOR,
		   RN_ARG_TEXT,
		   RN_ARG_IP,
		   /* a whole constant above 0, in the unit of the first argument (a duration if
		    * that is a time) */
		   RN_ARG_STEP,
		   RN_ARG_NETWORK, /* a constant "10.0.0.0/8" */
		   /* a sketch, or a value that a sketch is made of: text, bytes; a payload is its
		    * sketch */
		   RN_ARG_SKETCH,
		   RN_ARG_CONDITION,
		   /* of one type and unit with all others of this kind; the result has them too */
		   RN_ARG_LIKE,
		   RN_ARG_TIME,
		   /* amounts; the result is NULL if it is below 0 (a plain number), or not above 0
		    */
		   RN_ARG_NOT_NEGATIVE,
		   RN_ARG_POSITIVE,
		   RN_ARG_PRINTED, /* text, a number without a unit, or a size */
		   RN_ARG_REGEX,   /* a constant regular expression, of which a group is wanted */
		   RN_ARG_NTH,     /* an integer other than 0 */
		   /* what lang/values/zone.h says of the local time. The planner adds it, and no
		    * query has it. */
		   RN_ARG_ZONE,
};
enum rn_result_kind {
	RN_RES_INT,
	RN_RES_ARG, /* as the argument; an integer for a boolean */
	/* a difference of arguments: as the argument, but a duration for times */
	RN_RES_DIFF,
	RN_RES_FLOAT_ARG_UNIT, /* a float in the argument's unit */
	/* a float that is a difference: in the argument's unit, a duration for times */
	RN_RES_FLOAT_DIFF,
	RN_RES_HIST,
	RN_RES_LIST,
	RN_RES_RATE,
};

/* What the language needs to know of an aggregate; planner/plan/agg.h has the rest. */
struct rn_agg_sig {
	const char *name;
	enum rn_arg_kind arg;           /* kind of the first argument */
	bool arg_optional;              /* as in rate, rate(bytes); count */
	uint8_t min_params, max_params; /* constant parameters after it: quantile(x, 0.5) has 1 */
	enum rn_result_kind result;
	const char *doc; /* "quantile(x, q): ... relative error at most 1 %" */
};

/* The name of the aggregate that stands for p05, p75, p9999 and all others of that form. */
extern const char rn_quantile_form[];
/* Is it `p` and two to four digits NN, the quantile 0.NN? *q, if it is not NULL, gets that. p100 is
 * none: it would be taken for the maximum. */
bool rn_quantile_of(const char *name, double *q);
/* What was meant by p5, p100 or p12345; NULL: the name is nothing of that kind. */
const char *rn_quantile_hint(struct rn_arena *arena, const char *name);

struct rn_catalog {
	void *self;
	/* Finds the class of a name, with the argument if the class takes one (tracepoint). Returns
	 * NULL if there is none. Then why (if not NULL) gets a one-line reason, or stays empty for
	 * "no such name". If the system refuses to tell, a second line says what to do. If the
	 * argument is beyond a limit, the second line says what is within it, and a third line
	 * is the code, E-LIMIT-... */
	const struct rn_class *(*find)(void *self, const char *name, const char *arg, char *why,
				       size_t why_bytes);
	/* All names that a query can use as a source, NULL-terminated, sorted: for `list` and "did
	 * you mean". */
	const char *const *(*names)(void *self);
	/* Candidates for the argument of a class (tracepoint names); NULL if it has none. */
	const char *const *(*args)(void *self, const char *name);
	const struct rn_agg_sig *const *aggs; /* NULL-terminated */
};

/* How many bytes of a `why` are for people: all except a code. */
int rn_catalog_why(const char *why);
/* The present name of a class that version 0.1.0 called `name`: "processes" for "proc". Returns
 * name itself if it was not renamed. For saved views, recordings and policies of that version. */
const char *rn_class_now(const char *name);
const struct rn_field *rn_class_field(const struct rn_class *cls, const char *name);
/* Is the text that of a member, with a dot or brackets in it? */
bool rn_is_member(const char *text);
/* The fields that tell the rows of a table apart, from one reading of it to the next:
 * NULL-terminated; NULL: it has none. */
const char *const *rn_table_key(const struct rn_class *cls);
/* The text of a class in a query: read, sample 99hz, tracepoint "irq:*", "softirq:*". */
const char *rn_class_text(struct rn_arena *arena, const struct rn_class *cls);
/* arg may be NULL */
const char *rn_source_text(struct rn_arena *arena, const char *name, const char *arg);
/* Does the argument stand for several, as in tracepoint "sched:*", or "irq:*, softirq:*"? */
bool rn_class_arg_is_glob(const char *name, const char *arg);
/* Is it a class whose events are calls of functions, or hits of static probes, that its arguments
 * name? */
bool rn_class_of_functions(const char *name);
/* True if `events of` shows the field. It shows all except the payload, fields made of the payload,
 * stacks, and fields with `asked`. */
bool rn_field_in_events(const struct rn_field *field);
/* True if `events of ... into` records the field: the shown ones, and those that a flow over the
 * recording needs. */
bool rn_field_in_recording(const struct rn_field *field);
#endif
