#include "verbs/collect.h"

#include <err.h>
#include <stdlib.h>

/*
 * Each command is shown behind a prompt, as a session would, then run.  Rules for what stands here:
 * nothing is written; /proc rather than nstat, which keeps a history file; no key that is a secret
 * (tcp_fastopen_key and netdev_rss_key end in y); commands get an empty standard input, since the script
 * itself may come by that way.  A function is read whole before it runs.
 */
static const char body[] =
    "bdp_show() {\n"
    "\tprintf '%s$ %s\\n' \"$bdp_prompt\" \"$1\"\n"
    "\teval \"$1\" </dev/null 2>&1\n"
    "}\n"
    "bdp_has() { command -v \"$1\" >/dev/null 2>&1; }\n"
    "bdp_counters() {\n"
    "\tbdp_show 'cat /proc/net/netstat /proc/net/snmp'\n"
    "\tbdp_show 'cat /proc/net/sockstat'\n"
    "\tif bdp_has ip; then bdp_show 'ip -s link'; fi\n"
    "\tif bdp_has tc; then bdp_show 'tc -s qdisc show'; fi\n"
    "}\n"
    "bdp_host() {\n"
    "\tbdp_show 'uname -a'\n"
    "\tbdp_show 'grep -s . /proc/sys/kernel/hostname /proc/sys/kernel/osrelease "
    "/proc/sys/net/core/[rw]mem_* /proc/sys/net/core/default_qdisc "
    "/proc/sys/net/core/netdev_max_backlog /proc/sys/net/core/optmem_max "
    "/proc/sys/net/ipv4/tcp_*[!y]'\n"
    "\tbdp_show 'grep MemTotal /proc/meminfo'\n"
    "\tif bdp_has getconf; then bdp_show 'getconf PAGESIZE'; fi\n"
    "\tbdp_counters\n"
    "}\n"
    "bdp_stamp() {\n"
    "\tbdp_now=$(date +%s.%N)\n"
    "\tcase $bdp_now in *[!0-9.]*) bdp_now=$(date +%s) ;; esac\n"
    "\techo \"$bdp_now\"\n"
    "}\n"
    "bdp_sockets() {\n"
    "\tbdp_filter=\"( sport = :$bdp_port or dport = :$bdp_port )\"\n"
    "\tprintf '%s$ %s\\n' \"$bdp_prompt\" "
    "\"while sleep 1; do date +%s.%N; ss -tmin '$bdp_filter'; done\"\n"
    "\tif ! bdp_has ss; then echo 'ss: not found'; fi\n"
    "\tbdp_left=$bdp_seconds\n"
    "\twhile [ \"$bdp_left\" -gt 0 ] && [ -z \"$bdp_over\" ]; do\n"
    "\t\tif bdp_has ss; then\n"
    "\t\t\tbdp_stamp\n"
    "\t\t\tss -tmin \"$bdp_filter\" </dev/null 2>&1\n"
    "\t\tfi\n"
    "\t\tsleep 1\n"
    "\t\tbdp_left=$((bdp_left - 1))\n"
    "\tdone\n"
    "}\n"
    "bdp_watch_input() {\n"
    "\texec 3<&0\n"
    "\t(\n"
    "\t\ttrap - HUP INT TERM USR1\n"
    "\t\twhile read -r _ <&3; do :; done\n"
    "\t\tkill -USR1 $$ 2>/dev/null\n"
    "\t) >/dev/null 2>&1 &\n"
    "\tbdp_watcher=$!\n"
    "}\n"
    "bdp_all() {\n"
    "\tbdp_over=\n"
    "\ttrap 'bdp_over=yes' HUP INT TERM USR1\n"
    "\tif [ $bdp_until_input = yes ]; then bdp_watch_input; fi\n"
    "\tbdp_host\n"
    "\tbdp_sockets\n"
    "\tbdp_counters\n"
    "\tif [ $bdp_until_input = yes ]; then kill \"$bdp_watcher\" 2>/dev/null; fi\n"
    "\texit 0\n"
    "}\n"
    "bdp_prompt=\n"
    "if [ $bdp_name = yes ]; then\n"
    "\tbdp_prompt=$(uname -n 2>/dev/null || cat /proc/sys/kernel/hostname)\n"
    "\tcase $bdp_prompt in '' | *[!A-Za-z0-9._-]*) bdp_prompt=far ;; esac\n"
    "fi\n";

static const char *const calls[] = {
    [COLLECT_HOST] = "bdp_host",
    [COLLECT_COUNTERS] = "bdp_counters",
    [COLLECT_ALL] = "bdp_all",
};

char *collect_script(const struct collect *collect)
{
	char *script = NULL;
	int length = asprintf(&script,
	    "# Shows what TCP on this host is set to and how it fares; changes nothing.\n"
	    "PATH=$PATH:/usr/sbin:/sbin\n"
	    "bdp_seconds=%u bdp_port=%u bdp_name=%s bdp_until_input=%s\n%s%s\n",
	    collect->seconds, collect->port, collect->name ? "yes" : "no",
	    collect->until_input ? "yes" : "no", body, calls[collect->part]);

	if (length < 0)
		err(1, NULL);
	return script;
}
