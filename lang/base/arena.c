/* arena.c - chunks of memory in a list, the newest first. An allocation takes the next 16-byte slot
 * of the newest chunk.
 *
 * Invariants: the `used` of every chunk is a multiple of 16. Memory handed out is zero, even after
 * a reset: the chunk that is kept is cleared up to its `used`. `total` counts the bytes handed out,
 * not those reserved. An allocation too large for a chunk gets a chunk of its own. It is put behind
 * the newest, so that the rest of the newest stays in use. */
#include "lang/base/arena.h"
#include "lang/base/memory.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN 16
#define FIRST_BYTES 4096
#define CHUNK_BYTES ((size_t)256 << 10)

struct chunk {
	struct chunk *next;
	size_t size, used; /* of data */
	_Alignas(ALIGN) char data[];
};

struct rn_arena {
	struct chunk *head;
	size_t cap, total;
	size_t grow; /* size of the next chunk */
};

static struct chunk *chunk_create(size_t size)
{
	struct chunk *c = rn_calloc(1, sizeof(*c) + size);

	c->size = size;
	return c;
}

struct rn_arena *rn_arena_create(size_t cap_bytes)
{
	struct rn_arena *a = rn_calloc(1, sizeof(*a));

	a->cap = cap_bytes;
	a->grow = FIRST_BYTES;
	return a;
}

static void free_chunks(struct chunk *c)
{
	while (c) {
		struct chunk *next = c->next;

		free(c);
		c = next;
	}
}

void rn_arena_destroy(struct rn_arena *arena)
{
	if (!arena)
		return;
	free_chunks(arena->head);
	free(arena);
}

void rn_arena_reset(struct rn_arena *arena)
{
	if (arena->head) {
		free_chunks(arena->head->next);
		arena->head->next = NULL;
		memset(arena->head->data, 0, arena->head->used);
		arena->head->used = 0;
	}
	arena->total = 0;
}

size_t rn_arena_bytes(const struct rn_arena *arena)
{
	return arena->total;
}

bool rn_arena_full(const struct rn_arena *arena)
{
	return arena->total > arena->cap || rn_memory_short();
}

void *rn_arena_alloc(struct rn_arena *arena, size_t size)
{
	struct chunk *c = arena->head;
	void *p;

	if (size > SIZE_MAX / 2)
		return rn_malloc(size); /* which refuses it */
	size = size ? (size + ALIGN - 1) & ~(size_t)(ALIGN - 1) : ALIGN;
	arena->total += size;
	if (c && size <= c->size - c->used) {
		p = c->data + c->used;
		c->used += size;
		return p;
	}
	if (size > CHUNK_BYTES / 4 && c) {
		struct chunk *big = chunk_create(size);

		big->used = size;
		big->next = c->next;
		c->next = big;
		return big->data;
	}
	c = chunk_create(size > arena->grow ? size : arena->grow);
	if (arena->grow < CHUNK_BYTES)
		arena->grow *= 2;
	c->next = arena->head;
	arena->head = c;
	c->used = size;
	return c->data;
}

void *rn_arena_try(struct rn_arena *arena, size_t size)
{
	size_t left = arena->total < arena->cap ? arena->cap - arena->total : 0;

	return left < ALIGN || size > left - (ALIGN - 1) ? NULL : rn_arena_alloc(arena, size);
}

char *rn_arena_strndup(struct rn_arena *arena, const char *s, size_t n)
{
	char *p = rn_arena_alloc(arena, n + 1);

	if (n)
		memcpy(p, s, n);
	return p;
}

char *rn_arena_strdup(struct rn_arena *arena, const char *s)
{
	return rn_arena_strndup(arena, s, strlen(s));
}

char *rn_arena_vprintf(struct rn_arena *arena, const char *fmt, va_list ap)
{
	char small[256];
	va_list again;
	int n;
	char *p;

	va_copy(again, ap);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	if (n < 0)
		n = 0, small[0] = '\0';
	if ((size_t)n < sizeof(small)) {
		p = rn_arena_strndup(arena, small, (size_t)n);
	} else {
		p = rn_arena_alloc(arena, (size_t)n + 1);
		vsnprintf(p, (size_t)n + 1, fmt, again);
	}
	va_end(again);
	return p;
}

char *rn_arena_printf(struct rn_arena *arena, const char *fmt, ...)
{
	va_list ap;
	char *p;

	va_start(ap, fmt);
	p = rn_arena_vprintf(arena, fmt, ap);
	va_end(ap);
	return p;
}
