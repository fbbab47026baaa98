/* validate.c - see validate.h. */
#include "exec/wire/validate.h"

static bool is_number(struct rn_ty ty)
{
	return ty.type == RN_T_BOOL || ty.type == RN_T_INT || ty.type == RN_T_FLOAT;
}

/* NULL is valid everywhere: a quotient can be NULL. */
static bool fits(const struct rn_value *v, struct rn_ty ty)
{
	if (v->kind == RN_NULL)
		return true;
	if (is_number(ty))
		return v->kind != RN_STR;
	return v->kind == RN_STR && (ty.type != RN_T_IP || !v->len || v->len == RN_IP_BYTES);
}

bool rn_shape_rows(const struct rn_fragment *f, const struct rn_rows *r)
{
	bool raw = rn_fragment_raw(f);

	if ((f->grouped && !raw) || r->ncols != (raw ? f->nfields : f->ncols))
		return false;
	for (uint32_t i = 0; i < r->nrows; i++)
		for (uint32_t c = 0; c < r->ncols; c++)
			if (!fits(&r->v[(size_t)i * r->ncols + c],
				  raw ? f->fields[c]->ty : f->cols[c].ty))
				return false;
	return true;
}

bool rn_shape_partials(const struct rn_fragment *f, const struct rn_partials *p)
{
	if (!f->grouped || rn_fragment_raw(f))
		return false;
	if (f->every_ns
		    ? p->window_ns < 0 || p->window_ns > INT64_MAX / 2 || p->window_ns % f->every_ns
		    : p->window_ns != 0)
		return false;
	for (uint32_t i = 0; i < p->n; i++)
		for (unsigned k = 0; k < f->nkeys && !p->p[i].other; k++)
			if (!fits(&p->p[i].key[k], f->keys[k]->ty))
				return false;
	return true;
}
