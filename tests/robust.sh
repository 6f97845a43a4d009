#!/bin/sh
# The program in bad company: closed descriptors, pipes that break, files that trickle, names and
# strings made to harm a terminal, no memory, no /proc.  robust.sh ./bdp; needs jq and a C compiler.
# shellcheck disable=SC3045 # dash, bash and busybox all have ulimit -n and -v
set -u
. "$(dirname "$0")/sealed.sh"
seal "$0" "$@"
bdp=$(realpath "${1:-./bdp}") || exit 1
corpus=$(cd "$(dirname "$0")" && pwd)/corpus
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
unset LANG LC_CTYPE NO_COLOR
export LC_ALL=C TERM=dumb
cp "$corpus/iperf3/rwnd-clamp.3.12.json" run.json
cp "$corpus/iperf3/rwnd-clamp.3.12.txt" run.txt
escape=$(printf '\033')
newline='
'
checks=0
failed=0

fail() { # WHAT
	failed=$((failed + 1))
	printf 'FAILED %s: exit %s: %s\n' "$1" "$code" "$(head -n 2 err)"
}

# exits WHAT WANTED-CODE [TEXT]: of the command just run, whose code is in $code and whose standard
# error is in err, which must hold TEXT
exits() {
	checks=$((checks + 1))
	if [ "$code" != "$2" ]; then
		fail "$1 (wanted $2)"
	elif [ $# -gt 2 ] && ! grep -qF -- "$3" err; then
		fail "$1 (wanted '$3')"
	fi
}

# same WHAT FILE FILE
same() {
	checks=$((checks + 1))
	cmp -s "$2" "$3" || fail "$1: output differs"
}

none() { # WHAT FILE: it must be empty
	checks=$((checks + 1))
	[ -s "$2" ] && fail "$1: wrote to standard output"
	return 0
}

run() { # ARGUMENTS...: leaves code, out, err
	"$bdp" "$@" >out 2>err
	code=$?
}

json() { # like run, with what every comparison here leaves alone: this machine, and the form
	run --no-host -o json "$@"
}

# ---- descriptors ------------------------------------------------------------------------------

json run.json
exits "a file" 0
cp out whole

for arguments in "--no-host -o json run.json" "-V" "--help" "-b 1G -r 50ms"; do
	# shellcheck disable=SC2086 # they are words
	"$bdp" $arguments >&- 2>err
	code=$?
	exits "standard output closed, $arguments" 1 "standard output"
	{
		sleep 0.2
		# shellcheck disable=SC2086
		"$bdp" $arguments 2>err
		echo $? >code
	} | true
	code=$(cat code)
	exits "a pipe nobody reads, $arguments" 1 "standard output: Broken pipe"
done
(ulimit -f 1 && exec "$bdp" --no-host -o json run.json >limited 2>err)
code=$?
exits "a file at its limit" 1 "File too large"
"$bdp" --no-host -o json run.json <&- >out 2>err
code=$?
exits "standard input closed, not needed" 0
same "standard input closed, not needed" out whole
"$bdp" <&- >out 2>err
code=$?
exits "standard input closed" 1 "standard input: Bad file descriptor"
"$bdp" --no-host -o json missing.json 2>&- >out
code=$?
: >err
exits "standard error closed" 1
none "standard error closed" out
"$bdp" --no-host run.json <&- >&- 2>&-
code=$?
exits "all three closed" 1
(
	exec >out 2>err
	ulimit -n 3
	exec "$bdp" --no-host run.json
)
code=$?
exits "no descriptor left" 1 "Too many open files"
none "no descriptor left" out
(
	exec <run.json >out 2>err
	ulimit -n 3
	exec "$bdp" --no-host -o json -
)
code=$?
exits "no descriptor left, standard input" 0

# ---- bytes that come as they like -------------------------------------------------------------

json - <run.json
cp out whole-input
dd if=run.json bs=1 status=none | "$bdp" --no-host -o json - >out 2>err
code=$?
exits "a byte at a time" 0
same "a byte at a time" out whole-input
{
	head -c 1777 run.json
	sleep 0.3
	tail -c +1778 run.json
} | "$bdp" --no-host -o json >out 2>err &
reader=$!
sleep 0.1
kill -STOP $reader 2>/dev/null
sleep 0.1
kill -CONT $reader 2>/dev/null
wait $reader
code=$?
exits "stopped in a read" 0
same "stopped in a read" out whole-input
mkfifo fifo
cat run.json >fifo &
json fifo
exits "a fifo" 0
jq '.inputs[0].name = "x" | .runs[].input = "x"' out >got
jq '.inputs[0].name = "x" | .runs[].input = "x"' whole >want
same "a fifo" got want
json /dev/stdin <run.json
exits "/dev/stdin" 0
run /dev/null
exits "/dev/null" 3 "empty"
run /dev/zero
exits "/dev/zero" 3 "binary"
run /
exits "a directory" 1 "Is a directory"
yes '{"a":' | head -c 1000000 | timeout 20 "$bdp" - >out 2>err
code=$?
exits "a document without end" 3
# blank lines are looked at once each: a quarter of a MiB of them is a matter of milliseconds
{
	cat run.txt
	yes '' | head -c 262144
} >blank.txt
timeout 2 "$bdp" --no-host blank.txt >out 2>err
code=$?
exits "a run and many blank lines" 0
cat run.json >sparse.json
if truncate -s 4300M sparse.json 2>/dev/null && [ "$(du -k sparse.json | cut -f 1)" -lt 1000 ]; then
	timeout 120 "$bdp" --no-host sparse.json >out 2>err
	code=$?
	exits "a sparse file beyond 4 GiB" 0
	rm sparse.json
	truncate -s 4300M sparse.txt
	cat run.txt >>sparse.txt
	timeout 120 "$bdp" --no-host sparse.txt >out 2>err
	code=$?
	exits "a hole before the text" 3 "binary"
	rm sparse.txt
else
	echo "robust: no sparse files here: skipped"
fi

# ---- names and strings that harm a terminal ---------------------------------------------------

raw() { # WHAT FILE: no escape, no control, no bidirectional mark as it is
	checks=$((checks + 1))
	if [ "$(tr -d '\n' <"$2" | tr -d '\040-\176\200-\377' | wc -c)" != 0 ]; then
		fail "$1: a control character"
	fi
	if grep -qE "$(printf '\342\200[\216\217\252-\256]|\342\201[\246-\251]')" "$2"; then
		fail "$1: a bidirectional mark"
	fi
}

override=$(printf '\342\200\256')
# shellcheck disable=SC2016 # a name, not a command
for name in "a run.json" "a${newline}run.json" "a${escape}[31mred.json" "a${override}nosj" "-dash.json" \
	"$(printf 'a\377\300.json')" 'a"`id`.json' "sender" "=.json"; do
	cp run.json "./$name"
	json "./$name"
	exits "a file name" 0
	raw "the report on a file name" out
	jq -e . out >/dev/null || fail "a file name: no JSON"
	run --no-host "./$name"
	exits "a file name, text" 0
	raw "the text report on a file name" out
	rm "./$name"
	json "./$name"
	exits "a missing file" 1 "No such file"
	raw "the message on a missing file" err
	[ "$(grep -c ^bdp: err)" = "$(wc -l <err)" ] || fail "a message of several lines"
	run "-o$name" run.json
	exits "a wrong word" 2
	raw "the message on a wrong word" err
done

# shellcheck disable=SC2016 # nor is this
hostile=$(printf '\033[31mred\a\342\200\256\342\201\246\302\205\r\nnet.ipv4.ip_forward = 1\n"\\$(id)`id`')
jq --arg x "$hostile" '.title = $x | .start.title = $x | .start.version = $x | .start.cookie = $x |
	.start.system_info = $x | .start.connecting_to.host = $x | .start.connected[0].remote_host = $x |
	.start.connected[0].local_host = $x | .end.sender_tcp_congestion = $x |
	.end.receiver_tcp_congestion = $x' run.json | sed 's/red/red\\u0000\\ud800/' >hostile.json
for form in text json sysctl sh; do
	for locale in C C.UTF-8; do
		LC_ALL=$locale
		run --no-host -o $form -t 2G --role proxy hostile.json
		exits "hostile strings, $form" 0
		raw "hostile strings, $form" out
		raw "hostile strings, $form" err
	done
done
LC_ALL=C
# the strings are comments at most: what is set is the keys, whatever stands around them
run --no-host -o sysctl -t 2G --role proxy hostile.json
checks=$((checks + 1))
grep -vE '^(#.*|net\.[a-z0-9_.]+ = [0-9a-z ]+|)$' out >err && fail "a line of sysctl.d that is none"
run --no-host -o sh -t 2G --role proxy hostile.json
checks=$((checks + 1))
grep -vE '^ *#' out | grep -qF 'id' && fail "a foreign word in a shell script"
# shellcheck disable=SC2016 # it is the pattern
sed 's/#.*//' out | grep -qE '`|\$\(id' && fail "a foreign command in a shell script"
printf 'Connecting to host %s[31mred, port 5201\n' "$escape" >hostile.txt
sed 1d run.txt | sed "s/10.77.0.2/$escape]0;owned$(printf '\007')/" >>hostile.txt
run --no-host hostile.txt
raw "hostile text" out
raw "hostile text" err
jq --arg x "$hostile" -n '{start: {}, intervals: [], end: {}, error: $x}' >error.json
run error.json
exits "iperf3's error" 3 "no test took place"
raw "iperf3's error" err

# ---- environment ------------------------------------------------------------------------------

run --no-host run.json
cp out text-plain
for locale in C POSIX de_DE de_DE.UTF-8 tr_TR.UTF-8 ja_JP.eucJP nonsense C.UTF-8 '.UTF-8' '%s%n' '../../etc/passwd'; do
	export LC_ALL="$locale"
	json run.json
	exits "JSON in locale $locale" 0
	same "JSON in locale $locale" out whole
	run -b 3,34G -r 52,5ms
	exits "numbers in locale $locale" 0
	run --no-host run.json
	exits "text in locale $locale" 0
	case $locale in
	*.UTF-8) ;;
	*) same "text in locale $locale" out text-plain ;;
	esac
