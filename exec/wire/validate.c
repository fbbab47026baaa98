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

bool rn_shape_rows(const struct rn_fragment *fragment, const struct rn_rows *rows)
{
	bool raw = rn_fragment_raw(fragment);

	if ((fragment->grouped && !raw) ||
	    rows->ncols != (raw ? fragment->nfields : fragment->ncols))
		return false;
	for (uint32_t i = 0; i < rows->nrows; i++)
		for (uint32_t c = 0; c < rows->ncols; c++)
			if (!fits(&rows->values[(size_t)i * rows->ncols + c],
				  raw ? fragment->fields[c]->ty : fragment->cols[c].ty))
				return false;
	return true;
}

bool rn_shape_partials(const struct rn_fragment *fragment, const struct rn_partials *partials)
{
	if (!fragment->grouped || rn_fragment_raw(fragment))
		return false;
	if (fragment->every_ns ? partials->window_ns < 0 || partials->window_ns > INT64_MAX / 2 ||
					 partials->window_ns % fragment->every_ns
			       : partials->window_ns != 0)
		return false;
	for (uint32_t i = 0; i < partials->n; i++)
		for (unsigned k = 0; k < fragment->nkeys && !partials->parts[i].other; k++)
			if (!fits(&partials->parts[i].key[k], fragment->keys[k]->ty))
				return false;
	return true;
}
