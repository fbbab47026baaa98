#!/bin/sh
# deps.sh PACKAGE... - installs the Debian packages that are missing; says what to do where it may not.
missing=
for p in "$@"; do dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"; done
[ -z "$missing" ] && exit 0
if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
	echo "missing packages:$missing" >&2
	echo "install them as root, with: apt-get install$missing" >&2
	exit 1
fi
echo "installing:$missing"
apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends -y $missing >/dev/null