done
LC_ALL='' LANG=tr_TR.UTF-8 "$bdp" EXPLAIN >out 2>err
code=$?
exits "a verb in Turkish capitals" 1
LC_ALL=C
env -i "$bdp" --no-host -o json run.json >out 2>err
code=$?
exits "no environment" 0
same "no environment" out whole
for columns in 0 1 -5 99999999999 x; do
	COLUMNS=$columns TERM='' run --no-host run.json
	exits "COLUMNS=$columns" 0
done

cat >bare.c <<'END'
#include <unistd.h>
int main(int argc, char **argv)
{
	char *none[] = {NULL}, *empty[] = {"", "-V", NULL}, *odd[] = {"\033[31m\n", "--nonsense", NULL};
	(void)argc;
	execv(argv[1], argv[2][0] == 'n' ? none : argv[2][0] == 'e' ? empty : odd);
	return 127;
}
END
${CC:-cc} -o bare bare.c || exit 1
./bare "$bdp" none >out 2>err </dev/null
code=$?
exits "no argv[0]" 3 "bdp: standard input: empty"
./bare "$bdp" empty >out 2>err
code=$?
exits "an empty argv[0]" 0
./bare "$bdp" odd >out 2>err
code=$?
exits "an odd argv[0]" 2 "bdp: "
raw "an odd argv[0]" err

