/* limits.h - how much one query text may ask for. */
#ifndef RN_LANG_BASE_LIMITS_H
#define RN_LANG_BASE_LIMITS_H

/* Limits. Exceeding one is a diagnosed error, and each has a test. */
enum {
	RN_MAX_TEXT = 1 << 20,
	RN_MAX_DEPTH = 100,
	RN_MAX_STMTS = 10000,
	RN_MAX_LIST = 1000,
	RN_MAX_STRING = 4096,
	RN_MAX_VIEW_DEPTH = 16,
	RN_MAX_PARTS = 3600,
	RN_MAX_LIVE = 4,           /* sets after `in live` */
	RN_MAX_FUNCTIONS = 100000, /* of one source, if --max-functions allows so many */
	RN_ARENA_CAP = 64 << 20
};
#endif
