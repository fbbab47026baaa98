/* heap.c - the program's malloc: the C library's, which also counts what each thread holds in that
 * thread's account (lang/base/memory.h).
 *
 * These definitions override libc's for everything that the process has loaded: regcomp, libelf,
 * libbpf and SQLite allocate through them too. So an agent knows how much memory a query holds, and
 * can refuse memory to a call that may take too much. Only the program links this file: a library
 * must not replace the malloc of its host. Sanitizer builds have their own malloc, and valgrind
 * replaces this one; then nothing is counted. */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include "lang/base/memory.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define NOT_COUNTED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NOT_COUNTED
#endif

#ifndef NOT_COUNTED
#define EXPORTED __attribute__((visibility("default")))

/* The same functions of libc. */
void *libc_malloc(size_t n) __asm__("__libc_malloc");
void *libc_calloc(size_t n, size_t each) __asm__("__libc_calloc");
void *libc_realloc(void *p, size_t n) __asm__("__libc_realloc");
void *libc_memalign(size_t align, size_t n) __asm__("__libc_memalign");
void libc_free(void *p) __asm__("__libc_free");

static int64_t size_of(void *p)
{
	return p ? (int64_t)malloc_usable_size(p) : 0;
}

static void *refused(void)
{
	errno = ENOMEM;
	return NULL;
}

static void *counted(void *p)
{
	rn_account_add(size_of(p));
	return p;
}

EXPORTED void *malloc(size_t n)
{
	return rn_account_refuses() ? refused() : counted(libc_malloc(n));
}

EXPORTED void *calloc(size_t n, size_t each)
{
	return rn_account_refuses() ? refused() : counted(libc_calloc(n, each));
}

EXPORTED void *realloc(void *p, size_t n)
{
	int64_t before = size_of(p);
	void *more;

	if (n && rn_account_refuses())
		return refused();
	more = libc_realloc(p, n);
	if (more || !n) /* size 0: it was freed */
		rn_account_add(size_of(more) - before);
	return more;
}

EXPORTED void *memalign(size_t align, size_t n)
{
	return rn_account_refuses() ? refused() : counted(libc_memalign(align, n));
}

EXPORTED void *aligned_alloc(size_t align, size_t n)
{
	return memalign(align, n);
}

EXPORTED int posix_memalign(void **out, size_t align, size_t n)
{
	void *p;

	if (align % sizeof(void *) || !align || align & (align - 1))
		return EINVAL;
	p = memalign(align, n);
	if (!p)
		return ENOMEM;
	*out = p;
	return 0;
}

EXPORTED void free(void *p)
{
	rn_account_add(-size_of(p));
	libc_free(p);
}
#endif