# ---- scarcity ---------------------------------------------------------------------------------

# The least in which it starts; from there on it works, or says what is missing.
kib=1000
starts() {
	# a program that does not fit is killed, which the innermost shell says
	(
		(ulimit -v $kib && exec "$bdp" -V)
		exit $?
	) >/dev/null 2>&1
}
while [ $kib -lt 20000 ] && ! starts; do
	kib=$((kib + 50))
done
limit=$((kib + 1500)) worked=0
while [ $kib -lt $limit ]; do
	(ulimit -v $kib && exec "$bdp" --no-host -o json run.json) >out 2>err
	code=$?
	if [ $code = 0 ]; then
		worked=$((worked + 1))
		same "in $kib KiB" out whole
	else
		exits "in $kib KiB" 1 "Cannot allocate memory"
		none "in $kib KiB" out
	fi
	kib=$((kib + 50))
done
checks=$((checks + 1))
[ $worked -gt 0 ] || fail "it never worked"
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' - "$bdp" -b 1G -r 50ms -c 100 >out 2>err
	code=$?
	exits "no /proc" 0
	unshare -m sh -c 'mount -t tmpfs none /proc && mount -t tmpfs none /sys && mount -t tmpfs none /dev &&
		exec "$@"' - "$bdp" -o json run.json >out 2>err
	code=$?
	exits "no /proc, /sys and /dev" 0
	unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' - "$bdp" sockets >out 2>err
	code=$?
	[ "$code" -le 3 ] || exits "sockets without /proc" 0
