/* line_editor.h - one line from the keyboard: libedit on a terminal, plain reading on one that
 * cannot move its cursor. It owns the terminal's modes from the prompt to the end of the line, and
 * at no other time. */
#ifndef RN_REPL_SHELL_LINE_EDITOR_H
#define RN_REPL_SHELL_LINE_EDITOR_H
#include <stdbool.h>
#include <stddef.h>

enum rn_line_end {
	RN_LINE_DONE,   /* a line was entered */
	RN_LINE_CANCEL, /* Ctrl-C: it is to be forgotten */
	RN_LINE_EOF,    /* Ctrl-D on an empty line, or the terminal is gone */
};
struct rn_history;
struct rn_line_ops {
	void *self;
	/* Tab: what stands before and after the cursor. To be inserted: *insert (malloc'd, may be
	 * NULL); to be shown below the line: *show (malloc'd, may be NULL). width, height: of the
	 * terminal. */
	void (*complete)(void *self, const char *line, size_t cursor, unsigned width,
			 unsigned height, char **insert, char **show);
	/* Ctrl-X: what is to stand in the place of the line; NULL: there is nothing */
	const char *(*mended)(void *self);
};
struct rn_line;
/* past: what the arrow keys bring back; may be NULL. */
struct rn_line *rn_line_create(const struct rn_line_ops *ops, struct rn_history *past);
void rn_line_destroy(struct rn_line *l);
/* Does it edit, so that keys do what they are said to? */
bool rn_line_edits(const struct rn_line *l);
/* *text: the line without its end, valid until the next call. A line from
 * the history can hold several lines. */
enum rn_line_end rn_line_read(struct rn_line *l, const char *prompt, const char **text);
#endif
