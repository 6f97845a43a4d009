# fish completion for bdp(1)

# The verb typed, advise when there is none.
function __bdp_verb
    set -l words (commandline -opc)
    if contains -- "$words[2]" advise sweep compare sockets host record apply confirm rollback explain help
        echo $words[2]
    else
        echo advise
    end
end

function __bdp_is
    contains -- (__bdp_verb) $argv
end

function __bdp_is_first
    test (count (commandline -opc)) -eq 1
end

# $argv[1] behind the last comma of what is being typed.
function __bdp_list
    set -l typed (string replace -r '^--[^=]*=' '' -- (commandline -ct))
    set -l before (string match -r '^.*,' -- $typed)
    for word in (string split -n ' ' -- $argv[1])
        echo "$before$word"
    end
end

function __bdp_algorithms
    __bdp_list (string replace -a \t ' ' </proc/sys/net/ipv4/tcp_available_congestion_control 2>/dev/null)
end

# The program that is being typed; says nothing where there is none.
function __bdp_ask
    set -l program (commandline -opc)[1]
    command -q $program; and command $program $argv 2>/dev/null
end

# What bdp explain knows, with its meaning: the lines but the headings.
function __bdp_names
    __bdp_ask explain | string replace -rf '^  (\S+) *(.*)$' '$1\t$2'
end

function __bdp_ids
    __bdp_ask rollback --list | string match -v '*undone*' |
        string replace -rf '^ *(\d+)  +(.*)$' '$1\t$2'
end

# A file behind the comma of "17M=a.txt,b.txt".
function __bdp_more_files
    set -l typed (commandline -ct)
    if set -l before (string match -r '^.*,' -- $typed)
        for path in (string replace -r '^.*,' '' -- $typed)*
            test -d $path; and echo $before$path/; or echo $before$path
        end
    end
end

complete -c bdp -n '__bdp_is confirm rollback explain help' -f
complete -c bdp -n '__bdp_is explain' -a '(__bdp_names)'
complete -c bdp -n '__bdp_is help; and test (count (commandline -opc)) -eq 2' -a 'advise sweep compare sockets host record apply confirm rollback explain help'
complete -c bdp -n '__bdp_is advise; and test -n (commandline -ct)' -a 'sender= receiver=' -d 'taken on that end'
complete -c bdp -n '__bdp_is sweep compare' -a '(__bdp_more_files)'

complete -c bdp -n __bdp_is_first -a advise -d 'say what limits the path and what to set (the default)'
complete -c bdp -n __bdp_is_first -a sweep -d 'pick the ceiling from runs at several, or make them'
complete -c bdp -n __bdp_is_first -a compare -d 'say which algorithm or setting does better'
complete -c bdp -n __bdp_is_first -a sockets -d 'say which live sockets hold more than their paths need'
complete -c bdp -n __bdp_is_first -a host -d 'say what TCP settings allow, and what in them harms'
complete -c bdp -n __bdp_is_first -a record -d 'measure a path both ways and write down what bdp needs'
complete -c bdp -n __bdp_is_first -a apply -d 'set what a plan says, and prove it'
complete -c bdp -n __bdp_is_first -a confirm -d 'keep what apply --confirm set'
complete -c bdp -n __bdp_is_first -a rollback -d 'put back what was there before'
complete -c bdp -n __bdp_is_first -a explain -d 'say what is known of a setting, cause, finding, counter or term'
complete -c bdp -n __bdp_is_first -a help -d 'say what a verb does: its options and three examples'

