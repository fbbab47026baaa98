/* partial.h - a window that was covered in part, for people. */
#ifndef RN_REPL_RENDER_PARTIAL_H
#define RN_REPL_RENDER_PARTIAL_H
#include <stdint.h>

enum { RN_PARTIAL_BYTES = 96 };
/* " (0.4 of 1 s)": how much was covered, and how long the window is, in its unit. Returns buf. */
const char *rn_partial_text(char buf[RN_PARTIAL_BYTES], int64_t covered_ns, int64_t window_ns);
#endif
