# kernel.bash - the kernel of a Debian package, unpacked and never installed. Source it.

# Puts it into DIR, once; $kernel_why says why it could not.
kernel_fetch() { # DIR PACKAGE
	local dir=$1 package=$2 image try
	[ -e "$dir/complete" ] && return
	for try in 1 2 3; do
		image=$(apt-cache depends "$package" 2>/dev/null | awk '$1 == "Depends:" && $2 ~ /^linux-image-[0-9]/ { print $2; exit }')
		rm -rf "$dir"; mkdir -p "$dir"
		(cd "$dir" &&
			apt-get -qq -o APT::Sandbox::User=root download "${image:-$package}" &&
			dpkg-deb -x ./*.deb . && rm ./*.deb) >&2 &&
			depmod -b "$dir" "$(ls "$dir/lib/modules")" && touch "$dir/complete" &&
			return
		apt-get -qq update >&2
	done
	kernel_why="the package ${image:-$package} cannot be downloaded"
	return 1
}
kernel_version() { ls "$1/lib/modules"; } # DIR
# The modules that NAME... need, as plain files in TO, numbered in the order to load them.
kernel_modules() { # DIR TO NAME...
	local dir=$1 to=$2 n=100 module; shift 2
	for module; do
		modprobe -d "$dir" -S "$(kernel_version "$dir")" --show-depends "$module"
	done |
		awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r module; do
			n=$((n + 1))
			case $module in *.xz) xz -dc "$module";; *) cat "$module";; esac \
				>"$to/$n.ko"
		done
}
