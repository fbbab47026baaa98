/* demangle.c - see demangle.h. The library is libiberty, that of the GNU tools; its own limit of
 * recursion stays on. It has no limit of output, and asks nobody while it writes: a name may refer
 * to its own parts, so each level of a few bytes can double the text. The one way to stop it is to
 * leave its callback for good (longjmp). It holds no memory while it writes a name of C++. It may
 * hold an identifier of Rust, so GIVE_UP of them bound the loss. */
#include "probes/process/demangle.h"
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/clock.h"
#include "lang/base/memory.h"

/* Names beyond a limit, and time, that one demangler spends. */
enum { GIVE_UP = 64 };
static const int64_t most_ns = 2000000000;

struct rn_demangler {
	char text[RN_DEMANGLED_BYTES + 1];
	size_t n;
	jmp_buf beyond;
	int64_t end_ns; /* 0: nothing was demangled yet */
	unsigned failed;
	bool cut;
};

struct rn_demangler *rn_demangler_create(void)
{
	return rn_calloc(1, sizeof(struct rn_demangler));
}

void rn_demangler_destroy(struct rn_demangler *demangler)
{
	free(demangler);
}

bool rn_demangler_cut(const struct rn_demangler *demangler)
{
	return demangler->cut;
}

static void take(const char *text, size_t n, void *self)
{
	struct rn_demangler *d = self;

	if (n > RN_DEMANGLED_BYTES - d->n)
		longjmp(d->beyond, 1);
	memcpy(d->text + d->n, text, n);
	d->n += n;
}

/* Is there a text, and can it be a line of an answer? */
static bool is_text(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 127)
			return false;
	return n > 0;
}

/* Rust first: its older names are names of C++ with a hash behind. */
static bool write_text(struct rn_demangler *d, const char *name)
{
	if (setjmp(d->beyond)) {
		d->failed++;
		d->cut = true;
		return false;
	}
	d->n = 0;
	if (rust_demangle_callback(name, DMGL_PARAMS | DMGL_ANSI, take, d))
		return true;
	d->n = 0;
	return name[1] == 'Z' &&
	       cplus_demangle_v3_callback(name, DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP, take, d);
}

const char *rn_demangle(struct rn_demangler *demangler, const char *name)
{
	struct rn_demangler *d = demangler;

	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R'))
		return NULL;
	if (!d->end_ns)
		d->end_ns = rn_mono_ns() + most_ns;
	if (strnlen(name, RN_MANGLED_BYTES + 1) > RN_MANGLED_BYTES || d->failed == GIVE_UP ||
	    rn_mono_ns() > d->end_ns) {
		d->cut = true;
		return NULL;
	}
	if (!write_text(d, name) || !is_text(d->text, d->n))
		return NULL;
	d->text[d->n] = 0;
	return d->text;
}

/* ---- the shorter forms ---- */

/* The beginning of the bracket that ends the text before `end`; end itself: no bracket does. */
static size_t opening(const char *text, size_t end, char open, char close)
{
	unsigned depth = 0;

	for (size_t i = end; i-- > 0;) {
		depth += text[i] == close;
		if (text[i] == open && --depth == 0)
			return i;
	}
	return end;
}

/* Cuts the word off if the text ends with it. */
static bool ends_with(const char *text, size_t *n, const char *word)
{
	size_t len = strlen(word);

	if (*n <= len || memcmp(text + *n - len, word, len) != 0)
		return false;
	*n -= len;
	return true;
}

/* Length without the parameters, and what stands behind them: "(int) const [clone .cold]". */
static size_t without_parameters(const char *text, size_t n)
{
	const char *clone = strstr(text, " [clone ");
	size_t end = clone ? (size_t)(clone - text) : n;

	while (ends_with(text, &end, " const") || ends_with(text, &end, " volatile") ||
	       ends_with(text, &end, " &&") || ends_with(text, &end, " &"))
		;
	return end && text[end - 1] == ')' ? opening(text, end, '(', ')') : end;
}

/* Length without template arguments at the end. The sign of an operator may look like them. */
static size_t without_arguments(const char *text, size_t n)
{
	size_t at = n && text[n - 1] == '>' ? opening(text, n, '<', '>') : n, word = at;

	if (at == n || ends_with(text, &word, "operator"))
		return n;
	while (at && text[at - 1] == ' ') /* operator<< <int> */
		at--;
	(void)ends_with(text, &at, "::"); /* Rust: align_of::<f64> */
	return at;
}

unsigned rn_demangled_forms(const char *text, size_t length[RN_DEMANGLED_FORMS])
{
	size_t n = strlen(text), bare = without_parameters(text, n), plain;
	unsigned forms = 0;

	length[forms++] = n;
	if (bare && bare < n)
		length[forms++] = bare;
	bare = length[forms - 1];
	plain = without_arguments(text, bare);
	if (plain && plain < bare)
		length[forms++] = plain;
	return forms;
}
