/* shades.c - see shades.h. */
#include <stdio.h>
#include "repl/out/shades.h"

static const struct {
	int64_t least;
	char mark;
	uint8_t many, few; /* colour of 256; of 8 */
	bool dark;         /* that of 8 is: on it white is read better than black */
} shades[RN_SHADES] = {
	{0, ' ', 0, 0, false},      {1, '.', 25, 4, true},      {3, ':', 31, 4, true},
	{10, '-', 36, 6, false},    {30, '=', 71, 6, false},    {100, '+', 106, 2, false},
	{300, '*', 178, 2, false},  {1000, '#', 208, 3, false}, {3000, '%', 202, 3, false},
	{10000, '@', 196, 1, true},
};

unsigned rn_shade_of(int64_t count)
{
	unsigned shade = RN_SHADES - 1;

	while (shade && count < shades[shade].least)
		shade--;
	return shade;
}

int64_t rn_shade_least(unsigned shade)
{
	return shades[shade].least;
}

unsigned rn_shade_of_part(int64_t count, int64_t greatest)
{
	double part = greatest > 0 ? (double)count / (double)greatest : 0;

	return count <= 0 ? 0 : 1 + (unsigned)(part * (RN_SHADES - 2) + 0.5);
}

const char *rn_shade_on(char *buf, const struct rn_terminal *term, unsigned shade)
{
	*buf = 0;
	if (term->color && shade && term->many_colors)
		snprintf(buf, RN_SHADE_BYTES, "\033[38;5;%um", shades[shade].many);
	else if (term->color && shade)
		snprintf(buf, RN_SHADE_BYTES, "\033[3%um", shades[shade].few);
	return buf;
}

const char *rn_shade_off(const struct rn_terminal *term)
{
	return term->color ? "\033[0m" : "";
}

void rn_shade_put(struct rn_strbuf *to, const struct rn_terminal *term, unsigned shade, unsigned n)
{
	/* of many colours each shade has its own: the character is seen in a copy alone */
	if (term->color && shade && term->many_colors)
		rn_strbuf_printf(to, "\033[38;5;%u;48;5;%um", shades[shade].many,
				 shades[shade].many);
	else if (term->color && shade)
		rn_strbuf_printf(to, "\033[3%u;4%um", shades[shade].dark ? 7 : 0,
				 shades[shade].few);
	rn_strbuf_pad(to, shades[shade].mark, n);
	if (shade)
		rn_strbuf_put(to, rn_shade_off(term));
}
