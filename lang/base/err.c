/* err.c - errors of the system: see err.h. Long texts are cut, never overrun. Context is put in
 * front of the text so far. */
#include "lang/base/err.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include "lang/base/utf8.h"

/* The hint does not depend on the operation: the way out is always this. */
static void hint_files(struct rn_err *err, int code)
{
	struct rlimit most;

	if (code == -ENFILE)
		rn_err_hint(err,
			    "the machine has as many files open as it may: `sysctl fs.file-max`");
	else if (code == -EMFILE && !getrlimit(RLIMIT_NOFILE, &most))
		rn_err_hint(err,
			    "the limit is %llu; a query takes up to two for each program that it "
			    "attaches. To raise it: `ulimit -n 4096`, or LimitNOFILE= of a service",
			    (unsigned long long)most.rlim_cur);
}

#undef rn_err_set
enum { RAW = 1024 };

/* Names in it may come from a stranger. This cleans the text, so that an error is safe to show
 * anywhere. */
static void put(char *to, size_t cap, const char *fmt, va_list ap)
{
	char raw[RAW];

	vsnprintf(raw, sizeof(raw), fmt, ap);
	rn_utf8_clean(to, cap, raw, strlen(raw), "\n\t");
}

int rn_err_set(struct rn_err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	err->code = code;
	err->hint[0] = '\0';
	err->span = (struct rn_span){0};
	va_start(ap, fmt);
	put(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	hint_files(err, code);
	return code;
}

int rn_err_wrap(struct rn_err *err, const char *fmt, ...)
{
	char inner[sizeof(err->text)];
	va_list ap;
	size_t n;

	if (!err)
		return 0;
	memcpy(inner, err->text, sizeof(inner));
	va_start(ap, fmt);
	put(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	n = strlen(err->text);
	if (inner[0])
		snprintf(err->text + n, sizeof(err->text) - n, ": %s", inner);
	return err->code;
}

void rn_err_hint(struct rn_err *err, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return;
	va_start(ap, fmt);
	put(err->hint, sizeof(err->hint), fmt, ap);
	va_end(ap);
}
