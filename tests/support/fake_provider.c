/* fake_provider.c - see fake_provider.h. It has no `flip`: groups and predicates are the
 * agent's. */
#include <errno.h>
#include <stdlib.h>
#include "tests/support/fake_provider.h"

struct fake_source {
	struct rn_source base;
	struct rn_fake_rows *rows;
	const struct rn_fragment *f;
	unsigned at, polls;
	bool stopped;
};

static int column_of(const struct rn_class *cls, const char *name)
{
	const struct rn_field *f = rn_class_field(cls, name);

	for (unsigned i = 0; f && i < cls->nfields; i++)
		if (cls->fields[i] == f)
			return (int)i;
	return -1;
}

void rn_fake_row(struct rn_value *row, const struct rn_class *cls)
{
	for (unsigned i = 0; i < cls->nfields; i++) {
		uint8_t t = cls->fields[i]->ty.type;

		row[i] = t == RN_T_INT    ? rn_int(0)
			 : t == RN_T_BOOL ? rn_bool(false)
					  : rn_strn("", 0);
	}
}

void rn_fake_set(struct rn_value *row, const struct rn_class *cls, const char *field,
		 struct rn_value v)
{
	row[column_of(cls, field)] = v;
}

static const struct rn_source_ops fake_ops;

static int fake_open(void *provider, const struct rn_fragment *f, const struct rn_scope *scope,
		     struct rn_source **out, struct rn_err *err)
{
	struct rn_fake_rows *rows = provider;
	struct fake_source *s;

	(void)scope;
	for (unsigned i = 0; i < f->nfields; i++)
		if (column_of(rows->cls, f->fields[i]->name) < 0)
			return rn_err_set(err, -ENOENT, "no field %s here", f->fields[i]->name);
	s = calloc(1, sizeof(*s));
	s->rows = rows;
	s->f = f;
	s->base.ops = &fake_ops;
	*out = &s->base;
	return 0;
}

static int fake_start(struct rn_source *source, struct rn_err *err)
{
	struct fake_source *s = (struct fake_source *)source;

	(void)err;
	s->rows->started++;
	return 0;
}

static int fake_poll(struct rn_source *source, const struct rn_sink *sink, int timeout_ms,
		     struct rn_err *err)
{
	struct fake_source *s = (struct fake_source *)source;
	const struct rn_fake_rows *rows = s->rows;
	unsigned n = rows->nrows - s->at, ncols = s->f->nfields;
	struct rn_value *v;
	int r = 0;

	(void)timeout_ms;
	if (rows->fail_after && s->polls++ == rows->fail_after)
		return rn_err_set(err, -EIO, "the fake source broke");
	if (rows->batch && n > rows->batch)
		n = rows->batch;
	v = calloc((size_t)n * ncols + 1, sizeof(*v));
	for (unsigned k = 0; k < n; k++)
		for (unsigned c = 0; c < ncols; c++)
			v[k * ncols + c] =
				rows->v[(s->at + k) * rows->ncols +
					(unsigned)column_of(rows->cls, s->f->fields[c]->name)];
	if (n)
		r = sink->rows(sink->self, &(struct rn_rows){.nrows = n,
							     .ncols = ncols,
							     .values = v,
							     .time_ns = rows->time_ns + s->at});
	free(v);
	s->at += n;
	return r < 0 ? r : s->at == rows->nrows && (!rows->idle || s->stopped);
}

static int fake_stop(struct rn_source *source, struct rn_err *err)
{
	struct fake_source *s = (struct fake_source *)source;

	(void)err;
	s->rows->stopped++;
	s->stopped = true;
	return 0;
}

static void fake_ledger(struct rn_source *source, struct rn_ledger *l)
{
	struct fake_source *s = (struct fake_source *)source;

	l->n[RN_L_SEEN] += s->at;
	l->n[RN_L_MATCHED] += s->at;
}

static void fake_close(struct rn_source *source)
{
	struct fake_source *s = (struct fake_source *)source;

	s->rows->closed++;
	free(s);
}

static const struct rn_source_ops fake_ops = {
	.start = fake_start,
	.poll = fake_poll,
	.stop = fake_stop,
	.ledger = fake_ledger,
	.close = fake_close,
};
static const struct rn_provider_ops fake_provider_ops = {
	.open = fake_open,
};

struct rn_provider rn_fake_provider(struct rn_fake_rows *rows)
{
	return (struct rn_provider){.ops = &fake_provider_ops, .self = rows};
}
