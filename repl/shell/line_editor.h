/* line_editor.h - reads one line from the keyboard: with libedit, or plainly if the terminal cannot
 * move its cursor. It owns the terminal's modes from the prompt to the end of the line, and at no
 * other time. */
#ifndef RN_REPL_SHELL_LINE_EDITOR_H
#define RN_REPL_SHELL_LINE_EDITOR_H
#include <stdbool.h>
#include <stddef.h>

enum rn_line_end {
	RN_LINE_DONE,   /* a line was entered */
	RN_LINE_CANCEL, /* Ctrl-C: the caller drops the line */
	RN_LINE_EOF,    /* Ctrl-D on an empty line, or the terminal has gone */
};
struct rn_history;
struct rn_line_ops {
	void *self;
	/* Tab was pressed in `line` at `cursor`. *insert: text to insert; *show: text to show below
	 * the line. Both are malloc'd and may be NULL. width, height: of the terminal. */
	void (*complete)(void *self, const char *line, size_t cursor, unsigned width,
			 unsigned height, char **insert, char **show);
	/* Ctrl-X: returns the text to put in place of the line; NULL: none */
	const char *(*mended)(void *self);
};
struct rn_line;
/* past: the entries that the arrow keys bring back; may be NULL. */
struct rn_line *rn_line_create(const struct rn_line_ops *ops, struct rn_history *past);
void rn_line_destroy(struct rn_line *line);
/* Does it edit, so that the keys work as documented? */
bool rn_line_edits(const struct rn_line *line);
/* Reads a line. *text: the line without its newline, valid until the next call. A line from the
 * history can hold several lines. */
enum rn_line_end rn_line_read(struct rn_line *line, const char *prompt, const char **text);
#endif
