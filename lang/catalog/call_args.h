/* call_args.h - which arguments of a system call are pointers. A pointer reads better as 0x7ffd...
 * than as a number, and nothing but the name of a row's call says which arguments are one. The
 * facts are those of the kernel's formats (events/syscalls/sys_enter_NAME/format); they hold for
 * recordings and for machines whose formats cannot be read, too. */
#ifndef RN_LANG_CATALOG_CALL_ARGS_H
#define RN_LANG_CATALOG_CALL_ARGS_H
#include "lang/catalog/catalog.h"

/* Bit n: the call's argument n is a pointer. 0 also for a name that is no call. `call` need not end
 * in NUL. Thread-safe. */
unsigned rn_call_pointers(const char *call, size_t n);
/* How people read a field of a class: as the field says. An argument that is a pointer, or none, in
 * all calls of the class needs no name of a call. */
enum rn_words rn_class_words(const struct rn_class *cls, const struct rn_field *field);
#endif
