/* usdt.h - static probes that authors left in their programs: usdt "WHERE:PROVIDER:NAME".
 *
 * A note of the ELF file tells of each place: an instruction that does nothing, the names of the
 * probe, and where its arguments are. A counter in the program's memory, the semaphore, says
 * whether anybody listens; the kernel counts it up while the probe is there. WHERE is that of
 * user.h.
 *
 * Any user may have made the files and their notes: the limits of probes/process/elf.h hold, and
 * those below. The format: systemtap, "UserSpaceProbeImplementation"; GNU assembler, AT&T syntax of
 * x86. */
#ifndef RN_PROBES_UPROBE_USDT_H
#define RN_PROBES_UPROBE_USDT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "probes/abi/operand.h"
#include "probes/uprobe/user.h"

enum {
	RN_USDT_NOTES_BYTES = 16 << 20, /* of notes of one file */
	RN_USDT_NAME = 127,             /* of a provider, or of a probe */
	RN_USDT_OPERAND = 127,
};

/* Finds the places of the probes that "WHERE:PROVIDER:NAME, WHERE:NAME" names. Both names may be
 * globs; WHERE:NAME means those of any provider. wanted: the arguments that the query uses, a
 * set of 1 << number. user->operands has where the arguments of each place are. Errors as those of
 * rn_user_find; -EINVAL: no place has an argument that is wanted, and err says why. */
int rn_usdt_find(struct rn_user *user, const char *arg, unsigned wanted, struct rn_err *err);

/* ---- usdt_notes.c ---- */

struct rn_usdt_note {
	uint64_t location, base, semaphore; /* addresses; semaphore 0: there is none */
	const char *provider, *name, *args;
};
/* Passes each note of a static probe in n bytes of notes to fn, which returns false to end. wide:
 * addresses have 64 bits. False: something was left out, since it is cut, too long or no text. */
typedef bool rn_usdt_note_fn(void *self, const struct rn_usdt_note *note);
bool rn_usdt_notes(const uint8_t *notes, size_t n, bool wide, rn_usdt_note_fn *fn, void *self);

/* Reads the operands `SIZE@OPERAND ...` of a note. why[i], if it is not NULL, says why argument i
 * cannot be read: its kind is RN_OPERAND_UNKNOWN. Returns how many arguments there are; more than
 * RN_OPERANDS are left out. */
unsigned rn_usdt_operands(const char *args, struct rn_operands *out, const char *why[RN_OPERANDS]);
#endif
