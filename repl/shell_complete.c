/* shell_complete.c - Tab at the prompt. */
#include "repl/shell.h"

void rn_shell_complete(void *self, const char *line, size_t cursor, unsigned width, unsigned height, char **insert, char **show)
{
	(void)self, (void)line, (void)cursor, (void)width, (void)height, (void)insert, (void)show;
}
