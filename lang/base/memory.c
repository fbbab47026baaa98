/* memory.c - see memory.h. The spare is mapped, not malloc'ed: giving it back must help at once,
 * and must not change malloc's thresholds. */
#include "lang/base/memory.h"
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE_BYTES = 4096, LARGE_BYTES = 16 << 20 /* 8 large pages */ };

static _Thread_local struct rn_spare *current_spare;
static _Thread_local struct rn_account *current_account;

bool rn_spare_fill(struct rn_spare *spare, size_t bytes)
{
	if (!spare->block) {
		void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			       0);

		spare->block = p == MAP_FAILED ? NULL : p;
		spare->bytes = bytes;
	}
	spare->used = !spare->block;
	return !spare->used;
}

void rn_spare_empty(struct rn_spare *spare)
{
	if (spare->block)
		munmap(spare->block, spare->bytes);
	spare->block = NULL;
}

struct rn_spare *rn_spare_use(struct rn_spare *spare)
{
	struct rn_spare *before = current_spare;

	current_spare = spare;
	return before;
}

bool rn_memory_short(void)
{
	return (current_spare && current_spare->used) || rn_account_ended();
}

/* malloc has refused. Returns true if the caller should try again. */
static bool give_back(void)
{
	if (!current_spare || !current_spare->block) {
		fputs("out of memory\n", stderr);
		abort();
	}
	rn_spare_empty(current_spare);
	current_spare->used = true;
	for (int i = 0; i < 2; i++)
		if (current_spare->raise[i])
			__atomic_store_n(current_spare->raise[i], 1, __ATOMIC_RELAXED);
	return true;
}

void rn_memory_refused(void)
{
	if (!rn_account_ended())
		give_back();
}

/* ---- accounts ---- */

struct rn_account *rn_account_use(struct rn_account *account)
{
	struct rn_account *before = current_account;

	current_account = account;
	return before;
}

int64_t rn_account_bytes(const struct rn_account *account)
{
	return __atomic_load_n(&account->bytes, __ATOMIC_RELAXED);
}

void rn_account_end(struct rn_account *account)
{
	__atomic_store_n(&account->ended, 1, __ATOMIC_RELAXED);
}

void rn_account_go_on(void)
{
	if (current_account)
		__atomic_store_n(&current_account->ended, 0, __ATOMIC_RELAXED);
}

bool rn_account_ended(void)
{
	return current_account && __atomic_load_n(&current_account->ended, __ATOMIC_RELAXED);
}

void rn_account_may_fail(bool may)
{
	if (current_account)
		current_account->may_fail += may ? 1 : (unsigned)-1;
}

void rn_account_give(struct rn_account *account, void *block)
{
	__atomic_sub_fetch(&account->bytes, (int64_t)malloc_usable_size(block), __ATOMIC_RELAXED);
}

void rn_account_add(int64_t bytes)
{
	if (current_account)
		__atomic_add_fetch(&current_account->bytes, bytes, __ATOMIC_RELAXED);
}

bool rn_account_refuses(void)
{
	return current_account && current_account->may_fail && rn_account_ended();
}

/* ---- allocations ---- */

void *rn_malloc(size_t n)
{
	void *p;

	while (!(p = malloc(n ? n : 1)) && give_back())
		;
	return p;
}

void *rn_calloc(size_t n, size_t each)
{
	void *p;

	while (!(p = calloc(n ? n : 1, each ? each : 1)) && give_back())
		;
	return p;
}

void *rn_realloc(void *p, size_t n)
{
	void *more;

	while (!(more = realloc(p, n ? n : 1)) && give_back())
		;
	return more;
}

void rn_memory_large(void *array, size_t bytes)
{
	/* from the page that the array begins in: a mapping of two parts could not grow in place */
	uintptr_t from = (uintptr_t)array & ~(uintptr_t)(PAGE_BYTES - 1);

	/* it is a hint: a kernel that has none goes on as before */
	if (bytes >= LARGE_BYTES)
		(void)madvise((void *)from, (uintptr_t)array + bytes - from, MADV_HUGEPAGE);
}

char *rn_strndup(const char *s, size_t n)
{
	char *copy;

	n = strnlen(s, n);
	copy = rn_malloc(n + 1);
	memcpy(copy, s, n);
	copy[n] = '\0';
	return copy;
}

char *rn_strdup(const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(rn_malloc(n), s, n);
}

char *rn_vasprintf(const char *fmt, va_list ap)
{
	va_list again;
	char *text;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0) {
		fprintf(stderr, "a text cannot be printed: %s\n", fmt);
		abort();
	}
	text = rn_malloc((size_t)n + 1);
	vsnprintf(text, (size_t)n + 1, fmt, ap);
	return text;
}

char *rn_asprintf(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = rn_vasprintf(fmt, ap);
	va_end(ap);
	return text;
}
