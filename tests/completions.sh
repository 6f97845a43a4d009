#!/bin/sh
# Types command lines into bash, zsh and fish, presses TAB, and compares what becomes of the last word.
# Usage: tests/completions.sh [PROGRAM].  tests/options.sh holds the lists of verbs, options and values
# against --help; here are what they take, and that each shell can load its file and work it.
# The algorithm "reno" is part of every kernel with TCP.
# shellcheck disable=SC2317 # ask_SHELL is called by name
set -u
program=$(realpath "${1:-./bdp}") || exit 1
cd "$(dirname "$0")/.." || exit 1
root=$PWD
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failed=0

# ---- a folder with files, an apply below a scratch tree, and a bdp that knows of that only
mkdir -p "$work/bin" "$work/here/recorded" "$work/root/proc/sys/net/ipv4"
cd "$work/here" || exit 1
touch direct.json 'two words.txt' a.txt b.txt
echo 'net.ipv4.tcp_rmem = 4096 131072 8388608' >plan.conf
echo '4096	131072	6291456' >"$work/root/proc/sys/net/ipv4/tcp_rmem"
"$program" apply --sysroot "$work/root" plan.conf >"$work/applied" 2>&1 || {
	cat "$work/applied"
	exit 1
}
id=$("$program" rollback --list --sysroot "$work/root" | awk '$1 ~ /^[0-9]+$/ { print $1; exit }')
cat >"$work/bin/bdp" <<END
#!/bin/sh
[ "\${1-}" = rollback ] && set -- "\$@" --sysroot "$work/root"
exec "$program" "\$@"
END
chmod +x "$work/bin/bdp"

# ---- what is typed, and the last word behind TAB; "-" for one that must stay as it is
cat >"$work/rows" <<END
bdp adv|advise
bdp swee|sweep
bdp --targ|--target
bdp --role pro|proxy
bdp --role=pro|--role=proxy
bdp -o sys|sysctl
bdp --output=js|--output=json
bdp sockets -o sy|-
bdp --color=al|--color=always
bdp explain --color nev|never
bdp --baseline dir|direct.json
bdp --baseline=dir|--baseline=direct.json
bdp --sysctl=plan|--sysctl=plan.conf
bdp --sysroot rec|recorded/
bdp --apply --persist=pla|--persist=plan.conf
bdp apply --persist=pla|--persist=plan.conf
bdp apply plan.conf --conf|--confirm
bdp apply pla|plan.conf
bdp dir|direct.json
bdp -t 1G dir|direct.json
bdp ./dir|./direct.json
bdp -- dir|direct.json
bdp --rtt dir|-
bdp sender=dir|sender=direct.json
bdp direct.json rece|receiver=
bdp sen|sender=
bdp two|two\\ words.txt
bdp sweep 17M=dir|17M=direct.json
bdp sweep 17M=a.txt,dir|17M=a.txt,direct.json
bdp compare cubic=a.txt bbr=b.txt,dir|bbr=b.txt,direct.json
bdp sweep --run x --cc ren|reno
bdp sweep --run x --cc cubic,ren|cubic,reno
bdp sweep --run x --cc=cubic,ren|--cc=cubic,reno
bdp sockets --state close-w|close-wait
bdp sockets --state established,close-w|established,close-wait
bdp rollback --to |$id
bdp rollback --lis|--list
bdp rollback dir|-
bdp confirm dir|-
bdp explain tcp_rme|tcp_rmem
bdp explain tcp_rmem runaway|runaway-buffers
bdp explain PruneC|PruneCalled
bdp explain standing|standing-queue
bdp help swee|sweep
bdp --each --output=tab|--output=table
bdp sweep -o tab|-
bdp help sweep adv|-
bdp help dir|-
bdp sweep --output=sys|--output=sysctl
bdp sockets --output=js|--output=json
bdp compare cubic=a.txt --output=js|--output=json
END
cut -d '|' -f 1 "$work/rows" >"$work/lines"

