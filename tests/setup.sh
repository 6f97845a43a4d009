#!/bin/sh
# Installs the named Debian packages that are missing, as root or with sudo.  On another
# distribution it names them and stops.
set -eu

missing=
for package in "$@"; do
	status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
	[ "$status" = installed ] || missing="$missing $package"
done
if ! command -v apt-get >/dev/null 2>&1; then
	echo "setup: this is no Debian; install the likes of these by hand, then leave 'setup' out:" >&2
	echo "  $*" >&2
	exit 1
fi
[ -n "$missing" ] || exit 0
as_root=
if [ "$(id -u)" -ne 0 ]; then
	as_root=sudo
	command -v sudo >/dev/null 2>&1 || {
		echo "setup: run it as root, or install sudo; needed:$missing" >&2
		exit 1
	}
fi
echo "setup: installing$missing"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # the list is words
$as_root apt-get -q update >/dev/null &&
	$as_root apt-get -q install -y --no-install-recommends $missing >/dev/null
