/* glob_nfa.c - see glob_nfa.h and probes/bpf/match.bpf.h. */
#include <string.h>
#include "probes/intrinsics/glob_nfa.h"
#include "probes/intrinsics/splice.h"

bool rn_glob_compile(struct rn_bpf_pattern *out, const char *pattern)
{
	uint64_t bit = 1;

	memset(out, 0, sizeof(*out));
	if (strlen(pattern) >= RN_PATTERN_BYTES)
		return false;
	for (const char *c = pattern; *c; c++) {
		if (*c == '*') {
			out->stay |= bit;
			continue;
		}
		if (*c == '?') {
			for (unsigned b = 0; b < 256; b++)
				out->move[b] |= bit;
		} else {
			if (*c == '\\' && c[1])
				c++;
			out->move[(unsigned char)*c] |= bit;
		}
		bit <<= 1;
	}
	out->accept = bit;
	return true;
}

bool rn_glob_run(const struct rn_bpf_pattern *pattern, const char *text, unsigned len)
{
	uint64_t state = 1;

	for (unsigned i = 0; i < len; i++)
		state = ((state & pattern->move[(unsigned char)text[i]]) << 1) |
			(state & pattern->stay);
	return state & pattern->accept;
}

bool rn_glob_text(const char *pattern, const char *text, unsigned len)
{
	struct rn_bpf_pattern p;

	return rn_glob_compile(&p, pattern) && rn_glob_run(&p, text, len);
}
