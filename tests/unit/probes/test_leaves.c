/* test_leaves.c - where functions are left, of code that is written here; and what the tables for
 * unwinding say of this program itself. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "lang/base/memory.h"
#include "lang/base/vec.h"
#include "probes/process/unwind.h"
#include "probes/uprobe/leaves.h"
#include "probes/uprobe/user.h"

/* ---- leaves.h over bytes ---- */

enum { AT = 0x1000, INSIDE = 0x2000, FUNCTION = 0x3000, TABLE = 0x4000, NO_TABLE = 0x5000 };
struct found {
	unsigned nleave;
	uint64_t leave[4];
	bool jump[4];
	enum rn_stack_at stack;
	struct rn_leaves_seen seen;
};

static enum rn_target target(void *self, uint64_t address)
{
	(void)self;
	return address == INSIDE     ? RN_TARGET_INSIDE
	       : address == FUNCTION ? RN_TARGET_FUNCTION
				     : RN_TARGET_UNKNOWN;
}

static enum rn_stack_at stack(void *self, uint64_t address)
{
	(void)address;
	return ((struct found *)self)->stack;
}

static bool number(void *self, uint64_t address, unsigned bytes, int64_t *to)
{
	(void)self;
	*to = bytes == 4 ? AT + 2 - TABLE : AT + 2;
	return address == TABLE;
}

static bool leave(void *self, uint64_t address, bool jump)
{
	struct found *f = self;

	assert_true(f->nleave < 4);
	f->leave[f->nleave] = address - AT;
	f->jump[f->nleave++] = jump;
	return true;
}

static const char *find(struct found *f, const void *code, unsigned n)
{
	const struct rn_piece piece = {.address = AT,
				       .entry = AT,
				       .code = code,
				       .n = n,
				       .target = target,
				       .stack = stack,
				       .number = number,
				       .leave = leave,
				       .self = f,
				       .seen = &f->seen};

	return rn_leaves_find(&piece);
}
#define FIND(f, code) find(f, code, sizeof(code) - 1)

static void test_returns(void **state)
{
	struct found f = {0};

	(void)state;
	/* test %edi,%edi; je 5; ret; nop; ret; nop */
	assert_null(FIND(&f, "\x85\xff\x74\x01\xc3\xc3\x90"));
	assert_int_equal(f.nleave, 2);
	assert_int_equal(f.leave[1], 5);
	assert_false(f.jump[0]);
}

static void test_falls_through(void **state)
{
	struct found f = {0};

	(void)state;
	assert_non_null(FIND(&f, "\xc3\x31\xc0"));     /* ret; xor */
	assert_non_null(FIND(&f, "\x90"));             /* nop */
	assert_null(FIND(&f, "\xe8\x01\x00\x00\x00")); /* a call that does not return */
}

static void test_jumps(void **state)
{
	struct found f = {0};

	(void)state;
	assert_null(FIND(&f, "\xe9\xfb\x0f\x00\x00")); /* jmp INSIDE */
	assert_int_equal(f.nleave, 0);
	assert_null(FIND(&f, "\xe9\xfb\x1f\x00\x00")); /* jmp FUNCTION */
	assert_true(f.nleave == 1 && f.jump[0]);
	assert_non_null(FIND(&f, "\xe9\xfb\x2f\x00\x00"));         /* elsewhere */
	assert_non_null(FIND(&f, "\x0f\x84\xfa\x1f\x00\x00\xc3")); /* je FUNCTION */
	assert_non_null(FIND(&f, "\xeb\xfe"));                     /* to its beginning */
	assert_null(FIND(&f, "\xff\x25\x00\x00\x00\x00"));         /* jmp *TABLE(%rip) */
}

/* lea TABLE(%rip),%rdx; movslq (%rdx,%rdi,4),%rax; add %rdx,%rax; jmp *%rax; ret */
#define SWITCH "\x48\x8d\x15\xf9\x2f\x00\x00\x48\x63\x04\xba\x48\x01\xd0\xff\xe0\xc3"

static void test_switch(void **state)
{
	char other[] = SWITCH;
	struct found f = {.stack = RN_STACK_FRESH};

	(void)state;
	assert_null(FIND(&f, SWITCH));
	assert_true(f.seen.switches && !f.seen.relies);
	other[4] = (char)((NO_TABLE - AT - 7) >> 8); /* of which the file has no bytes */
	assert_non_null(FIND(&f, other));
	f.stack = RN_STACK_UNKNOWN;
	assert_non_null(FIND(&f, SWITCH));
	f.stack = RN_STACK_FRESH;
	assert_null(FIND(&f, "\xff\x24\xc5\x00\x40\x00\x00\xc3")); /* jmp *TABLE(,%rax,8) */
	assert_non_null(FIND(&f, "\xff\xe0"));                     /* jmp *%rax: a call, perhaps */
	f.stack = RN_STACK_USED;
	assert_null(FIND(&f, "\xff\xe0\xc3")); /* with a frame: inside */
	assert_true(f.seen.relies && f.seen.doubtful);
}

/* ---- this program ---- */

struct mine {
	struct rn_elf *elf;
	struct rn_user_symbol *symbol;
	unsigned n, cap;
};

static bool take(void *self, const struct rn_elf_symbol *y)
{
	struct mine *m = self;

	rn_vec_room(m->symbol, m->n, m->cap);
	m->symbol[m->n++] = (struct rn_user_symbol){y->address, y->bytes, y->at};
	return true;
}

