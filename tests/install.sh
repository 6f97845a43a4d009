#!/bin/sh
# Installs into a scratch DESTDIR, looks at what is there, uninstalls, and fails if a file is left.
set -eu
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT INT TERM HUP

make --no-print-directory install DESTDIR="$root" PREFIX=/usr >/dev/null
for file in bin/bdp share/man/man1/bdp.1 share/bash-completion/completions/bdp \
	share/zsh/site-functions/_bdp share/fish/vendor_completions.d/bdp.fish; do
	[ -f "$root/usr/$file" ] || {
		echo "install: /usr/$file is missing" >&2
		exit 1
	}
done
"$root/usr/bin/bdp" --version >/dev/null
make --no-print-directory uninstall DESTDIR="$root" PREFIX=/usr >/dev/null
left=$(find "$root" -type f)
[ -z "$left" ] || {
	echo "uninstall left: $left" >&2
	exit 1
}
echo "install: ok"
