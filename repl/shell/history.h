/* history.h - what was entered, across runs: $RUNNEL_HISTORY, or
 * $XDG_STATE_HOME/runnel/history, or
 * ~/.local/state/runnel/history (mode 0600); an empty $RUNNEL_HISTORY keeps nothing.
 *
 * A line of the file is an entry, with \n and \\ for what they stand for. Each entry is appended as
 * it is entered, under a lock: shells that run at once lose nothing of each other. A file that has
 * grown long is cut to its newest entries when a shell starts. */
#ifndef RN_REPL_SHELL_HISTORY_H
#define RN_REPL_SHELL_HISTORY_H

/* entries; bytes of the longest one that is kept */
enum { RN_HISTORY_KEEP = 2000, RN_HISTORY_ENTRY = 64 << 10 };

struct rn_history;
struct rn_history *rn_history_create(void);
void rn_history_destroy(struct rn_history *h);
/* Keeps an entry, but one that begins with a blank, is empty or too long, or is what the last one
 * was. */
void rn_history_add(struct rn_history *h, const char *text);
void *rn_history_list(struct rn_history *h); /* libedit's */
#endif
