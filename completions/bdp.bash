# bash completion for bdp(1)

# Verbs and their meaning.
_bdp_verbs=(
	'advise|say what limits the path and what to set (the default)'
	'sweep|pick the ceiling from runs at several, or make them'
	'compare|say which algorithm or setting does better'
	'sockets|say which live sockets hold more than their paths need'
	'host|say what TCP settings allow, and what in them harms'
	'record|measure a path both ways and write down what bdp needs'
	'apply|set what a plan says, and prove it'
	'confirm|keep what apply --confirm set'
	'rollback|put back what was there before'
	'explain|say what is known of a setting, cause, finding, counter or term'
	'help|say what a verb does: its options and three examples'
)

# Options of each verb: names, argument, meaning.  An argument "a,b" completes to
# its words, FILE and DIR to paths, CC to a list of the algorithms of this host,
# STATES to a list of states, ID to what can be taken back, others to nothing;
# one that begins with "=" may be left out.
_bdp_options_advise=(
	'-b --bandwidth RATE|measured or planned rate'
	'-r --rtt TIME|round-trip time with its unit, such as 52ms'
	'-w --window SIZE|window in flight'
	'-l --loss PERCENT|share of segments lost'
	'--idle-rtt TIME|round-trip time of the idle path'
	'-t --target RATE|rate to size for'
	'-P --streams N|spread the target over so many streams'
	'--baseline FILE|a run that shows what the path can carry'
	'-c --connections N|concurrent connections'
	'--active N|how many of them are busy, or PERCENT'
	'--role receiver,sender,proxy|what this host is on the path'
	'--run N|which run of the input to advise on'
	'--each|take every file by itself, a JSON report or a line of a table'
	'-0 --null|with --each, also the files named on standard input'
	'--sysctl FILE|sysctl -a of the host advised'
	'--sysroot DIR|read /proc and /sys below DIR'
	'--kernel VERSION|kernel of the host advised'
	'--memory SIZE|RAM of the host advised'
	'--no-host|use no facts of this machine'
	'--allow-lower|also advise values below the current ones'
	'--setsockopt|also size rmem_max and wmem_max'
	'--socket ADDR|watch a live connection in place of a run'
	'--interval TIME|how long to watch it'
	'-o --output text,json,sysctl,sh,k8s,table|report form'
	'-v --verbose|say all of it'
	'--plot FILE|also draw what was measured, as SVG'
	'--check|exit 5 when there is something to change'
	'--apply|set this part of the advice here, after the report'
	'--dry-run|say what would be set, and set nothing'
	'--persist =FILE|also keep it for the next boot'
	'--confirm TIME|undo it after that time, unless confirmed'
)
_bdp_options_sweep=(
	'--run COMMAND|set each value in turn and run this'
	'--ceilings LIST|the ceilings to try'
	'--cc CC|the congestion control algorithms to try'
	'--streams LIST|the numbers of streams to try'
	'--pacing LIST|the pacing rates of a stream to try'
	'--runs N|how many runs of each value'
	'--timeout TIME|stop a run that takes longer'
	'--min-gain PERCENT|what a larger ceiling must gain in rate'
	'--max-loss PERCENT|what it may lose at most'
	'--idle-rtt TIME|round-trip time of the idle path'
	'--role receiver,sender,proxy|what this host is on the path'
	'--sysctl FILE|sysctl -a of the host advised'
	'--sysroot DIR|read /proc and /sys below DIR'
	'--allow-lower|also advise values below the current ones'
	'-o --output text,json,sysctl,sh,k8s|report form'
	'--plot FILE|also draw what was measured, as SVG'
)
_bdp_options_compare=(
	'--run|make the runs: operands are label=command'
	'--runs N|how many runs of each command'
	'--timeout TIME|stop a run that takes longer'
	'--idle-rtt TIME|round-trip time of the idle path'
	'-o --output text,json|report form'
	'--plot FILE|also draw what was measured, as SVG'
)
_bdp_options_sockets=(
	'-t --target RATE|rate that each connection should carry'
	'--factor N|a buffer is too large beyond N times the BDP'
	'--port N|only sockets with that port at either end'
	'--peer ADDR|only sockets with such a peer, or ADDR/LEN'
	'--state STATES|only sockets in those states, such as established or all'
	'--min-held SIZE|only sockets that hold as much memory'
	'--interval TIME|read twice, that long apart'
	'--watch TIME|repeat in place that often'
	'--all|list every socket'
	'--sysctl FILE|sysctl -a of the host the sockets are of'
	'--sysroot DIR|read /proc and /sys below DIR'
	'--kernel VERSION|kernel of that host'
	'--memory SIZE|RAM of that host'
	'--no-host|use no facts of this machine'
	'--allow-lower|also advise a lower ceiling'
	'-o --output text,json|report form'
	'--check|exit 5 when receive buffers run away'
)
_bdp_options_host=(
	'-t --target RATE|rate that one connection should carry'
	'-r --rtt TIME|over that round-trip time'
	'--sysroot DIR|read /proc, /sys and /etc below DIR'
	'--kernel VERSION|kernel of the host'
	'--memory SIZE|RAM of the host'
	'-o --output text,json,sysctl|report form'
	'--check|exit 5 when there is something to change'
)
_bdp_options_record=(
	'-t --time TIME|how long each test runs'
	'-P --parallel N|parallel streams'
	'-p --port PORT|port of the iperf3 server'
	'-C --congestion NAME|congestion control of the tests'
	'--no-reverse|only the test in which this host sends'
	'--far COMMAND|also record the other end, by a shell there'
	'--script|print the script that records the other end'
	'--host|record the settings of this host alone'
)
_bdp_options_apply=(
	'--role receiver,sender,proxy|which part of the plan is for this host'
	'--sysroot DIR|set below DIR'
	'--dry-run|say what would be set, and set nothing'
	'--check|exit 5 when something differs, and set nothing'
	'--allow-lower|also set values below the current ones'
	'--persist =FILE|also keep it for the next boot'
	'--confirm TIME|undo it after that time, unless confirmed'
	'-o --output text,json|report form'
)
_bdp_options_confirm=(
	'-o --output text,json|report form'
	'--sysroot DIR|what was set below DIR'
)
_bdp_options_rollback=(
	'-o --output text,json|report form'
	'--list|list what can be taken back'
	'--to ID|take back that apply and every later one'
	'--all|take back every apply'
	'--force|also restore what somebody changed since'
	'--dry-run|say what would be restored'
	'--sysroot DIR|what was set below DIR'
)
_bdp_options_explain=()
_bdp_options_help=()
_bdp_options_all=(
	'--color auto,always,never|when to color'
	'-h --help|print help'
	'-V --version|print the version'
)