else
	echo "robust: not root, or no namespaces: /proc stays; skipped"
fi

# ---- many and the same ------------------------------------------------------------------------

json run.json run.json
exits "a file twice" 0
checks=$((checks + 1))
[ "$(jq '.runs | length' out)" = 1 ] || [ "$(jq '.runs | length' out)" = 2 ] || fail "a file twice: runs"
json run.json run.txt
exits "the run in two forms" 0
json "$corpus/hosts/host-6.1.sysctl.txt" "$corpus/hosts/host-6.1.sysctl.txt" run.json
exits "a dump twice" 3 "second dump"
set --
mkdir many
while [ $# -lt 1000 ]; do
	cp run.json "many/$#.json"
	set -- "$@" "many/$#.json"
done
json "$@"
exits "1,000 files" 0
(ulimit -n 16 && exec "$bdp" --no-host -o json "$@") >out 2>err
code=$?
exits "1,000 files, one open at a time" 0

# ---- each -------------------------------------------------------------------------------------

: >empty.json
printf '%s\0' run.json missing.json "a${newline}b.json" empty.json run.txt / |
	"$bdp" advise --each -0 --no-host >out 2>err
code=$?
exits "--each with bad files" 3
checks=$((checks + 1))
[ "$(wc -l <out)" = 6 ] || fail "--each: not a line a file"
[ "$(jq -r 'if .error then "error" else .path.rate_bps > 0 end' out | tr '\n' ' ')" = \
	"true error error error true error " ] || fail "--each: $(jq -c '[.file, .error]' out | tr '\n' ' ')"
[ "$(jq -r 'select(.file == "missing.json").error' out)" = "No such file or directory" ] ||
	fail "--each: the reason"
[ -s err ] && fail "--each: said on standard error what belongs in its line"
run --each --no-host "$@"
exits "--each on 1,000 files" 0
checks=$((checks + 1))
[ "$(jq -c 'del(.file, .inputs[].name, .runs[].input)' out | sort -u)" = \
	"$(jq -c 'del(.inputs[].name, .runs[].input)' whole)" ] ||
	fail "--each: not the report on the file alone"
head -c 5000 /dev/zero | tr '\0' x >long
printf '\0run.json' >>long
"$bdp" --each -0 --no-host <long >out 2>err
code=$?
exits "--each and a name beyond the limit" 3
checks=$((checks + 1))
[ "$(jq -r '.error // "fine"' out | tr '\n' ' ')" = "File name too long fine " ] || fail "--each: a long name"
run --each
exits "--each of nothing" 2 "-0"
run --each -o sysctl run.json
exits "--each in another form" 2 "one JSON object a line"
run -0 run.json
exits "-0 alone" 2 "--each"
"$bdp" --each --no-host "$@" 2>err >/dev/full
code=$?
exits "--each on a full disk" 1 "No space left"

echo "robust: $checks checks, $failed failed"
[ $failed = 0 ]
