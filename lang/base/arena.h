/* arena.h - one region of memory per compilation.
 *
 * Everything that a compilation makes (tokens, AST, types, plans) lives in one arena and dies with
 * it. Nothing in it is freed alone. The cap is soft: an allocation beyond it still succeeds, and
 * rn_arena_full() turns true. A pass can thus report E-LIMIT-MEMORY once instead of testing every
 * pointer. The arena is also full once the thread's memory has run out (lang/base/memory.h). Code
 * that reads input of others, which may ask for any amount, allocates by rn_arena_try instead:
 * there the cap is hard. Not thread-safe: one arena belongs to one thread at a time. */
#ifndef RN_LANG_BASE_ARENA_H
#define RN_LANG_BASE_ARENA_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct rn_arena;

/* Returns an empty arena that is "full" after cap_bytes; never NULL. */
struct rn_arena *rn_arena_create(size_t cap_bytes);
void rn_arena_destroy(struct rn_arena *arena); /* NULL is allowed */
/* Forgets all allocations and keeps one chunk for reuse: for batches of rows. */
void rn_arena_reset(struct rn_arena *arena);
bool rn_arena_full(const struct rn_arena *arena);
/* How many bytes it has handed out since it was created or reset. */
size_t rn_arena_bytes(const struct rn_arena *arena);

/* Returns size bytes, zeroed, aligned to 16; size 0 gives a valid unique pointer. */
void *rn_arena_alloc(struct rn_arena *arena, size_t size);
/* The same if it fits below the cap; else returns NULL and allocates nothing. */
void *rn_arena_try(struct rn_arena *arena, size_t size);
char *rn_arena_strndup(struct rn_arena *arena, const char *s, size_t n);
char *rn_arena_strdup(struct rn_arena *arena, const char *s);
char *rn_arena_printf(struct rn_arena *arena, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
char *rn_arena_vprintf(struct rn_arena *arena, const char *fmt, va_list ap);

#define RN_NEW(a, type) ((type *)rn_arena_alloc((a), sizeof(type)))
#define RN_NEWN(a, type, n) ((type *)rn_arena_alloc((a), (n) * sizeof(type)))
#endif
