#!/bin/sh
# deps.sh PACKAGE... - installs the Debian packages that are missing; says what to do where it may
# not. No daemon of theirs is started by that: a policy-rc.d forbids it for as long as the
# installation takes, unless the machine has one of its own.
missing=
for p in "$@"; do
	dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' ||
		missing="$missing $p"
done
[ -z "$missing" ] && exit 0
if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
	echo "missing packages:$missing" >&2
	echo "install them as root, with: apt-get install$missing" >&2
	exit 1
fi
echo "installing:$missing"
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ] && printf '#!/bin/sh\nexit 101\n' >$policy 2>/dev/null; then
	chmod 755 $policy
	trap 'rm -f $policy' EXIT
	trap 'exit 130' INT TERM
fi
# shellcheck disable=SC2086 # a list
apt-get -qq update &&
	DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends -y $missing \
		>/dev/null
