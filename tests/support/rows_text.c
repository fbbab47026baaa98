/* rows_text.c - see rows_text.h */
#include "tests/support/rows_text.h"

#include "lang/values/hist.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(struct rn_rows_text *r, char *line)
{
	if (r->n == r->cap)
		r->line = realloc(r->line, (r->cap = r->cap ? 2 * r->cap : 64) * sizeof(*r->line));
	r->line[r->n++] = line;
}

static void put_hist(FILE *f, const struct rn_value *v)
{
	struct rn_arena *arena = rn_arena_create(1 << 20);

	fputs(rn_hist_text(arena, v), f);
	rn_arena_destroy(arena);
}

static void put_value(FILE *f, const struct rn_value *v, struct rn_ty ty)
{
	char ip[64];

	switch (v->kind) {
	case RN_NULL: break;
	case RN_FLOAT: fprintf(f, "%.9g", v->f); break;
	case RN_STR:
		if (ty.type == RN_T_IP && v->len == RN_IP_BYTES)
			fwrite(ip, 1, rn_ip_show((const unsigned char *)v->s, ip, sizeof(ip)), f);
		else if (ty.type == RN_T_HIST)
			put_hist(f, v);
		else
			fwrite(v->s, 1, v->len, f);
		break;
	default: fprintf(f, "%lld", (long long)v->i);
	}
}

static int begin(void *self, const struct rn_answer_shape *res)
{
	struct rn_rows_text *r = self;

	r->ncols = res->ncols;
	r->ty = calloc(res->ncols, sizeof(*r->ty));
	for (unsigned i = 0; i < res->ncols; i++)
		r->ty[i] = res->cols[i].ty;
	return 0;
}

static int row(void *self, const struct rn_value *v)
{
	struct rn_rows_text *r = self;
	char *line;
	size_t n;
	FILE *f = open_memstream(&line, &n);

	for (unsigned i = 0; i < r->ncols; i++) {
		if (i)
			fputc('|', f);
		put_value(f, &v[i], r->ty[i]);
	}
	fclose(f);
	add(r, line);
	return 0;
}

static int end(void *self)
{
	(void)self;
	return 0;
}

struct rn_output rn_rows_text_output(struct rn_rows_text *r)
{
	return (struct rn_output){.self = r, .begin = begin, .row = row, .end = end};
}

void rn_rows_text_sql(struct rn_rows_text *r, sqlite3_stmt *st)
{
	char *line;
	size_t n;
	FILE *f = open_memstream(&line, &n);

	for (int i = 0; i < sqlite3_column_count(st); i++) {
		if (i)
			fputc('|', f);
		if (sqlite3_column_type(st, i) == SQLITE_FLOAT)
			fprintf(f, "%.9g", sqlite3_column_double(st, i));
		else if (sqlite3_column_type(st, i) != SQLITE_NULL)
			fputs((const char *)sqlite3_column_text(st, i), f);
	}
	fclose(f);
	add(r, line);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void rn_rows_text_sort(struct rn_rows_text *r)
{
	if (r->n)
		qsort(r->line, r->n, sizeof(*r->line), by_text);
}

bool rn_rows_text_equal(const struct rn_rows_text *a, const struct rn_rows_text *b, char *where,
			size_t n)
{
	for (unsigned i = 0; i < a->n || i < b->n; i++) {
		const char *x = i < a->n ? a->line[i] : "(no more rows)",
			   *y = i < b->n ? b->line[i] : "(no more rows)";

		if (strcmp(x, y)) {
			snprintf(where, n, "row %u: %.200s\n  but:   %.200s (%u and %u rows)",
				 i + 1, x, y, a->n, b->n);
			return false;
		}
	}
	return true;
}

void rn_rows_text_free(struct rn_rows_text *r)
{
	for (unsigned i = 0; i < r->n; i++)
		free(r->line[i]);
	free(r->line);
	free(r->ty);
	*r = (struct rn_rows_text){0};
}
