/* json.c - see json.h. */
#include "lang/values/json.h"
#include "lang/base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct rn_value rn_value_of_text(struct rn_strbuf *buf)
{
	const char *s = rn_strbuf_cstr(buf);

	return rn_strn(s, buf->len);
}

/* True for a byte that starts no valid character. */
static bool is_stray(const char *s, size_t len)
{
	return len == 1 && (unsigned char)*s >= 0x80;
}

/* RFC 8259, 7: beyond U+FFFF as two surrogates. */
static void escape(struct rn_strbuf *t, uint32_t c)
{
	if (c > 0xffff)
		rn_strbuf_printf(t, "\\u%04x\\u%04x", (unsigned)(0xd800 + ((c - 0x10000) >> 10)),
				 (unsigned)(0xdc00 + ((c - 0x10000) & 0x3ff)));
	else
		rn_strbuf_printf(t, "\\u%04x", (unsigned)c);
}

static void json_string(struct rn_strbuf *buf, const char *s, size_t n)
{
	rn_strbuf_putc(buf, '"');
	for (size_t i = 0; i < n;) {
		size_t len = rn_utf8_len(s + i, n - i);
		unsigned char u = (unsigned char)s[i];

		if (u == '"' || u == '\\') {
			rn_strbuf_putc(buf, '\\');
			rn_strbuf_putc(buf, s[i]);
		} else if (!is_stray(s + i, len) && !rn_utf8_is_plain(rn_utf8_decode(s + i, len))) {
			escape(buf, rn_utf8_decode(s + i, len));
		} else if (is_stray(s + i, len)) {
			/* U+FFFD, as for a text that is no member of a list */
			rn_strbuf_put(buf, "\xef\xbf\xbd");
		} else {
			rn_strbuf_putn(buf, s + i, len);
		}
		i += len;
	}
	rn_strbuf_putc(buf, '"');
}

static void json_float(struct rn_strbuf *t, double f)
{
	char buf[40];

	if (!isfinite(f)) {
		rn_strbuf_put(t, "null");
		return;
	}
	rn_float_text(buf, sizeof(buf), f);
	rn_strbuf_put(t, buf);
}

/* As in JSON rows: an errno by name, "" for none; a device as "8:1". */
static void json_int(struct rn_strbuf *t, struct rn_ty ty, const struct rn_value *v)
{
	const char *s;

	if (ty.unit == RN_U_HEX) {
		rn_strbuf_printf(t, "\"0x%016" PRIx64 "\"", v->i);
	} else if (rn_unit_is_code(ty.unit)) {
		s = ty.unit == RN_U_ERRNO && !v->i ? "" : rn_value_show(t->arena, ty, v);
		json_string(t, s, strlen(s));
	} else {
		rn_strbuf_printf(t, "%" PRId64, v->i);
	}
}

void rn_value_json(struct rn_strbuf *out, struct rn_ty ty, const struct rn_value *value)
{
	switch (value->kind) {
	case RN_BOOL: rn_strbuf_printf(out, "%s", value->i ? "true" : "false"); break;
	case RN_INT: json_int(out, ty, value); break;
	case RN_FLOAT: json_float(out, value->f); break;
	case RN_STR:
		if (ty.type == RN_T_IP && value->len == RN_IP_BYTES) {
			char buf[80];
			size_t n = rn_ip_show((const unsigned char *)value->s, buf, sizeof(buf));

			json_string(out, buf, n < sizeof(buf) ? n : strlen(buf));
		} else if (ty.type == RN_T_BYTES || ty.type == RN_T_SKETCH) {
			bool readable;
			const char *s = rn_bytes_text(out->arena, value->s, value->len, &readable);

			json_string(out, s, strlen(s));
		} else {
			json_string(out, value->s, value->len);
		}
		break;
	default: rn_strbuf_put(out, "null");
	}
}