complete -c bdp -n '__bdp_is advise' -s b -l bandwidth -x -d 'measured or planned rate'
complete -c bdp -n '__bdp_is advise host' -s r -l rtt -x -d 'round-trip time with its unit, such as 52ms'
complete -c bdp -n '__bdp_is advise' -s w -l window -x -d 'window in flight'
complete -c bdp -n '__bdp_is advise' -s l -l loss -x -d 'share of segments lost, in percent'
complete -c bdp -n '__bdp_is advise sweep compare' -l idle-rtt -x -d 'round-trip time of the idle path'
complete -c bdp -n '__bdp_is advise sockets host' -s t -l target -x -d 'rate to size for'
complete -c bdp -n '__bdp_is advise' -l baseline -r -F -d 'a run that shows what the path can carry'
complete -c bdp -n '__bdp_is advise' -s P -l streams -x -d 'spread the target over so many streams'
complete -c bdp -n '__bdp_is advise' -s c -l connections -x -d 'concurrent connections'
complete -c bdp -n '__bdp_is advise' -l active -x -d 'how many of them are busy, or PERCENT'
complete -c bdp -n '__bdp_is advise apply sweep' -l role -x -a 'receiver sender proxy' -d 'what this host is on the path'
complete -c bdp -n '__bdp_is advise' -l run -x -d 'which run of the input to advise on'
complete -c bdp -n '__bdp_is advise' -l each -d 'take every file by itself, one JSON report a line'
complete -c bdp -n '__bdp_is advise' -s 0 -l null -d 'with --each, also the files named on standard input'
complete -c bdp -n '__bdp_is advise sockets sweep' -l sysctl -r -F -d 'sysctl -a of the host advised'
complete -c bdp -n '__bdp_is advise sockets apply confirm rollback sweep host' -l sysroot -x -a '(__fish_complete_directories)' -d 'read /proc and /sys below a folder'
complete -c bdp -n '__bdp_is advise sockets host' -l kernel -x -d 'kernel version of the host advised'
complete -c bdp -n '__bdp_is advise sockets host' -l memory -x -d 'RAM of the host advised'
complete -c bdp -n '__bdp_is advise sockets' -l no-host -d 'use no facts of this machine'
complete -c bdp -n '__bdp_is advise sockets apply sweep' -l allow-lower -d 'also advise values below the current ones'
complete -c bdp -n '__bdp_is advise' -l setsockopt -d 'also size rmem_max and wmem_max'
complete -c bdp -n '__bdp_is advise' -s o -l output -x -a 'text json sysctl sh k8s table' -d 'report form'
complete -c bdp -n '__bdp_is sweep' -s o -l output -x -a 'text json sysctl sh k8s' -d 'report form'
complete -c bdp -n '__bdp_is host' -s o -l output -x -a 'text json sysctl' -d 'report form'
complete -c bdp -n '__bdp_is compare sockets apply confirm rollback' -s o -l output -x -a 'text json' -d 'report form'
complete -c bdp -n '__bdp_is advise' -l socket -x -d 'watch a live connection in place of a run'
complete -c bdp -n '__bdp_is advise sockets' -l interval -x -d 'how long to watch live sockets'
complete -c bdp -n '__bdp_is record' -s t -l time -x -d 'how long each test runs'
complete -c bdp -n '__bdp_is record' -s P -l parallel -x -d 'parallel streams'
complete -c bdp -n '__bdp_is record' -s p -l port -x -d 'port of the iperf3 server'
complete -c bdp -n '__bdp_is record' -s C -l congestion -x -d 'congestion control of the tests'
complete -c bdp -n '__bdp_is record' -l no-reverse -d 'only the test in which this host sends'
complete -c bdp -n '__bdp_is record' -l far -x -d 'also record the other end'
complete -c bdp -n '__bdp_is record' -l script -d 'print the script that records the other end'
complete -c bdp -n '__bdp_is record' -l host -d 'record the settings of this host alone'
complete -c bdp -n '__bdp_is sockets' -l watch -x -d 'repeat in place that often'
complete -c bdp -n '__bdp_is sockets' -l port -x -d 'only sockets with that port at either end'
complete -c bdp -n '__bdp_is sockets' -l peer -x -d 'only sockets with such a peer'
complete -c bdp -n '__bdp_is sockets' -l state -x -a '(__bdp_list "connected all established syn-sent syn-recv fin-wait-1 fin-wait-2 time-wait close-wait last-ack closing listening closed")' -d 'only sockets in those states, such as established or all'
complete -c bdp -n '__bdp_is sockets' -l min-held -x -d 'only sockets that hold as much memory'
complete -c bdp -n '__bdp_is sockets' -l factor -x -d 'a buffer is too large beyond so many BDPs'
complete -c bdp -n '__bdp_is sockets' -l all -d 'list every socket'
complete -c bdp -n '__bdp_is rollback' -l all -d 'take back every apply'
complete -c bdp -n '__bdp_is rollback' -l list -d 'list what can be taken back'
complete -c bdp -n '__bdp_is rollback' -l to -x -a '(__bdp_ids)' -d 'take back that apply and every later one'
complete -c bdp -n '__bdp_is rollback' -l force -d 'also restore what somebody changed since'
complete -c bdp -n '__bdp_is advise' -l apply -d 'set this part of the advice here, after the report'
complete -c bdp -n '__bdp_is advise apply rollback' -l dry-run -d 'say what would be set, and set nothing'
complete -c bdp -n '__bdp_is advise apply' -l persist -d 'also keep it for the next boot'
complete -c bdp -n '__bdp_is advise apply' -l confirm -x -d 'undo it after that time, unless confirmed'
complete -c bdp -n '__bdp_is advise sockets apply host' -l check -d 'exit 5 when there is something to change'

complete -c bdp -n '__bdp_is sweep' -l run -x -d 'set each value in turn and run this'
complete -c bdp -n '__bdp_is sweep' -l ceilings -x -d 'the ceilings to try'
complete -c bdp -n '__bdp_is sweep' -l cc -x -a '(__bdp_algorithms)' -d 'the congestion control algorithms to try'
complete -c bdp -n '__bdp_is sweep' -l streams -x -d 'the numbers of streams to try'
complete -c bdp -n '__bdp_is sweep' -l pacing -x -d 'the pacing rates of a stream to try'
complete -c bdp -n '__bdp_is compare' -l run -d 'make the runs: operands are label=command'
complete -c bdp -n '__bdp_is sweep compare' -l runs -x -d 'how many runs of each value'
complete -c bdp -n '__bdp_is sweep compare' -l timeout -x -d 'stop a run that takes longer'
complete -c bdp -n '__bdp_is sweep' -l min-gain -x -d 'what a larger ceiling must gain in rate'
complete -c bdp -n '__bdp_is sweep' -l max-loss -x -d 'what it may lose at most'
complete -c bdp -n '__bdp_is advise' -s v -l verbose -d 'say all of it'
complete -c bdp -n '__bdp_is advise sweep compare' -l plot -r -F -d 'also draw what was measured, as SVG'

complete -c bdp -l color -x -a 'auto always never' -d 'when to color'
complete -c bdp -s h -l help -d 'print help'
complete -c bdp -s V -l version -d 'print the version'
