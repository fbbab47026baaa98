/* main.c - the life of the process: parse the options, open a session, run one action, return one
 * exit status. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "repl/node/node.h"
#include "repl/cli/commands.h"
#include "repl/cli/run.h"
#include "repl/cli/session.h"
#include "repl/shell/shell.h"
#include "repl/terminal/signals.h"

enum { MANY = 16384 }; /* descriptors */

static int act(struct rn_session *s)
{
	const struct rn_options *o = s->opt;

	switch (o->action) {
	case RN_DO_QUERY: return rn_run_text(s, "query", o->subject, strlen(o->subject));
	case RN_DO_FILE: return rn_run_file(s, o->subject);
	case RN_DO_STDIN: return isatty(STDIN_FILENO) ? rn_shell(s) : rn_run_file(s, NULL);
	case RN_DO_COMMAND: return o->cmd->run(s);
	}
	return RN_EXIT_USAGE;
}

/* If the caller closed a standard descriptor, the next file opened would get its number, and
 * messages would go into a recording. So /dev/null takes its place. Reads of stdin and writes to
 * stdout then fail, as they would on a closed descriptor. */
static void take_closed_descriptors(void)
{
	static const int mode[] = {O_WRONLY, O_RDONLY, O_WRONLY};

	for (int fd = 0; fd < 3; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", mode[fd]) != fd)
			_exit(RN_EXIT_SYSTEM);
	}
}

/* Raise the limit of open files; *before gets the old one. A query holds two descriptors for each
 * tracepoint, and one for each node reached through NATS. The default limit is often 1024. */
static void allow_descriptors(struct rlimit *before)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l))
		l = (struct rlimit){RLIM_INFINITY, RLIM_INFINITY};
	*before = l;
	if (l.rlim_cur < MANY && l.rlim_cur < l.rlim_max) {
		l.rlim_cur = l.rlim_max < MANY ? l.rlim_max : MANY;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}

int main(int argc, char **argv)
{
	struct rn_options opt;
	struct rlimit files;
	int status;
	struct rn_session session;
	struct rn_err err;

	take_closed_descriptors();
	allow_descriptors(&files);
	if (!rn_options_parse(argc, argv, &opt, &status))
		return status;
	rn_signals_install();
	if (opt.action == RN_DO_COMMAND && opt.cmd->own_options)
		return rn_node_main(argc - 1, argv + 1);
	session = (struct rn_session){.opt = &opt, .to = stdout, .files = files};
	err = (struct rn_err){0};
	rn_terminal_query(&session.err_term, stderr);
	session.engine = rn_engine_open(&(struct rn_engine_opts){.hosts = opt.hosts,
								 .catalog = opt.catalog,
								 .lease_ns = opt.lease_ns,
								 .stop = rn_signals_stop()},
					&err);
	if (opt.hosts)
		rn_signals_fleet();
	if (!session.engine) {
		rn_complain(&session, &err);
		status =
			err.code == -EMFILE || err.code == -ENFILE ? RN_EXIT_SYSTEM : RN_EXIT_USAGE;
	} else {
		status = act(&session);
	}
	rn_session_carried(&session);
	if ((ferror(session.to) | fclose(session.to)) && status == RN_EXIT_OK) {
		fputs("runnel: the rows could not be written in full\n", stderr);
		status = RN_EXIT_SYSTEM;
	}
	rn_engine_close(session.engine);
	return status == RN_EXIT_OK ? session.command_status : status;
}
