/* json.c - values as JSON: see json.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/utf8.h"
#include "lang/values/hist.h"
#include "repl/render/json.h"

/* How many bytes need no escape: they are written at once. */
static size_t plain_run(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] >= 0x20 && s[i] < 0x7f && s[i] != '"' && s[i] != '\\')
		i++;
	return i;
}

/* RFC 8259, 7: beyond U+FFFF as two surrogates. */
static void escape(FILE *to, uint32_t c)
{
	if (c > 0xffff)
		fprintf(to, "\\u%04x\\u%04x", (unsigned)(0xd800 + ((c - 0x10000) >> 10)),
			(unsigned)(0xdc00 + ((c - 0x10000) & 0x3ff)));
	else
		fprintf(to, "\\u%04x", (unsigned)c);
}

void rn_json_string(FILE *to, const char *s, size_t n)
{
	putc('"', to);
	for (size_t i = 0; i < n;) {
		size_t run = plain_run(s + i, n - i);
		unsigned char c;
		size_t len;

		if (run) {
			fwrite_unlocked(s + i, 1, run, to);
			i += run;
			continue;
		}
		c = (unsigned char)s[i];
		len = rn_utf8_char(s + i, n - i);
		if (!len) {
			fputs("\xef\xbf\xbd", to);
			i++;
		} else if (c == '"' || c == '\\') {
			putc('\\', to);
			putc(s[i++], to);
		} else if (c == '\n' || c == '\t' || c == '\r') {
			fputs(c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r", to);
			i++;
		} else if (!rn_utf8_is_plain(rn_utf8_decode(s + i, len))) {
			escape(to, rn_utf8_decode(s + i, len));
			i += len;
		} else {
			fwrite(s + i, 1, len, to);
			i += len;
		}
	}
	putc('"', to);
}

static void write_int(FILE *to, struct rn_ty ty, const struct rn_value *v, struct rn_arena *scratch)
{
	if (ty.unit == RN_U_ERRNO) {
		const char *name = v->i ? rn_errno_name((int)v->i) : "";

		if (name)
			fprintf(to, "\"%s\"", name);
		else
			fprintf(to, "\"%" PRId64 "\"", v->i);
	} else if (rn_unit_is_code(ty.unit) || ty.unit == RN_U_HEX) {
		const char *s = rn_value_show(scratch, ty, v);

		rn_json_string(to, s, strlen(s));
	} else {
		fprintf(to, "%" PRId64, v->i);
	}
}

static void write_str(FILE *to, struct rn_ty ty, const struct rn_value *v, struct rn_arena *scratch)
{
	if (ty.type == RN_T_HIST) {
		fputs(rn_hist_text(scratch, v), to);
	} else if (ty.type == RN_T_LIST) {
		fwrite(v->s, 1, v->len, to);
	} else if (ty.type == RN_T_BYTES || ty.type == RN_T_SKETCH) {
		bool readable;
		const char *s = rn_bytes_text(scratch, v->s, v->len, &readable);

		rn_json_string(to, s, strlen(s));
	} else if (ty.type == RN_T_IP) {
		const char *s = rn_value_show(scratch, ty, v);

		rn_json_string(to, s, strlen(s));
	} else {
		rn_json_string(to, v->s, v->len);
	}
}

void rn_json_value(FILE *to, struct rn_ty ty, const struct rn_value *value,
		   struct rn_arena *scratch)
{
	char buf[40];

	switch (value->kind) {
	case RN_NULL: fputs("null", to); return;
	case RN_BOOL: fputs(value->i ? "true" : "false", to); return;
	case RN_INT:
		if (ty.type == RN_T_BOOL)
			fputs(value->i ? "true" : "false", to);
		else
			write_int(to, ty, value, scratch);
		return;
	case RN_FLOAT:
		if (isfinite(value->f))
			rn_float_text(buf, sizeof(buf), value->f);
		fputs(isfinite(value->f) ? buf : "null", to); /* JSON has no infinity */
		return;
	case RN_STR: write_str(to, ty, value, scratch); return;
	}
}

void rn_json_key(struct rn_json *json, const char *key)
{
	if (json->more)
		fputs(", ", json->to);
	json->more = true;
	if (key) {
		rn_json_string(json->to, key, strlen(key));
		fputs(": ", json->to);
	}
}

void rn_json_open(struct rn_json *json, const char *key, char bracket)
{
	rn_json_key(json, key);
	putc(bracket, json->to);
	json->more = false;
}

void rn_json_close(struct rn_json *json, char bracket)
{
	putc(bracket, json->to);
	json->more = true;
}

void rn_json_int(struct rn_json *json, const char *key, int64_t i)
{
	rn_json_key(json, key);
	fprintf(json->to, "%" PRId64, i);
}

void rn_json_bool(struct rn_json *json, const char *key, bool b)
{
	rn_json_key(json, key);
	fputs(b ? "true" : "false", json->to);
}

void rn_json_text(struct rn_json *json, const char *key, const char *s)
{
	if (!s)
		return;
	rn_json_key(json, key);
	rn_json_string(json->to, s, strlen(s));
}
