#!/bin/sh
# Installs into a scratch DESTDIR, once as it is and once with every variable set and linked
# dynamically; compares what is there, with its modes, against the lists below; and uninstalls.
# Folders stay: those of manuals and completions belong to everybody.
set -u
cd "$(dirname "$0")/.." || exit 1
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
trap 'exit 1' INT TERM HUP
# modes are those asked for, whatever the mask of who installs
umask 077
failed=0

# The tree below a folder, with modes.
tree() {
	(cd "$1" && find . ! -type d -printf '%m %P\n' | sort -k 2)
}

expect() { # NAME FOLDER <<list
	sort -k 2 >"$root/want"
	tree "$2" >"$root/got"
	diff "$root/want" "$root/got" >"$root/diff" && return
	echo "$1:"
	sed -n 's/^</  is not there:  /p; s/^>/  not expected: /p' "$root/diff"
	failed=1
}

made() { # the variables of make
	make --no-print-directory "$@" >"$root/log" 2>&1 && return
	cat "$root/log"
	exit 1
}

linked() { # NAME PROGRAM HOW
	"$2" --version >"$root/version" && grep -q "^build: $3," "$root/version" && return
	echo "$1: is not linked as $3: $(sed -n 2p "$root/version")"
	failed=1
}

usual=$root/usual
made install DESTDIR="$usual" PREFIX=/usr
expect "install PREFIX=/usr" "$usual" <<'END'
755 usr/bin/bdp
644 usr/share/bdp/bdp.schema.json
644 usr/share/bash-completion/completions/bdp
644 usr/share/fish/vendor_completions.d/bdp.fish
644 usr/share/man/man1/bdp.1
644 usr/share/man/man5/bdp-json.5
644 usr/share/man/man7/bdp-runbook.7
644 usr/share/man/vi/man1/bdp.1
644 usr/share/man/vi/man7/bdp-runbook.7
644 usr/share/zsh/site-functions/_bdp
END
linked "install" "$usual/usr/bin/bdp" static-pie
# what must not be overwritten or removed: a neighbour in each folder
find "$usual" -type d | while read -r folder; do : >"$folder/neighbour"; done
tree "$usual" | grep neighbour >"$root/neighbours"
made install DESTDIR="$usual" PREFIX=/usr
made uninstall DESTDIR="$usual" PREFIX=/usr
expect "uninstall PREFIX=/usr" "$usual" <"$root/neighbours"

# The objects are those of the static program: they need only be linked again.
other=$root/other
set -- STATIC= BIN="$root/bdp" DESTDIR="$other" PREFIX=/opt/net BINDIR=/opt/net/sbin MANDIR=/opt/man \
	BASHDIR=/opt/bash ZSHDIR='/opt/z sh' FISHDIR=/opt/fish SCHEMADIR=/opt/schema
made install "$@"
expect "install with every variable" "$other" <<'END'
644 opt/bash/bdp
644 opt/fish/bdp.fish
644 opt/man/man1/bdp.1
644 opt/man/man5/bdp-json.5
644 opt/man/man7/bdp-runbook.7
644 opt/man/vi/man1/bdp.1
644 opt/man/vi/man7/bdp-runbook.7
755 opt/net/sbin/bdp
644 opt/schema/bdp.schema.json
644 opt/z sh/_bdp
END
linked "install STATIC=" "$other/opt/net/sbin/bdp" dynamic-pie
# the same program, but for the addresses of the library
if ! "$other/opt/net/sbin/bdp" -b 703M -w 4.36M >"$root/answer" ||
	! grep -q '^RTT 52.0 ms: 4.36 MiB in flight' "$root/answer"; then
	echo "install STATIC=: the program does not work"
	failed=1
fi
made uninstall "$@"
expect "uninstall with every variable" "$other" </dev/null

[ $failed = 0 ] && echo "install: ok"
exit $failed
