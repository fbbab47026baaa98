/* show.h - how a table for people treats a column when a line is too long for the terminal, and in
 * which words it shows its values. Attributes of fields (struct rn_field), which the columns that
 * show them have as well; a column that is no field has 0. */
#ifndef RN_LANG_VALUES_SHOW_H
#define RN_LANG_VALUES_SHOW_H

/* JSON, CSV and recordings have the value itself. */
enum rn_words {
	RN_WORDS_PLAIN,
	RN_WORDS_COUNT,   /* it counts something: 12,345 on a terminal */
	RN_WORDS_REQUEST, /* how a block device is asked: "WSM" is "write, sync, meta" */
	RN_WORDS_CALL,    /* the name of the system call, for the next ones */
	RN_WORDS_ARG, /* RN_WORDS_ARG + n: argument n; hexadecimal if the row's call has a pointer
			 there */
	RN_WORDS_POINTER = RN_WORDS_ARG + 6 /* hexadecimal in every row */
};

enum rn_show {
	/* The lowest byte: its turn when columns are left out. The greatest goes first, 0 never. */
	RN_SHOW_TURN = 0xff,
	/* It says what the row is about: it stays in the rows, even if all hold the same. */
	RN_SHOW_SUBJECT = 0x100,
	/* A time that is often of another day than the event's. */
	RN_SHOW_BEGAN = 0x200,
	/* It goes at its turn only if all rows hold the same, else last of all. */
	RN_SHOW_ALIKE = 0x400,
	/* A path or two addresses: it is cut less. */
	RN_SHOW_OBJECT = 0x800,
	/* Flows are linked by it, and nobody looks at it: `events of` does not show it, recordings
	 * have it. */
	RN_SHOW_LINKS = 0x4000,
	/* A list on a narrow terminal leaves it out. */
	RN_SHOW_SPARE = 0x1000,
	/* Likewise: it is whole as far as that goes. */
	RN_SHOW_WHOLE = 0x2000,
	/* A table shows it only for `* of`: set in the columns of `events of`, by RN_SHOW_CORE. */
	RN_SHOW_EXTRA = 0x8000,

	/* Fields whose turn comes before this are the core of `events of`. */
	RN_SHOW_CORE = 50,

	/* columns that several tables of fields have */
	RN_SHOW_BEGIN = 165 | RN_SHOW_BEGAN,
	RN_SHOW_OFFSET = 180,
	RN_SHOW_START = 150 | RN_SHOW_BEGAN,
	RN_SHOW_NODE = 105 | RN_SHOW_ALIKE,
	RN_SHOW_LATENCY = 30,
	RN_SHOW_BYTES = 20,
	RN_SHOW_PID = 10 | RN_SHOW_SUBJECT,
	RN_SHOW_TIME = RN_SHOW_SUBJECT,
	RN_SHOW_FILE = RN_SHOW_SUBJECT
};
#endif