static int open_mine(struct mine *m)
{
	static const struct rn_elf_limits limits = {256 << 20, 64 << 20, 1 << 20, 60000000000, 4};
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	*m = (struct mine){.elf = rn_elf_open(fd, &limits)};
	assert_non_null(m->elf);
	rn_elf_each(m->elf, take, m);
	assert_true(m->n > 100);
	return fd;
}

static void test_pieces(void **state)
{
	unsigned same = 0, pieces = 0;
	struct rn_unwind_piece p;
	struct rn_unwind *u;
	struct mine m;
	int fd = open_mine(&m);

	(void)state;
	u = rn_unwind_read(m.elf);
	assert_non_null(u);
	for (unsigned i = 0; i < m.n; i++) {
		if (!rn_unwind_find(u, m.symbol[i].address, &p))
			continue;
		pieces++;
		assert_true(p.address <= m.symbol[i].address);
		same += p.address == m.symbol[i].address && p.bytes == m.symbol[i].bytes;
	}
	/* all but what is written by hand */
	assert_true(pieces > 100 && same + 20 > pieces);
	assert_false(rn_unwind_find(u, 0, &p));
	assert_false(rn_unwind_find(u, UINT64_MAX, &p));
	assert_false(rn_unwind_find(NULL, AT, &p));
	rn_unwind_free(u);
	rn_elf_close(m.elf);
	free(m.symbol);
	close(fd);
}

/* Something on the stack, all through the function but at its ends. */
__attribute__((noinline)) int has_frame(int n);
int has_frame(int n)
{
	volatile char room[100];

	for (int i = 0; i < 100; i++)
		room[i] = (char)(n + i);
	return room[n % 100];
}

static const struct rn_user_symbol *symbol_of(const struct mine *m, const char *names,
					      const char *name)
{
	for (unsigned i = 0; i < m->n; i++)
		if (!strcmp(names + m->symbol[i].at, name))
			return &m->symbol[i];
	return NULL;
}

static void test_rows(void **state)
{
	struct rn_unwind_row rows[64];
	const struct rn_user_symbol *s;
	struct rn_unwind_piece p;
	struct rn_unwind *u;
	unsigned n, used = 0;
	struct mine m;
	int fd = open_mine(&m);
	size_t bytes;
	char *names;

	(void)state;
	has_frame(1);
	names = rn_elf_take_names(m.elf, &bytes);
	s = symbol_of(&m, names, "has_frame");
	u = rn_unwind_read(m.elf);
	assert_non_null(s);
	n = rn_unwind_rows(u, s->address + 1, &p, rows, 64);
	assert_true(n >= 1 && rows[0].fresh && rows[0].address == s->address && p.fresh);
	for (unsigned i = 1; i < n; i++) {
		assert_true(rows[i].address > rows[i - 1].address);
		assert_true(rows[i].fresh != rows[i - 1].fresh);
		used += !rows[i].fresh;
	}
	assert_true(used > 0 || n == 1);
	rn_unwind_free(u);
	rn_elf_close(m.elf);
	free(m.symbol);
	free(names);
	close(fd);
}

/* ---- tables that lie ---- */

/* Reads all pieces of a file that may be damaged. Returns how many are understood. */
static unsigned ask(const uint8_t *file, size_t n)
{
	static const struct rn_elf_limits limits = {64 << 20, 1 << 20, 1 << 20, 60000000000, 4};
	struct rn_elf *elf = rn_elf_memory(file, n, &limits);
	struct rn_unwind *u = elf ? rn_unwind_read(elf) : NULL;
	struct rn_unwind_row rows[64];
	struct rn_unwind_piece p;
	unsigned good = 0;

	for (unsigned i = 0; i < rn_unwind_count(u); i++) {
		if (!rn_unwind_piece(u, i, &p))
			continue;
		good++;
		assert_true(p.bytes && p.address + p.bytes > p.address);
		(void)rn_unwind_rows(u, p.address, &p, rows, 64);
	}
	rn_unwind_free(u);
	rn_elf_close(elf);
	return good;
}

static void test_damaged(void **state)
{
	enum { ROUNDS = 40, FLIPS = 400 };
	struct mine m;
	int fd = open_mine(&m);
	size_t n = (size_t)lseek(fd, 0, SEEK_END);
	uint8_t *file = rn_malloc(n), *copy = rn_malloc(n);
	unsigned seed = 1, all;
	uint64_t head, bytes;

	(void)state;
	assert_int_equal(pread(fd, file, n, 0), n);
	head = rn_elf_data(m.elf, rn_elf_unwind(m.elf, &bytes));
	assert_true(head > 0);
	all = ask(file, n);
	assert_true(all > 100);
	for (unsigned round = 0; round < ROUNDS; round++) {
		memcpy(copy, file, n);
		for (unsigned i = 0; i < FLIPS; i++) {
			size_t at = head + 12 + (size_t)rand_r(&seed) % (4 * bytes);

			if (at < n)
				copy[at] = (uint8_t)rand_r(&seed);
		}
		assert_true(ask(copy, n) < all);
	}
	memcpy(copy, file, n);
	memset(copy + head + 8, 0xff, 4); /* of four billion pieces */
	assert_int_equal(ask(copy, n), 0);
	free(file);
	free(copy);
	rn_elf_close(m.elf);
	free(m.symbol);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_returns), cmocka_unit_test(test_falls_through),
		cmocka_unit_test(test_jumps),   cmocka_unit_test(test_switch),
		cmocka_unit_test(test_pieces),  cmocka_unit_test(test_rows),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
