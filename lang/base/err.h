/* err.h - errors of the system: a negative errno with a chain of context, the innermost last.
 *
 * A function that can fail because of the system takes a struct rn_err * and returns a negative
 * errno. The function that meets the failure calls rn_err_set. Callers on the way up may call
 * rn_err_wrap to say what they were doing. `hint` is the way out, shown on a line of its own.
 * Errors in the user's query go to diag.h instead. If the system refuses something in a query,
 * `span` may say where. */
#ifndef RN_LANG_BASE_ERR_H
#define RN_LANG_BASE_ERR_H
#include "lang/base/span.h"

struct rn_err {
	int code;       /* negative errno; 0: no error */
	char text[768]; /* "outer: inner", one line, no final dot */
	char hint[384]; /* what the user can do; may be empty */
	/* the part of the query that is refused; empty: no part. It may come from another machine:
	 * test it */
	struct rn_span span;
};

/* rn_err_set with -EMFILE or -ENFILE also sets the hint: how to raise the limit. Both return
 * err->code, so that `return rn_err_set(...)` reads well; err may be NULL. */
int rn_err_set(struct rn_err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int rn_err_wrap(struct rn_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void rn_err_hint(struct rn_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The static analyzer sees one file at a time: this tells it that an error is never 0. */
#ifdef __clang_analyzer__
#define rn_err_set(...) (rn_err_set(__VA_ARGS__) | 1)
#endif
#endif