# ---- the shells: each writes what a line became, one a line
# What is typed and the TAB behind it reach readline as from a keyboard; ^T notes the line, and ^G
# clears it.  Neither means anything to the terminal itself, should a key come early.
cat >"$work/rc.bash" <<END
PS1= PATH=$work/bin:\$PATH
bind 'set enable-bracketed-paste off'
bind 'set page-completions off'
bind 'set completion-query-items 0'
bind 'set bell-style none'
note() { printf '%s\n' "\$READLINE_LINE" >>"$work/bash.got"; }
bind -x '"\C-t": note'
bind '"\C-g": kill-whole-line'
source "$root/completions/bdp.bash"
END
ask_bash() {
	{
		while IFS= read -r line; do
			printf '%s\t\024\007' "$line"
		done <"$work/lines"
		printf 'exit\n'
	} >"$work/keys"
	script -qec "bash --rcfile $work/rc.bash -i" /dev/null <"$work/keys" >"$work/bash.log" 2>&1
}

# The line editor of zsh completes the lines by itself, before it reads a key.
cat >"$work/.zshrc" <<END
PROMPT= PATH=$work/bin:\$PATH
fpath=($root/completions \$fpath)
autoload -Uz compinit && compinit -D -u
setopt no_beep no_auto_menu no_list_ambiguous
zstyle ':completion:*' list-prompt ''
LISTMAX=10000
ask() {
	local line
	for line in "\${(@f)\$(<$work/lines)}"; do
		BUFFER=\$line CURSOR=\$#BUFFER
		zle complete-word
		print -r -- \$BUFFER >>$work/zsh.got
	done
	BUFFER=exit
	zle accept-line
}
zle -N zle-line-init ask
END
ask_zsh() {
	ZDOTDIR=$work script -qec "zsh -d -i" /dev/null </dev/null >"$work/zsh.log" 2>&1
}

# fish answers with the words that fit; the only one is what TAB makes of it.
cat >"$work/ask.fish" <<'END'
source $argv[1]/completions/bdp.fish
while read -l line
    set -l found (complete -C "$line" | string replace -r '\t.*' '')
    set -l before (string replace -r '[^ ]*$' '' -- $line)
    if test (count $found) -eq 1
        echo $before(string escape --no-quoted -- $found)
    else
        echo $line
    end
end
END
ask_fish() {
	PATH=$work/bin:$PATH fish --no-config "$work/ask.fish" "$root" \
		<"$work/lines" >"$work/fish.got" 2>"$work/fish.log"
}

for shell in bash zsh fish; do
	if ! command -v "$shell" >/dev/null; then
		echo "completions.sh: there is no $shell here"
		failed=1
		continue
	fi
	: >"$work/$shell.got"
	HOME=$work TERM=dumb LC_ALL=C.UTF-8 ask_$shell
	[ "$(wc -l <"$work/$shell.got")" = "$(wc -l <"$work/rows")" ] || {
		echo "completions.sh: $shell answered $(wc -l <"$work/$shell.got") of $(wc -l <"$work/rows"):"
		tail -n 5 "$work/$shell.log"
		failed=1
	}
	paste -d '|' "$work/rows" "$work/$shell.got" | awk -F '|' -v shell="$shell" '
	{
		line = $1
		sub(/[^ ]*$/, "", line)
		want = $2 == "-" ? $1 : line $2
		got = $3
		sub(/[ =]$/, "", got)
		sub(/[ =]$/, "", want) # zsh adds the sign that an argument may follow
		if (got != want) {
			printf "completions.sh: %s makes of \"%s\": \"%s\", not \"%s\"\n", shell, $1, got, want
			bad = 1
		}
	}
	END { exit bad }' || failed=1
done
[ $failed = 0 ] && echo "completions.sh: $(wc -l <"$work/rows") lines completed in bash, zsh and fish"
exit $failed
