/* fake_catalog.h - a pinned catalogue for goldens and unit tests: the same on every machine and kernel, so that what is
 * expected never changes with them. Its classes and fields are those of docs/language.md; its aggregates are the
 * signatures given, or a built-in list of all that the language has (aggs NULL). */
#ifndef RN_TESTS_FAKE_CATALOG_H
#define RN_TESTS_FAKE_CATALOG_H
#include "lang/catalog.h"

/* One catalogue for the whole program: a later call only changes its aggregates. Never freed. */
struct rn_catalog *rn_fake_catalog(const struct rn_agg_sig *const *aggs);
#endif
