#!/bin/bash
# build.sh VERSION ROOT OUT - Debian packages of what `make install DESTDIR=ROOT` gave, into OUT;
# debhelper does what is usual, in OUT/pkg. The date of the changelog, and of files, is that of the
# last commit (or SOURCE_DATE_EPOCH), so that the same tree gives the same packages.
set -eu
version=$1 root=$(realpath "$2") out=$3 here=$PWD
command -v dh_builddeb >/dev/null || {
	echo "make deb: needs the packages debhelper and dpkg-dev" >&2
	exit 1
}
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y Makefile)}"
export SOURCE_DATE_EPOCH DEB_BUILD_OPTIONS=noautodbgsym
rm -rf "$out/pkg"; rm -f "$out"/*.deb
mkdir -p "$out/pkg/debian"
cp .debian/control .debian/copyright .debian/*.install "$out/pkg/debian/"
cd "$out/pkg"
{
	echo "runnel ($version) unstable; urgency=medium"; echo
	echo "  * Packages of version $version, as \`make deb\` builds them."; echo
	echo " -- $(sed -n 's/^Maintainer: //p' debian/control)  $(date -u -R -d "@$SOURCE_DATE_EPOCH")"
} >debian/changelog
ln -s "$root" debian/tmp
dh_install --sourcedir=debian/tmp -XLICENSE # debian/copyright has it
install -d debian/librunnel-dev/usr/share/doc/librunnel-dev
cp -r "$root/usr/share/doc/runnel/examples" debian/librunnel-dev/usr/share/doc/librunnel-dev/
dh_installdocs
dh_installchangelogs
dh_installsystemd --package=runnel --no-enable --no-start --name=runnel-agent
dh_strip
dh_compress -Xexamples -X.md
dh_fixperms
dh_makeshlibs -plibrunnel1 -V"librunnel1 (>= $version)"
dh_shlibdeps
dh_installdeb
dh_gencontrol
dh_md5sums
dh_builddeb --destdir=..
cd "$here"
ls "$out"/*.deb
