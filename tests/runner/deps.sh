#!/bin/sh
# deps.sh [-n] PACKAGE... - installs the Debian packages that are missing. With -n, or if it may not
# install, it names them and fails. No daemon of theirs starts meanwhile: a policy-rc.d forbids it,
# unless the machine has one of its own.
name_only=
[ "$1" != -n ] || { name_only=1; shift; }
missing=
for p in "$@"; do
	dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' ||
		missing="$missing $p"
done
[ -z "$missing" ] && exit 0
if [ "$name_only" ] || ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
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
