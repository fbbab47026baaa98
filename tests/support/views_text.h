/* views_text.h - views whose definitions stand in a text, one a line: the section `-- views` of a
 * golden or of a differential case. */
#ifndef RN_TESTS_SUPPORT_VIEWS_TEXT_H
#define RN_TESTS_SUPPORT_VIEWS_TEXT_H
#include "lang/resolve/names.h"

/* text: lives as long as the views. */
struct rn_views rn_views_text(const char *text);
#endif
