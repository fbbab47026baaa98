/* memory.h - allocations that are never refused, and what happens when memory runs out.
 *
 * A thread that works for a host which must live on (librunnel's) has a spare: a piece of address space set aside. When malloc refuses, the spare is
 * given back, the allocation is tried again, and from then on rn_memory_short() is true in this thread and the spare's `raise` is set: arenas say that they
 * are full, whoever polls `raise` ends, and what was being made is thrown away. So memory that runs out ends a query and not the process, as long as its orderly
 * end fits into the spare. A thread without a spare, or with one that is used up, says "out of memory" on stderr and aborts, as git and psql do.
 *
 * Which spare is a thread's is the one thing here that is thread-local; all else belongs to whoever has the spare. */
#ifndef RN_LANG_MEMORY_H
#define RN_LANG_MEMORY_H
#include <stdbool.h>
#include <stddef.h>

struct rn_spare {
	void *block; size_t bytes; /* NULL: there is none, or it was given back */
	bool used;                 /* memory has run out since rn_spare_fill */
	int *raise[2];             /* set to 1 when it does; NULL: not wanted */
};
/* Sets so many bytes aside, unless they are, and forgets that memory ran out. False: they are not to be had. */
bool rn_spare_fill(struct rn_spare *s, size_t bytes);
void rn_spare_empty(struct rn_spare *s);
/* From now on this is the calling thread's (NULL: it has none); returns the one before. */
struct rn_spare *rn_spare_use(struct rn_spare *s);
bool rn_memory_short(void); /* this thread's spare was used */

/* As those of libc, but never NULL; to be freed with free. */
void *rn_malloc(size_t n) __attribute__((malloc));
void *rn_calloc(size_t n, size_t each) __attribute__((malloc));
void *rn_realloc(void *p, size_t n);
char *rn_strdup(const char *s) __attribute__((malloc));
char *rn_strndup(const char *s, size_t n) __attribute__((malloc));
#endif
