/* json.h - values as JSON, for aggregates with structured results (hist, set, top), and questions
 * about types. */
#ifndef RN_LANG_VALUES_JSON_H
#define RN_LANG_VALUES_JSON_H
#include "lang/base/str.h"
#include "lang/values/value.h"

/* Appends one JSON value: numbers plain, NULL as null, an IP in its usual notation, other strings
 * escaped. A byte that is not UTF-8 becomes the code point of the same number (\u00ff), so the
 * output is always valid JSON. */
void rn_value_json(struct rn_strbuf *out, struct rn_ty ty, const struct rn_value *value);
struct rn_value rn_value_of_text(struct rn_strbuf *buf); /* the text so far */

static inline bool rn_is_text(struct rn_ty t)
{
	return t.type == RN_T_STR || t.type == RN_T_IP || t.type == RN_T_TAGS ||
	       t.type == RN_T_BYTES || t.type == RN_T_STACK || t.type == RN_T_HIST ||
	       t.type == RN_T_LIST || t.type == RN_T_SKETCH;
}
static inline bool rn_is_number(struct rn_ty t)
{
	return t.type == RN_T_BOOL || t.type == RN_T_INT || t.type == RN_T_FLOAT;
}
#endif
