/* functions.c - the functions that the argument of a class of functions names, for `list` and
 * `describe`: found as a query finds them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/limits.h"
#include "lang/base/memory.h"
#include "probes/live/live.h"
#include "probes/probes.h"
#include "probes/uprobe/usdt.h"
#include "probes/uprobe/user.h"

static int by_name(const void *a, const void *b)
{
	const struct rn_named_function *x = a, *y = b;
	int by = strcmp(x->file, y->file);

	by = by ? by : strcmp(x->name, y->name);
	return by ? by : strcmp(x->symbol, y->symbol);
}

int rn_probes_functions(const char *class_name, const char *arg, rn_named_function_found *found,
			void *self, struct rn_err *err)
{
	struct rn_user user = {.most = RN_MAX_FUNCTIONS};
	struct rn_named_function *all;
	unsigned files = 0;
	int r;

	if (!strcmp(class_name, "kernel"))
		r = rn_live_find_kernel(&user, arg, err);
	else if (!strcmp(class_name, "user"))
		r = rn_user_find(&user, arg, false, err);
	else if (!strcmp(class_name, "usdt"))
		r = rn_usdt_find(&user, arg, 0, err);
	else
		r = rn_err_set(err, -EINVAL, "`%s` has no functions", class_name);
	all = rn_calloc(user.n + 1, sizeof(*all));
	for (unsigned i = 0; !r && i < user.n; i++) {
		const char *file = user.file[user.at[i].cookie >> 32].path;
		unsigned f = (uint32_t)user.at[i].cookie;

		all[i] = (struct rn_named_function){file, rn_user_readable(&user, f), user.name[f]};
	}
	qsort(all, r ? 0 : user.n, sizeof(*all), by_name);
	for (unsigned i = 0; !r && i < user.n; i++)
		files += !i || strcmp(all[i].file, all[i - 1].file) != 0;
	for (unsigned i = 0; !r && i < user.n; i++) {
		if (i && !by_name(&all[i], &all[i - 1])) /* a static probe has several places */
			continue;
		all[i].files = files;
		all[i].left_out = user.left_out;
		found(self, &all[i]);
	}
	free(all);
	rn_user_free(&user);
	return r;
}
