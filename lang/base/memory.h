/* memory.h - allocations that never fail, and what happens when memory runs out.
 *
 * A thread that works for a host which must live on (librunnel's) has a spare: reserved address
 * space. When malloc refuses, the spare is given back and the allocation is tried again. From then
 * on rn_memory_short() is true in this thread, and the spare's `raise` is set. Arenas report that
 * they are full, every loop that polls `raise` ends, and the unfinished result is thrown away. So a
 * lack of memory ends a query and not the process, as long as the orderly end fits into the spare.
 * A thread without a spare, or whose spare is used up, says "out of memory" on stderr and aborts,
 * as git and psql do.
 *
 * Only the choice of a thread's spare is thread-local. All else belongs to the owner of the
 * spare. */
#ifndef RN_LANG_BASE_MEMORY_H
#define RN_LANG_BASE_MEMORY_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rn_spare {
	void *block; /* NULL: there is none, or it was given back */
	size_t bytes;
	bool used;     /* memory has run out since rn_spare_fill */
	int *raise[2]; /* set to 1 when memory runs out; NULL: not wanted */
};
/* Reserves so many bytes, if they are not reserved yet, and forgets that memory ran out. Returns
 * false if it cannot get them. */
bool rn_spare_fill(struct rn_spare *spare, size_t bytes);
void rn_spare_empty(struct rn_spare *spare);
/* Makes spare the calling thread's spare (NULL: it has none). Returns the previous one. */
struct rn_spare *rn_spare_use(struct rn_spare *spare);
bool rn_memory_short(void); /* this thread's spare was used */

/* What a thread holds, in bytes, if the program counts that (repl/heap.c), and whether the thread
 * must end. Each query of an agent has one. The thread that watches the query reads it. */
struct rn_account {
	int64_t bytes; /* by rn_account_bytes */
	int ended;     /* by rn_account_end */
	/* for its own thread only: how many rn_account_may_fail(true) are open */
	unsigned may_fail;
};
/* Makes a the calling thread's account (NULL: it has none). Returns the previous one. */
struct rn_account *rn_account_use(struct rn_account *account);
int64_t rn_account_bytes(const struct rn_account *account); /* any thread; 0 if nothing counts */
/* Ends the work of the account's thread; any thread may call it. There rn_account_ended() turns
 * true, arenas report that they are full, and allocations that may fail do fail. This lasts until
 * the thread itself calls rn_account_go_on, for an orderly end. */
void rn_account_end(struct rn_account *account);
void rn_account_go_on(void);
bool rn_account_ended(void);
/* Encloses a call of a library that copes with NULL and may run long or take much memory: regcomp,
 * regexec. Do not call rn_malloc inside. */
void rn_account_may_fail(bool may);
/* Removes a block of rn_malloc or malloc from the account, because another thread will free it. Any
 * thread may call it. */
void rn_account_give(struct rn_account *account, void *block);
/* For the counter of bytes: the calling thread now holds `bytes` more. Returns true if this
 * allocation must be refused. */
void rn_account_add(int64_t bytes);
bool rn_account_refuses(void);
/* Call it if a library reports that it got no memory. It acts like a refused allocation, and
 * returns if there is a spare. */
void rn_memory_refused(void);

/* As in libc, but never NULL. Free the result with free. */
void *rn_malloc(size_t n) __attribute__((malloc));
void *rn_calloc(size_t n, size_t each) __attribute__((malloc));
void *rn_realloc(void *p, size_t n);
/* Asks the kernel for large pages below an array that is long enough for some. To touch a page for
 * the first time is what a long array costs most, on virtual machines above all. */
void rn_memory_large(void *array, size_t bytes);
char *rn_strdup(const char *s) __attribute__((malloc));
char *rn_strndup(const char *s, size_t n) __attribute__((malloc));
/* Prints into a new string. */
char *rn_asprintf(const char *fmt, ...) __attribute__((malloc, format(printf, 1, 2)));
char *rn_vasprintf(const char *fmt, va_list ap) __attribute__((malloc, format(printf, 1, 0)));
#endif
