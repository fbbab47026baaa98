/* fake_catalog.h - a pinned catalogue for goldens and unit tests: the same on every machine and
 * kernel, so that what is expected never changes with them. Its classes and fields are those of
 * docs/language.md; its aggregates are the real ones, which no machine changes. */
#ifndef RN_TESTS_SUPPORT_FAKE_CATALOG_H
#define RN_TESTS_SUPPORT_FAKE_CATALOG_H
#include "lang/catalog/catalog.h"

/* One catalogue for the whole program. Never freed. */
struct rn_catalog *rn_fake_catalog(void);
#endif
