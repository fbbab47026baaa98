/* history.h - keeps what was entered, across runs. The file (mode 0600) is $RUNNEL_HISTORY,
 * $XDG_STATE_HOME/runnel/history or ~/.local/state/runnel/history. If $RUNNEL_HISTORY is empty,
 * nothing is kept.
 *
 * A line of the file is an entry, with \n for a newline and \\ for a backslash. Each entry is
 * appended under a lock when it is entered, so shells that run at once lose no entries. When a
 * shell starts, it cuts a long file to its newest entries. */
#ifndef RN_REPL_SHELL_HISTORY_H
#define RN_REPL_SHELL_HISTORY_H

/* entries; bytes of the longest one that is kept */
enum { RN_HISTORY_KEEP = 2000, RN_HISTORY_ENTRY = 64 << 10 };

struct rn_history;
struct rn_history *rn_history_create(void);
void rn_history_destroy(struct rn_history *history);
/* Keeps an entry, unless it begins with a blank, is empty or too long, or equals the last one. */
void rn_history_add(struct rn_history *history, const char *text);
void *rn_history_list(struct rn_history *history); /* libedit's own */
#endif
