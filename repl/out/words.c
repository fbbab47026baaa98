/* words.c - see words.h. */
#include <limits.h>
#include <string.h>
#include <unistd.h>
#include "lang/base/str.h"
#include "lang/catalog/call_args.h"
#include "lang/values/named.h"
#include "repl/out/words.h"
#include "repl/render/numbers.h"

static const struct {
	const char *letters, *words;
} operations[] = {
	{"DE", "secure erase"}, {"R", "read"},  {"W", "write"},
	{"D", "discard"},       {"F", "flush"}, {"N", "none"},
};
static const struct {
	char letter;
	const char *words;
} ways[] = {
	{'F', "through the cache"}, {'A', "ahead"}, {'S', "sync"}, {'M', "meta"}, {'U', "atomic"},
};

const char *rn_words_request(struct rn_arena *arena, const char *letters, size_t n)
{
	/* a first F in front of the operation: the cache is flushed before */
	bool flushes = n > 1 && letters[0] == 'F' && strchr("RWDFN", letters[1]);
	struct rn_strbuf to;
	size_t at = flushes, i;

	rn_strbuf_init(&to, arena);
	for (i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		size_t len = strlen(operations[i].letters);

		if (n - at >= len && !memcmp(letters + at, operations[i].letters, len)) {
			rn_strbuf_put(&to, operations[i].words);
			at += len;
			break;
		}
	}
	if (i == sizeof(operations) / sizeof(*operations))
		return NULL;
	if (flushes && strcmp(operations[i].letters, "F"))
		rn_strbuf_put(&to, ", flush first");
	for (; at < n; at++) {
		for (i = 0; i < sizeof(ways) / sizeof(*ways); i++)
			if (ways[i].letter == letters[at])
				break;
		if (i == sizeof(ways) / sizeof(*ways))
			return NULL;
		rn_strbuf_printf(&to, ", %s", ways[i].words);
	}
	return rn_strbuf_cstr(&to);
}

const char *rn_words_device(struct rn_arena *arena, int64_t device)
{
	char link[64], path[PATH_MAX];
	const char *name;
	ssize_t n;

	snprintf(link, sizeof(link), "/sys/dev/block/%lld:%lld", (long long)(device >> 20),
		 (long long)(device & 0xFFFFF));
	n = readlink(link, path, sizeof(path) - 1);
	if (n <= 0)
		return NULL;
	path[n] = 0;
	name = strrchr(path, '/');
	return rn_arena_strdup(arena, name ? name + 1 : path);
}

/* Does the row's call have a pointer as that argument? */
static bool is_pointer(const struct rn_printer *p, unsigned argument, const struct rn_value *row)
{
	for (unsigned i = 0; i < p->ncols; i++)
		if (p->cols[i].words == RN_WORDS_CALL && row[i].kind == RN_STR)
			return rn_call_pointers(row[i].s, row[i].len) >> argument & 1;
	return false;
}

/* "ESRCH (3)", "O_RDWR|O_CREAT (0x42)"; NULL: the number has no name. */
static const char *with_number(struct rn_arena *arena, struct rn_ty type,
			       const struct rn_value *value)
{
	enum rn_unit unit = (enum rn_unit)type.unit;
	const char *name;

	if (unit != RN_U_ERRNO && !rn_named_set(unit))
		return NULL;
	name = rn_printer_show(arena, type, value);
	if (strchr("-0123456789", *name))
		return NULL;
	return rn_named_flags(unit)
		       ? rn_arena_printf(arena, "%s (%#llx)", name, (unsigned long long)value->i)
		       : rn_arena_printf(arena, "%s (%lld)", name, (long long)value->i);
}

const char *rn_words_of(const struct rn_printer *printer, unsigned column,
			const struct rn_value *row)
{
	const struct rn_column *c = &printer->cols[column];
	const struct rn_value *v = &row[column];
	char buf[32];

	if (v->kind == RN_STR && c->words == RN_WORDS_REQUEST)
		return rn_words_request(printer->arena, v->s, v->len);
	if (v->kind != RN_INT)
		return NULL;
	if (c->ty.unit == RN_U_DEV)
		return printer->one_node ? rn_words_device(printer->arena, v->i) : NULL;
	if (c->ty.unit != RN_U_NONE)
		return printer->numbers ? with_number(printer->arena, c->ty, v) : NULL;
	if (c->words == RN_WORDS_COUNT && printer->term.tty)
		return rn_arena_strdup(printer->arena, rn_text_commas(buf, v->i));
	if (c->words == RN_WORDS_POINTER ||
	    (c->words >= RN_WORDS_ARG && c->words < RN_WORDS_POINTER && v->i &&
	     is_pointer(printer, c->words - RN_WORDS_ARG, row)))
		return v->i ? rn_arena_printf(printer->arena, "0x%llx", (unsigned long long)v->i)
			    : "NULL";
	return NULL;
}
