/* memory.h - allocations that are never refused, and what happens when memory runs out.
 *
 * A thread that works for a host which must live on (librunnel's) has a spare: a piece of address
 * space set aside. When malloc refuses, the spare is given back, the allocation is tried again, and
 * from then on rn_memory_short() is true in this thread and the spare's `raise` is set: arenas say
 * that they are full, whoever polls `raise` ends, and what was being made is thrown away. So memory
 * that runs out ends a query and not the process, as long as its orderly end fits into the spare. A
 * thread without a spare, or with one that is used up, says "out of memory" on stderr and aborts,
 * as git and psql do.
 *
 * Which spare is a thread's is the one thing here that is thread-local; all else belongs to whoever
 * has the spare. */
#ifndef RN_LANG_BASE_MEMORY_H
#define RN_LANG_BASE_MEMORY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rn_spare {
	void *block; /* NULL: there is none, or it was given back */
	size_t bytes;
	bool used;     /* memory has run out since rn_spare_fill */
	int *raise[2]; /* set to 1 when it does; NULL: not wanted */
};
/* Sets so many bytes aside, unless they are, and forgets that memory ran out. False: they are not
 * to be had. */
bool rn_spare_fill(struct rn_spare *s, size_t bytes);
void rn_spare_empty(struct rn_spare *s);
/* From now on this is the calling thread's (NULL: it has none); returns the one before. */
struct rn_spare *rn_spare_use(struct rn_spare *s);
bool rn_memory_short(void); /* this thread's spare was used */

/* What a thread holds, in bytes, if the program counts that (repl/heap.c), and whether it is to
 * end. A query of an agent has one, and who watches the query reads it from another thread. */
struct rn_account {
	int64_t bytes;     /* by rn_account_bytes */
	int ended;         /* by rn_account_end */
	unsigned may_fail; /* of its thread alone: how many rn_account_may_fail(true) are open */
};
/* From now on this is the calling thread's (NULL: it has none); returns the one before. */
struct rn_account *rn_account_use(struct rn_account *a);
int64_t rn_account_bytes(const struct rn_account *a); /* any thread; 0 if nothing counts */
/* Any thread: what the account's thread does is to end. rn_account_ended() is true there, arenas
 * say that they are full, and allocations that may fail do, until the thread itself calls
 * rn_account_go_on, for an orderly end. */
void rn_account_end(struct rn_account *a);
void rn_account_go_on(void);
bool rn_account_ended(void);
/* Around a call of a library that copes with NULL, and may go on for long or take much: regcomp,
 * regexec. No rn_malloc in it. */
void rn_account_may_fail(bool may);
/* What block takes, of rn_malloc or malloc, is now held by none of them: another thread will free
 * it. Any thread. */
void rn_account_give(struct rn_account *a, void *block);
/* Of who counts: bytes more are held by the calling thread; is an allocation of it to be
 * refused? */
void rn_account_add(int64_t bytes);
bool rn_account_refuses(void);
/* A library has said that it got no memory: as if an allocation below had been refused, which
 * returns if there is a spare. */
void rn_memory_refused(void);

/* As those of libc, but never NULL; to be freed with free. */
void *rn_malloc(size_t n) __attribute__((malloc));
void *rn_calloc(size_t n, size_t each) __attribute__((malloc));
void *rn_realloc(void *p, size_t n);
char *rn_strdup(const char *s) __attribute__((malloc));
char *rn_strndup(const char *s, size_t n) __attribute__((malloc));
#endif
