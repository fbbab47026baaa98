/* catalog.h - what names mean: event classes, tables, their fields, and the signatures of
 * aggregates.
 *
 * Name resolution and the planner know the world only through this interface. probes/ implements it
 * for the running kernel, exec/ for a trace file, tests/ fake it. All that it hands out lives as
 * long as the catalogue. */
#ifndef RN_LANG_CATALOG_CATALOG_H
#define RN_LANG_CATALOG_CATALOG_H
#include <stdbool.h>
#include "lang/base/arena.h"
#include "lang/values/show.h"
#include "lang/values/value.h"

enum { RN_IN_KERNEL = 1, RN_IN_NODE = 2 }; /* where a field can be evaluated: a set */
enum { RN_BITS_SIGNED = 0x80 };
/* What the texts of a field look like, by which lang/resolve/never.c knows a comparison that
 * nothing can make true. */
enum rn_field_kind {
	RN_KIND_OTHER, /* anything */
	/* an absolute path, or what the kernel calls something without one: socket:[81] */
	RN_KIND_PATH,
	RN_KIND_COMM, /* the name of a thread: at most RN_COMM_BYTES */
	RN_KIND_USER, /* the name of a user, or the number of one that has no name */
	RN_KIND_WORD, /* a name in which nobody writes `*` or `?` */
	RN_KIND_FD,   /* a number: a descriptor, or -1 */
};
enum { RN_COMM_BYTES = 15 };

/* What a field tells of a payload: all that a policy which denies payload looks at. */
enum rn_tells {
	RN_TELLS_NOTHING,  /* or where it is, and how long */
	RN_TELLS_EQUAL,    /* a hash: which payloads are alike; the node may key it */
	RN_TELLS_AROUND,   /* fingerprints of what lies around tags; the node may leave them out */
	RN_TELLS_LIKENESS, /* a sketch: what it resembles */
	RN_TELLS_CONTENT,  /* its bytes */
};

struct rn_field {
	const char *name;
	struct rn_ty ty;
	uint8_t where;          /* RN_IN_KERNEL | RN_IN_NODE */
	uint16_t id;            /* the provider's own number, meaningless to others */
	const char *doc;        /* one line, for describe */
	const char *not_kernel; /* why it is not evaluated in the kernel; NULL if it is */
	/* of an integer: 0 <= x < 2^bits; with RN_BITS_SIGNED -2^bits <= x < 2^bits; 0: any of 64
	 * bits */
	uint8_t bits;
	/* `events of` does not show it: another field is of the same kind, and meant more often */
	bool asked;
	uint8_t kind; /* enum rn_field_kind */
	/* of a column of a `let`: its kind and path_as_given are those of the class whose field it
	 * shows; else NULL */
	const struct rn_class *shown;
	uint8_t tells; /* enum rn_tells */
	/* some events have rn_unknown() here: latency and begin, of a call whose entry was not
	 * seen */
	bool unsure;
	uint16_t show; /* enum rn_show */
};

enum rn_class_kind { RN_CLASS_EVENT, RN_CLASS_TABLE };

struct rn_class {
	const char *name; /* "read", "syscall", "tracepoint" */
	const char *arg;  /* "sched:sched_switch" of a class with an argument; NULL otherwise */
	enum rn_class_kind kind;
	const char *doc;
	const struct rn_field *const *fields; /* in the order of `describe` */
	unsigned nfields;
	const char *later; /* not executed yet: what to say; NULL if it is */
	bool needs_arg;    /* tracepoint "x:y", tag a, b, line GLOB */
	uint16_t id;       /* the provider's own number */
	/* the system calls that it covers, by name, NULL-terminated; NULL: its events are no system
	 * calls */
	const char *const *calls;
	/* where the argument is a glob: all that it stands for, each as `arg`, NULL-terminated;
	 * NULL: it is none */
	const char *const *each;
	bool recorded;       /* its events are in a recording: no kernel sees them */
	const char *no_pair; /* why its events cannot be an end of `between`; NULL: they can */
	const struct rn_pair
		*pair; /* this is the class of a pair of events: lang/catalog/pair.h; NULL */
	/* `file` of some of its events is the path as the caller gave it: of unlink, of a failed
	 * open */
	bool path_as_given;
	/* of a recording: the tags that were searched, in text form; no others are known; NULL:
	 * any */
	const char *const *tags;
	unsigned ntags;
};

