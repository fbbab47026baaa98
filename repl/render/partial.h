/* partial.h - text for people about a window that was covered in part. */
#ifndef RN_REPL_RENDER_PARTIAL_H
#define RN_REPL_RENDER_PARTIAL_H
#include <stdint.h>

enum { RN_PARTIAL_BYTES = 96 };
/* " (0.4 of 1 s)": the covered part and the window's length, in a unit that fits. Returns buf. */
const char *rn_partial_text(char buf[RN_PARTIAL_BYTES], int64_t covered_ns, int64_t window_ns);
#endif
