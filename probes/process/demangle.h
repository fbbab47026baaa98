/* demangle.h - inside probes/: from the name that a compiler makes of a function of C++ or Rust
 * (_ZN2ns1fEi, _RNvC1a1f) to the one that its author wrote: ns::f(int), a::f.
 *
 * Any user may have made the names. A name of some hundred bytes can stand for gigabytes of text.
 * So lengths have limits, and a demangler gives up after so many names beyond them, or so much
 * time. A name that is not demangled stays as it is. One thread for each object. */
#ifndef RN_PROBES_PROCESS_DEMANGLE_H
#define RN_PROBES_PROCESS_DEMANGLE_H
#include <stdbool.h>
#include <stddef.h>

/* A longer name is not read; of a longer text nothing is taken. */
enum { RN_MANGLED_BYTES = 4096, RN_DEMANGLED_BYTES = 4096 };

struct rn_demangler;
struct rn_demangler *rn_demangler_create(void);
void rn_demangler_destroy(struct rn_demangler *demangler); /* NULL is allowed */
/* Has a limit kept a name from being demangled? */
bool rn_demangler_cut(const struct rn_demangler *demangler);

/* Returns the readable name, which lives until the next call. NULL: the name is not mangled, or
 * its text cannot be shown. Return types are left out. */
const char *rn_demangle(struct rn_demangler *demangler, const char *name);

/* A readable name as people write it: "ns::f<int>(int) const" is also "ns::f<int>" and "ns::f". All
 * are beginnings of the text, so this gives their lengths, the longest first, and their number. */
enum { RN_DEMANGLED_FORMS = 3 };
unsigned rn_demangled_forms(const char *text, size_t length[RN_DEMANGLED_FORMS]);
#endif