_bdp_states='connected all established syn-sent syn-recv fin-wait-1 fin-wait-2
	time-wait close-wait last-ack closing listening closed'

# Sets argument to what the option $1 of the verb $2 takes, "" when nothing; $3
# is "=" when it is joined to it.
_bdp_argument() {
	local -n of_verb=_bdp_options_$2
	local row word last
	argument=
	for row in "${of_verb[@]}" "${_bdp_options_all[@]}"; do
		row=${row%%|*} last=${row##* }
		[[ $last == -* || ($last == =* && $3 != =) ]] && continue
		for word in $row; do
			[[ $word == "$1" ]] && argument=${last#=}
		done
	done
}

# Adds to COMPREPLY the words of rows "words|meaning" that begin with $1; their
# meanings are shown where bash lists them and are no part of the word.
_bdp_reply() {
	local current=$1 row word
	local -a found=() meanings=()
	shift
	for row; do
		for word in ${row%%|*}; do
			[[ $word == =* ]] && continue
			if [[ $word == "$current"* && ($word == -* || $current != -*) ]]; then
				found+=("$word")
				meanings+=("${row#*|}")
			fi
		done
	done
	# 37 and 42: menu completion inserts each in turn
	if ((${#found[@]} == 1 || COMP_TYPE == 37 || COMP_TYPE == 42)); then
		COMPREPLY+=("${found[@]}")
		return
	fi
	local i
	for i in "${!found[@]}"; do
		COMPREPLY+=("$(printf '%-16s  (%s)' "${found[i]}" "${meanings[i]}")")
	done
}

_bdp_paths() {
	compopt -o filenames 2>/dev/null
	mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen "$1" -- "$2")
}

_bdp_words() {
	mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$1" -- "$2")
}

# The last part of $2, a list with commas, to one of the words $1.
_bdp_list() {
	local before=''
	[[ $2 == *,* ]] && before=${2%,*},
	mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${2##*,}")
}

# A file, also behind the comma of "17M=a.txt,b.txt"; or the label of one.
_bdp_operand() {
	local before='' i first=${#COMPREPLY[@]}
	if [[ $1 == advise && $2 && -z $(compgen -f -- "$2") ]]; then
		_bdp_words 'sender= receiver=' "$2"
		((${#COMPREPLY[@]})) && compopt -o nospace 2>/dev/null
		return
	fi
	[[ $1 =~ ^(sweep|compare)$ && $2 == *,* && ! -e $2 ]] && before=${2%,*},
	_bdp_paths -f "${2#"$before"}"
	for ((i = first; i < ${#COMPREPLY[@]}; i++)); do
		COMPREPLY[i]=$before${COMPREPLY[i]}
	done
}

# What bdp explain knows: the first word of each line but the headings.
_bdp_names() {
	local line
	while IFS= read -r line; do
		[[ $line == '  '* ]] && line=${line#  } && printf '%s\n' "${line%% *}"
	done < <("$1" explain 2>/dev/null)
}

_bdp_ids() {
	local id rest
	while read -r id rest; do
		[[ $id =~ ^[0-9]+$ && $rest == 20*" UTC "* && $rest != *@(undone|another)* ]] && printf '%s\n' "$id"
	done < <("$1" rollback --list 2>/dev/null)
}

_bdp_value() { # ARGUMENT CURRENT PROGRAM
	case $1 in
	FILE) _bdp_paths -f "$2" ;;
	DIR) _bdp_paths -d "$2" ;;
	CC) _bdp_list "$(cat /proc/sys/net/ipv4/tcp_available_congestion_control 2>/dev/null)" "$2" ;;
	STATES) _bdp_list "$_bdp_states" "$2" ;;
	ID) _bdp_words "$(_bdp_ids "$3")" "$2" ;;
	*,*) _bdp_words "${1//,/ }" "$2" ;;
	esac
}

_bdp() {
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
	local verb=advise joint='' row argument i
	COMPREPLY=()
	# "--role=pro" comes as three words
	if [[ $current == = ]]; then
		current='' joint='='
	elif [[ $previous == = ]]; then
		previous=${COMP_WORDS[COMP_CWORD - 2]} joint='='
	fi
	for row in "${_bdp_verbs[@]}"; do
		((COMP_CWORD > 1)) && [[ ${COMP_WORDS[1]} == "${row%%|*}" ]] && verb=${row%%|*}
	done
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			_bdp_operand "$verb" "$current"
			return
		fi
	done
	_bdp_argument "$previous" "$verb" "$joint"
	if [[ $argument ]]; then
		_bdp_value "$argument" "$current" "${COMP_WORDS[0]}"
	elif [[ $current == -* ]]; then
		local -n of_verb=_bdp_options_$verb
		_bdp_reply "$current" "${of_verb[@]}" "${_bdp_options_all[@]}"
	elif ((COMP_CWORD == 1)) && [[ -z $(compgen -f -- "$current") ]]; then
		_bdp_operand advise "$current"
		_bdp_reply "$current" "${_bdp_verbs[@]}"
	elif ((COMP_CWORD == 1)); then
		# with meanings beside file names neither could be read
		_bdp_operand advise "$current"
		for row in "${_bdp_verbs[@]}"; do
			[[ ${row%%|*} == "$current"* ]] && COMPREPLY+=("${row%%|*}")
		done
	elif [[ $verb == help ]]; then
		for row in "${_bdp_verbs[@]}"; do
			((COMP_CWORD == 2)) && [[ ${row%%|*} == "$current"* ]] && COMPREPLY+=("${row%%|*}")
		done
	elif [[ $verb == explain ]]; then
		_bdp_words "$(_bdp_names "${COMP_WORDS[0]}")" "$current"
	elif [[ $verb != confirm && $verb != rollback ]]; then
		_bdp_operand "$verb" "$current"
	fi
}

complete -F _bdp bdp
