/* rule_counts.h - how often each rule of lang/syntax/grammar.y, each function and each aggregate
 * occurs in queries: a generator that forgets one is to be seen. */
#ifndef RN_TESTS_SUPPORT_RULE_COUNTS_H
#define RN_TESTS_SUPPORT_RULE_COUNTS_H

struct rn_rule_counts;
/* Reads the rules from a file in lemon's format. NULL: it cannot be read. */
struct rn_rule_counts *rn_rule_counts_create(const char *grammar);
void rn_rule_counts_free(struct rn_rule_counts *counts);
/* Parses query and counts its rules and calls, each once. It changes the tracing of the parser, so
 * one thread does it at a time. */
void rn_rule_counts_add(struct rn_rule_counts *counts, const char *query);
/* Prints a line `# N RULE` for each, and one for those that a query over a recording never has.
 * Returns how many were counted fewer than least times. */
unsigned rn_rule_counts_print(const struct rn_rule_counts *counts, unsigned least);
#endif