enum rn_arg_kind { /* of aggregates and scalar functions */
		   RN_ARG_NONE,
		   RN_ARG_ANY,
		   RN_ARG_NUMBER, /* with any unit, a time too */
		   /* a number that may be added up, lie between others or have a sign: no time; of
		    * aggregates, no error or device either */
		   RN_ARG_AMOUNT,
		   RN_ARG_INT,
		   RN_ARG_TEXT,
		   RN_ARG_IP,
		   /* a constant above 0, in the unit of the first argument (of a time: a
		    * duration) */
		   RN_ARG_STEP,
		   RN_ARG_NETWORK, /* a constant "10.0.0.0/8" */
		   /* a sketch, or what one is made of: text, bytes. The payload of an event is: its
		      sketch */
		   RN_ARG_SKETCH,
};
enum rn_result_kind {
	RN_RES_INT,
	RN_RES_ARG, /* as the argument; of a boolean an integer */
	/* a difference of arguments: as the argument, but of times a duration */
	RN_RES_DIFF,
	RN_RES_FLOAT_ARG_UNIT, /* a float in the argument's unit */
	/* a float that is a difference: in the argument's unit, of times a duration */
	RN_RES_FLOAT_DIFF,
	RN_RES_HIST,
	RN_RES_LIST,
	RN_RES_RATE,
};

/* What the language needs to know of an aggregate; planner/plan/agg.h has the rest. */
struct rn_agg_sig {
	const char *name;
	enum rn_arg_kind arg;           /* of the first argument */
	bool arg_optional;              /* rate, rate(bytes); count */
	uint8_t min_params, max_params; /* constant parameters after it: quantile(x, 0.5) has 1 */
	enum rn_result_kind result;
	const char *doc; /* "quantile(x, q): ... relative error at most 1 %" */
};

struct rn_catalog {
	void *self;
	/* The class of a name, with the argument of a class that takes one (tracepoint); NULL if
	 * there is none: then why (if not NULL) gets a one-line reason and may be left empty for
	 * "no such name". Where the system refuses to tell, a second line says what to do about
	 * that; where the argument is beyond a limit, the second says what is not, and a third is
	 * the code, E-LIMIT-... */
	const struct rn_class *(*find)(void *self, const char *name, const char *arg, char *why,
				       size_t why_bytes);
	/* All names a user could write as a source, NULL-terminated, sorted: for `list` and "did
	 * you mean". */
	const char *const *(*names)(void *self);
	/* Candidates for the argument of a class (tracepoint names); NULL if it has none. */
	const char *const *(*args)(void *self, const char *name);
	const struct rn_agg_sig *const *aggs; /* NULL-terminated */
};

/* How many bytes of a `why` are for people: all but a code. */
int rn_catalog_why(const char *why);
const struct rn_field *rn_class_field(const struct rn_class *c, const char *name);
/* A class as a query has it: read, sample 99hz, tracepoint "sched:sched_switch". */
const char *rn_class_text(struct rn_arena *a, const struct rn_class *c);
/* arg may be NULL */
const char *rn_source_text(struct rn_arena *a, const char *name, const char *arg);
/* Is the argument one that stands for several: tracepoint "sched:*"? */
bool rn_class_arg_is_glob(const char *name, const char *arg);
/* True if `events of` shows the field: all but the payload (and what is made of it), stacks, and
 * what is to be asked for. */
bool rn_field_in_events(const struct rn_field *f);
/* True if `events of ... into` records the field: those, and what a flow over the recording
 * needs. */
bool rn_field_in_recording(const struct rn_field *f);
#endif
