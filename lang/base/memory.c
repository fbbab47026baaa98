/* memory.c - see memory.h. The spare is mapped, not malloc'ed: giving it back must help at once,
 * and must not change malloc's thresholds. */
#include "lang/base/memory.h"
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static _Thread_local struct rn_spare *spare;
static _Thread_local struct rn_account *account;

bool rn_spare_fill(struct rn_spare *s, size_t bytes)
{
	if (!s->block) {
		void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			       0);

		s->block = p == MAP_FAILED ? NULL : p;
		s->bytes = bytes;
	}
	s->used = !s->block;
	return !s->used;
}

void rn_spare_empty(struct rn_spare *s)
{
	if (s->block)
		munmap(s->block, s->bytes);
	s->block = NULL;
}

struct rn_spare *rn_spare_use(struct rn_spare *s)
{
	struct rn_spare *before = spare;

	spare = s;
	return before;
}

bool rn_memory_short(void)
{
	return (spare && spare->used) || rn_account_ended();
}

/* malloc has refused. Returns true if the caller should try again. */
static bool give_back(void)
{
	if (!spare || !spare->block) {
		fputs("out of memory\n", stderr);
		abort();
	}
	rn_spare_empty(spare);
	spare->used = true;
	for (int i = 0; i < 2; i++)
		if (spare->raise[i])
			__atomic_store_n(spare->raise[i], 1, __ATOMIC_RELAXED);
	return true;
}

void rn_memory_refused(void)
{
	if (!rn_account_ended())
		give_back();
}

/* ---- accounts ---- */

struct rn_account *rn_account_use(struct rn_account *a)
{
	struct rn_account *before = account;

	account = a;
	return before;
}

int64_t rn_account_bytes(const struct rn_account *a)
{
	return __atomic_load_n(&a->bytes, __ATOMIC_RELAXED);
}

void rn_account_end(struct rn_account *a)
{
	__atomic_store_n(&a->ended, 1, __ATOMIC_RELAXED);
}

void rn_account_go_on(void)
{
	if (account)
		__atomic_store_n(&account->ended, 0, __ATOMIC_RELAXED);
}

bool rn_account_ended(void)
{
	return account && __atomic_load_n(&account->ended, __ATOMIC_RELAXED);
}

void rn_account_may_fail(bool may)
{
	if (account)
		account->may_fail += may ? 1 : (unsigned)-1;
}

void rn_account_give(struct rn_account *a, void *block)
{
	__atomic_sub_fetch(&a->bytes, (int64_t)malloc_usable_size(block), __ATOMIC_RELAXED);
}

void rn_account_add(int64_t bytes)
{
	if (account)
		__atomic_add_fetch(&account->bytes, bytes, __ATOMIC_RELAXED);
}

bool rn_account_refuses(void)
{
	return account && account->may_fail && rn_account_ended();
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
	return rn_strndup(s, SIZE_MAX);
}
