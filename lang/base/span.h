/* span.h - a place in one of several texts. */
#ifndef RN_LANG_BASE_SPAN_H
#define RN_LANG_BASE_SPAN_H
#include <stdint.h>

struct rn_span {
	uint32_t start, end; /* [start, end) in bytes */
	uint16_t src;        /* number given by rn_diag_source */
};
#endif
